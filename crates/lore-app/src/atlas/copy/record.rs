//! The record of a copied world: what was copied from the service, and what it said.

use std::collections::{BTreeMap, BTreeSet};

use lore_anvil::{GROUPS, Kind, Object, is_draft, is_for_groups};
use lore_core::{Error, Node, NodeId, Result, Timestamp, Uid, Visibility};
use lore_store::{Change, Expect, NewNode, NewState, NodeKey, NodeRef};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::atlas::ids::uid_of_words;
use crate::atlas::read::everybody::hidden_tags;
use crate::atlas::read::head;
use crate::atlas::source::{Atlas, Extent};
use crate::pages::Scribe;
use crate::play::word;

/// Node kind of the bookkeeping node of a copied world.
const ROOT: &str = "world_anvil_copy";
/// Its state document with the ids of what was copied.
const RECORD: &str = "copied";
/// Its state document about copied things that are not nodes here.
const SEEN: &str = "seen";
/// Its state document with what could not be copied last time, and why.
const TROUBLES: &str = "troubles";
/// The prefix of section names in [`Seen::told`].
pub(super) const SECTION_OF: &str = "sections.";

/// What was copied from a world so far: the service's ids, by the path of their kind.
pub(super) struct Record {
    root: NodeId,
    ids: Page<BTreeMap<String, BTreeSet<String>>>,
    seen: Page<BTreeMap<String, Seen>>,
    troubles: Page<BTreeMap<String, String>>,
}

/// One state document of the record.
struct Page<T> {
    version: i64,
    value: T,
    is_changed: bool,
}

/// The state in which a thing of the service was copied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::atlas) struct Seen {
    /// The service's id. It is kept because not every id can be an id here.
    pub(in crate::atlas) id: String,
    /// The modification date as the service writes it.
    pub(in crate::atlas) date: Option<String>,
    /// When it was created on the service.
    #[serde(default)]
    made: Option<String>,
    /// When it was last changed on the service.
    #[serde(default)]
    changed: Option<String>,
    /// What the service's list said about it, if the kind is listed.
    #[serde(default)]
    listed: Option<String>,
    /// A fingerprint of the content.
    print: String,
    /// The fields that had a value, and the names of sections.
    pub(super) told: Vec<String>,
}

/// Whether to copy a thing again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Write,
    Same,
    /// The archive is older than what was copied last.
    Older,
}

impl Seen {
    pub(super) fn new(id: &str, date: Option<String>, fields: &Object) -> Self {
        let ordered: BTreeMap<&String, &Value> = fields.iter().collect();
        let digest = Sha256::digest(json!(ordered).to_string().as_bytes());
        let print = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        let told = fields.iter().filter(|(_, value)| !value.is_null());
        let mut told: Vec<String> = told.map(|(name, _)| name.clone()).collect();
        let sections = fields.get("sections").and_then(Value::as_object).into_iter().flatten();
        told.extend(sections.map(|(name, _)| format!("{SECTION_OF}{name}")));
        let (made, changed, listed) = (None, None, None);
        Self { id: id.to_owned(), date, made, changed, listed, print, told }
    }

    /// Adds the creation and modification dates that the service states.
    pub(super) fn dated(self, row: &Object, object: &Object) -> Self {
        let told = |name: &str| {
            let dates = [object, row].into_iter().filter_map(|of| of.get(name));
            dates.filter_map(head::moment_in).next().map(|at| at.to_string())
        };
        Self { made: told("creationDate"), changed: told("updateDate"), ..self }
    }

    /// When it was created on the service, or else last changed.
    pub(super) fn made_at(&self) -> Option<Timestamp> {
        self.made.as_ref().or(self.changed.as_ref())?.parse().ok()
    }

    /// When it was last changed on the service.
    pub(super) fn changed_at(&self) -> Option<Timestamp> {
        self.changed.as_ref()?.parse().ok()
    }

    /// Adds what the service's list says about it.
    pub(super) fn listed(self, row: &Object) -> Self {
        Self { listed: Some(said_by(row)), ..self }
    }

