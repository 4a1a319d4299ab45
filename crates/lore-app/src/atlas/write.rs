//! Making, changing and deleting objects. Private unless something else is asked for.

use futures::FutureExt;
use lore_anvil::{Kind, Object};
use lore_core::{Error, Node, NodeId, Properties, Result, Role, Text, Uid, Visibility};
use lore_store::{
    Batch, Bin, Change, Direction, EdgeRef, Expect, NewEdge, NewNode, NewText, NodePatch, NodeRef,
    TextPatch, TextRef,
};
use serde_json::{Value, json};

use super::assemble::{SECTION, named_posts};
use super::source::Atlas;
use super::written::{Section, State, Written, id_of};
use super::{article, head, keys, secrets};
use crate::access::may_change;
use crate::mentions::follow;
use crate::pages::links::{self, Source, Tags};
use crate::pages::{self, ENTRY};
use crate::play::character::may_hide;
use crate::play::{MANY, word};
use crate::worlds;

impl Atlas {
    /// Makes an object.
    pub(super) async fn create_object(&self, kind: Kind, fields: &Object) -> Result<Object> {
        let world = fields.get("world").map(|world| id_of("world", world)).transpose()?.flatten();
        let place = self.in_world(world.as_deref()).await?;
        match kind {
            Kind::User | Kind::Campaign | Kind::Npc => Err(made_elsewhere(kind)),
            Kind::World => self.create_world(fields).await,
            Kind::Secret => place.create_secret(fields, self.app().effects.uid()).await,
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
        match kind {
            Kind::User | Kind::Campaign | Kind::Npc => Err(made_elsewhere(kind)),
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
                place.commit(move |batch| batch.change(delete)).await
            }
        }
    }

    async fn commit(&self, fill: impl FnOnce(Batch) -> Batch) -> Result<()> {
        self.viewer().require(Role::Player)?;
        let batch = fill(self.scribe.batch());
        self.commit_followed(batch).await
    }

    /// Commits with the edges that follow from what the batch writes.
    async fn commit_followed(&self, batch: Batch) -> Result<()> {
        let store = self.app().store.as_ref();
        let followed = follow(store, self.viewer(), batch).await?;
        store.commit(&self.scribe.all_seeing(), followed.batch).await?;
        Ok(())
    }

