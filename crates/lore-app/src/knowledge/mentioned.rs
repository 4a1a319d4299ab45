//! Of whom a document speaks where it mentions an entity.
//!
//! Entities that are one for a while share the mentions of the one that was kept. So that each has
//! its own when they part, a mention says of whom it is.

use std::collections::BTreeSet;

use lore_core::{Edge, Properties};
use serde_json::{Value, json};

use super::relations::OBJECT_AS;

/// The property that holds whom the document itself speaks of. Where nobody else says so either, it
/// is the entity alone.
const NAMED_AS: &str = "named_as";

/// Those whom a document speaks of, by their URIs where they were merged into the entity that the
/// mention leads to; an empty text is that entity itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Mentioned {
    /// Those whom somebody says it to speak of.
    pub(super) told: BTreeSet<String>,
    /// Those whom it names itself.
    pub(super) named: BTreeSet<String>,
}

impl Mentioned {
    /// The entity that the mention leads to, as the document names it.
    pub(super) fn itself() -> Self {
        Self { told: BTreeSet::new(), named: implied(&BTreeSet::new()) }
    }

    /// Those that a mention is of.
    pub(super) fn of(edge: &Edge) -> Self {
        let listed = |key: &str| {
            let known = edge.properties.get(key)?.as_array()?;
            Some(known.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        };
        let told: BTreeSet<String> = listed(OBJECT_AS).unwrap_or_default();
        let named = listed(NAMED_AS).unwrap_or_else(|| implied(&told));
        Self { told, named }
    }

    /// Whether nobody is spoken of.
    pub(super) fn is_nobody(&self) -> bool {
        self.told.is_empty() && self.named.is_empty()
    }

    /// These, and others.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.told.extend(other.told);
        self.named.extend(other.named);
        self
    }

    /// The same where one goes by another URI.
    pub(super) fn renamed(self, from: &str, to: &str) -> Self {
        let renamed = |all: BTreeSet<String>| {
            let renamed = |of: String| if of == from { to.to_owned() } else { of };
            all.into_iter().map(renamed).collect()
        };
        Self { told: renamed(self.told), named: renamed(self.named) }
    }

    /// Those of some, and the rest.
    pub(super) fn split(self, is_theirs: impl Fn(&str) -> bool) -> (Self, Self) {
        let split = |all: BTreeSet<String>| all.into_iter().partition(|of| is_theirs(of));
        let ((told, more_told), (named, more_named)) = (split(self.told), split(self.named));
        (Self { told, named }, Self { told: more_told, named: more_named })
    }

    /// The properties of a mention of them that holds `besides`.
    pub(super) fn kept(&self, besides: &Properties) -> Properties {
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

/// Those whom a document names itself where it is not said: what nobody told it names.
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
