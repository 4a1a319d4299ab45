//! What was copied from a service: which things, and what they say.

use std::collections::{BTreeMap, BTreeSet};

use lore_anvil::{GROUPS, Kind, Object, is_draft, is_for_groups};
use lore_core::{Error, Node, NodeId, Result, Timestamp, Uid, Visibility};
use lore_store::{Change, Expect, NewNode, NewState, NodeKey, NodeRef};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::beside::hidden_tags;
use super::head;
use super::source::{Atlas, Extent};
use super::taken::uid_of_words;
use crate::pages::Scribe;
use crate::play::word;

/// Node kind of what stands for a world that was copied.
const ROOT: &str = "world_anvil_copy";
/// The document of it that tells what was copied.
const RECORD: &str = "copied";
/// The document of it that tells how things were that are no nodes here.
const SEEN: &str = "seen";
/// The document of it that tells what could not be copied last time, and why.
const TROUBLES: &str = "troubles";
/// What the names of sections have before them among fields that said something.
pub(super) const SECTION_OF: &str = "sections.";

/// What was copied of a world so far: the service's ids, by the path of their kind.
pub(super) struct Record {
    root: NodeId,
    ids: Page<BTreeMap<String, BTreeSet<String>>>,
    seen: Page<BTreeMap<String, Seen>>,
    troubles: Page<BTreeMap<String, String>>,
}

/// A document of the record.
struct Page<T> {
    version: i64,
    value: T,
    is_changed: bool,
}

/// How a thing of the service was when it was taken in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Seen {
    /// The service's own id: not every one fits here.
    pub(super) id: String,
    /// The service's own date.
    pub(super) date: Option<String>,
    /// When it was made there.
    #[serde(default)]
    made: Option<String>,
    /// When it was changed there last.
    #[serde(default)]
    changed: Option<String>,
    /// What the list of the service said of it, as far as lists do.
    #[serde(default)]
    listed: Option<String>,
    /// Tells one content from another.
    print: String,
    /// The fields that said something.
    pub(super) told: Vec<String>,
}

/// Whether to take a thing in once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Write,
    Same,
    /// An archive from before what was taken in last.
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

    /// The same, with when the service says that it was made and changed.
    pub(super) fn dated(self, row: &Object, object: &Object) -> Self {
        let told = |name: &str| {
            let dates = [object, row].into_iter().filter_map(|of| of.get(name));
            dates.filter_map(head::moment_in).next().map(|at| at.to_string())
        };
        Self { made: told("creationDate"), changed: told("updateDate"), ..self }
    }

    /// When it was made there.
    pub(super) fn made_at(&self) -> Option<Timestamp> {
        self.made.as_ref().or(self.changed.as_ref())?.parse().ok()
    }

    /// When it was changed there last.
    pub(super) fn changed_at(&self) -> Option<Timestamp> {
        self.changed.as_ref()?.parse().ok()
    }

    /// The same, with what a list says of it.
    pub(super) fn listed(self, row: &Object) -> Self {
        Self { listed: Some(said_by(row)), ..self }
    }

    /// Whether a list says of a thing what it said when that was taken in. Not everything that
    /// changes gets a new date, least of all who may see it.
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

    /// What was taken in of a node, if it is a copy.
    pub(super) fn of_node(node: &Node) -> Option<Self> {
        serde_json::from_value(head::own(node, head::COPY)?.clone()).ok()
    }

    /// As a node keeps it.
    pub(super) fn kept(&self) -> Value {
        json!(self)
    }

    /// A service has the last word; an archive only where it is not older.
    pub(super) fn judge(&self, now: &Self, extent: Extent) -> Verdict {
        match (&self.date, &now.date) {
            (Some(known), Some(date)) if extent == Extent::Heap && date < known => Verdict::Older,
            (Some(known), Some(date)) if known != date => Verdict::Write,
            // Not everything that changes gets a new date.
            _ if self.print == now.print && self.is_listed_like(now) => Verdict::Same,
            _ => Verdict::Write,
        }
    }
}

