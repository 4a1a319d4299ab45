//! The declarations: one folder per toolset, one file per tool.

mod atlas;
mod knowledge;
mod memory;
mod page_id;
mod pages;
mod play;
mod worlds;

use crate::prompt::Prompt;
use crate::resource::Resource;
use crate::tool::Tool;

/// Returns every tool, in listing order.
pub(crate) fn tools() -> Vec<Tool> {
    let mut tools = play::tools();
    tools.extend(memory::tools());
    tools.extend(pages::tools());
    tools.extend(knowledge::tools());
    tools.extend(atlas::tools());
    tools
}

/// Returns every resource, in listing order.
pub(crate) fn resources() -> Vec<Resource> {
    let mut resources = worlds::resources();
    resources.extend(play::resources());
    resources.extend(memory::resources());
    resources.extend(pages::resources());
    resources.extend(atlas::resources());
    resources
}

/// Returns every prompt, in listing order.
pub(crate) fn prompts() -> Vec<Prompt> {
    let mut prompts = play::prompts();
    prompts.extend(memory::prompts());
    prompts
}
