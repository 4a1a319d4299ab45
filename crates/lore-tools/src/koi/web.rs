//! `/web/…`: previewing, ingesting and monitoring web pages. Also `/ingest`.

use lore_app::knowledge::{
    Intake, Item, Looked, NewEntity, NewRelation, Opinion, Read, Taken, Verdict, evaluate, ingest,
    monitor, monitored, preview, process, scan_now, take, unmonitor,
};
use lore_core::Error;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::web_answers::{
    BeforeOut, IngestAnswer, KnownOut, PreviewAnswer, ProcessAnswer, added, monitor_status, receipt,
};
use super::{Answered, Failure, Request, Verb, shown};
use crate::schema;

/// The fields in which a caller quotes what a page says. What they contain is cleaned, because the
/// caller cannot correct the page.
pub(crate) const QUOTED: [&str; 2] = ["entities", "relationships"];

pub(super) async fn route(request: &Request<'_>, path: &str) -> Answered {
    match (request.ask.verb, path) {
        (Verb::Post, "web/preview") => previewed(request).await,
        (Verb::Post, "web/process") => processed(request).await,
        (Verb::Post, "web/evaluate") => evaluated(request).await,
        (Verb::Post, "web/ingest") => ingested(request).await,
        (Verb::Post, "web/monitor/add") => watch(request).await,
        (Verb::Post, "web/monitor/remove") => unwatch(request).await,
        (Verb::Get, "web/monitor/status") => {
            let rounds = request.librarian.app.rounds.made();
            shown(monitor_status(monitored(&request.librarian).await?, rounds))
        }
        (Verb::Post, "web/monitor/scan") => {
            request.may_write()?;
            scan_now(&request.librarian)?;
            shown(json!({ "status": "scan_triggered" }))
        }
        (Verb::Get, "web/preview" | "web/process" | "web/evaluate" | "web/ingest")
        | (Verb::Get, "web/monitor/add")
        | (Verb::Get, "web/monitor/remove" | "web/monitor/scan")
        | (Verb::Post, "web/monitor/status") => Err(Failure::WrongVerb),
        _ => Err(Failure::NoSuchPath),
    }
}

#[derive(Deserialize)]
struct PreviewIn {
    url: String,
    submitted_by: Option<String>,
}

async fn previewed(request: &Request<'_>) -> Answered {
    request.may_write()?;
    let given: PreviewIn = request.own_words()?;
    let looked = preview(&request.librarian, &given.url, given.submitted_by).await;
    shown(match looked.map_err(unread)? {
        Looked::Fresh(page) => PreviewAnswer::Fresh(Box::new((*page).into())),
        Looked::Known(known) => PreviewAnswer::Known(KnownOut::previewed(known)),
    })
}

/// Gives a page that answered but could not be read the status and the beginning of the message by
/// which clients of this API recognise it.
fn unread(error: Error) -> Failure {
    match error {
        Error::Precondition { message, hint } => {
            let told = message.starts_with("Failed");
            let message = if told { message } else { format!("Failed to fetch URL: {message}") };
            Failure::Unreadable(Error::Precondition { message, hint })
        }
        other => Failure::Failed(other),
    }
}

#[derive(Deserialize)]
struct ProcessIn {
    url: String,
    #[serde(default)]
    hint_entities: Vec<String>,
}

async fn processed(request: &Request<'_>) -> Answered {
    let given: ProcessIn = request.own_words()?;
    let page = process(&request.librarian, &given.url, &given.hint_entities).await?;
    shown(ProcessAnswer::from(page))
}

