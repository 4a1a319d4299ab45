//! Searches the caller's other worlds for answers.

use futures::{StreamExt, TryStreamExt, stream};
use lore_core::World;

use super::access;
use super::answer_budget::{AnswerBudget, Piece};
use super::call::MemoryCall;
use super::recall::{Ask, Breadth, Each, Memory, find, recallable};
use super::refusal::{Reply, required};
use crate::access::in_another;

/// The number of worlds that are searched at once.
const TOGETHER: usize = 4;

/// The lowest relevance an experience must have left to be shown from another world.
const LEFT_MIN: f64 = 0.1;

/// An answer from another world.
#[derive(Debug, Clone, PartialEq)]
pub struct Elsewhere {
    /// The name of the world.
    pub workspace: String,
    /// What was found there.
    pub memory: Memory,
}

/// The answers from other worlds.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// The best answers of all worlds, best first.
    pub rows: Vec<Elsewhere>,
    /// How many more answers did not fit into the budget.
    pub left_out: usize,
    /// The names of the worlds that were searched.
    pub searched: Vec<String>,
}

/// Searches every other world the caller may enter. If the caller has only one world, that one is
/// searched.
pub async fn crossref(call: &MemoryCall, problem: Option<&str>, ask: &Ask) -> Reply<Found> {
    let problem = required("problem", "crossref", problem)?;
    let ask = Ask {
        topic: Some(problem.to_owned()),
        min_relevance: ask.min_relevance.max(LEFT_MIN),
        ..ask.clone()
    };
    let worlds = worlds(call).await?;
    // This keeps the order of the worlds, so answers with the same score keep theirs.
    let found = stream::iter(worlds.clone()).map(|world| answers(call, world, &ask));
    let found: Vec<Vec<_>> = found.buffered(TOGETHER).try_collect().await?;
    let mut rows: Vec<_> = found.into_iter().flatten().collect();
    let score = |memory: &Memory| memory.score.unwrap_or_default();
    rows.sort_by(|(.., a), (.., b)| score(b).total_cmp(&score(a)));
    rows.truncate(ask.limit);
    let mut rows: Vec<_> = rows
        .into_iter()
        .map(|(there, workspace, memory)| (there, Elsewhere { workspace, memory }))
        .collect();
    let all = rows.len();
    if let Some(mut answer_budget) = ask.answer_budget {
        answer_budget.take(worlds.iter().map(|world| Piece::World(&world.name)));
        let fitting = that_fit(&answer_budget, &mut rows, problem);
        rows.truncate(fitting);
    }
    note(&rows).await;
    Ok(Found {
        left_out: all - rows.len(),
        rows: rows.into_iter().map(|(_, row)| row).collect(),
        searched: worlds.into_iter().map(|world| world.name).collect(),
    })
}

/// Finds the answers from one world, each with the call in that world and its name. There are none
/// if the caller may not enter it.
async fn answers(
    call: &MemoryCall,
    world: World,
    ask: &Ask,
) -> Reply<Vec<(MemoryCall, String, Memory)>> {
    let Some(there) = entered(call, &world).await? else { return Ok(Vec::new()) };
    let found = find(&there, ask, recallable()?, Breadth::Related, Each::Text).await?;
    Ok(found.into_iter().map(|memory| (there.clone(), world.name.clone(), memory)).collect())
}

/// Counts accesses to what answered, each in its own world.
async fn note(rows: &[(MemoryCall, Elsewhere)]) {
    let answering = access::answering(rows.iter().map(|(_, row)| &row.memory));
    for (there, row) in rows {
        let counts = answering.iter().any(|memory| std::ptr::eq(*memory, &row.memory));
        access::note(there, counts.then_some(&row.memory).into_iter()).await;
    }
}

/// Returns how many of the rows fit into the budget, after shortening the best one to fit.
fn that_fit(
    answer_budget: &AnswerBudget,
    rows: &mut [(MemoryCall, Elsewhere)],
    problem: &str,
) -> usize {
    if let Some((_, best)) = rows.first_mut() {
        answer_budget.shorten(&mut best.memory, Some(&best.workspace), problem);
    }
    answer_budget
        .that_fit(rows.iter().map(|(_, row)| Piece::Memory(&row.memory, Some(&row.workspace))))
}

async fn worlds(call: &MemoryCall) -> Reply<Vec<World>> {
    let mut worlds = call.app.store.worlds(call.viewer.principal).await?;
    if worlds.len() > 1 {
        worlds.retain(|world| world.id != call.viewer.world);
    }
    Ok(worlds)
}

/// Returns the call as the same caller in another world, or `None` if they may not enter it.
async fn entered(call: &MemoryCall, world: &World) -> Reply<Option<MemoryCall>> {
    let viewer = in_another(&call.app, &call.viewer, world.id).await?;
    Ok(viewer.map(|viewer| MemoryCall { viewer, ..call.clone() }))
}
