//! The embedded store engine: one SQLite file, one writer thread, several readers.
//!
//! Every write is a job in the writer's queue; jobs that wait together share one durable
//! transaction. Reads run on their own read-only connections and see every write that was
//! acknowledged before. All SQL of the program is in this crate; the schema is in `migrations/`.
//! Nothing here knows tools, protocols or game rules, and only the module `sight` decides who may
//! see what.

mod audit;
mod backup;
mod bootstrap;
mod changes;
mod check;
mod commit;
mod connection;
mod counter;
mod directory;
mod docs;
mod edges;
mod fault;
mod file;
mod foreign;
mod lists;
mod log;
mod maintenance;
mod nodes;
mod pool;
mod records;
mod replace;
mod rows;
mod schema;
mod seal;
mod search;
mod sessions;
mod sight;
mod slate;
mod store;
mod tally;
mod texts;
mod tokens;
mod veil;
mod wal;
mod writer;

pub use foreign::foreign_tables;
pub use store::{Options, SqliteStore};
pub use wal::{accept_log, check_log};
pub use writer::WriteCounts;
