//! Identifiers.
//!
//! Integers identify rows inside one store and are used for joins. A [`Uid`] identifies an item
//! across stores and is chosen by the caller, so that a batch can refer to an item it is about to
//! create.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use uuid::Uuid;

use crate::effects::Entropy;

macro_rules! row_id {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub i64);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

row_id! {
    /// A world: the container everything else belongs to.
    WorldId,
    /// A node: anything in a world that has a name.
    NodeId,
    /// A text: anything readable that belongs to a node.
    TextId,
    /// An edge: a typed relation between two nodes.
    EdgeId,
    /// A person or agent who acts.
    PrincipalId,
    /// A bearer token.
    TokenId,
}

/// A UUIDv7: unique everywhere, ordered by creation time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Uid(Uuid);

impl Uid {
    /// Creates a new id from the given time and randomness.
    pub fn new(now: Timestamp, entropy: &dyn Entropy) -> Self {
        let mut random = [0_u8; 10];
        entropy.fill(&mut random);
        let millis = u64::try_from(now.as_millisecond()).unwrap_or(0);
        Self(uuid::Builder::from_unix_timestamp_millis(millis, &random).into_uuid())
    }

    /// Derives an id from sixteen bytes of a hash, so that the same input gives the same id
    /// everywhere.
    pub fn from_hash(bytes: [u8; 16]) -> Self {
        Self(uuid::Builder::from_custom_bytes(bytes).into_uuid())
    }

    /// The sixteen bytes, as engines store them.
    pub fn as_bytes(&self) -> &[u8; 16] {
        self.0.as_bytes()
    }

    /// Reads the form of [`Uid::as_bytes`]; `None` if the length is wrong.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Uuid::from_slice(bytes).ok().map(Self)
    }
}

impl fmt::Display for Uid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_hyphenated().fmt(f)
    }
}

impl FromStr for Uid {
    type Err = uuid::Error;

    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        Uuid::try_parse(text).map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effects::FixedEntropy;

    #[test]
    fn a_uid_survives_text_and_bytes() {
        let uid = Uid::new(Timestamp::UNIX_EPOCH, &FixedEntropy::new(7));
        assert_eq!(uid.to_string().parse::<Uid>().unwrap(), uid);
        assert_eq!(Uid::from_bytes(uid.as_bytes()), Some(uid));
    }

    #[test]
    fn later_uids_sort_after_earlier_ones() {
        let entropy = FixedEntropy::new(7);
        let early = Uid::new(Timestamp::from_millisecond(1_000).unwrap(), &entropy);
        let late = Uid::new(Timestamp::from_millisecond(2_000).unwrap(), &entropy);
        assert!(early < late);
    }
}
