//! Knowledge: entities and their relations, documents and what they mention.
//!
//! An entity is a node that stands for a thing (a person, a place, a project); a document is a node
//! with something to read. A character page is therefore a `Person` here, and a journal about that
//! character is found next to the web pages about it. Names are resolved to entities by weighing
//! evidence, every merge can be undone, and text from outside is marked as untrusted.
//!
//! | folder | what it is for |
//! | --- | --- |
//! | `entities` | entities: registering and changing them, their types, URIs and logs |
//! | `relations` | relations between entities, and who states them |
//! | `names` | finding the entity that a name means, and known names in texts |
//! | `merge` | making two entities one, and two again |
//! | `documents` | storing documents, and finding those that mention an entity |
//! | `extract` | finding entities and relations in a text, with or without a language model |
//! | `vault` | the folder of notes |
//! | `web` | web pages |
//! | `code` | repositories of source code |
//!
//! Beside them, `search` searches for entities and documents, `librarian` is the context of a call,
//! and `outside` has the interfaces to what others provide: web pages, a language model, another
//! KOI API.
//!
//! This module does no visibility filtering of its own: the store decides who sees what.

pub mod code;
mod documents;
mod entities;
mod extract;
mod librarian;
mod merge;
mod names;
mod outside;
mod relations;
mod search;
mod vault;
mod web;

pub(crate) use documents::document;
pub use documents::{Document, Mentioned, Read, mentioned_in, take};
pub(crate) use entities::uri::{PREFIX as ORN, of_document, uid_shown};
pub use entities::{
    Entity, EntityType, Logged, Registered, Registration, Said, add_alias, by_id, by_uri,
    exactly_named, history, list, register, remove_alias, retype,
};
pub(crate) use entities::{by_name_outside, merged_into};
pub use extract::{Extracted, ExtractedEntity};
pub use librarian::Librarian;
pub(crate) use merge::bin::is_part as is_merged;
pub use merge::{Merged, merge, unmerge};
pub use names::{Asked, Catalogues, Possible, Resolved, Surroundings, folders, profiles, resolve};
pub use outside::{Ask, Elsewhere, Fetched, Form, Model, Prompt, Verb, Web};
pub use relations::{
    End, Item, NewRelation, ReadIn, Related, Relation, predicates, relate, relations, tally,
};
pub use search::{
    Chunk, EntityHit, FoundDocument, FoundDocuments, Passages, SOURCES, Whose, find_documents,
    find_entities, find_mere_documents, is_source, source_names,
};
pub(crate) use vault::yaml;
pub use vault::{
    NoteOf, NoteWritten, Notes, ReadNote, WrittenNote, index_vault, keep_vault, list_notes,
    note_warnings, notes_of_entities, notes_read, read_note, sync_vault, vault_warnings,
    write_note,
};
pub use web::{
    Added, Evaluation, Ingested, IngestedEntity, Intake, Looked, Mention, Monitored, NewEntity,
    Newness, Opinion, Preview, Processed, Rounds, SCAN_INTERVAL, Taken, TakenIn, Verdict,
    document_rid, evaluate, ingest, keep_watching, monitor, monitored, preview, process, scan_now,
    unmonitor,
};
