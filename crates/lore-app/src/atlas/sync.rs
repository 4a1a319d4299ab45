//! Copying a world of a service into the own one.
//!
//! Running it again goes on where it stopped: what has not changed there since is passed
//! over. Ids stay what they are, so a second copy changes the first. Things come first
//! and what joins them second, because they refer to each other in circles.

use std::collections::BTreeSet;
use std::time::Duration;

use lore_anvil::{Form, Kind, Object, PAGE_MAX, check_section};
use lore_core::{Error, Result, Role, Uid};
use lore_store::NodeKey;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::head;
use super::source::{Anvil, Atlas, Extent, ListQuery};

/// Where the service's own date of a copied thing is kept.
pub(super) const SYNCED: &str = "syncedDate";
/// Where the service's own id of a copied thing is kept: not every one fits here.
const SYNCED_ID: &str = "syncedId";
/// Where it is kept what a copied thing shall be joined to, until everything is here.
const PENDING: &str = "pendingLinks";
/// How often a service that asks for patience gets it.
const PATIENCE: usize = 5;
/// Most things that are named as left out.
const NAMED_MAX: usize = 20;
/// Most pages of one list.
const PAGES_MAX: usize = 2_000;

/// What is copied, in this order, and what it is listed below.
const ORDER: [(Kind, Option<Kind>); 34] = [
    (Kind::Category, None),
    (Kind::Image, None),
    (Kind::Article, None),
    (Kind::Secret, None),
    (Kind::Map, None),
    (Kind::Layer, Some(Kind::Map)),
    (Kind::MarkerGroup, Some(Kind::Map)),
    (Kind::Marker, Some(Kind::Map)),
    (Kind::MarkerType, None),
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
    (Kind::ManuscriptPlot, Some(Kind::ManuscriptVersion)),
    (Kind::ManuscriptStat, Some(Kind::ManuscriptVersion)),
    (Kind::ManuscriptBookmark, Some(Kind::Manuscript)),
    (Kind::ManuscriptTag, Some(Kind::Manuscript)),
    (Kind::ManuscriptLabel, Some(Kind::Manuscript)),
    (Kind::VariableCollection, None),
    (Kind::Variable, None),
    (Kind::BlockFolder, None),
    (Kind::Block, None),
    (Kind::BlockTemplate, None),
    (Kind::BlockTemplatePart, Some(Kind::BlockTemplate)),
    (Kind::RpgSystem, None),
    (Kind::SubscriberGroup, None),
];

/// What all worlds share, and what refers to it.
const SHARED: [(Kind, &[Kind]); 2] =
    [(Kind::MarkerType, &[Kind::Marker]), (Kind::RpgSystem, &[Kind::Block, Kind::BlockTemplate])];

/// What became of a copy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Synced {
    /// Made.
    pub made: usize,
    /// Changed since the last time.
    pub changed: usize,
    /// As it was.
    pub unchanged: usize,
    /// Gone there, and put into the bin here.
    pub deleted: usize,
    /// How many could not be copied.
    pub failed: usize,
    /// Some of those, and why.
    pub left_out: Vec<String>,
}

