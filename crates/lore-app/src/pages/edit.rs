//! Making, changing and deleting pages.

use futures::FutureExt;
use lore_core::names::{self, checked_length};
use lore_core::{Error, Node, Properties, Result, Text};
use lore_store::{
    Applied, Batch, Change, Expect, NewNode, NewText, NodePatch, NodeRef, TextPatch, TextRef,
};

use super::kinds::{ENTRY, PageKind};
use super::links::{self, Source, Tags};
use super::page::{self, Detail};
use super::scribe::Scribe;
use crate::play::word;

/// Longest text of a page or post, in characters.
const TEXT_MAX: usize = 500_000;
/// Most tags of a page.
const TAGS_MAX: usize = 100;

/// A page to make.
#[derive(Debug, Clone)]
pub struct NewPage {
    /// Its kind.
    pub kind: PageKind,
    /// Its name.
    pub name: String,
    /// What refines the kind.
    pub subtype: Option<String>,
    /// Its text, Markdown.
    pub entry: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Whether to hide it from other members; notes are hidden unless said otherwise.
    pub private: Option<bool>,
    /// Fields that only some callers know, such as a journal's date.
    pub fields: Properties,
}

/// Changes to a page; `None` leaves a field alone.
#[derive(Debug, Clone, Default)]
pub struct PagePatch {
    /// New name.
    pub name: Option<String>,
    /// New refinement of the kind; empty clears it.
    pub subtype: Option<String>,
    /// New text; empty clears it.
    pub entry: Option<String>,
    /// All tags, replacing the present ones.
    pub tags: Option<Vec<String>>,
    /// Hide it from other members, or show it.
    pub private: Option<bool>,
    /// Fields that only some callers know; null takes one away.
    pub fields: Properties,
}

/// The numbers of a new page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// Its name, as it is kept.
    pub name: String,
    /// Its number among all pages.
    pub number: i64,
    /// Its number within its kind.
    pub kind_number: i64,
}

/// Makes a page. A tag of that name is kept and changed instead: a name is one tag.
pub async fn create(scribe: &Scribe, new: &NewPage) -> Result<Made> {
    if new.kind == PageKind::Tag
        && let Some(tag) = links::find_tag(scribe, &new.name).await?
    {
        update(scribe, tag.number, &PagePatch::from(new)).await?;
        return Ok(Made { name: tag.name, number: tag.number, kind_number: tag.kind_number });
    }
    let name = names::checked_name("name", &new.name)?;
    let tags = checked_tags(&new.tags)?;
    check_text(new.entry.as_deref())?;
    let subtype = checked_subtype(new.subtype.as_deref())?;
    let visibility = scribe.visibility(new.private.unwrap_or(new.kind == PageKind::Note));
    let plan = || {
        async {
            let uid = scribe.app.effects.uid();
            let mut node = NewNode::new(uid, new.kind.word()?, name.clone());
            node.subtype.clone_from(&subtype);
            node.tags.clone_from(&tags);
            node.visibility = visibility;
            node.properties = merged(&Properties::new(), &new.fields);
            let mut batch = scribe.batch().change(Change::CreateNode(node));
            let body = new.entry.as_deref().unwrap_or_default();
            if !body.trim().is_empty() {
                let text = scribe.app.effects.uid();
                let text = NewText::new(text, NodeRef::Uid(uid), word(ENTRY)?, body);
                batch = batch.change(Change::CreateText(text));
            }
            let page = NodeRef::Uid(uid);
            let wanted = Tags { page, visibility, before: &[], after: &tags };
            batch = links::set_tags(scribe, batch, wanted).await?;
            let sources = [Source { body, visibility }];
            batch = links::set_mentions(scribe, batch, page, None, &sources).await?;
            Ok((batch, ()))
        }
        .boxed()
    };
    let ((), committed) = scribe.carry_out(plan).await?;
    match committed.applied.first() {
        Some(Applied::Node { number, kind_number, .. }) => {
            Ok(Made { name: name.clone(), number: *number, kind_number: *kind_number })
        }
        _ => Err(Error::Bug { what: "a new page without a number".into() }),
    }
}

/// Changes a page.
pub async fn update(scribe: &Scribe, number: i64, patch: &PagePatch) -> Result<()> {
    let name = patch.name.as_deref().map(|name| names::checked_name("name", name)).transpose()?;
    let tags = patch.tags.as_deref().map(checked_tags).transpose()?;
    check_text(patch.entry.as_deref())?;
    let subtype = match &patch.subtype {
        Some(given) => Some(checked_subtype(Some(given))?),
        None => None,
    };
    let fields = NodePatch {
        name,
        subtype,
        tags,
        visibility: patch.private.map(|private| scribe.visibility(private)),
        ..NodePatch::default()
    };
    let plan = || {
        let fields = fields.clone();
        async move { Ok((changed(scribe, number, fields, patch).await?, ())) }.boxed()
    };
    scribe.carry_out(plan).await?;
    Ok(())
}

