//! Attributes: fields that users invent for a page, such as hit points.
//!
//! They are stored as two state documents of the page, one that everybody sees and one for the game
//! master's side only. The store therefore decides who reads which.

use std::collections::HashMap;

use futures::FutureExt;
use lore_core::names::{self, checked_length};
use lore_core::{Error, Node, NodeId, Result, Viewer, Visibility};
use lore_store::{Batch, Change, Expect, NewState, NodePatch, NodeRef};
use serde::{Deserialize, Serialize};

use super::page;
use super::scribe::Scribe;
use crate::access::may_change;
use crate::play::word;

/// The names of the two documents, and who sees them.
const SHEETS: [(&str, Visibility); 2] =
    [("attributes", Visibility::Members), ("hidden_attributes", Visibility::Gm)];
/// The maximum number of attributes per document.
const MANY: usize = 500;
/// The maximum length of a value, in characters.
const VALUE_MAX: usize = 10_000;

/// Hidden attributes are numbered from here on, because gaps in the numbers of the visible ones
/// would reveal them.
const HIDDEN_FROM: i64 = 1 << 40;

/// One attribute of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// Its number within the page.
    pub number: i64,
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
    /// How it is displayed: a number that only the caller interprets.
    pub form: i64,
    /// Whether it is shown beside the page.
    pub pinned: bool,
    /// Whether only the game master's side sees it.
    pub private: bool,
}

impl Attribute {
    /// Its position among the attributes that were created hidden, or among the others.
    pub fn place(&self) -> i64 {
        if self.number > HIDDEN_FROM { self.number - HIDDEN_FROM } else { self.number }
    }
}

/// Fields of an attribute to set; `None` leaves one alone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AttributePatch {
    /// The new name.
    pub name: Option<String>,
    /// The new value.
    pub value: Option<String>,
    /// How it is displayed.
    pub form: Option<i64>,
    /// Whether it is shown beside the page.
    pub pinned: Option<bool>,
    /// Whether only the game master's side sees it.
    pub private: Option<bool>,
}

/// An edit of a page's attributes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AttributeEdit {
    /// Creates an attribute.
    Make(AttributePatch),
    /// Changes the attribute with this number.
    Change(i64, AttributePatch),
    /// Removes the attribute with this number.
    Remove(i64),
}

/// Returns the attributes of pages, in the order in which they were created.
pub async fn attributes(
    scribe: &Scribe,
    pages: &[NodeId],
) -> Result<HashMap<NodeId, Vec<Attribute>>> {
    let mut found: HashMap<NodeId, Vec<Attribute>> = HashMap::new();
    for sheet in 0..SHEETS.len() {
        for (node, kept) in read(scribe, &scribe.viewer, pages, sheet).await? {
            let shown = kept.rows.into_iter().map(|row| row.shown(sheet));
            found.entry(node).or_default().extend(shown);
        }
    }
    for rows in found.values_mut() {
        rows.sort_by_key(|row| row.number);
    }
    Ok(found)
}

/// Edits the attributes of a page. Returns the number of the attribute.
pub async fn edit_attributes(scribe: &Scribe, page: i64, edit: &AttributeEdit) -> Result<i64> {
    let plan = || {
        async move {
            scribe.require_local("attributes")?;
            let node = page::node(scribe, page).await?;
            may_change(&scribe.viewer, node.created.by, &node.name)?;
            let mut sheets = Vec::new();
            for sheet in 0..SHEETS.len() {
                let mut kept = read(scribe, &scribe.all_seeing(), &[node.id], sheet).await?;
                sheets.push(kept.pop().map(|(_, kept)| kept).unwrap_or_default());
            }
            let before = sheets.clone();
            let number = applied(scribe, page, &mut sheets, edit)?;
            Ok((written(scribe, &node, &before, sheets)?, number))
        }
        .boxed()
    };
    Ok(scribe.carry_out(plan).await?.0)
}

/// One of the two documents as it is stored.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Sheet {
    /// The last number it gave out.
    last: i64,
    rows: Vec<Row>,
    #[serde(skip)]
    version: i64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Row {
    number: i64,
    name: String,
    value: String,
    form: i64,
    pinned: bool,
}

impl Row {
    fn shown(self, sheet: usize) -> Attribute {
        let Self { number, name, value, form, pinned } = self;
        Attribute { number, name, value, form, pinned, private: sheet == HIDDEN }
    }

    fn patched(mut self, patch: &AttributePatch) -> Result<Self> {
        if let Some(name) = &patch.name {
            self.name = names::checked_name("name", name)?;
        }
        if let Some(value) = &patch.value {
            checked_length("value", value, VALUE_MAX)?;
            self.value.clone_from(value);
        }
        self.form = patch.form.unwrap_or(self.form);
        self.pinned = patch.pinned.unwrap_or(self.pinned);
        Ok(self)
    }
}

