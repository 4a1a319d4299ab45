//! What can be said about a text without knowing whose it is.
//!
//! Words and stems ([`analysis`]), word pieces ([`wordpiece`]) and the compiled-in
//! table of their meanings ([`table`]), dates and authors in texts ([`time`]).
//! Everything here is a pure function of its input; nothing may fail on a text,
//! whatever is in it, and nothing may take more than linear time.

pub mod analysis;
pub mod table;
pub mod time;
pub mod wordpiece;
