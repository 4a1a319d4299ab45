//! Lists of the service: 50 at once, no total, and some only by detours.

use lore_anvil::{Form, Kind, Object, PAGE_MAX};
use lore_app::atlas::{Anvil, Detail, ListQuery, Rows};
use lore_core::{Error, Result};
use serde_json::{Value, json};

use super::convert::{inward, text_of};
use super::shape::Wanted;
use super::wire::{Asking, Verb};
use super::{WorldAnvil, list_class};

/// Most pages of one list that are gone through; more, and the list does not end.
const PAGES_MAX: usize = 20_000;

/// Most categories of a page whose articles are counted.
const COUNTED_MAX: usize = 20;
/// Where categories tell how many articles are in them.
pub(super) const COUNT: &str = "articleCount";

/// Whether to find out how long a list is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Counting {
    /// By going through what is left of it.
    All,
    /// Not: whoever asks goes through it anyway.
    None,
}

/// What a list is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// One thing.
    Parent,
    /// Everything that the account has, or everybody.
    Account,
}

/// A list of the service.
#[derive(Debug, Clone, PartialEq)]
struct Route {
    path: &'static str,
    id: Option<String>,
    reach: Reach,
    filter: Option<(&'static str, String)>,
}

/// What the service answers to a question for a page.
enum Told {
    /// That page.
    Page(Vec<Object>),
    /// All there is: some lists know neither offset nor limit.
    Whole(Vec<Object>),
}

impl WorldAnvil {
    /// A part of a list with its total, which the service does not tell: the rest of the
    /// list is gone through once, and kept.
    pub(super) async fn list_rows(&self, query: &ListQuery) -> Result<Rows> {
        self.some_rows(query, Counting::All).await
    }

    async fn some_rows(&self, query: &ListQuery, counting: Counting) -> Result<Rows> {
        let limit = query.limit.clamp(1, PAGE_MAX);
        if let Some(parents) = self.only_by_parents(query).await? {
            return self.gathered(query, parents).await;
        }
        let mut found =
            Err(Error::not_found(query.kind.row().many, "World Anvil has no such list"));
        for route in self.routes(query).await? {
            found = match route.reach {
                Reach::Account => self.of_world(query, &route).await.map(Told::Whole),
                Reach::Parent => self.told(query.kind, &route, query.offset, limit).await,
            };
            match &found {
                Ok(Told::Whole(all)) => {
                    let Rows { rows, total } = cut(query, all.clone());
                    return Ok(Rows { rows: self.completed(query, rows).await?, total });
                }
                Ok(Told::Page(rows)) if counting == Counting::All => {
                    return self.counted(query, &route, limit, rows.clone()).await;
                }
                Ok(Told::Page(rows)) => {
                    let total = query.offset + rows.len();
                    let rows = self.completed(query, rows.clone()).await?;
                    return Ok(Rows { rows, total });
                }
                // Some lists are elsewhere, and some are broken at one place only.
                Err(
                    Error::NotFound { .. } | Error::Forbidden { .. } | Error::Unavailable { .. },
                ) => {}
                Err(_) => break,
            }
        }
        match (found, &query.parent) {
            (Err(Error::NotFound { .. } | Error::Forbidden { .. }), Some((kind, id))) => {
                self.told_with(query, *kind, id).await
            }
            (Err(Error::NotFound { .. } | Error::Forbidden { .. }), None)
                if matches!(query.kind, Kind::Block | Kind::Era) =>
            {
                let above =
                    if query.kind == Kind::Block { Kind::BlockFolder } else { Kind::Timeline };
                let parents = self.parents(query, above).await?;
                self.gathered(query, parents).await
            }
            (Err(error), _) => Err(error),
            (Ok(_), _) => Err(Error::Bug { what: "a list of World Anvil".into() }),
        }
    }

