//! The HTTP front end.
//!
//! This is the only crate that depends on axum. Every request passes one gate, whatever its route:
//! Host and Origin, limits, authentication. A new route is protected by default; public routes must
//! be listed explicitly.

mod anvil;
mod asked;
mod auth;
mod bind;
mod body;
mod clock;
mod cors;
mod gate;
mod kanka;
mod koi;
mod koi_net;
mod limits;
mod origin;
mod params;
mod reply;
mod routes;
mod server;

pub use bind::{BindError, Remote, check_address, resolve};
pub use clock::Clock;
pub use limits::Limits;
pub use origin::{AllowList, NoName};
pub use server::{HttpOptions, serve, serve_koi};
