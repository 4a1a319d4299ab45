//! The vault: a folder of Markdown notes, which people edit with other programs.
//!
//! - `files` reads, writes and lists the files. `watch` follows what others do to them, and `sync`
//!   brings the stored notes in line with them.
//! - `note` parses a note into `properties` (its frontmatter, which `yaml` reads) and text.
//!   `fields` says which properties are relations.
//! - `stored_notes` stores a note as a document and what it says about its entity; `note_names`
//!   deals with the names it gives that entity. `note_lists` lists stored notes, and `note_index`
//!   finds in memory what a link to a note leads to.
//! - `links` finds links in texts, and `linking` reads notes again whose links lead elsewhere now.
//! - `warnings` tells what a note was not taken for.
//! - `moved_by_copying` and `moved_by_deleting` recognise notes that were moved.

mod fields;
pub(super) mod files;
pub(super) mod linking;
pub(super) mod links;
mod moved_by_copying;
mod moved_by_deleting;
pub(super) mod note;
pub(super) mod note_index;
pub(super) mod note_lists;
mod note_names;
mod properties;
pub(super) mod stored_notes;
mod sync;
mod warnings;
mod watch;
pub(crate) mod yaml;

pub use files::{Notes, ReadNote, WrittenNote, list_notes, notes_read, read_note, write_note};
pub use lore_vault::Written as NoteWritten;
pub use note_lists::{NoteOf, notes_of_entities};
pub use warnings::note_warnings;
pub use watch::{index_vault, keep_vault, sync_vault, vault_warnings};
