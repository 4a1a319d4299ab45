//! Visibility as SQL: the only place in this engine that decides who sees what.
//!
//! Every statement that reads nodes, texts or edges for a viewer takes its condition from here and
//! its parameters from [`Sight`]. The rule itself is the SQL equivalent of
//! `lore_core::Visibility::admits`; a test keeps the two in agreement.

use lore_core::BEHIND_SCREEN;
use lore_store::{Bin, Viewer};
use rusqlite::ToSql;

/// The kind of nodes that are pages of tags.
pub(crate) const TAG: &str = "tag";

/// Whether an item must be live, deleted, or either.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    /// Not deleted.
    Live,
    /// Soft-deleted.
    Deleted,
    /// Either.
    Any,
}

impl From<Bin> for Presence {
    fn from(bin: Bin) -> Self {
        match bin {
            Bin::Live => Self::Live,
            Bin::Deleted => Self::Deleted,
        }
    }
}

/// The condition for a node under the SQL alias `alias`, for statements that may return many nodes
/// of its world.
pub(crate) fn node(alias: &str, presence: Presence) -> String {
    format!("{alias}.world = :world AND {}", seen(alias, presence))
}

/// The same condition for a node that is found by its key or through something that belongs to it.
/// The plus sign keeps SQLite from scanning all nodes of the world to find a few.
pub(crate) fn known_node(alias: &str, presence: Presence) -> String {
    format!("+{}", node(alias, presence))
}

/// The condition for a text `t` of a node `n`.
pub(crate) fn text(presence: Presence) -> String {
    format!("{} AND {}", seen("t", presence), known_node("n", Presence::Live))
}

/// The condition for an edge `e` from a live node `s` to a live node `o`.
pub(crate) fn edge(presence: Presence) -> String {
    edge_between(presence, Presence::Live)
}

/// The same condition with another presence of the end nodes.
pub(crate) fn edge_between(presence: Presence, ends: Presence) -> String {
    let ends = [known_node("s", ends), known_node("o", ends)].join(" AND ");
    format!("{} AND {ends}", seen("e", presence))
}

/// The condition for a tag `g` of a node `n` that the viewer may read. A veiled tag, whose page is
/// hidden, is shown on an open node only to the game master's side. A node that is hidden itself
/// shows all its tags.
pub(crate) fn tag() -> String {
    format!("(:gm OR {})", open_tag())
}

/// The condition for a tag `g` of a node `n` that everybody who sees the node may know.
pub(crate) fn open_tag() -> String {
    "(n.visibility <> 'members' OR NOT g.veiled)".to_owned()
}

/// Selects the page of a tag by world, key and visibility.
pub(crate) fn tag_page(world: &str, key: &str, visibility: &str) -> String {
    format!(
        "SELECT 1 FROM node h WHERE h.world = {world} AND h.name_key = {key}
           AND +h.kind = '{TAG}' AND h.visibility = {visibility} AND h.deleted_at IS NULL"
    )
}

/// When (`at`) or by whom (`by`) a node `n` was last changed, as far as the viewer may know.
/// Changes behind the game master's screen must not show in the change date that players see.
pub(crate) fn changed(column: &str) -> String {
    format!(
        "CASE WHEN :gm THEN n.updated_{column} ELSE coalesce(
           (SELECT c.{column} FROM shown_change c WHERE c.node = n.id), n.updated_{column}) END"
    )
}

/// The properties of a node `n` that the viewer may know.
pub(crate) fn properties() -> String {
    format!("CASE WHEN :gm THEN n.properties ELSE {} END", open_properties())
}

/// The properties of a node `n` that everybody who sees the node may know. Invalid JSON is returned
/// as it is; the row's seal reports the damage.
pub(crate) fn open_properties() -> String {
    format!(
        "CASE WHEN instr(n.properties, '\"{BEHIND_SCREEN}\"') > 0 AND json_valid(n.properties)
           THEN json_remove(n.properties, '$.{BEHIND_SCREEN}') ELSE n.properties END"
    )
}

/// The condition for a record (document or event) under the SQL alias `alias`, without that of its
/// node. Records are never deleted.
pub(crate) fn record(alias: &str) -> String {
    seen(alias, Presence::Any)
}

