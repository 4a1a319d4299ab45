//! The adapter from the registry to MCP.
//!
//! The only crate that knows rmcp. It turns declarations into protocol types,
//! serves them over stdio and over HTTP in every era of the protocol, keeps
//! sessions alive across restarts and delivers notifications. It holds no
//! behaviour of its own: what a tool does is the registry's business.

#[cfg(feature = "conformance")]
mod conformance;
mod convert;
pub mod http;
mod letters;
mod listening;
mod notify;
mod params;
mod progress;
mod repeats;
mod rpc;
mod server;
mod stdio;

#[cfg(feature = "conformance")]
use conformance::Fixtures as Handler;
#[cfg(not(feature = "conformance"))]
use server::McpServer as Handler;

pub use rpc::{VALUES_MAX, holds_too_many_values};
pub use server::{McpServer, Scope, ServerParts};
pub use stdio::serve_stdio;
