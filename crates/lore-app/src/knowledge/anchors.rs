//! Values of properties that are named once and meant again: YAML's `&anchor`, `*alias` and `<<`.
//!
//! However often values are meant, only so many are taken: a note of a few lines cannot grow
//! without end. What means nothing that is known is the text that stands there.

use std::cell::Cell;
use std::collections::BTreeMap;

use super::flow::Told;

/// Most values of a note that are meant again.
const MEANT_MAX: usize = 5_000;
/// The key whose values are keys to be taken in.
pub(super) const MERGE: &str = "<<";

/// What has a name in the properties of a note.
#[derive(Default)]
pub(super) struct Anchors {
    known: BTreeMap<String, Anchored>,
    meant: Cell<usize>,
}

/// What an anchor stands before.
pub(super) enum Anchored {
    /// A value.
    Value(Told),
    /// The list or block of a property, on lines of its own.
    Property(String),
}

impl Anchors {
    /// Gives a value its name. A later one of the same name takes its place.
    pub(super) fn name(&mut self, anchor: &str, what: Anchored) {
        self.known.insert(anchor.to_owned(), what);
    }

    /// What a text means that is an alias; `under` tells what a property says.
    pub(super) fn meant(&self, text: &str, under: impl Fn(&str) -> Told) -> Option<Told> {
        let told = match self.known.get(text.strip_prefix('*')?)? {
            Anchored::Value(told) => told.clone(),
            Anchored::Property(name) => under(name),
        };
        let all = self.meant.get().saturating_add(told.len().max(1));
        self.meant.set(all);
        (all <= MEANT_MAX).then_some(told)
    }
}

/// The anchor before a value, and the value without the marks that programs put there: anchors
/// and tags.
pub(super) fn undecorated(text: &str) -> (Option<&str>, &str) {
    let (mut anchor, mut rest) = (None, text);
    while rest.starts_with(['&', '!']) {
        let (mark, more) = rest.split_once(' ').unwrap_or((rest, ""));
        anchor = mark.strip_prefix('&').or(anchor);
        rest = more.trim_start();
    }
    (anchor, rest)
}
