//! Ingesting web pages together with the entities and relations that somebody found in them, in one
//! or several calls. Each item is judged on its own.

use lore_core::{Error, NodeId, Result, Role, names};
use lore_vault::FolderPath;

use super::notes;
use super::review::{self, Known, TakenIn, document_rid, known, looked_at};
use super::submission::{self, Held, Status, Submission, WEB};
use crate::knowledge::documents::shelve;
use crate::knowledge::entities::register::{self, Registered, Registration};
use crate::knowledge::entities::{self, EntityType, uri};
use crate::knowledge::librarian::Librarian;
use crate::knowledge::relations::{self, Item, NewRelation, ReadIn, Related};

/// Most entities of one call.
const ENTITIES_MAX: usize = 500;

/// An entity to register.
#[derive(Debug, Clone)]
pub struct NewEntity {
    /// Its name, or the URI of a known entity.
    pub name: String,
    /// Its type, in any spelling.
    pub type_name: String,
    /// What the page says about it.
    pub description: Option<String>,
}

/// What to ingest with a page.
#[derive(Debug, Clone, Default)]
pub struct Intake {
    /// Entities found in the page.
    pub entities: Vec<Item<NewEntity>>,
    /// Relations between them.
    pub relations: Vec<Item<NewRelation>>,
    /// The vault folder for notes about pages; `Sources` if absent.
    pub folder: Option<String>,
}

/// The result of ingesting a page.
#[derive(Debug, Clone)]
pub struct Ingested {
    /// Its address.
    pub url: String,
    /// The RID of the page.
    pub rid: String,
    /// The path of the note that was written, if there is a vault.
    pub note_path: Option<String>,
    /// One entry for each entity, in the given order.
    pub entities: Vec<IngestedEntity>,
    /// One entry for each relation, in the given order.
    pub relations: Vec<Related>,
}

/// The result for one entity.
#[derive(Debug, Clone)]
pub struct IngestedEntity {
    /// The name that was given.
    pub name: String,
    /// Its URI, its type and whether it is new; or the reason why it was refused.
    pub outcome: std::result::Result<(String, EntityType, Newness), String>,
}

/// Whether an entity was known before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Newness {
    /// It was not known.
    New,
    /// It was known.
    Known,
}

/// Whether a page was ingested before.
#[derive(Debug, Clone)]
pub enum Taken {
    /// It was ingested by this call.
    Now(Box<Ingested>),
    /// It was ingested before; this call added further items.
    Before(TakenIn, Box<Ingested>),
}

/// Ingests a page that was previewed before. If it was ingested before, the new items are added.
pub async fn ingest(librarian: &Librarian, url: &str, intake: &Intake) -> Result<Taken> {
    librarian.viewer.require(Role::Player)?;
    let held = looked_at(librarian, url).await?;
    check_ready(held.submission.status)?;
    let page = held.submission.clone();
    let folder = notes::source_folder(intake.folder.as_deref())?;
    if let Some(known) = known(&held) {
        let given = take_all(librarian, &page, intake).await?;
        return added(librarian, known, given, &folder).await;
    }
    let given = take_all(librarian, &page, intake).await?;
    shelve::shelve(librarian, &review::document_of(&page, given.nodes.clone())).await?;
    let note_path = notes::write_source(librarian, &folder, &page, &given.names()).await?;
    let done = Submission { status: Status::Ingested, note_path: note_path.clone(), ..page };
    match submission::hold(librarian, &done, Some(&held)).await {
        // Somebody else ingested it meanwhile: treat it as ingested before.
        Err(Error::Conflict { .. }) => {
            let held = looked_at(librarian, url).await?;
            if let Some(known) = known(&held) {
                return added(librarian, known, given, &folder).await;
            }
            submission::hold(librarian, &done, Some(&held)).await?;
        }
        held => held?,
    }
    Ok(Taken::Now(Box::new(given.ingested(&done, note_path))))
}

fn check_ready(status: Status) -> Result<()> {
    match status {
        Status::Previewed | Status::Evaluated | Status::Ingested => Ok(()),
        Status::Rejected => Err(Error::invalid(
            "url",
            "is in 'rejected' state, not ready for ingestion",
            "look at it again with preview_url if it was rejected by mistake",
        )),
    }
}

/// The items that came with a page, as they were stored.
struct Given {
    entities: Vec<IngestedEntity>,
    nodes: Vec<shelve::Mention>,
    relations: Vec<Related>,
}

