//! Tests of the pages toolset, through the registry on a real store. They include every usage
//! example of the contract.

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
