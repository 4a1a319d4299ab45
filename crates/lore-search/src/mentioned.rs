//! The numbers that a text mentions, as words to find it by.

use lore_markup::mention::{self, Target};

/// The words that a text is found by for the numbers it mentions, so that it can be joined to what
/// gets a number later.
pub(crate) fn mention_words(text: &str) -> Vec<String> {
    if !text.contains(['[', '{']) {
        return Vec::new();
    }
    let number = |found: mention::Mention<'_>| match found.target {
        Target::Entity(number) => Some(mention_word(number)),
        Target::Other | Target::New => None,
    };
    mention::find(text).into_iter().filter_map(number).collect()
}

/// The word that a text is found by which mentions a number. Nobody writes it.
pub fn mention_word(number: i64) -> String {
    format!("xmention{number}x")
}
