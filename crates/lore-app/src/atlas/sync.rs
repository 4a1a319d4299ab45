//! Copying a world of a service into the own one.
//!
//! Running it again goes on where it stopped: what has not changed there since is passed
//! over. Ids stay what they are, so a second copy changes the first. Things come first
//! and what joins them second, because they refer to each other in circles.

use std::time::Duration;

use lore_anvil::{Form, Kind, Object, PAGE_MAX};
use lore_core::{Error, Result, Role, Uid};
use lore_store::NodeKey;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::head;
use super::source::{Anvil, Atlas, ListQuery};

/// Where the service's own date of a copied thing is kept.
const SYNCED: &str = "syncedDate";
/// Where it is kept what a copied thing shall be joined to, until everything is here.
const PENDING: &str = "pendingLinks";
/// How often a service that asks for patience gets it.
const PATIENCE: usize = 5;
/// Most things that are named as left out.
const NAMED_MAX: usize = 20;
/// Most pages of one list.
const PAGES_MAX: usize = 2_000;

/// What is copied, in this order, and what it is listed below.
const ORDER: [(Kind, Option<Kind>); 29] = [
    (Kind::Category, None),
    (Kind::Image, None),
    (Kind::Article, None),
    (Kind::Secret, None),
    (Kind::Map, None),
    (Kind::Layer, Some(Kind::Map)),
    (Kind::MarkerGroup, Some(Kind::Map)),
    (Kind::Marker, Some(Kind::Map)),
    (Kind::Timeline, None),
    (Kind::Era, None),
    (Kind::History, None),
    (Kind::Chronicle, None),
    (Kind::Canvas, None),
    (Kind::Notebook, None),
    (Kind::NoteSection, Some(Kind::Notebook)),
    (Kind::Note, Some(Kind::NoteSection)),
    (Kind::Manuscript, None),
    (Kind::ManuscriptVersion, Some(Kind::Manuscript)),
    (Kind::ManuscriptPart, Some(Kind::ManuscriptVersion)),
    (Kind::ManuscriptBeat, Some(Kind::ManuscriptPart)),
    (Kind::ManuscriptBookmark, Some(Kind::Manuscript)),
    (Kind::ManuscriptTag, Some(Kind::Manuscript)),
    (Kind::ManuscriptLabel, Some(Kind::Manuscript)),
    (Kind::VariableCollection, None),
    (Kind::Variable, None),
    (Kind::BlockFolder, None),
    (Kind::Block, None),
    (Kind::BlockTemplate, None),
    (Kind::SubscriberGroup, None),
];

/// What became of a copy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Synced {
    /// Made.
    pub made: usize,
    /// Changed since the last time.
    pub changed: usize,
    /// As it was.
    pub unchanged: usize,
    /// How many could not be copied.
    pub failed: usize,
    /// Some of those, and why.
    pub left_out: Vec<String>,
}

/// Tells how far it is: how many are done, of how many, of what.
pub type Told<'a> = &'a (dyn Fn(usize, usize, &str) + Sync);

impl Atlas {
    /// Copies a world of `source` into this one; its first world when none is named.
    pub async fn copy_from(
        &self,
        source: &dyn Anvil,
        world: Option<&str>,
        told: Told<'_>,
    ) -> Result<Synced> {
        self.viewer().require(Role::Owner)?;
        let world = source.read(Kind::World, world, 0).await?;
        let world = id_of(&world).ok_or_else(|| Error::not_found("the world", "check its id"))?;
        let mut done = Synced::default();
        for (kind, above) in ORDER {
            for row in rows(source, kind, above, &world).await? {
                self.copy_one(source, kind, row, &mut done).await?;
                told(done.made + done.changed + done.unchanged, 0, kind.row().many);
            }
        }
        for (kind, _) in ORDER.into_iter().filter(|(kind, _)| *kind != Kind::Secret) {
            self.join(kind, told).await?;
        }
        Ok(done)
    }

