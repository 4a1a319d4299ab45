//! Creating, changing and deleting objects. New objects are private unless the caller says
//! otherwise.
//!
//! - `input` parses and checks what is to be written.
//! - `held` hides parts together with their whole.
//! - `secrets` writes secrets.
//! - `mirrored` writes the articles of a mirror through to Kanka.

pub(super) mod held;
pub(super) mod input;
mod mirrored;
mod secrets;

use std::collections::HashSet;

use futures::FutureExt;
use lore_anvil::{DRAFT, Form, GROUPS, IdForm, Kind, Object};
use lore_core::{Error, Node, NodeId, Properties, Result, Role, Text, Uid, Visibility};
use lore_store::{
    Batch, Bin, Change, Counting, Direction, EdgeRef, Expect, NewEdge, NewNode, NewText, NodePatch,
    NodeRef, TextPatch, TextRef,
};
use serde_json::Value;

use super::read::assemble::{OURS, SECTION, named_posts};
use super::read::head;
use super::source::Atlas;
use super::{keys, templates};
use crate::access::may_change;
use crate::mentions::join;
use crate::pages::links::{self, Source};
use crate::pages::tags::{Tags, set_tags};
use crate::pages::{self, ENTRY, PARENT};
use crate::play::character::may_hide;
use crate::play::{MANY, word};
use input::{Link, Section, State, Written, id_of, own_of, stand_in};

impl Atlas {
    /// Creates an object.
    pub(super) async fn create_object(&self, kind: Kind, fields: &Object) -> Result<Object> {
        let fields = &without_ours(fields);
        let world = fields.get("world").map(|world| id_of("world", world)).transpose()?.flatten();
        let place = match world {
            Some(world) => self.in_world(Some(&world)).await?,
            None => self.beside(kind, fields).await?,
        };
        match kind {
            Kind::User | Kind::Campaign | Kind::Npc => Err(made_elsewhere(kind)),
            Kind::World => self.create_world(fields).await,
            Kind::Secret => place.create_secret(fields, self.app().effects.uid()).await,
            Kind::Folder => place.create_folder(fields).await,
            _ => place.create_node(kind, fields, self.app().effects.uid()).await,
        }
    }

    /// Changes an object.
    pub(super) async fn update_object(
        &self,
        kind: Kind,
        id: &str,
        fields: &Object,
    ) -> Result<Object> {
        let fields = &without_ours(fields);
        match kind {
            Kind::Campaign | Kind::Npc => Err(made_elsewhere(kind)),
            Kind::User => self.update_user(id, fields).await,
            Kind::World => self.in_world(Some(id)).await?.update_world(fields).await,
            Kind::Secret => self.update_secret(id, fields).await,
            _ => {
                let (place, node) = self.locate_own(kind, id).await?;
                may_change(place.viewer(), node.created.by, &node.name)?;
                if place.is_mirrored(&node.kind) {
                    place.update_mirrored(kind, &node, fields).await?;
                } else {
                    place.change_node(kind, node.id, fields).await?;
                }
                self.read_object(kind, Some(id), full(kind)).await
            }
        }
    }

    /// Puts an object into the bin.
    pub(super) async fn delete_object(&self, kind: Kind, id: &str) -> Result<()> {
        match kind {
            Kind::User | Kind::Campaign | Kind::Npc => Err(made_elsewhere(kind)),
            Kind::World => Err(Error::Forbidden {
                action: "worlds cannot be deleted here".into(),
                hint: "remove what is in it instead".into(),
            }),
            Kind::Secret => self.delete_secret(id).await,
            _ => {
                let (place, node) = self.locate_own(kind, id).await?;
                place.viewer().require(Role::Gm)?;
                if place.is_mirrored(&node.kind) {
                    return pages::delete(&place.scribe, node.number).await;
                }
                let delete =
                    Change::DeleteNode(NodeRef::Id(node.id), Expect::Version(node.version));
                let hidden = place.left_hidden(&node).await?.into_iter();
                place.commit(move |batch| hidden.fold(batch, Batch::change).change(delete)).await
            }
        }
    }

