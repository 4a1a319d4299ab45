//! The registry of tools, resources and prompts.

use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures::FutureExt;
use lore_core::error::named;
use lore_core::{Error, Role};
use lore_store::LeftOut;
use serde_json::{Map, Value};

use crate::call::Call;
use crate::prompt::Prompt;
use crate::resource::{Captures, Resource};
use crate::selection::Selection;
use crate::tool::{Answer, Tool};
use crate::toolset::Toolset;
use crate::toolsets;

/// Every tool, resource and prompt, in listing order.
pub struct Registry {
    tools: Vec<Arc<Tool>>,
    by_name: HashMap<&'static str, Arc<Tool>>,
    resources: Vec<Resource>,
    prompts: Vec<Prompt>,
}

/// Why a tool call has no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// No such tool exists: the request itself is wrong.
    #[error("unknown tool {:?}", named(.0))]
    UnknownTool(String),
    /// The tool exists and is switched off.
    #[error("the tool {} is switched off here: {}", named(.tool), .off.reason())]
    SwitchedOff {
        /// The tool, as it was called.
        tool: String,
        /// By what.
        off: Off,
    },
    /// The call was refused or failed, with an error that the caller can act on.
    #[error(transparent)]
    Failed(#[from] Error),
}

/// What switched a tool off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Off {
    /// The tool writes, and writing is off.
    ReadOnly,
    /// The choice of toolsets and tools.
    NotChosen(Toolset),
}

impl Off {
    fn reason(self) -> String {
        match self {
            Self::ReadOnly => "it writes, and read-only is on".into(),
            Self::NotChosen(toolset) => format!(
                "it belongs to the toolset {toolset}; see --toolsets, --tools and --exclude-tools, \
                 and what the request chose"
            ),
        }
    }
}

impl Registry {
    /// Returns the registry of the product.
    pub fn standard() -> Self {
        let tools: Vec<_> = toolsets::tools().into_iter().map(Arc::new).collect();
        let mut by_name = HashMap::new();
        for tool in &tools {
            for name in std::iter::once(&tool.name).chain(tool.aliases) {
                by_name.insert(*name, Arc::clone(tool));
            }
        }
        Self { tools, by_name, resources: toolsets::resources(), prompts: toolsets::prompts() }
    }

    /// Returns every tool, whether it is switched on or not.
    pub fn all_tools(&self) -> impl Iterator<Item = &Arc<Tool>> {
        self.tools.iter()
    }

    /// Returns the tools that are switched on for a caller with `role`, each in the fullest form
    /// that the role may use.
    pub fn tools<'a>(
        &'a self,
        selection: &'a Selection,
        role: Role,
    ) -> impl Iterator<Item = &'a Arc<Tool>> {
        self.tools.iter().filter_map(move |tool| {
            tool.forms().find(|form| role >= form.role && selection.allows(form))
        })
    }

    /// Returns a tool by its name or an alias, whether it is switched on or not.
    pub fn tool(&self, name: &str) -> Option<&Arc<Tool>> {
        self.by_name.get(name)
    }

    /// Returns the resources that are switched on for a caller with `role`.
    pub fn resources<'a>(
        &'a self,
        selection: &'a Selection,
        role: Role,
    ) -> impl Iterator<Item = &'a Resource> {
        self.resources.iter().filter(move |resource| {
            let on = resource.toolset.is_none_or(|toolset| selection.allows_toolset(toolset));
            on && role >= resource.role
        })
    }

    /// Returns the resource that a URI matches, with the values of its variables.
    pub fn resource<'a>(
        &'a self,
        selection: &'a Selection,
        role: Role,
        uri: &str,
    ) -> Option<(&'a Resource, Captures)> {
        self.resources(selection, role)
            .find_map(|resource| resource.uri.captures(uri).map(|found| (resource, found)))
    }

    /// Returns the prompts that are switched on.
    pub fn prompts<'a>(&'a self, selection: &'a Selection) -> impl Iterator<Item = &'a Prompt> {
        self.prompts.iter().filter(|prompt| selection.allows_toolset(prompt.toolset))
    }

    /// Calls a tool. Checks that it is switched on and that the caller's role suffices, and catches
    /// panics, so that one bad call never takes the server down.
    pub async fn call(
        &self,
        selection: &Selection,
        name: &str,
        mut call: Call,
        arguments: Map<String, Value>,
    ) -> Result<Answer, CallError> {
        let unknown = || CallError::UnknownTool(name.to_owned());
        let whole = self.tool(name).ok_or_else(unknown)?;
        let on = || whole.forms().filter(|form| selection.allows(form));
        let widest = on().next().ok_or_else(|| switched_off(selection, whole, name))?;
        let tool = on().find(|form| call.viewer.role >= form.role).unwrap_or(widest);
        call.viewer.require(tool.role)?;
        let arguments = tool.modernised(name, arguments);
        if tool.withholds(whole, &arguments) {
            call.viewer.require(whole.role)?;
            return Err(read_only().into());
        }
        let arguments = tool.in_plain_sight(arguments)?;
        call.check_cancelled()?;
        call.reading_only = tool.annotations.read_only;
        let left_out = LeftOut::default();
        let asked = call.clone();
        let work = AssertUnwindSafe(tool.run(call, arguments)).catch_unwind();
        let answer = left_out.during(work).await.unwrap_or_else(|_| {
            tracing::error!(tool = tool.name, "a tool panicked");
            Err(Error::Bug { what: format!("the tool {}", tool.name) })
        });
        let answer = answer.map_err(|error| asked.traced(error))?;
        Ok(answer.without(left_out.told()))
    }
}

fn switched_off(selection: &Selection, tool: &Tool, called: &str) -> CallError {
    let off = match selection.is_read_only() && !tool.annotations.read_only {
        true => Off::ReadOnly,
        false => Off::NotChosen(tool.toolset),
    };
    CallError::SwitchedOff { tool: called.to_owned(), off }
}

/// The error for a writing action on a read-only server.
fn read_only() -> Error {
    Error::Forbidden {
        action: "this server is read-only".into(),
        hint: "use one of the actions in the tool's input schema".into(),
    }
}
