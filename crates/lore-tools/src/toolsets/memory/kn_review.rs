//! Prompt `kn_review`: reviews what a session achieved and what comes next.

use std::collections::BTreeMap;
use std::fmt::Write;

use futures::FutureExt;
use lore_app::memory::experience::{self, Experience, Wanted};
use lore_app::memory::project::{self, Entry, Outcome, Project};
use lore_app::memory::status::{self, Status};
use lore_core::Result;

use super::envelope::memory_call;
use super::kn_bootup::{STEP_LETTERS, line};
use super::resources::plain;
use crate::call::Call;
use crate::prompt::{Prompt, PromptText, Speaker};
use crate::toolset::Toolset;

pub(super) const PROMPT: Prompt = Prompt {
    name: "kn_review",
    title: "End a session",
    description: "Look back before the session ends: what was completed, what failed, the next \
                  step, and what to write down.",
    toolset: Toolset::Memory,
    arguments: &[],
    render: |call: Call, _| open(call).boxed(),
};

/// How many of the latest log entries are reviewed.
const STEPS: usize = 10;
/// How many experiences are counted by type.
const MEMORIES: usize = 50;

async fn open(call: Call) -> Result<Vec<PromptText>> {
    let call = memory_call(&call, "kn_review");
    let project = project::list(&call).await.map_err(plain)?.into_iter().next();
    let steps = match &project {
        Some(project) => project::recent(&call, project, STEPS).await.map_err(plain)?,
        None => Vec::new(),
    };
    let wanted = Wanted { limit: MEMORIES, ..Wanted::default() };
    let memories = experience::search(&call, &wanted).await.map_err(plain)?;
    let status = status::status(&call).await.map_err(plain)?;
    let text = render(project.as_ref(), &steps, &memories, &status);
    Ok(vec![PromptText { speaker: Speaker::User, text }])
}

fn render(
    project: Option<&Project>,
    steps: &[Entry],
    memories: &[Experience],
    status: &Status,
) -> String {
    let mut text = String::from("# Session review\n");
    match project {
        Some(project) => {
            let _ = write!(text, "\nProject: {} ({})\n", project.node.name, project.phase.as_str());
        }
        None => text.push_str("\nNo project yet, so there is no log to review.\n"),
    }
    let of = |outcome| steps.iter().filter(move |step| step.outcome == outcome).collect::<Vec<_>>();
    write_steps(&mut text, "Completed", &of(Outcome::Progress));
    write_steps(&mut text, "Issues", &of(Outcome::Failure));
    if let Some(next) = steps.first().and_then(|step| step.next_step.as_ref()) {
        let _ = write!(text, "\nSuggested next step: {}\n", line(next, STEP_LETTERS));
    }
    write_stats(&mut text, memories, status);
    text.push_str(
        "\nBefore we stop: log what was done with kn_project log, learn what is worth keeping with \
         kn_intel learn, and say what comes next.\n",
    );
    text
}

fn write_stats(text: &mut String, memories: &[Experience], status: &Status) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for memory in memories {
        *counts.entry(memory.fading.experience_type.as_str()).or_default() += 1;
    }
    text.push_str("\n## Memory Stats\n");
    if status.nodes + status.experiences == 0 {
        text.push_str("- nothing yet\n");
    }
    if memories.len() as u64 == status.experiences {
        for (experience_type, count) in counts {
            let _ = writeln!(text, "- {experience_type}: {count}");
        }
    } else {
        let shares: Vec<_> = counts
            .into_iter()
            .map(|(experience_type, count)| format!("{experience_type} {count}"))
            .collect();
        let (all, fresh, shares) = (status.experiences, memories.len(), shares.join(", "));
        let _ = writeln!(text, "- experiences: {all}; the {fresh} with most left: {shares}");
    }
    if status.nodes > 0 {
        let _ = writeln!(text, "- nodes: {}, edges: {}", status.nodes, status.edges);
    }
}

fn write_steps(text: &mut String, heading: &str, steps: &[&Entry]) {
    if steps.is_empty() {
        return;
    }
    let _ = write!(text, "\n## {heading} ({})\n", steps.len());
    for step in steps {
        let _ = write!(text, "- {}", line(&step.action, STEP_LETTERS));
        if let Some(result) = &step.result {
            let _ = write!(text, ": {}", line(result, STEP_LETTERS));
        }
        if let Some(next) = step.next_step.as_ref().filter(|_| step.outcome == Outcome::Failure) {
            let _ = write!(text, " (next: {})", line(next, STEP_LETTERS));
        }
        text.push('\n');
    }
}
