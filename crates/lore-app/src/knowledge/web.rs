//! Pages of the web on their way in: looked at, read, and only then taken in.

use lore_core::{Error, NodeId, Properties, Result, Role, names};

use super::changes::{self, Registered, Registration};
use super::extract::{self, Extracted};
use super::librarian::Librarian;
use super::model;
use super::ontology::EntityType;
use super::relations::{self, Item, NewRelation, ReadIn, Related};
use super::shelve::{self, NewDocument};
use super::submission::{self, Evaluation, Held, Status, Submission, WEB};
use super::{uri, vault};

/// Node kind of a page that was taken in.
const KIND: &str = "web_page";
/// Longest reason for an opinion, in characters.
const REASON_MAX: usize = 5_000;
/// Most tags of an opinion.
const TAGS_MAX: usize = 50;
/// Most entities of one call.
const ENTITIES_MAX: usize = 500;

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
struct Known {
    page: Submission,
    number: i64,
}

/// A page as one that was taken in, if it was.
fn known(held: &Held) -> Option<Known> {
    let page = &held.submission;
    (page.status == Status::Ingested)
        .then(|| Known { page: page.clone(), number: held.node.number })
}

/// What is told of a page that was taken in before: its note may be elsewhere by now.
async fn found(librarian: &Librarian, known: Known) -> Result<TakenIn> {
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
async fn looked_at(librarian: &Librarian, url: &str) -> Result<Held> {
    let url = submission::address(librarian, url)?;
    let held = submission::held(librarian, &submission::rid(&url)).await?;
    held.ok_or_else(|| {
        Error::not_found(format!("a preview of {url}"), "call preview_url for it first")
    })
}

/// An entity to take in.
#[derive(Debug, Clone)]
pub struct NewEntity {
    /// Its name.
    pub name: String,
    /// Its type, in any spelling.
    pub type_name: String,
    /// What the page says of it, for one that is new.
    pub description: Option<String>,
}

/// What to take in with a page.
#[derive(Debug, Clone, Default)]
pub struct Intake {
    /// Entities it tells of.
    pub entities: Vec<Item<NewEntity>>,
    /// How they are related.
    pub relations: Vec<Item<NewRelation>>,
    /// The folder of notes about pages; `Sources` when absent.
    pub folder: Option<String>,
}

/// What became of taking a page in.
#[derive(Debug, Clone)]
pub struct Ingested {
    /// Its address.
    pub url: String,
    /// What the page is called.
    pub rid: String,
    /// The note that was written, where there is a vault.
    pub note_path: Option<String>,
    /// One entry for each entity, in order.
    pub entities: Vec<IngestedEntity>,
    /// One entry for each relation, in order.
    pub relations: Vec<Related>,
}

/// What became of an entity.
#[derive(Debug, Clone)]
pub struct IngestedEntity {
    /// The name that was given.
    pub name: String,
    /// Its URI, type and whether it is new; or why it was not taken.
    pub outcome: std::result::Result<(String, EntityType, Newness), String>,
}

/// Whether something was known before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Newness {
    /// It was not.
    New,
    /// It was.
    Known,
}

/// What became of a request to take a page in.
#[derive(Debug, Clone)]
pub enum Taken {
    /// It was taken in now.
    Now(Box<Ingested>),
    /// It was taken in before.
    Before(TakenIn),
}

