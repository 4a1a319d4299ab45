//! Kinds that are written in the code.

use lore_core::names::Word;
use lore_core::{Error, Result};

/// Creates a kind from a word in the code. It fails only if the code spells one wrongly, which the
/// first test would find.
pub(crate) fn word(text: &str) -> Result<Word> {
    Word::new("kind", text).map_err(|_| Error::Bug { what: format!("the word {text:?}") })
}
