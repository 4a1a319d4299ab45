//! Fields of pages that hold numbers of others.
//!
//! They are shown only as far as the reader sees what they lead to, and who changes a page
//! keeps those that they do not see.

use std::collections::HashSet;

use lore_core::{Error, Node, Properties, Result, Role, Viewer};
use lore_store::NodeKey;
use serde_json::Value;

use super::kinds::{PARENT_ID, PageKind};
use super::scribe::Scribe;
use crate::App;

/// What a number in a field counts.
#[derive(Debug, Clone, Copy)]
enum Counted {
    /// Everything.
    All,
    /// What is of one kind.
    Kind(PageKind),
    /// Something that no page is here; as far as it is one, everything.
    Foreign,
}

/// Every field that holds such numbers, one or a list of them.
const FIELDS: [(&str, Counted); 7] = [
    (PARENT_ID, Counted::All),
    ("author_id", Counted::All),
    ("instigator_id", Counted::All),
    ("locations", Counted::Kind(PageKind::Location)),
    ("races", Counted::Kind(PageKind::Race)),
    ("families", Counted::Foreign),
    ("calendar_id", Counted::Foreign),
];

/// Takes the numbers of what the reader may not see out of the fields of pages to be shown.
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

/// The same for the fields of a page, as those see them who see no more than everybody.
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
            // A list of nothing else is told as none is.
            if value.is_null() || *value == Value::Array(Vec::new()) {
                fields.shift_remove(name);
            }
        }
    }
    Ok(())
}

/// Whether a number leads to an entity that the reader may not see.
pub async fn is_hidden(scribe: &Scribe, number: i64) -> Result<bool> {
    let keys = [NodeKey::Number(number)];
    Ok(!scribe.app.store.concealed(&scribe.viewer, &keys).await?.is_empty())
}

/// The fields that a caller gives, fit to be kept beside those that are there. Fails when one
/// leads to nothing that the caller sees.
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
        // Whoever does not see one cannot mean it to go.
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

/// What some pages' fields lead to that the reader may not see.
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

/// Keeps those numbers of a value that are wanted.
fn retain(value: &mut Value, wanted: impl Fn(i64) -> bool) {
    let is_wanted = |item: &Value| item.as_i64().is_none_or(&wanted);
    match value {
        Value::Array(items) => items.retain(is_wanted),
        one if !is_wanted(one) => *one = Value::Null,
        _ => {}
    }
}
