//! Writes data from Kanka into the mirror.
//!
//! Each page remembers a print (fingerprint) of Kanka's last known version. A page that differs
//! from its print was changed here. If Kanka's current version differs from it as well, neither is
//! overwritten.

use futures::future::{join_all, try_join_all};
use lore_core::{Error, Node, Properties, Result, Text, Timestamp, Uid, Viewer, Visibility};
use lore_store::{
    Batch, Change, Expect, NewNode, NewText, NodeKey, NodePatch, NodeRef, StoreError,
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::super::days;
use super::super::edit::{self, PagePatch};
use super::super::kinds::{ENTRY, POST, PageKind};
use super::super::links::{self, Source};
use super::super::page::{self, Detail, Page};
use super::super::scribe::Scribe;
use super::super::tags::{self as page_tags, Tags};
use super::post::{is_same, new_post, set_posts};
use super::print::{Content, own_fields, print, print_of_local};
use super::remote::{RemotePage, RemotePost};
use super::sync::Side;
use super::tags::TagNames;
use crate::play::word;

/// The property with what the mirror remembers of a page.
pub(in super::super) const RECORD: &str = "kanka";
/// The entry in it that marks Kanka's version as the answer to a write made here.
const ANSWERED: &str = "answered";
/// How often a page is planned again after conflicts.
const TRIES: usize = 32;

/// How the mirror learnt of a version of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Told {
    /// By reading it, with the side that wins if it was changed both here and there.
    InPassing(Side),
    /// As the answer to a write made here.
    InAnswer,
}

/// What happened to a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The mirror has Kanka's version.
    Stored,
    /// It was changed here but not there, and stays so.
    Kept,
    /// It was changed both here and there; the text explains it.
    Clash(String),
}

/// The uid for something of Kanka's in the viewer's world, always the same.
pub(super) fn uid_of(viewer: &Viewer, what: &str) -> Uid {
    let hash = Sha256::digest(format!("{} kanka {what}", viewer.world));
    let mut bytes = [0; 16];
    bytes.iter_mut().zip(hash).for_each(|(byte, hashed)| *byte = hashed);
    Uid::from_hash(bytes)
}

/// When Kanka's version of a page last changed, as far as the mirror knows.
pub(super) fn seen(node: &Node) -> Option<Timestamp> {
    node.properties.get(RECORD)?.get("seen")?.as_str()?.parse().ok()
}

/// Whether the version of a page that the mirror knows is Kanka's answer to a write made here.
pub(super) fn is_answer(node: &Node) -> bool {
    node.properties.get(RECORD).is_some_and(|record| record.get(ANSWERED).is_some())
}

/// Whether a page was changed here since Kanka's last known version.
pub(super) fn is_changed_here(page: &Page) -> bool {
    known(page) != Some(print_of_local(page).as_str())
}

/// Whether a page was changed on Kanka since the last known version, apart from its tags. The dates
/// alone do not tell, because Kanka keeps whole seconds.
pub(super) fn is_changed_there(page: &Page, remote: &RemotePage) -> bool {
    let said = Wanted { remote, said: remote, told: Told::InAnswer, tags: Vec::new() };
    seen(&page.node) != Some(remote.updated_at) || known(page) != Some(said.print(page).as_str())
}

/// The print of Kanka's last known version; `None` until the page was written completely, with its
/// date.
fn known(page: &Page) -> Option<&str> {
    page.node.properties.get(RECORD)?.get("print")?.as_str()
}

/// Writes several pages concurrently, so that their commits are grouped.
pub(super) async fn put_all(
    scribe: &Scribe,
    pages: &[RemotePage],
    told: Told,
) -> Result<Vec<Outcome>> {
    let tags = TagNames::read(scribe).await?;
    found(scribe, pages, &tags, told).await?;
    try_join_all(pages.iter().map(|page| put(scribe, page, &tags, told))).await
}

/// Creates the pages that are new here, in the order in which Kanka lists them, because lists show
/// them in order of creation. A page that conflicts with another is created later by [`put`].
async fn found(scribe: &Scribe, pages: &[RemotePage], tags: &TagNames, told: Told) -> Result<()> {
    let numbers: Vec<i64> = pages.iter().map(|page| page.number).collect();
    let here = scribe.app.store.nodes_by_number(&scribe.viewer, &numbers).await?;
    let is_new = |page: &&RemotePage| here.iter().all(|node| node.number != page.number);
    let plans = pages.iter().filter(is_new).map(|remote| async move {
        let wanted = Wanted { remote, said: remote, told, tags: tags.names(&remote.tags) };
        wanted.created(scribe).await
    });
    let plans = try_join_all(plans).await?;
    // Commits are queued in the order in which they are started.
    let commits = plans.into_iter().map(|plan| scribe.app.store.commit(&scribe.viewer, plan));
    for done in join_all(commits).await {
        match done {
            Ok(_) | Err(StoreError::Exists(_) | StoreError::Conflict(_)) => {}
            Err(other) => return Err(other.into()),
        }
    }
    Ok(())
}

