//! Finds out which of the account's worlds is meant. The service accepts only ids, and it creates
//! objects even in worlds that do not exist.

use lore_anvil::{Kind, Object, UNCATEGORISED};
use lore_app::atlas::{ListQuery, Rows};
use lore_core::names::{name_key, plainly_spaced};
use lore_core::{Error, Result, Uid};

use super::WorldAnvil;
use super::convert::{canonical, text_of};

/// Most worlds that an error message lists.
const WORLDS_NAMED: usize = 10;

impl WorldAnvil {
    /// Returns the default world if none is named: the only one of the account.
    pub(super) async fn present_world(&self) -> Result<String> {
        let worlds = self.list_rows(&ListQuery::of(Kind::World)).await?;
        match worlds.rows.as_slice() {
            [] => Err(Error::not_found("a world", "make one at World Anvil first")),
            [only] => Ok(text_of(only, "id")),
            _ => Err(which_world(&worlds)),
        }
    }

    /// Returns the id of a world given by its id or title.
    pub(super) async fn world_called(&self, called: &str) -> Result<String> {
        let id = canonical(called);
        if id.parse::<Uid>().is_ok() {
            return Ok(id);
        }
        let worlds = self.every_row(&ListQuery::of(Kind::World)).await?;
        let wanted = [called, &plainly_spaced(called)].map(name_key);
        let is_it = |title: &str| wanted.contains(&name_key(title));
        let mut meant = worlds
            .iter()
            .filter(|world| text_of(world, "id") == id || is_it(&text_of(world, "title")));
        match (meant.next(), meant.next()) {
            (Some(only), None) => Ok(text_of(only, "id")),
            (Some(_), Some(_)) => {
                Err(which_world(&Rows { total: worlds.len(), rows: worlds.clone() }))
            }
            (None, _) => Err(no_world(called, &worlds)),
        }
    }

    /// Explains a missing list: names the parent, category or world that does not exist, if one of
    /// them does not.
    pub(super) async fn whose_list(&self, query: &ListQuery, error: Error) -> Error {
        let category = query.category.clone().filter(|category| category != UNCATEGORISED);
        let named = query.parent.clone().into_iter();
        let named = named.chain(category.map(|id| (Kind::Category, id)));
        for (kind, id) in named {
            if let Err(unknown @ Error::NotFound { .. }) = self.one(kind, &id, -1).await {
                return unknown;
            }
        }
        let Some(world) = &query.world else { return error };
        let Err(Error::NotFound { .. }) = self.one(Kind::World, world, -1).await else {
            return error;
        };
        match self.every_row(&ListQuery::of(Kind::World)).await {
            Ok(worlds) => no_world(world, &worlds),
            Err(_) => error,
        }
    }

    /// Fails if the world of a query does not exist and the list itself would not fail, because it
    /// is listed for the whole account.
    pub(super) async fn check_world(&self, query: &ListQuery) -> Result<()> {
        let is_of_account = |parent: Option<Kind>| parent.is_none_or(|above| above == Kind::User);
        let of_account = query.kind.row().lists.iter().any(|list| is_of_account(list.parent));
        match query.world.as_deref().filter(|_| of_account) {
            Some(world) => self.known_world(world).await.map(|_| ()),
            None => Ok(()),
        }
    }

    /// Returns the reference to a world by its id.
    pub(super) async fn known_world(&self, id: &str) -> Result<Object> {
        match self.one(Kind::World, id, -1).await {
            Err(Error::NotFound { .. }) => {
                Err(no_world(id, &self.every_row(&ListQuery::of(Kind::World)).await?))
            }
            found => found,
        }
    }

    /// Fails if the category of a query does not exist.
    pub(super) async fn check_category(&self, query: &ListQuery) -> Result<()> {
        match query.category.as_deref().filter(|category| *category != UNCATEGORISED) {
            Some(category) => self.one(Kind::Category, category, -1).await.map(|_| ()),
            None => Ok(()),
        }
    }

    /// Returns a query with its world given by id.
    pub(super) async fn in_its_world(&self, query: &ListQuery) -> Result<ListQuery> {
        let world = match query.world.as_deref().filter(|world| !world.trim().is_empty()) {
            Some(world) => Some(self.world_called(world).await?),
            None => None,
        };
        let category = query.category.as_deref().map(canonical);
        let parent = query.parent.as_ref().map(|(kind, id)| (*kind, canonical(id)));
        Ok(ListQuery { world, category, parent, ..query.clone() })
    }
}

/// The error that asks which world is meant.
pub(super) fn which_world(worlds: &Rows) -> Error {
    let named = worlds.rows.iter().take(WORLDS_NAMED);
    let named: Vec<String> = named
        .map(|world| format!("{} ({})", text_of(world, "title"), text_of(world, "id")))
        .collect();
    let more = if worlds.total > named.len() { ", …" } else { "" };
    let problem = format!(
        "is required: this account has {} worlds: {}{more}",
        worlds.total,
        named.join(", ")
    );
    Error::invalid("world_id", problem, "give the id of one; list_user_worlds lists them")
}

/// The error for a world that the account does not have.
fn no_world(called: &str, worlds: &[Object]) -> Error {
    let titles = worlds.iter().take(WORLDS_NAMED).map(|world| text_of(world, "title"));
    let titles: Vec<String> = titles.collect();
    let hint = format!("the worlds you can enter are: {}", titles.join(", "));
    Error::not_found(format!("the world {called:?}"), hint)
}