/// The index of the document for the game master's side.
const HIDDEN: usize = 1;

fn place(private: bool) -> usize {
    if private { HIDDEN } else { 0 }
}

async fn read(
    scribe: &Scribe,
    viewer: &Viewer,
    pages: &[NodeId],
    sheet: usize,
) -> Result<Vec<(NodeId, Sheet)>> {
    let Some((name, _)) = SHEETS.get(sheet) else { return Ok(Vec::new()) };
    let states = scribe.app.store.states(viewer, pages, &word(name)?).await?;
    let sheets = states.into_iter().map(|state| {
        let kept: Sheet = serde_json::from_value(state.value).unwrap_or_default();
        (state.node, Sheet { version: state.version, ..kept })
    });
    Ok(sheets.collect())
}

fn applied(scribe: &Scribe, page: i64, sheets: &mut [Sheet], edit: &AttributeEdit) -> Result<i64> {
    let sees_all = scribe.viewer.sees_gm_side();
    let hides = |patch: &AttributePatch| match patch.private {
        Some(true) if !sees_all => Err(Error::Forbidden {
            action: "hiding an attribute from the players".into(),
            hint: "ask the game master".into(),
        }),
        private => Ok(private),
    };
    let (number, row, sheet) = match edit {
        AttributeEdit::Make(patch) => {
            let sheet = place(hides(patch)?.unwrap_or(false));
            let number = next_number(sheets, sheet);
            if sheets.get(sheet).is_some_and(|sheet| sheet.rows.len() >= MANY) {
                let limit = format!("{MANY} attributes");
                return Err(Error::TooLarge { what: "a page".into(), limit });
            }
            let patch = &AttributePatch {
                name: Some(patch.name.clone().unwrap_or_default()),
                ..patch.clone()
            };
            let blank =
                Row { number, name: String::new(), value: String::new(), form: 1, pinned: false };
            (number, Some(blank.patched(patch)?), sheet)
        }
        AttributeEdit::Change(number, patch) => {
            let (row, sheet) = taken(page, sheets, *number, sees_all)?;
            (*number, Some(row.patched(patch)?), hides(patch)?.map_or(sheet, place))
        }
        AttributeEdit::Remove(number) => {
            let (_, sheet) = taken(page, sheets, *number, sees_all)?;
            (*number, None, sheet)
        }
    };
    if let Some(home) = sheets.get_mut(place(number > HIDDEN_FROM)) {
        home.last = home.last.max(number);
    }
    if let Some(sheet) = sheets.get_mut(sheet) {
        sheet.rows.extend(row);
        sheet.rows.sort_by_key(|row| row.number);
    }
    Ok(number)
}

/// The next free number in a document. Numbers may be taken out of order: an attribute keeps its
/// number when it is shown or hidden later, and older stores numbered hidden ones among the others.
fn next_number(sheets: &[Sheet], sheet: usize) -> i64 {
    let first = if sheet == HIDDEN { HIDDEN_FROM } else { 0 };
    let last = sheets.get(sheet).map_or(first, |sheet| sheet.last.max(first));
    let is_taken =
        |number: &i64| sheets.iter().flat_map(|sheet| &sheet.rows).any(|row| row.number == *number);
    (last + 1..).find(|number| !is_taken(number)).unwrap_or(last + 1)
}

/// Takes a row out of its document. Rows that the caller may not see are reported as not found.
fn taken(page: i64, sheets: &mut [Sheet], number: i64, sees_all: bool) -> Result<(Row, usize)> {
    let seen = sheets.iter_mut().enumerate().take(if sees_all { SHEETS.len() } else { 1 });
    for (place, sheet) in seen {
        if let Some(at) = sheet.rows.iter().position(|row| row.number == number) {
            return Ok((sheet.rows.remove(at), place));
        }
    }
    let what = format!("attribute {number} of entity {page}");
    Err(Error::not_found(what, "list the attributes there are"))
}

/// The batch that stores the documents. It also touches the page, whose modification date moves
/// with its attributes.
fn written(scribe: &Scribe, node: &Node, before: &[Sheet], after: Vec<Sheet>) -> Result<Batch> {
    let target = NodeRef::Id(node.id);
    let touch = Change::UpdateNode(target, Expect::Version(node.version), NodePatch::default());
    let mut batch = scribe.batch().change(touch);
    for ((name, visibility), (old, new)) in SHEETS.iter().zip(before.iter().zip(after)) {
        if *old == new {
            continue;
        }
        let value = serde_json::to_value(&new)
            .map_err(|error| Error::Bug { what: format!("attributes: {error}") })?;
        batch = batch.change(Change::PutState(NewState {
            node: target,
            name: word(name)?,
            expect: Expect::Version(old.version),
            value,
            visibility: *visibility,
        }));
    }
    Ok(batch)
}