/// Writes the result of a change to a page that has other local changes: fields that are not part
/// of the patch keep their local values and still count as changed here.
pub(super) async fn put_beside(
    scribe: &Scribe,
    remote: &RemotePage,
    patch: &PagePatch,
) -> Result<()> {
    let tags = TagNames::read(scribe).await?;
    for _ in 0..TRIES {
        let page = page::get(scribe, remote.number, Detail::Posts).await?;
        let kept = beside(remote, &page, patch);
        let (told, tags) = (Told::InAnswer, tags.names(&remote.tags));
        let wanted = Wanted { remote: &kept, said: remote, told, tags };
        let batch = wanted.changed(scribe, &page).await?;
        match scribe.app.store.commit(&scribe.viewer, batch).await {
            Ok(_) => return Ok(()),
            Err(StoreError::Conflict(_)) => {}
            Err(other) => return Err(other.into()),
        }
    }
    Err(too_many())
}

/// Kanka's version of a page, with local values for everything that the patch does not set.
fn beside(remote: &RemotePage, page: &Page, patch: &PagePatch) -> RemotePage {
    let mut kept = remote.clone();
    if patch.name.is_none() {
        kept.name.clone_from(&page.node.name);
    }
    if patch.subtype.is_none() {
        kept.subtype.clone_from(&page.node.subtype);
    }
    if patch.entry.is_none() {
        kept.entry = page.entry.as_ref().map_or_else(String::new, |text| text.body.clone());
    }
    if patch.private.is_none() {
        kept.private = page.is_private();
    }
    if patch.parent.is_none() {
        kept.parent = Some(page.parent());
    }
    let own = page.kind.fields().iter().filter(|name| !patch.fields.contains_key(**name));
    for name in own {
        let here = page.node.properties.get(*name).cloned().unwrap_or_default();
        kept.fields.insert((*name).to_owned(), here);
    }
    let there = remote.posts.as_deref().unwrap_or_default();
    let is_there = |text: &Text| there.iter().any(|post| is_same(text, post));
    if !page.posts.iter().all(is_there) {
        kept.posts = Some(page.posts.iter().map(RemotePost::from).collect());
    }
    kept
}

fn too_many() -> Error {
    Error::Unavailable { what: "the mirror (too many changes at once)".into() }
}

/// Writes one page.
async fn put(scribe: &Scribe, remote: &RemotePage, tags: &TagNames, told: Told) -> Result<Outcome> {
    let wanted = Wanted { remote, said: remote, told, tags: tags.names(&remote.tags) };
    for _ in 0..TRIES {
        let found = scribe.app.store.node(&scribe.viewer, NodeKey::Number(remote.number)).await?;
        let (batch, outcome) = match found {
            None => (wanted.created(scribe).await?, Outcome::Stored),
            Some(node) => {
                let pages = page::with_texts(scribe, vec![node], Detail::Posts).await?;
                let Some(page) = pages.into_iter().next().filter(|page| page.kind == remote.kind)
                else {
                    let kind = remote.kind.as_str();
                    return Ok(Outcome::Clash(format!("it became a {kind} on Kanka")));
                };
                match wanted.judge(&page) {
                    Verdict::Write => (wanted.changed(scribe, &page).await?, Outcome::Stored),
                    Verdict::Leave(outcome) if seen(&page.node) == Some(remote.updated_at) => {
                        return Ok(outcome);
                    }
                    Verdict::Leave(outcome) => (wanted.noted(scribe, &page), outcome),
                    Verdict::Stale => return Ok(Outcome::Stored),
                }
            }
        };
        let is_new = matches!(batch.changes.first(), Some(Change::CreateNode(_)));
        match scribe.app.store.commit(&scribe.viewer, batch).await {
            // A new page is first stored with its creation date. The next round adds its edges and
            // the date of its last change.
            Ok(_) if is_new => {}
            Ok(_) => return Ok(outcome),
            // The page was deleted here and exists again.
            Err(StoreError::Exists(_)) => revive(scribe, remote).await?,
            Err(StoreError::Conflict(_) | StoreError::NotFound(_)) => {}
            Err(other) => return Err(other.into()),
        }
    }
    Err(too_many())
}

