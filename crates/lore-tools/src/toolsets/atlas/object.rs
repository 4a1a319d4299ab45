//! `lorewell://atlas/{kind}/{id}`: reads an object by its URI.

use futures::FutureExt;
use lore_anvil::{Kind, Shape, shown};
use lore_core::{Error, Result, Role};
use serde_json::{Value, json};

use super::get::least_role;
use super::source;
use crate::call::Call;
use crate::resource::{Captures, News, Resource, UriPattern};
use crate::toolset::Toolset;

pub(super) fn resource() -> Resource {
    Resource {
        uri: UriPattern("lorewell://atlas/{kind}/{id}"),
        name: "atlas_object",
        title: "Article, map, timeline…",
        description: "An article, map, timeline or other object of the atlas, with all its \
                      fields. Read the URI that atlas tools return as url.",
        toolset: Some(Toolset::Atlas),
        role: Role::Reader,
        read: |call, captures| read(call, captures).boxed(),
        complete: None,
        news: News::Compared,
    }
}

async fn read(call: Call, captures: Captures) -> Result<Value> {
    let word = |name: &str| captures.get(name).map_or("", String::as_str);
    let kind = Kind::at(word("kind")).ok_or_else(|| {
        Error::not_found(
            format!("the kind {:?}", word("kind")),
            "use an address that a tool of the atlas has shown",
        )
    })?;
    call.viewer.require(least_role(kind))?;
    let granularity = kind.row().granularity(2);
    let found = source(&call, "atlas_object").read(kind, Some(word("id")), granularity).await?;
    Ok(json!({ kind.row().path: shown(kind, &found, 2, Shape::Compact) }))
}
