//! Walks that need not tell one way from another.
//!
//! When nothing after a variable-length pattern can tell two ways to a node apart,
//! each node is visited once: breadth first, in the size of the graph, instead of
//! one by one through a number of ways that grows exponentially.

use std::sync::Arc;

use crate::functions::Aggregate;
use crate::plan::{
    Direction, Distinct, Expr, Known, Manner, Part, PathPart, Project, Slot, Stage, Step, Way,
};

/// Looks at every run of clauses up to a projection.
pub(super) fn part(part: &mut Part) {
    let mut start = 0;
    for end in 0..part.stages.len() {
        let Some(Stage::Project(project)) = part.stages.get(end) else { continue };
        let rows = if merges(project) { Rows::Merged } else { Rows::Counted };
        segment(part, start, end, rows);
        start = end + 1;
    }
}

/// Whether it matters how often a row comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rows {
    Merged,
    Counted,
}

/// Changes the walks of a pattern whose relationships are not used elsewhere.
pub(super) fn reach(steps: &mut [Step], rows: Rows, used: impl Fn(Slot) -> bool) {
    for number in 0..steps.len() {
        let Some(Step::Walk(walk)) = steps.get(number) else { continue };
        let slot = walk.hop.relationship;
        // Undirected, the shortest way back to the start would use one edge twice.
        let simple =
            walk.min <= 1 && walk.hop.direction != Direction::Both && walk.hop.unlike.is_empty();
        let free = walk.hop.known == Known::No
            && !used(slot)
            && !steps.iter().any(|step| reads(step, slot));
        if let (true, Some(Step::Walk(walk))) = (free, steps.get_mut(number)) {
            walk.way = Way::Forgotten;
            if simple && rows == Rows::Merged {
                walk.manner = Manner::EveryNode;
            }
        }
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
            reach(&mut pattern.steps, rows, |slot| others.contains(&slot));
        }
    }
}

/// Whether a projection gives the same for one row as for several equal ones.
fn merges(project: &Project) -> bool {
    match &project.grouping {
        Some(grouping) => grouping.aggregates.iter().all(|(_, call)| {
            call.distinct == Distinct::Yes
                || matches!(call.function, Aggregate::Min | Aggregate::Max)
        }),
        None => project.distinct == Distinct::Yes,
    }
}

/// Whether a step other than the walk itself looks at its relationships.
fn reads(step: &Step, slot: Slot) -> bool {
    let in_properties = |properties: &[(Arc<str>, Expr)]| {
        properties.iter().any(|(_, value)| value.slots().contains(&slot))
    };
    match step {
        Step::Filter(condition) => condition.slots().contains(&slot),
        Step::Path { parts, .. } => parts.contains(&PathPart::Relationships(slot)),
        Step::Expand(hop) => hop.unlike.contains(&slot),
        Step::Walk(walk) => walk.hop.unlike.contains(&slot) || in_properties(&walk.properties),
        Step::Shortest(walk) => walk.hop.unlike.contains(&slot) || in_properties(&walk.properties),
        Step::Scan { .. } | Step::Check { .. } => false,
    }
}

fn slots_of(stage: &Stage) -> Vec<Slot> {
    match stage {
        Stage::Unwind { list, .. } => list.slots(),
        Stage::Match(pattern) => {
            // As an expression, a pattern tells all the slots it touches.
            Expr::Exists(Box::new(pattern.clone())).slots()
        }
        Stage::Project(project) => project.slots(),
    }
}
