//! World Anvil's API ("Boromir") on top of the world, for programs written for World Anvil.
//!
//! Paths, verbs and fields come from the table in `lore_anvil`. World Anvil's texts are BBCode and
//! this program's are Markdown; they are converted here and nowhere else. Permissions and
//! visibility are decided in the same place as for the tools.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{Method, Response};
use lore_anvil::{
    Kind, List, OPEN_FIELDS, Object, PAGE_MAX, Sensitivity, with_texts_apart, with_told_names,
};
use lore_app::atlas::{Anvil, ArticleQuery, Atlas, Audience, FolderOrder, Folders, ListQuery};
use lore_core::{Error, Role, texts};
use lore_markup::{from_bbcode, to_bbcode};
use lore_mcp::{Scope, ServerParts};
use lore_tools::Toolset;
use serde_json::{Map, Value, json};

use crate::body::{self, Unread};
use crate::params::Params;
use crate::reply;

/// Where the API is mounted.
pub(crate) const PREFIX: &str = "/compat/worldanvil/api/external/boromir";

/// The path of the article search. World Anvil has no search of its own; clients of this server
/// expect it here.
const SEARCH: &str = "article/search";
/// The `audience` value that restricts a search to what everybody may see.
const EVERYBODY: &str = "everybody";

/// State shared by all requests.
pub(crate) struct Boromir {
    pub(crate) parts: Arc<ServerParts>,
    pub(crate) body_max: usize,
}

/// An error answer.
#[derive(Debug)]
struct Refused {
    status: u16,
    body: Value,
}

/// Answers any request below the API's address.
pub(crate) async fn handle(State(api): State<Arc<Boromir>>, request: Request) -> Response<Body> {
    let (head, body) = request.into_parts();
    let body = match body::read_json(body, api.body_max).await {
        Ok(body) => body,
        Err(Unread::TooLarge) => return respond(413, &failure("The body is too large")),
        Err(Unread::Missing) => return respond(408, &failure("The body did not arrive")),
    };
    match answer(&api, &head, &body).await {
        Ok(mut object) => {
            object.insert("success".into(), json!(true));
            respond(200, &Value::Object(object))
        }
        Err(refused) => respond(refused.status, &refused.body),
    }
}

async fn answer(api: &Boromir, head: &Parts, body: &[u8]) -> Result<Object, Refused> {
    let scope = head.extensions.get::<Arc<Scope>>().ok_or_else(Refused::nowhere)?;
    let writes = matches!(head.method, Method::PUT | Method::PATCH | Method::DELETE);
    let toolset = if writes { Toolset::AtlasWrite } else { Toolset::Atlas };
    if !scope.selection.may_offer(toolset) || (writes && scope.selection.is_read_only()) {
        return Err(Refused::denied("this is switched off on this server"));
    }
    let viewer = api.parts.doorkeeper.enter(scope.identity, scope.world.as_deref()).await?;
    let app = Arc::clone(&api.parts.app);
    let request_id = app.effects.uid().to_string();
    let mut fields = fields(body)?;
    match writes {
        true => texts::check_fields(&fields)?,
        false => texts::clean_fields_besides(&[], &mut fields),
    }
    let asked = Asked {
        atlas: Atlas::new(app, viewer, "world_anvil_api", request_id),
        params: Params::of(&head.uri),
        fields,
    };
    let path = head.uri.path();
    let path = path.strip_prefix(PREFIX).unwrap_or(path).trim_matches('/');
    if path == "identity" && head.method == Method::GET {
        return Ok(asked.atlas.read(Kind::User, None, -1).await?);
    }
    if path == SEARCH {
        return match head.method {
            Method::POST => asked.search().await,
            _ => Err(Refused::wrong_verb()),
        };
    }
    if let Some((kind, list)) = Kind::listed_at(path) {
        require(kind, viewer.role)?;
        return match head.method {
            Method::POST => asked.list(kind, list).await,
            _ => Err(Refused::wrong_verb()),
        };
    }
    let kind = Kind::at(path).ok_or_else(Refused::nowhere)?;
    require(kind, viewer.role)?;
    match head.method {
        Method::GET => asked.get(kind).await,
        Method::PUT => asked.put(kind).await,
        Method::PATCH => asked.patch(kind).await,
        Method::DELETE => asked.delete(kind).await,
        _ => Err(Refused::wrong_verb()),
    }
}

/// Fails when the kind is secret and the caller is not a game master. For all other kinds the store
/// filters what the caller may see.
fn require(kind: Kind, role: Role) -> Result<(), Refused> {
    match kind.row().sensitivity {
        Sensitivity::Secret if role < Role::Gm => Err(Refused::denied("this needs the role gm")),
        Sensitivity::Secret | Sensitivity::Open => Ok(()),
    }
}

/// One request: its caller's view of the atlas, its query parameters and its body.
struct Asked {
    atlas: Atlas,
    params: Params,
    fields: Object,
}

