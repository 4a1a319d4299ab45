//! World Anvil's contract: articles, categories, maps, timelines and the rest.
//!
//! The tools come from `lore_anvil`'s table, one row for each kind of resource: what is
//! said of one kind is said of all in the same words. Only the search is its own.

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

/// The tools, reading ones first.
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

/// Objects by their address.
pub(super) fn resources() -> Vec<Resource> {
    vec![object::resource()]
}

/// Where objects come from for a call of `tool`: World Anvil, where it is configured, else
/// the own world.
fn source(call: &Call, tool: &'static str) -> Box<dyn Anvil> {
    let request_id = call.request_id().to_owned();
    let here = Atlas::new(Arc::clone(&call.app), call.viewer, tool, request_id);
    match &call.app.anvil {
        Some(live) => Box::new(Screened::new(Arc::clone(live), here)),
        None => Box::new(here),
    }
}