    /// What a parent tells of its own: some lists are nowhere else.
    async fn told_with(&self, query: &ListQuery, parent: Kind, id: &str) -> Result<Rows> {
        let holder = self.one(parent, id, parent.row().granularity(2)).await?;
        let field = parent
            .row()
            .fields
            .iter()
            .find(|field| matches!(field.form, Form::Many(kind, _) if kind == query.kind));
        let rows = match field.map(|field| holder.get(field.name)) {
            Some(Some(Value::Array(rows))) => rows.as_slice(),
            Some(Some(Value::Null)) => &[],
            // A timeline without eras does not mention them, and nobody else lists them.
            Some(None) if query.kind == Kind::Era => &[],
            _ => {
                return Err(Error::not_found(
                    format!("{} of a {}", query.kind.row().many, parent.row().one),
                    "World Anvil does not list them",
                ));
            }
        };
        let rows = rows.iter().filter_map(Value::as_object).cloned();
        let all = rows.map(|row| below(query.kind, row, parent, &holder)).collect();
        let Rows { rows, total } = cut(query, all);
        Ok(Rows { rows: self.completed(query, rows).await?, total })
    }

    /// Every row of a list.
    pub(super) async fn every_row(&self, query: &ListQuery) -> Result<Vec<Object>> {
        let mut all: Vec<Object> = Vec::new();
        for page in 0..PAGES_MAX {
            let part = ListQuery { offset: page * PAGE_MAX, limit: PAGE_MAX, ..query.clone() };
            let rows = self.some_rows(&part, Counting::None).await?.rows;
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
        query: &ListQuery,
        route: &Route,
        limit: usize,
        rows: Vec<Object>,
    ) -> Result<Rows> {
        let ListQuery { kind, offset, .. } = *query;
        // An offset beyond the end says nothing of what is before it.
        let total = match rows.is_empty() && offset > 0 {
            true => self.length(kind, route, 0).await?,
            false if rows.len() < limit => offset + rows.len(),
            false => {
                let seen = offset + rows.len();
                seen + self.length(kind, route, seen).await?
            }
        };
        Ok(Rows { rows: self.completed(query, rows).await?, total })
    }

    /// How many rows there are from a place on.
    async fn length(&self, kind: Kind, route: &Route, from: usize) -> Result<usize> {
        let mut total = 0;
        for _ in 0..PAGES_MAX {
            match self.told(kind, route, from + total, PAGE_MAX).await? {
                Told::Whole(all) => return Ok(all.len().saturating_sub(from)),
                Told::Page(part) => {
                    total += part.len();
                    if part.len() < PAGE_MAX {
                        break;
                    }
                }
            }
        }
        Ok(total)
    }

    /// Rows with what lists have and references do not say: where a marker is, what a map
    /// looks like, which years an era has.
    async fn completed(&self, query: &ListQuery, rows: Vec<Object>) -> Result<Vec<Object>> {
        let kind = query.kind;
        let lacking = match kind {
            _ if query.detail == Detail::Heads => return Ok(rows),
            Kind::Marker => "geoX",
            Kind::Map => "markerCount",
            Kind::Era => "startingYear",
            Kind::Category => return self.with_counts(query, rows).await,
            _ => return Ok(rows),
        };
        let mut whole = Vec::with_capacity(rows.len());
        for row in rows {
            if row.contains_key(lacking) {
                whole.push(row);
                continue;
            }
            let full = kind.row().granularity(2);
            match self.one(kind, &text_of(&row, "id"), full).await {
                Ok(more) => whole.push(listed(kind, row, more)),
                // It is there, although nobody tells more of it.
                Err(Error::NotFound { .. } | Error::Forbidden { .. }) => whole.push(row),
                Err(other) => return Err(other),
            }
        }
        Ok(whole)
    }

    /// Categories with how many articles are in them, which the service does not say: some of
    /// them, because each is a list to go through.
    async fn with_counts(&self, query: &ListQuery, rows: Vec<Object>) -> Result<Vec<Object>> {
        let mut rows = rows;
        let lacking = rows.iter_mut().filter(|row| row.get(COUNT).is_none_or(Value::is_null));
        for row in lacking.take(COUNTED_MAX) {
            let category = Some(text_of(row, "id"));
            let world = query.world.clone();
            let inside = ListQuery { world, category, ..ListQuery::of(Kind::Article) };
            match Box::pin(self.list_rows(&inside)).await {
                Ok(found) => row.insert(COUNT.into(), json!(found.total)),
                // It is there, although nobody tells what is in it.
                Err(Error::NotFound { .. } | Error::Forbidden { .. }) => None,
                Err(other) => return Err(other),
            };
        }
        Ok(rows)
    }

    /// What is in a world, of a list of all that the account has; all of it where none is named.
    /// What does not say where it is, is in every world.
    async fn of_world(&self, query: &ListQuery, route: &Route) -> Result<Vec<Object>> {
        let mut all: Vec<Object> = Vec::new();
        for _ in 0..PAGES_MAX {
            match self.told(query.kind, route, all.len(), PAGE_MAX).await? {
                Told::Whole(rows) => {
                    all = rows;
                    break;
                }
                Told::Page(rows) => {
                    let is_last = rows.len() < PAGE_MAX;
                    all.extend(rows);
                    if is_last {
                        break;
                    }
                }
            }
        }
        let other = |row: &Object| {
            let said = row.get("world").and_then(Value::as_object).map(|said| text_of(said, "id"));
            let wanted = query.world.as_ref();
            said.is_some_and(|said| !said.is_empty() && wanted.is_some_and(|world| said != *world))
        };
        all.retain(|row| !other(row));
        all.iter_mut().for_each(|row| drop(row.shift_remove("world")));
        Ok(all)
    }

    /// A page of a list, or the whole of it.
    async fn told(&self, kind: Kind, route: &Route, offset: usize, limit: usize) -> Result<Told> {
        let rows = self.page(kind, route, offset, limit).await?;
        if rows.len() > limit {
            return Ok(Told::Whole(rows));
        }
        let is_first_again =
            offset > 0 && !rows.is_empty() && self.page(kind, route, 0, limit).await? == rows;
        Ok(if is_first_again { Told::Whole(rows) } else { Told::Page(rows) })
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
        let wanted = Wanted::Several(kind);
        let mut answer = self.ask_kept(list_class(kind), asking, wanted).await?;
        let rows = match answer.remove("entities") {
            Some(Value::Array(rows)) => rows,
            _ => Vec::new(),
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
            let reach = match list.parent {
                Some(Kind::User) if query.kind != Kind::World => Reach::Account,
                None => Reach::Account,
                _ => Reach::Parent,
            };
            routes.push(Route { path: list.path, id, reach, filter });
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
        for parent in parents {
            let below = ListQuery { parent: Some(parent), offset: 0, ..query.clone() };
            all.extend(Box::pin(self.every_row(&below)).await?);
        }
        Ok(cut(query, all))
    }
}

/// A row that says what it was listed below.
fn below(kind: Kind, mut row: Object, parent: Kind, holder: &Object) -> Object {
    let field = kind.row().fields.iter().find(
        |field| matches!(field.form, Form::One(to, _) | Form::Several(to, _) if to == parent),
    );
    if let Some(field) = field {
        let told = ["id", "title", "state", "entityClass", "url"].into_iter();
        let told = told.filter_map(|name| Some((name.to_owned(), holder.get(name)?.clone())));
        row.entry(field.name).or_insert_with(|| told.collect());
    }
    row
}

/// The part of a list that is asked for.
fn cut(query: &ListQuery, all: Vec<Object>) -> Rows {
    let (total, limit) = (all.len(), query.limit.clamp(1, PAGE_MAX));
    Rows { rows: all.into_iter().skip(query.offset).take(limit).collect(), total }
}

/// A row with those fields of the thing that lists of the contract have.
fn listed(kind: Kind, row: Object, thing: Object) -> Object {
    let is_listed = |name: &str| kind.row().field(name).is_some_and(|field| field.from < 0);
    let more = thing.into_iter().filter(|(name, _)| is_listed(name));
    row.into_iter().chain(more).collect()
}
