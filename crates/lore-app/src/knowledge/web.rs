//! Pages of the web before they are taken in: looked at, read, judged.

use lore_core::{Error, Properties, Result, Role, names};

use super::extract::{self, Extracted};
use super::librarian::Librarian;
use super::model;
use super::ontology::EntityType;
use super::shelve::{self, NewDocument};
use super::submission::{self, Evaluation, Held, Status, Submission, WEB};
use super::vault;

/// Node kind of a page that was taken in.
const KIND: &str = "web_page";
/// Longest reason for an opinion, in characters.
const REASON_MAX: usize = 5_000;
/// Most tags of an opinion.
const TAGS_MAX: usize = 50;

/// What a page says.
#[derive(Debug, Clone)]
pub struct Preview {
    /// Its address in its normal spelling.
    pub url: String,
    /// What it is called.
    pub rid: String,
    /// Its host.
    pub domain: String,
    /// Its title.
    pub title: String,
    /// What it is about, as it says itself.
    pub description: Option<String>,
    /// Who wrote it, as it says itself.
    pub author: Option<String>,
    /// When it was published, as it says itself.
    pub published: Option<String>,
    /// The site's name.
    pub site: Option<String>,
    /// The code of its language.
    pub language: Option<String>,
    /// What it says that people may look for.
    pub keywords: Vec<String>,
    /// The address of the picture it shows others.
    pub image: Option<String>,
    /// How many words it has.
    pub words: usize,
    /// Its text, Markdown.
    pub text: String,
    /// SHA-256 of the text.
    pub hash: String,
    /// Entities whose names stand in it.
    pub mentions: Vec<Mention>,
}

/// An entity whose name stands in a text.
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

/// What became of looking at a page.
#[derive(Debug, Clone)]
pub enum Looked {
    /// It was read now.
    Fresh(Box<Preview>),
    /// It was taken in before.
    Known(TakenIn),
}

/// A page that was taken in before.
#[derive(Debug, Clone)]
pub struct TakenIn {
    /// Its title.
    pub title: String,
    /// What it is called.
    pub rid: String,
    /// Number of the submission.
    pub number: i64,
    /// The note about it, where one was written.
    pub note_path: Option<String>,
}

/// Looks at a page without taking it in.
pub async fn preview(
    librarian: &Librarian,
    url: &str,
    submitted_by: Option<String>,
) -> Result<Looked> {
    librarian.viewer.require(Role::Player)?;
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

/// A page that was taken in before, and the number of its submission.
pub(super) struct Known {
    pub(super) page: Submission,
    number: i64,
}

/// A page as one that was taken in, if it was.
pub(super) fn known(held: &Held) -> Option<Known> {
    let page = &held.submission;
    (page.status == Status::Ingested)
        .then(|| Known { page: page.clone(), number: held.node.number })
}

/// What is told of a page that was taken in before: its note may be elsewhere by now.
pub(super) async fn found(librarian: &Librarian, known: Known) -> Result<TakenIn> {
    let note_path = vault::source_path(librarian, &known.page).await?;
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

/// The entities a text mentions, in the order of their first mention's frequency.
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

/// What was found in a page.
#[derive(Debug, Clone)]
pub struct Processed {
    /// Its address.
    pub url: String,
    /// Its title.
    pub title: String,
    /// What was found.
    pub extracted: Extracted,
}

/// Reads entities and relations out of a page that was looked at before.
pub async fn process(librarian: &Librarian, url: &str, hints: &[String]) -> Result<Processed> {
    let held = looked_at(librarian, url).await?;
    let page = held.submission;
    let extracted = extracted(librarian, &page, hints).await?;
    Ok(Processed { url: page.url, title: page.title, extracted })
}

/// What a page says, read by the model where there is one. When the model fails, the
/// built-in extractor reads, and says so.
async fn extracted(
    librarian: &Librarian,
    page: &Submission,
    hints: &[String],
) -> Result<Extracted> {
    let mentions = mentions(librarian, &page.text).await?;
    let built_in = || extract::extract(&page.text, page.description.as_deref(), &mentions, hints);
    let Some(model) = librarian.app.model.as_deref() else { return Ok(built_in()) };
    let mark = format!("=== page {} ===", librarian.app.effects.uid());
    match model::read(model, &page.text, &mentions, hints, &mark).await {
        Ok(extracted) => Ok(extracted),
        Err(error) => {
            let mut extracted = built_in();
            extracted.left_out.push(format!("the model did not read this page: {error}"));
            Ok(extracted)
        }
    }
}

/// What somebody thinks of a page that was looked at.
#[derive(Debug, Clone)]
pub struct Opinion {
    /// What is to become of it.
    pub decision: Verdict,
    /// How well it fits, from 0 to 1.
    pub score: Option<f64>,
    /// Why.
    pub reason: String,
    /// Words to file it under.
    pub tags: Vec<String>,
}

/// What is to become of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It is to be taken in.
    Ingest,
    /// It is not.
    Reject,
    /// That is open.
    Pending,
}

/// Keeps what somebody thinks of a page, and says how it stands now. A page that was
/// taken in stays so.
pub async fn evaluate(librarian: &Librarian, url: &str, opinion: &Opinion) -> Result<&'static str> {
    librarian.viewer.require(Role::Player)?;
    if opinion.score.is_some_and(|score| !(0.0..=1.0).contains(&score)) {
        return Err(Error::invalid("relevance_score", "is out of range", "use 0 to 1"));
    }
    names::checked_length("relevance_reasoning", &opinion.reason, REASON_MAX)?;
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

/// The submission of a page that must have been looked at.
pub(super) async fn looked_at(librarian: &Librarian, url: &str) -> Result<Held> {
    let url = submission::address(librarian, url)?;
    let held = submission::held(librarian, &submission::rid(&url)).await?;
    held.ok_or_else(|| {
        Error::not_found(format!("a preview of {url}"), "call preview_url for it first")
    })
}

/// What a page is called once it is a document.
pub fn document_rid(rid: &str) -> String {
    format!("web:{rid}")
}

/// A page as a document.
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

/// Keeps the new text of a page that was taken in before as `old`, and tells its note. Says where
/// that is now.
pub(super) async fn refresh(
    librarian: &Librarian,
    old: &Submission,
    page: &Submission,
) -> Result<Option<String>> {
    let told = shelve::told_mentions(librarian, &document_rid(&page.rid)).await?;
    shelve::shelve(librarian, &document_of(page, told)).await?;
    vault::refresh_source(librarian, old, page).await
}
