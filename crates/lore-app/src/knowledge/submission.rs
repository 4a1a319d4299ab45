//! Pages that were looked at: what they say, and how far they got on their way in.

use futures::FutureExt;
use jiff::Timestamp;
use lore_core::names::without_unseen;
use lore_core::{Error, Node, Properties, Result, State};
use lore_reader::Page;
use lore_store::{
    Batch, Change, Expect, NewNode, NewState, NodeKey, NodeQuery, NodeRef, StoreError,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::librarian::Librarian;
use super::outside::Form;
use super::{shelve, uri, web};
use crate::play::word;

/// Node kind of a page that was looked at. It is found by its address alone: what is not
/// taken in is not searched.
const KIND: &str = "web_preview";
/// The source of pages, and the namespace of everything that comes from there.
pub(super) const WEB: &str = "web";
/// Name of the document that holds a submission.
const SUBMISSION: &str = "submission";
/// Longest text that is kept of a page, in characters.
const TEXT_MAX: usize = 100_000;
/// Most pages that are listed.
const PAGES_MAX: usize = 10_000;

/// A page that was looked at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Submission {
    pub(super) url: String,
    pub(super) rid: String,
    pub(super) title: String,
    pub(super) description: Option<String>,
    pub(super) author: Option<String>,
    pub(super) published: Option<String>,
    pub(super) site: Option<String>,
    pub(super) language: Option<String>,
    #[serde(default)]
    pub(super) keywords: Vec<String>,
    #[serde(default)]
    pub(super) image: Option<String>,
    pub(super) text: String,
    pub(super) hash: String,
    pub(super) status: Status,
    pub(super) submitted_by: Option<String>,
    pub(super) note_path: Option<String>,
    pub(super) watched: Option<Watched>,
    #[serde(default)]
    pub(super) evaluation: Option<Evaluation>,
}

/// What somebody thinks of a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Evaluation {
    pub(super) score: Option<f64>,
    pub(super) reason: String,
    pub(super) tags: Vec<String>,
}

/// How far a page got.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    Previewed,
    /// Somebody decided that it shall be taken in.
    Evaluated,
    /// Somebody decided that it shall not.
    Rejected,
    Ingested,
}

impl Status {
    /// Its name.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Previewed => "previewed",
            Self::Evaluated => "evaluated",
            Self::Rejected => "rejected",
            Self::Ingested => "ingested",
        }
    }
}

/// That a page is looked at from time to time.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Watched {
    pub(super) title: String,
    pub(super) last_checked: Option<String>,
    pub(super) changed_at: Option<String>,
    pub(super) failures: u32,
}

/// A submission as it is kept.
pub(super) struct Held {
    pub(super) node: Node,
    pub(super) submission: Submission,
    version: i64,
}

/// The address as it is asked for: people leave out the scheme.
pub(super) fn address(librarian: &Librarian, url: &str) -> Result<String> {
    let url = url.trim();
    let whole = if url.contains("://") { url.to_owned() } else { format!("https://{url}") };
    let checked = librarian.web()?.check(&whole)?;
    // A part of a page is that page.
    Ok(checked.split('#').next().unwrap_or(&checked).to_owned())
}

/// The name of the page at an address.
pub(super) fn rid(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or(rest).replace(['.', ':'], "_");
    let hash: String = uri::hex(&Sha256::digest(url)).chars().take(16).collect();
    format!("orn:web.page:{host}/{hash}")
}

/// The host of an address.
pub(super) fn domain(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or(rest).to_owned()
}

/// Reads the page at an address as it is now.
pub(super) async fn read(librarian: &Librarian, url: &str) -> Result<Submission> {
    let fetched = librarian.web()?.fetch(url).await?;
    // Pages come from anybody, and reading one may take a while.
    let read = tokio::task::spawn_blocking(move || match fetched.form {
        Form::Html => lore_reader::read_html(&fetched.body, &fetched.url),
        Form::Plain => lore_reader::read_text(&fetched.body),
    });
    let read = read.await.map_err(|_| Error::Bug { what: "reading a page".into() })?;
    let page = read.map_err(|problem| Error::Precondition {
        message: format!("Failed to read the page: {problem}"),
        hint: "give the address of a page that shows its text without scripts".into(),
    })?;
    Ok(submission(url, page))
}

fn submission(url: &str, page: Page) -> Submission {
    let text: String = without_unseen(&page.text).chars().take(TEXT_MAX).collect();
    Submission {
        url: url.to_owned(),
        rid: rid(url),
        title: shelve::title(page.title.as_deref().unwrap_or_default(), url),
        description: page.description,
        author: page.byline,
        published: page.published,
        site: page.site,
        language: page.language,
        keywords: page.keywords,
        image: page.image,
        hash: uri::hex(&Sha256::digest(&text)),
        text,
        status: Status::Previewed,
        submitted_by: None,
        note_path: None,
        watched: None,
        evaluation: None,
    }
}

