//! Vault notes as documents, and what they say about the entities they describe.
//!
//! A statement in a note holds for as long as the note makes it: names and relations removed from a
//! note leave the graph, unless another source states them too.

use std::collections::HashSet;

use lore_core::{Error, Node, NodeId, Properties, Result, texts};
use lore_store::Direction;
use lore_vault::NotePath;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::linking::{self, LINKS, STALE};
use super::note::Note;
use super::note_names::{self, CALLED, Names, SAYS_SO, called, names};
use super::sync;
use super::warnings::{self, WARNINGS};
use crate::knowledge::documents::shelve::{self, Mention, NewDocument};
use crate::knowledge::entities::register::{self, Registration};
use crate::knowledge::entities::{self, Entity, EntityType, amend, ontology, uri, vouching};
use crate::knowledge::librarian::Librarian;
use crate::knowledge::merge::named;
use crate::knowledge::names::tuning::{self, TUNING};
use crate::knowledge::relations::by_notes::{self, Told};
use crate::knowledge::relations::waiting::{self, WAITING};
use crate::knowledge::relations::{EDGES_MAX, MENTIONS, NewRelation, ReadIn};
use crate::knowledge::web::review;
use crate::play::word;

/// Node kind of a note's document.
pub(in crate::knowledge) const KIND: &str = "vault_note";
/// Prefix of the RIDs of notes; the path of the note follows.
pub(in crate::knowledge) const PREFIX: &str = "vault:";
/// The source and namespace of notes.
pub(in crate::knowledge) const SOURCE: &str = "vault";
/// The property that holds the URI of the entity a note is about.
const ABOUT: &str = "about";
/// The property that holds the type the note gives that entity.
const TYPED: &str = "typed";
/// The property that holds names the note gives that entity which are not written on it, because
/// players see the entity but not the note.
const ASIDE: &str = "aside";
/// The property that holds [`CALLED`] and [`TYPED`] as they were before the entity was merged.
/// After an unmerge, changes to the note are compared with this state.
const HELD: &str = "held";
/// The properties that only documents of notes have.
pub(in crate::knowledge) const FURTHER: [&str; 10] =
    [ABOUT, CALLED, TYPED, HELD, ASIDE, TUNING, WAITING, LINKS, STALE, WARNINGS];
/// Confidence of what a note states.
pub(in crate::knowledge) const SURE: f64 = 1.0;

/// Stores a note as a document, unless it is stored unchanged already. A note about an entity
/// registers it with its relations. Relations that cannot be understood are skipped, and statements
/// the note no longer makes are withdrawn.
pub(super) async fn keep(librarian: &Librarian, path: &NotePath, text: &str) -> Result<()> {
    match is_kept(librarian, path, text).await? {
        true => Ok(()),
        false => read_anew(librarian, path).await,
    }
}

/// Stores a note as it is on disk now, even if it has not changed. A note that is gone is left to
/// the vault watcher.
pub(in crate::knowledge) async fn read_anew(librarian: &Librarian, path: &NotePath) -> Result<()> {
    let _keeping = librarian.app.notes.keeping.lock().await;
    // Read only when it is its turn: of two versions of a note, the later one has to stay.
    let text = match sync::read(librarian, path).await {
        Err(Error::NotFound { .. }) => return Ok(()),
        text => text?,
    };
    let seen = texts::cleaned(&text);
    let note = Note::read(&seen);
    let rid = rid(&path.to_string());
    let before = shelve::shelved(librarian, &rid).await?;
    let spoken_of = vouching::mentioned_by(librarian, before.as_ref()).await?;
    let entity_type = entity_type(librarian, &note).await?;
    let mut warnings = warnings::of(path, &note, &seen);
    let subject = introduced(librarian, path, &note, entity_type, &mut warnings).await?;
    let about = subject.as_ref().map(|subject| subject.entity.node.id);
    let_go_of_another(librarian, before.as_ref(), about).await?;
    let said = subject.as_ref().map_or_else(Vec::new, |subject| {
        note.relations(&subject.uri, subject.entity.entity_type, SURE)
    });
    let said = linking::placed(librarian, path, said).await?;
    let told = match about {
        Some(about) => by_notes::retell(librarian, about, &said, read_in(&rid)).await?,
        None => Told::default(),
    };
    let linked = named::by_links(librarian, &path.to_string(), note.body).await?;
    let by_number = named::by_number(librarian, note.body).await?;
    let document = NewDocument {
        rid,
        kind: KIND,
        source: SOURCE.to_owned(),
        title: path.title().to_owned(),
        url: note.first("url").map(str::to_owned),
        author: None,
        written: None,
        body: note.prose(),
        digest: digest(&text),
        further: further(librarian, path, &note, subject.as_ref().zip(entity_type), &told.waiting)
            .into_iter()
            .chain(held(before.as_ref(), subject.as_ref()))
            .chain(linking::kept(&said, note.body))
            .chain(warnings::kept(&warnings))
            .collect(),
        mentions: linked
            .into_iter()
            .chain(by_number)
            .chain(told.named())
            .chain(subject.as_ref().map(Subject::mention))
            .collect(),
        meant: meant(librarian, &note).await?,
    };
    let kept = shelve::shelve(librarian, &document).await?;
    if let Some(Subject { uri, entity }) = &subject {
        let is_known = |old: &Node| property(old, ABOUT) == Some(uri) && old.name == kept.name;
        if !before.as_ref().is_some_and(is_known) {
            linking::came(librarian, path, entity).await?;
        }
    }
    let now = vouching::mentioned_by(librarian, Some(&kept)).await?;
    vouching::forget_unmentioned(librarian, &(&spoken_of - &now)).await
}

