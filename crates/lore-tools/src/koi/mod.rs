//! The KOI API, independent of transport: requests in, JSON out.
//!
//! The tools of the knowledge toolset are thin wrappers around this API. An [`Ask`] is answered
//! from this world, or sent to another KOI API if one is configured. The HTTP routes pass their
//! requests to the same [`answer`], so tools and routes cannot differ.

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
use lore_core::{Error, Result, texts};
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
pub(crate) use web::QUOTED;
pub(crate) use web_answers::{IngestAnswer, MonitorAnswer, PreviewAnswer, ProcessAnswer};

/// The name of requests that are not tool calls in the audit log.
const API: &str = "koi_api";

/// Why a request failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The path does not exist.
    NoSuchPath,
    /// The path exists, but not for this verb.
    WrongVerb,
    /// The request could not be parsed, or the page it is about could not be read.
    Unreadable(Error),
    /// The request was parsed but failed.
    Failed(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// The result of a handler.
type Answered = std::result::Result<Value, Failure>;

/// Answers a request that came over HTTP, always from this world.
pub async fn answer(call: &Call, ask: Ask) -> Answered {
    local(call, API, ask).await.map_err(|failure| match failure {
        Failure::Failed(error) => Failure::Failed(call.traced(error)),
        other => other,
    })
}

/// Answers a request of a tool: from another KOI API if one is configured, otherwise from this
/// world.
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

/// Fails for players: the other server knows only the account in the configuration, and answers
/// with everything that account may see.
fn may_ask_elsewhere(call: &Call) -> Result<()> {
    match call.viewer.sees_gm_side() {
        true => Ok(()),
        false => Err(Error::Forbidden {
            action: "another KOI API is asked here with the rights of the game master".into(),
            hint: "ask the game master, who may look it up".into(),
        }),
    }
}

/// Marks an answer of another server as untrusted.
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
    // Boxed, because a future is otherwise as large as the largest of its handlers.
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
    /// Parses the body of a request that only reads: hidden characters are ignored.
    fn body<T: DeserializeOwned>(&self) -> std::result::Result<T, Failure> {
        self.body_with(Numbers::Whole)
    }

    fn body_with<T: DeserializeOwned>(&self, numbers: Numbers) -> std::result::Result<T, Failure> {
        let mut body = self.fields()?.clone();
        texts::clean_fields_besides(&[], &mut body);
        schema::read(body, numbers).map_err(Failure::Unreadable)
    }

    fn fields(&self) -> std::result::Result<&Map<String, Value>, Failure> {
        match &self.ask.body {
            Some(Value::Object(body)) => Ok(body),
            Some(_) => Err(unreadable("is not a JSON object")),
            None => Err(unreadable("is required")),
        }
    }

    /// Parses the body of a request whose texts are the caller's own. Unlike what is quoted from
    /// documents and pages, these are not cleaned.
    fn own_words<T: DeserializeOwned>(&self) -> std::result::Result<T, Failure> {
        self.own_words_besides(&[])
    }

    /// Parses the body of a request whose texts are the caller's own, except for those in the
    /// fields `quoting`.
    fn own_words_besides<T>(&self, quoting: &[&str]) -> std::result::Result<T, Failure>
    where
        T: DeserializeOwned,
    {
        let body = self.fields()?;
        texts::check_fields_besides(quoting, body).map_err(Failure::Unreadable)?;
        schema::parse(body.clone()).map_err(Failure::Unreadable)
    }

    /// Parses the query parameters. Outside of text parameters, numbers and booleans are
    /// recognised.
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

    /// The progress of reading the vault, while it is being read.
    async fn vault(&self) -> Option<String> {
        let (done, all) = notes_read(&self.librarian).await?;
        Some(format!("reading, {done} of {all} notes"))
    }

    /// Fails if nothing may be written.
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

/// Returns what the use cases of a call work with.
pub(crate) fn librarian(call: &Call, tool: &'static str) -> Librarian {
    Librarian {
        app: Arc::clone(&call.app),
        viewer: call.viewer,
        presence: call.presence,
        tool,
        request_id: call.request_id().to_owned(),
    }
}

/// Converts a wire type to JSON.
fn shown(answer: impl Serialize) -> Answered {
    serde_json::to_value(answer)
        .map_err(|_| Failure::Failed(Error::Bug { what: "an answer of the KOI API".into() }))
}

/// Parses a limit: any number from 1, or the default. Upper bounds are up to the caller.
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

/// The error for a path that exists, but not for this verb.
fn wrong_verb() -> Answered {
    Err(Failure::WrongVerb)
}
