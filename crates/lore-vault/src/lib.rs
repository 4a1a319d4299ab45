//! The only way to the notes folder.
//!
//! The folder is opened once and every note is reached from that handle, folder
//! by folder, without following links: no path, link, hard link or race leads out.
//! Paths are refused by their text first, so that the refusal is the same whether
//! or not something is there. Writing replaces a note as a whole and durably: a
//! reader sees the old text or the new one, also after a power cut.
//!
//! What must never happen here: a read or write outside the folder, a device or
//! pipe opened, a note half written, properties of a note lost by accident.

mod error;
mod frontmatter;
mod path;
mod vault;
mod watch;

pub use error::VaultError;
pub use frontmatter::split as split_frontmatter;
pub use path::{FolderPath, NotePath};
pub use vault::{Frontmatter, Identity, Note, Vault, Written};
pub use watch::{Change, Watch};

/// Largest note that is read or written.
pub const LARGEST_NOTE: u64 = 1024 * 1024;
