//! `/search` and `/query`: search for documents and passages.

use lore_app::knowledge::{Passages, find_documents};
use serde::Deserialize;

use super::answers::SearchAnswer;
use super::{Answered, Failure, Request, Verb, row_count, shown};

pub(super) async fn route(request: &Request<'_>, path: &str) -> Answered {
    match (request.ask.verb, path) {
        (Verb::Post, "search" | "query") => found(request, request.body()?).await,
        (Verb::Get, "search" | "query") => {
            found(request, request.query::<SearchAsked>()?.into()).await
        }
        _ => Err(Failure::NoSuchPath),
    }
}

#[derive(Deserialize)]
struct SearchIn {
    #[serde(alias = "q")]
    query: String,
    limit: Option<i64>,
    source: Option<String>,
    #[serde(default)]
    include_chunks: bool,
}

/// The same in a query string, where the search text is called `q`.
#[derive(Deserialize)]
struct SearchAsked {
    #[serde(alias = "query")]
    q: String,
    limit: Option<i64>,
    source: Option<String>,
    #[serde(default)]
    include_chunks: bool,
}

impl From<SearchAsked> for SearchIn {
    fn from(SearchAsked { q, limit, source, include_chunks }: SearchAsked) -> Self {
        Self { query: q, limit, source, include_chunks }
    }
}

async fn found(request: &Request<'_>, given: SearchIn) -> Answered {
    let limit = row_count(given.limit, 10)?;
    let passages = if given.include_chunks { Passages::Give } else { Passages::Leave };
    let source = given.source.as_deref();
    let found = find_documents(&request.librarian, &given.query, source, limit, passages).await?;
    let mut answer = SearchAnswer::of(given.query, given.source, found.documents, found.chunks);
    answer.vault = request.vault().await;
    shown(answer)
}
