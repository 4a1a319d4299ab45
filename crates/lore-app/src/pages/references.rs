//! Fields of pages that hold numbers of other pages.
//!
//! A reader is shown only numbers of pages they see. When they change a field, the numbers they do
//! not see are kept.

use std::collections::HashSet;

use lore_core::{Error, Node, Properties, Result, Role, Viewer};
use lore_store::NodeKey;
use serde_json::Value;

use super::kinds::{PARENT_ID, PageKind};
use super::scribe::Scribe;
use crate::App;

/// Which numbering a field uses.
#[derive(Debug, Clone, Copy)]
enum Counted {
    /// Numbers of the world.
    All,
    /// Numbers within a kind.
    Kind(PageKind),
    /// Numbers of a Kanka kind that does not exist here. They are not checked; for hiding they are
    /// treated as numbers of the world.
    Foreign,
}

/// Every field with such numbers, single or in a list.
const FIELDS: [(&str, Counted); 7] = [
    (PARENT_ID, Counted::All),
    ("author_id", Counted::All),
    ("instigator_id", Counted::All),
    ("locations", Counted::Kind(PageKind::Location)),
    ("races", Counted::Kind(PageKind::Race)),
    ("families", Counted::Foreign),
    ("calendar_id", Counted::Foreign),
];

/// Removes numbers of pages that the viewer may not see from the fields of pages.
pub async fn leave_out_hidden(
    app: &App,
    viewer: &Viewer,
    nodes: impl IntoIterator<Item = &mut Node>,
) -> Result<()> {
    let is_page = |node: &&mut Node| PageKind::of(&node.kind).is_some();
    let pages = nodes.into_iter().filter(is_page);
    let mut fields: Vec<&mut Properties> = pages.map(|page| &mut page.properties).collect();
    without_hidden(app, viewer, &mut fields).await
}

/// Does the same for fields of a page, for a viewer without a special role.
pub(super) async fn leave_out(scribe: &Scribe, pages: &mut [Properties]) -> Result<()> {
    let everybody = Viewer { role: Role::Reader, ..scribe.viewer };
    let mut fields: Vec<&mut Properties> = pages.iter_mut().collect();
    without_hidden(&scribe.app, &everybody, &mut fields).await
}

async fn without_hidden(app: &App, viewer: &Viewer, pages: &mut [&mut Properties]) -> Result<()> {
    let hidden = hidden_in(app, viewer, pages.iter().map(|fields| &**fields)).await?;
    if hidden.is_empty() {
        return Ok(());
    }
    for fields in pages {
        for (name, counted) in FIELDS {
            let Some(value) = fields.get_mut(name) else { continue };
            retain(value, |number| !is_in(&hidden, counted, number));
            // A list that contained only hidden numbers looks like no list.
            if value.is_null() || *value == Value::Array(Vec::new()) {
                fields.shift_remove(name);
            }
        }
    }
    Ok(())
}

/// Whether a number denotes an entity that the viewer may not see.
pub async fn is_hidden(scribe: &Scribe, number: i64) -> Result<bool> {
    let keys = [NodeKey::Number(number)];
    Ok(!scribe.app.store.concealed(&scribe.viewer, &keys).await?.is_empty())
}

/// Checks the reference fields that a caller gives, and keeps the hidden numbers that are there
/// already. Fails if a number denotes nothing that the caller sees.
pub(super) async fn checked(
    scribe: &Scribe,
    given: &Properties,
    before: &Properties,
) -> Result<Properties> {
    let mut fields = given.clone();
    let hidden = hidden_in(&scribe.app, &scribe.viewer, [before].into_iter()).await?;
    for (name, counted) in FIELDS {
        let Some(value) = fields.get_mut(name) else { continue };
        check(scribe, name, counted, value).await?;
        let Some(mut unseen) = before.get(name).cloned() else { continue };
        retain(&mut unseen, |number| is_in(&hidden, counted, number));
        // A caller who does not see a number cannot mean to remove it.
        match (value, unseen) {
            (Value::Array(value), Value::Array(unseen)) => value.extend(unseen),
            (Value::Null, Value::Array(unseen)) if unseen.is_empty() => {}
            (value @ Value::Null, unseen) => *value = unseen,
            _ => {}
        }
    }
    Ok(fields)
}

async fn check(scribe: &Scribe, name: &str, counted: Counted, value: &Value) -> Result<()> {
    for number in numbers(value) {
        let found = match key(counted, number)? {
            _ if matches!(counted, Counted::Foreign) => continue,
            key => scribe.app.store.node(&scribe.viewer, key).await?,
        };
        if found.is_none() {
            return Err(Error::invalid(
                name,
                format!("is or has {number}, and there is no such entity"),
                "use the number of one that is listed",
            ));
        }
    }
    Ok(())
}

/// The keys of all pages in these fields that the viewer may not see.
async fn hidden_in(
    app: &App,
    viewer: &Viewer,
    pages: impl Iterator<Item = &Properties>,
) -> Result<HashSet<NodeKey>> {
    let mut keys = HashSet::new();
    for fields in pages {
        for (name, counted) in FIELDS {
            for number in fields.get(name).into_iter().flat_map(numbers) {
                keys.insert(key(counted, number)?);
            }
        }
    }
    let keys: Vec<NodeKey> = keys.into_iter().collect();
    if keys.is_empty() {
        return Ok(HashSet::new());
    }
    Ok(app.store.concealed(viewer, &keys).await?.into_iter().collect())
}

fn is_in(hidden: &HashSet<NodeKey>, counted: Counted, number: i64) -> bool {
    key(counted, number).is_ok_and(|key| hidden.contains(&key))
}

fn key(counted: Counted, number: i64) -> Result<NodeKey> {
    Ok(match counted {
        Counted::All | Counted::Foreign => NodeKey::Number(number),
        Counted::Kind(kind) => NodeKey::KindNumber(kind.word()?, number),
    })
}

fn numbers(value: &Value) -> impl Iterator<Item = i64> {
    let items = match value {
        Value::Array(items) => items.as_slice(),
        one => std::slice::from_ref(one),
    };
    items.iter().filter_map(Value::as_i64)
}

/// Removes numbers that are not wanted from a value.
fn retain(value: &mut Value, wanted: impl Fn(i64) -> bool) {
    let is_wanted = |item: &Value| item.as_i64().is_none_or(&wanted);
    match value {
        Value::Array(items) => items.retain(is_wanted),
        one if !is_wanted(one) => *one = Value::Null,
        _ => {}
    }
}
