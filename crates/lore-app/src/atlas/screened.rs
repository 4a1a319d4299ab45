//! A service whose keys see everything, shown to those who may not.
//!
//! The store filters what it keeps by viewer. A live service knows only the account of its
//! keys, so what it answers is screened here, for everybody below the game master's side:
//! no secret, nothing that is not public, no notes of the author. A thing that says itself how
//! everybody sees it, as another program of this kind does, is shown so. What the service does not
//! have at all comes from the own world.

use std::collections::HashSet;
use std::sync::Arc;

use async_trait::async_trait;
use lore_anvil::{
    Kind, Object, PAGE_MAX, Sensitivity, UNCATEGORISED, as_everybody_sees, is_reference,
    tells_everybody,
};
use lore_core::{Error, Result, Role, Viewer};
use serde_json::Value;

use super::find::{ArticleQuery, FoundArticles};
use super::keys;
use super::sight::{is_hidden, is_open};
use super::source::{Anvil, Atlas, Detail, ListQuery, Rows};
use super::taken::{id_of, references};

/// A service in front of a viewer.
pub struct Screened {
    pub(super) inner: Arc<dyn Anvil>,
    pub(super) viewer: Viewer,
    pub(super) here: Atlas,
}

impl Screened {
    /// `inner`, as far as the caller of `here` may see it. What was copied from it to
    /// `here` helps to search it.
    pub fn new(inner: Arc<dyn Anvil>, here: Atlas) -> Self {
        Self { inner, viewer: *here.viewer(), here }
    }

    /// Fails when something that holds a thing is not for everybody: what is in it is hidden
    /// with it.
    async fn check_holders(&self, kind: Kind, id: Option<&str>) -> Result<()> {
        let Some(id) = id.filter(|_| is_part(kind)) else { return Ok(()) };
        let whole = self.inner.read(kind, Some(id), kind.row().granularity(2)).await?;
        for (field, holder, _) in kind.row().holders() {
            let holding = whole.get(field).map(references).unwrap_or_default();
            for id in holding {
                Box::pin(self.open_one(holder, Some(&id), holder.row().granularity(0))).await?;
            }
        }
        Ok(())
    }

    /// The same for a row of a list. What was listed below something is held by that, and most
    /// things by nothing else.
    async fn is_held_openly(&self, query: &ListQuery, row: &Object) -> Result<bool> {
        if tells_everybody(row) {
            return Ok(true);
        }
        let mut holders = query.kind.row().holders();
        match (holders.next(), holders.next()) {
            (None, _) => Ok(true),
            (Some(_), None) if query.parent.is_some() => Ok(true),
            (Some((field, ..)), None) if whole_reference(row, field).is_some() => {
                Ok(whole_reference(row, field).is_some_and(|told| !is_hidden(told)))
            }
            _ => self.is_in_the_open(query.kind, row).await,
        }
    }

    /// One thing, if everybody may see it.
    pub(super) async fn open_one(
        &self,
        kind: Kind,
        id: Option<&str>,
        granularity: i8,
    ) -> Result<Object> {
        let unknown = || keys::unknown(kind, id.unwrap_or_default());
        if kind.row().sensitivity == Sensitivity::Secret {
            return Err(unknown());
        }
        let object = as_everybody_sees(self.inner.read(kind, id, granularity).await?);
        if !is_open(kind, &object) {
            return Err(unknown());
        }
        if !tells_everybody(&object) {
            self.check_holders(kind, id).await.map_err(|_| unknown())?;
        }
        Ok(object)
    }

    /// Everything of a list that everybody may see.
    pub(super) async fn open_rows(&self, query: &ListQuery) -> Result<Vec<Object>> {
        let judged = self.judged_rows(query).await?.into_iter();
        Ok(judged.filter_map(|(row, is_open)| is_open.then_some(row)).collect())
    }

    /// Everything of a list, and whether everybody may see it.
    pub(super) async fn judged_rows(&self, query: &ListQuery) -> Result<Vec<(Object, bool)>> {
        let mut judged = Vec::new();
        if query.kind.row().sensitivity == Sensitivity::Secret {
            return Ok(judged);
        }
        for row in self.inner.list_whole(query).await? {
            let row = as_everybody_sees(row);
            let is_open = is_open(query.kind, &row) && self.is_held_openly(query, &row).await?;
            judged.push((row, is_open));
        }
        Ok(judged)
    }