impl Given {
    /// Returns the names of the accepted entities without duplicates.
    fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for one in self.entities.iter().filter(|one| one.outcome.is_ok()) {
            if !names.contains(&one.name.as_str()) {
                names.push(&one.name);
            }
        }
        names
    }

    fn ingested(self, page: &Submission, note_path: Option<String>) -> Ingested {
        let (url, rid) = (page.url.clone(), page.rid.clone());
        Ingested { url, rid, note_path, entities: self.entities, relations: self.relations }
    }
}

async fn take_all(librarian: &Librarian, page: &Submission, intake: &Intake) -> Result<Given> {
    let (entities, nodes) = take_entities(librarian, &intake.entities, Some(&page.url)).await?;
    let document = document_rid(&page.rid);
    let read_in = ReadIn { source: WEB, rid: Some(&document) };
    let relations = relations::relate(librarian, &intake.relations, read_in).await?;
    Ok(Given { entities, nodes, relations })
}

/// Adds the items to the document and the note of a page that was ingested before. Nothing is
/// removed from them. A note that could not be written before is written now.
async fn added(
    librarian: &Librarian,
    mut known: Known,
    given: Given,
    folder: &FolderPath,
) -> Result<Taken> {
    let page = known.page.clone();
    shelve::join(librarian, &document_rid(&page.rid), &given.nodes).await?;
    match page.note_path {
        Some(_) => notes::add_mentions(librarian, &page, &given.names()).await?,
        None => known.page.note_path = noted(librarian, &page, folder).await?,
    }
    let before = review::found(librarian, known).await?;
    let note_path = before.note_path.clone();
    Ok(Taken::Before(before, Box::new(given.ingested(&page, note_path))))
}

/// Writes the note about a page that was ingested before, and returns its path.
async fn noted(
    librarian: &Librarian,
    page: &Submission,
    folder: &FolderPath,
) -> Result<Option<String>> {
    let told = shelve::told_mentions(librarian, &document_rid(&page.rid)).await?;
    let ids: Vec<NodeId> = told.iter().map(shelve::Mention::node).collect();
    let entities = librarian.entities(&ids).await?;
    let names: Vec<&str> = entities.iter().map(|entity| entity.node.name.as_str()).collect();
    let Some(path) = notes::write_source(librarian, folder, page, &names).await? else {
        return Ok(None);
    };
    let note_path = || Some(path.clone());
    let written = |old: Option<&Held>| {
        let page = old.map_or(page, |old| &old.submission);
        (Some(Submission { note_path: note_path(), ..page.clone() }), ())
    };
    submission::amend(librarian, &page.rid, written).await?;
    Ok(note_path())
}

/// Registers entities one by one. One that is refused does not affect the others.
pub(in crate::knowledge) async fn take_entities(
    librarian: &Librarian,
    given: &[Item<NewEntity>],
    found_at: Option<&str>,
) -> Result<(Vec<IngestedEntity>, Vec<shelve::Mention>)> {
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
                nodes.extend(taken.as_ref().ok().map(Registered::mention));
                ingested_entity(called(librarian, &one.name, &taken).await?, taken)
            }
            Err(unreadable) => {
                IngestedEntity { name: String::new(), outcome: Err(unreadable.clone()) }
            }
        });
    }
    Ok((entities, nodes))
}

async fn take_in(
    librarian: &Librarian,
    given: &NewEntity,
    found_at: Option<&str>,
) -> Result<Registered> {
    if given.name.trim().starts_with(uri::PREFIX) {
        let uri = given.name.trim();
        let entity = librarian.entity(uri).await?;
        let of = entities::entity_called(librarian, &entity, uri).await?;
        return Ok(Registered::known(entity, of));
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
    register::register(librarian, &registration).await
}

/// Returns the name of an entity that was given by name or URI.
async fn called(librarian: &Librarian, given: &str, taken: &Result<Registered>) -> Result<String> {
    match taken {
        Ok(taken) if given.trim().starts_with(uri::PREFIX) => {
            entities::name_told(librarian, &taken.entity, taken.of.as_deref()).await
        }
        Ok(_) | Err(_) => Ok(names::without_unseen(given)),
    }
}

fn ingested_entity(name: String, outcome: Result<Registered>) -> IngestedEntity {
    let outcome = match outcome {
        Ok(taken) => {
            let newness = if taken.is_new { Newness::New } else { Newness::Known };
            Ok((taken.entity.uri, taken.entity.entity_type, newness))
        }
        Err(error) => Err(format!("{error}; {}", error.hint())),
    };
    IngestedEntity { name, outcome }
}
