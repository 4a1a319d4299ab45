//! The changes of one happening, as they come together: sheets, the table, and the
//! list of before and after that its event carries.

use lore_core::{Node, Result, Uid, Visibility};
use lore_rules::table::Note;
use lore_store::{Change, NodeRef};
use serde_json::{Value, json};

use super::character::{changes_value, put_sheet};
use super::desk::Desk;
use super::sheet::{self, Changed, Sheet};
use super::table::{self, Table};

/// What a happening changes.
pub(crate) struct Tally<'a> {
    desk: &'a Desk,
    /// The changes to commit.
    pub(crate) changes: Vec<Change>,
    /// What changed, as events carry it.
    pub(crate) applied: Vec<Value>,
    /// Every character concerned, as it fares afterwards.
    pub(crate) states: Vec<(Uid, Sheet)>,
    /// What the people at the table should hear.
    pub(crate) notes: Vec<Note>,
    /// Who may read of it: what touches a hidden sheet is hidden itself.
    pub(crate) visibility: Visibility,
}

impl<'a> Tally<'a> {
    pub(crate) fn new(desk: &'a Desk) -> Self {
        Self {
            desk,
            changes: Vec::new(),
            applied: Vec::new(),
            states: Vec::new(),
            notes: Vec::new(),
            visibility: Visibility::Members,
        }
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
        if !changed.changes.is_empty() {
            self.applied.extend(changes_value(node.uid, &changed.changes));
            let sheet = &changed.sheet;
            self.changes.push(put_sheet(NodeRef::Id(node.id), sheet, version, visibility)?);
        }
        self.states.push((node.uid, changed.sheet));
        self.notes.extend(changed.notes);
        if visibility != Visibility::Members {
            self.visibility = Visibility::Gm;
        }
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
        self.notes.extend(decide(&mut after)?);
        let fields = [
            ("gm_fear", json!(before.gm_fear), json!(after.gm_fear)),
            ("short_rests", json!(before.short_rests), json!(after.short_rests)),
            ("countdowns", before.countdowns, after.countdowns.clone()),
        ];
        let changed: Vec<_> = fields.into_iter().filter(|(_, old, new)| old != new).collect();
        if !changed.is_empty() {
            self.changes.push(table::put(home, &after, version)?);
        }
        for (field, before, after) in changed {
            self.applied.push(json!({ "field": field, "before": before, "after": after }));
        }
        Ok(after)
    }
}
