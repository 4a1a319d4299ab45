//! Copies a world of a service into the local one.
//!
//! A second run continues where the first stopped and skips what has not changed since. Ids are
//! kept, so a second copy updates the first. All objects are copied before the links between them,
//! because they refer to each other in cycles.
//!
//! - `listing` reads what the service lists.
//! - `put` copies one object.
//! - `record` remembers what was copied, and what the service said.
//! - `renumber` gives local things other numbers where copies need theirs.

mod listing;
pub(super) mod put;
pub(super) mod record;
mod renumber;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use lore_anvil::{Form, Kind, Object, is_public};
use lore_core::{Error, Node, Result, Role, Visibility};
use lore_store::NodeKey;
use serde_json::Value;

use super::ids::{id_of, references, uid_of};
use super::keys::{self, OWN_NUMBERS};
use super::read::everybody::hidden_tags;
use super::read::head;
use super::source::{Anvil, Atlas, Extent};
use listing::{Trouble, waiting};
use put::{PENDING, Put, REFUSED, writable};
use record::{Record, Seen, Verdict};

/// The maximum number of things named per outcome.
const NAMED_MAX: usize = 20;

/// How many times in a row a service may fail to return an object that it lists.
const SILENCES_MAX: usize = 5;

/// What is copied, in this order, each with the kind below which it is listed.
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

/// Kinds that all worlds share, each with the kinds that refer to it.
const SHARED: [(Kind, &[Kind]); 2] =
    [(Kind::MarkerType, &[Kind::Marker]), (Kind::RpgSystem, &[Kind::Block, Kind::BlockTemplate])];

/// The outcome of a copy.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Synced {
    /// The number of objects created.
    pub made: usize,
    /// The number changed since the last run.
    pub changed: usize,
    /// The number that did not change.
    pub unchanged: usize,
    /// The number deleted on the service, and therefore put into the bin here.
    pub deleted: usize,
    /// Objects that were in the bin here but exist on the service, so they were restored.
    pub restored: Named,
    /// Objects that are older in an archive than the copy, which therefore stays.
    pub older: Named,
    /// Kinds that could not be listed, so that nothing is known of them.
    pub unlisted: Named,
    /// What the service should have returned but did not: the copy is incomplete.
    pub missing: Named,
    /// What could not be copied, and why.
    pub left_out: Named,
}

/// Things with the same outcome: their number, and descriptions of some.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Named {
    /// How many there are.
    pub count: usize,
    /// Descriptions of some of them.
    pub some: Vec<String>,
    /// How many more there are that were already reported by the last run.
    pub again: usize,
}

impl Named {
    fn add(&mut self, one: String) {
        self.count += 1;
        if self.some.len() < NAMED_MAX {
            self.some.push(one);
        }
    }
}

/// The progress of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Some objects of a kind are done.
    Copied {
        /// The kind, in the plural.
        what: &'static str,
        /// How many are done.
        done: usize,
        /// How many there are.
        total: usize,
    },
    /// The copy pauses because the service throttles it.
    Waits(Duration),
}

/// A callback for progress.
pub type Told<'a> = &'a (dyn Fn(Step) + Sync);

impl Atlas {
    /// Copies a world of `source` into this one; its first world if none is named.
    pub async fn copy_from(
        &self,
        source: &dyn Anvil,
        world: Option<&str>,
        told: Told<'_>,
    ) -> Result<Synced> {
        self.viewer().require(Role::Owner)?;
        self.scribe.require_local("the articles")?;
        let about = waiting(told, || source.read(Kind::World, world, 1)).await?;
        let world = id_of(&about).ok_or_else(|| Error::not_found("the world", "check its id"))?;
        let here = self.copying();
        let mut copying = Copying {
            here: &here,
            source,
            told,
            record: self.record_of(&world).await?,
            troubles: BTreeMap::new(),
            silences: 0,
            done: Synced::default(),
        };
        self.leave_numbers(OWN_NUMBERS).await?;
        copying.world(&world, about).await?;
        for (kind, above) in ORDER {
            copying.all(kind, above, &world).await?;
        }
        for (kind, _) in ORDER.into_iter().filter(|(kind, _)| *kind != Kind::Secret) {
            copying.join(kind).await?;
        }
        copying.finish().await
    }

