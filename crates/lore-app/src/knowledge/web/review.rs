//! Web pages before they are ingested: previewing, extracting, judging.

use lore_core::{Error, Properties, Result, Role, names};

use super::submission::{self, Evaluation, Held, Status, Submission, WEB};
use super::{notes, reading};
use crate::knowledge::documents::shelve::{self, NewDocument};
use crate::knowledge::entities::EntityType;
use crate::knowledge::extract::{Extracted, built_in, model};
use crate::knowledge::librarian::Librarian;

/// Node kind of an ingested page.
const KIND: &str = "web_page";
/// Longest reason for a judgement, in characters.
const REASON_MAX: usize = 5_000;
/// Most tags of a judgement.
const TAGS_MAX: usize = 50;

/// A previewed page.
#[derive(Debug, Clone)]
pub struct Preview {
    /// Its address in normalised form.
    pub url: String,
    /// Its RID.
    pub rid: String,
    /// Its host.
    pub domain: String,
    /// Its title.
    pub title: String,
    /// The description, as stated by the page.
    pub description: Option<String>,
    /// The author, as stated by the page.
    pub author: Option<String>,
    /// The publication date, as stated by the page.
    pub published: Option<String>,
    /// The site's name.
    pub site: Option<String>,
    /// The language code.
    pub language: Option<String>,
    /// The keywords stated by the page.
    pub keywords: Vec<String>,
    /// The address of its preview image.
    pub image: Option<String>,
    /// The number of words in its text.
    pub words: usize,
    /// Its text as Markdown.
    pub text: String,
    /// SHA-256 of the text.
    pub hash: String,
    /// Known entities whose names occur in it.
    pub mentions: Vec<Mention>,
}

/// A known entity whose name occurs in a text.
#[derive(Debug, Clone)]
pub struct Mention {
    /// Its name.
    pub name: String,
    /// Its URI.
    pub uri: String,
    /// Its type.
    pub entity_type: EntityType,
    /// The text around the name.
    pub context: String,
}

/// The result of previewing a page.
#[derive(Debug, Clone)]
pub enum Looked {
    /// It was fetched now.
    Fresh(Box<Preview>),
    /// It was ingested before.
    Known(TakenIn),
}

/// A page that was ingested before.
#[derive(Debug, Clone)]
pub struct TakenIn {
    /// Its title.
    pub title: String,
    /// Its RID.
    pub rid: String,
    /// Number of the submission.
    pub number: i64,
    /// The path of the note about it, if there is one.
    pub note_path: Option<String>,
}

/// Fetches a page and sets it aside, without ingesting it.
pub async fn preview(
    librarian: &Librarian,
    url: &str,
    submitted_by: Option<String>,
) -> Result<Looked> {
    librarian.viewer.require(Role::Player)?;
    if let Some(name) = &submitted_by {
        names::checked_length("submitted_by", name, names::NAME_MAX)?;
    }
    let url = submission::address(librarian, url)?;
    let old = submission::held(librarian, &submission::rid(&url)).await?;
    if let Some(known) = old.as_ref().and_then(known) {
        return Ok(Looked::Known(found(librarian, known).await?));
    }
    let fresh = Submission { submitted_by, ..submission::read(librarian, &url).await? };
    let keep = |old: Option<&Held>| {
        let watched = old.and_then(|old| old.submission.watched.clone());
        match old.and_then(known) {
            Some(known) => (None, Some(known)),
            None => (Some(Submission { watched, ..fresh.clone() }), None),
        }
    };
    if let Some(known) = submission::amend(librarian, &fresh.rid, keep).await? {
        return Ok(Looked::Known(found(librarian, known).await?));
    }
    let mentions = mentions(librarian, &fresh.text).await?;
    Ok(Looked::Fresh(Box::new(shown(fresh, mentions))))
}

/// An ingested page, with the number of its submission.
pub(super) struct Known {
    pub(super) page: Submission,
    number: i64,
}

/// Returns a page as an ingested one; `None` if it was not ingested.
pub(super) fn known(held: &Held) -> Option<Known> {
    let page = &held.submission;
    (page.status == Status::Ingested)
        .then(|| Known { page: page.clone(), number: held.node.number })
}

/// Describes an ingested page, with the current path of its note.
pub(super) async fn found(librarian: &Librarian, known: Known) -> Result<TakenIn> {
    let note_path = notes::source_path(librarian, &known.page).await?;
    let Known { page, number } = known;
    Ok(TakenIn { title: page.title, rid: page.rid, number, note_path })
}

fn shown(page: Submission, mentions: Vec<Mention>) -> Preview {
    Preview {
        domain: submission::domain(&page.url),
        url: page.url,
        rid: page.rid,
        title: page.title,
        description: page.description,
        author: page.author,
        published: page.published,
        site: page.site,
        language: page.language,
        keywords: page.keywords,
        image: page.image,
        words: lore_reader::words(&page.text),
        text: page.text,
        hash: page.hash,
        mentions,
    }
}

/// Returns the known entities a text mentions, most frequent first.
async fn mentions(librarian: &Librarian, text: &str) -> Result<Vec<Mention>> {
    let mut spotted = librarian.catalogue().await?.spot(text);
    spotted.sort_by(|a, b| b.1.count.cmp(&a.1.count).then(a.0.cmp(&b.0)));
    let ids: Vec<_> = spotted.iter().map(|(node, _)| *node).collect();
    let entities = librarian.entities(&ids).await?;
    let found = entities.into_iter().filter_map(|entity| {
        let (_, place) = spotted.iter().find(|(node, _)| *node == entity.node.id)?;
        Some(Mention {
            name: entity.node.name,
            uri: entity.uri,
            entity_type: entity.entity_type,
            context: place.context.clone(),
        })
    });
    Ok(found.collect())
}