    /// Joins what was copied, now or in a run that was cut short; mentions find their
    /// targets now, too.
    async fn join(&self, kind: Kind, told: Told<'_>) -> Result<()> {
        let mut waiting = self.every(kind).await?;
        waiting.retain(|node| head::own(node, PENDING).is_some());
        let total = waiting.len();
        for (at, node) in waiting.into_iter().enumerate() {
            let id = node.uid.to_string();
            let object = self.read_object(kind, Some(&id), kind.row().granularity(2)).await?;
            let mut fields: Object = object
                .into_iter()
                .filter(|(name, value)| is_text(kind, name) && !value.is_null())
                .collect();
            let links = head::own(&node, PENDING).and_then(Value::as_object).cloned();
            fields.extend(self.resolvable(kind, links.unwrap_or_default()).await?);
            fields.insert(PENDING.into(), Value::Null);
            self.update_object(kind, &id, &fields).await?;
            told(at + 1, total, "links");
        }
        Ok(())
    }

    async fn copy_one(
        &self,
        source: &dyn Anvil,
        kind: Kind,
        row: Object,
        done: &mut Synced,
    ) -> Result<()> {
        let Some(id) = id_of(&row) else { return Ok(()) };
        let uid = uid_of(kind, &id);
        let known = self.app().store.node(self.viewer(), NodeKey::Uid(uid)).await?;
        let date = row.get("updateDate").and_then(|at| at.get("date")).cloned();
        let same = known.as_ref().and_then(|node| head::own(node, SYNCED)) == date.as_ref();
        if known.is_some() && same && date.is_some() {
            done.unchanged += 1;
            return Ok(());
        }
        let written = match patiently(source, kind, &id).await {
            Ok(object) => {
                let mut fields = writable(kind, row, object);
                fields.insert(SYNCED.into(), date.unwrap_or_default());
                self.put(kind, uid, fields).await
            }
            Err(error) => Err(error),
        };
        match written {
            Ok(made) => {
                done.made += usize::from(made);
                done.changed += usize::from(!made);
            }
            Err(error) => {
                done.failed += 1;
                if done.left_out.len() < NAMED_MAX {
                    done.left_out.push(format!("{} {id}: {error}", kind.row().one));
                }
            }
        }
        Ok(())
    }

    /// Makes or changes a thing; what it is joined to waits. Whether it was made.
    async fn put(&self, kind: Kind, uid: Uid, fields: Object) -> Result<bool> {
        let id = uid.to_string();
        if kind == Kind::Secret {
            let fields = self.resolvable(kind, fields).await?;
            return match self.secret_text(&id).await {
                Ok(_) => self.update_object(kind, &id, &fields).await.map(|_| false),
                Err(_) => self.create_secret(&fields, uid).await.map(|_| true),
            };
        }
        let (links, mut plain): (Object, Object) =
            fields.into_iter().partition(|(name, _)| is_join(kind, name));
        plain.insert(PENDING.into(), Value::Object(links));
        match self.locate(kind, &id).await {
            Ok(_) => self.update_object(kind, &id, &plain).await.map(|_| false),
            Err(_) => self.create_node(kind, &plain, uid).await.map(|_| true),
        }
    }

    /// The fields without references to what was not copied.
    async fn resolvable(&self, kind: Kind, fields: Object) -> Result<Object> {
        let mut kept = Object::new();
        for (name, value) in fields {
            let target = match kind.row().field(&name).map(|field| field.form) {
                Some(Form::One(kind, _) | Form::Several(kind, _)) => Some(kind),
                _ if kind == Kind::Secret && name == "article" => Some(Kind::Article),
                _ => None,
            };
            let Some(target) = target else {
                kept.insert(name, value);
                continue;
            };
            let mut found = Vec::new();
            for reference in references(&value) {
                let uid = uid_of(target, &reference).to_string();
                if self.locate(target, &uid).await.is_ok() {
                    found.push(json!(uid));
                }
            }
            let value = match value {
                Value::Array(_) => Value::Array(found),
                _ => found.into_iter().next().unwrap_or_default(),
            };
            kept.insert(name, value);
        }
        Ok(kept)
    }
}

/// Every row of a kind, below every parent where it is listed so.
async fn rows(
    source: &dyn Anvil,
    kind: Kind,
    above: Option<Kind>,
    world: &str,
) -> Result<Vec<Object>> {
    let Some(above) = above else {
        let query = ListQuery { world: Some(world.to_owned()), ..ListQuery::of(kind) };
        return pages(source, query).await;
    };
    let grand = ORDER.iter().find(|(known, _)| *known == above).and_then(|(_, grand)| *grand);
    let mut all = Vec::new();
    for parent in Box::pin(rows(source, above, grand, world)).await? {
        let Some(id) = id_of(&parent) else { continue };
        let query = ListQuery { parent: Some((above, id)), ..ListQuery::of(kind) };
        let field = kind.row().fields.iter().find(
            |field| matches!(field.form, Form::One(to, _) | Form::Several(to, _) if to == above),
        );
        for mut row in pages(source, query).await? {
            if let Some(field) = field {
                row.entry(field.name).or_insert(Value::Object(parent.clone()));
            }
            all.push(row);
        }
    }
    Ok(all)
}

