//! Creating, changing and deleting pages in the local world.

use futures::FutureExt;
use lore_core::names::{self, checked_length};
use lore_core::{Error, Node, Properties, Result, Text, Visibility};
use lore_store::{
    Applied, Batch, Change, Expect, NewNode, NewText, NodeKey, NodePatch, NodeRef, TextPatch,
    TextRef,
};

use super::days;
use super::kinds::{ENTRY, PARENT_ID, PageKind};
use super::links::{self, Source};
use super::live;
use super::page::{self, Detail, Page};
use super::references;
use super::scribe::Scribe;
use super::tags::{self, Tags};
use crate::access::may_change;
use crate::play::character::may_hide;
use crate::play::word;

/// The maximum length of a page's or post's text, in characters.
const TEXT_MAX: usize = 500_000;
/// The maximum number of tags of a page.
const TAGS_MAX: usize = 100;

/// A page to create.
#[derive(Debug, Clone)]
pub struct NewPage {
    /// Its kind.
    pub kind: PageKind,
    /// Its name.
    pub name: String,
    /// Its subtype, such as "city".
    pub subtype: Option<String>,
    /// Its text, in Markdown.
    pub entry: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Whether to hide it from other members. Notes are hidden by default.
    pub private: Option<bool>,
    /// The number of its parent page.
    pub parent: Option<i64>,
    /// Fields specific to the kind, such as a journal's date.
    pub fields: Properties,
}

/// Changes to a page; `None` leaves a field alone.
#[derive(Debug, Clone, Default)]
pub struct PagePatch {
    /// New name.
    pub name: Option<String>,
    /// New subtype; empty clears it.
    pub subtype: Option<String>,
    /// New text; empty clears it.
    pub entry: Option<String>,
    /// All tags, replacing the current ones.
    pub tags: Option<Vec<String>>,
    /// Whether to hide it from other members.
    pub private: Option<bool>,
    /// The number of its parent page; `Some(None)` removes the parent.
    pub parent: Option<Option<i64>>,
    /// Fields specific to the kind; null removes one.
    pub fields: Properties,
}

/// The numbers of a new page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    /// Its name as it is stored.
    pub name: String,
    /// Its number among all pages.
    pub number: i64,
    /// Its number within its kind.
    pub kind_number: i64,
}

impl NewPage {
    /// Whether it is hidden from other members. Notes are by default.
    pub(super) fn is_private(&self) -> bool {
        self.private.unwrap_or(self.kind == PageKind::Note)
    }
}

/// The checked and normalised parts of a page to create.
pub(super) struct Checked {
    pub(super) name: String,
    pub(super) subtype: Option<String>,
    pub(super) tags: Vec<String>,
}

/// Checks a page to create.
pub(super) fn checked(new: &NewPage) -> Result<Checked> {
    let name = names::checked_name("name", &new.name)?;
    let tags = checked_tags(&new.tags)?;
    check_text(new.entry.as_deref())?;
    Ok(Checked { name, subtype: checked_subtype(new.subtype.as_deref())?, tags })
}

/// Checks a patch and returns the part that concerns the node.
pub(super) fn checked_patch(patch: &PagePatch) -> Result<NodePatch> {
    let name = patch.name.as_deref().map(|name| names::checked_name("name", name)).transpose()?;
    let tags = patch.tags.as_deref().map(checked_tags).transpose()?;
    check_text(patch.entry.as_deref())?;
    let subtype = patch.subtype.as_deref().map(|given| checked_subtype(Some(given))).transpose()?;
    Ok(NodePatch { name, subtype, tags, ..NodePatch::default() })
}

/// Creates a page. If a tag of that name exists, it is updated instead: tag names are unique.
pub(super) async fn create(scribe: &Scribe, new: &NewPage) -> Result<Made> {
    if new.kind == PageKind::Tag
        && let Some(tag) = tags::find_tag(scribe, &new.name).await?
    {
        update(scribe, tag.number, &PagePatch::from(new)).await?;
        return Ok(Made { name: tag.name, number: tag.number, kind_number: tag.kind_number });
    }
    let checked = checked(new)?;
    let plan = || async { Ok((created(scribe, new, &checked).await?, ())) }.boxed();
    let ((), committed) = scribe.carry_out(plan).await?;
    match committed.applied.first() {
        Some(Applied::Node { number, kind_number, .. }) => {
            Ok(Made { name: checked.name.clone(), number: *number, kind_number: *kind_number })
        }
        _ => Err(Error::Bug { what: "a new page without a number".into() }),
    }
}

