//! Stored source files: a node with its facts, and a text for each symbol.
//!
//! Each file is written completely in one commit, so that a killed program leaves every file either
//! as it was or as it is now. Unchanged files are not written.

use std::collections::{BTreeMap, HashMap, HashSet};

use lore_code::{CodeChunk, EXTRACTION, FileFacts, Label, Source};
use lore_core::{Error, Node, NodeId, Properties, Provenance, Result, Text};
use lore_store::{
    Batch, Bin, Change, Expect, NewNode, NewState, NewText, NodeKey, NodePatch, NodeQuery, NodeRef,
    StoreError, TextPatch, TextRef,
};
use serde_json::{Value, json};

use super::GITHUB;
use super::facts::KeptFacts;
use super::repository::Counts;
use crate::knowledge::documents::shelve::{DIGEST, title};
use crate::knowledge::entities::uri;
use crate::knowledge::librarian::Librarian;
use crate::play::word;

/// Node kind of a file.
pub(super) const KIND: &str = "source_file";
/// Name of the state that holds the facts of a file.
pub(super) const FACTS: &str = "code";
/// Text kinds of a piece of code, and of a piece of any other file.
pub(in crate::knowledge) const CODE: &str = "code";
const CHUNK: &str = "chunk";
/// Most changes committed at once.
pub(super) const CHANGES_MAX: usize = 400;
/// Most type names stored as aliases of a file.
const ALIASES_MAX: usize = 50;

/// Properties of a file.
const REPO: &str = "repo";
pub(super) const PATH: &str = "path";
const EXTRACTED: &str = "extraction";
const RUN: &str = "run";
const COUNTS: &str = "counts";

/// A stored file.
#[derive(Debug, Clone)]
pub(super) struct KeptFile {
    pub(super) node: NodeId,
    /// Hash of its content; empty if its facts have to be extracted again.
    pub(super) hash: String,
    pub(super) path: String,
    pub(super) lines: u64,
    pub(super) bytes: u64,
    pub(super) entities: usize,
    pub(super) chunks: usize,
    pub(super) scanned_at: String,
}

/// Returns the stored files of a repository, by path.
pub(super) async fn known(librarian: &Librarian, repo: &str) -> Result<BTreeMap<String, KeptFile>> {
    let mut files = BTreeMap::new();
    let mut after = None;
    loop {
        let query = NodeQuery {
            kinds: vec![word(KIND)?],
            namespace: Some(GITHUB.into()),
            subtype: Some(repo.to_owned()),
            after,
            ..NodeQuery::default()
        };
        let page = librarian.app.store.find_nodes(&librarian.viewer, query).await?;
        let kept = page.items.iter().filter(|node| text_of(node, REPO) == Some(repo));
        files.extend(kept.filter_map(kept_file).map(|file| (file.path.clone(), file)));
        after = page.next;
        if after.is_none() {
            return Ok(files);
        }
    }
}

/// Counts what is stored of a repository. `edges` is the number of edges in the graph.
pub(super) async fn counts(librarian: &Librarian, repo: &str, edges: usize) -> Result<Counts> {
    let files = known(librarian, repo).await?;
    Ok(Counts {
        files: files.len(),
        entities: files.values().map(|file| file.entities).sum(),
        chunks: files.values().map(|file| file.chunks).sum(),
        edges,
    })
}

/// Returns the repository and the path of a file.
pub(super) fn place(node: &Node) -> Option<(&str, &str)> {
    Some((text_of(node, REPO)?, text_of(node, PATH)?))
}

/// Returns the hash of a file's content.
pub(super) fn hash(node: &Node) -> &str {
    text_of(node, DIGEST).unwrap_or_default()
}

/// Returns the id of the scan that read a file.
pub(super) fn run(node: &Node) -> Option<&str> {
    text_of(node, RUN)
}

/// The scan that stores files.
pub(super) struct Reading<'r> {
    /// The repository.
    pub(super) repo: &'r str,
    /// The id of the scan.
    pub(super) run: &'r str,
}

/// Stores files as they are now. `known` are the files stored before.
pub(super) async fn keep(
    librarian: &Librarian,
    reading: &Reading<'_>,
    known: &BTreeMap<String, KeptFile>,
    sources: Vec<Source>,
) -> Result<()> {
    let mut batch = librarian.batch();
    let mut waiting = Vec::new();
    for source in sources {
        let file = New::of(reading, source);
        let known = known.get(&file.facts.path).map(|known| known.node);
        batch.changes.extend(file.changes(librarian, known).await?);
        waiting.push(file);
        if batch.changes.len() >= CHANGES_MAX {
            commit(librarian, std::mem::replace(&mut batch, librarian.batch()), &waiting).await?;
            waiting.clear();
        }
    }
    commit(librarian, batch, &waiting).await
}