/// Lets the entity go that a note was about, unless the note still is about it.
async fn let_go_of_another(
    librarian: &Librarian,
    before: Option<&Node>,
    about: Option<NodeId>,
) -> Result<()> {
    let Some(before) = before else { return Ok(()) };
    match subject_of(librarian, Some(before)).await? {
        Some(old) if Some(old.entity.node.id) != about => let_go(librarian, before, &old).await,
        _ => Ok(()),
    }
}

/// Returns the entities that the web page described by a note was said to mention.
async fn meant(librarian: &Librarian, note: &Note<'_>) -> Result<Vec<NodeId>> {
    let Some(page) = note.first("rid") else { return Ok(Vec::new()) };
    let told = shelve::told_mentions(librarian, &review::document_rid(page)).await?;
    Ok(told.iter().map(Mention::node).collect())
}

/// The origin of the relations read in a note.
pub(in crate::knowledge) fn read_in(rid: &str) -> ReadIn<'_> {
    ReadIn { source: SOURCE, rid: Some(rid) }
}

/// Returns the properties that are stored with a note besides its text.
fn further(
    librarian: &Librarian,
    path: &NotePath,
    note: &Note<'_>,
    subject: Option<(&Subject, EntityType)>,
    waiting: &[NewRelation],
) -> Properties {
    let about = subject.map(|(subject, _)| (ABOUT.to_owned(), json!(subject.uri)));
    let called = subject.map(|_| (CALLED.to_owned(), json!(names(path, note))));
    let typed = subject.map(|(_, said)| (TYPED.to_owned(), json!(said.as_str())));
    let tuning = tuning::told(&path.to_string(), note).map(|told| (TUNING.to_owned(), told));
    let aside = subject.map(|(subject, _)| aside(librarian, subject, &names(path, note)));
    let aside = aside.filter(|names| !names.is_empty());
    about
        .into_iter()
        .chain(called)
        .chain(typed)
        .chain(aside.map(|names| (ASIDE.to_owned(), json!(names))))
        .chain(tuning)
        .chain(waiting::kept(waiting))
        .collect()
}

/// Returns the [`HELD`] property while the entity of a note is merged into another.
fn held(before: Option<&Node>, subject: Option<&Subject>) -> Option<(String, Value)> {
    let merged = subject.filter(|subject| subject.is_merged())?;
    let before = before.filter(|node| property(node, ABOUT) == Some(&merged.uri))?;
    let said = || json!({ (CALLED): called(Some(before)), (TYPED): property(before, TYPED) });
    let held = before.properties.get(HELD).cloned();
    Some((HELD.to_owned(), held.unwrap_or_else(said)))
}

/// Puts the state from [`HELD`] back into the document of a note.
fn unheld(mut document: Node) -> Node {
    if let Some(Value::Object(held)) = document.properties.remove(HELD) {
        document.properties.extend(held);
    }
    document
}

