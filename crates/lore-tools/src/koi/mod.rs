//! The KOI API: requests in, JSON out, whatever carries them.
//!
//! The tools of the knowledge toolset are thin wrappers of this API. An [`Ask`] is
//! answered from this world, or sent to another KOI API where one is configured; the HTTP
//! front passes its requests to the same [`answer`]. So tools and routes cannot differ.

mod answers;
mod code;
mod code_answers;
mod code_rows;
mod documents;
mod entities;
mod fitting;
mod shapes;
mod upkeep;
mod web;
mod web_answers;

use std::sync::Arc;

pub use lore_app::knowledge::{Ask, Verb};
use lore_app::knowledge::{Librarian, notes_read};
use lore_core::{Error, Result};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::call::Call;
use crate::schema::{self, Numbers};

pub(crate) use answers::{
    EntitySearchAnswer, MentionedInAnswer, RelationshipsAnswer, ResolveAnswer, SearchAnswer,
};
pub(crate) use code_answers::{QueryAnswer, ScanAnswer};
pub(crate) use shapes::Shaped;
pub(crate) use web_answers::{IngestAnswer, MonitorAnswer, PreviewAnswer, ProcessAnswer};

/// The name under which requests that are no tool calls appear in the audit log.
const API: &str = "koi_api";

/// Why a request was not answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// There is nothing at the path.
    NoSuchPath,
    /// There is, but not for this verb.
    WrongVerb,
    /// The request cannot be read.
    Unreadable(Error),
    /// It was read and failed.
    Failed(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// What a handler says.
type Answered = std::result::Result<Value, Failure>;

/// Answers a request that came over HTTP.
pub async fn answer(call: &Call, ask: Ask) -> Answered {
    local(call, API, ask).await
}

/// Answers a request of a tool: from another KOI API where one is configured, else from
/// this world.
pub(crate) async fn ask<T: JsonSchema>(
    call: &Call,
    tool: &'static str,
    ask: Ask,
) -> Result<Shaped<T>> {
    if let Some(elsewhere) = &call.app.elsewhere {
        may_ask_elsewhere(call)?;
        let answer = fitting::fitted(elsewhere.ask(ask).await?, &schema::output::<Shaped<T>>());
        return Ok(from_elsewhere(answer?).into());
    }
    let answered = local(call, tool, ask).await.map_err(|failure| match failure {
        Failure::Failed(error) | Failure::Unreadable(error) => error,
        Failure::NoSuchPath | Failure::WrongVerb => {
            Error::Bug { what: format!("a path of {tool}") }
        }
    });
    Ok(answered?.into())
}

/// The other server knows only whom the configuration names, and shows all that one may see.
fn may_ask_elsewhere(call: &Call) -> Result<()> {
    match call.viewer.sees_gm_side() {
        true => Ok(()),
        false => Err(Error::Forbidden {
            action: "another KOI API is asked here with the rights of the game master".into(),
            hint: "ask the game master, who may look it up".into(),
        }),
    }
}

/// Whatever another server says is data from outside, and marked as that.
fn from_elsewhere(mut answer: Value) -> Value {
    if let Value::Object(fields) = &mut answer {
        fields.entry("untrusted").or_insert(Value::Bool(true));
    }
    answer
}

async fn local(call: &Call, tool: &'static str, ask: Ask) -> Answered {
    let request = Request { librarian: librarian(call, tool), call, ask };
    let path = request.ask.path.join("/");
    let path = path.trim_matches('/');
    // The future of a request is as large as that of its largest handler.
    match path.split('/').next().unwrap_or_default() {
        "entity" | "entities" | "entity-search" | "relationships" => {
            Box::pin(entities::route(&request, path)).await
        }
        "web" => Box::pin(web::route(&request, path)).await,
        "github" | "code" => Box::pin(code::route(&request, path)).await,
        "search" | "query" => Box::pin(documents::route(&request, path)).await,
        "koi-net" if path == "koi-net/health" => {
            Ok(lore_app::federation::report(&call.app, &call.viewer).await)
        }
        _ => Box::pin(upkeep::route(&request, path)).await,
    }
}

/// A request with everything its handler needs.
struct Request<'a> {
    librarian: Librarian,
    call: &'a Call,
    ask: Ask,
}

impl Request<'_> {
    /// The body, as the handler reads it.
    fn body<T: DeserializeOwned>(&self) -> std::result::Result<T, Failure> {
        self.body_with(Numbers::Whole)
    }

    fn body_with<T: DeserializeOwned>(&self, numbers: Numbers) -> std::result::Result<T, Failure> {
        let body = match &self.ask.body {
            Some(Value::Object(body)) => body.clone(),
            Some(_) => return Err(unreadable("is not a JSON object")),
            None => return Err(unreadable("is required")),
        };
        schema::read(body, numbers).map_err(Failure::Unreadable)
    }

    /// The query parameters, as the handler reads them: what looks like a number or a
    /// truth value is one.
    fn query<T: DeserializeOwned>(&self) -> std::result::Result<T, Failure> {
        let plain = |text: &str| match text {
            "true" | "false" => Value::Bool(text == "true"),
            _ => text.parse::<i64>().map_or_else(|_| text.into(), Value::from),
        };
        let texts =
            ["query", "q", "label", "type_hint", "type_filter", "source", "predicate", "repo_name"];
        let pairs = self.ask.query.iter().map(|(name, value)| {
            let text = texts.contains(&name.as_str());
            (name.clone(), if text { value.as_str().into() } else { plain(value) })
        });
        schema::parse(pairs.collect::<Map<String, Value>>()).map_err(Failure::Unreadable)
    }

    /// How far the vault is read, while it is.
    async fn vault(&self) -> Option<String> {
        let (done, all) = notes_read(&self.librarian).await?;
        Some(format!("reading, {done} of {all} notes"))
    }

    /// Fails where nothing may be written.
    fn may_write(&self) -> Result<()> {
        if !self.call.reading_only {
            return Ok(());
        }
        Err(Error::Forbidden {
            action: "this server is read-only".into(),
            hint: "ask for something that only reads".into(),
        })
    }
}

/// Where the use cases of one call work.
pub(crate) fn librarian(call: &Call, tool: &'static str) -> Librarian {
    Librarian {
        app: Arc::clone(&call.app),
        viewer: call.viewer,
        presence: call.presence,
        tool,
        request_id: call.request_id().to_owned(),
    }
}

/// A wire type as JSON.
fn shown(answer: impl Serialize) -> Answered {
    serde_json::to_value(answer)
        .map_err(|_| Failure::Failed(Error::Bug { what: "an answer of the KOI API".into() }))
}

/// How many rows are wanted: any number from 1 on. How many there are at most is for who gathers
/// them to say.
fn row_count(limit: Option<i64>, default: usize) -> Result<usize> {
    match limit {
        None => Ok(default),
        Some(given) => usize::try_from(given).ok().filter(|given| *given > 0).ok_or_else(|| {
            Error::invalid("limit", format!("is {given}"), "use a number from 1 on")
        }),
    }
}

fn unreadable(problem: &str) -> Failure {
    Failure::Unreadable(Error::invalid("body", problem, "send a JSON object"))
}

/// A path that has handlers, but none for this verb.
fn wrong_verb() -> Answered {
    Err(Failure::WrongVerb)
}
