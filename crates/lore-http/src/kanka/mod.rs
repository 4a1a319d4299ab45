//! Kanka's API on top of the world: `/compat/kanka/1.0` and `/compat/kanka/api/1.0`.
//!
//! It serves programs written for Kanka. Kanka's texts are HTML and this program's are Markdown;
//! they are converted here and nowhere else. A token is required even where the rest of the server
//! needs none, because those programs always send one. Roles, read-only servers and visibility
//! follow the same rules as the tools.

mod answer;
mod belongings;
mod entities;
mod extra;
mod filters;
mod limiter;
mod posts;
mod shape;
mod typed;

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{Method, Response, Uri};
use lore_app::pages::{Scribe, TagsAre};
use lore_core::{Error, Viewer, texts};
use lore_mcp::{Scope, ServerParts};
use serde_json::{Map, Value, json};

use crate::body::{self, Unread};
use crate::params::{Params, decoded};
use answer::{Refused, Reply};
pub(crate) use limiter::Limiter;

/// The common prefix of both mount paths.
pub(crate) const PREFIX: &str = "/compat/kanka/";

/// State shared by all requests.
pub(crate) struct Kanka {
    pub(crate) parts: Arc<ServerParts>,
    pub(crate) limiter: Limiter,
    pub(crate) body_max: usize,
}

/// One request, after authentication and parsing.
struct Asked {
    scribe: Scribe,
    params: Params,
    /// The fields of the body; empty if there was no body.
    fields: Map<String, Value>,
    /// The URL of the API as the client knows it, without a trailing slash.
    base: String,
    parts: Arc<ServerParts>,
    scope: Arc<Scope>,
}

impl Asked {
    /// Fails unless the equivalent tool is switched on and allowed for the caller.
    fn permit(&self, tool: &str) -> Result<(), Refused> {
        let found = self.parts.registry.tool(tool);
        let on = found.filter(|tool| self.scope.selection.allows(tool));
        let tool = on.ok_or_else(|| Refused::new(403, "this is switched off on this server"))?;
        Ok(self.scribe.viewer.require(tool.role)?)
    }

    fn viewer(&self) -> &Viewer {
        &self.scribe.viewer
    }
}

/// Answers any request below the API's address.
pub(crate) async fn handle(State(kanka): State<Arc<Kanka>>, request: Request) -> Response<Body> {
    let Some(scope) = request.extensions().get::<Arc<Scope>>().cloned() else {
        return Refused::new(401, "Invalid authentication token.").into_response();
    };
    // Only tokens are bound to a world; a caller without a world is a local user without a token.
    if scope.identity.world.is_none() {
        let refusal = Refused::new(401, "Invalid authentication token: send one of this server.");
        return body::refuse(request, refusal.into_response()).await;
    }
    let room = match kanka.limiter.take(scope.identity.principal) {
        Ok(room) => room,
        Err(limit) => return body::refuse(request, answer::throttled(limit)).await,
    };
    let reply = match ask(&kanka, scope, request).await {
        Ok((asked, method, path)) => route(&asked, &method, &path).await,
        Err(refused) => Err(refused),
    };
    let mut response = reply.map_or_else(Refused::into_response, Reply::into_response);
    room.announce(&mut response);
    response
}

async fn ask(
    kanka: &Kanka,
    scope: Arc<Scope>,
    request: Request,
) -> Result<(Asked, Method, Vec<String>), Refused> {
    let (head, body) = request.into_parts();
    let body = body::read_json(body, kanka.body_max).await.map_err(|unread| match unread {
        Unread::TooLarge => Refused::new(413, "The body is too large."),
        Unread::Missing => Refused::new(408, "The body did not arrive."),
    })?;
    let viewer = kanka.parts.doorkeeper.enter(scope.identity, scope.world.as_deref()).await?;
    let (base, path) = split_path(&head.uri);
    let scribe = Scribe {
        app: Arc::clone(&kanka.parts.app),
        viewer,
        tool: "kanka_api",
        request_id: kanka.parts.app.effects.uid().to_string(),
        tags_are: TagsAre::Pages,
        at: None,
    };
    let host = head.headers.get("host").and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    let fields = fields(&body)?;
    texts::check_fields(&fields)?;
    let asked = Asked {
        scribe,
        params: Params::of(&head.uri),
        fields,
        base: format!("http://{host}{base}"),
        parts: Arc::clone(&kanka.parts),
        scope,
    };
    Ok((asked, head.method, path))
}

/// Splits a path into the API's base path and the decoded segments below it.
fn split_path(uri: &Uri) -> (String, Vec<String>) {
    let path = uri.path();
    let end = path.find("/1.0").map_or(path.len(), |at| at + "/1.0".len());
    let (base, rest) = path.split_at(end);
    let segments = rest.split('/').filter(|segment| !segment.is_empty());
    (base.to_owned(), segments.map(decoded).collect())
}

fn fields(body: &[u8]) -> Result<Map<String, Value>, Refused> {
    if body.iter().all(u8::is_ascii_whitespace) {
        return Ok(Map::new());
    }
    match serde_json::from_slice(body) {
        Ok(Value::Object(fields)) => Ok(fields),
        _ => Err(Refused::new(422, "The body is not a JSON object.")),
    }
}

