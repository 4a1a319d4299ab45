//! The rules of play and of memory, as pure functions: seeded dice, Duality outcomes, exact
//! odds, and what is left of an experience.
//!
//! Everything here is a function of its arguments. This crate must never read a clock, ask the
//! operating system for randomness, store anything or know a wire format: whoever calls it passes
//! the seed in and decides how an answer is written down.
//!
//! * [`dice`] turns a seed into a reproducible row of dice.
//! * [`notation`] reads, rolls and counts expressions such as `4d6kh3+2`.
//! * [`duality`] judges a pair of Hope and Fear dice and explains the judgement.
//! * [`odds`] counts how all 144 pairs would be judged.
//! * [`table`] keeps Hit Points, Stress, Hope, Fear, rests and countdowns within the rules.
//! * [`memory`] lets experiences fade and keeps projects, ideas and secrets in order.

pub mod dice;
pub mod duality;
pub mod memory;
pub mod notation;
pub mod odds;
pub mod table;