async fn revive(scribe: &Scribe, remote: &RemotePage) -> Result<()> {
    let uid = uid_of(&scribe.viewer, &format!("entity {}", remote.number));
    let batch = scribe.batch().change(Change::RestoreNode(NodeRef::Uid(uid)));
    scribe.app.store.commit(&scribe.viewer, batch).await?;
    Ok(())
}

/// The content that a page is to have.
struct Wanted<'a> {
    remote: &'a RemotePage,
    /// Kanka's version, which is remembered.
    said: &'a RemotePage,
    told: Told,
    tags: Vec<String>,
}

enum Verdict {
    Write,
    Leave(Outcome),
    Stale,
}

impl Wanted<'_> {
    fn judge(&self, page: &Page) -> Verdict {
        let is_open = self.told == Told::InPassing(Side::Neither);
        let (ours, theirs) = (print_of_local(page), self.print(page));
        let known = known(page);
        // Two changes within a second have the same date, and tags are not part of the print.
        let is_same = page.node.updated.at == self.remote.updated_at
            && keys(&self.tags) == keys(&page.node.tags);
        match () {
            // This version was read before a write that the mirror already knows of.
            () if is_open && seen(&page.node) > Some(self.remote.updated_at) => Verdict::Stale,
            () if ours == theirs && is_same && known == Some(ours.as_str()) => {
                Verdict::Leave(Outcome::Stored)
            }
            // A page without a print was never written completely.
            () if known.is_none() || !is_open => Verdict::Write,
            () if ours == theirs || known == Some(ours.as_str()) => Verdict::Write,
            () if known == Some(theirs.as_str()) => Verdict::Leave(Outcome::Kept),
            () => Verdict::Leave(Outcome::Clash("it was changed here and on Kanka".into())),
        }
    }

    async fn created(&self, scribe: &Scribe) -> Result<Batch> {
        let remote = self.remote;
        let uid = uid_of(&scribe.viewer, &format!("entity {}", remote.number));
        let node = NewNode {
            number: Some(remote.number),
            kind_number: Some(remote.kind_number),
            subtype: remote.subtype.clone(),
            tags: self.tags.clone(),
            visibility: self.visibility(),
            properties: self.properties(None),
            ..NewNode::new(uid, remote.kind.word()?, remote.name.clone())
        };
        let target = NodeRef::Uid(uid);
        let mut batch = scribe.batch().change(Change::CreateNode(node));
        batch.at = remote.created_at;
        if !remote.entry.trim().is_empty() {
            let text = scribe.app.effects.uid();
            let text = NewText::new(text, target, word(ENTRY)?, remote.entry.clone());
            batch = batch.change(Change::CreateText(text));
        }
        for post in remote.posts.iter().flatten() {
            batch = batch.change(Change::CreateText(new_post(scribe, target, post)?));
        }
        page_tags::set_tags(scribe, batch, self.tags(target, &[])).await
    }

    async fn changed(&self, scribe: &Scribe, page: &Page) -> Result<Batch> {
        let remote = self.remote;
        let target = NodeRef::Id(page.node.id);
        let after = self.properties(Some(page));
        let mut patch = NodePatch {
            name: Some(remote.name.clone()).filter(|name| *name != page.node.name),
            subtype: Some(remote.subtype.clone()).filter(|kept| *kept != page.node.subtype),
            tags: Some(self.tags.clone()).filter(|tags| keys(tags) != keys(&page.node.tags)),
            visibility: Some(self.visibility()).filter(|kept| *kept != page.node.visibility),
            seen: match known(page) {
                Some(_) => edit::seen(scribe, &page.node.properties, &after).await?,
                None => Some(Visibility::Members),
            },
            properties: Some(after),
            ..NodePatch::default()
        };
        days::tell(&mut patch, &page.node);
        let expect = Expect::Version(page.node.version);
        let mut batch = scribe.batch().change(Change::UpdateNode(target, expect, patch));
        batch.at = remote.updated_at;
        let written = page.entry.as_ref().map_or("", |text| text.body.as_str());
        if remote.entry != written {
            let change = edit::entry_change(scribe, &page.node, page.entry.as_ref(), &remote.entry);
            batch = batch.change(change?);
        }
        if let Some(posts) = &remote.posts {
            batch = set_posts(scribe, batch, page, posts).await?;
        }
        batch = page_tags::set_tags(scribe, batch, self.tags(target, &page.node.tags)).await?;
        if page.kind == PageKind::Tag && remote.name != page.node.name {
            batch = page_tags::retag(scribe, batch, &page.node, Some(&remote.name)).await?;
        }
        self.linked(scribe, batch, page).await
    }

    /// Sets the mention and parent edges of the page.
    async fn linked(&self, scribe: &Scribe, batch: Batch, page: &Page) -> Result<Batch> {
        let (target, id) = (NodeRef::Id(page.node.id), Some(page.node.id));
        let entry = Source { body: &self.remote.entry, visibility: Visibility::Members };
        let posts = self.remote.posts.iter().flatten();
        let posts = posts.map(|post| Source { body: &post.entry, visibility: post.visibility });
        let (_, mut others) = links::whole_texts(scribe, &page.node).await?;
        others.retain(|text| text.kind.as_str() != POST);
        let others = others.iter().map(Source::from);
        let sources: Vec<Source<'_>> = std::iter::once(entry).chain(posts).chain(others).collect();
        let batch = links::set_mentions(scribe, batch, target, id, &sources).await?;
        links::set_parent(scribe, batch, target, id, self.parent(Some(page))).await
    }

    /// The tags of the page. Only Kanka decides who sees a tag, so open pages must not reveal it.
    fn tags<'a>(&'a self, page: NodeRef, before: &'a [String]) -> Tags<'a> {
        Tags { page, visibility: Visibility::Gm, before, after: &self.tags }
    }

    fn visibility(&self) -> Visibility {
        if self.remote.private { Visibility::Gm } else { Visibility::Members }
    }

    /// Remembers the date of Kanka's version without taking it over.
    fn noted(&self, scribe: &Scribe, page: &Page) -> Batch {
        let mut properties = page.node.properties.clone();
        let print = properties.get(RECORD).and_then(|record| record.get("print")).cloned();
        let record = json!({ "print": print, "seen": self.seen() });
        properties.insert(RECORD.into(), record);
        let (properties, seen) = (Some(properties), Some(Visibility::Gm));
        let patch = NodePatch { properties, seen, ..NodePatch::default() };
        let expect = Expect::Version(page.node.version);
        scribe.batch().change(Change::UpdateNode(NodeRef::Id(page.node.id), expect, patch))
    }

    /// The properties of the page. A new page gets no print until its edges are set.
    fn properties(&self, page: Option<&Page>) -> Properties {
        let before = page.map_or_else(Properties::new, |page| page.node.properties.clone());
        let mut after = edit::merged(&before, &self.remote.fields);
        edit::set_parent_id(&mut after, self.parent(page));
        if let Some(page) = page {
            let mut record = json!({ "print": self.print(page), "seen": self.seen() });
            if let (Told::InAnswer, Value::Object(record)) = (self.told, &mut record) {
                record.insert(ANSWERED.into(), true.into());
            }
            after.insert(RECORD.into(), record);
        }
        after
    }

    fn seen(&self) -> String {
        self.said.updated_at.to_string()
    }

    /// The number of the parent page; the local one if Kanka did not state it.
    fn parent(&self, page: Option<&Page>) -> Option<i64> {
        self.remote.parent.unwrap_or_else(|| page.and_then(Page::parent))
    }

    /// The print of Kanka's version; what it did not state is assumed to be as it is here.
    fn print(&self, page: &Page) -> String {
        let remote = self.said;
        let here = || page.posts.iter().map(RemotePost::from).collect();
        print(&Content {
            name: &remote.name,
            subtype: remote.subtype.as_deref(),
            entry: &remote.entry,
            private: remote.private,
            parent: remote.parent.unwrap_or_else(|| page.parent()),
            fields: own_fields(remote.kind, &remote.fields),
            posts: remote.posts.clone().unwrap_or_else(here),
        })
    }
}

/// Normalised names for comparison.
pub(super) fn keys(names: &[String]) -> Vec<String> {
    let mut keys: Vec<String> = names.iter().map(|name| lore_core::names::name_key(name)).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// A page of the mirror in the form that Kanka would return.
pub(super) async fn as_remote(scribe: &Scribe, page: &Page) -> Result<RemotePage> {
    let fields = page.kind.fields().iter().filter_map(|name| {
        let value = page.node.properties.get(*name)?;
        Some(((*name).to_owned(), value.clone()))
    });
    Ok(RemotePage {
        number: page.node.number,
        kind_number: page.node.kind_number,
        kind: page.kind,
        name: page.node.name.clone(),
        subtype: page.node.subtype.clone(),
        entry: page.entry.as_ref().map_or_else(String::new, |text| text.body.clone()),
        tags: TagNames::read(scribe).await?.numbers(&page.node.tags),
        private: page.is_private(),
        parent: Some(page.parent()),
        fields: fields.collect(),
        posts: Some(page.posts.iter().map(RemotePost::from).collect()),
        frames: Vec::new(),
        created_at: page.node.created.at,
        updated_at: page.node.updated.at,
    })
}
