//! `/github/…` and `/code/query`: repositories, their files, and queries of the code graph.

use lore_app::knowledge::code::{
    self, NewRepository, SCHEMA, files, query, register, remove, repositories,
};
use lore_core::Error;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::code_answers::{added, file, scanned, status};
use super::code_rows::{self, Form};
use super::{Answered, Failure, Request, Verb, row_count, shown};
use crate::schema::Numbers;

pub(super) async fn route(request: &Request<'_>, path: &str) -> Answered {
    match (request.ask.verb, path) {
        (Verb::Get, "github/status") => {
            let known = repositories(&request.librarian).await?;
            shown(status(&request.librarian.app, &known))
        }
        (Verb::Post, "github/scan") => scan(request).await,
        (Verb::Get, "github/repos") => listed(request).await,
        (Verb::Post, "github/repos") => add(request).await,
        (Verb::Post, "github/repos/remove") => forget(request).await,
        (Verb::Get, "github/files") => source_files(request).await,
        (Verb::Post, "code/query") => asked(request).await,
        (Verb::Post, "github/status" | "github/files")
        | (Verb::Get, "github/scan" | "github/repos/remove" | "code/query") => {
            Err(Failure::WrongVerb)
        }
        _ => Err(Failure::NoSuchPath),
    }
}

#[derive(Default, Deserialize)]
struct NamedIn {
    repo_name: Option<String>,
    limit: Option<i64>,
}

/// Reads the repository name and the limit, which may be in the body or in the query parameters.
fn named(request: &Request<'_>) -> Result<NamedIn, Failure> {
    let told: NamedIn = match &request.ask.body {
        Some(_) => request.own_words()?,
        None => NamedIn::default(),
    };
    let asked: NamedIn = request.query()?;
    let given = |name: &String| !name.trim().is_empty();
    Ok(NamedIn {
        repo_name: told.repo_name.filter(given).or(asked.repo_name.filter(given)),
        limit: told.limit.or(asked.limit),
    })
}

async fn scan(request: &Request<'_>) -> Answered {
    request.may_write()?;
    let NamedIn { repo_name, .. } = named(request)?;
    let (librarian, call) = (&request.librarian, request.call);
    let progress = |done: usize, total: usize, repo: &str| {
        call.progress.report(done as f64, Some(total as f64), repo);
    };
    let work = async {
        match &repo_name {
            Some(name) => {
                let outcome = code::scan(librarian, name, &progress).await;
                // An unknown name is an error of the request, not of a repository.
                if let Err(error @ (Error::NotFound { .. } | Error::Forbidden { .. })) = outcome {
                    return Err(error);
                }
                Ok(vec![code::Scanned { repo: name.clone(), outcome }])
            }
            None => code::scan_all(librarian, &progress).await,
        }
    };
    let done = call.cancel.run_until_cancelled(work).await.ok_or(Error::Cancelled)??;
    shown(scanned(done))
}

#[derive(Deserialize)]
struct AddIn {
    repo_url: String,
    repo_name: Option<String>,
    branch: Option<String>,
}

async fn add(request: &Request<'_>) -> Answered {
    request.may_write()?;
    let given: AddIn = request.own_words()?;
    let new = NewRepository { source: given.repo_url, name: given.repo_name, branch: given.branch };
    let (known, is_new) = register(&request.librarian, &new).await?;
    shown(added(&known, is_new))
}

async fn forget(request: &Request<'_>) -> Answered {
    request.may_write()?;
    let name = named(request)?.repo_name;
    let name = name.ok_or_else(|| {
        Error::invalid("repo_name", "is required", "GET /github/repos lists them")
    })?;
    let was = remove(&request.librarian, name.trim()).await?;
    shown(json!({ "status": if was { "removed" } else { "not_found" } }))
}

async fn listed(request: &Request<'_>) -> Answered {
    let known = repositories(&request.librarian).await?;
    let rows: Vec<Value> = known.iter().map(|known| added(known, false)).collect();
    shown(json!({ "count": rows.len(), "repos": rows }))
}

async fn source_files(request: &Request<'_>) -> Answered {
    let NamedIn { repo_name, limit } = named(request)?;
    let limit = row_count(limit, 100)?;
    let found = files(&request.librarian, repo_name.as_deref()).await?;
    let rows: Vec<Value> = found.into_iter().take(limit).map(file).collect();
    shown(json!({ "count": rows.len(), "files": rows }))
}

#[derive(Deserialize)]
struct QueryIn {
    cypher: Option<String>,
    #[serde(default)]
    params: Map<String, Value>,
    /// Whether rows use column names and JSON values, instead of `c1` to `cN` with values as text
    /// like other KOI APIs.
    #[serde(default)]
    named: bool,
}

async fn asked(request: &Request<'_>) -> Answered {
    let given: QueryIn = request.body_with(Numbers::AsGiven)?;
    let cypher = given.cypher.ok_or_else(|| {
        Error::invalid("cypher", "is required", "send a query, or an empty one to see the graph")
    })?;
    let explain = cypher.trim().is_empty();
    let cypher = if explain { "RETURN 1 LIMIT 0" } else { cypher.as_str() };
    let parameters = code_rows::parameters(given.params)?;
    let work = query(&request.librarian, cypher, parameters);
    let answer = request.call.cancel.run_until_cancelled(work).await.ok_or(Error::Cancelled)??;
    if explain {
        let labels: Map<String, Value> = counted(answer.graph().label_counts());
        let types: Map<String, Value> = counted(answer.graph().type_counts());
        return shown(json!({
            "results": [], "count": 0, "columns": [], "help": SCHEMA,
            "labels": labels, "relationships": types,
        }));
    }
    let form = if given.named { Form::Named } else { Form::Numbered };
    let results = code_rows::rows(&answer, form)?;
    let columns: Vec<&str> = answer.table.columns.iter().map(|name| &**name).collect();
    let count = results.len();
    shown(json!({ "results": results, "count": count, "columns": columns, "untrusted": true }))
}

fn counted<'g>(
    counts: impl Iterator<Item = (&'g std::sync::Arc<str>, usize)>,
) -> Map<String, Value> {
    counts.map(|(name, count)| (name.to_string(), json!(count))).collect()
}
