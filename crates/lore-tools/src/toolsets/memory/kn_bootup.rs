//! Prompt `kn_bootup`: summarises where the last session stopped.

use std::collections::HashSet;
use std::fmt::Write;

use futures::FutureExt;
use lore_app::memory::experience::{self, Experience, Wanted};
use lore_app::memory::graph::{self, Known, NodeSearch};
use lore_app::memory::idea::{self, Idea};
use lore_app::memory::ids::shown;
use lore_app::memory::kinds::type_of;
use lore_app::memory::project::{self, Entry, Outcome, Project};
use lore_core::{Node, Result};

use super::envelope::memory_call;
use super::resources::plain;
use crate::call::Call;
use crate::prompt::{Prompt, PromptText, Speaker};
use crate::toolset::Toolset;

pub(super) const PROMPT: Prompt = Prompt {
    name: "kn_bootup",
    title: "Start a session",
    description: "Pick up where the last session stopped: the active project and its last steps, \
                  the most relevant memories, and the ideas being implemented.",
    toolset: Toolset::Memory,
    arguments: &[],
    render: |call: Call, _| open(call).boxed(),
};

/// How many steps, nodes, memories and ideas the prompt shows at most.
const STEPS: usize = 5;
const KNOWN: usize = 5;
/// How many of the newest nodes to look at, to find `KNOWN` that are not among the memories.
const LOOKED_AT: usize = 50;
const MEMORIES: usize = 5;
const IDEAS: usize = 3;
/// The minimum relevance of memories that are shown.
const LEFT_MIN: f64 = 0.3;
/// The maximum lengths of a memory, of the goals, and of each text of a step, in characters.
const LETTERS: usize = 80;
const GOALS_LETTERS: usize = 1_000;
pub(super) const STEP_LETTERS: usize = 200;

async fn open(call: Call) -> Result<Vec<PromptText>> {
    let call = memory_call(&call, "kn_bootup");
    let projects = project::list(&call).await.map_err(plain)?;
    let steps = match projects.first() {
        Some(first) => project::recent(&call, first, STEPS).await.map_err(plain)?,
        None => Vec::new(),
    };
    let wanted = Wanted { min_relevance: LEFT_MIN, limit: MEMORIES, ..Wanted::default() };
    let memories = experience::search(&call, &wanted).await.map_err(plain)?;
    let implementing = idea::Wanted {
        status: Some("implementing".into()),
        limit: IDEAS,
        ..idea::Wanted::default()
    };
    let ideas = idea::list(&call, &implementing).await.map_err(plain)?;
    let newest = NodeSearch { limit: LOOKED_AT, ..NodeSearch::default() };
    let mut known = graph::query(&call, &newest).await.map_err(plain)?.nodes;
    // What was learned has two halves: an experience that fades, and a node that stays. A node
    // whose experience is among the memories would be the same fact twice.
    let shown: HashSet<String> =
        memories.iter().map(|memory| memory.node.uid.to_string()).collect();
    let experience = |node: &Node| Some(node.properties.get("experience")?.as_str()?.to_owned());
    known.retain(|known| experience(&known.node).is_none_or(|uid| !shown.contains(&uid)));
    known.truncate(KNOWN);
    let text = render(&Scene { projects, steps, memories, known, ideas });
    Ok(vec![PromptText { speaker: Speaker::User, text }])
}

/// The data that the prompt is rendered from.
struct Scene {
    projects: Vec<Project>,
    steps: Vec<Entry>,
    memories: Vec<Experience>,
    known: Vec<Known>,
    ideas: Vec<Idea>,
}

fn render(scene: &Scene) -> String {
    let Scene { projects, steps, memories, known, ideas } = scene;
    let mut text = String::from("# Where we stopped\n");
    match projects.as_slice() {
        [] => text.push_str(
            "\nThere is no project yet. Create one with kn_project create when there is a goal \
             to work towards.\n",
        ),
        [first, others @ ..] => write_project(&mut text, first, others.len(), steps),
    }
    if memories.is_empty() && known.is_empty() && projects.is_empty() {
        text.push_str("\nNothing is remembered yet: kn_intel learn keeps what is worth keeping.\n");
    }
    if !memories.is_empty() {
        text.push_str("\n## Key Memories\n");
    }
    for memory in memories {
        let content = line(&memory.content, LETTERS);
        let _ = write!(text, "- [{}] {content}", memory.fading.experience_type.as_str());
        if let Some(replacement) = &memory.replacement {
            let _ = write!(text, " (no longer holds: see {})", shown(&replacement.by));
        }
        text.push('\n');
    }
    if !known.is_empty() {
        text.push_str("\n## Latest Knowledge\n");
    }
    for Known { node, .. } in known {
        let _ = writeln!(text, "- [{}] {} ({})", type_of(node), node.name, shown(node));
    }
    if !ideas.is_empty() {
        text.push_str("\n## Ideas in Progress\n");
    }
    for idea in ideas {
        let _ = writeln!(text, "- {} ({})", idea.node.name, shown(&idea.node));
    }
    text.push_str(
        "\nRecall more with kn_intel recall before answering from memory, and note each step with \
         kn_project log.\n",
    );
    text
}

fn write_project(text: &mut String, project: &Project, others: usize, steps: &[Entry]) {
    let name = &project.node.name;
    let heading = if project.active { "Active Project" } else { "Latest Project" };
    let _ = write!(text, "\n## {heading}: {name}\nId: {}\n", shown(&project.node));
    let _ = writeln!(text, "Phase: {}", project.phase.as_str());
    if !project.goals.is_empty() {
        let _ = writeln!(text, "Goals: {}", line(&project.goals.join(", "), GOALS_LETTERS));
    }
    if !project.active {
        text.push_str("No project is active: choose one with kn_project list, set_active.\n");
    }
    for step in steps {
        let tag = match step.outcome {
            Outcome::Progress => "OK",
            Outcome::Failure => "FAIL",
        };
        let _ = write!(text, "- [{tag}] {}", line(&step.action, STEP_LETTERS));
        if let Some(next) = &step.next_step {
            let _ = write!(text, " → next: {}", line(next, STEP_LETTERS));
        }
        text.push('\n');
    }
    if others > 0 {
        let _ = writeln!(text, "Other projects: {others} (kn_project list)");
    }
}

/// Returns a text on one line, cut to a number of characters.
pub(super) fn line(text: &str, letters: usize) -> String {
    // Every word has at least one character, so more words never fit.
    let line = text.split_whitespace().take(letters).collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(letters) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default().trim_end()),
        None => line,
    }
}
