//! Conversion between rows and domain types.
//!
//! A value that no version of this program could have stored is reported as damage. It is never
//! guessed at and never causes a panic.

use std::rc::Rc;

use lore_core::names::Word;
use lore_core::{
    Edge, EdgeId, Node, NodeId, PrincipalId, Properties, Provenance, Role, Stamp, Text, TextId,
    Timestamp, Uid, Visibility, WorldId,
};
use lore_store::{LeftOut, StoreError};
use rusqlite::types::{FromSql, Value};
use rusqlite::vtab::array::Array;
use rusqlite::{Row, Rows};

use crate::fault::{Answer, Fault, damaged};
use crate::sight;

/// The columns that [`node`] reads from a node `n`, as the viewer may see it.
pub(crate) fn node_columns() -> String {
    let (at, by) = (sight::changed("at"), sight::changed("by"));
    columns_of_node(&sight::tag(), &sight::properties(), &at, &by)
}

/// The same columns with everything in the node, for internal use.
pub(crate) fn whole_node_columns() -> String {
    columns_of_node("TRUE", "n.properties", "n.updated_at", "n.updated_by")
}

/// The same columns with only those tags and properties that everybody who sees the node may know.
pub(crate) fn open_node_columns() -> String {
    let properties = sight::open_properties();
    columns_of_node(&sight::open_tag(), &properties, "n.updated_at", "n.updated_by")
}

fn columns_of_node(of_tags: &str, properties: &str, changed_at: &str, changed_by: &str) -> String {
    format!(
        "n.seal IS seal_of(n.id, n.uid, n.world, n.number, n.kind_number, n.kind, n.namespace,
           n.name, n.name_key, n.subtype, n.subtype_key, n.visibility, n.private_to,
           n.properties, n.version, n.created_at, n.created_by, n.updated_at, n.updated_by,
           n.deleted_at, n.derived_name),
         n.id, n.uid, n.world, n.number, n.kind_number, n.kind,
         n.namespace, n.name, n.derived_name, n.subtype,
         CASE WHEN EXISTS (SELECT 1 FROM alias a WHERE a.node = n.id) THEN
           (SELECT json_group_array(a.name ORDER BY a.position)
              FROM alias a WHERE a.node = n.id) END,
         CASE WHEN EXISTS (SELECT 1 FROM node_tag ng WHERE ng.node = n.id) THEN
           (SELECT json_group_array(one.name ORDER BY one.key)
              FROM (SELECT g.name, g.key, min(g.veiled)
                      FROM node_tag ng JOIN tag g ON g.id = ng.tag
                      WHERE ng.node = n.id AND {of_tags} GROUP BY g.key) one) END,
         n.visibility, n.private_to, {properties}, n.version,
         n.created_at, n.created_by, {changed_at}, {changed_by}, n.deleted_at"
    )
}

/// The columns that [`text`] reads from a text `t`.
pub(crate) const TEXT: &str = "t.seal IS seal_of(t.id, t.uid, t.node, t.kind, t.title, t.body,
      t.position, t.visibility, t.private_to, t.version, t.created_at, t.created_by,
      t.updated_at, t.updated_by, t.deleted_at, t.source, t.session, t.author, t.occurred_at,
      t.searchable),
    t.id, t.uid, t.node, t.kind, t.title, t.body, t.position,
    t.source, t.session, t.author, t.occurred_at, t.searchable,
    t.visibility, t.private_to, t.version,
    t.created_at, t.created_by, t.updated_at, t.updated_by, t.deleted_at";

/// The columns that [`edge`] reads from an edge `e`.
pub(crate) const EDGE: &str = "e.seal IS seal_of(e.id, e.source, e.target, e.kind, e.weight,
      e.visibility, e.private_to, e.properties, e.version, e.created_at, e.created_by,
      e.deleted_at),
    e.id, e.source, e.target, e.kind, e.weight,
    e.visibility, e.private_to, e.properties, e.version,
    e.created_at, e.created_by, e.deleted_at";

