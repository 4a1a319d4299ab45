//! A view: the documents that one kind of viewer sees, with statistics over exactly those.
//!
//! Invariant: after [`View::settle`], a view depends only on the set of its documents, not on the
//! order of insertions and removals. Before it, only the vectors and [`View::information`] may be
//! outdated, because they depend on the frequency of words in the whole view; each change updates
//! some of them.

mod authors;
pub(crate) mod calendar;
pub(crate) mod field;
mod influence;
pub(crate) mod kinds;
pub(crate) mod names;
pub(crate) mod postings;
pub(crate) mod sessions;
mod spans;

use std::sync::Arc;

use lore_core::NodeId;
use lore_text::table::{self, DIMENSIONS};
use lore_text::time::date_of;
use rustc_hash::FxHashMap;

use crate::column::{Column, Slot};
use crate::document::{DocKey, Entry, Print};
use crate::fixed::{ONE, float, times};
use crate::lexicon::{Lexicon, StemId};
use crate::vectors::Small;
pub(crate) use authors::{AuthorId, Authors};
use calendar::{Calendar, day_number};
use field::Field;
pub(crate) use influence::Influence;
use influence::openness;
use kinds::{KindId, Kinds};
use names::Names;
use postings::Postings;
use sessions::{REACH, Sessions};
use spans::Spans;

/// How many other documents each change brings up to date.
const REFRESHED: usize = 2;
/// Longer texts count as this long.
const LONGEST: u32 = 1 << 20;

/// The documents and statistics of one kind of viewer; see the module.
#[derive(Debug, Clone, Default)]
pub(crate) struct View {
    slots: Column<Option<Arc<Entry>>>,
    /// The keys, stored separately, because ranking needs nothing else of most documents.
    keys: Column<Option<DocKey>>,
    used: usize,
    free: Vec<Slot>,
    by_key: FxHashMap<DocKey, Slot>,
    nodes: FxHashMap<NodeId, Node>,
    postings: Vec<Postings>,
    piece_counts: Vec<u32>,
    /// The length of each document in stems.
    lengths: Column<u32>,
    /// The head of each text's node.
    heads: Column<Option<Slot>>,
    spans: Spans,
    information: Column<f32>,
    pub(crate) sessions: Sessions,
    pub(crate) names: Names,
    pub(crate) meanings: Meanings,
    facts: Column<Facts>,
    pub(crate) authors: Authors,
    pub(crate) calendar: Calendar,
    pub(crate) kinds: Kinds,
    next_refreshed: u32,
    stale: bool,
}

/// The most used properties of a document.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Facts {
    /// The kind of its node; `None` if the slot is free.
    pub(crate) kind: Option<KindId>,
    /// What part of the node it is; `None` for heads.
    pub(crate) text_kind: Option<KindId>,
    /// Whether it is the head of a node.
    pub(crate) is_head: bool,
    /// Whether it ends with a question.
    pub(crate) is_question: bool,
    /// Whether it mentions a time.
    pub(crate) tells_time: bool,
    /// Who said it.
    pub(crate) author: Option<AuthorId>,
    /// The fingerprint of its text.
    pub(crate) print: Print,
    /// The day it happened or, if unknown, was stored, counted from 1970; `None` for heads.
    pub(crate) day: Option<i32>,
}

/// The documents of a node.
#[derive(Debug, Clone, Default)]
struct Node {
    head: Option<Slot>,
    texts: Vec<Slot>,
}

/// Vectors by the model they come from.
#[derive(Debug, Clone)]
pub(crate) struct Meanings {
    /// Vectors from the built-in table.
    pub(crate) own: Field,
    /// Vectors from external models, apart by their length: an endpoint that is set up differently
    /// for a while must not make the others unusable.
    pub(crate) external: FxHashMap<(Arc<str>, usize), Field>,
}