/// What was extracted from a page.
#[derive(Debug, Clone)]
pub struct Processed {
    /// Its address.
    pub url: String,
    /// Its title.
    pub title: String,
    /// The entities and relations that were found.
    pub extracted: Extracted,
}

/// Extracts entities and relations from a previewed page.
pub async fn process(librarian: &Librarian, url: &str, hints: &[String]) -> Result<Processed> {
    let held = looked_at(librarian, url).await?;
    let page = held.submission;
    let extracted = extracted(librarian, &page, hints).await?;
    Ok(Processed { url: page.url, title: page.title, extracted })
}

/// Extracts with the language model, if there is one. If it fails, falls back to the built-in
/// extractor and says so in `left_out`.
async fn extracted(
    librarian: &Librarian,
    page: &Submission,
    hints: &[String],
) -> Result<Extracted> {
    let mentions = mentions(librarian, &page.text).await?;
    let Some(model) = librarian.app.model.as_deref() else {
        return by_forms(page, mentions, hints).await;
    };
    let mark = format!("=== page {} ===", librarian.app.effects.uid());
    match model::read(model, &page.text, &mentions, hints, &mark).await {
        Ok(extracted) => Ok(extracted),
        Err(error) => {
            let mut extracted = by_forms(page, mentions, hints).await?;
            extracted.left_out.push(format!("the model did not read this page: {error}"));
            Ok(extracted)
        }
    }
}

/// Extracts with the built-in extractor.
async fn by_forms(page: &Submission, known: Vec<Mention>, hints: &[String]) -> Result<Extracted> {
    let (text, description) = (page.text.clone(), page.description.clone());
    let hints = hints.to_vec();
    let extract = move || built_in::extract(&text, description.as_deref(), &known, &hints);
    reading::extracted(extract).await
}

/// Somebody's judgement of a previewed page.
#[derive(Debug, Clone)]
pub struct Opinion {
    /// What should become of it.
    pub decision: Verdict,
    /// Its relevance, from 0 to 1.
    pub score: Option<f64>,
    /// The reason.
    pub reason: String,
    /// Tags to file it under.
    pub tags: Vec<String>,
}

/// What should become of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It should be ingested.
    Ingest,
    /// It should not be ingested.
    Reject,
    /// Not decided yet.
    Pending,
}

/// Stores a judgement of a page and returns the resulting status. An ingested page stays ingested.
pub async fn evaluate(librarian: &Librarian, url: &str, opinion: &Opinion) -> Result<&'static str> {
    librarian.viewer.require(Role::Player)?;
    if opinion.score.is_some_and(|score| !(0.0..=1.0).contains(&score)) {
        return Err(Error::invalid("relevance_score", "is out of range", "use 0 to 1"));
    }
    names::checked_length("relevance_reasoning", &opinion.reason, REASON_MAX)?;
    for tag in &opinion.tags {
        names::checked_length("bioregional_tags", tag, names::NAME_MAX)?;
    }
    let looked = looked_at(librarian, url).await?;
    let judged = |old: Option<&Held>| {
        let page = evaluated(&old.unwrap_or(&looked).submission, opinion);
        let status = page.status.as_str();
        (Some(page), status)
    };
    submission::amend(librarian, &looked.submission.rid, judged).await
}

fn evaluated(page: &Submission, opinion: &Opinion) -> Submission {
    let status = match (page.status, opinion.decision) {
        (Status::Ingested, _) => Status::Ingested,
        (_, Verdict::Ingest) => Status::Evaluated,
        (_, Verdict::Reject) => Status::Rejected,
        (_, Verdict::Pending) => Status::Previewed,
    };
    let evaluation = Evaluation {
        score: opinion.score,
        reason: opinion.reason.clone(),
        tags: opinion.tags.iter().take(TAGS_MAX).cloned().collect(),
    };
    Submission { status, evaluation: Some(evaluation), ..page.clone() }
}

/// Returns the submission of a page; fails if it was not previewed.
pub(super) async fn looked_at(librarian: &Librarian, url: &str) -> Result<Held> {
    let url = submission::address(librarian, url)?;
    let held = submission::held(librarian, &submission::rid(&url)).await?;
    held.ok_or_else(|| {
        Error::not_found(format!("a preview of {url}"), "call preview_url for it first")
    })
}

/// Returns the RID of the document that an ingested page becomes.
pub fn document_rid(rid: &str) -> String {
    format!("web:{rid}")
}

/// Returns a page as a document to store.
pub(super) fn document_of(page: &Submission, mentions: Vec<shelve::Mention>) -> NewDocument {
    NewDocument {
        rid: document_rid(&page.rid),
        kind: KIND,
        source: WEB.to_owned(),
        title: page.title.clone(),
        url: Some(page.url.clone()),
        author: page.author.clone(),
        written: page.published.as_deref().and_then(submission::moment),
        body: page.text.clone(),
        digest: page.hash.clone(),
        further: Properties::new(),
        mentions,
        meant: Vec::new(),
    }
}

/// Stores the new text of an ingested page and updates its note. Returns the path of the note.
pub(super) async fn refresh(
    librarian: &Librarian,
    old: &Submission,
    page: &Submission,
) -> Result<Option<String>> {
    let told = shelve::told_mentions(librarian, &document_rid(&page.rid)).await?;
    shelve::shelve(librarian, &document_of(page, told)).await?;
    notes::refresh_source(librarian, old, page).await
}
