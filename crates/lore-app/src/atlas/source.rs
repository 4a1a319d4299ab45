//! Where objects come from: the own world, or a service that is asked in its place.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use lore_anvil::{Kind, Object, PAGE_MAX};
use lore_core::{Error, PrincipalId, Result, Timestamp, Viewer};

use super::find::{ArticleQuery, FoundArticles};
use crate::App;
use crate::access::{for_everybody, in_another};
use crate::pages::{Scribe, TagsAre};
use crate::worlds;

/// What can be asked for objects.
#[async_trait]
pub trait Anvil: Send + Sync {
    /// One object. Without an id it is the caller, of users, or the present world.
    async fn read(&self, kind: Kind, id: Option<&str>, granularity: i8) -> Result<Object>;

    /// Some objects, as references.
    async fn list(&self, query: &ListQuery) -> Result<Rows>;

    /// Everything of a list, however long it is and whichever page the query asks for.
    async fn list_whole(&self, query: &ListQuery) -> Result<Vec<Object>> {
        let mut all: Vec<Object> = Vec::new();
        loop {
            let part = ListQuery { offset: all.len(), limit: PAGE_MAX, ..query.clone() };
            let found = self.list(&part).await?;
            let is_end = found.rows.is_empty();
            all.extend(found.rows);
            if is_end || all.len() >= found.total {
                return Ok(all);
            }
        }
    }

    /// Articles that answer a question, best first.
    async fn search(&self, query: &ArticleQuery) -> Result<FoundArticles>;

    /// The same where the service searches itself, which most do not: nothing then.
    async fn searched(&self, _query: &ArticleQuery) -> Result<Option<FoundArticles>> {
        Ok(None)
    }

    /// Makes an object; gives it back as it is now.
    async fn create(&self, kind: Kind, fields: &Object) -> Result<Object>;

    /// Changes an object; gives it back as it is now.
    async fn update(&self, kind: Kind, id: &str, fields: &Object) -> Result<Object>;

    /// Deletes an object.
    async fn delete(&self, kind: Kind, id: &str) -> Result<()>;

    /// How much of a world can be listed, and how.
    fn extent(&self) -> Extent {
        Extent::Whole
    }

    /// Whether the service does not know the keys it was asked with last: then it says nothing of
    /// what there is.
    fn refuses_keys(&self) -> bool {
        false
    }

    /// The articles of which copies say what they say now: all that were copied, by their ids,
    /// each with the date that it had then.
    async fn unchanged(
        &self,
        _world: Option<&str>,
        _copies: &HashMap<String, Option<String>>,
    ) -> Result<Vec<Listed>> {
        Ok(Vec::new())
    }
}

/// An article in the list of its world.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// The reference to it.
    pub article: Object,
    /// The reference to its world.
    pub world: Object,
}

/// How much of a world can be listed, and how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Everything there is, each thing below what it belongs to.
    Whole,
    /// Some of it, all things of a kind in one heap.
    Heap,
}

/// What to list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListQuery {
    /// Of which kind.
    pub kind: Kind,
    /// In which world; the present one when absent.
    pub world: Option<String>,
    /// Below what, other than a world.
    pub parent: Option<(Kind, String)>,
    /// Of articles: in which category; [`lore_anvil::UNCATEGORISED`] are those in none.
    pub category: Option<String>,
    /// Leave out this many first.
    pub offset: usize,
    /// At most this many, and never more than [`lore_anvil::PAGE_MAX`].
    pub limit: usize,
    /// How much of each.
    pub detail: Detail,
}

/// How much a list tells of each thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// What lists of the contract tell.
    Rows,
    /// What can be told without further questions to a service, which may not say how long the list
    /// is: the total is how far it is known then.
    Heads,
}

impl ListQuery {
    /// Everything of a kind in the present world.
    pub fn of(kind: Kind) -> Self {
        let (limit, detail) = (PAGE_MAX, Detail::Rows);
        Self { kind, world: None, parent: None, category: None, offset: 0, limit, detail }
    }
}

/// A part of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Rows {
    /// The objects.
    pub rows: Vec<Object>,
    /// How many there are in all, if that was asked for.
    pub total: usize,
}

/// The own world.
#[derive(Clone)]
pub struct Atlas {
    /// Who works, for which call.
    pub(super) scribe: Scribe,
    /// Who asks. In another world a reader is nobody in particular, and still looks into the
    /// worlds of who called.
    pub(super) caller: PrincipalId,
    /// Whose numbers the texts mention that are written.
    pub(super) numbers: Numbers,
}

