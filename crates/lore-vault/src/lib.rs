//! The only way to the notes folder.
//!
//! The folder is opened once, and every note is reached from that handle, folder by folder, without
//! following links: no path, link, hard link or race leads out. Paths are checked as text first, so
//! that they are refused in the same way whether or not something exists there. Writing replaces a
//! whole note durably: readers see either the old text or the new one, even after a power failure.
//!
//! What must never happen here: reading or writing outside the folder, opening a device or pipe, a
//! half-written note, losing the frontmatter of a note by accident.

mod encoding;
mod error;
mod frontmatter;
mod path;
mod vault;
mod watch;

pub use encoding::{Decoded, Encoding};
pub use error::VaultError;
pub use frontmatter::split as split_frontmatter;
pub use path::{FolderPath, NotePath};
pub use vault::{Frontmatter, Identity, Listing, Note, Vault, Written};
pub use watch::{Change, Watch};

/// The largest note that is read or written, in bytes.
pub const LARGEST_NOTE: u64 = 1024 * 1024;
