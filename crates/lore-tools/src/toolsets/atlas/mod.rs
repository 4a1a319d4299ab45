//! `atlas` and `atlas-write`: World Anvil's contract, with articles, categories, maps, timelines
//! and other resources.
//!
//! All tools except `search_articles` are generated from `lore_anvil`'s table, which has one row
//! per kind of resource. Tools for different kinds are therefore described in the same words.

mod arguments;
mod declare;
mod get;
mod list;
mod object;
mod search_articles;
mod write;

use std::sync::Arc;

use lore_anvil::Kind;
use lore_app::atlas::{Anvil, Atlas, Screened};

use crate::call::Call;
use crate::resource::Resource;
use crate::tool::Tool;

/// Returns the tools: those that read, then those that write.
pub(super) fn tools() -> Vec<Tool> {
    let mut tools = Vec::new();
    for kind in Kind::ALL.iter().copied() {
        tools.extend(get::tool(kind));
        tools.extend(list::tool(kind));
        if kind == Kind::Article {
            tools.push(Tool::of::<search_articles::SearchArticles>());
        }
    }
    tools.extend(Kind::ALL.iter().copied().flat_map(write::tools));
    tools
}

/// Returns the resource that reads an object by its URI.
pub(super) fn resources() -> Vec<Resource> {
    vec![object::resource()]
}

/// Returns where a call of `tool` reads and writes objects: World Anvil, if it is configured,
/// otherwise this world.
fn source(call: &Call, tool: &'static str) -> Box<dyn Anvil> {
    let request_id = call.request_id().to_owned();
    let here = Atlas::new(Arc::clone(&call.app), call.viewer, tool, request_id);
    match &call.app.anvil {
        Some(live) => Box::new(Screened::new(Arc::clone(live), here)),
        None => Box::new(here),
    }
}