    /// The world for a new object when none is named: that of the first object it refers to.
    async fn beside(&self, kind: Kind, fields: &Object) -> Result<Self> {
        for (name, value) in fields {
            let Some(Form::One(other, _)) = kind.row().field(name).map(|field| field.form) else {
                continue;
            };
            if let Some(id) = id_of(name, value)?
                && let Ok((place, _)) = self.locate(other, &id).await
            {
                return Ok(place);
            }
        }
        Ok(self.clone())
    }

    /// Commits changes that the caller may make, with the game master's visibility.
    pub(super) async fn commit(&self, fill: impl FnOnce(Batch) -> Batch) -> Result<()> {
        self.viewer().require(Role::Player)?;
        let batch = fill(self.scribe.batch());
        self.commit_followed(batch).await
    }

    /// Commits a batch together with the mention edges that follow from its texts.
    async fn commit_followed(&self, batch: Batch) -> Result<()> {
        let followed = join(self.app(), self.viewer(), batch).await?;
        self.app().commit(&self.scribe.all_seeing(), followed.batch).await?;
        Ok(())
    }

    /// Creates an object with the given uid.
    pub(super) async fn create_node(
        &self,
        kind: Kind,
        fields: &Object,
        uid: Uid,
    ) -> Result<Object> {
        let written = self.understand(kind, fields).await?;
        let name = written.title.clone().or_else(|| stand_in(kind, fields));
        let name = name.ok_or_else(|| Error::invalid("title", "is required", "give it a title"))?;
        if self.is_mirrored(&keys::node_word(kind, written.template)?) {
            return self.create_mirrored(kind, name, written).await;
        }
        let (written, name) = (&written, &name);
        let plan = || {
            async move {
                let node_kind = keys::node_word(kind, written.template)?;
                let batch = self.scribe.batch();
                let (batch, written) = self.covered(batch, &node_kind, None, written).await?;
                let node = self.new_node(kind, uid, name, &written)?;
                let batch = batch.change(Change::CreateNode(node));
                Ok((self.furnished(batch, uid, &written).await?, ()))
            }
            .boxed()
        };
        self.scribe.carry_out(plan).await?;
        self.read_made(kind, uid).await
    }

    /// Reads back the object just created.
    async fn read_made(&self, kind: Kind, uid: Uid) -> Result<Object> {
        self.read_object(kind, Some(&uid.to_string()), full(kind)).await
    }

    /// The new node of an object.
    pub(super) fn new_node(
        &self,
        kind: Kind,
        uid: Uid,
        name: &str,
        written: &Written,
    ) -> Result<NewNode> {
        let mut node = NewNode::new(uid, keys::node_word(kind, written.template)?, name);
        if kind.row().id == IdForm::Number {
            node.counting = Counting::InStore;
        }
        node.visibility = self.visibility(written);
        node.tags = written.tags.clone().unwrap_or_default();
        node.subtype = written.subtype.clone().flatten();
        node.properties = head::merged(&Properties::new(), &own_of(written));
        Ok(node)
    }

    fn visibility(&self, written: &Written) -> Visibility {
        match (written.state.unwrap_or(State::Private), written.inside) {
            (State::Public, Some(inside)) => inside,
            (state, _) => self.scribe.visibility(state == State::Private),
        }
    }

    /// Adds the texts, links, tags and mentions of a new node.
    pub(super) async fn furnished(
        &self,
        batch: Batch,
        uid: Uid,
        written: &Written,
    ) -> Result<Batch> {
        let node = NodeRef::Uid(uid);
        let mut batch = batch;
        let body = written.text.as_deref().unwrap_or_default();
        if !body.trim().is_empty() {
            let text = NewText::new(self.app().effects.uid(), node, word(ENTRY)?, body);
            batch = batch.change(Change::CreateText(text));
        }
        for section in written.sections.iter().filter(|part| !part.body.trim().is_empty()) {
            batch = batch.change(Change::CreateText(self.new_section(node, section)?));
        }
        for link in &written.links {
            for target in &link.targets {
                let edge = joined(node, NodeRef::Id(target.id), link.edge)?;
                batch = batch.change(Change::PutEdge(edge));
            }
        }
        let visibility = self.visibility(written);
        let after = written.tags.clone().unwrap_or_default();
        let tags = Tags { page: node, visibility, before: &[], after: &after };
        batch = set_tags(&self.scribe, batch, tags).await?;
        let mut sources = vec![Source { body, visibility: Visibility::Members }];
        sources.extend(written.sections.iter().map(|part| self.source(part)));
        links::set_mentions(&self.scribe, batch, node, None, &sources).await
    }