#[derive(Deserialize)]
struct EvaluateIn {
    url: String,
    relevance_score: Option<f64>,
    #[serde(default)]
    relevance_reasoning: String,
    #[serde(default)]
    bioregional_tags: Vec<String>,
    decision: DecisionIn,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum DecisionIn {
    Ingest,
    Reject,
    Pending,
}

async fn evaluated(request: &Request<'_>) -> Answered {
    request.may_write()?;
    let given: EvaluateIn = request.own_words()?;
    let opinion = Opinion {
        decision: match given.decision {
            DecisionIn::Ingest => Verdict::Ingest,
            DecisionIn::Reject => Verdict::Reject,
            DecisionIn::Pending => Verdict::Pending,
        },
        score: given.relevance_score,
        reason: given.relevance_reasoning,
        tags: given.bioregional_tags,
    };
    let status = evaluate(&request.librarian, &given.url, &opinion).await?;
    shown(json!({ "url": given.url, "status": status }))
}

#[derive(Deserialize)]
struct IngestIn {
    url: String,
    #[serde(default)]
    entities: Vec<Value>,
    #[serde(default)]
    relationships: Vec<Value>,
    vault_folder: Option<String>,
}

#[derive(Deserialize)]
struct EntityIn {
    name: String,
    r#type: String,
    description: Option<String>,
    /// What the page says about it, if there is no description.
    context: Option<String>,
}

#[derive(Deserialize)]
struct RelationIn {
    subject: String,
    predicate: String,
    object: String,
    confidence: Option<f64>,
}

/// The confidence of a relation when none is given.
const CONFIDENCE: f64 = 0.9;

async fn ingested(request: &Request<'_>) -> Answered {
    request.may_write()?;
    let given: IngestIn = request.own_words_besides(&QUOTED)?;
    let intake = intake(given.entities, given.relationships, given.vault_folder);
    shown(match ingest(&request.librarian, &given.url, &intake).await? {
        Taken::Now(page) => IngestAnswer::Now(Box::new((*page).into())),
        Taken::Before(known, added) => IngestAnswer::Before(Box::new(BeforeOut::of(known, *added))),
    })
}

fn intake(entities: Vec<Value>, relationships: Vec<Value>, folder: Option<String>) -> Intake {
    let entity = |one: EntityIn| NewEntity {
        name: one.name,
        type_name: one.r#type,
        description: one.description.or(one.context),
    };
    let relation = |one: RelationIn| NewRelation {
        subject: one.subject,
        predicate: one.predicate,
        object: one.object,
        confidence: one.confidence.unwrap_or(CONFIDENCE),
    };
    Intake {
        entities: entities.into_iter().map(|one| item(one).map(entity)).collect(),
        relations: relationships.into_iter().map(|one| item(one).map(relation)).collect(),
        folder,
    }
}

/// Parses one item of a list. An item that cannot be parsed does not affect the others.
fn item<T: DeserializeOwned>(value: Value) -> Item<T> {
    let Value::Object(fields) = value else { return Err("it is not a JSON object".into()) };
    schema::parse(fields).map_err(|error| error.to_string())
}

#[derive(Deserialize)]
struct DocumentIn {
    document_rid: String,
    title: Option<String>,
    #[serde(default)]
    content: String,
    #[serde(default)]
    entities: Vec<Value>,
    #[serde(default)]
    relationships: Vec<Value>,
    source: Option<String>,
}

/// Handles `/ingest`, which stores a document that another program has read.
pub(super) async fn document(request: &Request<'_>) -> Answered {
    request.may_write()?;
    let quoting = [&QUOTED[..], &["title", "content"]].concat();
    let given: DocumentIn = request.own_words_besides(&quoting)?;
    let read = Read {
        rid: given.document_rid,
        title: given.title,
        content: given.content,
        source: given.source.unwrap_or_else(|| "api".into()),
    };
    let intake = intake(given.entities, given.relationships, None);
    let taken = take(&request.librarian, &read, &intake).await?;
    shown(receipt(taken, &request.librarian.request_id))
}

#[derive(Deserialize)]
struct WatchIn {
    url: String,
    #[serde(default)]
    title: String,
}

async fn watch(request: &Request<'_>) -> Answered {
    request.may_write()?;
    let given: WatchIn = request.own_words()?;
    let watched = monitor(&request.librarian, &given.url, &given.title).await;
    shown(added(&watched.map_err(unread)?))
}

async fn unwatch(request: &Request<'_>) -> Answered {
    request.may_write()?;
    let given: WatchIn = request.own_words()?;
    let was = unmonitor(&request.librarian, &given.url).await?;
    shown(json!({ "status": if was { "removed" } else { "not_found" } }))
}