    /// Open articles that are in no open category: to who does not see a category, what is in
    /// it is in none.
    async fn loose_rows(&self, query: &ListQuery) -> Result<Vec<Object>> {
        let of = |kind: Kind, category: Option<String>| ListQuery {
            kind,
            category,
            detail: Detail::Heads,
            ..query.clone()
        };
        let mut loose = self.open_rows(&of(Kind::Article, None)).await?;
        for category in self.open_rows(&of(Kind::Category, None)).await? {
            let inside = self.open_rows(&of(Kind::Article, id_of(&category))).await?;
            let inside: HashSet<String> = inside.iter().filter_map(id_of).collect();
            loose.retain(|row| id_of(row).is_none_or(|id| !inside.contains(&id)));
        }
        Ok(loose)
    }

    /// Whether nothing that holds the target of a reference is hidden.
    pub(super) async fn is_in_the_open(&self, kind: Kind, reference: &Object) -> Result<bool> {
        let id = id_of(reference);
        match self.check_holders(kind, id.as_deref()).await {
            Ok(()) => Ok(true),
            Err(Error::NotFound { .. }) => Ok(false),
            Err(other) => Err(other),
        }
    }
}

impl Screened {
    /// One thing, as far as the viewer may see it.
    async fn one(&self, kind: Kind, id: Option<&str>, granularity: i8) -> Result<Object> {
        if is_kept_here(kind) {
            match self.here.read(kind, id, granularity).await {
                Err(Error::NotFound { .. }) => {}
                found => return found,
            }
        }
        if self.viewer.sees_gm_side() {
            return self.inner.read(kind, id, granularity).await;
        }
        let object = self.open_one(kind, id, granularity).await?;
        let shown = self.shown(kind, vec![object], None).await?.into_iter().next();
        let mut shown = shown.ok_or_else(|| keys::unknown(kind, id.unwrap_or_default()))?;
        // What the keys may change, only the game master's side changes.
        shown.insert("isEditable".into(), false.into());
        Ok(shown)
    }

    /// Some things, as far as the viewer may see them.
    pub(super) async fn several(&self, query: &ListQuery) -> Result<Rows> {
        if is_kept_here(query.kind) {
            match self.here.list(query).await {
                Err(Error::NotFound { .. }) => {}
                found => return found,
            }
        }
        if self.viewer.sees_gm_side() {
            return self.inner.list(query).await;
        }
        // What is in something hidden is hidden with it.
        if let Some((parent, id)) = &query.parent {
            self.open_one(*parent, Some(id), parent.row().granularity(0)).await?;
        }
        let open = match query.category.as_deref() {
            Some(UNCATEGORISED) => self.loose_rows(query).await?,
            Some(category) => {
                self.open_one(Kind::Category, Some(category), -1).await?;
                self.open_rows(query).await?
            }
            None => self.open_rows(query).await?,
        };
        let total = open.len();
        let page = open.into_iter().skip(query.offset).take(query.limit.min(PAGE_MAX));
        let rows = self.shown(query.kind, page.collect(), query.world.as_deref()).await?;
        Ok(Rows { rows, total })
    }
}

#[async_trait]
impl Anvil for Screened {
    async fn read(&self, kind: Kind, id: Option<&str>, granularity: i8) -> Result<Object> {
        if kind == Kind::User && !self.is_owner() {
            return self.user(id, granularity).await;
        }
        Ok(self.settled(kind, self.one(kind, id, granularity).await?))
    }

    async fn list(&self, query: &ListQuery) -> Result<Rows> {
        let Rows { rows, total } = self.several(&self.of_account(query)?).await?;
        let rows = rows.into_iter().map(|row| self.settled(query.kind, row)).collect();
        Ok(Rows { rows, total })
    }

    async fn search(&self, query: &ArticleQuery) -> Result<FoundArticles> {
        self.search_both(query).await
    }

    async fn create(&self, kind: Kind, fields: &Object) -> Result<Object> {
        self.viewer.require(Role::Gm)?;
        Ok(self.settled(kind, self.inner.create(kind, fields).await?))
    }

    async fn update(&self, kind: Kind, id: &str, fields: &Object) -> Result<Object> {
        self.viewer.require(Role::Gm)?;
        Ok(self.settled(kind, self.inner.update(kind, id, fields).await?))
    }

    async fn delete(&self, kind: Kind, id: &str) -> Result<()> {
        self.viewer.require(Role::Gm)?;
        self.inner.delete(kind, id).await
    }
}

/// Whether a kind is looked for here first: who plays what is kept at the table, and World
/// Anvil knows nothing of it. Another server of this kind does.
fn is_kept_here(kind: Kind) -> bool {
    matches!(kind, Kind::Campaign | Kind::Npc)
}

/// What a field refers to, where it tells more than an id.
fn whole_reference<'a>(row: &'a Object, field: &str) -> Option<&'a Object> {
    row.get(field).and_then(Value::as_object).filter(|told| is_reference(told))
}

/// Whether things of a kind are parts of something.
pub(super) fn is_part(kind: Kind) -> bool {
    kind.row().holders().next().is_some()
}
