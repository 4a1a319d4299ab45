//! Which entities a mention (an edge from a document to an entity) is about.
//!
//! While entities are merged, they share the survivor's mentions. So that each gets its own back
//! when they are unmerged, a mention records which of them it is about.

use std::collections::BTreeSet;

use lore_core::{Edge, Properties};
use serde_json::{Value, json};

use crate::knowledge::relations::OBJECT_AS;

/// The property that holds the entities the document itself names. If it is absent and nobody
/// assigned the mention either, the document names the target entity alone.
const NAMED_AS: &str = "named_as";

/// The entities a mention is about, as URIs if they were merged into the target of the mention. An
/// empty string stands for the target itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::knowledge) struct Mentioned {
    /// Entities that somebody said the document is about.
    pub(in crate::knowledge) told: BTreeSet<String>,
    /// Entities that the document itself names.
    pub(in crate::knowledge) named: BTreeSet<String>,
}

impl Mentioned {
    /// Returns a mention in which the document names the target entity itself.
    pub(super) fn itself() -> Self {
        Self { told: BTreeSet::new(), named: implied(&BTreeSet::new()) }
    }

    /// Reads which entities a mention edge is about.
    pub(in crate::knowledge) fn of(edge: &Edge) -> Self {
        let listed = |key: &str| {
            let known = edge.properties.get(key)?.as_array()?;
            Some(known.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        };
        let told: BTreeSet<String> = listed(OBJECT_AS).unwrap_or_default();
        let named = listed(NAMED_AS).unwrap_or_else(|| implied(&told));
        Self { told, named }
    }

    /// Whether it is about no entity at all.
    pub(super) fn is_nobody(&self) -> bool {
        self.told.is_empty() && self.named.is_empty()
    }

    /// Returns the union of both.
    pub(in crate::knowledge) fn and(mut self, other: Self) -> Self {
        self.told.extend(other.told);
        self.named.extend(other.named);
        self
    }

    /// Replaces one URI by another.
    pub(super) fn renamed(self, from: &str, to: &str) -> Self {
        let renamed = |all: BTreeSet<String>| {
            let renamed = |of: String| if of == from { to.to_owned() } else { of };
            all.into_iter().map(renamed).collect()
        };
        Self { told: renamed(self.told), named: renamed(self.named) }
    }

    /// Splits it into the entities that satisfy the predicate and the others.
    pub(super) fn split(self, is_theirs: impl Fn(&str) -> bool) -> (Self, Self) {
        let split = |all: BTreeSet<String>| all.into_iter().partition(|of| is_theirs(of));
        let ((told, more_told), (named, more_named)) = (split(self.told), split(self.named));
        (Self { told, named }, Self { told: more_told, named: more_named })
    }

    /// Returns the properties of a mention of these entities. Unrelated properties of `besides` are
    /// kept.
    pub(in crate::knowledge) fn kept(&self, besides: &Properties) -> Properties {
        let mut properties = besides.clone();
        properties.shift_remove(OBJECT_AS);
        properties.shift_remove(NAMED_AS);
        if !self.told.is_empty() {
            properties.insert(OBJECT_AS.into(), json!(self.told));
        }
        if self.named != implied(&self.told) {
            properties.insert(NAMED_AS.into(), json!(self.named));
        }
        properties
    }
}

/// Returns whom the document names if [`NAMED_AS`] is absent: the target itself if nobody said that
/// the document is about anyone, otherwise nobody.
fn implied(told: &BTreeSet<String>) -> BTreeSet<String> {
    told.is_empty().then(String::new).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use lore_core::{EdgeId, EdgeKind, NodeId, PrincipalId, Stamp, Timestamp, Visibility};

    use super::*;

    fn mention(properties: Properties) -> Edge {
        Edge {
            id: EdgeId(1),
            source: NodeId(1),
            target: NodeId(2),
            kind: EdgeKind::new("kind", "mentions").unwrap(),
            weight: 1.0,
            visibility: Visibility::Members,
            properties,
            version: 1,
            created: Stamp { at: Timestamp::UNIX_EPOCH, by: PrincipalId(1) },
            deleted_at: None,
        }
    }

    fn set(all: &[&str]) -> BTreeSet<String> {
        all.iter().map(|of| (*of).to_owned()).collect()
    }

    #[test]
    fn whom_a_mention_is_of_is_read_as_it_was_kept() {
        for told in [set(&[]), set(&[""]), set(&["orn:a"])] {
            for named in [set(&[]), set(&[""]), set(&["", "orn:b"])] {
                let one = Mentioned { told: told.clone(), named };
                if !one.is_nobody() {
                    assert_eq!(Mentioned::of(&mention(one.kept(&Properties::new()))), one);
                }
            }
        }
    }

    #[test]
    fn a_mention_of_the_entity_itself_says_nothing_of_it() {
        let itself = Mentioned::itself();
        assert_eq!(itself.kept(&Properties::new()), Properties::new());
        assert_eq!(Mentioned::of(&mention(Properties::new())), itself);
    }

    #[test]
    fn those_who_become_one_and_part_again_have_each_their_own() {
        let (own, other) = (Mentioned::of(&mention(Properties::new())), set(&[""]));
        let other = Mentioned { told: other, named: set(&[]) };
        let both = own.clone().and(other.clone().renamed("", "orn:a"));
        let (theirs, stay) = both.split(|of| of == "orn:a");
        assert_eq!((theirs.renamed("orn:a", ""), stay), (other, own));
    }
}
