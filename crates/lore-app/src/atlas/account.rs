//! Whose account it is. The keys of a service are those of whoever runs this program; everybody
//! else is who they are here, and is told nothing of the account.

use lore_anvil::{Kind, OPEN_FIELDS, Object};
use lore_core::{Result, Role};
use serde_json::json;

use super::people::ownership;
use super::screened::Screened;
use super::source::{Anvil, ListQuery};

impl Screened {
    /// Whether the viewer is whose account it is.
    pub(super) fn is_owner(&self) -> bool {
        self.viewer.role >= Role::Owner
    }

    /// Who calls, with how many worlds they can enter.
    pub(super) async fn user(&self, id: Option<&str>, granularity: i8) -> Result<Object> {
        let mut user = self.here.read(Kind::User, id, granularity).await?;
        if user.contains_key(WORLDS) {
            let worlds = self.several(&ListQuery::of(Kind::World)).await?;
            user.insert(WORLDS.into(), json!(worlds.total));
        }
        Ok(user)
    }

    /// What a list of worlds is asked for: everybody's own worlds are those of the account.
    pub(super) fn of_account(&self, query: &ListQuery) -> Result<ListQuery> {
        let mut query = query.clone();
        if let (Some((Kind::User, id)), false) = (&query.parent, self.is_owner()) {
            self.here.check_user(Some(id))?;
            query.parent = None;
        }
        Ok(query)
    }

    /// A thing with what it is to the viewer, and nothing of how others see it.
    pub(super) fn settled(&self, kind: Kind, mut thing: Object) -> Object {
        thing.shift_remove(OPEN_FIELDS);
        if kind == Kind::World && !self.is_owner() && thing.contains_key(OWNERSHIP) {
            thing.insert(OWNERSHIP.into(), json!(ownership(self.viewer.role)));
        }
        thing
    }
}

/// Where a user tells how many worlds there are.
const WORLDS: &str = "worldCount";
/// Where a world tells what it is to the user.
const OWNERSHIP: &str = "ownership";
