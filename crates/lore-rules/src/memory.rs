//! The rules of memory, as pure functions.
//!
//! * [`decay`] computes how relevant an experience still is after some days.
//! * [`lifecycle`] defines the allowed transitions of projects and ideas.
//! * [`likeness`] detects statements that repeat or contradict each other.
//! * [`secrets`] masks keys and passwords in text before it is stored.
//! * [`budget`] estimates how many tokens a text has.
//!
//! Nothing here may read a clock: callers pass ages in.

pub mod budget;
pub mod decay;
pub mod lifecycle;
pub mod likeness;
pub mod secrets;
