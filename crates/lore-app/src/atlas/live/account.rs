//! Who owns the account on the live service. Its keys belong to whoever runs this program, the
//! owner of the world. Everybody else appears as their local self and learns nothing about the
//! account.

use lore_anvil::{Kind, OPEN_FIELDS, Object};
use lore_core::{Result, Role};
use serde_json::json;

use super::Screened;
use crate::atlas::read::people::ownership;
use crate::atlas::source::{Anvil, ListQuery};

impl Screened {
    /// Whether the viewer owns the account.
    pub(super) fn is_owner(&self) -> bool {
        self.viewer.role >= Role::Owner
    }

    /// Returns the calling user, with the number of worlds they can enter.
    pub(super) async fn user(&self, id: Option<&str>, granularity: i8) -> Result<Object> {
        let mut user = self.here.read(Kind::User, id, granularity).await?;
        if user.contains_key(WORLDS) {
            let worlds = self.several(&ListQuery::of(Kind::World)).await?;
            user.insert(WORLDS.into(), json!(worlds.total));
        }
        Ok(user)
    }

    /// Adapts a query for a list of worlds: whoever asks for their own worlds gets those of the
    /// account.
    pub(super) fn of_account(&self, query: &ListQuery) -> Result<ListQuery> {
        let mut query = query.clone();
        if let (Some((Kind::User, id)), false) = (&query.parent, self.is_owner()) {
            self.here.check_user(Some(id))?;
            query.parent = None;
        }
        Ok(query)
    }

    /// Returns an object with the ownership that the viewer has, and without the internal field
    /// that says how other people see it.
    pub(super) fn settled(&self, kind: Kind, mut thing: Object) -> Object {
        thing.shift_remove(OPEN_FIELDS);
        if kind == Kind::World && !self.is_owner() && thing.contains_key(OWNERSHIP) {
            thing.insert(OWNERSHIP.into(), json!(ownership(self.viewer.role)));
        }
        thing
    }
}

/// The field of a user with the number of worlds.
const WORLDS: &str = "worldCount";
/// The field of a world with the user's relation to it.
const OWNERSHIP: &str = "ownership";
