//! The changes of one happening, as they come together: sheets, the table, and the
//! list of before and after that its event carries.
//!
//! A happening may concern characters whose sheets the players know and others they do
//! not. Its event then has two parts: everybody reads the first, only the GM the second.

use lore_core::{Event, Node, Result, Uid, Visibility};
use lore_rules::table::Note;
use lore_store::{Batch, Change, NewEvent, NodeRef};
use serde_json::{Value, json};

use super::campaign;
use super::character::{changes_value, list_uri, put_sheet, sheet_uri};
use super::desk::Desk;
use super::ids::Thing;
use super::rights::Rights;
use super::sheet::{self, Changed, Sheet};
use super::table::{self, Table};

/// What a happening changes.
pub(crate) struct Tally<'a> {
    desk: &'a Desk,
    /// The changes to commit.
    pub(crate) changes: Vec<Change>,
    /// What everybody may read of it.
    pub(crate) open: Part,
    /// What touches hidden sheets.
    pub(crate) hidden: Part,
    /// Every character concerned, as it fares afterwards.
    pub(crate) states: Vec<(Uid, Sheet)>,
}

/// What some readers may know of a happening.
#[derive(Debug, Clone, Default)]
pub(crate) struct Part {
    /// Whom it concerns.
    pub(crate) targets: Vec<Uid>,
    /// What changed, as events carry it.
    pub(crate) applied: Vec<Value>,
    /// What the people at the table should hear.
    pub(crate) notes: Vec<Note>,
}

impl Part {
    /// The ids of whom it concerns.
    pub(crate) fn target_ids(&self) -> Vec<String> {
        self.targets.iter().map(|uid| Thing::Character.show(*uid)).collect()
    }

    /// Both parts as one.
    fn with(&self, other: &Self) -> Self {
        let mut all = self.clone();
        all.targets.extend(&other.targets);
        all.applied.extend(other.applied.iter().cloned());
        all.notes.extend(&other.notes);
        all
    }
}

/// How much of a happening a payload tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Share {
    /// All of it.
    Whole,
    /// What is left when everything hidden is taken away.
    Open,
    /// What the GM reads besides.
    Hidden,
}

impl<'a> Tally<'a> {
    pub(crate) fn new(desk: &'a Desk) -> Self {
        Self {
            desk,
            changes: Vec::new(),
            open: Part::default(),
            hidden: Part::default(),
            states: Vec::new(),
        }
    }

    /// Everything, for somebody who may know all of it.
    pub(crate) fn whole(&self) -> Part {
        self.open.with(&self.hidden)
    }

    /// The event of the happening; `payload` says what a part comes to.
    pub(crate) fn event(
        &self,
        rights: &Rights,
        kind: &str,
        payload: impl Fn(&Part, Share) -> Value,
    ) -> NewEvent {
        if self.hidden.targets.is_empty() || self.open.targets.is_empty() {
            let whole = self.whole();
            let mut event = self.desk.event(rights, kind, &payload(&whole, Share::Whole));
            if !self.hidden.targets.is_empty() {
                event.visibility = Visibility::Gm;
            }
            event.character = only(&whole.targets);
            return event;
        }
        let mut event = self.desk.event(rights, kind, &payload(&self.open, Share::Open));
        let mut secret = payload(&self.hidden, Share::Hidden);
        if let Some(fields) = secret.as_object_mut() {
            // The hash of an event is public and must not confirm a guess.
            fields.insert("salt".into(), json!(self.desk.app.effects.uid().to_string()));
        }
        event.secret = Some(secret.to_string());
        // As if there were no others.
        event.character = only(&self.open.targets);
        event
    }

    /// Changes the sheet of a character.
    pub(crate) async fn sheet(
        &mut self,
        node: &Node,
        decide: impl FnOnce(&Sheet) -> Result<Changed> + Send,
    ) -> Result<()> {
        let (before, version, visibility) = sheet::load_with_visibility(self.desk, node).await?;
        self.stepped(node, version, visibility, decide(&before)?)
    }

    /// Takes in a change of a sheet that was read at `version`.
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

    /// Changes the table of a campaign, and returns it as it is afterwards.
    pub(crate) async fn table(
        &mut self,
        home: &Node,
        decide: impl FnOnce(&mut Table) -> Result<Vec<Note>> + Send,
    ) -> Result<Table> {
        let (before, version) = table::load(self.desk, home).await?;
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

    /// Names everything that shows the happening, each to those who may know of it.
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

    /// Takes out what changed of the countdowns, for an event of its own.
    pub(crate) fn take_countdowns(&mut self) -> Vec<Value> {
        let is_countdowns = |change: &mut Value| change.get("field") == Some(&json!(COUNTDOWNS));
        self.open.applied.extract_if(.., is_countdowns).collect()
    }
}

const COUNTDOWNS: &str = "countdowns";

fn only(targets: &[Uid]) -> Option<Uid> {
    if let [only] = targets { Some(*only) } else { None }
}

/// What an event tells its reader: what everybody reads of it, joined by what is for the
/// GM, if the reader got that.
pub(crate) fn told(event: &Event) -> Value {
    let mut whole: Value = serde_json::from_str(&event.payload).unwrap_or_default();
    let secret = event.secret.as_deref().and_then(|text| serde_json::from_str(text).ok());
    if let Some(secret) = secret {
        join(&mut whole, secret);
    }
    whole
}

/// Lists grow, objects take in fields, anything else is replaced.
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
