//! The registry: every tool, resource and prompt, declared once.
//!
//! Listing, documentation, command line, snapshots, annotations and permissions are all derived
//! from the declarations in this crate. Handlers are thin: they parse the arguments, call a use
//! case and shape the answer. Nothing here knows rmcp or axum; a tool is a plain asynchronous
//! function that any surface can call.

mod call;
mod choice;
pub mod docs;
mod kept;
pub mod koi;
mod listed;
mod nullable;
pub mod percent;
mod prompt;
mod registry;
mod resource;
pub mod schema;
mod selection;
mod tool;
mod toolset;
mod toolsets;

pub use call::{Call, Conversation, Progress, ProgressSink};
pub use prompt::{Prompt, PromptArgument, PromptText, Renderer, Speaker};
pub use registry::{CallError, Registry};
pub use resource::{Captures, Completer, News, Reader, Resource, UriPattern};
pub use selection::{Selection, SelectionError};
pub use tool::{Annotations, Answer, Tool, ToolSpec, error_object};
pub use toolset::Toolset;
