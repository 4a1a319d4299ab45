//! The words of a question that are not searched for, because they say how it is asked rather than
//! what about: function words of its language, and verbs that only ask for somebody's words.

use lore_text::analysis::{Language, Word, name_words, stems, words};

use crate::rank::named::is_first_name;
use crate::rank::roles::{Asked, said_by};
use crate::role::Role;
use crate::view::View;

/// What the words that are not searched for say.
#[derive(Debug, Default)]
pub(super) struct Unsearched {
    /// Which side of a chat with a chatbot is asked about.
    pub(super) role: Option<Role>,
    /// Where they begin, in bytes. Empty if the question says nothing else.
    starts: Vec<usize>,
}

impl Unsearched {
    /// Longer queries are texts, not questions about somebody.
    pub(super) const MOST_WORDS: usize = 200;

    pub(super) fn read(text: &str, language: Option<Language>, view: &View) -> Self {
        let words: Vec<Word<'_>> = words(text).take(Self::MOST_WORDS).collect();
        let folded: Vec<String> = words.iter().map(|word| name_words(word.surface)).collect();
        let folded: Vec<&str> = folded.iter().map(String::as_str).collect();
        let is_chat = view.authors.live().any(|(id, _)| view.authors.role(id).is_some());
        let asked = if is_chat { Asked::read(&folded) } else { Asked::default() };
        let verb = said_by(&folded, |word| is_first_name(word, view));
        let places = asked.framing.iter().chain(&verb);
        let mut starts = language.map(|one| one.function_words(text)).unwrap_or_default();
        starts.extend(places.filter_map(|at| words.get(*at)).map(|word| word.start));
        let mut says_more = false;
        stems(text, |word, _| says_more |= !starts.contains(&word.start));
        Self { role: asked.role, starts: if says_more { starts } else { Vec::new() } }
    }

    /// Whether a word of the text is one of them.
    pub(super) fn has(&self, word: Word<'_>) -> bool {
        self.starts.contains(&word.start)
    }
}
