//! The calling user: the name that comes with their token, and the profile they write themselves.

use lore_anvil::{Kind, Object, is_long};
use lore_core::{Error, Node, PrincipalId, Result, Role, Uid, Visibility};
use lore_store::{Change, Expect, NewNode, NodeKey, NodePatch, NodeRef};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::ids::uid_of_words;
use super::keys;
use super::read::head;
use super::source::Atlas;
use super::write::input::checked_value;
use crate::play::word;
use crate::worlds;

/// The maximum number of fields in a profile.
const FIELDS_MAX: usize = 100;
/// Fields that follow from the token and the store and cannot be written.
const GIVEN: [&str; 8] =
    ["id", "url", "entityClass", "userhash", "worldCount", "isGuild", "isEditable", "success"];
/// Fields with the user's name.
const NAMES: [&str; 2] = ["username", "title"];
/// The field with longer texts, by name.
const SECTIONS: &str = "sections";

impl Atlas {
    /// Returns the calling user. Other users are not shown.
    pub(super) async fn user(&self, id: Option<&str>, granularity: i8) -> Result<Object> {
        let who = self.viewer().principal;
        self.check_user(id)?;
        let own = user_id(who);
        let name = self.user_name().await?;
        let mut user = head::bare(Kind::User, &json!(own), &name);
        for gone in ["title", "slug"] {
            user.shift_remove(gone);
        }
        user.insert("username".into(), json!(name));
        user.insert("userhash".into(), json!(own.replace('-', "")));
        if granularity >= 0 {
            let worlds = worlds::list(self.app(), who).await?;
            user.insert("worldCount".into(), json!(worlds.len()));
            user.insert("isGuild".into(), json!(false));
            let told = self.told_of_user().await?;
            let told = told.as_ref().and_then(|node| head::own_fields(&node.properties));
            for (name, value) in told.into_iter().flatten() {
                user.entry(name.clone()).or_insert_with(|| value.clone());
            }
        }
        Ok(user)
    }

    /// Fails for any user but the caller.
    pub(super) fn check_user(&self, id: Option<&str>) -> Result<()> {
        let own = user_id(self.viewer().principal);
        match id.map(str::trim).filter(|id| !id.is_empty() && *id != own) {
            None => Ok(()),
            Some(other) => Err(Error::not_found(
                format!("user {}", other.chars().take(100).collect::<String>()),
                "leave it out: only you are known here",
            )),
        }
    }

    /// Updates the caller's profile. It is stored in this world, visible only to them.
    pub(super) async fn update_user(&self, id: &str, fields: &Object) -> Result<Object> {
        self.viewer().require(Role::Player)?;
        self.check_user(Some(id))?;
        let name = self.user_name().await?;
        for given in NAMES.iter().filter_map(|field| fields.get(*field)) {
            if *given != json!(name) {
                let hint = "the owner makes a token with another name by `lorewell token`";
                return Err(Error::invalid("username", "is that of the token", hint));
            }
        }
        let node = self.told_of_user().await?;
        let before = node.as_ref().and_then(|node| head::own_fields(&node.properties));
        let told = told(fields, before.and_then(|own| own.get(SECTIONS)))?;
        let change = match node {
            Some(node) => {
                let properties = Some(head::merged(&node.properties, &told));
                let patch = NodePatch { properties, ..NodePatch::default() };
                Change::UpdateNode(NodeRef::Id(node.id), Expect::Version(node.version), patch)
            }
            None => Change::CreateNode(NewNode {
                derived_name: true,
                visibility: Visibility::Private(self.viewer().principal),
                properties: head::merged(&Default::default(), &told),
                ..NewNode::new(self.told_of_user_uid(), word(keys::USER)?, name)
            }),
        };
        self.app().commit(self.viewer(), self.scribe.batch().change(change)).await?;
        self.user(None, 2).await
    }

    async fn user_name(&self) -> Result<String> {
        let who = self.viewer().principal;
        let person = self.app().store.principal(who).await?;
        Ok(person.map_or_else(|| format!("user {who}"), |person| person.name))
    }

    /// The node with the caller's profile, if there is one.
    async fn told_of_user(&self) -> Result<Option<Node>> {
        let key = NodeKey::Uid(self.told_of_user_uid());
        Ok(self.app().store.node(self.viewer(), key).await?)
    }

    fn told_of_user_uid(&self) -> Uid {
        let viewer = self.viewer();
        uid_of_words(&format!("user {} in {}", viewer.principal, viewer.world))
    }
}

/// A principal's id in the form of the contract.
pub(super) fn user_id(who: PrincipalId) -> String {
    let digest = Sha256::digest(format!("principal {who}").as_bytes());
    let mut bytes = [0_u8; 16];
    bytes.iter_mut().zip(digest).for_each(|(to, from)| *to = from);
    Uid::from_hash(bytes).to_string()
}

/// The profile fields to store. Long texts are added to the existing sections.
fn told(fields: &Object, before: Option<&Value>) -> Result<Object> {
    if fields.len() > FIELDS_MAX {
        let limit = format!("{FIELDS_MAX} fields");
        return Err(Error::TooLarge { what: "the user".into(), limit });
    }
    let mut told = Object::new();
    let mut sections = before.and_then(Value::as_object).cloned().unwrap_or_default();
    for (name, value) in fields {
        let is_given = |names: &[&str]| names.contains(&name.as_str());
        match value {
            _ if is_given(&GIVEN) || is_given(&NAMES) => continue,
            Value::Object(texts) if name == SECTIONS => sections.extend(texts.clone()),
            Value::String(text) if is_long(text) => {
                sections.insert(name.clone(), value.clone());
                told.insert(name.clone(), Value::Null);
            }
            _ => {
                sections.shift_remove(name);
                told.insert(name.clone(), checked_value(name, value)?);
            }
        }
    }
    sections.retain(|_, text| !text.is_null());
    let sections = Some(sections).filter(|sections| !sections.is_empty());
    let sections = sections.map_or(Value::Null, Value::Object);
    told.insert(SECTIONS.into(), checked_value(SECTIONS, &sections)?);
    Ok(told)
}

#[cfg(test)]
mod tests {
    use super::super::object;
    use super::*;

    #[test]
    fn longer_texts_are_sections_and_null_takes_away() {
        let long = "word ".repeat(60);
        let given = object(json!({
            "id": "x", "username": "A", "motto": "Go", "about": long, "old": null, "gone": null,
        }));
        let before = json!({ "old": "text", "stays": "text" });
        let told = told(&given, Some(&before)).unwrap();
        let wanted = json!({
            "motto": "Go", "about": null, "old": null, "gone": null,
            "sections": { "stays": "text", "about": long },
        });
        assert_eq!(Value::Object(told), wanted);
    }
}