/// Returns the names in a note that must not become visible on its entity.
fn aside(librarian: &Librarian, subject: &Subject, names: &[String]) -> Vec<String> {
    match librarian.would_tell(&subject.entity.node) {
        true => register::fresh_names(&subject.entity.node, names.iter()),
        false => Vec::new(),
    }
}

/// What the document of a note says about its entity.
pub(super) struct AboutEntity<'a> {
    /// The path of the note.
    pub(super) path: String,
    /// The URI of the entity.
    pub(super) about: &'a str,
    /// Names that are not written on the entity (see [`ASIDE`]).
    pub(super) aside: Vec<String>,
    /// Hash of the note's text.
    pub(super) digest: &'a str,
}

/// Reads what a node says about an entity, if it is the document of a note about one.
pub(super) fn told(node: &Node) -> Option<AboutEntity<'_>> {
    let about = property(node, ABOUT).filter(|_| node.kind.as_str() == KIND)?;
    let path = uri::of_document(node).strip_prefix(PREFIX)?.to_owned();
    let aside = node.properties.get(ASIDE).and_then(Value::as_array).into_iter().flatten();
    let aside = aside.filter_map(Value::as_str).map(str::to_owned).collect();
    let digest = property(node, shelve::DIGEST).unwrap_or_default();
    Some(AboutEntity { path, about, aside, digest })
}

/// Whether a note is stored with this text and its current title, and is not marked to be reread.
pub(super) async fn is_kept(librarian: &Librarian, path: &NotePath, text: &str) -> Result<bool> {
    let old = shelve::shelved(librarian, &rid(&path.to_string())).await?;
    let title = shelve::title(path.title(), "");
    let is_kept = |old: &Node| has_said(old, text) && old.name == title && !linking::is_stale(old);
    Ok(old.as_ref().is_some_and(is_kept))
}

/// Whether this text is stored for the note at a path.
pub(super) async fn says(librarian: &Librarian, path: &NotePath, text: &str) -> Result<bool> {
    let old = shelve::shelved(librarian, &rid(&path.to_string())).await?;
    Ok(old.is_some_and(|old| has_said(&old, text)))
}

fn has_said(document: &Node, text: &str) -> bool {
    document.properties.get(shelve::DIGEST) == Some(&json!(digest(text)))
}

/// What a note is about: the URI the note uses, and the entity it leads to, which is another one if
/// the entity with this URI was merged.
#[derive(Clone)]
pub(super) struct Subject {
    pub(super) uri: String,
    pub(super) entity: Entity,
}

impl Subject {
    /// The mention of the entity by its own note.
    fn mention(&self) -> Mention {
        let of = self.uri.clone();
        Mention::Named(self.entity.node.id, if self.is_merged() { of } else { String::new() })
    }

    /// Whether it was merged into another entity.
    pub(super) fn is_merged(&self) -> bool {
        self.uri != self.entity.uri
    }
}

/// Registers the entity that a note is about, if any. If the note was about an entity before, it
/// still is, and a changed name renames that entity.
pub(super) async fn introduce(
    librarian: &Librarian,
    path: &NotePath,
    note: &Note<'_>,
) -> Result<Option<Subject>> {
    let _keeping = librarian.app.notes.keeping.lock().await;
    let entity_type = entity_type(librarian, note).await?;
    introduced(librarian, path, note, entity_type, &mut Vec::new()).await
}

/// Returns the type a note gives its entity; `None` if it is about none.
async fn entity_type(librarian: &Librarian, note: &Note<'_>) -> Result<Option<EntityType>> {
    match note.type_name() {
        Some(word) => librarian.entity_type(word).await,
        None => Ok(None),
    }
}