    /// Whether the list still says what it said when the thing was copied. Some changes do not
    /// change the date, above all changes of who may see a thing.
    pub(super) fn is_listed_so(&self, row: &Object) -> bool {
        self.listed.as_ref().is_none_or(|listed| says_the_same(listed, &said_by(row)))
    }

    fn is_listed_like(&self, other: &Self) -> bool {
        match (&self.listed, &other.listed) {
            (None, _) => true,
            (Some(known), Some(now)) => says_the_same(known, now),
            (Some(_), None) => false,
        }
    }

    /// Returns what is recorded for a node, if it is a copy.
    pub(in crate::atlas) fn of_node(node: &Node) -> Option<Self> {
        serde_json::from_value(head::own(node, head::COPY)?.clone()).ok()
    }

    /// The form in which a node stores it.
    pub(super) fn kept(&self) -> Value {
        json!(self)
    }

    /// Compares with the current state. A live service always wins; an archive only if it is not
    /// older.
    pub(super) fn judge(&self, now: &Self, extent: Extent) -> Verdict {
        match (&self.date, &now.date) {
            (Some(known), Some(date)) if extent == Extent::Heap && date < known => Verdict::Older,
            (Some(known), Some(date)) if known != date => Verdict::Write,
            // Some changes do not change the date, so the content decides.
            _ if self.print == now.print && self.is_listed_like(now) => Verdict::Same,
            _ => Verdict::Write,
        }
    }
}

/// What a list says about a thing: its title, who may see it, and its tags.
fn said_by(row: &Object) -> String {
    let told = |name: &str| row.get(name).cloned().unwrap_or_default();
    let groups = if is_for_groups(row) { told(GROUPS) } else { Value::Null };
    let tags = match told("tags") {
        Value::String(tags) if tags.is_empty() => Value::Null,
        tags => tags,
    };
    // Only this comparison notices a change of which tags are hidden.
    let hidden = hidden_tags(row);
    let tags = if hidden.is_empty() { tags } else { json!([tags, hidden]) };
    json!([told("title"), told("state"), is_draft(row), groups, tags]).to_string()
}

/// Whether a list says the same as recorded. Older records have no tags; these are not compared
/// then.
fn says_the_same(known: &str, now: &str) -> bool {
    known == now
        || known.strip_suffix(']').is_some_and(|known| {
            let rest = now.strip_prefix(known).and_then(|rest| rest.strip_prefix(','));
            let known: Option<Vec<Value>> = serde_json::from_str(&format!("{known}]")).ok();
            rest.is_some() && known.is_some_and(|known| known.len() == WITHOUT_TAGS)
        })
}

/// The number of values in records from before tags were recorded.
const WITHOUT_TAGS: usize = 4;

impl Record {
    /// The ids of a kind that were copied and are not among `present`.
    pub(super) fn missing(&self, kind: Kind, present: &BTreeSet<String>) -> Vec<String> {
        let known = self.ids.value.get(kind.row().path).into_iter().flatten();
        known.filter(|id| !present.contains(*id)).cloned().collect()
    }

    /// Records that these are all ids of a kind.
    pub(super) fn note(&mut self, kind: Kind, present: BTreeSet<String>) {
        let path = kind.row().path;
        if self.ids.value.get(path) != Some(&present) {
            self.ids.value.insert(path.to_owned(), present);
            self.ids.is_changed = true;
        }
    }

    /// The recorded state of a thing that is not a node here.
    pub(super) fn seen(&self, kind: Kind, id: &str) -> Option<&Seen> {
        self.seen.value.get(&format!("{} {id}", kind.row().path))
    }

    /// Records the current state of a thing that is not a node here.
    pub(super) fn see(&mut self, kind: Kind, now: Seen) {
        self.seen.value.insert(format!("{} {}", kind.row().path, now.id), now);
        self.seen.is_changed = true;
    }

    /// Whether the same thing failed to be copied last time, for the same reason.
    pub(super) fn knows_trouble(&self, what: &str, why: &str) -> bool {
        self.troubles.value.get(what).is_some_and(|known| known == why)
    }

    /// Records everything that could not be copied this time.
    pub(super) fn note_troubles(&mut self, troubles: BTreeMap<String, String>) {
        if self.troubles.value != troubles {
            self.troubles.value = troubles;
            self.troubles.is_changed = true;
        }
    }
}

