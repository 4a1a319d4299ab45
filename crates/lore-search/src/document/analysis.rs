//! The analysis of one document: everything the index needs to know of its words.

mod codec;

use std::collections::BTreeMap;

use lore_core::Timestamp;
use lore_text::analysis::{name_words, stems};

/// A text, ready to be analysed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Document<'a> {
    /// Its heading; empty when there is none.
    pub title: &'a str,
    /// Who said it, when the body does not begin with it.
    pub author: Option<&'a str>,
    /// When it happened, when the body does not begin with it.
    pub occurred_at: Option<Timestamp>,
    /// The text.
    pub body: &'a str,
}

/// What a node is called and marked with, ready to be analysed.
///
/// A name that was only cut from the beginning of a text is no name: leave it out.
#[derive(Debug, Clone, Copy, Default)]
pub struct Head<'a> {
    /// Its name, if it has one of its own.
    pub name: Option<&'a str>,
    /// Other names it goes by.
    pub aliases: &'a [String],
    /// Its tags.
    pub tags: &'a [String],
    /// What refines its kind.
    pub subtype: Option<&'a str>,
}

/// What a document is found by.
///
/// Made once when a document is written and stored beside it as
/// [`Analysis::encode`]d bytes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Analysis {
    /// Distinct stems in order, each with how often it occurs.
    pub(crate) terms: Vec<(Box<str>, u16)>,
    /// Names and aliases, folded; empty for texts.
    pub(crate) names: Vec<Box<str>>,
    /// How many stems, repetitions counted.
    pub(crate) length: u32,
}

impl Analysis {
    /// Analyses a text.
    pub fn of_text(document: &Document<'_>) -> Self {
        let mut words = Words::default();
        words.add(document.title);
        words.add(document.author.unwrap_or_default());
        words.add(document.body);
        words.finish(Vec::new())
    }

    /// Whether there is nothing to find it by.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty() && self.names.is_empty()
    }

    /// Analyses the head of a node.
    pub fn of_head(head: &Head<'_>) -> Self {
        let mut words = Words::default();
        let names = head.name.into_iter().chain(head.aliases.iter().map(String::as_str));
        let names: Vec<Box<str>> = names
            .inspect(|name| words.add(name))
            .map(|name| name_words(name).into_boxed_str())
            .filter(|name| !name.is_empty())
            .collect();
        head.tags.iter().for_each(|tag| words.add(tag));
        words.add(head.subtype.unwrap_or_default());
        words.finish(names)
    }

    /// The analysis as bytes, to be stored beside the document.
    pub fn encode(&self) -> Vec<u8> {
        codec::encode(self)
    }

    /// Reads what [`Analysis::encode`] wrote. `None` when another version wrote it, or
    /// when it is broken: then analyse the document again.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        codec::decode(bytes)
    }
}

/// Counts stems.
#[derive(Default)]
struct Words {
    counts: BTreeMap<Box<str>, u16>,
    length: u32,
}

impl Words {
    fn add(&mut self, text: &str) {
        stems(text, |_, stem| {
            self.length = self.length.saturating_add(1);
            match self.counts.get_mut(stem) {
                Some(count) => *count = count.saturating_add(1),
                None => drop(self.counts.insert(stem.into(), 1)),
            }
        });
    }

    fn finish(self, names: Vec<Box<str>>) -> Analysis {
        Analysis { terms: self.counts.into_iter().collect(), names, length: self.length }
    }
}
