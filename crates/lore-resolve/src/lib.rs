//! Entity resolution: which known thing a name means.
//!
//! Two names are compared by aligning their words and adding up evidence in nats: a matching word
//! speaks for the same thing, the more the rarer it is; a different word speaks against it. The
//! evidence of all candidates and of "none of these" is then normalised to probabilities, so that
//! two equally good answers share their confidence instead of the first one winning. Objections
//! hold back pairs that spelling alone cannot decide: different numbers, additional words,
//! different family names.
//!
//! Everything here is a pure function of the names; nothing reads a store, a clock or a file, and
//! no text makes it fail. It must never hide that it guesses: every candidate says how it was found
//! and what speaks against it.

mod abbreviations;
mod align;
mod codes;
mod compared;
mod excess;
mod given_names;
mod guess;
mod index;
mod judge;
mod name;
mod near;
mod objection;
mod pieces;
mod profile;
mod reason;
mod resolver;
mod sameness;
mod sound;
mod spelling;
mod twins;
mod words;

pub use name::Name;
pub use objection::Objection;
pub use pieces::{is_mark, key, plain_letter};
pub use profile::{Family, Profile};
pub use resolver::{Candidate, Decision, Query, Resolution, Resolver, Shared, Tier};
