//! Worlds, campaigns and their participants.

use lore_anvil::{Kind, Object, PAGE_MAX};
use lore_core::{Error, Node, Result, Role, World};
use lore_store::{Change, NodeQuery};
use serde_json::{Value, json};

use super::assemble::Around;
use super::head;
use crate::atlas::keys;
use crate::atlas::live::opened::counts;
use crate::atlas::source::{Atlas, ListQuery, Rows};
use crate::atlas::write::input;
use crate::play::{PARTICIPANT, character, word};
use crate::worlds;

impl Atlas {
    /// Lists the worlds that the caller can enter.
    pub(super) async fn worlds(&self, query: &ListQuery) -> Result<Rows> {
        self.check_user(query.parent.as_ref().map(|(_, id)| id.as_str()))?;
        let worlds = worlds::list(self.app(), self.caller).await?;
        let total = worlds.len();
        let mut rows = Vec::new();
        for world in worlds.iter().skip(query.offset).take(query.limit.min(PAGE_MAX)) {
            let place = self.in_world(Some(&world.uid.to_string())).await?;
            rows.push(place.world(-1).await?);
        }
        Ok(Rows { rows, total })
    }

    /// The current world.
    pub(super) async fn world(&self, granularity: i8) -> Result<Object> {
        let world = self.present_world().await?;
        let profile = self.profile().await?;
        let address = profile.as_ref().and_then(|node| head::own(node, "url").cloned());
        let written = profile.as_ref().map(|node| head::moment(node.updated.at));
        let mut object = match profile {
            Some(node) => {
                let made = self.assemble(Kind::World, vec![node], granularity).await?;
                made.into_iter().next().unwrap_or_default()
            }
            None => self.unwritten(granularity),
        };
        object.extend(world_head(&world));
        object.extend(address.map(|url| ("url".to_owned(), url)));
        object.extend(written.map(|date| ("updateDate".to_owned(), date)));
        object.insert("ownership".into(), json!(ownership(self.viewer().role)));
        object.insert("countFollowers".into(), json!(0));
        if granularity >= 0 {
            self.count(&mut object).await?;
        }
        if granularity >= 1 {
            object.insert("creationDate".into(), head::moment(world.created_at));
        }
        Ok(object)
    }

    /// Creates a world.
    pub(in crate::atlas) async fn create_world(&self, fields: &Object) -> Result<Object> {
        self.viewer().require(Role::Owner)?;
        check_state(fields)?;
        let title = fields.get("title").and_then(Value::as_str).unwrap_or_default();
        let who = self.viewer().principal;
        let world = worlds::create(self.app(), who, title, self.scribe.tool).await?;
        let place = self.in_world(Some(&world.uid.to_string())).await?;
        place.update_world(fields).await
    }

    async fn rename_world(&self, title: &Value) -> Result<()> {
        let name = input::title(title)?;
        if self.world_reference().await?.get("title") != Some(&json!(name)) {
            worlds::rename(self.app(), self.viewer(), &name, self.scribe.tool).await?;
        }
        Ok(())
    }

