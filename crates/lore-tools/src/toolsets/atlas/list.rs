//! The tools that list resources.

use std::sync::Arc;

use futures::FutureExt;
use lore_anvil::{Kind, PAGE_MAX, shown};
use lore_app::atlas::{Detail, ListQuery};
use lore_core::Result;
use serde_json::{Map, Value, json};

use super::arguments::Arguments;
use super::get::least_role;
use super::{declare, source};
use crate::call::Call;
use crate::tool::{Annotations, Answer, Row, Tool};
use crate::toolset::Toolset;

/// Returns the tool that lists a kind, if the contract has it.
pub(super) fn tool(kind: Kind) -> Option<Tool> {
    let row = kind.row();
    let name = row.list_tool?;
    let input = input(kind);
    let schema = input.clone();
    let handler = Arc::new(move |call: Call, given: Map<String, Value>| {
        let arguments = Arguments::of(given, &schema);
        async move { list(call, kind, name, arguments?).await }.boxed()
    });
    Some(Tool::from(Row {
        name,
        toolset: Toolset::Atlas,
        title: format!("List {}", row.many),
        description: description(kind),
        annotations: Annotations::READ,
        role: least_role(kind),
        input_schema: input,
        answer_schema: declare::several(kind),
        example: example(kind),
        handler,
    }))
}

async fn list(call: Call, kind: Kind, tool: &'static str, arguments: Arguments) -> Result<Answer> {
    let query = query(kind, &arguments)?;
    let shape = arguments.shape()?;
    let found = source(&call, tool).list(&query).await?;
    let entities: Vec<Value> =
        found.rows.iter().map(|object| shown(kind, object, 2, shape)).collect();
    let meta = json!({ "total": found.total, "offset": query.offset, "limit": query.limit });
    let structured = json!({ "success": true, "entities": entities, "meta": meta });
    Ok(Answer { text: structured.to_string(), structured })
}

fn query(kind: Kind, arguments: &Arguments) -> Result<ListQuery> {
    let mut parent = None;
    for above in parents(kind) {
        let name = above.row().id_argument;
        let id = match needs(kind, above) {
            true => Some(arguments.needed_id(name)?),
            false => arguments.id(name)?,
        };
        parent = parent.or(id.map(|id| (above, id)));
    }
    Ok(ListQuery {
        kind,
        world: arguments.id("world_id")?,
        parent,
        category: arguments.id("category_id")?,
        offset: arguments.whole("offset", 0)?,
        limit: arguments.whole("limit", PAGE_MAX)?.clamp(1, PAGE_MAX),
        detail: Detail::Rows,
    })
}

/// Returns the kinds of parents, other than worlds, by which a kind can be listed.
fn parents(kind: Kind) -> Vec<Kind> {
    let lists = kind.row().lists.iter();
    let above = lists.filter_map(|list| list.parent);
    let mut above: Vec<Kind> = above
        .filter(|above| match above {
            Kind::World | Kind::MarkerGroup => false,
            // Only worlds can be listed by user.
            Kind::User => kind == Kind::World,
            _ => true,
        })
        .collect();
    above.dedup();
    above
}

/// Whether a kind can only be listed by a parent of kind `above`.
fn needs(kind: Kind, above: Kind) -> bool {
    matches!((kind, above), (Kind::Marker, Kind::Map) | (Kind::Npc, Kind::Campaign))
}

/// Whether a kind can be listed by world.
fn is_in_world(kind: Kind) -> bool {
    !matches!(kind, Kind::World | Kind::Marker | Kind::Npc)
}

fn description(kind: Kind) -> String {
    let row = kind.row();
    let about = if row.about.is_empty() { String::new() } else { format!(" ({})", row.about) };
    let place = match (kind, parents(kind).first()) {
        (Kind::World, _) => "that you can enter".to_owned(),
        (_, Some(above)) if needs(kind, *above) => format!("of a {}", above.row().one),
        (_, Some(above)) => format!("of a world or of one {}", above.row().one),
        (_, None) => "of a world".to_owned(),
    };
    let next = match (kind, row.get_tool) {
        (Kind::Article, _) => "Use search_articles to find them by words, get_article to read \
            one; category_id \"-1\" lists those in no category. "
            .to_owned(),
        (_, Some(get)) => format!("Use {get} to read one. "),
        (_, None) => "Use get_map for the map itself. ".to_owned(),
    };
    format!("List the {} {place}{about}. {next}Returns entities and meta.total.", row.many)
}

fn input(kind: Kind) -> Map<String, Value> {
    let mut fields = Vec::new();
    let mut required = Vec::new();
    if is_in_world(kind) {
        fields.push(("world_id", declare::id(Kind::World)));
    }
    for above in parents(kind) {
        fields.push((above.row().id_argument, declare::id(above)));
        if needs(kind, above) {
            required.push(above.row().id_argument);
        }
    }
    if kind == Kind::Article {
        fields.push(("category_id", declare::id(Kind::Category)));
    }
    fields.extend(declare::page());
    fields.push(("verbose", declare::flag()));
    declare::object(fields, &required)
}

fn example(kind: Kind) -> Value {
    let mut example = json!({ "limit": 10 });
    for above in parents(kind).into_iter().filter(|above| needs(kind, *above)) {
        let name = above.row().id_argument;
        if let Value::Object(fields) = &mut example {
            fields.insert(name.to_owned(), json!(format!("${}", above.row().path)));
        }
    }
    example
}