async fn changed(
    scribe: &Scribe,
    number: i64,
    fields: NodePatch,
    patch: &PagePatch,
) -> Result<Batch> {
    let page = page::get(scribe, number, Detail::Entry).await?;
    let visibility = fields.visibility.unwrap_or(page.node.visibility);
    let target = NodeRef::Id(page.node.id);
    let mut batch = scribe.batch();
    let mut fields = fields;
    if !patch.fields.is_empty() {
        fields.properties = Some(merged(&page.node.properties, &patch.fields));
    }
    let renamed = fields.name.clone().filter(|name| *name != page.node.name);
    let tags = fields.tags.clone();
    let expect = Expect::Version(page.node.version);
    batch = batch.change(Change::UpdateNode(target, expect, fields));
    if let Some(body) = &patch.entry {
        batch = batch.change(entry_change(scribe, &page.node, page.entry.as_ref(), body)?);
    }
    if let Some(name) = renamed.filter(|_| page.kind == PageKind::Tag) {
        batch = links::retag(scribe, batch, &page.node, Some(&name)).await?;
    }
    let after = tags.as_ref().unwrap_or(&page.node.tags);
    if tags.is_some() || patch.private.is_some() {
        let wanted = Tags { page: target, visibility, before: &page.node.tags, after };
        batch = links::set_tags(scribe, batch, wanted).await?;
    }
    if patch.entry.is_some() || patch.private.is_some() {
        let written = page.entry.as_ref().map(|text| text.body.as_str());
        let body = patch.entry.as_deref().or(written).unwrap_or_default();
        let posts = links::post_sources(scribe, &page.node).await?;
        let mut sources = vec![Source { body, visibility: lore_core::Visibility::Members }];
        sources.extend(posts.iter().map(Source::from));
        batch = links::set_mentions(scribe, batch, target, Some(page.node.id), &sources).await?;
    }
    Ok(batch)
}

fn entry_change(scribe: &Scribe, node: &Node, old: Option<&Text>, body: &str) -> Result<Change> {
    Ok(match old {
        Some(text) => {
            let patch = TextPatch { body: Some(body.to_owned()), ..TextPatch::default() };
            Change::UpdateText(TextRef::Id(text.id), Expect::Version(text.version), patch)
        }
        None => {
            let uid = scribe.app.effects.uid();
            Change::CreateText(NewText::new(uid, NodeRef::Id(node.id), word(ENTRY)?, body))
        }
    })
}

/// Puts a page into the bin.
pub async fn delete(scribe: &Scribe, number: i64) -> Result<()> {
    let plan = || {
        async move {
            let node = page::node(scribe, number).await?;
            let expect = Expect::Version(node.version);
            let mut batch = scribe.batch();
            if scribe.kind_of(&node) == Some(PageKind::Tag) {
                batch = links::retag(scribe, batch, &node, None).await?;
            }
            let change = Change::DeleteNode(NodeRef::Id(node.id), expect);
            Ok((batch.change(change), ()))
        }
        .boxed()
    };
    scribe.carry_out(plan).await?;
    Ok(())
}

/// The fields after a change; null takes one away.
fn merged(before: &Properties, changes: &Properties) -> Properties {
    let mut after = before.clone();
    for (name, value) in changes {
        if value.is_null() {
            after.shift_remove(name);
        } else {
            after.insert(name.clone(), value.clone());
        }
    }
    after
}

impl From<&NewPage> for PagePatch {
    fn from(new: &NewPage) -> Self {
        Self {
            name: None,
            subtype: new.subtype.clone(),
            entry: new.entry.clone(),
            tags: (!new.tags.is_empty()).then(|| new.tags.clone()),
            private: new.private,
            fields: new.fields.clone(),
        }
    }
}

/// Fails when a text is too long to be kept.
pub(super) fn check_text(text: Option<&str>) -> Result<()> {
    text.map_or(Ok(()), |text| checked_length("entry", text, TEXT_MAX))
}

fn checked_subtype(given: Option<&str>) -> Result<Option<String>> {
    let given = given.map(str::trim).filter(|text| !text.is_empty());
    given.map(|text| names::checked_name("type", text)).transpose()
}

/// Checked names without repetitions, in the given order.
fn checked_tags(given: &[String]) -> Result<Vec<String>> {
    if given.len() > TAGS_MAX {
        return Err(Error::TooLarge { what: "tags".into(), limit: format!("{TAGS_MAX} tags") });
    }
    let mut tags: Vec<String> = Vec::with_capacity(given.len());
    for tag in given {
        let tag = names::checked_name("tags", tag)?;
        if !tags.iter().any(|known| names::name_key(known) == names::name_key(&tag)) {
            tags.push(tag);
        }
    }
    Ok(tags)
}