/// Takes a page in that was looked at before.
pub async fn ingest(librarian: &Librarian, url: &str, intake: &Intake) -> Result<Taken> {
    librarian.viewer.require(Role::Player)?;
    let held = looked_at(librarian, url).await?;
    if let Some(known) = known(&held) {
        return Ok(Taken::Before(found(librarian, known).await?));
    }
    match held.submission.status {
        Status::Rejected => {
            return Err(Error::invalid(
                "url",
                "is in 'rejected' state, not ready for ingestion",
                "look at it again with preview_url if it was rejected by mistake",
            ));
        }
        Status::Previewed | Status::Evaluated | Status::Ingested => {}
    }
    let folder = vault::source_folder(intake.folder.as_deref())?;
    let page = held.submission.clone();
    let found_at = Some(page.url.as_str());
    let (entities, nodes) = take_entities(librarian, &intake.entities, found_at).await?;
    let document = document_rid(&page.rid);
    let read_in = ReadIn { source: WEB, rid: Some(&document) };
    let related = relations::relate(librarian, &intake.relations, read_in).await?;
    shelve::shelve(librarian, &document_of(&page, nodes)).await?;
    let taken = entities.iter().filter(|one| one.outcome.is_ok());
    let mut names: Vec<&str> = Vec::new();
    for name in taken.map(|one| one.name.as_str()) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let note_path = vault::write_source(librarian, &folder, &page, &names).await?;
    let done = Submission { status: Status::Ingested, note_path: note_path.clone(), ..page };
    match submission::hold(librarian, &done, Some(&held)).await {
        // Somebody else took it in meanwhile, which is as good.
        Err(Error::Conflict { .. }) => {
            let held = looked_at(librarian, url).await?;
            if let Some(known) = known(&held) {
                return Ok(Taken::Before(found(librarian, known).await?));
            }
            submission::hold(librarian, &done, Some(&held)).await?;
        }
        held => held?,
    }
    let (url, rid) = (done.url, done.rid);
    Ok(Taken::Now(Box::new(Ingested { url, rid, note_path, entities, relations: related })))
}

/// Takes entities in one by one; those that are refused do not hurt the others.
pub(super) async fn take_entities(
    librarian: &Librarian,
    given: &[Item<NewEntity>],
    found_at: Option<&str>,
) -> Result<(Vec<IngestedEntity>, Vec<NodeId>)> {
    if given.len() > ENTITIES_MAX {
        let limit = format!("{ENTITIES_MAX} entities");
        return Err(Error::TooLarge { what: "entities".into(), limit });
    }
    let mut entities = Vec::with_capacity(given.len());
    let mut nodes = Vec::new();
    for one in given {
        entities.push(match one {
            Ok(one) => {
                let taken = take_in(librarian, one, found_at).await;
                nodes.extend(taken.as_ref().ok().map(|taken| taken.entity.node.id));
                ingested_entity(&one.name, taken)
            }
            Err(unreadable) => {
                IngestedEntity { name: String::new(), outcome: Err(unreadable.clone()) }
            }
        });
    }
    Ok((entities, nodes))
}

/// What a page is called once it is a document.
pub fn document_rid(rid: &str) -> String {
    format!("web:{rid}")
}

async fn take_in(
    librarian: &Librarian,
    given: &NewEntity,
    found_at: Option<&str>,
) -> Result<Registered> {
    if given.name.trim().starts_with(uri::PREFIX) {
        let entity = librarian.entity(given.name.trim()).await?;
        return Ok(Registered { entity, is_new: false, merged_with: None, kept_back: Vec::new() });
    }
    let entity_type = librarian.entity_type(&given.type_name).await?.ok_or_else(|| {
        let known = EntityType::ALL.map(EntityType::as_str).join(", ");
        let problem = format!("{:?} is unknown", given.type_name);
        Error::invalid("type", problem, format!("use one of {known}"))
    })?;
    let registration = Registration {
        introduced_by: None,
        name: names::cleaned(&given.name),
        entity_type,
        aliases: Vec::new(),
        description: given.description.as_deref().map(names::without_unseen),
        found_at: found_at.map(str::to_owned),
        uri: None,
    };
    changes::register(librarian, &registration).await
}

fn ingested_entity(given: &str, outcome: Result<Registered>) -> IngestedEntity {
    let name = match &outcome {
        Ok(taken) if given.trim().starts_with(uri::PREFIX) => taken.entity.node.name.clone(),
        Ok(_) | Err(_) => names::without_unseen(given),
    };
    let outcome = match outcome {
        Ok(taken) => {
            let newness = if taken.is_new { Newness::New } else { Newness::Known };
            Ok((taken.entity.uri, taken.entity.entity_type, newness))
        }
        Err(error) => Err(format!("{error}; {}", error.hint())),
    };
    IngestedEntity { name, outcome }
}

fn document_of(page: &Submission, mentions: Vec<NodeId>) -> NewDocument {
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
    }
}

/// Keeps the new text of a page that was taken in before as `old`, and tells its note. Says where
/// that is now.
pub(super) async fn refresh(
    librarian: &Librarian,
    old: &Submission,
    page: &Submission,
) -> Result<Option<String>> {
    shelve::shelve(librarian, &document_of(page, Vec::new())).await?;
    vault::refresh_source(librarian, old, page).await
}