    fn source<'a>(&self, section: &'a Section) -> Source<'a> {
        Source { body: &section.body, visibility: self.section_visibility(section) }
    }

    fn section_visibility(&self, section: &Section) -> Visibility {
        if section.hidden { self.scribe.visibility(true) } else { Visibility::Members }
    }

    fn new_section(&self, node: NodeRef, section: &Section) -> Result<NewText> {
        let uid = self.app().effects.uid();
        let mut text = NewText::new(uid, node, word(SECTION)?, section.body.clone());
        text.title.clone_from(&section.name);
        text.position = 1;
        text.visibility = self.section_visibility(section);
        Ok(text)
    }

    /// Changes a node of this world.
    pub(super) async fn change_node(&self, kind: Kind, id: NodeId, fields: &Object) -> Result<()> {
        let written = self.understand(kind, fields).await?;
        let written = &written;
        let plan = || {
            async move {
                let found = self.app().store.nodes(self.viewer(), &[id]).await?;
                let gone = || keys::unknown(kind, &id.to_string());
                let node = found.into_iter().next().ok_or_else(gone)?;
                self.changed(node, written).await
            }
            .boxed()
        };
        let (parts, _) = self.scribe.carry_out(plan).await?;
        match parts {
            Parts::Stay => Ok(()),
            Parts::Follow => self.settle_parts(id).await,
        }
    }

    async fn changed(&self, node: Node, written: &Written) -> Result<(Batch, Parts)> {
        let written = self.as_kept(&node, written).await?;
        let batch = self.scribe.batch();
        let (batch, written) = self.covered(batch, &node.kind, Some(&node), &written).await?;
        let written = &written;
        if let Some(template) =
            written.template.filter(|t| templates::node_kind(t) != node.kind.as_str())
            && templates::template_of(&node) != template
        {
            let problem = format!("cannot become {template} any more");
            let hint = "make a new article of that template";
            return Err(Error::invalid("templateType", problem, hint));
        }
        let target = NodeRef::Id(node.id);
        let own = own_of(written);
        let properties = (!own.is_empty()).then(|| head::merged(&node.properties, &own));
        let seen = properties.as_ref().and_then(|after| head::seen(&node.properties, after));
        // The first time a copy states when its original changed, everybody may see that date.
        let is_first = self.scribe.at.is_some() && node.created.at == node.updated.at;
        let patch = NodePatch {
            name: written.title.clone(),
            subtype: written.subtype.clone(),
            tags: written.tags.clone(),
            visibility: written.state.map(|_| self.visibility(written)),
            seen: if is_first { Some(Visibility::Members) } else { seen },
            properties,
            ..NodePatch::default()
        };
        let visibility = patch.visibility.unwrap_or(node.visibility);
        let update = Change::UpdateNode(target, Expect::Version(node.version), patch);
        let (mut batch, mut parts) = (batch.change(update), Parts::Stay);
        if visibility != node.visibility {
            may_hide(&self.scribe.app, &self.scribe.viewer, &node, visibility).await?;
            batch = self.parts_follow(batch, &node, visibility).await?;
            parts = Parts::Follow;
        }
        batch = self.relinked(batch, &node, written).await?;
        if written.tags.is_some() || written.state.is_some() {
            let after = written.tags.as_ref().unwrap_or(&node.tags);
            let tags = Tags { page: target, visibility, before: &node.tags, after };
            batch = set_tags(&self.scribe, batch, tags).await?;
        }
        Ok((self.rewritten(batch, &node, written).await?, parts))
    }

    /// Adds edges to what a node now refers to, and removes the others.
    async fn relinked(&self, batch: Batch, node: &Node, written: &Written) -> Result<Batch> {
        let mut batch = batch;
        let viewer = self.scribe.all_seeing();
        for Link { field, edge, targets } in &written.links {
            if *edge == PARENT {
                self.check_above(node, field, targets).await?;
            }
            let kinds = [word(edge)?];
            let store = &self.app().store;
            let before =
                store.neighbours(&viewer, &[node.id], Direction::Out, &kinds, MANY).await?;
            let stays = |id: NodeId| targets.iter().any(|target| target.id == id);
            for gone in before.iter().filter(|old| !stays(old.target)) {
                batch = batch.change(Change::DeleteEdge(EdgeRef::Id(gone.id), Expect::Any));
            }
            for target in targets {
                let fresh = joined(NodeRef::Id(node.id), NodeRef::Id(target.id), edge)?;
                batch = batch.change(Change::PutEdge(fresh));
            }
        }
        Ok(batch)
    }

    /// Fails if a node would become its own ancestor.
    async fn check_above(&self, node: &Node, field: &str, parents: &[Node]) -> Result<()> {
        let kinds = [word(PARENT)?];
        let viewer = self.scribe.all_seeing();
        let mut seen: HashSet<NodeId> = HashSet::new();
        let mut line: Vec<NodeId> = parents.iter().map(|parent| parent.id).collect();
        while let Some(at) = line.pop() {
            if at == node.id {
                let hint = "choose one that is not below it";
                return Err(Error::invalid(field, "is the thing itself, or below it", hint));
            }
            if seen.insert(at) {
                let store = &self.app().store;
                let up = store.neighbours(&viewer, &[at], Direction::Out, &kinds, MANY).await?;
                line.extend(up.into_iter().map(|edge| edge.target));
            }
        }
        Ok(())
    }

    /// Adapts a write to how the node stores its fields: an undeclared field may be one of its
    /// texts. Publishing something also means that it is no draft and not limited to groups.
    async fn as_kept(&self, node: &Node, written: &Written) -> Result<Written> {
        let mut written = written.clone();
        for limit in [DRAFT, GROUPS] {
            if written.state == Some(State::Public) && head::own(node, limit).is_some() {
                written.own.entry(limit).or_insert(Value::Null);
            }
        }
        for section in &written.sections {
            // It may have been stored as a plain value before.
            if head::own(node, &section.name).is_some() {
                written.own.insert(section.name.clone(), Value::Null);
            }
        }
        let could_be_text = |value: &Value| value.is_null() || value.is_string();
        if !written.own.values().any(could_be_text) {
            return Ok(written);
        }
        let texts = self.app().store.texts_of(self.viewer(), node.id, Bin::Live).await?;
        for text in texts.into_iter().filter(|text| text.kind.as_str() == SECTION) {
            if let Some(value) = written.own.get(&text.title).filter(|value| could_be_text(value)) {
                let body = value.as_str().unwrap_or_default().to_owned();
                let hidden = text.visibility != Visibility::Members;
                written.own.shift_remove(&text.title);
                written.sections.push(Section { name: text.title, body, hidden });
            }
        }
        Ok(written)
    }

    /// Replaces texts, and updates mention edges to match all texts.
    async fn rewritten(&self, batch: Batch, node: &Node, written: &Written) -> Result<Batch> {
        if written.text.is_none() && written.sections.is_empty() && !written.clears_sections {
            return Ok(batch);
        }
        let mut batch = batch;
        let viewer = self.scribe.all_seeing();
        let mut texts = self.app().store.texts_of(&viewer, node.id, Bin::Live).await?;
        if let Some(body) = &written.text {
            let is_it = |text: &Text| text.kind.as_str() == ENTRY;
            let uid = self.app().effects.uid();
            let fresh = || Ok(NewText::new(uid, NodeRef::Id(node.id), word(ENTRY)?, body.clone()));
            batch = replaced(batch, &mut texts, is_it, body, fresh)?;
        }
        for section in &written.sections {
            // Posts count as sections.
            let post = named_posts(&texts).into_iter().find(|(name, _)| *name == section.name);
            let post = post.filter(|_| !section.hidden).map(|(_, text)| text.id);
            let is_it = |text: &Text| {
                let own = text.kind.as_str() == SECTION && text.title == section.name;
                post.map_or(own, |post| text.id == post)
            };
            let fresh = || self.new_section(NodeRef::Id(node.id), section);
            batch = replaced(batch, &mut texts, is_it, &section.body, fresh)?;
        }
        if written.clears_sections {
            batch = self.without_sections(batch, &mut texts);
        }
        let mut sources: Vec<Source<'_>> = texts.iter().map(Source::from).collect();
        sources.extend(
            written
                .text
                .iter()
                .map(|body| Source { body: body.as_str(), visibility: Visibility::Members }),
        );
        sources.extend(written.sections.iter().map(|section| self.source(section)));
        let target = NodeRef::Id(node.id);
        links::set_mentions(&self.scribe, batch, target, Some(node.id), &sources).await
    }

    /// Deletes the sections and posts that the caller sees; `texts` keeps the rest.
    fn without_sections(&self, batch: Batch, texts: &mut Vec<Text>) -> Batch {
        let posts: Vec<_> = named_posts(texts).into_iter().map(|(_, text)| text.id).collect();
        let (gone, stay): (Vec<Text>, Vec<Text>) =
            std::mem::take(texts).into_iter().partition(|text| {
                let is_section = text.kind.as_str() == SECTION || posts.contains(&text.id);
                is_section && text.visibility.admits(self.viewer())
            });
        *texts = stay;
        gone.into_iter().fold(batch, |batch, text| batch.change(deleted(&text)))
    }
}

