//! Indexing the node numbers that a text mentions, as artificial words.

use lore_markup::mention::{self, Target};

/// The artificial words for all node numbers that a text mentions. They let a text be linked to a
/// node that gets its number later.
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

/// The artificial word for a mention of a node number. Nobody writes it in a text.
pub fn mention_word(number: i64) -> String {
    format!("xmention{number}x")
}
