//! Writes to the service. It ignores what it does not understand and still reports success, so
//! everything written is read back and compared.

use lore_anvil::{Form, IdForm, Kind, Look, Object};
use lore_app::atlas::ListQuery;
use lore_core::{Error, Result, Uid};
use serde_json::{Value, json};

use super::convert::{canonical, inward, is_blank, outward, plain, text_of};
use super::fault::{self, Effect};
use super::lost::is_lost;
use super::wire::{Asking, Verb, Wire};
use super::worlds::which_world;
use super::{WorldAnvil, named};

impl WorldAnvil {
    /// Creates an object and returns it as it is stored.
    pub(super) async fn make(&self, kind: Kind, fields: &Object) -> Result<Object> {
        let mut fields = self.sendable(kind, fields).await?;
        fields.retain(|_, value| !value.is_null());
        if let Some(Value::Object(world)) = fields.get_mut("world") {
            let id = self.world_called(&text_of(world, "id")).await?;
            world.insert("id".into(), json!(id));
        }
        self.complete(kind, &mut fields).await?;
        let body = Value::Object(fields.clone());
        let asking = Asking::new(Verb::Put, kind.row().path).body(body);
        let made = self.write(kind, None, asking).await?;
        let id = text_of(&made, "id");
        if id.is_empty() {
            return Err(unread(kind, "it", "World Anvil did not say which it is"));
        }
        self.read_back(kind, &id, &fields).await
    }

    /// Changes an object and returns it as it is stored.
    pub(super) async fn change(&self, kind: Kind, id: &str, fields: &Object) -> Result<Object> {
        let mut fields = fields.clone();
        if fields.get("sections").is_some_and(Value::is_null) {
            fields.insert("sections".into(), Value::Object(self.no_sections(kind, id).await?));
        }
        let fields = self.sendable(kind, &fields).await?;
        let body = Value::Object(fields.clone());
        let asking = Asking::new(Verb::Patch, kind.row().path).with("id", id).body(body);
        let written = self.write(kind, Some(id), asking).await;
        written.map_err(|error| named(kind, id, error))?;
        self.read_back(kind, id, &fields).await
    }

    /// Deletes an object.
    pub(super) async fn remove(&self, kind: Kind, id: &str) -> Result<()> {
        let asking = Asking::new(Verb::Delete, kind.row().path).with("id", id);
        let written = self.write(kind, Some(id), asking).await;
        written.map_err(|error| named(kind, id, error))?;
        self.check_gone(kind, id).await
    }

    /// Checks that a deleted object is gone.
    async fn check_gone(&self, kind: Kind, id: &str) -> Result<()> {
        match self.one(kind, id, -1).await {
            Err(Error::NotFound { .. } | Error::Forbidden { .. }) => Ok(()),
            Err(error) => Err(unread(kind, id, &error.to_string())),
            Ok(_) => Err(Error::Precondition {
                message: format!("World Anvil said that {id} is deleted, but it is still there"),
                hint: "delete it at World Anvil itself".into(),
            }),
        }
    }

    /// Converts fields to the form that is sent. Publishing also clears the draft mark, which would
    /// keep the object hidden.
    async fn sendable(&self, kind: Kind, fields: &Object) -> Result<Object> {
        let mut fields = outward(kind, fields)?;
        if fields.get("state") == Some(&json!("public")) {
            fields.entry("isDraft").or_insert(json!(false));
        }
        for (name, value) in &mut fields {
            let Some(Form::One(other, _) | Form::Several(other, _)) =
                kind.row().field(name).map(|field| field.form)
            else {
                continue;
            };
            match value {
                Value::Object(reference) => self.by_own_id(name, other, reference).await?,
                Value::Array(several) => {
                    for reference in several.iter_mut().filter_map(Value::as_object_mut) {
                        self.by_own_id(name, other, reference).await?;
                    }
                }
                _ => {}
            }
        }
        Ok(fields)
    }

    /// Replaces the number in a reference by the object's own id at the service, because reading
    /// the object back returns the id.
    async fn by_own_id(&self, field: &str, kind: Kind, reference: &mut Object) -> Result<()> {
        let id = canonical(&text_of(reference, "id"));
        let is_number = !id.is_empty() && id.chars().all(|c| c.is_ascii_digit());
        if !is_number || kind.row().id == IdForm::Number {
            if id.parse::<Uid>().is_ok() {
                reference.insert("id".into(), json!(id));
            }
            return Ok(());
        }
        let found = self.one(kind, &id, -1).await.map_err(|error| match error {
            Error::NotFound { .. } => {
                let problem = format!("names no {} at World Anvil", kind.row().one);
                Error::invalid(field, problem, "give the id of one that exists, or null")
            }
            other => other,
        })?;
        reference.insert("id".into(), json!(text_of(&found, "id")));
        Ok(())
    }

