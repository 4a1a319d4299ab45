//! Documentation pages that are generated from the declarations.
//!
//! `cargo xtask docs` writes these pages; a test fails when they are out of date.

use std::fmt::Write;

use lore_core::error::Code;
use serde_json::{Map, Value};

use crate::registry::Registry;
use crate::selection::Selection;
use crate::tool::Tool;
use crate::toolset::Toolset;

/// Renders docs/tools.md: every tool, resource and prompt.
pub fn tools_page(registry: &Registry) -> String {
    let mut page = String::from(
        "# Tools\n\nGenerated from the registry by `cargo xtask docs`; do not edit by hand.\n",
    );
    page.push_str(SHARED_ARGUMENTS);
    for toolset in Toolset::ALL {
        let tools: Vec<_> = registry.all_tools().filter(|tool| tool.toolset == toolset).collect();
        if tools.is_empty() {
            continue;
        }
        let _ = write!(page, "\n## `{toolset}`\n\n{}.\n", toolset.purpose());
        for tool in tools {
            write_tool(&mut page, tool);
        }
    }
    write_resources(&mut page, registry);
    write_prompts(&mut page, registry);
    page
}

/// Explains the arguments that mean the same in every tool. The schemas only name them, because
/// models read all schemas before they do anything.
const SHARED_ARGUMENTS: &str = "
Some arguments mean the same in every tool. `idempotency_key` is a text of your choice: a call
repeated with the same key and arguments changes nothing and gets the same answer; the key of
another call is refused. `context_id` comes from `set_context` and is only needed by clients
without a session. An optional `campaign_id` or `session_id` defaults to that of the context. Leave
`rng` out for fresh dice; with the `seed_used` of an earlier roll, it repeats that roll.

What an argument means if it is left out is shown where it matters. Without that, a switch is off, a
filter does not apply, and an update leaves the field as it is. Numbers and texts have generous
limits besides those shown; the error names them. A `limit` of `find_entities` and of the `list_`
tools above its maximum counts as the maximum. Texts with tag characters or characters that change
the direction of text (U+202A to U+202E, U+2066 to U+2069, U+E0000 to U+E007F except in flags) are
refused where they would be stored; where something is only looked for, these characters are
ignored.
";

/// Renders docs/errors.md: what each error code means and what to do.
pub fn errors_page() -> String {
    let mut page = String::from(
        "# Errors\n\nGenerated from the error table by `cargo xtask docs`; do not edit by hand.\n\n\
         A tool that fails in a way its caller can act on answers with `isError: true` and the\n\
         structured content `{code, message, hint}`, plus `field` where an argument is to blame\n\
         and `retry_after` in seconds where waiting helps.\n\
         The JSON-RPC code is used where no tool is involved (resources, prompts), the HTTP status\n\
         where the error is the whole answer.\n\n\
         | code | HTTP | JSON-RPC | same request again? | what to do |\n\
         | --- | --- | --- | --- | --- |\n",
    );
    for code in Code::ALL {
        let row = code.meaning();
        let retry = if row.retry { "may succeed" } else { "will fail" };
        let _ = writeln!(
            page,
            "| `{}` | {} | {} | {retry} | {} |",
            row.name, row.http, row.json_rpc, row.advice
        );
    }
    page.push_str(
        "\nBefore a message reaches a tool: `-32700` it is not JSON, `-32600` it is not a message \
         (batches\nare not supported), `-32601` unknown method, `-32602` unknown tool or prompt, \
         `-32001` unknown\nsession (HTTP 404: initialize again).\n",
    );
    page
}

fn write_tool(page: &mut String, tool: &Tool) {
    let _ = write!(page, "\n### `{}`\n\n{}\n\n", tool.name, tool.description);
    let hints = tool.annotations;
    let words = [
        (hints.read_only, "read-only", "writes"),
        (hints.destructive, "destructive", "not destructive"),
        (hints.idempotent, "idempotent", "not idempotent"),
        (hints.open_world, "may reach other services", "reaches no other service"),
    ];
    let words = words.map(|(is, yes, no)| if is { yes } else { no });
    let _ = writeln!(page, "Least role: {}. Hints: {}.", tool.role, words.join(", "));
    if !tool.aliases.is_empty() {
        let _ = writeln!(page, "Also answers to: `{}`.", tool.aliases.join("`, `"));
    }
    if let Some(actions) = tool.reading.as_ref().and_then(|form| actions_of(form)) {
        let _ = writeln!(page, "Readers and read-only servers have: {actions}.");
    }
    write_fields(page, "argument", &tool.input_schema);
    write_fields(page, "answer", &tool.answer_schema);
    let _ = write!(page, "\nExample arguments: `{}`\n", tool.example);
}

