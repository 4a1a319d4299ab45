//! Resource identifiers (RIDs): the names of objects in KOI-net.
//!
//! A RID is `scheme:reference`, or `scheme:namespace:reference` for the schemes `orn` and `urn`.
//! Scheme and namespace are its *type*; nodes subscribe by type.

use std::fmt;
use std::sync::Arc;

use data_encoding::HEXLOWER;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest, Sha256};

/// The RID type of nodes.
pub const NODE_TYPE: &str = "orn:koi-net.node";
/// The RID type of edges.
pub const EDGE_TYPE: &str = "orn:koi-net.edge";
/// Longest RID, in bytes.
pub const RID_MAX: usize = 2_000;

/// Why a text is not a RID, or not one of the required type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} {problem}")]
pub struct BadRid {
    text: String,
    problem: &'static str,
}

/// A resource identifier. It is the key of every table, so cloning is cheap.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rid(Arc<str>);

impl Rid {
    /// Parses and validates a RID.
    pub fn parse(text: &str) -> Result<Self, BadRid> {
        let rid = Self::parse_parts(text)?;
        if rid.kind() == NODE_TYPE {
            node_parts(rid.reference()).ok_or_else(|| bad(text, "is not <name>+<hash>"))?;
        }
        Ok(rid)
    }

    fn parse_parts(text: &str) -> Result<Self, BadRid> {
        if text.len() > RID_MAX {
            return Err(bad("", "is longer than a RID may be"));
        }
        if text.chars().any(char::is_control) {
            return Err(bad("", "has control characters"));
        }
        let (scheme, rest) = text.split_once(':').ok_or_else(|| bad(text, "has no colon"))?;
        if scheme.is_empty() {
            return Err(bad(text, "has no scheme"));
        }
        let reference = if has_namespace(scheme) {
            let (namespace, reference) =
                rest.split_once(':').ok_or_else(|| bad(text, "has no reference"))?;
            if namespace.is_empty() {
                return Err(bad(text, "has an empty namespace"));
            }
            reference
        } else {
            rest
        };
        if reference.is_empty() {
            return Err(bad(text, "has an empty reference"));
        }
        Ok(Self(Arc::from(text)))
    }

    /// The RID of the edge from a provider to a subscriber.
    pub fn of_edge(source: &NodeRid, target: &NodeRid) -> Self {
        let ends = Sha256::new().chain_update(source.as_str()).chain_update(target.as_str());
        Self(format!("{EDGE_TYPE}:{}", HEXLOWER.encode(&ends.finalize())).into())
    }

    /// The RID as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The type, such as `orn:koi-net.node` or `https`.
    pub fn kind(&self) -> &str {
        self.split().0
    }

    /// The part after the type.
    pub fn reference(&self) -> &str {
        self.split().1
    }

    fn split(&self) -> (&str, &str) {
        let scheme_end = self.0.find(':').unwrap_or(self.0.len());
        let scheme = self.0.get(..scheme_end).unwrap_or_default();
        let rest = self.0.get(scheme_end + 1..).unwrap_or_default();
        if !has_namespace(scheme) {
            return (scheme, rest);
        }
        let type_end = scheme_end + 1 + rest.find(':').unwrap_or(rest.len());
        let kind = self.0.get(..type_end).unwrap_or_default();
        (kind, self.0.get(type_end + 1..).unwrap_or_default())
    }
}

/// The RID of a node: `orn:koi-net.node:<name>+<hash of its public key>`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeRid(Rid);

impl NodeRid {
    /// Parses and validates a node RID.
    pub fn parse(text: &str) -> Result<Self, BadRid> {
        Self::try_from(Rid::parse(text)?)
    }

    /// Returns the RID of the node `name` whose key has this hash.
    pub fn new(name: &str, key_hash: &str) -> Result<Self, BadRid> {
        Self::parse(&format!("{NODE_TYPE}:{name}+{key_hash}"))
    }

    /// The RID as a plain [`Rid`].
    pub fn rid(&self) -> &Rid {
        &self.0
    }

