//! Collects the changes of one happening: to sheets and to the table, with the values before and
//! after for its event.
//!
//! A happening may concern characters whose sheets players know and others whose sheets they do not
//! know. Its event then has two parts: a payload for everybody and a secret for the GM.

use lore_core::{Event, Node, Result, Uid, Visibility};
use lore_rules::table::Note;
use lore_store::{Batch, Change, NewEvent, NodeRef};
use serde_json::{Value, json};

use super::call::PlayCall;
use super::campaign;
use super::character::{changes_value, list_uri, put_sheet, sheet_uri};
use super::ids::Thing;
use super::rights::Rights;
use super::sheet::{self, Changed, Sheet};
use super::table::{self, Table};

/// The collected changes.
pub(crate) struct ChangeCollector<'a> {
    call: &'a PlayCall,
    /// The changes to commit.
    pub(crate) changes: Vec<Change>,
    /// The part that everybody may read.
    pub(crate) open: Part,
    /// The part about hidden sheets.
    pub(crate) hidden: Part,
    /// The sheets of all characters concerned, after the changes.
    pub(crate) states: Vec<(Uid, Sheet)>,
}

/// What one group of readers may know of a happening.
#[derive(Debug, Clone, Default)]
pub(crate) struct Part {
    /// The characters concerned.
    pub(crate) targets: Vec<Uid>,
    /// The changed fields, as in events.
    pub(crate) applied: Vec<Value>,
    /// Notes for the people at the table.
    pub(crate) notes: Vec<Note>,
}

impl Part {
    /// Returns the ids of the characters concerned.
    pub(crate) fn target_ids(&self) -> Vec<String> {
        self.targets.iter().map(|uid| Thing::Character.show(*uid)).collect()
    }

    /// Joins two parts.
    fn with(&self, other: &Self) -> Self {
        let mut all = self.clone();
        all.targets.extend(&other.targets);
        all.applied.extend(other.applied.iter().cloned());
        all.notes.extend(&other.notes);
        all
    }
}

/// The share of a happening that a payload describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Share {
    /// All of it.
    Whole,
    /// Everything except what is hidden.
    Open,
    /// Only what is hidden.
    Hidden,
}

impl<'a> ChangeCollector<'a> {
    pub(crate) fn new(call: &'a PlayCall) -> Self {
        Self {
            call,
            changes: Vec::new(),
            open: Part::default(),
            hidden: Part::default(),
            states: Vec::new(),
        }
    }

    /// Returns both parts joined, for readers who may know everything.
    pub(crate) fn whole(&self) -> Part {
        self.open.with(&self.hidden)
    }

    /// Creates the event of the happening. `payload` builds the payload for one part.
    pub(crate) fn event(
        &self,
        rights: &Rights,
        kind: &str,
        payload: impl Fn(&Part, Share) -> Value,
    ) -> NewEvent {
        if self.hidden.targets.is_empty() || self.open.targets.is_empty() {
            let whole = self.whole();
            let mut event = self.call.event(rights, kind, &payload(&whole, Share::Whole));
            if !self.hidden.targets.is_empty() {
                event.visibility = Visibility::Gm;
            }
            event.character = only(&whole.targets);
            return event;
        }
        let mut event = self.call.event(rights, kind, &payload(&self.open, Share::Open));
        let mut secret = payload(&self.hidden, Share::Hidden);
        if let Some(fields) = secret.as_object_mut() {
            // The hash of an event is public; without a salt, guesses about the secret could be
            // verified.
            fields.insert("salt".into(), json!(self.call.app.effects.uid().to_string()));
        }
        event.secret = Some(secret.to_string());
        // Must not reveal that hidden characters are concerned.
        event.character = only(&self.open.targets);
        event
    }

    /// Changes the sheet of a character.
    pub(crate) async fn sheet(
        &mut self,
        node: &Node,
        decide: impl FnOnce(&Sheet) -> Result<Changed> + Send,
    ) -> Result<()> {
        let (before, version, visibility) = sheet::load_with_visibility(self.call, node).await?;
        self.stepped(node, version, visibility, decide(&before)?)
    }

