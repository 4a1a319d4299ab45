//! The rules of memory, as pure functions.
//!
//! * [`decay`] says how much of an experience is left after some days.
//! * [`lifecycle`] says which way projects and ideas may go.
//! * [`likeness`] finds statements that say the same, or the opposite.
//! * [`secrets`] takes keys and passwords out of what is about to be kept.
//! * [`budget`] estimates what a text costs a language model.
//!
//! Nothing here may read a clock: whoever calls passes ages in.

pub mod budget;
pub mod decay;
pub mod lifecycle;
pub mod likeness;
pub mod secrets;