    /// The RID as text.
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// The name the node chose for itself. It is not unique.
    pub fn name(&self) -> &str {
        node_parts(self.0.reference()).map_or("", |(name, _)| name)
    }

    /// The hash of the node's public key, which identifies it.
    pub fn key_hash(&self) -> &str {
        node_parts(self.0.reference()).map_or("", |(_, hash)| hash)
    }
}

impl TryFrom<Rid> for NodeRid {
    type Error = BadRid;

    fn try_from(rid: Rid) -> Result<Self, BadRid> {
        if rid.kind() == NODE_TYPE {
            Ok(Self(rid))
        } else {
            Err(bad(rid.as_str(), "is not a node"))
        }
    }
}

/// Whether a text is a valid RID type: a scheme, or `orn:` or `urn:` with a namespace.
pub fn is_rid_type(text: &str) -> bool {
    let plain = |part: &str| !part.is_empty() && !part.contains([':', '\0', '\n', '\r']);
    text.len() <= RID_MAX
        && match text.split_once(':') {
            None => plain(text) && !has_namespace(text),
            Some((scheme, namespace)) => has_namespace(scheme) && plain(namespace),
        }
}

fn has_namespace(scheme: &str) -> bool {
    matches!(scheme, "orn" | "urn")
}

fn node_parts(reference: &str) -> Option<(&str, &str)> {
    let (name, hash) = reference.split_once('+')?;
    (!name.is_empty() && !hash.is_empty() && !hash.contains('+')).then_some((name, hash))
}

fn bad(text: &str, problem: &'static str) -> BadRid {
    BadRid { text: text.chars().take(80).collect(), problem }
}

macro_rules! as_text {
    ($($name:ident),*) => {$(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                Self::parse(&text).map_err(de::Error::custom)
            }
        }
    )*};
}

as_text!(Rid, NodeRid);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_as_the_reference_reads_them() {
        let cases = [
            ("orn:a.b:c", "orn:a.b", "c"),
            ("orn:a:b:c:d", "orn:a", "b:c:d"),
            ("https://example.com/x?y#z", "https", "//example.com/x?y#z"),
            ("http://e", "http", "//e"),
            ("urn:x:y", "urn:x", "y"),
            ("foo:bar", "foo", "bar"),
            ("github:DarrenZal/Octo:README.md", "github", "DarrenZal/Octo:README.md"),
            ("vault:People/X.md", "vault", "People/X.md"),
            ("orn:web.page:ex_com/abcd", "orn:web.page", "ex_com/abcd"),
        ];
        for (text, kind, reference) in cases {
            let rid = Rid::parse(text).unwrap();
            assert_eq!((rid.kind(), rid.reference()), (kind, reference), "{text}");
            assert!(is_rid_type(kind), "{kind}");
        }
    }

    #[test]
    fn incomplete_names_are_refused() {
        let bad = [
            "",
            "nocolon",
            "orn:onlyns",
            "orn::x",
            "orn:a:",
            ":x",
            "https:",
            "a\nb:c",
            "orn:koi-net.node:abc",
            "orn:koi-net.node:a+b+c",
            "orn:koi-net.node:+b",
            "orn:koi-net.node:a+",
        ];
        for text in bad {
            assert!(Rid::parse(text).is_err(), "{text:?}");
        }
        assert!(Rid::parse(&format!("x:{}", "y".repeat(RID_MAX))).is_err());
        for text in ["", "orn", "orn:", "orn:a:b", "https:x"] {
            assert!(!is_rid_type(text), "{text:?}");
        }
    }

    #[test]
    fn an_edge_is_named_after_its_ends() {
        let node = |name: &str| NodeRid::new(name, "00").unwrap();
        let edge = Rid::of_edge(&node("a"), &node("b"));
        assert_eq!(edge.kind(), EDGE_TYPE);
        assert_eq!(edge.reference().len(), 64);
        assert_ne!(edge, Rid::of_edge(&node("b"), &node("a")));
        assert_eq!((node("a").name(), node("a").key_hash()), ("a", "00"));
    }
}