    /// Updates a world: its name, and the profile that holds everything else.
    pub(in crate::atlas) async fn update_world(&self, fields: &Object) -> Result<Object> {
        self.viewer().require(Role::Gm)?;
        check_state(fields)?;
        let mut fields = fields.clone();
        if let Some(title) = fields.shift_remove("title") {
            self.rename_world(&title).await?;
        }
        // Visibility of a world is a matter of tokens.
        for own in ["state", "tags"] {
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
                    self.app().commit(&self.scribe.all_seeing(), batch).await?;
                }
            }
        }
        self.world(1).await
    }

    /// The reference to the current world.
    pub(in crate::atlas) async fn world_reference(&self) -> Result<Object> {
        Ok(world_head(&self.present_world().await?))
    }

    /// The node with everything about the world except its name, if somebody wrote any of it.
    pub(super) async fn profile(&self) -> Result<Option<Node>> {
        let query = NodeQuery { kinds: vec![word(keys::WORLD)?], limit: 1, ..NodeQuery::default() };
        let found = self.app().store.find_nodes(self.viewer(), query).await?;
        Ok(found.items.into_iter().next())
    }

    fn unwritten(&self, granularity: i8) -> Object {
        let fields = Kind::World.row().fields_at(granularity);
        fields.map(|field| (field.name.to_owned(), Value::Null)).collect()
    }

    async fn present_world(&self) -> Result<World> {
        let worlds = worlds::list(self.app(), self.caller).await?;
        let world = worlds.into_iter().find(|world| world.id == self.viewer().world);
        world.ok_or_else(|| Error::not_found("the world", "list_user_worlds lists those there are"))
    }

    /// Adds the numbers of articles, maps and so on that the viewer sees.
    async fn count(&self, object: &mut Object) -> Result<()> {
        let tally = self.app().store.tally(self.viewer()).await?;
        for (field, kind) in counts(Kind::World) {
            let kinds = keys::node_kinds(*kind);
            let rows = tally.iter().filter(|row| kinds.contains(&row.kind.as_str()));
            object.insert((*field).to_owned(), json!(rows.map(|row| row.count).sum::<u64>()));
        }
        Ok(())
    }

    /// The characters of a campaign that the game master plays.
    pub(super) async fn npcs_of(&self, campaign: &Node) -> Result<Vec<Node>> {
        let mut nodes = self.joined(Kind::Npc, campaign.id, crate::play::PART_OF).await?;
        nodes.retain(|node| character::Kind::of(node) == character::Kind::Npc);
        Ok(nodes)
    }

    /// The values of derived fields of campaigns and NPCs.
    pub(super) async fn of_the_table(
        &self,
        kind: Kind,
        node: &Node,
        name: &str,
        around: &Around,
    ) -> Result<Value> {
        Ok(match (kind, name) {
            (_, "name") => json!(node.name),
            (_, "world") => Value::Object(around.world.clone()),
            (Kind::Campaign, "description") => property(node, "theme_prompt"),
            (Kind::Campaign, "gmMode") => property(node, "gm_mode"),
            (Kind::Campaign, "participants") => json!(self.participants(node).await?),
            (Kind::Campaign, "sessionCount") => json!(self.session_count(node).await?),
            (Kind::Npc, "articleId") => json!(node.uid.to_string()),
            (Kind::Npc, "article") => Value::Object(head::reference(Kind::Article, node)),
            (Kind::Npc, "role") => json!(said(node, name, &["ally", "enemy", "neutral"])),
            (Kind::Npc, "status") => json!(said(node, name, &["alive", "dead", "unknown"])),
            (Kind::Npc, "notes") => {
                let notes = around.text_of(node, |text| text.kind.as_str() == "notes");
                json!(notes.or_else(|| around.entry(node)))
            }
            (Kind::Npc, "campaign") => self.campaign_of(node).await?,
            _ => Value::Null,
        })
    }

    async fn participants(&self, campaign: &Node) -> Result<Vec<Object>> {
        let store = &self.app().store;
        let kinds = [word(crate::play::PART_OF)?];
        let edges = store
            .neighbours(
                self.viewer(),
                &[campaign.id],
                lore_store::Direction::In,
                &kinds,
                crate::play::MANY,
            )
            .await?;
        let ids: Vec<_> = edges.into_iter().map(|edge| edge.source).collect();
        let mut nodes = store.nodes(self.viewer(), &ids).await?;
        nodes.retain(|node| node.kind.as_str() == PARTICIPANT);
        nodes.sort_by_key(|node| node.id);
        let shown = nodes.iter().map(|node| {
            let fields = [
                ("id", json!(node.uid.to_string())),
                ("name", json!(node.name)),
                ("role", property(node, "role")),
            ];
            fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
        });
        Ok(shown.collect())
    }

    async fn session_count(&self, campaign: &Node) -> Result<u64> {
        let name = crate::play::table::name()?;
        let found = self.app().store.states(self.viewer(), &[campaign.id], &name).await?;
        let count = found.first().and_then(|state| state.value.get("sessions")?.as_u64());
        Ok(count.unwrap_or(0))
    }

    async fn campaign_of(&self, character: &Node) -> Result<Value> {
        let Some(uid) = crate::play::campaign::of(character) else { return Ok(Value::Null) };
        let found = self.app().store.nodes_by_uid(self.viewer(), &[uid]).await?;
        let campaign = found.first().map(|node| head::reference(Kind::Campaign, node));
        Ok(campaign.map_or(Value::Null, Value::Object))
    }
}

/// Fails for any state but private: a world cannot be published, because access to it is a matter
/// of tokens.
fn check_state(fields: &Object) -> Result<()> {
    match fields.get("state").and_then(Value::as_str) {
        None | Some("private") => Ok(()),
        Some(_) => Err(Error::invalid(
            "state",
            "of a world is private and stays so",
            "make a token for whoever shall see it",
        )),
    }
}

fn world_head(world: &World) -> Object {
    let mut head = head::bare(Kind::World, &json!(world.uid.to_string()), &world.name);
    // Worlds are only for those who have a token.
    head.insert("state".into(), json!("private"));
    head.insert("updateDate".into(), head::moment(world.created_at));
    head
}

pub(in crate::atlas) fn ownership(role: Role) -> &'static str {
    match role {
        Role::Owner => "owner",
        Role::Gm => "editor",
        Role::Player | Role::Reader => "subscriber",
    }
}

fn property(node: &Node, name: &str) -> Value {
    node.properties.get(name).cloned().unwrap_or_default()
}

/// The word that somebody gave an NPC, in a field or as a tag.
fn said(node: &Node, name: &str, words: &[&'static str]) -> Option<&'static str> {
    let own = head::own(node, name).and_then(Value::as_str);
    let is = |word: &&&'static str| {
        own.is_some_and(|own| own.eq_ignore_ascii_case(word))
            || node.tags.iter().any(|tag| tag.eq_ignore_ascii_case(word))
    };
    words.iter().find(is).copied()
}
