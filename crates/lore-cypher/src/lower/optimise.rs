//! Optimisations that avoid enumerating single matches.
//!
//! If nothing after a variable-length pattern can distinguish two paths to a node, each node is
//! visited once, breadth first. The cost is then that of the graph's size, instead of a number of
//! paths that grows exponentially. If nothing reads the relationship and the node of a step, the
//! matches are counted instead of followed, and one row stands for all of them: its weight.

use super::Ending;
use crate::functions::Aggregate;
use crate::plan::{
    Aggregation, Binding, Direction, Distinct, Expand, Expr, Found, Manner, Part, PathPart,
    Project, Slot, Source, Stage, Step, Walk, Way,
};

/// Optimises each sequence of clauses up to a projection, or up to the end.
pub(super) fn part(part: &mut Part, ending: Ending) {
    let mut start = 0;
    for end in 0..part.stages.len() {
        let Some(Stage::Project(project)) = part.stages.get(end) else { continue };
        let rows = rows_of(project);
        count_rows(part, start, end);
        segment(part, start, end, rows);
        start = end + 1;
    }
    if let Ending::Anything(rows) = ending {
        segment(part, start, part.stages.len(), rows);
    }
}

/// What later clauses need of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rows {
    /// The distinct rows; duplicates make no difference.
    Merged,
    /// The distinct rows with their number.
    Counted,
    /// Every row.
    Each,
}

/// Optimises the steps that bind slots nothing else uses.
pub(super) fn matching(steps: &mut [Step], rows: Rows, used: impl Fn(Slot) -> bool) {
    for number in 0..steps.len() {
        let free = |slot: Slot| {
            let mut others = steps.iter().enumerate().filter(|(other, _)| *other != number);
            !used(slot) && !others.any(|(_, step)| mentions(step, slot))
        };
        let (way, end) = match steps.get(number) {
            Some(Step::Expand(hop)) => (free(hop.relationship), free(hop.to)),
            Some(Step::Walk(walk)) => (free(walk.hop.relationship), free(walk.hop.to)),
            _ => continue,
        };
        match steps.get_mut(number) {
            Some(Step::Walk(walk)) if way => reach(walk, rows, end),
            Some(Step::Expand(hop)) if way && end && rows != Rows::Each => count(hop),
            _ => {}
        }
    }
}

/// The slots that a clause uses.
pub(super) fn slots_of(stage: &Stage) -> Vec<Slot> {
    match stage {
        Stage::Unwind { list, .. } => list.slots(),
        Stage::Match(pattern) => {
            // A pattern as an expression reports all slots it uses.
            Expr::Exists(Box::new(pattern.clone())).slots()
        }
        Stage::Project(project) => project.slots(),
    }
}

fn segment(part: &mut Part, start: usize, end: usize, rows: Rows) {
    for number in start..end {
        let stages = &part.stages;
        let others: Vec<Slot> = stages
            .iter()
            .enumerate()
            .skip(start)
            .filter(|(other, _)| *other != number)
            .flat_map(|(_, stage)| slots_of(stage))
            .collect();
        if let Some(Stage::Match(pattern)) = part.stages.get_mut(number) {
            matching(&mut pattern.steps, rows, |slot| others.contains(&slot));
        }
    }
}

/// Optimises a walk whose relationships are not read, and perhaps its end neither.
fn reach(walk: &mut Walk, rows: Rows, end_is_free: bool) {
    if walk.hop.binding == Binding::Bound {
        return;
    }
    walk.way = Way::Forgotten;
    // Undirected, the shortest way back to the start would use the same relationship twice.
    let simple =
        walk.min <= 1 && walk.hop.direction != Direction::Both && walk.hop.unlike.is_empty();
    if simple && rows == Rows::Merged {
        walk.manner = Manner::EveryNode;
    } else if end_is_free && rows == Rows::Counted {
        count(&mut walk.hop);
    }
}

fn count(hop: &mut Expand) {
    if hop.binding == Binding::New && hop.origin == Binding::Bound && hop.target == Binding::New {
        hop.found = Found::Number;
    }
}

/// What a projection needs of its input rows.
fn rows_of(project: &Project) -> Rows {
    let Some(grouping) = &project.grouping else {
        return if project.distinct == Distinct::Yes { Rows::Merged } else { Rows::Each };
    };
    let merges = |call: &Aggregation| {
        call.distinct == Distinct::Yes || matches!(call.function, Aggregate::Min | Aggregate::Max)
    };
    let mut calls = grouping.aggregates.iter().map(|(_, call)| call);
    if calls.clone().all(merges) {
        Rows::Merged
    } else if calls.all(|call| merges(call) || call.function == Aggregate::Count) {
        Rows::Counted
    } else {
        Rows::Each
    }
}

/// Turns counting a variable that is never null into counting rows.
fn count_rows(part: &mut Part, start: usize, end: usize) {
    let bound: Vec<Slot> = part.stages.iter().take(end).skip(start).flat_map(bound_by).collect();
    let Some(Stage::Project(project)) = part.stages.get_mut(end) else { return };
    let Some(grouping) = &mut project.grouping else { return };
    for (_, call) in &mut grouping.aggregates {
        let plain = call.function == Aggregate::Count && call.distinct == Distinct::No;
        if plain && matches!(call.argument, Some(Expr::Slot(slot)) if bound.contains(&slot)) {
            call.argument = None;
        }
    }
}

/// The slots that always hold a node or a relationship after a clause.
fn bound_by(stage: &Stage) -> Vec<Slot> {
    let Stage::Match(pattern) = stage else { return Vec::new() };
    if pattern.optional.is_some() {
        return Vec::new();
    }
    let steps = pattern.steps.iter();
    steps
        .flat_map(|step| match step {
            Step::Scan { slot, .. } | Step::Check { slot, .. } => vec![*slot],
            Step::Expand(hop) => vec![hop.from, hop.to, hop.relationship],
            Step::Walk(walk) => vec![walk.hop.from, walk.hop.to],
            Step::Shortest(_) | Step::Path { .. } | Step::Filter(_) => Vec::new(),
        })
        .collect()
}

/// Whether a step uses a slot, apart from binding a path to it.
fn mentions(step: &Step, slot: Slot) -> bool {
    let hop = |hop: &Expand| {
        [hop.from, hop.to, hop.relationship].contains(&slot) || hop.unlike.contains(&slot)
    };
    let reads = |expr: &Expr| expr.slots().contains(&slot);
    match step {
        Step::Filter(condition) => reads(condition),
        Step::Path { parts, .. } => {
            parts.contains(&PathPart::Relationships(slot)) || parts.contains(&PathPart::Node(slot))
        }
        Step::Expand(expand) => hop(expand),
        Step::Walk(walk) => hop(&walk.hop) || walk.properties.iter().any(|(_, value)| reads(value)),
        Step::Shortest(walk) => {
            hop(&walk.hop) || walk.properties.iter().any(|(_, value)| reads(value))
        }
        Step::Scan { slot: scanned, source, .. } => {
            *scanned == slot
                || match source {
                    Source::Index { value, .. } | Source::IndexIn { list: value, .. } => {
                        reads(value)
                    }
                    _ => false,
                }
        }
        Step::Check { slot: checked, .. } => *checked == slot,
    }
}