async fn created(scribe: &Scribe, new: &NewPage, checked: &Checked) -> Result<Batch> {
    let visibility = scribe.visibility(new.is_private());
    let uid = scribe.app.effects.uid();
    let mut node = NewNode::new(uid, new.kind.word()?, checked.name.clone());
    node.subtype.clone_from(&checked.subtype);
    node.tags.clone_from(&checked.tags);
    node.visibility = visibility;
    let fields = references::checked(scribe, &new.fields, &Properties::new()).await?;
    node.properties = merged(&Properties::new(), &fields);
    set_parent_id(&mut node.properties, new.parent);
    if new.kind == PageKind::Tag {
        tags::keep_hidden(&mut node.properties, new.is_private());
    }
    let mut batch = scribe.batch().change(Change::CreateNode(node));
    let body = new.entry.as_deref().unwrap_or_default();
    if !body.trim().is_empty() {
        let text = scribe.app.effects.uid();
        let text = NewText::new(text, NodeRef::Uid(uid), word(ENTRY)?, body);
        batch = batch.change(Change::CreateText(text));
    }
    let page = NodeRef::Uid(uid);
    let wanted = Tags { page, visibility, before: &[], after: &checked.tags };
    batch = tags::set_tags(scribe, batch, wanted).await?;
    let sources = [Source { body, visibility }];
    batch = links::set_mentions(scribe, batch, page, None, &sources).await?;
    links::set_parent(scribe, batch, page, None, parent(scribe, new.parent).await?).await
}