/// The actions in a form of a tool; `None` if it takes no `action`.
fn actions_of(tool: &Tool) -> Option<String> {
    let action = tool.input_schema.get("properties")?.get("action")?;
    let words: Vec<_> = action.get("enum")?.as_array()?.iter().filter_map(Value::as_str).collect();
    Some(words.join(", "))
}

/// The fields of a schema, including those of its `anyOf` alternatives.
fn fields_of(schema: &Map<String, Value>) -> Map<String, Value> {
    let own = schema.get("properties").and_then(Value::as_object);
    let mut fields = own.cloned().unwrap_or_default();
    let alternatives = schema.get("anyOf").and_then(Value::as_array);
    for alternative in alternatives.into_iter().flatten().filter_map(Value::as_object) {
        for (name, field) in fields_of(alternative) {
            fields.entry(name).or_insert(field);
        }
    }
    fields
}

fn write_fields(page: &mut String, heading: &str, schema: &Map<String, Value>) {
    let fields = fields_of(schema);
    if fields.is_empty() {
        let _ = write!(page, "\nNo {heading}s.\n");
        return;
    }
    let required: Vec<_> =
        schema.get("required").and_then(Value::as_array).into_iter().flatten().collect();
    let _ = write!(page, "\n| {heading} | type | | |\n| --- | --- | --- | --- |\n");
    for (name, field) in &fields {
        let must = if required.iter().any(|key| *key == name) { "required" } else { "" };
        let about = field.get("description").and_then(Value::as_str).unwrap_or("");
        let about = about.replace('\n', " ").replace('|', "\\|");
        let about = match field.get("default") {
            Some(default) if about.is_empty() => format!("default `{default}`"),
            Some(default) => format!("{}; default `{default}`", about.trim_end_matches('.')),
            None => about,
        };
        let _ = writeln!(page, "| `{name}` | {} | {must} | {about} |", type_words(field));
    }
}

fn type_words(field: &Value) -> String {
    if let Some(choices) = field.get("enum").and_then(Value::as_array) {
        let choices: Vec<_> = choices.iter().filter_map(Value::as_str).collect();
        return choices.join(" \\| ");
    }
    if let Some([one, other]) = field.get("anyOf").and_then(Value::as_array).map(Vec::as_slice) {
        return format!("{} or {}", type_words(one), type_words(other));
    }
    let names: Vec<&str> = match field.get("type") {
        Some(Value::String(name)) => vec![name],
        Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
        _ => vec!["any"],
    };
    let bound = |key: &str| field.get(key).map(Value::to_string);
    let words = names.into_iter().map(|name| match (name, bound("minimum"), bound("maximum")) {
        ("array", ..) => {
            format!("list of {}", field.get("items").map_or_else(|| "any".into(), type_words))
        }
        (name @ ("integer" | "number"), Some(min), Some(max)) => format!("{name} {min}…{max}"),
        (name, ..) => name.to_owned(),
    });
    words.collect::<Vec<_>>().join(" or ")
}

fn write_resources(page: &mut String, registry: &Registry) {
    page.push_str("\n## Resources\n\n| URI | toolset | |\n| --- | --- | --- |\n");
    let everything = everything();
    for resource in registry.resources(&everything, lore_core::Role::Owner) {
        let toolset = resource.toolset.map_or("always on", Toolset::as_str);
        let _ = writeln!(page, "| `{}` | {toolset} | {} |", resource.uri.0, resource.description);
    }
}

fn write_prompts(page: &mut String, registry: &Registry) {
    page.push_str(
        "\n## Prompts\n\n| prompt | toolset | arguments | |\n| --- | --- | --- | --- |\n",
    );
    for prompt in registry.prompts(&everything()) {
        let names: Vec<_> = prompt.arguments.iter().map(|argument| argument.name).collect();
        let _ = writeln!(
            page,
            "| `{}` | {} | {} | {} |",
            prompt.name,
            prompt.toolset,
            names.join(", "),
            prompt.description
        );
    }
}

fn everything() -> Selection {
    Selection::new().with_toolsets(["all"]).unwrap_or_default()
}
