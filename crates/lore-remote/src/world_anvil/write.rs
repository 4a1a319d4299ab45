//! Writes to the service. It ignores what it does not understand and calls that success, so
//! whatever was written is read again and compared.

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
    /// Makes a thing; gives it back as it is now.
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

    /// Changes a thing; gives it back as it is now.
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

    /// Deletes a thing.
    pub(super) async fn remove(&self, kind: Kind, id: &str) -> Result<()> {
        let asking = Asking::new(Verb::Delete, kind.row().path).with("id", id);
        let written = self.write(kind, Some(id), asking).await;
        written.map_err(|error| named(kind, id, error))?;
        self.check_gone(kind, id).await
    }

    /// Reads what was deleted: it must not be there any more.
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

    /// Fields as they are sent. Publishing says that it is no draft, which would hide it still.
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

    /// Puts the id that a thing has there in the place of a number it is known by, too: what is
    /// read back tells that one.
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

    /// Fields of a new thing with those that the service wants besides.
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
        // Some kinds are born public there; here nothing is unless it was asked for.
        fields.entry("state").or_insert(json!("private"));
        Ok(())
    }

    /// The world that something new belongs to when none is named: that of what it refers
    /// to, else the only one there is.
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

    /// Sends a write. Things tell of each other (counts, titles, what is in them), so all that
    /// was read may have changed with it, also when nobody knows whether it arrived. What the
    /// service refused has changed nothing, and what it does not have is not there.
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

    /// The sections that a thing has, each as nothing.
    async fn no_sections(&self, kind: Kind, id: &str) -> Result<Object> {
        let now = self.one(kind, id, kind.row().granularity(2)).await?;
        let is_section =
            |name: &str| kind.row().field(name).is_some_and(|field| field.look == Look::Section);
        let own = now.iter().filter(|(name, text)| is_section(name) && !is_blank(text));
        let further = now.get("sections").and_then(Value::as_object).into_iter().flatten();
        Ok(own.chain(further).map(|(name, _)| (name.clone(), Value::Null)).collect())
    }

    /// Reads what was written, and compares. What is there is known from now on, whether or not
    /// it is what was wanted.
    async fn read_back(&self, kind: Kind, id: &str, wanted: &Object) -> Result<Object> {
        let full = kind.row().granularity(2);
        let now = match kind {
            Kind::Article => self.article(id, full).await,
            _ => self.one(kind, id, full).await,
        };
        let now = now.map_err(|error| unread(kind, id, &error.to_string()))?;
        let told = plain(kind, &now);
        // What was sent is read in the same way, because that folds some of what a text can say.
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

/// Where what no write changes is read: who the user is, and what all worlds share.
const STEADY: [&str; 6] =
    ["identity?", "user?", "rpgsystem?", "rpgsystems?", "markertype?", "markertypes?"];

/// A write arrived, and what became of it is not known: whoever asked must not repeat it.
fn unread(kind: Kind, id: &str, why: &str) -> Error {
    Error::Precondition {
        message: format!(
            "the {} was written to World Anvil, but reading {id} back failed: {why}",
            kind.row().one
        ),
        hint: "do not repeat it; read it later to see how it is kept".into(),
    }
}
