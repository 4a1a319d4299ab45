//! Lists of the service: 50 at once, no total, and some only by detours.

use lore_anvil::{Kind, Object, PAGE_MAX};
use lore_app::atlas::{Anvil, ListQuery, Rows};
use lore_core::{Error, Result};
use serde_json::{Value, json};

use super::wire::{Asking, Verb};
use super::{WorldAnvil, inward, list_class, text_of};

/// Most pages of one list that are gone through.
const PAGES_MAX: usize = 200;

/// A list of the service.
#[derive(Debug, Clone, PartialEq)]
struct Route {
    path: &'static str,
    id: Option<String>,
    filter: Option<(&'static str, String)>,
}

impl WorldAnvil {
    /// A part of a list with its total, which the service does not tell: the rest of the
    /// list is gone through once, and kept.
    pub(super) async fn list_rows(&self, query: &ListQuery) -> Result<Rows> {
        let limit = query.limit.clamp(1, PAGE_MAX);
        if let Some(parents) = self.only_by_parents(query).await? {
            return self.gathered(query, parents).await;
        }
        let mut found =
            Err(Error::not_found(query.kind.row().many, "World Anvil has no such list"));
        for route in self.routes(query).await? {
            found = self.page(query.kind, &route, query.offset, limit).await;
            match &found {
                Ok(rows) => {
                    return self
                        .counted(query.kind, &route, query.offset, limit, rows.clone())
                        .await;
                }
                // Some lists are elsewhere, and some are broken at one place only.
                Err(
                    Error::NotFound { .. } | Error::Forbidden { .. } | Error::Unavailable { .. },
                ) => {}
                Err(_) => break,
            }
        }
        match (found, query.kind) {
            (Err(Error::NotFound { .. } | Error::Forbidden { .. }), Kind::Block | Kind::Era) => {
                let parent =
                    if query.kind == Kind::Block { Kind::BlockFolder } else { Kind::Timeline };
                let parents = self.parents(query, parent).await?;
                self.gathered(query, parents).await
            }
            (Err(error), _) => Err(error),
            (Ok(_), _) => Err(Error::Bug { what: "a list of World Anvil".into() }),
        }
    }

    /// Every row of a list.
    pub(super) async fn every_row(&self, query: &ListQuery) -> Result<Vec<Object>> {
        let mut all = Vec::new();
        for page in 0..PAGES_MAX {
            let part = ListQuery { offset: page * PAGE_MAX, limit: PAGE_MAX, ..query.clone() };
            let rows = self.list_rows(&part).await?.rows;
            let last = rows.len() < PAGE_MAX;
            all.extend(rows);
            if last {
                break;
            }
        }
        Ok(all)
    }

    async fn counted(
        &self,
        kind: Kind,
        route: &Route,
        offset: usize,
        limit: usize,
        rows: Vec<Object>,
    ) -> Result<Rows> {
        let mut total = offset + rows.len();
        let mut last = rows.len();
        let mut wanted = limit;
        for _ in 0..PAGES_MAX {
            if last < wanted {
                break;
            }
            wanted = PAGE_MAX;
            last = self.page(kind, route, total, PAGE_MAX).await?.len();
            total += last;
        }
        // An offset beyond the end says nothing of what is before it.
        if rows.is_empty() && offset > 0 {
            total = self.length(kind, route).await?;
        }
        Ok(Rows { rows: self.completed(kind, rows).await?, total })
    }

    async fn length(&self, kind: Kind, route: &Route) -> Result<usize> {
        let mut total = 0;
        for _ in 0..PAGES_MAX {
            let part = self.page(kind, route, total, PAGE_MAX).await?.len();
            total += part;
            if part < PAGE_MAX {
                break;
            }
        }
        Ok(total)
    }