    /// Adds a change of a sheet that was read at `version`.
    pub(crate) fn stepped(
        &mut self,
        node: &Node,
        version: i64,
        visibility: Visibility,
        changed: Changed,
    ) -> Result<()> {
        let part =
            if visibility == Visibility::Members { &mut self.open } else { &mut self.hidden };
        part.targets.push(node.uid);
        part.notes.extend(changed.notes);
        if !changed.changes.is_empty() {
            part.applied.extend(changes_value(node.uid, &changed.changes));
            let sheet = &changed.sheet;
            self.changes.push(put_sheet(NodeRef::Id(node.id), sheet, version, visibility)?);
        }
        self.states.push((node.uid, changed.sheet));
        Ok(())
    }

    /// Changes the table of a campaign and returns it as it is afterwards.
    pub(crate) async fn table(
        &mut self,
        home: &Node,
        decide: impl FnOnce(&mut Table) -> Result<Vec<Note>> + Send,
    ) -> Result<Table> {
        let (before, version) = table::load(self.call, home).await?;
        let mut after = before.clone();
        self.open.notes.extend(decide(&mut after)?);
        let fields = [
            ("gm_fear", json!(before.gm_fear), json!(after.gm_fear)),
            ("short_rests", json!(before.short_rests), json!(after.short_rests)),
            (COUNTDOWNS, before.countdowns, after.countdowns.clone()),
        ];
        let changed: Vec<_> = fields.into_iter().filter(|(_, old, new)| old != new).collect();
        if !changed.is_empty() {
            self.changes.push(table::put(home, &after, version)?);
        }
        for (field, before, after) in changed {
            self.open.applied.push(json!({ "field": field, "before": before, "after": after }));
        }
        Ok(after)
    }

    /// Marks the resources that show the happening as changed, for those who may know of it.
    pub(crate) fn touching(&self, batch: Batch, home: &Node) -> Batch {
        let is_hidden = self.open.targets.is_empty() && self.open.applied.is_empty();
        let shown = match is_hidden && !self.hidden.targets.is_empty() {
            true => Visibility::Gm,
            false => Visibility::Members,
        };
        let batch = batch
            .touch_for(shown, list_uri(home.uid))
            .touch_for(shown, campaign::uri(home.uid))
            .touch_for(shown, "campaigns://list");
        let sheets = [(&self.open, Visibility::Members), (&self.hidden, Visibility::Gm)];
        sheets.into_iter().fold(batch, |batch, (part, shown)| {
            let uris = part.targets.iter().map(|uid| sheet_uri(*uid));
            uris.fold(batch, |batch, uri| batch.touch_for(shown, uri))
        })
    }

    /// Removes and returns the changes of countdowns, which get an event of their own.
    pub(crate) fn take_countdowns(&mut self) -> Vec<Value> {
        let is_countdowns = |change: &mut Value| change.get("field") == Some(&json!(COUNTDOWNS));
        self.open.applied.extract_if(.., is_countdowns).collect()
    }
}

const COUNTDOWNS: &str = "countdowns";

fn only(targets: &[Uid]) -> Option<Uid> {
    if let [only] = targets { Some(*only) } else { None }
}

/// Returns the payload of an event, joined with the secret if the reader was given it.
pub(crate) fn told(event: &Event) -> Value {
    let mut whole: Value = serde_json::from_str(&event.payload).unwrap_or_default();
    let secret = event.secret.as_deref().and_then(|text| serde_json::from_str(text).ok());
    if let Some(secret) = secret {
        join(&mut whole, secret);
    }
    whole
}

/// Merges `part` into `whole`: arrays are concatenated, objects merged by key, anything else
/// replaced.
pub(crate) fn join(whole: &mut Value, part: Value) {
    match (whole, part) {
        (Value::Object(whole), Value::Object(part)) => {
            for (key, value) in part {
                join(whole.entry(key).or_insert(Value::Null), value);
            }
        }
        (Value::Array(whole), Value::Array(part)) => whole.extend(part),
        (whole, part) => *whole = part,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_an_event_are_joined() {
        let mut whole = json!({ "targets": [1], "reason": null, "detail": { "hits": [2] } });
        join(&mut whole, json!({ "targets": [3], "reason": "x", "detail": { "hits": [4] } }));
        let expected = json!({ "targets": [1, 3], "reason": "x", "detail": { "hits": [2, 4] } });
        assert_eq!(whole, expected);
    }
}
