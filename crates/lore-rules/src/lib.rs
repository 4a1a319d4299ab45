//! The rules of play and of memory, as pure functions: seeded dice, Duality rolls, exact odds, the
//! table's state, and how memories fade.
//!
//! Everything here is a function of its arguments. This crate must never read a clock, ask the
//! operating system for randomness, store anything or know a wire format: callers pass in the seed
//! and decide how a result is serialised.
//!
//! * [`dice`] turns a seed into a reproducible stream of dice.
//! * [`notation`] parses, rolls and computes the odds of expressions such as `4d6kh3+2`.
//! * [`duality`] evaluates a pair of Hope and Fear dice and explains the result.
//! * [`odds`] computes the exact odds of a Duality roll from all 144 pairs.
//! * [`table`] applies the rules for Hit Points, Stress, Hope, Fear, rests and countdowns.
//! * [`memory`] holds the rules of experiences, projects and ideas, and masks credentials.

pub mod dice;
pub mod duality;
pub mod memory;
pub mod notation;
pub mod odds;
pub mod table;
