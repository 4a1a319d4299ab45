//! Knowledge: entities and their relations, documents and what they mention.
//!
//! An entity is a node that stands for a thing (a person, a place, a project); a document is a node
//! with something to read. A character page is therefore a `Person` here, and a journal about that
//! character is found next to the web pages about it. Names are resolved to entities by weighing
//! evidence, every merge can be undone, and text from outside is marked as untrusted.
//!
//! This module does no visibility filtering of its own: the store decides who sees what.

mod amend;
mod catalogue;
mod changes;
pub mod code;
mod copies;
mod departed;
mod documents;
mod entities;
mod entries;
mod extract;
mod fields;
mod forms;
mod handed_over;
mod ingest;
mod intake;
mod kept_notes;
mod known_notes;
mod lexicon;
mod librarian;
mod linking;
mod listed_notes;
mod log;
mod meaning;
mod mentioned;
mod model;
mod monitor;
mod named;
mod note;
mod note_names;
mod ontology;
mod outside;
#[cfg(test)]
mod paragraphs;
mod parted_edges;
mod parted_mentions;
mod parted_relations;
mod parted_texts;
mod parting;
pub mod predicates;
mod proper_names;
mod properties;
mod recognised;
mod relations;
mod reread;
mod resolve;
mod search;
mod sentences;
mod shares;
mod shelve;
mod source;
mod spoken;
mod spotter;
mod submission;
mod tellings;
mod told;
mod tuning;
mod uri;
mod vault;
mod vault_sync;
mod vault_watch;
mod waiting;
mod web;
pub(crate) mod yaml;

pub use amend::{add_alias, remove_alias, retype};
pub use catalogue::Catalogues;
pub use changes::{Registered, Registration, register};
pub use documents::{Document, Mentioned, mentioned_in};
pub use entities::{Entity, by_id, by_uri, list};
pub(crate) use entities::{by_name_outside, merged_into};
pub use entries::{Logged, history};
pub use extract::{Extracted, ExtractedEntity};
pub use ingest::{Read, take};
pub use intake::{Ingested, IngestedEntity, Intake, NewEntity, Newness, Taken, ingest};
pub use librarian::Librarian;
pub use listed_notes::{NoteOf, notes_of_entities};
pub use log::{Merged, merge};
pub use lore_vault::Written as NoteWritten;
pub use monitor::{
    Added, Monitored, Rounds, SCAN_INTERVAL, keep_watching, monitor, monitored, scan_now, unmonitor,
};
pub use ontology::EntityType;
pub use outside::{Ask, Elsewhere, Fetched, Form, Model, Prompt, Verb, Web};
pub use parting::unmerge;
pub use recognised::Said;
pub use relations::{End, Item, NewRelation, ReadIn, Related, Relation, relate, relations, tally};
pub use resolve::{Asked, Possible, Resolved, Surroundings, folders, profiles, resolve};
pub use search::{
    Chunk, EntityHit, FoundDocument, FoundDocuments, Passages, SOURCES, Whose, find_documents,
    find_entities, find_mere_documents,
};
pub(crate) use shelve::document;
pub(crate) use uri::{PREFIX as ORN, of_document, uid_shown};
pub use vault::{Notes, WrittenNote, list_notes, notes_read, read_note, write_note};
pub use vault_watch::{index_vault, keep_vault, sync_vault};
pub use web::{
    Looked, Mention, Opinion, Preview, Processed, TakenIn, Verdict, document_rid, evaluate,
    preview, process,
};
