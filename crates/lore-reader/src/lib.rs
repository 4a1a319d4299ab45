//! Extracts the readable part of web pages and notes and cuts it into chunks.
//!
//! Input comes from anywhere: no page may make this crate panic, exhaust resources or take long,
//! and nothing in a page is executed, fetched or trusted. The result is Markdown written by
//! somebody else.

mod chunk;
mod language;
mod page;

pub use chunk::{Chunk, chunks};
pub use language::language;
pub use page::{Page, ReadError, harmless, is_without_blanks, read_html, read_text, words};