impl Default for Meanings {
    fn default() -> Self {
        Self { own: Field::new(DIMENSIONS), external: FxHashMap::default() }
    }
}

impl View {
    /// Adds a document that is not there yet. The lexicon must know its stems.
    pub(crate) fn put(&mut self, entry: &Arc<Entry>, lexicon: &Lexicon) {
        let slot = self.place(entry, lexicon);
        self.refresh(slot, lexicon);
        let mut near = Vec::new();
        self.influenced(slot, |_, other| near.push(other));
        near.into_iter().for_each(|other| self.measure(other));
        self.refresh_some(lexicon);
        self.stale = true;
    }

    /// Adds many documents that are not there yet.
    pub(crate) fn fill<'a>(
        &mut self,
        entries: impl IntoIterator<Item = &'a Arc<Entry>>,
        lexicon: &Lexicon,
    ) {
        for entry in entries {
            self.place(entry, lexicon);
        }
        self.settle(lexicon);
    }

    /// Whether it contains a document.
    pub(crate) fn holds(&self, key: DocKey) -> bool {
        self.by_key.contains_key(&key)
    }

    /// Removes a document; does nothing if there is none.
    pub(crate) fn remove(&mut self, key: DocKey, lexicon: &Lexicon) {
        let Some(slot) = self.by_key.remove(&key) else { return };
        let mut near = Vec::new();
        self.influenced(slot, |_, other| near.push(other));
        let Some(entry) = self.slots.place(slot).and_then(Option::take) else { return };
        self.take_words(&entry, slot, lexicon);
        self.take_place(&entry, slot);
        entry.analysis.names().iter().for_each(|name| self.names.remove(name, slot));
        self.meanings.own.remove(slot);
        self.meanings.external.values_mut().for_each(|field| field.remove(slot));
        self.information.set(slot, 0.0);
        self.keys.set(slot, None);
        self.free.push(slot);
        near.into_iter().filter(|other| *other != slot).for_each(|other| self.measure(other));
        self.refresh_some(lexicon);
        self.stale = true;
    }

    /// Brings everything up to date with the current frequency of words.
    pub(crate) fn settle(&mut self, lexicon: &Lexicon) {
        let slots: Vec<Slot> = self.slots().map(|(slot, _)| slot).collect();
        slots.iter().for_each(|slot| self.refresh(*slot, lexicon));
        slots.iter().for_each(|slot| self.measure(*slot));
        self.stale = false;
    }

    /// Whether some values may be outdated.
    pub(crate) fn is_stale(&self) -> bool {
        self.stale
    }

    /// The number of documents.
    pub(crate) fn len(&self) -> usize {
        self.by_key.len()
    }

    /// One more than the last slot in use.
    pub(crate) fn capacity(&self) -> usize {
        self.used
    }

    pub(crate) fn entry(&self, slot: Slot) -> Option<&Arc<Entry>> {
        self.slots.value(slot).and_then(Option::as_ref)
    }

    pub(crate) fn key(&self, slot: Slot) -> Option<DocKey> {
        self.keys.get(slot)
    }

    /// All documents.
    pub(crate) fn slots(&self) -> impl Iterator<Item = (Slot, &Arc<Entry>)> {
        let numbered = (0..).map(Slot).zip(self.slots.as_slice());
        numbered.filter_map(|(slot, entry)| Some((slot, entry.as_ref()?)))
    }

    /// The postings of a stem.
    pub(crate) fn postings(&self, stem: StemId) -> Option<&Postings> {
        self.postings.get(stem.0 as usize)
    }

    /// The inverse document frequency of something that `count` documents have (in fixed point).
    pub(crate) fn rarity(&self, count: u64) -> f32 {
        let (all, count) = (self.len() as f32, float(count));
        (1.0 + (all - count + 0.5).max(0.0) / (count + 0.5)).ln()
    }

    /// The inverse document frequency of a stem.
    pub(crate) fn stem_rarity(&self, stem: StemId) -> f32 {
        self.rarity(self.postings(stem).map_or(0, Postings::len) as u64 * ONE)
    }

    /// The inverse document frequency of a word piece.
    pub(crate) fn piece_rarity(&self, piece: lore_text::wordpiece::Piece) -> f32 {
        let count = self.piece_counts.get(usize::from(piece.0)).copied().unwrap_or(0);
        self.rarity(u64::from(count) * ONE)
    }

    /// The mean of the spans of texts.
    pub(crate) fn mean_span(&self) -> f32 {
        self.spans.mean()
    }

    /// The length of a document with its weighted context, in stems.
    pub(crate) fn span(&self, slot: Slot) -> f32 {
        float(self.spans.get(slot))
    }

    /// The most used properties of a document.
    pub(crate) fn facts(&self, slot: Slot) -> Facts {
        self.facts.get(slot)
    }

    /// Whether a document is part of a conversation or log.
    pub(crate) fn is_log(&self, slot: Slot) -> bool {
        self.sessions.is_log(slot)
    }

    /// How much a text needs its neighbours, 0 to 1: long texts say enough by themselves.
    pub(crate) fn openness(&self, slot: Slot) -> f32 {
        float(openness(self.lengths.get(slot)).into())
    }

    /// The head of a document's node, which may be the document itself.
    pub(crate) fn head_of(&self, slot: Slot) -> Option<&Arc<Entry>> {
        let head = if self.facts(slot).is_head { Some(slot) } else { self.heads.get(slot) };
        head.and_then(|head| self.entry(head))
    }

    /// The normalised subtype of a document's node.
    pub(crate) fn subtype_of(&self, slot: Slot) -> Option<&String> {
        self.head_of(slot).and_then(|entry| entry.meta.subtype_key.as_ref())
    }

    /// The texts of a node.
    pub(crate) fn texts_of(&self, node: NodeId) -> &[Slot] {
        self.nodes.get(&node).map(|node| node.texts.as_slice()).unwrap_or_default()
    }

    /// The texts to which the name in this head applies; none if it is not a head. Messages of a
    /// conversation are excluded, because they are not about its title.
    pub(crate) fn named_by(&self, head: Slot) -> impl Iterator<Item = Slot> {
        let node = self.key(head).filter(|key| key.text.is_none()).map(|key| key.node);
        let texts = node.map(|node| self.texts_of(node)).unwrap_or_default();
        texts.iter().copied().filter(|text| !self.is_log(*text))
    }

    /// The vector of a document's own words, with their current frequency.
    pub(crate) fn meaning(&self, slot: Slot) -> Small {
        let mut sum = [0.0; DIMENSIONS];
        for piece in self.entry(slot).into_iter().flat_map(|entry| entry.analysis.pieces()) {
            table::add_row(piece, self.piece_rarity(piece), &mut sum);
        }
        Small::unit(&sum)
    }

    /// How much information a document contains, 0 to 1.
    pub(crate) fn information(&self, slot: Slot) -> f32 {
        self.information.get(slot)
    }

    /// Calls `each` for every other document that counts for this one, with its weight, in an order
    /// that does not depend on slots.
    pub(crate) fn context(&self, slot: Slot, mut each: impl FnMut(Influence, Slot)) {
        self.sessions.neighbours(slot, |distance, other, openness| {
            each(Influence::near(distance, openness.own), other);
        });
        if let Some(head) = self.heads.get(slot) {
            each(Influence::HEAD, head);
        }
    }

    /// Calls `each` for every document for which this one counts, including itself.
    pub(crate) fn influenced(&self, slot: Slot, mut each: impl FnMut(Influence, Slot)) {
        each(Influence::WHOLE, slot);
        self.sessions.neighbours(slot, |distance, other, openness| {
            each(Influence::near(distance, openness.neighbours), other);
        });
        if self.facts.get(slot).is_head {
            let texts = self.key(slot).map(|key| self.texts_of(key.node)).unwrap_or_default();
            texts.iter().for_each(|text| each(Influence::HEAD, *text));
        }
    }

    /// The approximate memory it takes without the documents themselves, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let postings: usize = self.postings.iter().map(Postings::bytes).sum();
        let external: usize = self.meanings.external.values().map(Field::bytes).sum();
        let nodes = self.nodes.values().map(|node| node.texts.capacity() * 4);
        self.slots.bytes()
            + self.keys.bytes()
            + self.by_key.capacity() * (size_of::<(DocKey, Slot)>() + 1)
            + self.nodes.capacity() * (size_of::<(NodeId, Node)>() + 1)
            + nodes.sum::<usize>()
            + self.lengths.bytes()
            + self.heads.bytes()
            + self.spans.bytes()
            + self.information.bytes()
            + self.sessions.bytes()
            + self.names.bytes()
            + self.meanings.own.bytes()
            + postings
            + external
    }

    /// Puts a document into a slot, with everything that does not depend on other documents.
    fn place(&mut self, entry: &Arc<Entry>, lexicon: &Lexicon) -> Slot {
        let slot = self.free.pop().unwrap_or(Slot(u32::try_from(self.used).unwrap_or(u32::MAX)));
        self.used = self.used.max(slot.at() + 1);
        self.slots.set(slot, Some(Arc::clone(entry)));
        self.keys.set(slot, Some(entry.key));
        self.by_key.insert(entry.key, slot);
        self.put_words(entry, slot, lexicon);
        self.put_place(entry, slot);
        self.put_external(entry, slot);
        entry.analysis.names().iter().for_each(|name| self.names.add(name, slot));
        slot
    }

    fn put_words(&mut self, entry: &Entry, slot: Slot, lexicon: &Lexicon) {
        entry.analysis.for_each_term(|stem, count| {
            let Some(id) = lexicon.id(stem).map(|id| id.0 as usize) else { return };
            if id >= self.postings.len() {
                self.postings.resize_with(id + 1, Postings::default);
            }
            if let Some(postings) = self.postings.get_mut(id) {
                postings.put(slot, count);
            }
        });
        self.count_pieces(entry, |count| *count += 1);
        let length = entry.analysis.length().min(LONGEST);
        self.lengths.set(slot, length);
        self.sessions.set_openness(slot, openness(length));
    }

    fn take_words(&mut self, entry: &Entry, slot: Slot, lexicon: &Lexicon) {
        entry.analysis.for_each_term(|stem, _| {
            let id = lexicon.id(stem).map(|id| id.0 as usize);
            if let Some(postings) = id.and_then(|id| self.postings.get_mut(id)) {
                postings.remove(slot);
            }
        });
        self.count_pieces(entry, |count| *count = count.saturating_sub(1));
        self.spans.set(slot, self.facts(slot).is_head, 0);
    }

    fn count_pieces(&mut self, entry: &Entry, change: impl Fn(&mut u32)) {
        if self.piece_counts.is_empty() {
            self.piece_counts.resize(table::ROWS, 0);
        }
        let mut last = None;
        // They are sorted, so equal ones are adjacent.
        for piece in entry.analysis.pieces().filter(|piece| last.replace(*piece) != Some(*piece)) {
            if let Some(count) = self.piece_counts.get_mut(usize::from(piece.0)) {
                change(count);
            }
        }
    }

    fn put_place(&mut self, entry: &Entry, slot: Slot) {
        let node = self.nodes.entry(entry.key.node).or_default();
        match entry.key.text {
            None => {
                node.head = Some(slot);
                node.texts.iter().for_each(|text| self.heads.set(*text, Some(slot)));
            }
            Some(text) => {
                node.texts.push(slot);
                self.heads.set(slot, node.head);
                if let Some(session) = &entry.meta.session {
                    let length = self.lengths.get(slot);
                    self.sessions.add(session, entry.meta.position, text, slot, length);
                }
            }
        }
        let author = entry.meta.author.as_deref().map(|author| self.authors.add(author));
        let day = entry.key.text.map(|_| day_number(date_of(entry.meta.moment())));
        if let Some(day) = day {
            self.calendar.add(day);
        }
        if author.is_some() || entry.meta.occurred_at.is_some() {
            self.sessions.set_told(slot);
        }
        self.facts.set(
            slot,
            Facts {
                kind: Some(self.kinds.add(&entry.meta.kind)),
                text_kind: entry.meta.text_kind.as_ref().map(|kind| self.kinds.add(kind)),
                is_head: entry.key.text.is_none(),
                is_question: entry.analysis.is_question(),
                tells_time: entry.analysis.tells_time(),
                print: entry.analysis.print(),
                author,
                day,
            },
        );
    }

    fn take_place(&mut self, entry: &Entry, slot: Slot) {
        self.sessions.remove(slot, self.lengths.get(slot));
        self.heads.set(slot, None);
        if let Some(node) = self.nodes.get_mut(&entry.key.node) {
            if node.head == Some(slot) {
                node.texts.iter().for_each(|text| self.heads.set(*text, None));
            }
            node.head = node.head.filter(|head| *head != slot);
            node.texts.retain(|text| *text != slot);
            if node.head.is_none() && node.texts.is_empty() {
                self.nodes.remove(&entry.key.node);
            }
        }
        if let Some(author) = self.facts.get(slot).author {
            self.authors.remove(author);
        }
        if let Some(day) = self.facts.get(slot).day {
            self.calendar.remove(day);
        }
        self.facts.set(slot, Facts::default());
    }

    fn put_external(&mut self, entry: &Entry, slot: Slot) {
        if let Some(vector) = &entry.vector {
            let dimensions = vector.values.len();
            let fields = &mut self.meanings.external;
            let field = fields
                .entry((Arc::clone(&vector.model), dimensions))
                .or_insert_with(|| Field::new(dimensions));
            field.put(slot, &Small::unit(&vector.values));
        }
    }

    /// Recomputes a document's own vector and its information.
    fn refresh(&mut self, slot: Slot, lexicon: &Lexicon) {
        let Some(entry) = self.entry(slot).map(Arc::clone) else { return };
        let meaning = self.meaning(slot);
        self.meanings.own.put(slot, &meaning);
        let mut surprise = 0.0;
        entry.analysis.for_each_term(|stem, _| {
            surprise += lexicon.id(stem).map_or(0.0, |id| self.stem_rarity(id));
        });
        // 250 is the summed rarity of a long and unusual message.
        self.information.set(slot, (surprise.ln_1p() / 251_f32.ln()).min(1.0));
    }

    /// Recomputes what depends on a document's context: its span and its norms.
    fn measure(&mut self, slot: Slot) {
        let mut span = u64::from(self.lengths.get(slot)) * ONE;
        let mut context = Vec::with_capacity(2 * REACH + 1);
        self.context(slot, |influence, other| {
            span += times(influence.words, u64::from(self.lengths.get(other)) * ONE);
            context.push((influence.vector, other));
        });
        self.spans.set(slot, self.facts(slot).is_head, span);
        let fields =
            std::iter::once(&mut self.meanings.own).chain(self.meanings.external.values_mut());
        for field in fields {
            let (norm, weight) = field.length_with(slot, &context);
            field.set_norm(slot, norm, weight);
        }
    }

    fn refresh_some(&mut self, lexicon: &Lexicon) {
        for _ in 0..REFRESHED.min(self.used) {
            let slot = Slot(self.next_refreshed);
            self.next_refreshed = (self.next_refreshed + 1) % u32::try_from(self.used).unwrap_or(1);
            if self.entry(slot).is_some() {
                self.refresh(slot, lexicon);
                self.measure(slot);
            }
        }
    }
}
