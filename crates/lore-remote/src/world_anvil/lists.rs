//! Lists of the service. It returns at most 50 rows per request and no total, and some lists are
//! available only through other objects.

use lore_anvil::{Form, Kind, Object, PAGE_MAX};
use lore_app::atlas::{Anvil, Detail, ListQuery, Rows};
use lore_core::{Error, Result};
use serde_json::{Value, json};

use super::convert::{inward, text_of};
use super::shape::Wanted;
use super::wire::{Asking, Verb};
use super::{WorldAnvil, fault, list_class};

/// Most pages fetched of one list; a list with more is assumed to be endless.
const PAGES_MAX: usize = 20_000;

/// Most categories per page whose articles are counted.
const COUNTED_MAX: usize = 20;
/// The field of a category with the number of its articles.
pub(super) const COUNT: &str = "articleCount";

/// How much of a list is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Span {
    /// The requested page, and the total.
    Page,
    /// The whole list, whatever page is requested.
    Whole,
}

/// Which rows a route returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// Those that belong to one parent object.
    Parent,
    /// Those of the whole account, or of all users.
    Account,
}

/// A path at which the service may have a list.
#[derive(Debug, Clone, PartialEq)]
struct Route {
    path: &'static str,
    id: Option<String>,
    reach: Reach,
    filter: Option<(&'static str, String)>,
}

/// How the service answered the request for a page.
enum Told {
    /// With that page.
    Page(Vec<Object>),
    /// With the whole list: some lists ignore offset and limit.
    Whole(Vec<Object>),
}

impl WorldAnvil {
    /// Returns a page of a list with the total. The service sends no total, so the whole list is
    /// fetched once and cached.
    pub(super) async fn list_rows(&self, query: &ListQuery) -> Result<Rows> {
        self.some_rows(query, Span::Page).await
    }

    /// Returns every row of a list.
    pub(super) async fn every_row(&self, query: &ListQuery) -> Result<Vec<Object>> {
        Ok(self.some_rows(query, Span::Whole).await?.rows)
    }

    async fn some_rows(&self, query: &ListQuery, span: Span) -> Result<Rows> {
        if let Some(parents) = self.only_by_parents(query).await? {
            return self.gathered(query, span, parents).await;
        }
        let mut error = fault::unlisted(query.kind, query.kind.row().many);
        for route in self.routes(query).await? {
            match self.rows_at(query, span, &route).await {
                Ok(Rows { rows, total }) => {
                    return Ok(Rows { rows: self.completed(query, rows).await?, total });
                }
                // Some lists have moved, and some fail on one route only: try the next one.
                Err(
                    elsewhere @ (Error::NotFound { .. }
                    | Error::Forbidden { .. }
                    | Error::Unavailable { .. }),
                ) => error = elsewhere,
                Err(other) => return Err(other),
            }
        }
        match (&error, &query.parent) {
            (Error::NotFound { .. } | Error::Forbidden { .. }, Some((kind, id))) => {
                self.told_with(query, span, *kind, id).await
            }
            (Error::NotFound { .. } | Error::Forbidden { .. }, None)
                if matches!(query.kind, Kind::Block | Kind::Era) =>
            {
                let above =
                    if query.kind == Kind::Block { Kind::BlockFolder } else { Kind::Timeline };
                let parents = self.parents(query, above).await?;
                self.gathered(query, span, parents).await
            }
            _ => Err(error),
        }
    }

    /// Fetches rows from one route.
    async fn rows_at(&self, query: &ListQuery, span: Span, route: &Route) -> Result<Rows> {
        match (route.reach, span) {
            (Reach::Account, _) => Ok(part(query, span, self.of_world(query, route).await?)),
            (Reach::Parent, Span::Whole) => {
                Ok(part(query, span, read(query.kind, self.whole(query.kind, route).await?)))
            }
            (Reach::Parent, Span::Page) => self.page_at(query, route).await,
        }
    }

    async fn page_at(&self, query: &ListQuery, route: &Route) -> Result<Rows> {
        let ListQuery { kind, offset, .. } = *query;
        let limit = query.limit.clamp(1, PAGE_MAX);
        let rows = match self.told(kind, route, offset, limit).await? {
            Told::Page(rows) => rows,
            Told::Whole(all) => {
                let Rows { rows, total } = part(query, Span::Page, all);
                return Ok(Rows { rows: read(kind, rows), total });
            }
        };
        let reached = offset + rows.len();
        // An empty page at a non-zero offset may lie far beyond the end, so it does not give the
        // total.
        let is_end = rows.len() < limit && (offset == 0 || !rows.is_empty());
        let total = match query.detail {
            Detail::Rows if !is_end => self.whole(kind, route).await?.len(),
            Detail::Rows | Detail::Heads => reached,
        };
        Ok(Rows { rows: read(kind, rows), total })
    }