async fn introduced(
    librarian: &Librarian,
    path: &NotePath,
    note: &Note<'_>,
    entity_type: Option<EntityType>,
    warnings: &mut Vec<String>,
) -> Result<Option<Subject>> {
    let Some(entity_type) = entity_type else { return Ok(None) };
    let told = note.first("uri").filter(|uri| uri.starts_with(uri::PREFIX)).map(str::to_owned);
    let document = shelve::shelved(librarian, &rid(&path.to_string())).await?;
    let known = match &told {
        Some(uri) => subject(librarian, uri).await?,
        None => subject_of(librarian, document.as_ref()).await?,
    };
    let known = match known {
        None if told.is_none() => merged_before(librarian, entity_type, path, note).await?,
        known => known,
    };
    let document = match &known {
        Some(known) if known.is_merged() => document,
        _ => document.map(unheld),
    };
    let names = Names::of(path, note, document.as_ref());
    let still = known.clone();
    let introduced = match known {
        // A note that players cannot see must not change what they see.
        Some(known) if librarian.would_tell(&known.entity.node) => Ok(known),
        Some(known) => {
            let said = (typed(document.as_ref()), entity_type);
            note_names::named(librarian, retyped(librarian, known, said).await?, &names).await
        }
        None => registered(librarian, entity_type, &names, told, rid(&path.to_string())).await,
    };
    match introduced {
        Ok(subject) => {
            warnings.extend(warnings::of_second(librarian, path, note, &subject.uri).await?);
            Ok(Some(subject))
        }
        Err(error) if error.code().meaning().retry => Err(error),
        // The note is kept as a document nevertheless, and is about whom it was about.
        Err(error) => {
            tracing::info!(
                code = error.code().meaning().name,
                "a note's entity was not registered or not changed"
            );
            warnings.push(warnings::of_entity(&error, still.is_some()));
            Ok(still)
        }
    }
}

async fn registered(
    librarian: &Librarian,
    entity_type: EntityType,
    names: &Names,
    uri: Option<String>,
    rid: String,
) -> Result<Subject> {
    let (name, aliases) =
        names.now.split_first().map_or(("", &[][..]), |(name, more)| (name, more));
    let uri = match uri {
        None => note_names::beside(librarian, entity_type, name, &rid).await?,
        told => told,
    };
    let registration = Registration {
        name: name.to_owned(),
        entity_type,
        aliases: aliases.to_vec(),
        description: None,
        found_at: None,
        uri,
        introduced_by: Some(rid),
    };
    let registered = register::register(librarian, &registration).await?;
    let entity = registered.entity;
    Ok(Subject { uri: registered.of.unwrap_or_else(|| entity.uri.clone()), entity })
}

/// Changes the type of an entity if its note gave another type before. As long as the note does not
/// change, a type set by others stays. The type of a page is fixed.
async fn retyped(
    librarian: &Librarian,
    known: Subject,
    (before, now): (Option<EntityType>, EntityType),
) -> Result<Subject> {
    let stays = known.is_merged() || !ontology::can_be(&known.entity.node, now);
    if stays || before.is_none_or(|before| before == now) {
        return Ok(known);
    }
    let entity = amend::retype(librarian, &known.uri, now, SAYS_SO).await?;
    Ok(Subject { entity, ..known })
}

/// Returns the entity of a new note if the URI made from its name belongs to an entity that was
/// merged into another: the note had been removed and is back.
async fn merged_before(
    librarian: &Librarian,
    entity_type: EntityType,
    path: &NotePath,
    note: &Note<'_>,
) -> Result<Option<Subject>> {
    let Some(name) = names(path, note).into_iter().next() else { return Ok(None) };
    let known = subject(librarian, &uri::proposed(Some(entity_type), &name)).await?;
    let Some(known) = known.filter(Subject::is_merged) else { return Ok(None) };
    // If that entity still has a note elsewhere, the new note is about somebody else.
    let has_another = !notes_under(librarian, &known).await?.is_empty();
    Ok((!has_another).then_some(known))
}

/// Returns the type a document gave its entity when it was last stored.
fn typed(document: Option<&Node>) -> Option<EntityType> {
    property(document?, TYPED).and_then(EntityType::read)
}

/// Returns the entity a document was about when it was last stored, if it still exists.
pub(super) async fn subject_of(
    librarian: &Librarian,
    document: Option<&Node>,
) -> Result<Option<Subject>> {
    match document.and_then(|node| property(node, ABOUT)) {
        Some(uri) => subject(librarian, uri).await,
        None => Ok(None),
    }
}

async fn subject(librarian: &Librarian, uri: &str) -> Result<Option<Subject>> {
    let entity = entities::by_uri(librarian, uri).await?;
    Ok(entity.map(|entity| Subject { uri: uri.to_owned(), entity }))
}

