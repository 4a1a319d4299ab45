//! Tests of the memory toolset, through the registry on a real store.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod answers;
mod fading;
mod graph;
mod holding;
mod learning;
mod long;
mod many;
mod mind;
#[path = "../shared/place.rs"]
mod place;
mod several;
mod sight;
mod work;
