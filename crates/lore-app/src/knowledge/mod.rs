//! Knowledge: entities and how they are related, documents and what they mention.
//!
//! An entity is any node that is something; a document is any node that has something to
//! read. So a character of the pages is a person here, and what a journal tells of them is
//! found beside the web pages that do. Names lead to entities by evidence, every merge can
//! be undone, and text from outside is marked as such.
//!
//! Nothing here hides anything: who sees what is the store's business.

mod catalogue;
mod changes;
mod documents;
mod entities;
mod librarian;
mod log;
mod ontology;
pub mod predicates;
mod relations;
mod resolve;
mod search;
mod spotter;
mod uri;

pub use catalogue::Catalogues;
pub use changes::{Registered, Registration, add_alias, register, retype};
pub use documents::{Document, Mentioned, mentioned_in};
pub use entities::{Entity, by_uri, list, named};
pub use librarian::Librarian;
pub use log::{Logged, history, merge, unmerge};
pub use ontology::EntityType;
pub use relations::{NewRelation, ReadIn, Related, Relation, relate, relations};
pub use resolve::{Asked, Possible, Resolved, Surroundings, resolve};
pub use search::{
    Chunk, EntityHit, FoundDocument, FoundDocuments, Passages, SOURCES, find_documents,
    find_entities,
};
pub use uri::proposed as proposed_uri;