/// Changes a page.
pub(super) async fn update(scribe: &Scribe, number: i64, patch: &PagePatch) -> Result<()> {
    let fields = NodePatch {
        visibility: patch.private.map(|private| scribe.visibility(private)),
        ..checked_patch(patch)?
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
    may_change(&scribe.viewer, page.node.created.by, &page.node.name)?;
    let visibility = fields.visibility.unwrap_or(page.node.visibility);
    if visibility != page.node.visibility {
        may_hide(&scribe.app, &scribe.viewer, &page.node, visibility).await?;
    }
    let target = NodeRef::Id(page.node.id);
    let mut batch = scribe.batch();
    let mut fields = fields;
    let wanted = parent_after(scribe, &page, patch.parent).await?;
    fields.properties = properties_after(scribe, &page, patch, wanted).await?;
    if let Some(after) = &fields.properties {
        fields.seen = seen(scribe, &page.node.properties, after).await?;
    }
    days::tell(&mut fields, &page.node);
    if page.kind == PageKind::Tag {
        tags::check_alone(scribe, &page.node, fields.name.as_deref(), visibility).await?;
    }
    let renamed = fields.name.clone().filter(|name| *name != page.node.name);
    let wanted_tags = fields.tags.clone();
    let expect = Expect::Version(page.node.version);
    batch = batch.change(Change::UpdateNode(target, expect, fields));
    if let Some(body) = &patch.entry {
        batch = batch.change(entry_change(scribe, &page.node, page.entry.as_ref(), body)?);
    }
    if let Some(name) = renamed.filter(|_| page.kind == PageKind::Tag) {
        batch = tags::retag(scribe, batch, &page.node, Some(&name)).await?;
    }
    let after = wanted_tags.as_ref().unwrap_or(&page.node.tags);
    if wanted_tags.is_some() || patch.private.is_some() {
        let wanted = Tags { page: target, visibility, before: &page.node.tags, after };
        batch = tags::set_tags(scribe, batch, wanted).await?;
    }
    if patch.entry.is_some() || patch.private.is_some() {
        let (written, posts) = links::whole_texts(scribe, &page.node).await?;
        let body = patch.entry.as_deref().unwrap_or(&written);
        let mut sources = vec![Source { body, visibility: Visibility::Members }];
        sources.extend(posts.iter().map(Source::from));
        batch = links::set_mentions(scribe, batch, target, Some(page.node.id), &sources).await?;
    }
    if let Some(parent) = wanted {
        batch = links::set_parent(scribe, batch, target, Some(page.node.id), parent).await?;
    }
    Ok(batch)
}

/// The properties of a page after a patch; `None` if they do not change.
async fn properties_after(
    scribe: &Scribe,
    page: &Page,
    patch: &PagePatch,
    part_of: Option<Option<i64>>,
) -> Result<Option<Properties>> {
    let hidden = patch.private.filter(|_| page.kind == PageKind::Tag);
    if patch.fields.is_empty() && part_of.is_none() && hidden.is_none() {
        return Ok(None);
    }
    let before = &page.node.properties;
    let fields = references::checked(scribe, &patch.fields, before).await?;
    let mut properties = merged(before, &fields);
    if let Some(wanted) = part_of {
        set_parent_id(&mut properties, parent(scribe, wanted).await?);
        check_no_circle(scribe, page.node.number, wanted).await?;
    }
    if let Some(private) = hidden {
        tags::keep_hidden(&mut properties, private);
    }
    Ok(Some(properties))
}

/// The new parent of a page, if it changes. Somebody who does not see the current parent cannot
/// mean to remove it.
async fn parent_after(
    scribe: &Scribe,
    page: &Page,
    wanted: Option<Option<i64>>,
) -> Result<Option<Option<i64>>> {
    match (wanted, page.parent()) {
        (Some(None), Some(now)) if references::is_hidden(scribe, now).await? => Ok(None),
        _ => Ok(wanted),
    }
}

/// The number of the parent page; fails if there is no such page.
async fn parent(scribe: &Scribe, wanted: Option<i64>) -> Result<Option<i64>> {
    let Some(number) = wanted else { return Ok(None) };
    match page::node(scribe, number).await {
        Ok(_) => Ok(Some(number)),
        Err(Error::NotFound { .. }) => Err(Error::invalid(
            "parent_id",
            format!("is {number}, and there is no such entity"),
            "use the entity_id of the entity it is part of",
        )),
        Err(other) => Err(other),
    }
}

/// Fails if a page would become its own ancestor.
async fn check_no_circle(scribe: &Scribe, number: i64, parent: Option<i64>) -> Result<()> {
    /// Limits the search in case the data already contains a cycle.
    const DEPTH_MAX: usize = 1_000;
    let eyes = scribe.all_seeing();
    let mut above = parent;
    for _ in 0..DEPTH_MAX {
        let Some(next) = above else { return Ok(()) };
        if next == number {
            break;
        }
        let node = scribe.app.store.node(&eyes, NodeKey::Number(next)).await?;
        above = node.and_then(|node| node.properties.get(PARENT_ID)?.as_i64());
    }
    match above {
        None => Ok(()),
        Some(_) => Err(Error::invalid(
            "parent_id",
            "would make the entity part of itself",
            "use an entity that is not part of it",
        )),
    }
}

/// Stores the number of the parent page among the fields.
pub(super) fn set_parent_id(fields: &mut Properties, parent: Option<i64>) {
    match parent {
        Some(parent) => fields.insert(PARENT_ID.into(), parent.into()),
        None => fields.shift_remove(PARENT_ID),
    };
}

/// Recomputes the mention and parent edges of a page, for when their targets were created after it.
pub(super) async fn relink(scribe: &Scribe, node: Node) -> Result<()> {
    let (entry, others) = links::whole_texts(scribe, &node).await?;
    let page = page::with_its_texts(scribe, node, Detail::Head).await?;
    let Some(page) = page else { return Ok(()) };
    let (target, id) = (NodeRef::Id(page.node.id), Some(page.node.id));
    let mut sources = vec![Source { body: &entry, visibility: Visibility::Members }];
    sources.extend(others.iter().map(Source::from));
    let batch = links::set_mentions(scribe, scribe.batch(), target, id, &sources).await?;
    let batch = links::set_parent(scribe, batch, target, id, page.parent()).await?;
    if !batch.changes.is_empty() {
        scribe.app.store.commit(&scribe.all_seeing(), batch).await?;
    }
    Ok(())
}

/// The change that stores the main text of a page.
pub(super) fn entry_change(
    scribe: &Scribe,
    node: &Node,
    old: Option<&Text>,
    body: &str,
) -> Result<Change> {
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
pub(super) async fn delete(scribe: &Scribe, number: i64) -> Result<()> {
    let plan = || {
        async move {
            let node = page::node(scribe, number).await?;
            may_change(&scribe.viewer, node.created.by, &node.name)?;
            let expect = Expect::Version(node.version);
            let mut batch = scribe.batch();
            if scribe.kind_of(&node) == Some(PageKind::Tag) {
                batch = tags::retag(scribe, batch, &node, None).await?;
            }
            let change = Change::DeleteNode(NodeRef::Id(node.id), expect);
            Ok((batch.change(change), ()))
        }
        .boxed()
    };
    scribe.carry_out(plan).await?;
    Ok(())
}

/// Who can see a change of properties, where the store cannot tell: some properties are never
/// shown, and references to hidden pages are not shown to everybody.
pub(super) async fn seen(
    scribe: &Scribe,
    before: &Properties,
    after: &Properties,
) -> Result<Option<Visibility>> {
    if before == after {
        return Ok(None);
    }
    let mut shown = [before.clone(), after.clone()];
    for fields in &mut shown {
        fields.retain(|name, _| ![live::RECORD, tags::KEPT_HIDDEN].contains(&name.as_str()));
    }
    references::leave_out(scribe, &mut shown).await?;
    let [before, after] = shown;
    Ok((before == after).then_some(Visibility::Gm))
}

/// The properties after a change; null removes one.
pub(super) fn merged(before: &Properties, changes: &Properties) -> Properties {
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
            parent: new.parent.map(Some),
            fields: new.fields.clone(),
        }
    }
}

/// Fails if a text is too long.
pub(super) fn check_text(text: Option<&str>) -> Result<()> {
    text.map_or(Ok(()), |text| checked_length("entry", text, TEXT_MAX))
}

fn checked_subtype(given: Option<&str>) -> Result<Option<String>> {
    let given = given.map(str::trim).filter(|text| !text.is_empty());
    given.map(|text| names::checked_name("type", text)).transpose()
}

/// Checked names without duplicates, in the given order.
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
