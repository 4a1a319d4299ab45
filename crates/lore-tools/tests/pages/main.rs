//! Stories of worldbuilding, through the registry on a real store. Every usage example
//! of the contract is here.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod finding;
#[path = "../shared/place.rs"]
mod place;
mod sight;
mod told;
mod world;
mod writing;
