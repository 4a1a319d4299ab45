//! A campaign on Kanka, or on another service with Kanka's API.
//!
//! Every request waits until the rate limit, as announced in the service's headers, permits it. A
//! request that may have taken effect is retried only if it is idempotent. The token is sent to the
//! configured address and nowhere else.

mod carrier;
mod complaint;
mod pacer;
mod wire;

use std::time::Duration;

use async_trait::async_trait;
use lore_app::pages::PageKind;
use lore_app::pages::live::{
    Listed, Pace, PostDraft, Remote, RemoteHead, RemotePage, RemotePatch, RemotePost,
};
use lore_core::{Error, Result, Timestamp};
use lore_net::{Api, Endpoint, Network, Secret};
use serde_json::Value;

use carrier::{Carrier, Effect};

/// The address of Kanka's public API.
pub const KANKA: &str = "https://api.kanka.io/1.0/";

/// The address of a campaign and the token for it.
#[derive(Debug, Clone)]
pub struct Config {
    /// The base address of the API.
    pub url: String,
    /// The personal access token. It is sent to `url` only.
    pub token: Secret,
    /// The campaign's number.
    pub campaign: i64,
    /// How long an answer may take.
    pub patience: Duration,
}

/// A client for one campaign.
pub struct KankaCampaign {
    carrier: Carrier,
    campaign: String,
}

impl KankaCampaign {
    /// Prepares the client; sends nothing yet.
    pub fn new(network: &Network, config: &Config) -> Result<Self> {
        let wrong = |problem: String| {
            Error::invalid("kanka.url", problem, format!("use an address like {KANKA}"))
        };
        let endpoint = Endpoint::new(&config.url).map_err(|error| wrong(error.to_string()))?;
        let endpoint = endpoint.bearer(&config.token).map_err(|_| {
            Error::invalid("kanka.token", "is not a token", "copy it from Kanka's settings")
        })?;
        let api: Api = network.api(endpoint).map_err(|error| wrong(error.to_string()))?;
        let carrier = Carrier::new(api, config.patience, config.token.clone());
        Ok(Self { carrier, campaign: config.campaign.to_string() })
    }

    fn path<'a>(&'a self, rest: &[&'a str]) -> Vec<&'a str> {
        ["campaigns", self.campaign.as_str()].into_iter().chain(rest.iter().copied()).collect()
    }

    async fn list(&self, pace: Pace, rest: &[&str], query: &[(&str, String)]) -> Result<Value> {
        let path = self.path(rest);
        let call = || {
            let call = self.carrier.api.get(&path);
            query.iter().fold(call, |call, (name, value)| call.query(name, value))
        };
        self.carrier.ask(pace, Effect::None, call).await
    }
}

#[async_trait]
impl Remote for KankaCampaign {
    fn host(&self) -> String {
        self.carrier.api.host()
    }

    async fn heads(
        &self,
        pace: Pace,
        since: Option<Timestamp>,
        page: u32,
    ) -> Result<Listed<RemoteHead>> {
        let mut query = vec![("types", wire::codes()), ("page", page.to_string())];
        query.extend(since.map(|since| ("lastSync", format!("{since:.6}"))));
        let body = self.list(pace, &["entities"], &query).await?;
        wire::list(&body, page, wire::head).ok_or_else(unread)
    }

    async fn pages(&self, pace: Pace, kind: PageKind, page: u32) -> Result<Listed<RemotePage>> {
        let query = [("related", "1".to_owned()), ("page", page.to_string())];
        let body = self.list(pace, &[wire::plural(kind)], &query).await?;
        wire::list(&body, page, |row| wire::typed(kind, row)).ok_or_else(unread)
    }

    async fn tags_named(&self, name: &str, page: u32) -> Result<Listed<RemotePage>> {
        let query =
            [("related", "1".to_owned()), ("name", name.to_owned()), ("page", page.to_string())];
        let kind = PageKind::Tag;
        let body = self.list(Pace::Waiting, &[wire::plural(kind)], &query).await?;
        wire::list(&body, page, |row| wire::typed(kind, row)).ok_or_else(unread)
    }