impl Atlas {
    /// Reads the record of a world of the service, or starts one.
    pub(super) async fn record_of(&self, world: &str) -> Result<Record> {
        let uid = uid_of_words(&format!("copy {world} in {}", self.viewer().world));
        let root = match self.app().store.node(self.viewer(), NodeKey::Uid(uid)).await? {
            Some(root) => root.id,
            None => self.begin_record(uid, world).await?,
        };
        Ok(Record {
            root,
            ids: self.page(root, RECORD).await?,
            seen: self.page(root, SEEN).await?,
            troubles: self.page(root, TROUBLES).await?,
        })
    }

    async fn page<T: DeserializeOwned + Default>(
        &self,
        root: NodeId,
        name: &'static str,
    ) -> Result<Page<T>> {
        let states = self.app().store.states(self.viewer(), &[root], &word(name)?).await?;
        let state = states.into_iter().next();
        let version = state.as_ref().map_or(0, |state| state.version);
        let value = state.and_then(|state| serde_json::from_value(state.value).ok());
        Ok(Page { version, value: value.unwrap_or_default(), is_changed: false })
    }

    async fn begin_record(&self, uid: Uid, world: &str) -> Result<NodeId> {
        let root = NewNode {
            derived_name: true,
            visibility: Visibility::Gm,
            ..NewNode::new(uid, word(ROOT)?, format!("World Anvil {world}"))
        };
        let batch = self.scribe.batch().change(Change::CreateNode(root));
        self.app().commit(self.viewer(), batch).await?;
        let root = self.app().store.node(self.viewer(), NodeKey::Uid(uid)).await?;
        root.map(|root| root.id).ok_or_else(|| Error::Bug { what: "the record of a copy".into() })
    }

    /// Stores the changed parts of the record.
    pub(super) async fn keep_record(&self, record: &mut Record) -> Result<()> {
        let root = record.root;
        self.keep_page(root, RECORD, &mut record.ids).await?;
        self.keep_page(root, SEEN, &mut record.seen).await?;
        self.keep_page(root, TROUBLES, &mut record.troubles).await
    }

    async fn keep_page<T: Serialize>(
        &self,
        root: NodeId,
        name: &'static str,
        page: &mut Page<T>,
    ) -> Result<()> {
        if !page.is_changed {
            return Ok(());
        }
        let state = NewState {
            node: NodeRef::Id(root),
            name: word(name)?,
            expect: Expect::Version(page.version),
            value: json!(page.value),
            visibility: Visibility::Gm,
        };
        let batch = self.scribe.batch().change(Change::PutState(state));
        self.app().commit(self.viewer(), batch).await?;
        page.version += 1;
        page.is_changed = false;
        Ok(())
    }

    /// All articles that were copied here, hidden ones included, with their recorded state.
    pub(in crate::atlas) async fn copied_articles(&self) -> Result<Vec<(NodeId, Seen)>> {
        let viewer = self.scribe.all_seeing();
        let everything = Self { scribe: Scribe { viewer, ..self.scribe.clone() }, ..self.clone() };
        let nodes = everything.every(Kind::Article).await?;
        Ok(nodes.iter().filter_map(|node| Some((node.id, Seen::of_node(node)?))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::atlas::object;

    #[test]
    fn a_list_that_tells_other_tags_says_something_else() {
        let row = |tags: Value| object(json!({ "title": "A", "state": "public", "tags": tags }));
        let known = Seen::new("a", None, &Object::new()).listed(&row(json!("x,y")));
        assert!(known.is_listed_so(&row(json!("x,y"))));
        assert!(!known.is_listed_so(&row(json!("x"))));
        let bare = Seen::new("a", None, &Object::new()).listed(&row(json!("")));
        assert!(bare.is_listed_so(&row(Value::Null)));
        // A record from before tags were recorded.
        let listed = Some(r#"["A","public",false,null]"#.to_owned());
        let old = Seen { listed, ..known };
        assert!(old.is_listed_so(&row(json!("x"))) && old.is_listed_so(&row(Value::Null)));
        let other = object(json!({ "title": "B", "state": "public" }));
        assert!(!old.is_listed_so(&other));
    }
}
