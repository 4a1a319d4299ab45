//! Previewed web pages: their content, and their status on the way to being ingested.

use std::collections::HashMap;

use futures::FutureExt;
use jiff::Timestamp;
use lore_core::names::without_unseen;
use lore_core::{Error, Node, NodeId, Properties, Result, State};
use lore_reader::Page;
use lore_store::{
    Batch, Change, Expect, NewNode, NewState, NodeKey, NodePatch, NodeQuery, NodeRef, StoreError,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::{reading, review};
use crate::knowledge::documents::shelve;
use crate::knowledge::entities::uri;
use crate::knowledge::librarian::Librarian;
use crate::knowledge::outside;
use crate::play::word;

/// Node kind of a previewed page. It can be found by its address only; its text is not searchable
/// until it is ingested.
const KIND: &str = "web_preview";
/// The source of web pages, which is also the namespace of everything read from them.
pub(super) const WEB: &str = "web";
/// Name of the state that holds a submission.
const SUBMISSION: &str = "submission";
/// Longest text stored for a page, in characters; the rest is cut off.
const TEXT_MAX: usize = 100_000;
/// The subtype of monitored pages, and the property that repeats what is stored about the
/// monitoring. With them, the pages that are due are found without reading all texts.
const WATCHED: &str = "watched";
/// How many pages are read together.
const READ_AT_ONCE: usize = 50;

/// A previewed page.
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

/// Somebody's judgement of a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Evaluation {
    /// Its relevance, from 0 to 1.
    pub score: Option<f64>,
    /// The reason.
    pub reason: String,
    /// Tags to file it under.
    pub tags: Vec<String>,
}

/// The status of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Status {
    Previewed,
    /// Somebody decided that it should be ingested.
    Evaluated,
    /// Somebody decided that it should not be ingested.
    Rejected,
    Ingested,
}

impl Status {
    /// Returns its name.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Previewed => "previewed",
            Self::Evaluated => "evaluated",
            Self::Rejected => "rejected",
            Self::Ingested => "ingested",
        }
    }
}

/// The state of a monitored page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Watched {
    pub(super) title: String,
    pub(super) last_checked: Option<String>,
    pub(super) changed_at: Option<String>,
    pub(super) failures: u32,
}

/// A stored submission.
pub(super) struct Held {
    pub(super) node: Node,
    pub(super) submission: Submission,
    version: i64,
}

/// Completes and checks an address: people leave out the scheme.
pub(super) fn address(librarian: &Librarian, url: &str) -> Result<String> {
    let url = url.trim();
    let whole = if url.contains("://") { url.to_owned() } else { format!("https://{url}") };
    let checked = librarian.web()?.check(&whole)?;
    // A fragment leads to the same page.
    Ok(checked.split('#').next().unwrap_or(&checked).to_owned())
}

/// Returns the RID of the page at an address.
pub(super) fn rid(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or(rest).replace(['.', ':'], "_");
    let hash: String = uri::hex(&Sha256::digest(url)).chars().take(16).collect();
    format!("orn:web.page:{host}/{hash}")
}

/// Returns the host of an address.
pub(super) fn domain(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?', '#']).next().unwrap_or(rest).to_owned()
}

