//! Stores so large that not every document is judged.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::sync::Arc;

use lore_core::names::Word;
use lore_core::{NodeId, PrincipalId, Role, TextId, Timestamp, Viewer, WorldId};
use lore_search::{Analysis, DocKey, Document, Entry, Filter, Index, Meta, Query};

/// Enough that common words only refine what rare ones found.
const TEXTS: i64 = 12_000;

const WORDS: [&str; 24] = [
    "river", "boat", "mill", "wheel", "paint", "dragon", "gold", "cheese", "market", "lake",
    "summer", "dog", "walk", "tower", "king", "crown", "letter", "ink", "friend", "camp", "tent",
    "storm", "rain", "night",
];

fn entry(number: i64) -> Entry {
    let mut state = (number as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mut body = String::from("Everybody said");
    for _ in 0..12 {
        state = state.rotate_left(17).wrapping_mul(0x2545_F491_4F6C_DD1D);
        body.push(' ');
        body.push_str(WORDS[(state >> 33) as usize % WORDS.len()]);
    }
    if number == 7_777 {
        body.push_str(" and the halberd of Quenby");
    }
    let mut meta = Meta::new(Word::new("kind", "note").unwrap(), Timestamp::UNIX_EPOCH);
    meta.session = Some(format!("session {}", number / 20));
    meta.position = number;
    meta.source = (number % 100 == 0).then(|| "hundred".to_owned());
    let analysis = Analysis::of_text(&Document { body: &body, ..Document::default() });
    let key = DocKey::text(NodeId(number), TextId(number));
    Entry { key, analysis: Arc::new(analysis), vector: None, meta }
}

fn index(numbers: impl Iterator<Item = i64>) -> Index {
    let mut index = Index::new();
    numbers.for_each(|number| index.put(entry(number)));
    index
}

fn viewer() -> Viewer {
    Viewer { principal: PrincipalId(1), world: WorldId(1), role: Role::Owner }
}

#[test]
fn a_rare_word_among_common_ones_is_found() {
    let index = index(1..=TEXTS);
    let query = Query::new("what did everybody say by the river about Quenby's halberd", 5);
    let found = index.search(&viewer(), &query);
    assert_eq!(found.hits[0].key.node, NodeId(7_777));
    assert!(found.hits[0].score > found.hits[1].score);
}

#[test]
fn whoever_asks_for_all_gets_all() {
    let index = index(1..=TEXTS);
    for text in ["everybody", "everybody by the river"] {
        let query = Query { exhaustive: true, ..Query::new(text, usize::MAX) };
        let found = index.search(&viewer(), &query);
        assert_eq!((found.hits.len(), found.total), (TEXTS as usize, TEXTS as usize), "{text}");
        let page = Query { exhaustive: true, offset: 9_000, ..Query::new(text, 10) };
        assert_eq!(index.search(&viewer(), &page).hits, found.hits[9_000..9_010], "{text}");
    }
}

#[test]
fn whoever_asks_for_all_that_have_the_words_gets_no_others() {
    let mut index = index(1..=TEXTS);
    let mut other = entry(TEXTS + 1);
    let body = "A zither";
    let analysis = Analysis::of_text(&Document { body, ..Document::default() });
    other.analysis = Arc::new(analysis);
    other.meta.kind = Word::new("kind", "journal").unwrap();
    // The words of its neighbours would be its own.
    other.meta.session = None;
    index.put(other);
    let all = |text: &str, filter: Filter| {
        let query = Query { exhaustive: true, filter, ..Query::new(text, usize::MAX) };
        index.search(&viewer(), &query).total
    };
    let kinds = |kind: &str| vec![Word::new("kind", kind).unwrap()];
    let journals = Filter { kinds: kinds("journal"), ..Filter::default() };
    let no_journals = Filter { except_kinds: kinds("journal"), ..Filter::default() };
    assert_eq!(all("everybody", Filter::default()), TEXTS as usize);
    assert_eq!(all("everybody", journals.clone()), 0);
    assert_eq!(all("everybody", no_journals.clone()), TEXTS as usize);
    assert_eq!(all("zither", journals), 1);
    assert_eq!(all("zither", no_journals), 0);
    assert_eq!(all("zither", Filter { kinds: kinds("unheard-of"), ..Filter::default() }), 0);
}

#[test]
fn filters_hold_before_candidates_are_chosen() {
    let index = index(1..=TEXTS);
    let filter = Filter { sources: vec!["hundred".to_owned()], ..Filter::default() };
    let query = Query { filter, ..Query::new("everybody by the river", 1000) };
    let found = index.search(&viewer(), &query);
    assert_eq!(found.hits.len(), TEXTS as usize / 100);
    assert!(found.hits.iter().all(|hit| hit.key.node.0 % 100 == 0));
}

/// Another process that opens the same store has the other of these.
#[test]
fn all_that_have_the_words_come_in_one_order_however_the_store_was_filled() {
    const NOTES: i64 = 800;
    let note = |number: i64| {
        let body = format!("dragonfire appears here number {number}");
        let analysis = Analysis::of_text(&Document { body: &body, ..Document::default() });
        let mut note = entry(number);
        note.analysis = Arc::new(analysis);
        note.meta.session = None;
        note
    };
    let whole = Query { exhaustive: true, ..Query::new("dragonfire", usize::MAX) };
    let (mut grown, mut fresh) = (Index::new(), Index::new());
    for number in 1..=NOTES {
        grown.put(note(number));
        grown.search(&viewer(), &Query::new("dragonfire", 3));
    }
    (1..=NOTES).rev().for_each(|number| fresh.put(note(number)));
    let found = grown.search(&viewer(), &whole);
    assert_eq!(found, fresh.search(&viewer(), &whole));
    let page = Query { exhaustive: true, offset: 25, ..Query::new("dragonfire", 25) };
    assert_eq!(fresh.search(&viewer(), &page).hits, found.hits[25..50]);
}

#[test]
fn the_order_of_insertion_does_not_matter() {
    let forwards = index(1..=TEXTS);
    let backwards = index((1..=TEXTS).rev());
    for text in ["king of the storm", "the dragon's crown and a letter in ink", "Quenby", "vessel"]
    {
        for exhaustive in [false, true] {
            let query = Query { exhaustive, ..Query::new(text, 50) };
            assert_eq!(
                forwards.search(&viewer(), &query),
                backwards.search(&viewer(), &query),
                "{text}"
            );
        }
    }
}

#[test]
fn where_all_are_asked_for_their_meaning_counts_too() {
    let mut index = index(1..=1_000);
    let texts = [
        (2_001, "Quenby keeps a kitten, a puppy and two hens on the farm"),
        (2_002, "Quenby keeps a ledger, a seal and two keys in the office"),
    ];
    for (number, body) in texts {
        let mut meta = Meta::new(Word::new("kind", "note").unwrap(), Timestamp::UNIX_EPOCH);
        meta.source = None;
        let analysis = Analysis::of_text(&Document { body, ..Document::default() });
        let key = DocKey::text(NodeId(number), TextId(number));
        index.put(Entry { key, analysis: Arc::new(analysis), vector: None, meta });
    }
    let query = Query { exhaustive: true, ..Query::new("Quenby's animals", 2) };
    let found = index.search(&viewer(), &query).hits;
    let vector = |id: i64| {
        let hit = found.iter().find(|hit| hit.key.node == NodeId(id)).unwrap();
        hit.parts.vector
    };
    assert!(vector(2_001) > vector(2_002) + 0.02, "{} {}", vector(2_001), vector(2_002));
    assert_eq!(found[0].key.node, NodeId(2_001));
}
