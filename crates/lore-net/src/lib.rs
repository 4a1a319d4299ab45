//! The only way out of Lorewell.
//!
//! Every byte that leaves this machine goes through a [`Network`], in one of two
//! ways that cannot be confused:
//!
//! - [`Web`] reads pages whose addresses come from users, models or other pages.
//!   Nothing but public addresses is reached, whatever the spelling, the name
//!   server or a redirect says, and no secret is ever sent.
//! - [`Api`] talks to one service named in the configuration and sends that
//!   service's secrets to that service alone.
//!
//! What must never happen here: a connection to an address that was not tested,
//! a proxy taken from the environment, an unbounded body, a secret in an error.

mod address;
mod answer;
mod api;
mod error;
mod guard;
mod limits;
mod network;
mod resolver;
mod retry;
mod secret;
mod tls;
mod web;

pub use answer::{Answer, RateLimit};
pub use api::{Api, Call, Endpoint, Reach};
pub use error::{NetError, Refusal};
pub use limits::{ContentTypes, Limits};
pub use network::{Network, Options, SetupError};
pub use resolver::{Resolver, SystemResolver};
pub use retry::Retry;
pub use secret::Secret;
pub use web::Web;
