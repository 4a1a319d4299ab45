//! The analysis of one document: everything the index needs to know about its words.

mod codec;

use std::collections::BTreeMap;
use std::fmt;

use lore_core::Timestamp;
use lore_core::names::name_key;
use lore_markup::seen;
use lore_text::analysis::{identifiers, is_stop_word, name_words, stems};
use lore_text::time::{Plain, Prefix, chat_prefix, tells_time};
use lore_text::wordpiece::{Piece, pieces};

use crate::document::Print;
use crate::mentioned::mention_words;
use crate::role::Role;

/// A text to analyse.
#[derive(Debug, Clone, Copy, Default)]
pub struct Document<'a> {
    /// Its heading; empty if it has none.
    pub title: &'a str,
    /// Who said it. If the body begins with the name as well, it is counted once.
    pub author: Option<&'a str>,
    /// When it happened. If the body begins with the date as well, it is counted once.
    pub occurred_at: Option<Timestamp>,
    /// The text.
    pub body: &'a str,
}

/// The name and labels of a node to analyse.
///
/// Leave the name out if it was only cut from the beginning of a text.
#[derive(Debug, Clone, Copy, Default)]
pub struct Head<'a> {
    /// Its name, if it has one of its own.
    pub name: Option<&'a str>,
    /// Other names of the node.
    pub aliases: &'a [String],
    /// Its tags.
    pub tags: &'a [String],
    /// The refinement of its kind.
    pub subtype: Option<&'a str>,
}

/// What a document is found by.
///
/// Computed once when a document is written, and stored beside it. It consists of just the bytes of
/// [`Analysis::encode`], which are read in place, so that an index of many documents stays small.
#[derive(Clone, PartialEq, Eq)]
pub struct Analysis(Box<[u8]>);

impl Analysis {
    /// The version of the stored form. It changes with the format, and whenever the same text would
    /// be analysed differently.
    pub const VERSION: u8 = codec::VERSION;

    /// Analyses a text as a reader sees it, without its markup.
    pub fn of_text(document: &Document<'_>) -> Self {
        let prefix = prefix(document);
        let (title, body) = (seen(document.title), seen(prefix.rest));
        let mut words = Words::default();
        words.add(&title);
        // The sides of a chat with a chatbot have no names: "user" and "assistant" label every turn
        // and would make each of them an answer to questions with such a word.
        let author = document.author.or(prefix.author);
        words.add(author.filter(|author| !Role::is_label(&name_words(author))).unwrap_or_default());
        words.add_date(prefix.occurred_at.or(document.occurred_at));
        words.add(&body);
        mention_words(prefix.rest).iter().for_each(|word| words.add_stems(word));
        if author.is_none() {
            words.stress(if title.trim().is_empty() { &body } else { &title });
        }
        let (is_question, tells_time) = (is_question(&body), tells_time(&body));
        let print = Print::of(document.body);
        words.finish(&[], codec::Header { is_question, tells_time, print, ..Default::default() })
    }

    /// Analyses the head of a node.
    pub fn of_head(head: &Head<'_>) -> Self {
        let mut words = Words::default();
        let names = head.name.into_iter().chain(head.aliases.iter().map(String::as_str));
        let names: Vec<String> = names
            .inspect(|name| words.add(name))
            .map(name_words)
            .filter(|n| !n.is_empty())
            .collect();
        head.tags.iter().for_each(|tag| words.add(&name_key(tag)));
        words.add(head.subtype.unwrap_or_default());
        words.finish(&names, codec::Header::default())
    }

    /// Whether there are no words to find it by.
    pub fn is_empty(&self) -> bool {
        self.length() == 0 && self.names().is_empty()
    }

    /// The analysis as bytes, to be stored beside the document.
    pub fn encode(&self) -> Vec<u8> {
        self.0.to_vec()
    }