    /// Makes an object with an id that the caller chose.
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
                let batch = self.scribe.batch();
                let batch =
                    batch.change(Change::CreateNode(self.new_node(kind, uid, name, written)?));
                Ok((self.furnished(batch, uid, written).await?, ()))
            }
            .boxed()
        };
        self.scribe.carry_out(plan).await?;
        self.read_made(kind, uid).await
    }

    /// The object just made, read back.
    async fn read_made(&self, kind: Kind, uid: Uid) -> Result<Object> {
        self.read_object(kind, Some(&uid.to_string()), full(kind)).await
    }

    fn new_node(&self, kind: Kind, uid: Uid, name: &str, written: &Written) -> Result<NewNode> {
        let mut node = NewNode::new(uid, keys::node_word(kind, written.template)?, name);
        node.visibility = self.visibility(written.state.unwrap_or(State::Private));
        node.tags = written.tags.clone().unwrap_or_default();
        node.subtype = written.subtype.clone().flatten();
        node.properties = merged(&Properties::new(), &own_of(written));
        Ok(node)
    }

    fn visibility(&self, state: State) -> Visibility {
        self.scribe.visibility(state == State::Private)
    }

    /// Everything that a new node comes with.
    async fn furnished(&self, batch: Batch, uid: Uid, written: &Written) -> Result<Batch> {
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
        for (edge, targets) in &written.links {
            for target in targets {
                batch = batch.change(Change::PutEdge(joined(node, NodeRef::Id(target.id), edge)?));
            }
        }
        let visibility = self.visibility(written.state.unwrap_or(State::Private));
        let after = written.tags.clone().unwrap_or_default();
        let tags = Tags { page: node, visibility, before: &[], after: &after };
        batch = links::set_tags(&self.scribe, batch, tags).await?;
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
    async fn change_node(&self, kind: Kind, id: NodeId, fields: &Object) -> Result<()> {
        let written = self.understand(kind, fields).await?;
        let written = &written;
        let plan = || {
            async move {
                let found = self.app().store.nodes(self.viewer(), &[id]).await?;
                let gone = || keys::unknown(kind, &id.to_string());
                let node = found.into_iter().next().ok_or_else(gone)?;
                Ok((self.changed(node, written).await?, ()))
            }
            .boxed()
        };
        self.scribe.carry_out(plan).await?;
        Ok(())
    }

    async fn changed(&self, node: Node, written: &Written) -> Result<Batch> {
        if let Some(template) =
            written.template.filter(|t| article::node_kind(t) != node.kind.as_str())
            && article::template_of(&node) != template
        {
            let problem = format!("cannot become {template} any more");
            let hint = "make a new article of that template";
            return Err(Error::invalid("templateType", problem, hint));
        }
        let target = NodeRef::Id(node.id);
        let own = own_of(written);
        let patch = NodePatch {
            name: written.title.clone(),
            subtype: written.subtype.clone(),
            tags: written.tags.clone(),
            visibility: written.state.map(|state| self.visibility(state)),
            properties: (!own.is_empty()).then(|| merged(&node.properties, &own)),
            ..NodePatch::default()
        };
        let visibility = patch.visibility.unwrap_or(node.visibility);
        if visibility != node.visibility {
            may_hide(&self.scribe.app, &self.scribe.viewer, &node, visibility).await?;
        }
        let update = Change::UpdateNode(target, Expect::Version(node.version), patch);
        let mut batch = self.scribe.batch().change(update);
        batch = self.relinked(batch, &node, written).await?;
        if written.tags.is_some() || written.state.is_some() {
            let after = written.tags.as_ref().unwrap_or(&node.tags);
            let tags = Tags { page: target, visibility, before: &node.tags, after };
            batch = links::set_tags(&self.scribe, batch, tags).await?;
        }
        self.rewritten(batch, &node, written).await
    }

    /// Joins a node to what it refers to now, and parts it from the rest.
    async fn relinked(&self, batch: Batch, node: &Node, written: &Written) -> Result<Batch> {
        let mut batch = batch;
        let viewer = self.scribe.all_seeing();
        for (edge, targets) in &written.links {
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

    /// Puts new texts in the place of old ones; links follow what all texts say then.
    async fn rewritten(&self, batch: Batch, node: &Node, written: &Written) -> Result<Batch> {
        if written.text.is_none() && written.sections.is_empty() {
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
            // A post is a section, too.
            let post = named_posts(&texts).into_iter().find(|(name, _)| *name == section.name);
            let post = post.filter(|_| !section.hidden).map(|(_, text)| text.id);
            let is_it = |text: &Text| {
                let own = text.kind.as_str() == SECTION && text.title == section.name;
                post.map_or(own, |post| text.id == post)
            };
            let fresh = || self.new_section(NodeRef::Id(node.id), section);
            batch = replaced(batch, &mut texts, is_it, &section.body, fresh)?;
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

    async fn create_world(&self, fields: &Object) -> Result<Object> {
        self.viewer().require(Role::Owner)?;
        let title = fields.get("title").and_then(Value::as_str).unwrap_or_default();
        let who = self.viewer().principal;
        let world = worlds::create(self.app(), who, title, self.scribe.tool).await?;
        let place = self.in_world(Some(&world.uid.to_string())).await?;
        place.update_world(fields).await
    }

    /// Writes what is told of a world beside its name.
    pub(super) async fn update_world(&self, fields: &Object) -> Result<Object> {
        self.viewer().require(Role::Gm)?;
        let mut fields = fields.clone();
        // The name is the world's own; who sees it is a matter of tokens.
        for own in ["title", "state", "tags"] {
            fields.shift_remove(own);
        }
        if !fields.is_empty() {
            match self.profile().await? {
                Some(node) => self.change_node(Kind::World, node.id, &fields).await?,
                None => {
                    fields.insert("title".into(), json!("About this world"));
                    fields.insert("state".into(), json!("public"));
                    let written = self.understand(Kind::World, &fields).await?;
                    let uid = self.app().effects.uid();
                    let node = self.new_node(Kind::World, uid, "About this world", &written)?;
                    let batch = self.scribe.batch().change(Change::CreateNode(node));
                    let batch = self.furnished(batch, uid, &written).await?;
                    self.app().store.commit(&self.scribe.all_seeing(), batch).await?;
                }
            }
        }
        self.world(1).await
    }

    /// Makes a secret with an id that the caller chose.
    pub(super) async fn create_secret(&self, fields: &Object, uid: Uid) -> Result<Object> {
        let (title, body) = self.secret_fields(fields).await?;
        let title =
            title.ok_or_else(|| Error::invalid("title", "is required", "give it a title"))?;
        let article = fields.get("article").or_else(|| fields.get("articleId"));
        let article = article.map(|given| id_of("article", given)).transpose()?.flatten();
        let visibility = self.scribe.visibility(true);
        let mut batch = self.scribe.batch();
        let holder = match article {
            Some(id) => {
                let (found_in, node) = self.locate(Kind::Article, &id).await?;
                if found_in.viewer().world != self.viewer().world {
                    return Err(keys::unknown(Kind::Article, &id));
                }
                NodeRef::Id(node.id)
            }
            None => {
                let holder = self.app().effects.uid();
                let mut node = NewNode::new(holder, word(keys::SECRET)?, title.clone());
                node.visibility = visibility;
                batch = batch.change(Change::CreateNode(node));
                NodeRef::Uid(holder)
            }
        };
        let body = body.unwrap_or_default();
        let mut text = NewText::new(uid, holder, word(secrets::SECRET)?, body);
        text.title = title;
        text.position = 1;
        text.visibility = visibility;
        batch = batch.change(Change::CreateText(text));
        self.commit_followed(batch).await?;
        self.secret(&uid.to_string(), 2).await
    }

    async fn update_secret(&self, id: &str, fields: &Object) -> Result<Object> {
        let (title, body) = self.secret_fields(fields).await?;
        let (place, text, _) = self.secret_text(id).await?;
        let patch = TextPatch { title, body, ..TextPatch::default() };
        let expect = Expect::Version(text.version);
        let update = Change::UpdateText(TextRef::Id(text.id), expect, patch);
        place.commit(move |batch| batch.change(update)).await?;
        place.secret(id, 2).await
    }

    async fn delete_secret(&self, id: &str) -> Result<()> {
        let (place, text, node) = self.secret_text(id).await?;
        let change = if node.kind.as_str() == keys::SECRET {
            Change::DeleteNode(NodeRef::Id(node.id), Expect::Version(node.version))
        } else {
            Change::DeleteText(TextRef::Id(text.id), Expect::Version(text.version))
        };
        place.commit(move |batch| batch.change(change)).await
    }

    /// The title and text of a secret, as far as they are given.
    async fn secret_fields(&self, fields: &Object) -> Result<(Option<String>, Option<String>)> {
        self.viewer().require(Role::Gm)?;
        let fields: Object = fields
            .iter()
            .filter(|(name, _)| ["title", "state", "content"].contains(&name.as_str()))
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect();
        let written = self.understand(Kind::Secret, &fields).await?;
        if written.state == Some(State::Public) {
            let hint = "write it into the article's content to tell everybody";
            return Err(Error::invalid("state", "of a secret cannot be public", hint));
        }
        Ok((written.title, written.text))
    }
}

/// Puts a body in the place of the text that fits, or makes the text. What is left in
/// `texts` is what stays as it is.
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
    let patch = TextPatch { body: Some(body.to_owned()), ..TextPatch::default() };
    Ok(batch.change(Change::UpdateText(TextRef::Id(old.id), Expect::Version(old.version), patch)))
}

/// Some things are called by another of their fields.
fn stand_in(kind: Kind, fields: &Object) -> Option<String> {
    let name = match kind {
        Kind::Variable => "k",
        Kind::Image => "filename",
        _ => return None,
    };
    fields.get(name)?.as_str().map(str::to_owned)
}

/// Everything that is kept among a node's own fields.
fn own_of(written: &Written) -> Object {
    let mut own = written.own.clone();
    if let Some(template) = written.template {
        own.insert("templateType".into(), json!(template));
    }
    own
}

/// The properties after a change; null takes a field away.
fn merged(before: &Properties, changes: &Object) -> Properties {
    let mut after = before.clone();
    let mut own = head::own_fields(before).cloned().unwrap_or_default();
    for (name, value) in changes {
        if value.is_null() {
            own.shift_remove(name);
        } else {
            own.insert(name.clone(), value.clone());
        }
    }
    if own.is_empty() {
        after.shift_remove(head::OWN);
    } else {
        after.insert(head::OWN.into(), Value::Object(own));
    }
    after
}

fn joined(source: NodeRef, target: NodeRef, edge: &'static str) -> Result<NewEdge> {
    let (visibility, properties) = (Visibility::Members, Properties::new());
    Ok(NewEdge { source, target, kind: word(edge)?, weight: 1.0, visibility, properties })
}

/// The granularity that tells everything a write can change.
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