/// What a list says of a thing: its title, who may see it, and its tags.
fn said_by(row: &Object) -> String {
    let told = |name: &str| row.get(name).cloned().unwrap_or_default();
    let groups = if is_for_groups(row) { told(GROUPS) } else { Value::Null };
    let tags = match told("tags") {
        Value::String(tags) if tags.is_empty() => Value::Null,
        tags => tags,
    };
    // Who may see which of them is nowhere else.
    let hidden = hidden_tags(row);
    let tags = if hidden.is_empty() { tags } else { json!([tags, hidden]) };
    json!([told("title"), told("state"), is_draft(row), groups, tags]).to_string()
}

/// Whether a list said the same, as far as was written down: tags were not, once.
fn says_the_same(known: &str, now: &str) -> bool {
    known == now
        || known.strip_suffix(']').is_some_and(|known| {
            let rest = now.strip_prefix(known).and_then(|rest| rest.strip_prefix(','));
            let known: Option<Vec<Value>> = serde_json::from_str(&format!("{known}]")).ok();
            rest.is_some() && known.is_some_and(|known| known.len() == WITHOUT_TAGS)
        })
}

/// How much was written down of what lists say before tags were.
const WITHOUT_TAGS: usize = 4;

impl Record {
    /// Those of a kind that were copied and are not among `present`.
    pub(super) fn missing(&self, kind: Kind, present: &BTreeSet<String>) -> Vec<String> {
        let known = self.ids.value.get(kind.row().path).into_iter().flatten();
        known.filter(|id| !present.contains(*id)).cloned().collect()
    }

    /// Notes that these are all there are of a kind.
    pub(super) fn note(&mut self, kind: Kind, present: BTreeSet<String>) {
        let path = kind.row().path;
        if self.ids.value.get(path) != Some(&present) {
            self.ids.value.insert(path.to_owned(), present);
            self.ids.is_changed = true;
        }
    }

    /// How a thing was that is no node here.
    pub(super) fn seen(&self, kind: Kind, id: &str) -> Option<&Seen> {
        self.seen.value.get(&format!("{} {id}", kind.row().path))
    }

    /// Notes how it is now.
    pub(super) fn see(&mut self, kind: Kind, now: Seen) {
        self.seen.value.insert(format!("{} {}", kind.row().path, now.id), now);
        self.seen.is_changed = true;
    }

    /// Whether the same thing could not be copied last time, for the same reason.
    pub(super) fn knows_trouble(&self, what: &str, why: &str) -> bool {
        self.troubles.value.get(what).is_some_and(|known| known == why)
    }

    /// Notes everything that could not be copied this time.
    pub(super) fn note_troubles(&mut self, troubles: BTreeMap<String, String>) {
        if self.troubles.value != troubles {
            self.troubles.value = troubles;
            self.troubles.is_changed = true;
        }
    }
}

impl Atlas {
    /// What was copied of a world of the service so far.
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

    /// Writes down what was copied.
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

    /// The articles that were copied here, whoever may see them, and how they were.
    pub(super) async fn copied_articles(&self) -> Result<Vec<(NodeId, Seen)>> {
        let viewer = self.scribe.all_seeing();
        let everything = Self { scribe: Scribe { viewer, ..self.scribe.clone() }, ..self.clone() };
        let nodes = everything.every(Kind::Article).await?;
        Ok(nodes.iter().filter_map(|node| Some((node.id, Seen::of_node(node)?))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::object;
    use super::*;

    #[test]
    fn a_list_that_tells_other_tags_says_something_else() {
        let row = |tags: Value| object(json!({ "title": "A", "state": "public", "tags": tags }));
        let known = Seen::new("a", None, &Object::new()).listed(&row(json!("x,y")));
        assert!(known.is_listed_so(&row(json!("x,y"))));
        assert!(!known.is_listed_so(&row(json!("x"))));
        let bare = Seen::new("a", None, &Object::new()).listed(&row(json!("")));
        assert!(bare.is_listed_so(&row(Value::Null)));
        // What was written down before tags were.
        let listed = Some(r#"["A","public",false,null]"#.to_owned());
        let old = Seen { listed, ..known };
        assert!(old.is_listed_so(&row(json!("x"))) && old.is_listed_so(&row(Value::Null)));
        let other = object(json!({ "title": "B", "state": "public" }));
        assert!(!old.is_listed_so(&other));
    }
}