    async fn page(&self, pace: Pace, number: i64) -> Result<RemotePage> {
        let number = number.to_string();
        let query = [("related", "1".to_owned())];
        let body = self.list(pace, &["entities", &number], &query).await?;
        wire::data(&body).and_then(wire::entity).ok_or_else(unread)
    }

    async fn create(&self, kind: PageKind, draft: &RemotePatch) -> Result<RemotePage> {
        let (path, fields) = (self.path(&[wire::plural(kind)]), wire::fields(draft, &[]));
        let call = || self.carrier.api.post(&path).json(&fields);
        let body = self.carrier.ask(Pace::Waiting, Effect::Once, call).await?;
        let made = wire::data(&body).and_then(|made| wire::typed(kind, made));
        let made = made.ok_or_else(|| complaint::unknown_form(Effect::Once))?;
        Ok(RemotePage { posts: Some(Vec::new()), parent: draft.parent.or(made.parent), ..made })
    }

    /// Tags, the parent and the fields of a kind can only be changed under the path of that kind.
    async fn update(&self, base: &RemotePage, patch: &RemotePatch) -> Result<RemotePage> {
        let by_kind = patch.tags.is_some() || patch.parent.is_some() || !patch.fields.is_empty();
        let number = if by_kind { base.kind_number } else { base.number }.to_string();
        let list = if by_kind { wire::plural(base.kind) } else { "entities" };
        let (path, fields) = (self.path(&[list, &number]), wire::fields(patch, &base.frames));
        let call = || self.carrier.api.patch(&path).json(&fields);
        let body = self.carrier.ask(Pace::Waiting, Effect::Repeatable, call).await?;
        let now = wire::data(&body).and_then(|now| wire::updated(base, patch, now));
        now.ok_or_else(|| complaint::unknown_form(Effect::Repeatable))
    }

    async fn delete(&self, kind: PageKind, kind_number: i64) -> Result<()> {
        let number = kind_number.to_string();
        self.remove(&[wire::plural(kind), &number]).await
    }

    async fn create_post(&self, page: i64, draft: &PostDraft) -> Result<RemotePost> {
        let page = page.to_string();
        let (path, fields) = (self.path(&["entities", &page, "posts"]), wire::post_fields(draft));
        let call = || self.carrier.api.post(&path).json(&fields);
        let body = self.carrier.ask(Pace::Waiting, Effect::Once, call).await?;
        let made = wire::data(&body).and_then(wire::post);
        made.ok_or_else(|| complaint::unknown_form(Effect::Once))
    }

    async fn update_post(&self, page: i64, post: i64, draft: &PostDraft) -> Result<RemotePost> {
        let (page, post) = (page.to_string(), post.to_string());
        let path = self.path(&["entities", &page, "posts", &post]);
        let fields = wire::post_fields(draft);
        let call = || self.carrier.api.patch(&path).json(&fields);
        let body = self.carrier.ask(Pace::Waiting, Effect::Repeatable, call).await?;
        let now = wire::data(&body).and_then(wire::post);
        now.ok_or_else(|| complaint::unknown_form(Effect::Repeatable))
    }

    async fn delete_post(&self, page: i64, post: i64) -> Result<()> {
        let (page, post) = (page.to_string(), post.to_string());
        self.remove(&["entities", &page, "posts", &post]).await
    }
}

/// The error for a read whose answer has an unexpected format.
fn unread() -> Error {
    complaint::unknown_form(Effect::None)
}

impl KankaCampaign {
    /// Deletes something. If it is already gone, that counts as success.
    async fn remove(&self, rest: &[&str]) -> Result<()> {
        let path = self.path(rest);
        let call = || self.carrier.api.delete(&path);
        match self.carrier.ask(Pace::Waiting, Effect::Repeatable, call).await {
            Ok(Value::Null | Value::Object(_)) | Err(Error::NotFound { .. }) => Ok(()),
            Ok(_) => Err(complaint::unknown_form(Effect::Repeatable)),
            Err(other) => Err(other),
        }
    }
}