    /// The rows worth copying. Of kinds shared by all worlds there are hundreds, so only those that
    /// something here refers to are copied.
    async fn of_interest(&self, kind: Kind, mut rows: Vec<Object>) -> Result<Vec<Object>> {
        let Some((_, users)) = SHARED.iter().find(|(shared, _)| *shared == kind) else {
            return Ok(rows);
        };
        let mut wanted = BTreeSet::new();
        for node in self.every(kind).await? {
            wanted.extend(Seen::of_node(&node).map(|seen| seen.id));
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

    /// Hides a copy whose original is hidden now, even though nothing else of it can be updated.
    async fn hide_copy(&self, kind: Kind, id: &str) -> Result<()> {
        let key = NodeKey::Uid(uid_of(kind, id));
        let copy = self.app().store.node(self.viewer(), key).await?;
        let Some(copy) = copy.filter(|node| Seen::of_node(node).is_some()) else { return Ok(()) };
        if copy.visibility != Visibility::Members {
            return Ok(());
        }
        let hidden = Object::from_iter([("state".to_owned(), "private".into())]);
        self.change_node(kind, copy.id, &hidden).await
    }

    /// Puts objects into the bin that are gone from the service. Returns how many still existed
    /// here.
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
}

/// A copy in progress.
struct Copying<'a> {
    here: &'a Atlas,
    source: &'a dyn Anvil,
    told: Told<'a>,
    record: Record,
    /// What could not be copied this time, and why.
    troubles: BTreeMap<String, String>,
    /// How many times in a row the service failed to return an object.
    silences: usize,
    done: Synced,
}

impl Copying<'_> {
    async fn finish(mut self) -> Result<Synced> {
        self.record.note_troubles(self.troubles);
        self.here.keep_record(&mut self.record).await?;
        Ok(self.done)
    }

    /// Records what could not be copied, and why.
    fn leave_out(&mut self, what: &str, why: &str) {
        match self.is_told(what, why) {
            true => self.done.left_out.again += 1,
            false => self.done.left_out.add(format!("{what}: {why}")),
        }
    }

    /// Records what could not be listed. A list that should exist is reported every time.
    fn note_unlisted(&mut self, what: &str, trouble: Trouble) {
        match trouble {
            Trouble::Missing(why) => self.done.missing.add(format!("{what}: {why}")),
            Trouble::Withheld(why) if self.is_told(what, &why) => self.done.unlisted.again += 1,
            Trouble::Withheld(why) => self.done.unlisted.add(format!("{what}: {why}")),
        }
    }

    /// Whether a problem was already reported by the last run. Records it for the next.
    fn is_told(&mut self, what: &str, why: &str) -> bool {
        self.troubles.insert(what.to_owned(), why.to_owned());
        self.record.knows_trouble(what, why)
    }

    /// Copies the fields of the world itself, without its references.
    async fn world(&mut self, id: &str, about: Object) -> Result<()> {
        let mut fields = about;
        let date = date_of(&fields);
        fields.retain(|name, _| {
            let form = Kind::World.row().field(name).map(|field| field.form);
            matches!(form, Some(Form::Text | Form::Section | Form::Value))
        });
        let now = Seen::new(id, date, &fields);
        let known = self.record.seen(Kind::World, id);
        if known.is_some_and(|known| known.judge(&now, self.source.extent()) != Verdict::Write) {
            return Ok(());
        }
        let here = self.here.read_object(Kind::World, None, 1).await?;
        fields.retain(|name, value| here.get(name.as_str()).unwrap_or(&Value::Null) != &*value);
        if !fields.is_empty()
            && let Err(error) = self.here.update_world(&fields).await
        {
            self.leave_out("the text of the world", &error.to_string());
            return Ok(());
        }
        self.record.see(Kind::World, now);
        self.here.keep_record(&mut self.record).await
    }

    /// Copies everything of a kind.
    async fn all(&mut self, kind: Kind, above: Option<Kind>, world: &str) -> Result<()> {
        let listed = listing::rows(self.source, kind, above, world, self.told).await?;
        if let Some(trouble) = listed.trouble {
            self.note_unlisted(kind.row().many, trouble);
        }
        let rows = match self.source.extent() {
            Extent::Whole => self.here.of_interest(kind, listed.rows).await?,
            Extent::Heap => listed.rows,
        };
        self.here.make_way(kind, rows.iter().filter_map(id_of)).await?;
        let (total, what) = (rows.len(), kind.row().many);
        let mut present: BTreeSet<String> = BTreeSet::new();
        for (at, row) in rows.into_iter().enumerate() {
            present.extend(id_of(&row));
            self.one(kind, row).await?;
            (self.told)(Step::Copied { what, done: at + 1, total });
        }
        // An incomplete list does not say what was deleted.
        if listed.whole {
            self.done.deleted += self.here.bury(kind, &self.record.missing(kind, &present)).await?;
            self.record.note(kind, present);
        }
        self.here.keep_record(&mut self.record).await
    }