/// Reads the columns of [`node_columns`].
pub(crate) fn node(row: &Row<'_>) -> Answer<Node> {
    let mut fields = Fields::sealed("node", row)?;
    Ok(Node {
        id: NodeId(fields.take()?),
        uid: fields.uid()?,
        world: WorldId(fields.take()?),
        number: fields.take()?,
        kind_number: fields.take()?,
        kind: fields.word()?,
        namespace: fields.take()?,
        name: fields.take()?,
        derived_name: fields.take()?,
        subtype: fields.take()?,
        aliases: fields.strings()?,
        tags: fields.strings()?,
        visibility: fields.visibility()?,
        properties: fields.properties()?,
        version: fields.take()?,
        created: fields.stamp()?,
        updated: fields.stamp()?,
        deleted_at: fields.maybe_moment()?,
    })
}

/// Reads the columns of [`TEXT`].
pub(crate) fn text(row: &Row<'_>) -> Answer<Text> {
    let mut fields = Fields::sealed("text", row)?;
    Ok(Text {
        id: TextId(fields.take()?),
        uid: fields.uid()?,
        node: NodeId(fields.take()?),
        kind: fields.word()?,
        title: fields.take()?,
        body: fields.take()?,
        position: fields.take()?,
        provenance: fields.provenance()?,
        searchable: fields.take()?,
        visibility: fields.visibility()?,
        version: fields.take()?,
        created: fields.stamp()?,
        updated: fields.stamp()?,
        deleted_at: fields.maybe_moment()?,
    })
}

/// Reads the columns of [`EDGE`].
pub(crate) fn edge(row: &Row<'_>) -> Answer<Edge> {
    let mut fields = Fields::sealed("edge", row)?;
    Ok(Edge {
        id: EdgeId(fields.take()?),
        source: NodeId(fields.take()?),
        target: NodeId(fields.take()?),
        kind: fields.word()?,
        weight: fields.take()?,
        visibility: fields.visibility()?,
        properties: fields.properties()?,
        version: fields.take()?,
        created: fields.stamp()?,
        deleted_at: fields.maybe_moment()?,
    })
}

/// Reads every row; fails at the first damaged one.
pub(crate) fn all<T>(mut rows: Rows<'_>, read: impl Fn(&Row<'_>) -> Answer<T>) -> Answer<Vec<T>> {
    let mut items = Vec::new();
    while let Some(row) = rows.next()? {
        items.push(read(row)?);
    }
    Ok(items)
}

/// Reads every row that is not damaged. Damaged rows are left out, logged as errors and noted for
/// the caller in [`LeftOut`].
pub(crate) fn sound<T>(mut rows: Rows<'_>, read: impl Fn(&Row<'_>) -> Answer<T>) -> Answer<Vec<T>> {
    let mut items = Vec::new();
    while let Some(row) = rows.next()? {
        match read(row) {
            Ok(item) => items.push(item),
            Err(Fault::Refused(StoreError::Corrupt(what))) => {
                tracing::error!(
                    damaged = what,
                    "it is left out; `lorewell doctor` says how to mend it"
                );
                LeftOut::note(&what);
            }
            Err(other) => return Err(other),
        }
    }
    Ok(items)
}

