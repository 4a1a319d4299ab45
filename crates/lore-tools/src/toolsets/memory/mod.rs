//! `memory`: what an agent has learned, as five tools with actions, three resources and two
//! prompts.
//!
//! As the contract requires, every answer is an object with `_v`, and refusals are answers with an
//! `error`. Only arguments that no action could parse fail like in other toolsets.

mod arguments;
mod context_wire;
mod envelope;
mod kn_bootup;
mod kn_experience;
mod kn_graph;
mod kn_idea;
mod kn_intel;
mod kn_project;
mod kn_review;
mod recall_wire;
mod related_wire;
mod resources;
mod wire;
mod words;

use crate::prompt::Prompt;
use crate::resource::Resource;
use crate::tool::Tool;

pub(super) fn tools() -> Vec<Tool> {
    vec![
        Tool::of::<kn_intel::KnIntel>(),
        Tool::of::<kn_graph::KnGraph>(),
        Tool::of::<kn_experience::KnExperience>(),
        Tool::of::<kn_project::KnProject>(),
        Tool::of::<kn_idea::KnIdea>(),
    ]
}

pub(super) fn resources() -> Vec<Resource> {
    resources::resources()
}

pub(super) fn prompts() -> Vec<Prompt> {
    vec![kn_bootup::PROMPT, kn_review::PROMPT]
}