/// Whose numbers something is known by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbers {
    /// Those of this world.
    Ours,
    /// Those of where a copy comes from.
    Theirs,
}

impl Atlas {
    /// The world of `viewer`, for a call of `tool`.
    pub fn new(app: Arc<App>, viewer: Viewer, tool: &'static str, request_id: String) -> Self {
        let tags_are = TagsAre::Labels;
        let caller = viewer.principal;
        let scribe = Scribe { app, viewer, tool, request_id, tags_are, at: None };
        Self { scribe, caller, numbers: Numbers::Ours }
    }

    pub(super) fn app(&self) -> &App {
        &self.scribe.app
    }

    pub(super) fn viewer(&self) -> &Viewer {
        &self.scribe.viewer
    }

    /// The same caller in the world they name; in this one when they name none.
    pub(super) async fn in_world(&self, world: Option<&str>) -> Result<Self> {
        let Some(name) = world.map(str::trim).filter(|name| !name.is_empty()) else {
            return Ok(self.clone());
        };
        let found = worlds::resolve(self.app(), self.caller, name).await?;
        if found.id == self.viewer().world {
            return Ok(self.clone());
        }
        let viewer = in_another(self.app(), self.viewer(), found.id).await?;
        let viewer = viewer.ok_or_else(|| unknown_world(name))?;
        Ok(Self { scribe: Scribe { viewer, ..self.scribe.clone() }, ..self.clone() })
    }

    /// The same, writing what happened at a moment; now where that is not known.
    pub(super) fn dated(&self, at: Option<Timestamp>) -> Self {
        let at = at.map(|at| at.min(self.app().effects.now()));
        Self { scribe: Scribe { at, ..self.scribe.clone() }, ..self.clone() }
    }

    /// The same, writing what comes from elsewhere.
    pub(super) fn copying(&self) -> Self {
        Self { numbers: Numbers::Theirs, ..self.clone() }
    }

    /// The same world as everybody sees it who may see it at all.
    pub(super) fn for_everybody(&self) -> Self {
        let viewer = for_everybody(self.viewer());
        Self { scribe: Scribe { viewer, ..self.scribe.clone() }, ..self.clone() }
    }

    /// Some objects of every world the caller can enter, the present one first. Each says which
    /// world it is in.
    pub async fn list_everywhere(&self, query: &ListQuery) -> Result<Rows> {
        let mut all = Rows { rows: Vec::new(), total: 0 };
        for place in self.everywhere().await? {
            let left = query.limit.saturating_sub(all.rows.len());
            let offset = query.offset.saturating_sub(all.total);
            let part = ListQuery { offset, limit: left.max(1), ..query.clone() };
            let found = place.list_objects(&part).await?;
            let world = place.world_reference().await?;
            all.rows.extend(found.rows.into_iter().take(left).map(|mut row| {
                row.insert("world".into(), world.clone().into());
                row
            }));
            all.total += found.total;
        }
        Ok(all)
    }

    /// The caller in each world they can enter, the present one first.
    pub(super) async fn everywhere(&self) -> Result<Vec<Self>> {
        let mut all = vec![self.clone()];
        for world in worlds::list(self.app(), self.caller).await? {
            if world.id != self.viewer().world {
                let uid = world.uid.to_string();
                all.push(self.in_world(Some(&uid)).await?);
            }
        }
        Ok(all)
    }
}

#[async_trait]
impl Anvil for Atlas {
    async fn read(&self, kind: Kind, id: Option<&str>, granularity: i8) -> Result<Object> {
        self.read_object(kind, id, granularity).await
    }

    async fn list(&self, query: &ListQuery) -> Result<Rows> {
        self.list_objects(query).await
    }

    async fn search(&self, query: &ArticleQuery) -> Result<FoundArticles> {
        self.search_articles(query).await
    }

    async fn create(&self, kind: Kind, fields: &Object) -> Result<Object> {
        self.create_object(kind, fields).await
    }

    async fn update(&self, kind: Kind, id: &str, fields: &Object) -> Result<Object> {
        self.update_object(kind, id, fields).await
    }

    async fn delete(&self, kind: Kind, id: &str) -> Result<()> {
        self.delete_object(kind, id).await
    }
}

fn unknown_world(name: &str) -> Error {
    Error::not_found(format!("world {name}"), "list_user_worlds lists the worlds there are")
}