async fn route(asked: &Asked, method: &Method, path: &[String]) -> Result<Reply, Refused> {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    match path.as_slice() {
        ["profile"] if method == Method::GET => Ok(profile(asked)),
        ["entity-types"] if method == Method::GET => {
            Ok(Reply::Found(json!({ "data": shape::kinds() })))
        }
        ["visibilities"] if method == Method::GET => Ok(visibilities()),
        ["filters"] if method == Method::GET => Ok(Reply::Found(shape::filter_urls(&asked.base))),
        ["filters", id] if method == Method::GET => match shape::kind_of_id(number(id)?) {
            Some(kind) => Ok(Reply::Found(json!({ "data": filters::names(kind) }))),
            None => Err(no_kind(id)),
        },
        ["version"] if method == Method::GET => {
            Ok(Reply::Found(json!({ "version": env!("CARGO_PKG_VERSION") })))
        }
        ["health"] if method == Method::GET => Ok(Reply::Found(json!({ "status": "ok" }))),
        ["campaigns"] if method == Method::GET => {
            Ok(Reply::Found(json!({ "data": [campaign(asked).await?] })))
        }
        ["campaigns", number, rest @ ..] => {
            if number.parse() != Ok(asked.viewer().world.0) {
                let problem = format!("No query results for model [Campaign] {number}");
                return Err(Refused::new(404, problem));
            }
            in_campaign(asked, method, rest).await
        }
        _ => Err(Refused::nowhere()),
    }
}

async fn in_campaign(asked: &Asked, method: &Method, path: &[&str]) -> Result<Reply, Refused> {
    match (method.as_str(), path) {
        ("GET", []) => Ok(Reply::Found(json!({ "data": campaign(asked).await? }))),
        ("GET", ["entities"]) => entities::list(asked).await,
        ("GET", ["entities", "recent"]) => entities::recent(asked).await,
        ("GET", ["entities", id]) => entities::get(asked, number(id)?).await,
        ("POST", ["entities", kind]) => match shape::kind_of_id(number(kind)?) {
            Some(kind) => entities::bulk(asked, kind).await,
            None => Err(no_kind(kind)),
        },
        ("PATCH", ["entities", id]) => entities::patch(asked, number(id)?).await,
        ("PUT" | "DELETE", ["entities", _]) => {
            Err(Refused::new(401, "Only entities of custom modules can be deleted here"))
        }
        ("GET", ["search", term]) => entities::search(asked, term).await,
        ("GET", ["fulltext-search"]) => entities::full_text(asked).await,
        ("GET", ["entities", id, "mentions"]) => entities::mentions(asked, number(id)?).await,
        (_, ["entities", id, "posts", rest @ ..]) => {
            posts::route(asked, method, number(id)?, rest).await
        }
        (_, ["entities", id, "attributes", rest @ ..]) => {
            belongings::attributes(asked, method, number(id)?, rest).await
        }
        (_, ["entities", id, "relations", rest @ ..]) => {
            belongings::relations(asked, method, number(id)?, rest).await
        }
        (_, ["entities", id, "entity_tags", rest @ ..]) => {
            belongings::tags(asked, method, number(id)?, rest).await
        }
        ("GET", ["entities", id, "image"]) => belongings::image(asked, number(id)?).await,
        (_, [plural, rest @ ..]) => match shape::kind_of_plural(plural) {
            Some(kind) => typed::route(asked, method, kind, rest).await,
            None => Err(Refused::nowhere()),
        },
        _ => Err(Refused::nowhere()),
    }
}

fn number(text: &str) -> Result<i64, Refused> {
    text.parse().map_err(|_| Refused::new(404, format!("No query results for model {text:?}")))
}

fn no_kind(id: &str) -> Refused {
    Refused::new(404, format!("No query results for model [EntityType] {id}"))
}

fn profile(asked: &Asked) -> Reply {
    let id = asked.viewer().principal.0;
    Reply::Found(json!({ "data": {
        "id": id,
        "name": format!("user {id}"),
        "default_pagination": answer::PER_PAGE,
        "rate_limit": 30,
        "is_subscriber": false,
        "last_campaign_id": asked.viewer().world.0,
    } }))
}

/// The visibility levels of posts and relations.
fn visibilities() -> Reply {
    let rows = [(1, "all"), (2, "admin"), (3, "admin-self"), (4, "self"), (5, "members")];
    let rows: Value = rows.iter().map(|(id, code)| json!({ "id": id, "code": code })).collect();
    Reply::Found(json!({ "data": rows }))
}

async fn campaign(asked: &Asked) -> Result<Value, Refused> {
    let app = &asked.scribe.app;
    let worlds = lore_app::worlds::list(app, asked.viewer().principal).await?;
    let world = worlds.into_iter().find(|world| world.id == asked.viewer().world);
    let world = world.ok_or_else(|| Error::not_found("the world", "ask its owner"))?;
    Ok(json!({
        "id": world.id.0,
        "name": world.name,
        "created_at": shape::moment(world.created_at),
        "updated_at": shape::moment(world.created_at),
        "visibility_id": 1,
    }))
}