impl Asked {
    async fn get(&self, kind: Kind) -> Result<Object, Refused> {
        let granularity = self.params.get("granularity").and_then(|text| text.parse().ok());
        let granularity = granularity.unwrap_or(0_i8).clamp(-1, 3);
        let id = self.params.get("id");
        let mut found = [self.atlas.read(kind, id, granularity).await?];
        self.atlas.with_open_fields(kind, &mut found, granularity).await?;
        let [found] = found;
        Ok(outward(kind, found))
    }

    async fn put(&self, kind: Kind) -> Result<Object, Refused> {
        let made = self.atlas.create(kind, &inward(kind, &self.fields)).await?;
        Ok(outward(kind, made))
    }

    /// Changes an object. Like World Anvil, it answers with a reference only.
    async fn patch(&self, kind: Kind) -> Result<Object, Refused> {
        let id = self.id()?;
        self.atlas.update(kind, id, &inward(kind, &self.fields)).await?;
        Ok(outward(kind, self.atlas.read(kind, Some(id), -1).await?))
    }

    async fn delete(&self, kind: Kind) -> Result<Object, Refused> {
        self.atlas.delete(kind, self.id()?).await?;
        Ok(Object::new())
    }

    async fn list(&self, kind: Kind, list: &List) -> Result<Object, Refused> {
        let mut query = ListQuery {
            offset: self.number("offset").unwrap_or(0),
            limit: self.number("limit").unwrap_or(PAGE_MAX).clamp(1, PAGE_MAX),
            category: self.reference("category"),
            ..ListQuery::of(kind)
        };
        let id = || self.params.get("id").map(str::to_owned);
        match list.parent {
            Some(Kind::World) => query.world = Some(self.id()?.to_owned()),
            Some(Kind::User) if kind != Kind::World => {}
            Some(parent) => query.parent = id().map(|id| (parent, id)),
            None => {}
        }
        if let Some(timeline) = self.reference("timeline") {
            query.parent = Some((Kind::Timeline, timeline));
        }
        let is_of_account = list.parent.is_none_or(|above| above == Kind::User);
        let found = match kind {
            Kind::Folder => self.atlas.list_folders(&query, &self.folders()).await?,
            Kind::World => self.atlas.list(&query).await?,
            _ if is_of_account => self.atlas.list_everywhere(&query).await?,
            _ => self.atlas.list(&query).await?,
        };
        let mut rows = found.rows;
        self.atlas.with_open_fields(kind, &mut rows, -1).await?;
        let rows = rows.into_iter().map(|row| Value::Object(outward(kind, row)));
        let mut answer = Object::new();
        answer.insert("entities".into(), rows.collect());
        Ok(answer)
    }

    /// The filter and order of a folder list. An unknown order falls back to age.
    fn folders(&self) -> Folders {
        let word = |name: &str| self.fields.get(name).and_then(Value::as_str).map(str::trim);
        let is = |name: &str, wanted: &str| {
            word(name).is_some_and(|said| said.eq_ignore_ascii_case(wanted))
        };
        let order = match (is("ordering", "title"), is("sortDir", "DESC")) {
            (true, true) => FolderOrder::TitleBackwards,
            (true, false) => FolderOrder::Title,
            (false, _) => FolderOrder::Age,
        };
        Folders { holding: word("entityType").map(str::to_owned), order }
    }

    /// Searches articles, best first. Each row also has an excerpt, a relevance and its world.
    async fn search(&self) -> Result<Object, Refused> {
        let words = self.fields.get("query").and_then(Value::as_str).unwrap_or_default();
        let is_for_everybody = self.fields.get("audience").is_some_and(|who| who == EVERYBODY);
        let query = ArticleQuery {
            words: words.to_owned(),
            world: self.reference("world"),
            audience: if is_for_everybody { Audience::Everybody } else { Audience::GmSide },
            copied: BTreeSet::new(),
            offset: self.number("offset").unwrap_or(0),
            limit: self.number("limit").unwrap_or(PAGE_MAX).clamp(1, PAGE_MAX),
        };
        let found = self.atlas.search_everywhere(&query).await?;
        let mut meta = json!({
            "total": found.total, "offset": query.offset, "limit": query.limit,
        });
        if let (Value::Object(meta), true) = (&mut meta, is_for_everybody) {
            meta.insert("audience".into(), json!(EVERYBODY));
        }
        let rows = found.articles.into_iter().map(|found| {
            let mut row = found.article;
            row.insert("excerpt".into(), json!(found.excerpt));
            row.insert("relevance".into(), json!(found.relevance));
            row.insert("world".into(), Value::Object(found.world));
            Value::Object(row)
        });
        Ok(Object::from_iter([("entities".to_owned(), rows.collect()), ("meta".to_owned(), meta)]))
    }

