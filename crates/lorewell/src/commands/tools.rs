//! `lorewell tools`: lists the active tools and how much a model has to read for each.

use anyhow::Context;
use lore_core::Role;
use lore_tools::{Registry, Tool};
use serde_json::{Value, json};

use crate::cli::Tools;
use crate::config::Settings;
use crate::output;

/// Lists the active tools, or describes one.
pub(crate) fn run(settings: &Settings, options: &Tools) -> anyhow::Result<()> {
    let registry = Registry::standard();
    if let Some(name) = &options.tool {
        let tool = registry.tool(name);
        let tool = tool.with_context(|| {
            format!("there is no tool {name:?}\n  try: `lorewell tools --toolsets all` lists them")
        })?;
        output::json(&described(tool));
        return Ok(());
    }
    let tools: Vec<_> = registry.tools(&settings.selection, Role::Owner).collect();
    if options.json {
        output::json(&tools.iter().map(|tool| described(tool)).collect());
        return Ok(());
    }
    let mut rows = vec![["tool", "toolset", "bytes", "about"].map(str::to_owned).to_vec()];
    let costs: Vec<_> = tools.iter().map(|tool| cost(tool)).collect();
    rows.extend(tools.iter().zip(&costs).map(|(tool, cost)| {
        vec![
            tool.name.into(),
            tool.toolset.to_string(),
            cost.to_string(),
            tool.title.clone().into(),
        ]
    }));
    output::table(&rows);
    let total: usize = costs.iter().sum();
    output::line(format!("{} tools, {total} bytes of names, descriptions and inputs", tools.len()));
    Ok(())
}

/// The number of bytes that a model reads of a tool: name, description and input schema.
fn cost(tool: &Tool) -> usize {
    let schema = Value::Object((*tool.input_schema).clone()).to_string();
    tool.name.len() + tool.description.len() + schema.len()
}

fn described(tool: &Tool) -> Value {
    json!({
        "name": tool.name,
        "title": tool.title,
        "toolset": tool.toolset.as_str(),
        "role": tool.role.as_str(),
        "description": tool.description,
        "inputSchema": *tool.input_schema,
        "outputSchema": *tool.output_schema,
        "annotations": {
            "readOnlyHint": tool.annotations.read_only,
            "destructiveHint": tool.annotations.destructive,
            "idempotentHint": tool.annotations.idempotent,
            "openWorldHint": tool.annotations.open_world,
        },
        "example": tool.example,
        "readingActions": reading_actions(tool),
    })
}

/// The actions that remain for callers who may only read; empty for tools without actions.
fn reading_actions(tool: &Tool) -> Value {
    let schema = tool.reading.as_ref().map(|form| Value::Object((*form.input_schema).clone()));
    let actions = schema.as_ref().and_then(|schema| schema.pointer("/properties/action/enum"));
    actions.cloned().unwrap_or_else(|| json!([]))
}