/// The first row, if there is one.
pub(crate) fn first<T>(
    mut rows: Rows<'_>,
    read: impl Fn(&Row<'_>) -> Answer<T>,
) -> Answer<Option<T>> {
    rows.next()?.map(read).transpose()
}

/// A timestamp as stored: microseconds since the Unix epoch; smaller fractions are dropped.
pub(crate) fn micros(at: Timestamp) -> i64 {
    at.as_microsecond()
}

/// A visibility as its two columns.
pub(crate) fn visibility_columns(visibility: Visibility) -> (&'static str, Option<i64>) {
    match visibility {
        Visibility::Members => ("members", None),
        Visibility::Gm => ("gm", None),
        Visibility::Private(principal) => ("private", Some(principal.0)),
    }
}

/// A list as a parameter for `rarray`.
pub(crate) fn list<T: Into<Value>>(values: impl IntoIterator<Item = T>) -> Array {
    Rc::new(values.into_iter().map(Into::into).collect())
}

/// Reads a row's columns from left to right.
pub(crate) struct Fields<'row, 'stmt> {
    row: &'row Row<'stmt>,
    next: usize,
}

impl<'row, 'stmt> Fields<'row, 'stmt> {
    /// Starts at the first column.
    pub(crate) fn of(row: &'row Row<'stmt>) -> Self {
        Self { row, next: 0 }
    }

    /// Checks the first column, which says whether the row's seal (checksum) matches, and starts at
    /// the second. Fails if it does not match; then `what` and the id in the second column name the
    /// row.
    pub(crate) fn sealed(what: &str, row: &'row Row<'stmt>) -> Answer<Self> {
        let mut fields = Self::of(row);
        if fields.take::<bool>()? {
            return Ok(fields);
        }
        Err(damaged(format!("{what} {} is not what was written", fields.take::<i64>()?)))
    }

    /// The next column.
    pub(crate) fn take<T: FromSql>(&mut self) -> Answer<T> {
        let at = self.next;
        self.next += 1;
        Ok(self.row.get(at)?)
    }

    /// Reads a uid.
    pub(crate) fn uid(&mut self) -> Answer<Uid> {
        uid(self.take()?)
    }

    /// Reads a timestamp.
    pub(crate) fn moment(&mut self) -> Answer<Timestamp> {
        moment(self.take()?)
    }

    /// Reads a timestamp that may be NULL.
    pub(crate) fn maybe_moment(&mut self) -> Answer<Option<Timestamp>> {
        self.take::<Option<i64>>()?.map(moment).transpose()
    }

    /// Reads a role.
    pub(crate) fn role(&mut self) -> Answer<Role> {
        let word: String = self.take()?;
        word.parse().map_err(|_| damaged("a role is unknown"))
    }

    /// Reads a visibility from its two columns.
    pub(crate) fn visibility(&mut self) -> Answer<Visibility> {
        let word: String = self.take()?;
        let principal: Option<i64> = self.take()?;
        match (word.as_str(), principal) {
            ("members", None) => Ok(Visibility::Members),
            ("gm", None) => Ok(Visibility::Gm),
            ("private", Some(id)) => Ok(Visibility::Private(PrincipalId(id))),
            _ => Err(damaged("a visibility is unknown")),
        }
    }

    /// Reads a JSON list of strings; NULL is an empty list.
    pub(crate) fn strings(&mut self) -> Answer<Vec<String>> {
        let Some(json) = self.take::<Option<String>>()? else { return Ok(Vec::new()) };
        serde_json::from_str(&json).map_err(|_| damaged("a list is not a list of strings"))
    }

    /// Reads a hash of 32 bytes.
    pub(crate) fn hash(&mut self) -> Answer<lore_core::Hash> {
        let bytes: Vec<u8> = self.take()?;
        bytes.try_into().map_err(|_| damaged("a hash is not 32 bytes long"))
    }

    /// Reads a uid that may be NULL.
    pub(crate) fn maybe_uid(&mut self) -> Answer<Option<Uid>> {
        self.take::<Option<Vec<u8>>>()?.map(uid).transpose()
    }

    /// Reads a word.
    pub(crate) fn word(&mut self) -> Answer<Word> {
        let text: String = self.take()?;
        Word::new("kind", &text).map_err(|_| damaged("a kind is not a word"))
    }

    /// Reads the provenance of a text from its four columns.
    pub(crate) fn provenance(&mut self) -> Answer<Provenance> {
        Ok(Provenance {
            source: self.take()?,
            session: self.take()?,
            author: self.take()?,
            occurred_at: self.maybe_moment()?,
        })
    }

    /// Reads when and by whom something was done, from two columns.
    pub(crate) fn stamp(&mut self) -> Answer<Stamp> {
        Ok(Stamp { at: self.moment()?, by: PrincipalId(self.take()?) })
    }

    fn properties(&mut self) -> Answer<Properties> {
        let json: String = self.take()?;
        serde_json::from_str(&json).map_err(|_| damaged("properties are not a JSON object"))
    }
}

fn uid(bytes: Vec<u8>) -> Answer<Uid> {
    Uid::from_bytes(&bytes).ok_or_else(|| damaged("a uid is not sixteen bytes long"))
}

fn moment(micros: i64) -> Answer<Timestamp> {
    Timestamp::from_microsecond(micros).map_err(|_| damaged("a moment is out of range"))
}