/// Returns the change that deletes a file.
pub(super) fn forgotten(file: NodeId) -> Change {
    Change::DeleteNode(NodeRef::Id(file), Expect::Any)
}

/// Deletes files.
pub(super) async fn forget(
    librarian: &Librarian,
    files: impl Iterator<Item = NodeId>,
) -> Result<()> {
    let files: Vec<NodeId> = files.collect();
    for some in files.chunks(CHANGES_MAX) {
        let gone = |node: &NodeId| forgotten(*node);
        let mut batch = librarian.batch();
        batch.changes.extend(some.iter().map(gone));
        match librarian.app.store.commit(&librarian.viewer, batch).await {
            Ok(_) => {}
            // One of them was deleted meanwhile: delete the others one by one.
            Err(StoreError::NotFound(_)) => {
                for change in some.iter().map(gone) {
                    let one = librarian.batch().change(change);
                    let outcome = librarian.app.store.commit(&librarian.viewer, one).await;
                    outcome.map(drop).or_else(|error| match error {
                        StoreError::NotFound(_) => Ok(()),
                        other => Err(other),
                    })?;
                }
            }
            Err(other) => return Err(other.into()),
        }
    }
    Ok(())
}

/// Commits files together or, if one of them is not as expected, one by one.
async fn commit(librarian: &Librarian, batch: Batch, files: &[New]) -> Result<()> {
    if batch.changes.is_empty() {
        return Ok(());
    }
    match librarian.app.store.commit(&librarian.viewer, batch).await {
        Ok(_) => Ok(()),
        Err(StoreError::Exists(_) | StoreError::Conflict(_) | StoreError::NotFound(_)) => {
            for file in files {
                alone(librarian, file).await?;
            }
            Ok(())
        }
        Err(other) => Err(other.into()),
    }
}

/// Stores one file, whether it exists, is in the bin or is new.
async fn alone(librarian: &Librarian, file: &New) -> Result<()> {
    let store = &librarian.app.store;
    let uid = file.uid(librarian)?;
    let find = || store.node(&librarian.viewer, NodeKey::Uid(uid));
    if find().await?.is_none() {
        let mut batch = librarian.batch();
        batch.changes = file.changes(librarian, None).await?;
        match store.commit(&librarian.viewer, batch).await {
            Ok(_) => return Ok(()),
            Err(StoreError::Exists(_)) => {
                let back = Change::RestoreNode(NodeRef::Uid(uid));
                store.commit(&librarian.viewer, librarian.batch().change(back)).await?;
            }
            Err(other) => return Err(other.into()),
        }
    }
    let node = find().await?.ok_or_else(|| Error::Unavailable { what: "a file".into() })?;
    let mut batch = librarian.batch();
    batch.changes = file.changes(librarian, Some(node.id)).await?;
    store.commit(&librarian.viewer, batch).await?;
    Ok(())
}

/// A file to store.
struct New {
    rid: String,
    repo: String,
    run: String,
    facts: FileFacts,
    chunks: Vec<CodeChunk>,
}

impl New {
    fn of(reading: &Reading<'_>, source: Source) -> Self {
        let Source { facts, text } = source;
        let (repo, run) = (reading.repo.to_owned(), reading.run.to_owned());
        let rid = format!("{GITHUB}:{repo}:{}", facts.path);
        let chunks = match facts.path.ends_with(".md") {
            true => passages(&text),
            false => lore_code::chunks(&facts, &text),
        };
        Self { rid, repo, run, facts, chunks }
    }

    fn uid(&self, librarian: &Librarian) -> Result<lore_core::Uid> {
        uri::derived_uid(&librarian.viewer, &self.rid)
            .ok_or_else(|| Error::Bug { what: "the id of a file".into() })
    }

    /// Returns the changes that bring the stored file up to date.
    async fn changes(&self, librarian: &Librarian, known: Option<NodeId>) -> Result<Vec<Change>> {
        let (node, mut changes) = match known {
            None => {
                let uid = self.uid(librarian)?;
                let node = NewNode {
                    namespace: GITHUB.to_owned(),
                    subtype: Some(self.repo.clone()),
                    aliases: self.aliases(),
                    visibility: librarian.visibility(),
                    properties: self.properties(),
                    ..NewNode::new(uid, word(KIND)?, title(&self.facts.path, &self.rid))
                };
                (NodeRef::Uid(uid), vec![Change::CreateNode(node)])
            }
            Some(id) => {
                let patch = NodePatch {
                    // Always written, so that graphs in memory notice the change.
                    aliases: Some(self.aliases()),
                    properties: Some(self.properties()),
                    ..NodePatch::default()
                };
                (NodeRef::Id(id), vec![Change::UpdateNode(NodeRef::Id(id), Expect::Any, patch)])
            }
        };
        changes.push(Change::PutState(NewState {
            node,
            name: word(FACTS)?,
            expect: Expect::Any,
            value: json!(KeptFacts::of(&self.facts)),
            visibility: librarian.visibility(),
        }));
        let old = match known {
            Some(id) => librarian.app.store.texts_of(&librarian.viewer, id, Bin::Live).await?,
            None => Vec::new(),
        };
        changes.extend(self.texts(librarian, node, old)?);
        Ok(changes)
    }