    /// References to markers do not say where they are.
    async fn completed(&self, kind: Kind, rows: Vec<Object>) -> Result<Vec<Object>> {
        if kind != Kind::Marker {
            return Ok(rows);
        }
        let mut whole = Vec::with_capacity(rows.len());
        for row in rows {
            if row.contains_key("geoX") {
                whole.push(row);
            } else {
                let more = self.read(kind, Some(&text_of(&row, "id")), 2).await?;
                whole.push(row.into_iter().chain(more).collect());
            }
        }
        Ok(whole)
    }

    async fn page(
        &self,
        kind: Kind,
        route: &Route,
        offset: usize,
        limit: usize,
    ) -> Result<Vec<Object>> {
        let mut body = json!({ "limit": limit.to_string(), "offset": offset.to_string() });
        if let (Some((name, id)), Value::Object(fields)) = (&route.filter, &mut body) {
            fields.insert((*name).to_owned(), json!({ "id": id }));
        }
        let mut asking = Asking::new(Verb::Post, route.path).body(body);
        if let Some(id) = &route.id {
            asking = asking.with("id", id);
        }
        let mut answer = self.ask_kept(list_class(kind), asking).await?;
        let Some(Value::Array(rows)) = answer.remove("entities") else {
            return Err(Error::Unavailable {
                what: "World Anvil (a list without entities)".into(),
            });
        };
        let rows = rows.into_iter().filter_map(|row| match row {
            Value::Object(row) => Some(inward(kind, row)),
            _ => None,
        });
        Ok(rows.collect())
    }

    /// Where a list may be found, the likeliest place first.
    async fn routes(&self, query: &ListQuery) -> Result<Vec<Route>> {
        let mut routes = Vec::new();
        for list in query.kind.row().lists {
            let id = match (list.parent, &query.parent) {
                (Some(Kind::User), Some((Kind::User, id))) => Some(id.clone()),
                (Some(Kind::User), _) => {
                    Some(text_of(&self.read(Kind::User, None, -1).await?, "id"))
                }
                (Some(parent), Some((given, id))) if parent == *given => Some(id.clone()),
                (Some(Kind::World), None) => Some(match &query.world {
                    Some(world) => world.clone(),
                    None => Box::pin(self.present_world()).await?,
                }),
                (Some(_), _) => continue,
                (None, _) => None,
            };
            let filter = query.category.clone().map(|category| ("category", category));
            routes.push(Route { path: list.path, id, filter });
        }
        Ok(routes)
    }

    /// What can be listed below single parents only, when none was named.
    async fn only_by_parents(&self, query: &ListQuery) -> Result<Option<Vec<(Kind, String)>>> {
        match (query.kind, &query.parent) {
            (Kind::Variable, None) => {
                Ok(Some(self.parents(query, Kind::VariableCollection).await?))
            }
            _ => Ok(None),
        }
    }

    async fn parents(&self, query: &ListQuery, kind: Kind) -> Result<Vec<(Kind, String)>> {
        let above = ListQuery { world: query.world.clone(), ..ListQuery::of(kind) };
        let rows = Box::pin(self.every_row(&above)).await?;
        Ok(rows.iter().map(|row| (kind, text_of(row, "id"))).collect())
    }

    /// One list out of those of several parents.
    async fn gathered(&self, query: &ListQuery, parents: Vec<(Kind, String)>) -> Result<Rows> {
        let mut all = Vec::new();
        for (kind, id) in parents {
            // The eras of a timeline are told with it.
            if query.kind == Kind::Era {
                let timeline = self.read(kind, Some(&id), 2).await?;
                let eras = timeline.get("eras").and_then(Value::as_array).into_iter().flatten();
                all.extend(eras.filter_map(Value::as_object).cloned());
                continue;
            }
            let below = ListQuery { parent: Some((kind, id)), offset: 0, ..query.clone() };
            all.extend(Box::pin(self.every_row(&below)).await?);
        }
        let total = all.len();
        let limit = query.limit.clamp(1, PAGE_MAX);
        Ok(Rows { rows: all.into_iter().skip(query.offset).take(limit).collect(), total })
    }
}