    /// Reads bytes from [`Analysis::encode`]. Returns `None` if another version wrote them or they
    /// are damaged; then the document must be analysed again.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        codec::is_valid(bytes).then(|| Self(bytes.into()))
    }

    /// Calls `each` with every distinct stem, in order, and how often it occurs.
    pub(crate) fn for_each_term(&self, each: impl FnMut(&str, u16)) {
        codec::for_each_term(&self.0, each);
    }

    /// Normalised names and aliases; empty for texts.
    pub(crate) fn names(&self) -> Vec<String> {
        codec::names(&self.0)
    }

    /// Its word pieces, sorted, including repetitions.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = Piece> {
        codec::pieces(&self.0)
    }

    /// The number of stems, including repetitions.
    pub(crate) fn length(&self) -> u32 {
        codec::header(&self.0).length
    }

    /// The memory it takes, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        size_of::<Self>() + self.0.len()
    }

    /// Whether the text ends with a question mark.
    pub(crate) fn is_question(&self) -> bool {
        codec::header(&self.0).is_question
    }

    /// Whether it mentions a time.
    pub(crate) fn tells_time(&self) -> bool {
        codec::header(&self.0).tells_time
    }

    /// The fingerprint of its text.
    pub(crate) fn print(&self) -> Print {
        codec::header(&self.0).print
    }
}

impl fmt::Debug for Analysis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut terms = f.debug_map();
        self.for_each_term(|stem, count| {
            terms.entry(&stem, &count);
        });
        terms.finish()
    }
}

/// Author and date at the beginning of the body. If another author is known than the body seems to
/// begin with, those are words of the text: "Ingredients: flour".
fn prefix<'a>(document: &Document<'a>) -> Prefix<'a> {
    let plain = if document.author.is_some() { Plain::IsAuthor } else { Plain::IsText };
    let prefix = chat_prefix(document.body, plain);
    match (prefix.author, document.author) {
        (Some(found), Some(known)) if name_words(found) != name_words(known) => {
            Prefix { occurred_at: None, author: None, rest: document.body }
        }
        _ => prefix,
    }
}

/// Whether a text ends with a question mark, be it Latin, Chinese or Arabic.
fn is_question(text: &str) -> bool {
    let asks = |c: char| matches!(c, '?' | '？' | '؟');
    text.trim_end_matches(|c: char| !c.is_alphanumeric() && !asks(c)).ends_with(asks)
}

/// Collects the stems and pieces of a document.
#[derive(Default)]
struct Words {
    counts: BTreeMap<Box<str>, u16>,
    pieces: Vec<Piece>,
    length: u32,
}

impl Words {
    fn add(&mut self, text: &str) {
        self.add_stems(text);
        pieces(text, |word, found| {
            let says_something = word.chars().any(char::is_alphanumeric) && !is_stop_word(word);
            if says_something {
                self.pieces.extend_from_slice(found);
            }
        });
    }

    /// Adds the words of a date as a person would write them, so that they can be searched for.
    /// They are not part of the document's meaning.
    fn add_date(&mut self, at: Option<Timestamp>) {
        if let Some(at) = at {
            self.add_stems(&at.strftime("%-d %B %Y").to_string());
        }
    }

    fn add_stems(&mut self, text: &str) {
        stems(text, |_, stem| {
            self.length = self.length.saturating_add(1);
            self.count(stem);
        });
        // Parts of an identifier do not count towards the length of the text.
        identifiers(text, |_, term| self.count(term));
    }

    fn count(&mut self, term: &str) {
        match self.counts.get_mut(term) {
            Some(count) => *count = count.saturating_add(1),
            None => drop(self.counts.insert(term.into(), 1)),
        }
    }

    /// Counts the first words twice, because a text usually begins with its topic.
    fn stress(&mut self, text: &str) {
        /// Shorter texts have no separate beginning.
        const LONG: u32 = 30;
        const FIRST: usize = 10;
        /// Enough for the first words, and small compared with very long texts.
        const BYTES: usize = 400;
        if self.length < LONG {
            return;
        }
        let beginning = text.get(..text.floor_char_boundary(BYTES)).unwrap_or(text);
        let mut left = FIRST;
        stems(beginning, |_, stem| {
            if let Some(count) = self.counts.get_mut(stem).filter(|_| left > 0) {
                *count = count.saturating_add(1);
                left -= 1;
            }
        });
    }