    /// Updates the texts of a file. Texts are matched by title; those with the same body stay.
    fn texts(&self, librarian: &Librarian, node: NodeRef, old: Vec<Text>) -> Result<Vec<Change>> {
        let mut old: HashMap<String, Text> =
            old.into_iter().map(|text| (text.title.clone(), text)).collect();
        let mut changes = Vec::new();
        for (place, chunk) in (0_i64..).zip(&self.chunks) {
            match old.remove(&chunk.title) {
                Some(text) if text.body == chunk.text => {}
                Some(text) => {
                    let patch = TextPatch {
                        body: Some(chunk.text.clone()),
                        position: Some(place),
                        ..TextPatch::default()
                    };
                    changes.push(Change::UpdateText(TextRef::Id(text.id), Expect::Any, patch));
                }
                None => changes.push(Change::CreateText(NewText {
                    title: chunk.title.clone(),
                    position: place,
                    provenance: Provenance {
                        source: Some(self.rid.clone()),
                        session: Some(self.rid.clone()),
                        ..Provenance::default()
                    },
                    visibility: librarian.visibility(),
                    ..NewText::new(
                        librarian.app.effects.uid(),
                        node,
                        word(self.text_kind())?,
                        chunk.text.clone(),
                    )
                })),
            }
        }
        let gone = old.into_values();
        changes.extend(gone.map(|text| Change::DeleteText(TextRef::Id(text.id), Expect::Any)));
        Ok(changes)
    }

    fn text_kind(&self) -> &'static str {
        if self.facts.language.is_some() { CODE } else { CHUNK }
    }

    /// Returns the names of the file's types as aliases, since hardly anything else has these
    /// names.
    fn aliases(&self) -> Vec<String> {
        let mut seen = HashSet::new();
        let types = self.facts.symbols.iter().filter(|symbol| {
            matches!(symbol.label, Label::Class | Label::Interface) && symbol.name.len() > 3
        });
        let names = types.filter(|symbol| seen.insert(symbol.name.to_lowercase()));
        names.take(ALIASES_MAX).map(|symbol| symbol.name.clone()).collect()
    }

    fn properties(&self) -> Properties {
        let facts = &self.facts;
        let properties = json!({
            uri::RID: self.rid,
            DIGEST: facts.content_hash,
            REPO: self.repo,
            PATH: facts.path,
            EXTRACTED: EXTRACTION,
            RUN: self.run,
            COUNTS: [facts.lines as u64, facts.bytes, facts.symbols.len() as u64,
                     self.chunks.len() as u64],
        });
        match properties {
            Value::Object(properties) => properties,
            _ => Properties::new(),
        }
    }
}

/// Splits Markdown into pieces with titles that are unique within the file.
fn passages(text: &str) -> Vec<CodeChunk> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    lore_reader::chunks(text)
        .into_iter()
        .map(|chunk| {
            let title = chunk.headings.join(" › ");
            let count = seen.entry(title.clone()).or_default();
            *count += 1;
            let title = if *count == 1 { title } else { format!("{title} ({count})") };
            CodeChunk { title, text: chunk.text }
        })
        .collect()
}

fn kept_file(node: &Node) -> Option<KeptFile> {
    let count = |place: usize| {
        let counts = node.properties.get(COUNTS).and_then(|counts| counts.get(place));
        counts.and_then(Value::as_u64).unwrap_or_default()
    };
    let current = node.properties.get(EXTRACTED) == Some(&json!(EXTRACTION));
    Some(KeptFile {
        node: node.id,
        hash: if current { hash(node).to_owned() } else { String::new() },
        path: text_of(node, PATH)?.to_owned(),
        lines: count(0),
        bytes: count(1),
        entities: usize::try_from(count(2)).unwrap_or(usize::MAX),
        chunks: usize::try_from(count(3)).unwrap_or(usize::MAX),
        scanned_at: node.updated.at.to_string(),
    })
}

fn text_of<'n>(node: &'n Node, key: &str) -> Option<&'n str> {
    node.properties.get(key).and_then(Value::as_str)
}