impl Synced {
    fn leave_out(&mut self, why: String) {
        self.failed += 1;
        if self.left_out.len() < NAMED_MAX {
            self.left_out.push(why);
        }
    }
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
        self.scribe.require_local("the articles")?;
        let about = source.read(Kind::World, world, 1).await?;
        let world = id_of(&about).ok_or_else(|| Error::not_found("the world", "check its id"))?;
        let mut record = self.record_of(&world).await?;
        let mut done = Synced::default();
        self.copy_world(about, &mut done).await?;
        for (kind, above) in ORDER {
            let listed = rows(source, kind, above, &world).await?;
            let mut present: BTreeSet<String> = BTreeSet::new();
            let rows = match source.extent() {
                Extent::Whole => self.of_interest(kind, listed.rows).await?,
                Extent::Heap => listed.rows,
            };
            for row in rows {
                present.extend(id_of(&row));
                self.copy_one(source, kind, row, &mut done).await?;
                told(done.made + done.changed + done.unchanged, 0, kind.row().many);
            }
            // What could not be listed as a whole says nothing of what is missing.
            if listed.whole {
                done.deleted += self.bury(kind, &record.missing(kind, &present)).await?;
                record.note(kind, present);
                self.keep_record(&mut record).await?;
            }
        }
        for (kind, _) in ORDER.into_iter().filter(|(kind, _)| *kind != Kind::Secret) {
            self.join(kind, told).await?;
        }
        Ok(done)
    }

    /// The rows worth copying. Of what everybody shares there are hundreds, so only what
    /// something here refers to is.
    async fn of_interest(&self, kind: Kind, mut rows: Vec<Object>) -> Result<Vec<Object>> {
        let Some((_, users)) = SHARED.iter().find(|(shared, _)| *shared == kind) else {
            return Ok(rows);
        };
        let mut wanted = BTreeSet::new();
        for node in self.every(kind).await? {
            wanted.extend(head::own(&node, SYNCED_ID).map(references).unwrap_or_default());
        }
        for user in *users {
            for node in self.every(*user).await? {
                let links = head::own(&node, PENDING).and_then(Value::as_object);
                let to_it = links.into_iter().flatten().filter(|(name, _)| {
                    let form = user.row().field(name).map(|field| field.form);
                    matches!(form, Some(Form::One(to, _) | Form::Several(to, _)) if to == kind)
                });
                wanted.extend(to_it.flat_map(|(_, value)| references(value)));
            }
        }
        rows.retain(|row| id_of(row).is_some_and(|id| wanted.contains(&id)));
        Ok(rows)
    }

    /// Copies what is told of the world itself, apart from what that refers to.
    async fn copy_world(&self, about: Object, done: &mut Synced) -> Result<()> {
        let here = self.read_object(Kind::World, None, 1).await?;
        let mut fields = about;
        fields.retain(|name, value| {
            let form = Kind::World.row().field(name).map(|field| field.form);
            let is_plain = matches!(form, Some(Form::Text | Form::Section | Form::Value));
            is_plain && !value.is_null() && here.get(name.as_str()) != Some(&*value)
        });
        if !fields.is_empty()
            && let Err(error) = self.update_world(&fields).await
        {
            done.leave_out(format!("the text of the world: {error}"));
        }
        Ok(())
    }

    /// Puts into the bin what is gone there; gives how many were here still.
    async fn bury(&self, kind: Kind, ids: &[String]) -> Result<usize> {
        let mut buried = 0;
        for id in ids {
            match self.delete_object(kind, &uid_of(kind, id).to_string()).await {
                Ok(()) => buried += 1,
                Err(Error::NotFound { .. }) => {}
                Err(other) => return Err(other),
            }
        }
        Ok(buried)
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
            leave_odd_sections(kind, &mut fields);
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
            Ok(object) if self.is_known_secret(kind, uid, &object).await => {
                done.unchanged += 1;
                return Ok(());
            }
            Ok(object) => {
                let mut fields = writable(kind, row, object);
                fields.insert(SYNCED.into(), date.unwrap_or_default());
                fields.insert(SYNCED_ID.into(), json!(id));
                self.put(kind, uid, fields).await
            }
            Err(error) => Err(error),
        };
        match written {
            Ok(made) => {
                done.made += usize::from(made);
                done.changed += usize::from(!made);
            }
            Err(error) => done.leave_out(format!("{} {id}: {error}", kind.row().one)),
        }
        Ok(())
    }

    /// Whether a secret is here as it is there. Secrets keep no date, so they are compared.
    async fn is_known_secret(&self, kind: Kind, uid: Uid, there: &Object) -> bool {
        if kind != Kind::Secret {
            return false;
        }
        let article = |of: &Object| of.get("article").map(references).unwrap_or_default();
        let ids: Vec<String> =
            article(there).iter().map(|id| uid_of(Kind::Article, id).to_string()).collect();
        self.read_object(kind, Some(&uid.to_string()), 2).await.is_ok_and(|here| {
            let same = |name: &&str| here.get(*name) == there.get(*name);
            ["title", "content"].iter().all(same) && article(&here) == ids
        })
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

/// What a service lists of a kind.
struct Listed {
    rows: Vec<Object>,
    /// Whether it is all there is.
    whole: bool,
}

/// Every row of a kind, below every parent where it is listed so.
async fn rows(source: &dyn Anvil, kind: Kind, above: Option<Kind>, world: &str) -> Result<Listed> {
    let Some(above) = above.filter(|_| source.extent() == Extent::Whole) else {
        let query = ListQuery { world: Some(world.to_owned()), ..ListQuery::of(kind) };
        return pages(source, query).await;
    };
    let grand = ORDER.iter().find(|(known, _)| *known == above).and_then(|(_, grand)| *grand);
    let parents = Box::pin(rows(source, above, grand, world)).await?;
    let mut all = Listed { rows: Vec::new(), whole: parents.whole };
    for parent in parents.rows {
        let Some(id) = id_of(&parent) else { continue };
        let query = ListQuery { parent: Some((above, id)), ..ListQuery::of(kind) };
        let field = kind.row().fields.iter().find(
            |field| matches!(field.form, Form::One(to, _) | Form::Several(to, _) if to == above),
        );
        let below = pages(source, query).await?;
        all.whole &= below.whole;
        for mut row in below.rows {
            if let Some(field) = field {
                row.entry(field.name).or_insert(Value::Object(parent.clone()));
            }
            all.rows.push(row);
        }
    }
    Ok(all)
}

/// Every page of a list. What the service does not have, or not for this account, is an
/// empty list, but not a whole one.
async fn pages(source: &dyn Anvil, query: ListQuery) -> Result<Listed> {
    let mut all = Listed { rows: Vec::new(), whole: source.extent() == Extent::Whole };
    for page in 0..PAGES_MAX {
        let part = ListQuery { offset: page * PAGE_MAX, limit: PAGE_MAX, ..query.clone() };
        let rows = match waiting(|| source.list(&part)).await {
            Ok(found) => found.rows,
            Err(Error::NotFound { .. } | Error::Forbidden { .. }) => {
                all.whole = false;
                Vec::new()
            }
            Err(other) => return Err(other),
        };
        let last = rows.len() < PAGE_MAX;
        all.rows.extend(rows);
        if last {
            return Ok(all);
        }
    }
    all.whole = false;
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

/// What of an object can be written. Secrets are for the game master here, whoever may
/// read them there.
fn writable(kind: Kind, row: Object, object: Object) -> Object {
    let mut fields: Object = row.into_iter().chain(object).collect();
    if kind == Kind::Secret {
        fields.shift_remove("state");
    }
    leave_odd_sections(kind, &mut fields);
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

/// Leaves out sections that cannot be written by their name.
fn leave_odd_sections(kind: Kind, fields: &mut Object) {
    if let Some(Value::Object(sections)) = fields.get_mut("sections") {
        sections.retain(|name, _| check_section(kind, name).is_ok());
    }
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
    id.parse().unwrap_or_else(|_| uid_of_words(&format!("{} {id}", kind.row().path)))
}

/// An id that follows from words, and is always the same.
pub(super) fn uid_of_words(words: &str) -> Uid {
    let digest = Sha256::digest(format!("world anvil {words}").as_bytes());
    let mut bytes = [0_u8; 16];
    bytes.iter_mut().zip(digest).for_each(|(to, from)| *to = from);
    Uid::from_hash(bytes)
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
    fn what_all_share_comes_after_what_refers_to_it() {
        let place = |wanted: Kind| ORDER.iter().position(|(kind, _)| *kind == wanted).unwrap();
        for (shared, users) in SHARED {
            assert!(users.iter().all(|user| place(*user) < place(shared)), "{shared:?}");
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