    fn finish(mut self, names: &[String], header: codec::Header) -> Analysis {
        self.pieces.sort_unstable();
        let header = codec::Header { length: self.length, ..header };
        Analysis(codec::encode(&header, &self.counts, names, &self.pieces).into_boxed_slice())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::mentioned::mention_word;

    fn terms(analysis: &Analysis) -> Vec<(String, u16)> {
        let mut all = Vec::new();
        analysis.for_each_term(|stem, count| all.push((stem.to_owned(), count)));
        all
    }

    fn text(body: &str) -> Analysis {
        Analysis::of_text(&Document { body, ..Document::default() })
    }

    #[test]
    fn an_author_and_a_date_count_once_wherever_they_stand() {
        let at = "2023-05-08T10:00:00Z".parse().unwrap();
        let told = Document {
            author: Some("Mara"),
            occurred_at: Some(at),
            body: "Did you paint?",
            ..Document::default()
        };
        let inside = Document { body: "[8 May 2023] Mara: Did you paint?", ..told };
        assert_eq!(terms(&Analysis::of_text(&told)), terms(&Analysis::of_text(&inside)));
        let expected = ["2023", "8", "mara", "may", "paint"].map(|stem| (stem.to_owned(), 1));
        assert_eq!(terms(&Analysis::of_text(&told)), expected);
        assert!(Analysis::of_text(&told).is_question());
        assert!(!Analysis::of_text(&told).tells_time());
    }

    #[test]
    fn a_word_before_a_colon_is_no_author_where_another_is_known() {
        let said = |body| {
            Analysis::of_text(&Document { author: Some("Caroline"), body, ..Document::default() })
        };
        let stems = |body| terms(&said(body)).into_iter().map(|(stem, _)| stem).collect::<Vec<_>>();
        assert_eq!(stems("Ingredients: flour"), ["carolin", "flour", "ingredi"]);
        assert_eq!(terms(&said("CAROLINE: flour")), terms(&said("flour")));
    }

    #[test]
    fn questions_end_with_the_question_mark_of_their_script() {
        for question in ["Who?", "Who? 🙂", "你好吗？", "كيف حالك؟", "\"Who?\""] {
            assert!(text(question).is_question(), "{question}");
        }
        assert!(!text("Who? I do.").is_question());
    }

    #[test]
    fn a_text_is_found_by_what_a_reader_sees() {
        let marked =
            text("Lives at [entity:7|the Old Mill] with @[Bob](person:0b2c-11), <u>here</u>.");
        let plain = text("Lives at the Old Mill with Bob, here.");
        // The number of a mention is not a visible word; it is indexed for a node that gets it
        // later.
        let mut seen = terms(&marked);
        seen.retain(|(stem, _)| *stem != mention_word(7));
        assert_eq!(seen, terms(&plain));
        assert_eq!(terms(&marked).len(), seen.len() + 1);
    }

    #[test]
    fn heads_keep_their_names() {
        let aliases = ["The Grey Lady".to_owned()];
        let head = Head { name: Some("Aelysh Váne"), aliases: &aliases, ..Head::default() };
        assert_eq!(Analysis::of_head(&head).names(), ["aelysh vane", "the grey lady"]);
    }

    #[test]
    fn other_versions_are_analysed_again() {
        let mut bytes = text("a lamp").encode();
        bytes[0] += 1;
        assert_eq!(Analysis::decode(&bytes), None);
        assert_eq!(Analysis::decode(&[]), None);
    }

    proptest! {
        #[test]
        fn stored_analyses_come_back(body in "\\PC{0,300}", name in "\\PC{0,30}") {
            let head = Analysis::of_head(&Head { name: Some(&name), ..Head::default() });
            for analysis in [text(&body), head] {
                prop_assert_eq!(Analysis::decode(&analysis.encode()), Some(analysis));
            }
        }

        #[test]
        fn broken_bytes_are_refused_or_harmless(
            body in "[a-zé]{1,8}( [a-zé]{1,8}){0,20}", at in 0_usize..400, byte: u8, cut in 0_usize..400
        ) {
            let mut bytes = text(&body).encode();
            if let Some(place) = bytes.get_mut(at) {
                *place = byte;
            }
            bytes.truncate(cut);
            if let Some(read) = Analysis::decode(&bytes) {
                read.for_each_term(|_, _| ());
                prop_assert!(read.pieces().count() <= bytes.len());
            }
        }
    }
}
