//! The adapter from the tool registry to MCP.
//!
//! This is the only crate that depends on rmcp. It converts declarations into protocol types,
//! serves them over stdio and HTTP in every protocol revision, keeps sessions alive across restarts
//! and delivers notifications. It contains no tool behaviour, which belongs to the registry.

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
