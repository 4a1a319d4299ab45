//! Filters a live service, whose keys see everything, for viewers who may not.
//!
//! The store filters by viewer. A live service knows only the account of its keys, so its answers
//! are filtered here for everybody below the game master's side: no secrets, nothing that is not
//! public, no author's notes. Another instance of this program states in each object how everybody
//! sees it; such objects are shown that way. Kinds that the service does not have at all come from
//! the local world.
//!
//! - `opened` reduces open objects to what these viewers may see.
//! - `account` keeps the owner's account to the owner.
//! - `search` searches a service that has no search of its own.

mod account;
pub(super) mod opened;
mod search;

use std::collections::HashSet;
use std::sync::Arc;

use async_trait::async_trait;
use lore_anvil::{
    Kind, Object, PAGE_MAX, Sensitivity, UNCATEGORISED, as_everybody_sees, is_reference,
    tells_everybody,
};
use lore_core::{Error, Result, Role, Viewer};
use serde_json::Value;

use super::ids::{id_of, references};
use super::keys;
use super::read::find::{ArticleQuery, FoundArticles};
use super::sight::{is_hidden, is_open};
use super::source::{Anvil, Atlas, Detail, ListQuery, Rows};

/// A service as one viewer may see it.
pub struct Screened {
    pub(super) inner: Arc<dyn Anvil>,
    viewer: Viewer,
    here: Atlas,
}

impl Screened {
    /// Shows `inner` as far as the caller of `here` may see it. Local copies in `here` help to
    /// search it.
    pub fn new(inner: Arc<dyn Anvil>, here: Atlas) -> Self {
        Self { inner, viewer: *here.viewer(), here }
    }

    /// Fails if a whole that this object is part of is not open to everybody: its parts are hidden
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

    /// Does the same check for a row of a list. A row listed below a parent is part of that parent,
    /// which was checked already, and most kinds can be part of nothing else.
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

    /// Reads one object if everybody may see it; otherwise it is not found.
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

    /// All rows of a list that everybody may see.
    async fn open_rows(&self, query: &ListQuery) -> Result<Vec<Object>> {
        let judged = self.judged_rows(query).await?.into_iter();
        Ok(judged.filter_map(|(row, is_open)| is_open.then_some(row)).collect())
    }

    /// All rows of a list, each with whether everybody may see it.
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

    /// Open articles that are in no open category: a viewer who does not see a category must find
    /// its articles under "uncategorised".
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

    /// Whether every whole that the referenced object is part of is open.
    async fn is_in_the_open(&self, kind: Kind, reference: &Object) -> Result<bool> {
        let id = id_of(reference);
        match self.check_holders(kind, id.as_deref()).await {
            Ok(()) => Ok(true),
            Err(Error::NotFound { .. }) => Ok(false),
            Err(other) => Err(other),
        }
    }
}

impl Screened {
    /// Reads one object as far as the viewer may see it.
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
        // Only the game master's side may use the keys for changes.
        shown.insert("isEditable".into(), false.into());
        Ok(shown)
    }

    /// Lists objects as far as the viewer may see them.
    async fn several(&self, query: &ListQuery) -> Result<Rows> {
        if is_kept_here(query.kind) {
            match self.here.list(query).await {
                Err(Error::NotFound { .. }) => {}
                found => return found,
            }
        }
        if self.viewer.sees_gm_side() {
            return self.inner.list(query).await;
        }
        // Everything below a hidden parent is hidden.
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

/// Whether a kind is looked up locally first. Campaigns and NPCs belong to the play toolset, and
/// World Anvil knows nothing of them. Another instance of this program does.
fn is_kept_here(kind: Kind) -> bool {
    matches!(kind, Kind::Campaign | Kind::Npc)
}

/// The reference in a field, if it has more than an id.
fn whole_reference<'a>(row: &'a Object, field: &str) -> Option<&'a Object> {
    row.get(field).and_then(Value::as_object).filter(|told| is_reference(told))
}

/// Whether objects of a kind are parts of something.
fn is_part(kind: Kind) -> bool {
    kind.row().holders().next().is_some()
}
