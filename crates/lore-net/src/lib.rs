//! The only crate that connects to other machines, apart from git, which `lore-code` starts.
//!
//! Every request leaves through a [`Network`], in one of two ways that cannot be confused:
//!
//! - [`Web`] fetches pages whose URLs come from users, models or other pages. It connects to public
//!   addresses only, whatever the spelling of a URL, the name server or a redirect says, and never
//!   sends a secret.
//! - [`Api`] talks to one service named in the configuration and sends the secrets of that service
//!   to it alone.
//!
//! What must never happen here: a connection to an address that was not checked, a proxy taken from
//! the environment, an unbounded body, a secret in an error.

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