/// Fetches the page at an address as it is now.
pub(super) async fn read(librarian: &Librarian, url: &str) -> Result<Submission> {
    let fetched = librarian.web()?.fetch(url).await?;
    Ok(submission(url, reading::page(fetched).await?))
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

/// Returns the submission of a page. If its document was deleted, the status is `Previewed` again,
/// so that it can be ingested again.
pub(super) async fn held(librarian: &Librarian, rid: &str) -> Result<Option<Held>> {
    let Some(uid) = uri::derived_uid(&librarian.viewer, &preview_of(rid)) else { return Ok(None) };
    let store = &librarian.app.store;
    let node = store.node(&librarian.viewer, NodeKey::Uid(uid)).await?;
    let Some(node) = node else { return Ok(None) };
    let states = store.states(&librarian.viewer, &[node.id], &word(SUBMISSION)?).await?;
    let mut held = states.into_iter().next().and_then(|state| opened(node, state));
    if let Some(Held { submission, .. }) = &mut held
        && submission.status == Status::Ingested
        && shelve::shelved(librarian, &review::document_rid(rid)).await?.is_none()
    {
        submission.status = Status::Previewed;
    }
    Ok(held)
}

impl Held {
    /// Whether it is found among the monitored pages. Pages that older versions monitored are not,
    /// until they are stored again.
    pub(super) fn is_listed(&self) -> bool {
        self.node.subtype.as_deref() == Some(WATCHED)
    }
}

/// A monitored page, without its text.
pub(super) struct Listed {
    pub(super) node: NodeId,
    pub(super) rid: String,
    pub(super) watched: Watched,
}

/// Returns the monitored pages, in order of creation.
pub(super) async fn listed(librarian: &Librarian) -> Result<Vec<Listed>> {
    let listed = |node: &Node| {
        let watched = serde_json::from_value(node.properties.get(WATCHED)?.clone()).ok()?;
        Some(Listed { node: node.id, rid: uri::of_document(node), watched })
    };
    Ok(watched(librarian).await?.iter().filter_map(listed).collect())
}

/// Returns what `show` makes of each monitored page, in order of creation.
pub(super) async fn each_watched<T>(
    librarian: &Librarian,
    show: impl Fn(Held) -> Option<T>,
) -> Result<Vec<T>> {
    let mut shown = Vec::new();
    let store = &librarian.app.store;
    for nodes in watched(librarian).await?.chunks(READ_AT_ONCE) {
        let ids: Vec<_> = nodes.iter().map(|node| node.id).collect();
        let states = store.states(&librarian.viewer, &ids, &word(SUBMISSION)?).await?;
        let mut states: HashMap<NodeId, State> =
            states.into_iter().map(|state| (state.node, state)).collect();
        let held = nodes.iter().filter_map(|node| opened(node.clone(), states.remove(&node.id)?));
        shown.extend(held.filter_map(&show));
    }
    Ok(shown)
}

/// Returns the nodes of the monitored pages.
async fn watched(librarian: &Librarian) -> Result<Vec<Node>> {
    let mut found = Vec::new();
    let mut after = None;
    loop {
        let subtype = Some(WATCHED.to_owned());
        let kinds = vec![word(KIND)?];
        let query = NodeQuery { kinds, subtype, after, ..NodeQuery::default() };
        let page = librarian.app.store.find_nodes(&librarian.viewer, query).await?;
        found.extend(page.items);
        after = page.next;
        if after.is_none() {
            return Ok(found);
        }
    }
}

fn opened(node: Node, state: State) -> Option<Held> {
    let submission = serde_json::from_value(state.value).ok()?;
    Some(Held { node, submission, version: state.version })
}

/// Stores what `make` makes of the current submission and returns its answer. After a conflict with
/// another writer, `make` is called again with the new state.
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

/// Stores a submission that replaces `old`. Fails with a conflict if somebody else wrote it
/// meanwhile.
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
    let subtype = submission.watched.as_ref().map(|_| WATCHED.to_owned());
    let mut properties = Properties::new();
    properties.insert(uri::RID.into(), json!(submission.rid));
    properties.extend(submission.watched.as_ref().map(|told| (WATCHED.to_owned(), json!(told))));
    batch = batch.change(match old {
        None => Change::CreateNode(NewNode {
            derived_name: true,
            namespace: WEB.to_owned(),
            subtype,
            visibility: librarian.visibility(),
            properties,
            ..NewNode::new(uid, word(KIND)?, shelve::title(&submission.url, &submission.rid))
        }),
        Some(_) => {
            let (subtype, properties) = (Some(subtype), Some(properties));
            let patch = NodePatch { subtype, properties, ..NodePatch::default() };
            Change::UpdateNode(NodeRef::Uid(uid), Expect::Any, patch)
        }
    });
    let state = Change::PutState(NewState {
        node: NodeRef::Uid(uid),
        name: word(SUBMISSION)?,
        expect: Expect::Version(old.map_or(0, |old| old.version)),
        value: json!(submission),
        visibility: librarian.visibility(),
    });
    Ok(batch.change(state))
}

/// Parses the publication date of a page.
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
    /// Returns the access to the web, if there is one.
    pub(in crate::knowledge) fn web(&self) -> Result<&dyn outside::Web> {
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