    fn number(&self, name: &str) -> Option<usize> {
        match self.fields.get(name)? {
            Value::String(text) => text.trim().parse().ok(),
            Value::Number(number) => number.as_u64().and_then(|n| usize::try_from(n).ok()),
            _ => None,
        }
    }

    /// The id inside a reference object of the body.
    fn reference(&self, name: &str) -> Option<String> {
        match self.fields.get(name)?.get("id")? {
            Value::String(id) => Some(id.clone()),
            Value::Number(id) => Some(id.to_string()),
            _ => None,
        }
    }

    fn id(&self) -> Result<&str, Refused> {
        let missing = || Refused::from(Error::invalid("id", "is required", "send it as ?id="));
        self.params.get("id").ok_or_else(missing)
    }
}

/// Converts an object for the client: texts become BBCode, and sections also appear as fields of
/// their own.
fn outward(kind: Kind, object: Object) -> Object {
    let mut out = Object::new();
    let mut further = Object::new();
    for (name, value) in object {
        let markup = kind.row().field(&name).is_some_and(lore_anvil::Field::is_bbcode);
        let value = match value {
            Value::String(text) if markup => to_bbcode(&text).into(),
            Value::Object(open) if name == OPEN_FIELDS => Value::Object(outward(kind, open)),
            Value::Object(sections) if name == "sections" => {
                further = in_bbcode(sections);
                Value::Object(further.clone())
            }
            other => other,
        };
        out.insert(name, value);
    }
    let is_plain = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    for (name, text) in further.into_iter().filter(|(name, _)| is_plain(name)) {
        out.entry(name).or_insert(text);
    }
    with_told_names(kind, out)
}

fn in_bbcode(sections: Object) -> Object {
    each_text(sections, to_bbcode)
}

fn in_markdown(sections: Object) -> Object {
    each_text(sections, from_bbcode)
}

fn each_text(sections: Object, convert: fn(&str) -> String) -> Object {
    let converted = sections.into_iter().map(|(name, text)| {
        let text = text.as_str().map(|text| convert(text).into()).unwrap_or(text);
        (name, text)
    });
    converted.collect()
}

/// Converts a client's fields: texts become Markdown.
///
/// A client may send a section as a field of its own or inside `sections`. Where both are sent and
/// differ, the field wins.
fn inward(kind: Kind, fields: &Object) -> Object {
    let mut fields = fields.clone();
    if let Some(Value::Object(mut sections)) = fields.shift_remove("sections") {
        sections.retain(|name, text| match fields.get(name) {
            Some(own) if own == text => fields.shift_remove(name).is_some(),
            Some(_) => false,
            None => true,
        });
        fields.insert("sections".into(), Value::Object(in_markdown(sections)));
    }
    let fields = with_texts_apart(kind, fields, from_bbcode);
    let converted = fields.into_iter().map(|(name, value)| {
        let declared = kind.row().field(&name);
        let value = match value {
            Value::String(text) if declared.is_some_and(lore_anvil::Field::is_bbcode) => {
                from_bbcode(&text).into()
            }
            Value::String(text) if declared.is_none() && lore_anvil::is_long(&text) => {
                from_bbcode(&text).into()
            }
            other => other,
        };
        (name, value)
    });
    converted.collect()
}

fn fields(body: &[u8]) -> Result<Object, Refused> {
    if body.iter().all(u8::is_ascii_whitespace) {
        return Ok(Map::new());
    }
    match serde_json::from_slice(body) {
        Ok(Value::Object(fields)) => Ok(fields),
        _ => Err(Error::invalid("body", "is not a JSON object", "send one").into()),
    }
}

impl Refused {
    fn nowhere() -> Self {
        Self { status: 404, body: failure("resource_not_found") }
    }

    fn wrong_verb() -> Self {
        Self { status: 405, body: failure("method_not_allowed") }
    }

    fn denied(reason: &str) -> Self {
        let mut body = failure("access_denied");
        if let Value::Object(fields) = &mut body {
            fields.insert("reason".into(), json!(reason));
        }
        Self { status: 403, body }
    }
}

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        let told = format!("{error}: {}", error.hint());
        match &error {
            Error::NotFound { .. } => {
                let body =
                    json!({ "success": false, "error": "resource_not_found", "reason": told });
                Self { status: 404, body }
            }
            Error::Forbidden { .. } => Self::denied(&told),
            Error::Invalid { .. } | Error::TooLarge { .. } => {
                let details = json!({ "summary": told, "traceStack": "" });
                let status = "Unprocessable Data provided";
                let body = json!({ "success": false, "status": status, "error": details });
                Self { status: 422, body }
            }
            other => Self { status: other.code().meaning().http, body: failure(&told) },
        }
    }
}

fn failure(error: &str) -> Value {
    json!({ "success": false, "error": error })
}

fn respond(status: u16, body: &Value) -> Response<Body> {
    reply::respond(reply::status(status), body.to_string())
}
