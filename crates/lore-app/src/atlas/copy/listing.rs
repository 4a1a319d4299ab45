//! Reads everything that a service lists of a kind, and waits when the service is throttling.

use std::collections::HashSet;
use std::time::Duration;

use lore_anvil::{Form, Kind, Object, PAGE_MAX};
use lore_core::{Error, Result};
use serde_json::Value;

use super::{ORDER, Step, Told};
use crate::atlas::ids::id_of;
use crate::atlas::source::{Anvil, Detail, Extent, ListQuery};

/// How often a throttled request is repeated.
const PATIENCE: usize = 5;
/// The longest pause that is waited for. A service that asks for more makes the request fail.
const WAIT_MAX: Duration = Duration::from_secs(600);
/// The maximum number of pages of one list.
const PAGES_MAX: usize = 2_000;

/// What a service lists of a kind.
pub(super) struct Listed {
    pub(super) rows: Vec<Object>,
    /// Whether the list is complete.
    pub(super) whole: bool,
    /// Why it is incomplete, if the service said so.
    pub(super) trouble: Option<Trouble>,
}

/// Why a list is incomplete.
pub(super) enum Trouble {
    /// The service does not have this list, or not for this account. That will not change by asking
    /// again.
    Withheld(String),
    /// The service has this list for everybody but did not return it this time.
    Missing(String),
}

/// Reads every row of a kind, below each parent if the kind is listed by parent.
pub(super) async fn rows(
    source: &dyn Anvil,
    kind: Kind,
    above: Option<Kind>,
    world: &str,
    told: Told<'_>,
) -> Result<Listed> {
    let Some(above) = above.filter(|_| source.extent() == Extent::Whole) else {
        let query = ListQuery { world: Some(world.to_owned()), ..heads_of(kind) };
        return pages(source, query, told).await;
    };
    let grand = ORDER.iter().find(|(known, _)| *known == above).and_then(|(_, grand)| *grand);
    let parents = Box::pin(rows(source, above, grand, world, told)).await?;
    // Problems with the parents' list were reported when the parents were copied.
    let mut all = Listed { rows: Vec::new(), whole: parents.whole, trouble: None };
    for parent in parents.rows {
        let Some(id) = id_of(&parent) else { continue };
        let query = ListQuery { parent: Some((above, id)), ..heads_of(kind) };
        let field = kind.row().fields.iter().find(
            |field| matches!(field.form, Form::One(to, _) | Form::Several(to, _) if to == above),
        );
        let below = pages(source, query, told).await?;
        all.whole &= below.whole;
        all.trouble = worse(all.trouble, below.trouble);
        for mut row in below.rows {
            if let Some(field) = field {
                row.entry(field.name).or_insert(Value::Object(parent.clone()));
            }
            all.rows.push(row);
        }
    }
    if kind == Kind::Note {
        all.rows.extend(loose(source, &all.rows, world, told).await?);
    }
    Ok(all)
}

/// Notes in no section. World Anvil does not list them, but another instance of this program does.
async fn loose(
    source: &dyn Anvil,
    known: &[Object],
    world: &str,
    told: Told<'_>,
) -> Result<Vec<Object>> {
    let query = ListQuery { world: Some(world.to_owned()), ..heads_of(Kind::Note) };
    let known: HashSet<String> = known.iter().filter_map(id_of).collect();
    let mut listed = pages(source, query, told).await?.rows;
    listed.retain(|row| id_of(row).is_some_and(|id| !known.contains(&id)));
    Ok(listed)
}

/// Reads every page of a list. A list that the service does not have, or not for this account, is
/// empty and marked as incomplete.
async fn pages(source: &dyn Anvil, query: ListQuery, told: Told<'_>) -> Result<Listed> {
    let whole = source.extent() == Extent::Whole;
    let mut all = Listed { rows: Vec::new(), whole, trouble: None };
    for page in 0..PAGES_MAX {
        let part = ListQuery { offset: page * PAGE_MAX, limit: PAGE_MAX, ..query.clone() };
        let rows = match waiting(told, || source.list(&part)).await {
            Ok(found) if found.rows.iter().all(|row| id_of(row).is_some()) => found.rows,
            // A row without an id could be any thing that was copied before.
            Ok(_) => return Err(nameless(query.kind)),
            Err(error) if source.refuses_keys() => return Err(error),
            Err(error @ (Error::NotFound { .. } | Error::Forbidden { .. })) => {
                all.whole = false;
                all.trouble = Some(trouble(query.kind, &error));
                Vec::new()
            }
            Err(other) => return Err(other),
        };
        let last = rows.len() < PAGE_MAX;
        all.rows.extend(rows);
        if last {
            return Ok(all);
        }
    }
    all.whole = false;
    let many = format!("there are more than {}", PAGES_MAX * PAGE_MAX);
    all.trouble = Some(Trouble::Missing(many));
    Ok(all)
}

/// The more serious of two problems with lists of a kind.
fn worse(one: Option<Trouble>, other: Option<Trouble>) -> Option<Trouble> {
    match other {
        Some(Trouble::Missing(_)) => other,
        _ => one.or(other),
    }
}

/// Classifies the error of a list that could not be read.
fn trouble(kind: Kind, error: &Error) -> Trouble {
    match error {
        Error::NotFound { .. } if kind.row().is_surely_listed() => {
            Trouble::Missing(error.to_string())
        }
        _ => Trouble::Withheld(error.to_string()),
    }
}

/// A query for heads only: each thing is read individually afterwards.
fn heads_of(kind: Kind) -> ListQuery {
    ListQuery { detail: Detail::Heads, ..ListQuery::of(kind) }
}

fn nameless(kind: Kind) -> Error {
    let what = format!("the list of {} (an entry has no id)", kind.row().many);
    Error::Unavailable { what }
}

/// Repeats a request while the service throttles it, and reports each pause.
pub(super) async fn waiting<T, F: Future<Output = Result<T>>>(
    told: Told<'_>,
    ask: impl Fn() -> F,
) -> Result<T> {
    for _ in 0..PATIENCE {
        match ask().await {
            Err(Error::Throttled { retry_after, .. }) if retry_after <= WAIT_MAX => {
                let pause = retry_after.max(Duration::from_secs(1));
                told(Step::Waits(pause));
                tokio::time::sleep(pause).await;
            }
            other => return other,
        }
    }
    ask().await
}