    /// Adds the fields that the service requires of new objects.
    async fn complete(&self, kind: Kind, fields: &mut Object) -> Result<()> {
        let lacks = |name: &str| fields.get(name).is_none_or(is_blank);
        if kind == Kind::Article && lacks("templateType") {
            fields.insert("templateType".into(), json!("article"));
        }
        if !matches!(kind, Kind::World | Kind::Layer | Kind::MarkerGroup)
            && fields.get("world").is_none_or(is_blank)
        {
            let world = self.world_for(kind, fields).await?;
            fields.insert("world".into(), json!({ "id": world }));
        }
        // Some kinds are public by default at the service; here they must be published explicitly.
        fields.entry("state").or_insert(json!("private"));
        Ok(())
    }

    /// Returns the world for a new object if none is named: that of an object it refers to, or the
    /// only world of the account.
    async fn world_for(&self, kind: Kind, fields: &Object) -> Result<String> {
        let worlds = self.list_rows(&ListQuery::of(Kind::World)).await?;
        if let ([only], 1) = (worlds.rows.as_slice(), worlds.total) {
            return Ok(text_of(only, "id"));
        }
        for (name, value) in fields {
            let Some(Form::One(other, _)) = kind.row().field(name).map(|field| field.form) else {
                continue;
            };
            let Value::Object(reference) = value else { continue };
            let id = text_of(reference, "id");
            let found = self.one(other, &id, other.row().granularity(2)).await?;
            if let Some(Value::Object(world)) = found.get("world") {
                return Ok(text_of(world, "id"));
            }
        }
        Err(which_world(&worlds))
    }

    /// Sends a write and invalidates the cache. Objects include data of each other (counts, titles,
    /// contents), so a write that took effect, or may have, invalidates almost everything. A
    /// refused write invalidates nothing, and a "not found" only the object itself.
    async fn write(&self, kind: Kind, id: Option<&str>, asking: Asking) -> Result<Object> {
        let answered = self.wire.send(&asking).await;
        match answered.as_ref().map_or(Effect::Any, fault::effect) {
            Effect::Nothing => {}
            Effect::Gone => {
                let paths = std::iter::once(kind.row().path).chain(kind.row().other_path);
                let its = paths.zip(id.into_iter().cycle());
                let its: Vec<String> = its.map(|(path, id)| format!("{path}?id={id}&")).collect();
                self.cache.forget(|key| its.iter().any(|start| key.starts_with(start.as_str())));
            }
            Effect::Any => {
                self.cache.forget(|key| !STEADY.iter().any(|path| key.starts_with(path)));
                id.filter(|_| kind == Kind::Article).iter().for_each(|id| self.known.forget(id));
            }
        }
        fault::understood(&asking, answered?)
    }

    /// Returns the sections that an object has, each set to null.
    async fn no_sections(&self, kind: Kind, id: &str) -> Result<Object> {
        let now = self.one(kind, id, kind.row().granularity(2)).await?;
        let is_section =
            |name: &str| kind.row().field(name).is_some_and(|field| field.look == Look::Section);
        let own = now.iter().filter(|(name, text)| is_section(name) && !is_blank(text));
        let further = now.get("sections").and_then(Value::as_object).into_iter().flatten();
        Ok(own.chain(further).map(|(name, _)| (name.clone(), Value::Null)).collect())
    }

    /// Reads a written object back and compares it. The search index takes the stored version,
    /// whether or not it is what was wanted.
    async fn read_back(&self, kind: Kind, id: &str, wanted: &Object) -> Result<Object> {
        let full = kind.row().granularity(2);
        let now = match kind {
            Kind::Article => self.article(id, full).await,
            _ => self.one(kind, id, full).await,
        };
        let now = now.map_err(|error| unread(kind, id, &error.to_string()))?;
        let told = plain(kind, &now);
        // Converting a text both ways can normalise it, so the sent values are converted before
        // comparing.
        let sent = plain(kind, &inward(kind, wanted.clone()));
        let lost: Vec<&str> = wanted
            .iter()
            .map(|(name, value)| (name.as_str(), sent.get(name).unwrap_or(value)))
            .filter(|(name, value)| is_lost(kind, name, value, told.get(*name)))
            .map(|(name, _)| name)
            .collect();
        if lost.is_empty() {
            return Ok(now);
        }
        Err(Error::Precondition {
            message: format!("World Anvil kept {id}, but not what was sent as {}", lost.join(", ")),
            hint: "read it to see what is there now; that field cannot be set this way".into(),
        })
    }
}

/// How cache keys begin that no write invalidates: the user, and what all worlds share.
const STEADY: [&str; 6] =
    ["identity?", "user?", "rpgsystem?", "rpgsystems?", "markertype?", "markertypes?"];

/// The error for a write that arrived but could not be read back; the caller must not repeat it.
fn unread(kind: Kind, id: &str, why: &str) -> Error {
    Error::Precondition {
        message: format!(
            "the {} was written to World Anvil, but reading {id} back failed: {why}",
            kind.row().one
        ),
        hint: "do not repeat it; read it later to see how it is kept".into(),
    }
}
