//! Events for changes to a campaign, its participants and its characters, other than to sheets.
//! They are shown in the log, and a fork can undo them.

use lore_core::{Node, Result, Uid, Visibility};
use lore_store::{Batch, Change, NewEvent, NewEvents, NodeRef};
use serde_json::{Map, Value, json};

use super::call::PlayCall;
use super::ids::Thing;
use super::rights::Rights;
use super::session::{self, touching_log};

/// The maximum size of the values in one event, in bytes, slightly below the limit of the store.
const VALUES_MAX: usize = 200_000;

/// Field of what an archiving event keeps: its notes were too long for the event.
pub(crate) const NOTES_LEFT_OUT: &str = "notes_left_out";

/// The changes to one node.
pub(crate) struct Edits {
    kind: &'static str,
    thing: Thing,
    uid: Uid,
    name: String,
    changes: Vec<Map<String, Value>>,
    kept: Value,
    /// Who may read the event.
    pub(crate) visibility: Visibility,
}

impl Edits {
    /// Creates an empty list of changes to a node.
    pub(crate) fn of(kind: &'static str, thing: Thing, node: &Node) -> Self {
        Self {
            kind,
            thing,
            uid: node.uid,
            name: node.name.clone(),
            changes: Vec::new(),
            kept: Value::Null,
            visibility: Visibility::Members,
        }
    }

    /// Adds a change of a field, if its value changed.
    pub(crate) fn note(&mut self, field: &str, before: impl Into<Value>, after: impl Into<Value>) {
        let (before, after) = (before.into(), after.into());
        if before != after {
            let mut change = Map::new();
            change.insert(format!("{}_id", self.thing.name()), self.thing.show(self.uid).into());
            change.insert("field".into(), field.into());
            change.insert("before".into(), before);
            change.insert("after".into(), after);
            self.changes.push(change);
        }
    }

    /// Adds what becomes inaccessible when the node is archived.
    pub(crate) fn keep(&mut self, kept: Value) {
        self.kept = kept;
    }

    /// Whether nothing changed.
    pub(crate) fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    fn event(mut self, call: &PlayCall, rights: &Rights) -> NewEvent {
        self.shorten();
        let fields: Vec<_> =
            self.changes.iter().filter_map(|change| change.get("field")?.as_str()).collect();
        let mut payload = json!({
            "summary": format!("{}: {} changed", self.name, fields.join(", ")),
            "applied_changes": self.changes,
        });
        if let (Some(payload), false) = (payload.as_object_mut(), self.kept.is_null()) {
            payload.insert("kept".into(), self.kept);
        }
        let mut event = call.event(rights, self.kind, &payload);
        event.visibility = self.visibility;
        event.character = (self.thing == Thing::Character).then_some(self.uid);
        event
    }

    /// Removes values that are too long for an event: first the new ones, which can be read
    /// elsewhere, then the old ones, which a fork then reports as not rewound.
    fn shorten(&mut self) {
        for value in ["after", "before"] {
            for change in &mut self.changes {
                if size(&change) > VALUES_MAX / 2 {
                    change.insert(value.into(), Value::Null);
                    change.insert(format!("{value}_left_out"), true.into());
                }
            }
        }
        if size(&self.kept) > VALUES_MAX / 2
            && let Some(kept) = self.kept.as_object_mut()
        {
            kept.shift_remove("notes");
            kept.insert(NOTES_LEFT_OUT.into(), true.into());
        }
    }
}

fn size(value: &impl serde::Serialize) -> usize {
    serde_json::to_string(value).map_or(0, |text| text.len())
}

/// Adds an event for the changes, if there are any, to a batch.
pub(crate) async fn record(
    call: &PlayCall,
    rights: &Rights,
    home: &Node,
    batch: Batch,
    edits: Edits,
) -> Result<Batch> {
    if edits.is_empty() {
        return Ok(batch);
    }
    remember(call, home, batch, edits.event(call, rights)).await
}

/// Appends the event to the open log: that of the running session, or of the campaign between
/// sessions.
pub(crate) async fn remember(
    call: &PlayCall,
    home: &Node,
    batch: Batch,
    event: NewEvent,
) -> Result<Batch> {
    let log = session::open_log(call, home).await?;
    let shown = event.visibility;
    let events = NewEvents { node: NodeRef::Id(log.node), after: None, events: vec![event] };
    let batch = batch.require(log.unchanged).change(Change::AppendEvents(events));
    Ok(match log.session {
        Some(session) => touching_log(batch, session, shown),
        None => batch,
    })
}