    /// Reads a list from a field of its parent object: some lists are not available elsewhere.
    async fn told_with(
        &self,
        query: &ListQuery,
        span: Span,
        parent: Kind,
        id: &str,
    ) -> Result<Rows> {
        let holder = self.one(parent, id, parent.row().granularity(2)).await?;
        let field = parent
            .row()
            .fields
            .iter()
            .find(|field| matches!(field.form, Form::Many(kind, _) if kind == query.kind));
        let rows = match field.map(|field| holder.get(field.name)) {
            Some(Some(Value::Array(rows))) => rows.as_slice(),
            Some(Some(Value::Null)) => &[],
            // A timeline without eras omits the field, and there is no other list of eras.
            Some(None) if query.kind == Kind::Era => &[],
            _ => {
                let what = format!("{} of a {}", query.kind.row().many, parent.row().one);
                return Err(fault::unlisted(query.kind, &what));
            }
        };
        let rows = rows.iter().filter_map(Value::as_object).cloned();
        let all = rows.map(|row| below(query.kind, row, parent, &holder)).collect();
        let Rows { rows, total } = part(query, span, all);
        Ok(Rows { rows: self.completed(query, rows).await?, total })
    }

    /// Adds fields that list rows must have and references lack: the position of a marker, the
    /// marker count of a map, the years of an era.
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
                // The object exists although it cannot be read: keep the row as it is.
                Err(Error::NotFound { .. } | Error::Forbidden { .. }) => whole.push(row),
                Err(other) => return Err(other),
            }
        }
        Ok(whole)
    }

    /// Adds the article counts that the service does not send to categories. Only the first few get
    /// one, because each count fetches a whole list.
    async fn with_counts(&self, query: &ListQuery, rows: Vec<Object>) -> Result<Vec<Object>> {
        let mut rows = rows;
        let lacking = rows.iter_mut().filter(|row| row.get(COUNT).is_none_or(Value::is_null));
        for row in lacking.take(COUNTED_MAX) {
            let category = Some(text_of(row, "id"));
            let world = query.world.clone();
            let inside = ListQuery { world, category, ..ListQuery::of(Kind::Article) };
            match Box::pin(self.list_rows(&inside)).await {
                Ok(found) => row.insert(COUNT.into(), json!(found.total)),
                // The category exists although its articles cannot be listed.
                Err(Error::NotFound { .. } | Error::Forbidden { .. }) => None,
                Err(other) => return Err(other),
            };
        }
        Ok(rows)
    }

    /// Filters an account-wide list by the world of the query, if it names one. Rows that do not
    /// say which world they belong to are always included.
    async fn of_world(&self, query: &ListQuery, route: &Route) -> Result<Vec<Object>> {
        let mut all = read(query.kind, self.whole(query.kind, route).await?);
        let other = |row: &Object| {
            let said = row.get("world").and_then(Value::as_object).map(|said| text_of(said, "id"));
            let wanted = query.world.as_ref();
            said.is_some_and(|said| !said.is_empty() && wanted.is_some_and(|world| said != *world))
        };
        all.retain(|row| !other(row));
        all.iter_mut().for_each(|row| drop(row.shift_remove("world")));
        Ok(all)
    }

    /// Fetches every row of a list, page by page. The page boundaries are the same as for a client
    /// that pages through from the start, so that both share the cached pages.
    async fn whole(&self, kind: Kind, route: &Route) -> Result<Vec<Object>> {
        let mut all: Vec<Object> = Vec::new();
        for _ in 0..PAGES_MAX {
            let rows = self.page(kind, route, all.len(), PAGE_MAX).await?;
            let is_first_again = rows.len() == PAGE_MAX && all.starts_with(&rows);
            if rows.len() > PAGE_MAX || is_first_again {
                return Ok(rows);
            }
            let is_last = rows.len() < PAGE_MAX;
            all.extend(rows);
            if is_last {
                break;
            }
        }
        Ok(all)
    }

    /// Fetches a page, and detects lists that ignore offset and limit.
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
            Value::Object(row) => Some(row),
            _ => None,
        });
        Ok(rows.collect())
    }

    /// Returns the routes that may have a list, the most likely one first.
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

    /// Returns the parents to go through for kinds that can only be listed per parent, if the query
    /// names none.
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

    /// Joins the lists of several parents into one.
    async fn gathered(
        &self,
        query: &ListQuery,
        span: Span,
        parents: Vec<(Kind, String)>,
    ) -> Result<Rows> {
        let mut all = Vec::new();
        for parent in parents {
            let below = ListQuery { parent: Some(parent), ..query.clone() };
            all.extend(Box::pin(self.every_row(&below)).await?);
        }
        Ok(part(query, span, all))
    }
}

/// Returns a row with a reference to the parent it was listed under.
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

/// Converts rows of the service to our form.
fn read(kind: Kind, rows: Vec<Object>) -> Vec<Object> {
    rows.into_iter().map(|row| inward(kind, row)).collect()
}

/// Cuts a whole list down to the wanted span.
fn part(query: &ListQuery, span: Span, all: Vec<Object>) -> Rows {
    let (total, limit) = (all.len(), query.limit.clamp(1, PAGE_MAX));
    match span {
        Span::Whole => Rows { rows: all, total },
        Span::Page => {
            Rows { rows: all.into_iter().skip(query.offset).take(limit).collect(), total }
        }
    }
}

/// Adds those fields of an object to its row that list rows have in the tool contract.
fn listed(kind: Kind, row: Object, thing: Object) -> Object {
    let is_listed = |name: &str| kind.row().field(name).is_some_and(|field| field.from < 0);
    let more = thing.into_iter().filter(|(name, _)| is_listed(name));
    row.into_iter().chain(more).collect()
}
