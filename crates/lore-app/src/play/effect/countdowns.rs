//! Countdowns of a table, which effects change and action rolls advance.

use lore_core::{Error, Result, names};
use lore_rules::duality::Outcome;
use lore_rules::table::{self as rules, Countdown, CountdownKind, Looping};
use serde_json::{Map, Value, json};

use super::Work;
use crate::play::sheet::table_error;
use crate::play::table::Table;

/// The maximum number of countdowns of one table.
const COUNTDOWNS_MAX: usize = 50;

/// The input for changing a countdown.
#[derive(Debug, Clone)]
pub struct CountdownChange {
    /// Its name.
    pub name: String,
    /// If given, the countdown is created or replaced: its start, its kind, and whether it loops.
    pub set: Option<(i64, CountdownKind, Looping)>,
    /// By how much to advance it, after setting it.
    pub advance: i64,
    /// Whether to remove it.
    pub remove: bool,
}

/// A countdown after a change.
#[derive(Debug, Clone)]
pub struct CountdownView {
    /// Its name.
    pub name: String,
    /// The countdown; `None` if it was removed.
    pub countdown: Option<Countdown>,
    /// Whether it triggered.
    pub triggered: bool,
}

/// A countdown that a roll advanced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ticked {
    /// Its name.
    pub name: String,
    /// The value before.
    pub before: i64,
    /// The value after. If the countdown loops, this is where it starts again.
    pub after: i64,
    /// Whether it triggered.
    pub triggered: bool,
}

impl Ticked {
    /// Returns it as JSON for an event.
    pub(crate) fn to_value(&self) -> Value {
        let Self { name, before, after, triggered } = self;
        json!({ "name": name, "before": before, "after": after, "triggered": triggered })
    }

    /// Parses it from an event.
    pub(crate) fn from_value(value: &Value) -> Option<Self> {
        Some(Self {
            name: value.get("name")?.as_str()?.to_owned(),
            before: value.get("before")?.as_i64()?,
            after: value.get("after")?.as_i64()?,
            triggered: value.get("triggered")?.as_bool()?,
        })
    }
}

/// Advances every countdown by the amount that its kind and the outcome of a roll imply. Returns
/// those that changed.
pub(crate) fn tick(table: &mut Table, outcome: Outcome) -> Result<Vec<Ticked>> {
    let Value::Object(all) = &mut table.countdowns else { return Ok(Vec::new()) };
    let mut ticked = Vec::new();
    for (name, value) in all {
        let Some(before) = from_value(value) else { continue };
        let (after, triggered) = rules::advance_by_outcome(before, outcome).map_err(table_error)?;
        if (after, triggered) != (before, false) {
            *value = to_value(after);
            let (name, before) = (name.clone(), before.current());
            ticked.push(Ticked { name, before, after: after.current(), triggered });
        }
    }
    Ok(ticked)
}

impl Work<'_> {
    pub(super) async fn countdown(&mut self, change: &CountdownChange) -> Result<()> {
        let name = names::checked_name("countdown.name", &change.name)?;
        let mut view = CountdownView { name: name.clone(), countdown: None, triggered: false };
        self.collector
            .table(self.home, |table| {
                (view.countdown, view.triggered) = changed(table, &name, change)?;
                Ok(Vec::new())
            })
            .await?;
        self.outcome.detail = json!({
            "countdown": view.countdown.map(to_value), "triggered": view.triggered,
        });
        self.outcome.countdown = Some(view);
        Ok(())
    }
}

fn changed(
    table: &mut Table,
    name: &str,
    change: &CountdownChange,
) -> Result<(Option<Countdown>, bool)> {
    let mut all = match std::mem::take(&mut table.countdowns) {
        Value::Object(all) => all,
        _ => Map::new(),
    };
    let before = match change.set {
        Some((start, kind, looping)) => {
            Countdown::new(start, kind, looping).map_err(table_error)?
        }
        None => all.get(name).and_then(from_value).ok_or_else(|| {
            let what = format!("the countdown {name:?}");
            Error::not_found(what, "set it first with countdown.start")
        })?,
    };
    let (after, triggered) = rules::advance(before, change.advance).map_err(table_error)?;
    if change.remove {
        all.shift_remove(name);
    } else {
        all.insert(name.to_owned(), to_value(after));
    }
    if all.len() > COUNTDOWNS_MAX {
        let hint = format!("remove one first: a table has at most {COUNTDOWNS_MAX}");
        return Err(Error::Precondition { message: "there are too many countdowns".into(), hint });
    }
    table.countdowns = Value::Object(all);
    Ok((if change.remove { None } else { Some(after) }, triggered))
}

const KINDS: [(CountdownKind, &str); 4] = [
    (CountdownKind::Standard, "STANDARD"),
    (CountdownKind::Progress, "PROGRESS"),
    (CountdownKind::Consequence, "CONSEQUENCE"),
    (CountdownKind::LongTerm, "LONG_TERM"),
];

const LOOPS: [(Looping, &str); 4] = [
    (Looping::Once, "ONCE"),
    (Looping::Same, "SAME"),
    (Looping::Increasing, "INCREASING"),
    (Looping::Decreasing, "DECREASING"),
];

/// Serialises a countdown for storage and display.
pub fn to_value(countdown: Countdown) -> Value {
    let kind = KINDS.iter().find(|(kind, _)| *kind == countdown.kind()).map(|(_, name)| *name);
    let looping =
        LOOPS.iter().find(|(kind, _)| *kind == countdown.looping()).map(|(_, name)| *name);
    json!({
        "start": countdown.start(), "current": countdown.current(), "kind": kind, "loop": looping,
    })
}

fn from_value(value: &Value) -> Option<Countdown> {
    let number = |key: &str| value.get(key).and_then(Value::as_i64);
    let word = |key: &str| value.get(key).and_then(Value::as_str);
    let kind = KINDS.iter().find(|(_, name)| Some(*name) == word("kind"))?.0;
    let looping = LOOPS.iter().find(|(_, name)| Some(*name) == word("loop"))?.0;
    Countdown::resumed(number("start")?, number("current")?, kind, looping).ok()
}