/// The condition for a node that is in the viewer's world but hidden from the viewer.
pub(crate) fn concealed_node(alias: &str) -> String {
    format!("{alias}.world = :world AND NOT {}", seen(alias, Presence::Any))
}

/// The same for a text `t` of a node `n`: it is hidden if the text or its node is.
pub(crate) fn concealed_text() -> String {
    let (text, node) = (seen("t", Presence::Any), seen("n", Presence::Any));
    format!("+n.world = :world AND NOT ({text} AND {node})")
}

/// The visibility rule for any table with visibility columns.
fn seen(alias: &str, presence: Presence) -> String {
    let life = match presence {
        Presence::Live => format!(" AND {alias}.deleted_at IS NULL"),
        Presence::Deleted => format!(" AND {alias}.deleted_at IS NOT NULL"),
        Presence::Any => String::new(),
    };
    format!(
        "({alias}.visibility = 'members'
          OR ({alias}.visibility = 'gm' AND :gm)
          OR ({alias}.visibility = 'private' AND {alias}.private_to = :principal)
          OR :made){life}"
    )
}

/// A named parameter of a statement.
pub(crate) type Named<'a> = (&'a str, &'a dyn ToSql);

/// The parameters that the conditions of this module need: the rights of a viewer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Sight {
    world: i64,
    principal: i64,
    gm: bool,
    /// The viewer created the item in the current batch, so it is visible to them in any case.
    made: bool,
}

impl Sight {
    /// The rights of a viewer.
    pub(crate) fn of(viewer: &Viewer) -> Self {
        Self {
            world: viewer.world.0,
            principal: viewer.principal.0,
            gm: viewer.sees_gm_side(),
            made: false,
        }
    }

    /// The rights of a viewer on something that they created in the current batch.
    pub(crate) fn of_its_maker(viewer: &Viewer) -> Self {
        Self { made: true, ..Self::of(viewer) }
    }

    /// Whether the viewer sees the game master's side.
    pub(crate) fn is_gm(&self) -> bool {
        self.gm
    }

    /// The viewer's world.
    pub(crate) fn world(&self) -> i64 {
        self.world
    }

    /// These parameters, followed by the statement's own.
    pub(crate) fn with<'a>(&'a self, own: &[Named<'a>]) -> Vec<Named<'a>> {
        let mut all: Vec<Named<'a>> = vec![
            (":world", &self.world),
            (":principal", &self.principal),
            (":gm", &self.gm),
            (":made", &self.made),
        ];
        all.extend_from_slice(own);
        all
    }
}

#[cfg(test)]
mod tests {
    use lore_core::{PrincipalId, Role, Visibility, WorldId};
    use rusqlite::Connection;

    use super::*;

    #[test]
    fn the_rule_in_sql_is_the_rule_in_the_domain() {
        let db = Connection::open_in_memory().unwrap();
        let sql = format!(
            "SELECT EXISTS (SELECT 1 FROM (SELECT 7 AS world, ?5 AS visibility, ?6 AS private_to,
               NULL AS deleted_at) n WHERE {})",
            // Positional parameters, because this test binds by order.
            node("n", Presence::Live)
                .replace(":world", "?1")
                .replace(":principal", "?2")
                .replace(":gm", "?3")
                .replace(":made", "?4")
        );
        let principals = [PrincipalId(1), PrincipalId(2)];
        for role in Role::ALL {
            for principal in principals {
                let viewer = Viewer { principal, world: WorldId(7), role };
                for visibility in
                    [Visibility::Members, Visibility::Gm, Visibility::Private(PrincipalId(2))]
                {
                    let (word, owner) = crate::rows::visibility_columns(visibility);
                    let sight = Sight::of(&viewer);
                    let parameters = rusqlite::params![
                        sight.world,
                        sight.principal,
                        sight.gm,
                        sight.made,
                        word,
                        owner
                    ];
                    let shown: bool = db.query_row(&sql, parameters, |row| row.get(0)).unwrap();
                    assert_eq!(shown, visibility.admits(&viewer), "{viewer:?} {visibility:?}");
                }
            }
        }
    }
}