/// Every page of a list. What the service does not have is an empty list.
async fn pages(source: &dyn Anvil, query: ListQuery) -> Result<Vec<Object>> {
    let mut all = Vec::new();
    for page in 0..PAGES_MAX {
        let part = ListQuery { offset: page * PAGE_MAX, limit: PAGE_MAX, ..query.clone() };
        let rows = match waiting(|| source.list(&part)).await {
            Ok(found) => found.rows,
            Err(Error::NotFound { .. } | Error::Forbidden { .. }) => Vec::new(),
            Err(other) => return Err(other),
        };
        let last = rows.len() < PAGE_MAX;
        all.extend(rows);
        if last {
            break;
        }
    }
    Ok(all)
}

async fn patiently(source: &dyn Anvil, kind: Kind, id: &str) -> Result<Object> {
    waiting(|| source.read(kind, Some(id), kind.row().granularity(2))).await
}

/// Asks again as often as the service wants to be left alone first.
async fn waiting<T, F: Future<Output = Result<T>>>(ask: impl Fn() -> F) -> Result<T> {
    for _ in 0..PATIENCE {
        match ask().await {
            Err(Error::Throttled { retry_after }) => {
                tokio::time::sleep(retry_after.max(Duration::from_secs(1))).await;
            }
            other => return other,
        }
    }
    ask().await
}

/// What of an object can be written.
fn writable(kind: Kind, row: Object, object: Object) -> Object {
    let mut fields: Object = row.into_iter().chain(object).collect();
    fields.retain(|name, value| match kind.row().field(name).map(|field| field.form) {
        Some(Form::Many(..) | Form::Created) => false,
        Some(Form::Derived) => {
            ["templateType", "subtype", "sections"].contains(&name.as_str())
                || (kind == Kind::Secret && name == "article")
        }
        Some(_) => !value.is_null(),
        None => !value.is_null() && !matches!(name.as_str(), "world" | "isEditable"),
    });
    fields
}

fn is_join(kind: Kind, name: &str) -> bool {
    let form = kind.row().field(name).map(|field| field.form);
    matches!(form, Some(Form::One(..) | Form::Several(..)))
}

fn is_text(kind: Kind, name: &str) -> bool {
    name == "sections" || kind.row().field(name).is_some_and(lore_anvil::Field::is_markup)
}

fn references(value: &Value) -> Vec<String> {
    match value {
        Value::Array(items) => items.iter().flat_map(references).collect(),
        Value::Object(fields) => fields.get("id").map(references).unwrap_or_default(),
        Value::String(id) if !id.is_empty() => vec![id.clone()],
        Value::Number(id) => vec![id.to_string()],
        _ => Vec::new(),
    }
}

fn id_of(object: &Object) -> Option<String> {
    references(object.get("id")?).into_iter().next()
}

/// The id a thing has here: its own where that is one, else one that follows from it.
fn uid_of(kind: Kind, id: &str) -> Uid {
    id.parse().unwrap_or_else(|_| {
        let digest = Sha256::digest(format!("world anvil {} {id}", kind.row().path).as_bytes());
        let mut bytes = [0_u8; 16];
        bytes.iter_mut().zip(digest).for_each(|(to, from)| *to = from);
        Uid::from_hash(bytes)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_listed_below_something_comes_after_it() {
        for (at, (kind, above)) in ORDER.iter().enumerate() {
            let Some(above) = above else { continue };
            let before = ORDER.iter().position(|(known, _)| known == above).unwrap();
            assert!(before < at, "{kind:?}");
            assert!(kind.row().list_under(Some(*above)).is_some(), "{kind:?}");
        }
    }

    #[test]
    fn numbers_become_ids_that_stay() {
        assert_eq!(uid_of(Kind::Image, "7"), uid_of(Kind::Image, "7"));
        assert_ne!(uid_of(Kind::Image, "7"), uid_of(Kind::Block, "7"));
        let own = "0190a1b2-0000-7000-8000-000000000001";
        assert_eq!(uid_of(Kind::Article, own).to_string(), own);
    }
}
