//! The sources of objects: the local world ([`Atlas`]), or a service behind the [`Anvil`] trait.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use lore_anvil::{Kind, Object, PAGE_MAX};
use lore_core::{Error, PrincipalId, Result, Timestamp, Viewer};

use super::read::find::{ArticleQuery, FoundArticles};
use crate::access::{for_everybody, in_another};
use crate::pages::{Scribe, TagsAre};
use crate::{App, worlds};

/// A source of objects.
#[async_trait]
pub trait Anvil: Send + Sync {
    /// Reads one object. Without an id: for users the caller, for worlds the current one.
    async fn read(&self, kind: Kind, id: Option<&str>, granularity: i8) -> Result<Object>;

    /// Lists objects as references.
    async fn list(&self, query: &ListQuery) -> Result<Rows>;

    /// Reads a whole list, page by page, whatever page the query asks for.
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

    /// Searches articles, best first.
    async fn search(&self, query: &ArticleQuery) -> Result<FoundArticles>;

    /// Searches with the service's own search. Most services have none and return `None`.
    async fn searched(&self, _query: &ArticleQuery) -> Result<Option<FoundArticles>> {
        Ok(None)
    }

    /// Creates an object and returns it.
    async fn create(&self, kind: Kind, fields: &Object) -> Result<Object>;

    /// Changes an object and returns it.
    async fn update(&self, kind: Kind, id: &str, fields: &Object) -> Result<Object>;

    /// Deletes an object.
    async fn delete(&self, kind: Kind, id: &str) -> Result<()>;

    /// How completely the source lists a world, and in which form.
    fn extent(&self) -> Extent {
        Extent::Whole
    }

    /// Whether the service rejected the keys of the last request. An error then says nothing about
    /// what exists.
    fn refuses_keys(&self) -> bool {
        false
    }

    /// The articles whose copies are up to date. `copies` has the ids of all copied articles with
    /// the date each had when it was copied.
    async fn unchanged(
        &self,
        _world: Option<&str>,
        _copies: &HashMap<String, Option<String>>,
    ) -> Result<Vec<Listed>> {
        Ok(Vec::new())
    }
}

/// An article as listed in its world.
#[derive(Debug, Clone, PartialEq)]
pub struct Listed {
    /// The reference to it.
    pub article: Object,
    /// The reference to its world.
    pub world: Object,
}

/// How completely a source lists a world, and in which form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Everything, each object below the one it belongs to: a live service.
    Whole,
    /// Some of it, all objects of a kind in one list: an archive.
    Heap,
}

/// A query for a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListQuery {
    /// The kind of objects.
    pub kind: Kind,
    /// The world; the current one if absent.
    pub world: Option<String>,
    /// The parent object, unless it is a world.
    pub parent: Option<(Kind, String)>,
    /// For articles, the category; [`lore_anvil::UNCATEGORISED`] means those in none.
    pub category: Option<String>,
    /// The number of objects to skip.
    pub offset: usize,
    /// The maximum number of objects, at most [`lore_anvil::PAGE_MAX`].
    pub limit: usize,
    /// How much to return of each object.
    pub detail: Detail,
}

/// How much a list returns of each object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// The full rows of the contract.
    Rows,
    /// Only what needs no further requests to a service. The total may then be only what is known
    /// so far.
    Heads,
}

impl ListQuery {
    /// A query for everything of a kind in the current world.
    pub fn of(kind: Kind) -> Self {
        let (limit, detail) = (PAGE_MAX, Detail::Rows);
        Self { kind, world: None, parent: None, category: None, offset: 0, limit, detail }
    }
}

/// A page of a list.
#[derive(Debug, Clone, PartialEq)]
pub struct Rows {
    /// The objects.
    pub rows: Vec<Object>,
    /// The total number of objects; see [`Detail::Heads`] for when it is not exact.
    pub total: usize,
}

/// The local world, shown as a source of World Anvil objects.
#[derive(Clone)]
pub struct Atlas {
    /// Who acts, and for which call.
    pub(super) scribe: Scribe,
    /// The principal who called. In another world a reader acts as nobody in particular, but which
    /// worlds can be entered still depends on the caller.
    pub(super) caller: PrincipalId,
    /// How numbers in mentions of written texts are to be understood.
    pub(super) numbers: Numbers,
}

/// Which numbering is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Numbers {
    /// That of this world.
    Ours,
    /// That of the source of a copy.
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

    /// The same caller in the named world, or in this one if none is named.
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

    /// The same atlas, dating its writes at a given moment; now if there is none or it is in the
    /// future.
    pub(super) fn dated(&self, at: Option<Timestamp>) -> Self {
        let at = at.map(|at| at.min(self.app().effects.now()));
        Self { scribe: Scribe { at, ..self.scribe.clone() }, ..self.clone() }
    }

    /// The same atlas, writing texts that come from another source.
    pub(super) fn copying(&self) -> Self {
        Self { numbers: Numbers::Theirs, ..self.clone() }
    }

    /// The same world with only what everybody sees.
    pub(super) fn for_everybody(&self) -> Self {
        let viewer = for_everybody(self.viewer());
        Self { scribe: Scribe { viewer, ..self.scribe.clone() }, ..self.clone() }
    }

    /// Lists objects of every world that the caller can enter, the current one first. Each states
    /// its world.
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

    /// The caller in each world they can enter, the current one first.
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