    async fn one(&mut self, kind: Kind, row: Object) -> Result<()> {
        let Some(id) = id_of(&row) else { return Ok(()) };
        let date = date_of(&row);
        let known = self.known(kind, &id).await?;
        // Reading an object again costs a request to a service; an archive is local.
        let is_dated = date.is_some() && self.source.extent() == Extent::Whole;
        let is_same = |known: &Seen| known.date == date && known.is_listed_so(&row);
        if is_dated && known.as_ref().is_some_and(is_same) {
            self.done.unchanged += 1;
            return Ok(());
        }
        let title = row.get("title").and_then(Value::as_str).unwrap_or(&id);
        let called = format!("{} {title}", kind.row().one);
        let is_open = is_public(&row);
        match self.taken_in(kind, &id, row, known).await {
            Ok(Put::Made) => self.done.made += 1,
            Ok(Put::Changed) => self.done.changed += 1,
            Ok(Put::Same) => self.done.unchanged += 1,
            Ok(Put::Restored) => self.done.restored.add(called),
            Ok(Put::Older) => self.done.older.add(called),
            Err(error @ Error::Throttled { .. }) => return Err(error),
            Err(error) if self.source.refuses_keys() => return Err(error),
            Err(error) => {
                if !is_open {
                    self.here.hide_copy(kind, &id).await?;
                }
                return self.go_without(&format!("{} {id}", kind.row().one), error);
            }
        }
        self.silences = 0;
        Ok(())
    }

    /// Records what could not be copied. Fails if the service is unavailable too often in a row.
    fn go_without(&mut self, what: &str, error: Error) -> Result<()> {
        if !matches!(error, Error::Unavailable { .. }) {
            self.leave_out(what, &error.to_string());
            return Ok(());
        }
        self.silences += 1;
        if self.silences > SILENCES_MAX {
            return Err(error);
        }
        self.done.missing.add(format!("{what}: {error}"));
        Ok(())
    }

    /// The recorded state of the local copy, if there is one.
    async fn known(&self, kind: Kind, id: &str) -> Result<Option<Seen>> {
        let uid = uid_of(kind, id);
        if kind == Kind::Secret {
            let is_here = self.here.secret_text(&uid.to_string()).await.is_ok();
            return Ok(self.record.seen(kind, id).filter(|_| is_here).cloned());
        }
        let node = self.here.app().store.node(self.here.viewer(), NodeKey::Uid(uid)).await?;
        // A node of another kind does not count: the thing was copied as something else when this
        // kind could not be read.
        Ok(node.filter(|node| keys::is_of_kind(kind, node)).as_ref().and_then(Seen::of_node))
    }

    async fn taken_in(
        &mut self,
        kind: Kind,
        id: &str,
        row: Object,
        known: Option<Seen>,
    ) -> Result<Put> {
        let date = date_of(&row);
        let full = kind.row().granularity(2);
        let object = waiting(self.told, || self.source.read(kind, Some(id), full)).await?;
        let seen = |fields: &Object| Seen::new(id, date.clone(), fields).dated(&row, &object);
        let mut fields = writable(kind, row.clone(), object.clone());
        // If list and object disagree, the more hidden state wins.
        if is_public(&fields) && row.contains_key("state") && !is_public(&row) {
            fields.insert("state".into(), "private".into());
        }
        let now = seen(&fields).listed(&row);
        match known.map_or(Verdict::Write, |known| known.judge(&now, self.source.extent())) {
            Verdict::Same => return Ok(Put::Same),
            Verdict::Older => return Ok(Put::Older),
            Verdict::Write => {}
        }
        if kind != Kind::Secret {
            self.here.hide_tags(&hidden_tags(&object)).await?;
            return self.here.put(kind, now, fields).await;
        }
        let put = self.here.put_secret(&now, fields).await?;
        self.record.see(kind, now);
        Ok(put)
    }

    /// Adds the links of copied objects, including those left from an interrupted run. Mentions are
    /// resolved again, because all targets exist now.
    async fn join(&mut self, kind: Kind) -> Result<()> {
        let mut pending = self.here.every(kind).await?;
        let is_open = |node: &Node, name: &str| head::own(node, name).is_some();
        pending.retain(|node| is_open(node, PENDING) || is_open(node, REFUSED));
        let total = pending.len();
        for (at, node) in pending.into_iter().enumerate() {
            let called = format!("{} {}", kind.row().one, node.name);
            match self.here.join(kind, &node).await {
                Ok(refused) => {
                    for (field, problem) in refused {
                        self.leave_out(&format!("{called}, {field}"), &problem);
                    }
                }
                Err(error @ Error::Invalid { .. }) => self.leave_out(&called, &error.to_string()),
                Err(other) => return Err(other),
            }
            (self.told)(Step::Copied { what: "links", done: at + 1, total });
        }
        Ok(())
    }
}

fn date_of(object: &Object) -> Option<String> {
    Some(object.get("updateDate")?.get("date")?.as_str()?.to_owned())
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
            let lists = kind.row().lists;
            assert!(lists.iter().any(|list| list.parent == Some(*above)), "{kind:?}");
        }
    }

    #[test]
    fn what_all_share_comes_after_what_refers_to_it() {
        let place = |wanted: Kind| ORDER.iter().position(|(kind, _)| *kind == wanted).unwrap();
        for (shared, users) in SHARED {
            assert!(users.iter().all(|user| place(*user) < place(shared)), "{shared:?}");
        }
    }
}
