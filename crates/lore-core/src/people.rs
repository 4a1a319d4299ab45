//! Principals, their roles in worlds, and what they may see.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;

use crate::error::{Error, Result};
use crate::ids::{PrincipalId, Uid, WorldId};

/// The container a user works in: a campaign, a wiki, a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct World {
    /// Row id.
    pub id: WorldId,
    /// Stable id across stores.
    pub uid: Uid,
    /// What people call it; unique, ignoring case.
    pub name: String,
    /// When it was created.
    pub created_at: Timestamp,
}

/// A person or agent who acts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Principal {
    /// Row id.
    pub id: PrincipalId,
    /// What people call them; unique, ignoring case.
    pub name: String,
}

impl Principal {
    /// The person at the machine: stdio and loopback connections without a token act as this
    /// principal.
    pub const LOCAL: PrincipalId = PrincipalId(1);
}

/// What a principal may do in a world. Ordered: higher roles have more rights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// Reads what members see; never writes.
    Reader,
    /// Reads what members see and writes on their own behalf.
    Player,
    /// Sees and writes everything in the world except other people's private items.
    Gm,
    /// A game master who also manages the world and its tokens.
    Owner,
}

impl Role {
    /// Every role, fewest rights first.
    pub const ALL: [Self; 4] = [Self::Reader, Self::Player, Self::Gm, Self::Owner];

    /// The role's name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Player => "player",
            Self::Gm => "gm",
            Self::Owner => "owner",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Role {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::ALL
            .into_iter()
            .find(|role| role.as_str().eq_ignore_ascii_case(text.trim()))
            .ok_or_else(|| Error::invalid("role", "is unknown", "use owner, gm, player or reader"))
    }
}

/// Who makes a request, in which world and with which rights. Nearly every store call takes one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Viewer {
    /// The principal.
    pub principal: PrincipalId,
    /// The world they work in; nothing of another world is ever shown.
    pub world: WorldId,
    /// What they may do there.
    pub role: Role,
}

impl Viewer {
    /// Whether this viewer sees the game master's side, as game masters and owners do.
    pub fn sees_gm_side(&self) -> bool {
        self.role >= Role::Gm
    }

    /// Fails unless the viewer has at least `role`.
    pub fn require(&self, role: Role) -> Result<()> {
        if self.role >= role {
            return Ok(());
        }
        Err(Error::Forbidden {
            action: format!("this needs the role {role}"),
            hint: format!("you act as {}; ask the world's owner for a {role} token", self.role),
        })
    }
}

/// Who may see a node, text or edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Visibility {
    /// Everybody with a role in the world.
    Members,
    /// The game master's side only.
    Gm,
    /// One principal only.
    Private(PrincipalId),
}

impl Visibility {
    /// Whether `viewer` may see an item with this visibility.
    pub fn admits(self, viewer: &Viewer) -> bool {
        match self {
            Self::Members => true,
            Self::Gm => viewer.sees_gm_side(),
            Self::Private(principal) => principal == viewer.principal,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_ordered_by_rights() {
        assert!(Role::Reader < Role::Player && Role::Player < Role::Gm && Role::Gm < Role::Owner);
        for role in Role::ALL {
            assert_eq!(role.as_str().parse::<Role>().unwrap(), role);
        }
    }

    #[test]
    fn private_things_are_hidden_even_from_the_owner() {
        let owner = Viewer { principal: PrincipalId(1), world: WorldId(1), role: Role::Owner };
        assert!(Visibility::Gm.admits(&owner));
        assert!(!Visibility::Private(PrincipalId(2)).admits(&owner));
    }
}
