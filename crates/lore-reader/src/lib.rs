//! The readable part of web pages and notes, cut into chunks.
//!
//! Pages come from anywhere: no page makes this crate fail, overflow or take long,
//! and nothing of a page is run, fetched or trusted. What is given back is Markdown
//! that somebody else wrote.

mod chunk;
mod language;
mod page;

pub use chunk::{Chunk, chunks};
pub use language::language;
pub use page::{Page, ReadError, harmless, is_without_blanks, read_html, read_text, words};
