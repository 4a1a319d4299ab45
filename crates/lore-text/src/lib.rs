//! Language functions on plain texts.
//!
//! Words and stems ([`analysis`]), word pieces ([`wordpiece`]), the built-in table of their
//! meanings ([`table`]), and dates and authors in texts ([`time`]). Everything here is a pure
//! function of its input. No text may make it fail or take more than linear time.

pub mod analysis;
pub mod table;
pub mod time;
pub mod wordpiece;