/// Deletes the document of a removed note and withdraws what the note stated.
pub(super) async fn forget(librarian: &Librarian, path: &str) -> Result<()> {
    let _keeping = librarian.app.notes.keeping.lock().await;
    let rid = rid(path);
    let Some(document) = shelve::shelved(librarian, &rid).await? else { return Ok(()) };
    let spoken_of = vouching::mentioned_by(librarian, Some(&document)).await?;
    if let Some(subject) = subject_of(librarian, Some(&document)).await? {
        let_go(librarian, &document, &subject).await?;
    }
    shelve::unshelve(librarian, &rid).await?;
    vouching::forget_unmentioned(librarian, &spoken_of).await
}

/// Withdraws what a note stated about an entity it is no longer about: relations, aliases, and the
/// entity itself if a note introduced it and nothing else refers to it.
async fn let_go(librarian: &Librarian, document: &Node, subject: &Subject) -> Result<()> {
    let about = subject.entity.node.id;
    by_notes::withdraw(librarian, about, &uri::of_document(document), &HashSet::new()).await?;
    if librarian.would_tell(&subject.entity.node) {
        return Ok(());
    }
    let mut others = notes_under(librarian, subject).await?;
    others.retain(|note| note.id != document.id);
    let warned = others.iter().filter(|note| note.properties.contains_key(WARNINGS));
    linking::mark(librarian, &warned.map(|note| note.id).collect::<Vec<_>>()).await?;
    note_names::take_back(librarian, document, subject, &others).await?;
    match others.is_empty() && !subject.is_merged() {
        true => vouching::forget_introduced(librarian, &subject.uri, Some(document.id)).await,
        false => Ok(()),
    }
}

/// Returns the notes that are about an entity under exactly this URI.
async fn notes_under(librarian: &Librarian, subject: &Subject) -> Result<Vec<Node>> {
    let mut nodes = notes_about(librarian, &subject.entity).await?;
    nodes.retain(|node| property(node, ABOUT) == Some(&subject.uri));
    Ok(nodes)
}

/// Returns the notes that are about an entity, under its own URI or a merged one.
pub(super) async fn notes_about(librarian: &Librarian, entity: &Entity) -> Result<Vec<Node>> {
    let kinds = [word(MENTIONS)?];
    let (store, viewer) = (&librarian.app.store, &librarian.viewer);
    let id = entity.node.id;
    let edges = store.neighbours(viewer, &[id], Direction::In, &kinds, EDGES_MAX).await?;
    let ids: Vec<NodeId> = edges.iter().map(|edge| edge.source).collect();
    let mut nodes = store.nodes(viewer, &ids).await?;
    let catalogue = librarian.catalogue().await?;
    nodes.retain(|node| property(node, ABOUT).and_then(|uri| catalogue.by_uri(uri)) == Some(id));
    Ok(nodes)
}

pub(super) fn property<'a>(node: &'a Node, name: &str) -> Option<&'a str> {
    node.properties.get(name).and_then(Value::as_str)
}

/// Moves the document of a note to another path. Returns whether there was one and `to` was free.
pub(super) async fn follow(librarian: &Librarian, from: &str, to: &str) -> Result<bool> {
    let _keeping = librarian.app.notes.keeping.lock().await;
    let (place, from, to) = (NotePath::parse(to), rid(from), rid(to));
    let moved = shelve::rename(librarian, &from, &to).await?;
    if moved
        && let Some(document) = shelve::shelved(librarian, &to).await?
        && let Some(subject) = subject_of(librarian, Some(&document)).await?
    {
        by_notes::readdress(librarian, subject.entity.node.id, &from, &to).await?;
        if let Ok(place) = place {
            linking::came(librarian, &place, &subject.entity).await?;
        }
    }
    Ok(moved)
}

/// Deletes an entity that a note introduced if no note is about it any more.
pub(in crate::knowledge) async fn forget_unsaid(librarian: &Librarian, uri: &str) -> Result<()> {
    let Some(known) = subject(librarian, uri).await? else { return Ok(()) };
    if librarian.would_tell(&known.entity.node) || !notes_under(librarian, &known).await?.is_empty()
    {
        return Ok(());
    }
    vouching::forget_introduced(librarian, uri, None).await
}

pub(super) fn digest(text: &str) -> String {
    uri::hex(&Sha256::digest(text))
}

/// Returns the RID of the note at a path.
pub(super) fn rid(path: &str) -> String {
    format!("{PREFIX}{path}")
}
