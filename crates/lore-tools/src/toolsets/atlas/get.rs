//! The tools that read one resource.

use std::sync::Arc;

use futures::FutureExt;
use lore_anvil::{Kind, Sensitivity, shown};
use lore_core::{Result, Role};
use serde_json::{Map, Value, json};

use super::arguments::Arguments;
use super::{declare, source};
use crate::call::Call;
use crate::tool::{Annotations, Answer, Row, Tool};
use crate::toolset::Toolset;

/// Returns the tool that reads one resource of a kind, if the contract has it.
pub(super) fn tool(kind: Kind) -> Option<Tool> {
    let row = kind.row();
    let name = row.get_tool?;
    let input = input(kind);
    let schema = input.clone();
    let handler = Arc::new(move |call: Call, given: Map<String, Value>| {
        let arguments = Arguments::of(given, &schema);
        async move { get(call, kind, name, arguments?).await }.boxed()
    });
    Some(Tool::from(Row {
        name,
        toolset: Toolset::Atlas,
        title: format!("Get {}", row.one),
        description: description(kind),
        annotations: Annotations::READ,
        role: least_role(kind),
        input_schema: input,
        answer_schema: declare::one(kind),
        example: example(kind),
        handler,
    }))
}

async fn get(call: Call, kind: Kind, tool: &'static str, arguments: Arguments) -> Result<Answer> {
    let row = kind.row();
    let id = match kind {
        Kind::User => None,
        Kind::World => arguments.id(row.id_argument)?,
        _ => Some(arguments.needed_id(row.id_argument)?),
    };
    let (granularity, shape) = (arguments.granularity()?, arguments.shape()?);
    let asked = row.granularity(granularity);
    let object = source(&call, tool).read(kind, id.as_deref(), asked).await?;
    let data = shown(kind, &object, granularity, shape);
    let structured = json!({ "success": true, "data": data });
    Ok(Answer { text: structured.to_string(), structured })
}

/// Returns the lowest role that may read a kind. Secrets are for the game master's side; of other
/// kinds, each viewer gets what the store shows them.
pub(super) fn least_role(kind: Kind) -> Role {
    match kind.row().sensitivity {
        Sensitivity::Secret => Role::Gm,
        Sensitivity::Open => Role::Reader,
    }
}

fn description(kind: Kind) -> String {
    let row = kind.row();
    if kind == Kind::User {
        return "Read your own user: id, name and the number of worlds you can enter. Use it first; \
                list_user_worlds then lists the worlds. Returns data."
            .to_owned();
    }
    let about = if row.about.is_empty() { String::new() } else { format!(" ({})", row.about) };
    let ids = match (kind, row.list_tool) {
        (Kind::Article, _) => "Use list_articles or search_articles for ids. ".to_owned(),
        (Kind::World, _) => "Use list_user_worlds for ids; default: the current world. ".to_owned(),
        (Kind::Campaign, _) => "Use the id that play tools show. ".to_owned(),
        (_, Some(list)) => format!("Use {list} for ids. "),
        (_, None) => String::new(),
    };
    let back = match kind {
        Kind::Article => "Returns data; the text only with granularity 2.",
        _ => "Returns data.",
    };
    format!("Read one {}{about}. {ids}{back}", row.one)
}

fn input(kind: Kind) -> Map<String, Value> {
    let row = kind.row();
    let mut fields = Vec::new();
    let mut required = Vec::new();
    if kind != Kind::User {
        fields.push((row.id_argument, declare::id(kind)));
        fields.push(("granularity", declare::granularity()));
    }
    if !matches!(kind, Kind::User | Kind::World) {
        required.push(row.id_argument);
    }
    fields.push(("verbose", declare::flag()));
    declare::object(fields, &required)
}

fn example(kind: Kind) -> Value {
    match kind {
        Kind::User => json!({}),
        Kind::World => json!({ "granularity": 1 }),
        _ => json!({ kind.row().id_argument: format!("${}", kind.row().path), "granularity": 2 }),
    }
}