/// Whether the parts of a node change their visibility with it.
enum Parts {
    Stay,
    Follow,
}

/// Replaces the body of the matching text, or creates it. Removes that text from `texts`, so that
/// the unchanged ones remain.
fn replaced(
    batch: Batch,
    texts: &mut Vec<Text>,
    is_it: impl Fn(&Text) -> bool,
    body: &str,
    fresh: impl FnOnce() -> Result<NewText>,
) -> Result<Batch> {
    let Some(at) = texts.iter().position(is_it) else {
        return Ok(match body.trim().is_empty() {
            true => batch,
            false => batch.change(Change::CreateText(fresh()?)),
        });
    };
    let old = texts.remove(at);
    if body.trim().is_empty() && old.kind.as_str() != ENTRY {
        return Ok(batch.change(deleted(&old)));
    }
    let patch = TextPatch { body: Some(body.to_owned()), ..TextPatch::default() };
    Ok(batch.change(Change::UpdateText(TextRef::Id(old.id), Expect::Version(old.version), patch)))
}

fn deleted(text: &Text) -> Change {
    Change::DeleteText(TextRef::Id(text.id), Expect::Version(text.version))
}

/// Fields without the internal ones.
fn without_ours(fields: &Object) -> Object {
    let theirs = fields.iter().filter(|(name, _)| !OURS.contains(&name.as_str()));
    theirs.map(|(name, value)| (name.clone(), value.clone())).collect()
}

fn joined(source: NodeRef, target: NodeRef, edge: &'static str) -> Result<NewEdge> {
    let (visibility, properties) = (Visibility::Members, Properties::new());
    Ok(NewEdge { source, target, kind: word(edge)?, weight: 1.0, visibility, properties })
}

/// The granularity that includes everything a write can change.
fn full(kind: Kind) -> i8 {
    kind.row().granularity(2)
}

fn made_elsewhere(kind: Kind) -> Error {
    let (what, hint) = match kind {
        Kind::Campaign => ("campaigns", "use campaign_create and campaign_update"),
        Kind::Npc => ("NPCs", "use character_create and character_update"),
        _ => ("users", "the owner makes tokens with `lorewell token`"),
    };
    Error::Forbidden { action: format!("{what} are not written here"), hint: hint.into() }
}
