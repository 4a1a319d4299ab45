//! Changes to edges.
//!
//! An author has at most one edge of a kind from one node to another: putting it again updates the
//! one they see. Edges they do not see are ignored, because a conflict would reveal them.

use lore_core::{Edge, Properties, Visibility};
use lore_store::{Applied, EdgePatch, EdgeRef, Expect, NewEdge, Reach, veil};
use rusqlite::{named_params, params};

use super::note::{Note, shown};
use super::shown::Seen;
use super::{Hand, Target, expect, json};
use crate::fault::{Answer, invalid, missing};
use crate::rows;
use crate::sight::{self, Presence};

/// The principal that open edges are private to.
const NOBODY: i64 = 0;
/// The joins that the conditions of [`sight::edge`] rely on.
const FROM: &str = "edge e JOIN node s ON s.id = e.source JOIN node o ON o.id = e.target";

/// The values an edge has after it was put or updated.
struct Values<'a> {
    weight: f64,
    visibility: Visibility,
    properties: &'a Properties,
}

impl Hand<'_> {
    /// Creates an edge between two live nodes, or updates the existing one.
    pub(super) fn put_edge(&mut self, new: &NewEdge) -> Answer<Applied> {
        let source = self.node(new.source, Presence::Live)?;
        let target = self.node(new.target, Presence::Live)?;
        check_weight(new.weight)?;
        let values =
            Values { weight: new.weight, visibility: new.visibility, properties: &new.properties };
        let seat = match (self.reach, new.visibility) {
            (Reach::Seen, _) => None,
            (Reach::Everybodys, Visibility::Private(who)) => Some(who.0),
            (Reach::Everybodys, Visibility::Members | Visibility::Gm) => Some(NOBODY),
        };
        if let Some(old) = self.edge_between(&source, &target, new.kind.as_str(), seat)? {
            return self.overwrite_edge("put_edge", &old, &values);
        }
        self.insert_edge(&source, &target, new.kind.as_str(), &values)
    }

    /// Changes fields of an edge that is not deleted itself; its end nodes may be deleted.
    pub(super) fn update_edge(
        &mut self,
        edge: &EdgeRef,
        version: Expect,
        patch: &EdgePatch,
    ) -> Answer<Applied> {
        let old = self.edge(edge, Presence::Live, Presence::Any)?;
        expect(version, old.version, || format!("edge {}", old.id))?;
        let values = Values {
            weight: patch.weight.unwrap_or(old.weight),
            visibility: patch.visibility.unwrap_or(old.visibility),
            properties: patch.properties.as_ref().unwrap_or(&old.properties),
        };
        check_weight(values.weight)?;
        self.overwrite_edge("update_edge", &old, &values)
    }

    /// Soft-deletes an edge; its end nodes may be deleted.
    pub(super) fn delete_edge(&mut self, edge: &EdgeRef, version: Expect) -> Answer<Applied> {
        let old = self.edge(edge, Presence::Live, Presence::Any)?;
        expect(version, old.version, || format!("edge {}", old.id))?;
        self.bin_edge("delete_edge", &old, Some(self.author.at))
    }

    /// Restores a deleted edge; a live one is left unchanged.
    pub(super) fn restore_edge(&mut self, edge: &EdgeRef) -> Answer<Applied> {
        let old = self.edge(edge, Presence::Any, Presence::Live)?;
        if old.deleted_at.is_some() {
            return self.bin_edge("restore_edge", &old, None);
        }
        Ok(Applied::Edge { id: old.id, version: old.version })
    }

    /// Finds an edge by its own presence and that of its end nodes. A reference by end nodes always
    /// means live nodes.
    fn edge(&self, edge: &EdgeRef, presence: Presence, ends: Presence) -> Answer<Edge> {
        let found = match edge {
            EdgeRef::Id(id) => {
                let sql = format!(
                    "SELECT {} FROM {FROM} WHERE e.id = :id AND {}",
                    rows::EDGE,
                    sight::edge_between(presence, ends)
                );
                self.look(&sql, false, &[(":id", &id.0)], rows::edge)?
            }
            EdgeRef::Between { source, target, kind } => {
                let source = self.node(*source, Presence::Live)?;
                let target = self.node(*target, Presence::Live)?;
                self.edge_between(&source, &target, kind.as_str(), None)?
                    .filter(|found| presence == Presence::Any || found.deleted_at.is_none())
            }
        };
        found.ok_or_else(|| missing("the edge"))
    }

    /// The edge between two nodes, live or deleted, if the author sees it. Of several, live edges
    /// come first, then those the author created. With a `seat`, whoever's edge counts that is
    /// private to this principal.
    fn edge_between(
        &self,
        source: &Target,
        target: &Target,
        kind: &str,
        seat: Option<i64>,
    ) -> Answer<Option<Edge>> {
        let sql = format!(
            "SELECT {} FROM {FROM}
             WHERE e.source = :source AND e.kind = :kind AND e.target = :target AND {}
               AND CASE WHEN :seat IS NULL
                 THEN :whole OR e.visibility = 'members' OR e.private_to = :principal
                 ELSE coalesce(e.private_to, {NOBODY}) = :seat END
             ORDER BY e.deleted_at IS NOT NULL, e.created_by <> :by, e.id",
            rows::EDGE,
            sight::edge(Presence::Any)
        );
        let whole = self.knows_all();
        let key: [(&str, &dyn rusqlite::ToSql); 6] = [
            (":seat", &seat),
            (":whole", &whole),
            (":source", &source.id),
            (":kind", &kind),
            (":target", &target.id),
            (":by", &self.author.principal),
        ];
        self.look(&sql, false, &key, rows::edge)
    }

    fn insert_edge(
        &mut self,
        source: &Target,
        target: &Target,
        kind: &str,
        values: &Values<'_>,
    ) -> Answer<Applied> {
        let (visibility, private_to) = rows::visibility_columns(values.visibility);
        self.db
            .prepare_cached(
                "INSERT INTO edge (source, target, kind, weight, visibility, private_to,
                   properties, version, created_at, created_by)
                 VALUES (:source, :target, :kind, :weight, :visibility, :private_to,
                   :properties, 1, :at, :by)",
            )?
            .execute(named_params! {
                ":source": source.id,
                ":target": target.id,
                ":kind": kind,
                ":weight": values.weight,
                ":visibility": visibility,
                ":private_to": private_to,
                ":properties": json(values.properties)?,
                ":at": self.author.at,
                ":by": self.author.principal,
            })?;
        let id = self.db.last_insert_rowid();
        let ends = [(source.id, source.visibility), (target.id, target.visibility)];
        self.tell_of_edge(ends, &[values.visibility]);
        let note = Note::new("put_edge", id, 1).between(source.id, target.id, kind);
        let seen_by = [source.visibility, target.visibility, values.visibility];
        self.heard.add(seen_by);
        self.notes.push(note.seen_by(seen_by).into());
        Ok(Applied::Edge { id: lore_core::EdgeId(id), version: 1 })
    }

    /// Writes new values to an edge and, if it was deleted, restores it.
    fn overwrite_edge(&mut self, op: &str, old: &Edge, values: &Values<'_>) -> Answer<Applied> {
        let lifted = self.seen_by_author(&old.properties)?.map(|seen| {
            let sees = |number| seen.contains(&number);
            veil::lifted_from_properties(&old.properties, values.properties, &sees)
        });
        let properties = lifted.as_ref().unwrap_or(values.properties);
        let values = &Values { properties, ..*values };
        if values.are_of(old) {
            return Ok(Applied::Edge { id: old.id, version: old.version });
        }
        let (visibility, private_to) = rows::visibility_columns(values.visibility);
        self.db
            .prepare_cached(
                "UPDATE edge SET weight = :weight, visibility = :visibility,
                   private_to = :private_to, properties = :properties, version = version + 1,
                   deleted_at = NULL
                 WHERE id = :id",
            )?
            .execute(named_params! {
                ":id": old.id.0,
                ":weight": values.weight,
                ":visibility": visibility,
                ":private_to": private_to,
                ":properties": json(values.properties)?,
            })?;
        let ends = self.ends(old)?;
        self.tell_of_edge(ends, &[old.visibility, values.visibility]);
        let seen = |edge| ends.map(|(_, end)| end).into_iter().chain([edge]);
        self.heard.add(seen(old.visibility));
        self.heard.add(seen(values.visibility));
        let note = note(op, old, old.version + 1)
            .replaced("weight", old.weight)
            .replaced("visibility", shown(old.visibility))
            .replaced("properties", old.properties.clone())
            .replaced("deleted", old.deleted_at.is_some())
            .seen_by([old.visibility, values.visibility])
            .seen_by(ends.map(|(_, visibility)| visibility));
        self.notes.push(note.into());
        Ok(Applied::Edge { id: old.id, version: old.version + 1 })
    }

    fn bin_edge(&mut self, op: &str, old: &Edge, deleted_at: Option<i64>) -> Answer<Applied> {
        let sql = "UPDATE edge SET deleted_at = ?2, version = version + 1 WHERE id = ?1";
        self.db.prepare_cached(sql)?.execute(params![old.id.0, deleted_at])?;
        let ends = self.ends(old)?;
        self.tell_of_edge(ends, &[old.visibility]);
        self.heard.add(ends.map(|(_, end)| end).into_iter().chain([old.visibility]));
        let version = old.version + 1;
        self.notes.push(note(op, old, version).into());
        Ok(Applied::Edge { id: old.id, version })
    }

    /// The end nodes of an edge, each with its visibility.
    fn ends(&self, edge: &Edge) -> Answer<[End; 2]> {
        let end = |id: i64| -> Answer<End> { Ok((id, self.visibility_of(id)?)) };
        Ok([end(edge.source.0)?, end(edge.target.0)?])
    }

    /// Records for both end nodes that an edge changed. `edge` holds the visibilities that the edge
    /// had before and has after the change.
    fn tell_of_edge(&mut self, [source, target]: [End; 2], edge: &[Visibility]) {
        for ((id, node), (_, other)) in [(source, target), (target, source)] {
            for visibility in edge {
                self.tell(id, Seen::of_edge(node, other, *visibility));
            }
        }
    }
}

/// A node at the end of an edge, with its visibility.
type End = (i64, Visibility);

impl Values<'_> {
    /// Whether the edge is live and already has these values.
    #[expect(clippy::float_cmp, reason = "a weight that is put again is the same to the bit")]
    fn are_of(&self, edge: &Edge) -> bool {
        edge.deleted_at.is_none()
            && self.weight == edge.weight
            && self.visibility == edge.visibility
            && *self.properties == edge.properties
    }
}

fn note(op: &str, edge: &Edge, version: i64) -> Note {
    Note::new(op, edge.id.0, version).between(edge.source.0, edge.target.0, edge.kind.as_str())
}

fn check_weight(weight: f64) -> Answer<()> {
    if weight.is_finite() {
        return Ok(());
    }
    Err(invalid("an edge's weight is not a number"))
}
