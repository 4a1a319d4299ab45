//! Tests of the atlas, through the registry on a real store.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod copying;
mod doors;
mod elsewhere;
mod finding;
mod held;
mod live;
mod mentions;
mod numbers;
#[path = "../shared/place.rs"]
mod place;
mod references;
mod stories;
mod there;
mod unseen;
mod world;