/// The submission of a page that was looked at. One whose document was removed can be taken in again.
pub(super) async fn held(librarian: &Librarian, rid: &str) -> Result<Option<Held>> {
    let Some(uid) = uri::derived_uid(&librarian.viewer, &preview_of(rid)) else { return Ok(None) };
    let store = &librarian.app.store;
    let node = store.node(&librarian.viewer, NodeKey::Uid(uid)).await?;
    let Some(node) = node else { return Ok(None) };
    let states = store.states(&librarian.viewer, &[node.id], &word(SUBMISSION)?).await?;
    let mut held = states.into_iter().next().and_then(|state| opened(node, state));
    if let Some(Held { submission, .. }) = &mut held
        && submission.status == Status::Ingested
        && shelve::shelved(librarian, &web::document_rid(rid)).await?.is_none()
    {
        submission.status = Status::Previewed;
    }
    Ok(held)
}

/// Every submission, in the order they came.
pub(super) async fn all(librarian: &Librarian) -> Result<Vec<Held>> {
    let query = NodeQuery { kinds: vec![word(KIND)?], limit: PAGES_MAX, ..NodeQuery::default() };
    let store = &librarian.app.store;
    let nodes = store.find_nodes(&librarian.viewer, query).await?.items;
    let ids: Vec<_> = nodes.iter().map(|node| node.id).collect();
    let mut states = store.states(&librarian.viewer, &ids, &word(SUBMISSION)?).await?;
    let found = nodes.into_iter().filter_map(|node| {
        let place = states.iter().position(|state| state.node == node.id)?;
        opened(node, states.swap_remove(place))
    });
    Ok(found.collect())
}

fn opened(node: Node, state: State) -> Option<Held> {
    let submission = serde_json::from_value(state.value).ok()?;
    Some(Held { node, submission, version: state.version })
}

/// Keeps what `make` makes of a submission as it is, and gives its answer. Who finds that
/// somebody else was faster makes it again from what that one left.
pub(super) async fn amend<T: Send>(
    librarian: &Librarian,
    rid: &str,
    make: impl Fn(Option<&Held>) -> (Option<Submission>, T) + Sync,
) -> Result<T> {
    let make = &make;
    let plan = || {
        async move {
            let old = held(librarian, rid).await?;
            let (made, answer) = make(old.as_ref());
            let batch = match made {
                Some(made) => holding(librarian, &made, old.as_ref())?,
                None => librarian.batch(),
            };
            Ok((batch, answer))
        }
        .boxed()
    };
    librarian.carry_out(plan).await
}

/// Keeps a submission, in the place of `old` where there is one. Whoever was faster wins.
pub(super) async fn hold(
    librarian: &Librarian,
    submission: &Submission,
    old: Option<&Held>,
) -> Result<()> {
    let batch = holding(librarian, submission, old)?;
    match librarian.app.commit(&librarian.viewer, batch).await {
        Err(StoreError::Exists(_)) => Err(Error::Conflict { what: "the page".into() }),
        other => Ok(other.map(drop)?),
    }
}

fn holding(librarian: &Librarian, submission: &Submission, old: Option<&Held>) -> Result<Batch> {
    let uid = uri::derived_uid(&librarian.viewer, &preview_of(&submission.rid))
        .ok_or_else(|| Error::Bug { what: "the id of a page".into() })?;
    let mut batch = librarian.batch();
    batch.origin.source = Some(submission.url.clone());
    if old.is_none() {
        let mut properties = Properties::new();
        properties.insert(uri::RID.into(), json!(submission.rid));
        batch = batch.change(Change::CreateNode(NewNode {
            derived_name: true,
            namespace: WEB.to_owned(),
            visibility: librarian.visibility(),
            properties,
            ..NewNode::new(uid, word(KIND)?, shelve::title(&submission.url, &submission.rid))
        }));
    }
    let state = Change::PutState(NewState {
        node: NodeRef::Uid(uid),
        name: word(SUBMISSION)?,
        expect: Expect::Version(old.map_or(0, |old| old.version)),
        value: json!(submission),
        visibility: librarian.visibility(),
    });
    Ok(batch.change(state))
}

/// When a page says it was published.
pub(super) fn moment(text: &str) -> Option<Timestamp> {
    let date = || text.get(..10)?.parse::<jiff::civil::Date>().ok();
    text.parse().ok().or_else(|| {
        let start = date()?.to_zoned(jiff::tz::TimeZone::UTC).ok()?;
        Some(start.timestamp())
    })
}

fn preview_of(rid: &str) -> String {
    format!("preview {rid}")
}

impl Librarian {
    /// The web, if it may be read.
    pub(super) fn web(&self) -> Result<&dyn super::outside::Web> {
        self.app.web.as_deref().ok_or_else(|| Error::Precondition {
            message: "this server does not read the web".into(),
            hint: "start it with the web switched on".into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_one_name() {
        let name = rid("https://example.org:8443/a/b?c=d");
        assert!(name.starts_with("orn:web.page:example_org_8443/"), "{name}");
        assert_eq!(name.len(), "orn:web.page:example_org_8443/".len() + 16);
        assert_ne!(name, rid("https://example.org:8443/a/b?c=e"));
        assert_eq!(domain("https://example.org/a"), "example.org");
    }

    #[test]
    fn dates_are_read_as_pages_write_them() {
        assert_eq!(moment("2026-02-18T10:00:00Z").unwrap().to_string(), "2026-02-18T10:00:00Z");
        assert_eq!(moment("2026-02-18").unwrap().to_string(), "2026-02-18T00:00:00Z");
        assert_eq!(moment("yesterday"), None);
    }
}
