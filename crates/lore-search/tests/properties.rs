//! What must hold for every store and every question.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::sync::Arc;

use lore_core::names::Word;
use lore_core::{NodeId, PrincipalId, Role, TextId, Timestamp, Viewer, Visibility, WorldId};
use lore_search::{
    Analysis, DocKey, Document, Entry, Filter, Head, Index, Meta, Query, Unit, Vector,
};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

const WORDS: &str = "river boat ship mill wheel broken repair paint painting artist sunset dragon \
    gold cheese market Mara Anna swim swam lake summer yesterday question maybe kitten dog walk \
    mountain tower king queen crown letter ink grey friend camp tent storm rain";

const QUESTIONS: [&str; 8] = [
    "Where did Mara swim?",
    "broken wheel of the mill",
    "When was the storm in May 2023?",
    "what did you paint",
    "my kitten",
    "tower",
    "the king and the queen?",
    "vessel on the water",
];

#[derive(Debug, Clone)]
struct Made {
    node: i64,
    text: Option<i64>,
    body: String,
    session: Option<String>,
    position: i64,
    author: Option<String>,
    day: Option<i64>,
    visibility: Visibility,
    vector: Option<Vec<f32>>,
}

fn entry(made: &Made) -> Entry {
    let at = made.day.map(|day| Timestamp::from_second(1_683_500_000 + day * 86_400).unwrap());
    let analysis = match made.text {
        Some(_) => Analysis::of_text(&Document {
            author: made.author.as_deref(),
            occurred_at: at,
            body: &made.body,
            ..Document::default()
        }),
        None => Analysis::of_head(&Head { name: Some(&made.body), ..Head::default() }),
    };
    let mut meta = Meta::new(Word::new("kind", "note").unwrap(), Timestamp::UNIX_EPOCH);
    meta.node_visibility = made.visibility;
    meta.text_visibility = made.visibility;
    meta.session.clone_from(&made.session);
    meta.position = made.position;
    meta.author.clone_from(&made.author);
    meta.occurred_at = at;
    let vector = made.vector.clone();
    let vector = vector.map(|values| Vector { model: "m".into(), values: values.into() });
    let key = DocKey { node: NodeId(made.node), text: made.text.map(TextId) };
    Entry { key, analysis: Arc::new(analysis), vector, meta }
}

fn made() -> impl Strategy<Value = Made> {
    let words: Vec<&'static str> = WORDS.split_whitespace().collect();
    let visibility = select(vec![
        Visibility::Members,
        Visibility::Members,
        Visibility::Gm,
        Visibility::Private(PrincipalId(1)),
        Visibility::Private(PrincipalId(2)),
    ]);
    let place = (1..12_i64, any::<bool>(), prop::option::of(select(vec!["a", "b"])), 0..5_i64);
    let said =
        (prop::option::of(select(vec!["Mara", "Anna", "user"])), prop::option::of(0..40_i64));
    let vector = prop::option::of(prop::collection::vec(-1.0_f32..1.0, 4));
    let body = prop::collection::vec(select(words), 1..30);
    (place, said, visibility, vector, body, any::<bool>()).prop_map(
        |((node, head, session, position), (author, day), visibility, vector, body, asks)| Made {
            node,
            text: (!head).then_some(0),
            body: body.join(" ") + if asks { "?" } else { "." },
            session: session.map(str::to_owned).filter(|_| !head),
            position,
            author: author.map(str::to_owned),
            day,
            visibility,
            vector,
        },
    )
}

/// Documents with different keys.
fn store() -> impl Strategy<Value = Vec<Made>> {
    prop::collection::vec(made(), 1..40).prop_map(|mut all| {
        for (number, made) in (1..).zip(&mut all) {
            made.text = made.text.map(|_| number);
        }
        let mut heads = std::collections::HashSet::new();
        all.retain(|made| made.text.is_some() || heads.insert(made.node));
        all
    })
}

fn viewers() -> [Viewer; 3] {
    [(1, Role::Owner), (2, Role::Player), (3, Role::Gm)].map(|(principal, role)| Viewer {
        principal: PrincipalId(principal),
        world: WorldId(1),
        role,
    })
}

fn index<'a>(all: impl IntoIterator<Item = &'a Made>) -> Index {
    let mut index = Index::new();
    all.into_iter().for_each(|made| index.put(entry(made)));
    index
}

/// Hundreds of names of the same few syllables, each near all the others.
fn names() -> Vec<String> {
    let ends = ["", "ba", "be", "ka", "ko", "ra", "ri", "na", "nu", "to", "va", "vi"];
    let starts = ["kesso", "kesse", "kassa", "kissi"];
    let middles = ["lan", "len", "lin", "lon", "lun", "ran", "ren"];
    let with = |start: &str| -> Vec<String> {
        let middle = middles.iter().map(|middle| format!("{start}{middle}"));
        middle.flat_map(|name| ends.map(|end| format!("{name}{end}"))).collect()
    };
    starts.iter().flat_map(|start| with(start)).collect()
}

/// Everything there is to ask.
fn queries() -> Vec<Query> {
    let mut all = vec![Query::new("", 50)];
    for text in QUESTIONS {
        for unit in [Unit::Text, Unit::Node] {
            all.push(Query { unit, ..Query::new(text, 50) });
        }
        let embedding = Vector { model: "m".into(), values: vec![0.5, -0.2, 0.1, 0.9].into() };
        all.push(Query { embedding: Some(embedding), ..Query::new(text, 7) });
    }
    all
}

fn same_answers(one: &Index, other: &Index, viewer: &Viewer) {
    for query in queries() {
        let (one, other) = (one.search(viewer, &query), other.search(viewer, &query));
        assert_eq!(one, other, "{query:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_order_of_insertion_does_not_matter(all in store(), seed: u64) {
        let mut shuffled = all.clone();
        shuffled.sort_by_key(|made| seed.wrapping_mul(made.text.unwrap_or(made.node + 77) as u64) >> 7);
        let (one, other) = (index(&all), index(&shuffled));
        viewers().iter().for_each(|viewer| same_answers(&one, &other, viewer));
    }

    #[test]
    fn an_index_that_grew_while_it_was_asked_equals_a_new_one(all in store()) {
        let mut grown = Index::new();
        for made in &all {
            grown.put(entry(made));
            viewers().iter().for_each(|viewer| drop(grown.search(viewer, &Query::new("mill", 3))));
        }
        grown.settle();
        viewers().iter().for_each(|viewer| same_answers(&grown, &index(&all), viewer));
    }

    #[test]
    fn what_was_removed_was_never_there(
        (all, some) in store().prop_flat_map(|all| {
            let some = subsequence(all.clone(), 0..=all.len());
            (Just(all), some)
        })
    ) {
        let mut index_with = index(&all);
        viewers().iter().for_each(|viewer| drop(index_with.search(viewer, &Query::new("mill", 3))));
        let gone: Vec<DocKey> = some.iter().map(|made| entry(made).key).collect();
        gone.iter().for_each(|key| index_with.remove(*key));
        let rest: Vec<Made> =
            all.into_iter().filter(|made| !gone.contains(&entry(made).key)).collect();
        prop_assert_eq!(index_with.len(), rest.len());
        viewers().iter().for_each(|viewer| same_answers(&index_with, &index(&rest), viewer));
    }

    #[test]
    fn replacing_is_removing_and_adding(all in store(), bodies in prop::collection::vec("[a-z]{3,8}", 5)) {
        let mut replaced = index(&all);
        viewers().iter().for_each(|viewer| drop(replaced.search(viewer, &Query::new("mill", 3))));
        let mut now = all;
        for (made, body) in now.iter_mut().zip(bodies) {
            made.body = format!("{body} mill");
            replaced.put(entry(made));
        }
        viewers().iter().for_each(|viewer| same_answers(&replaced, &index(&now), viewer));
    }

    #[test]
    fn hidden_documents_have_no_influence(all in store()) {
        let whole = index(&all);
        for viewer in viewers() {
            let seen = index(all.iter().filter(|made| made.visibility.admits(&viewer)));
            same_answers(&whole, &seen, &viewer);
        }
    }

    #[test]
    fn hidden_words_take_no_place_among_the_near_ones(
        (open, hidden) in (subsequence(names(), 1..40), subsequence(names(), 30..300)),
        asked in select(names()),
        who in 1..3_i64,
    ) {
        let made = |(number, name): (i64, &String), visibility| Made {
            node: number,
            text: None,
            body: format!("{name} Vale"),
            session: None,
            position: 0,
            author: None,
            day: None,
            visibility,
            vector: None,
        };
        let seen: Vec<Made> =
            (1..).zip(&open).map(|each| made(each, Visibility::Members)).collect();
        let secret = if who == 1 { Visibility::Gm } else { Visibility::Private(PrincipalId(1)) };
        let unseen: Vec<Made> = (1_000..).zip(&hidden).map(|each| made(each, secret)).collect();
        let viewer = viewers()[1];
        let mut whole = index(unseen.iter().chain(&seen));
        for _ in 0..2 {
            for text in [asked.clone(), format!("{asked}x"), format!("the {asked} vale?")] {
                for unit in [Unit::Text, Unit::Node] {
                    let query = Query { unit, ..Query::new(text.clone(), 50) };
                    prop_assert_eq!(
                        whole.search(&viewer, &query),
                        index(&seen).search(&viewer, &query)
                    );
                }
            }
            unseen.iter().for_each(|made| whole.remove(entry(made).key));
        }
    }

    #[test]
    fn pages_make_up_the_whole(all in store(), size in 1..9_usize) {
        let index = index(&all);
        let viewer = viewers()[0];
        let whole = index.search(&viewer, &Query::new(QUESTIONS[1], 1000));
        let mut pages = Vec::new();
        while pages.len() < whole.hits.len() {
            let query = Query { offset: pages.len(), ..Query::new(QUESTIONS[1], size) };
            let page = index.search(&viewer, &query);
            prop_assert_eq!(page.total, whole.total);
            prop_assert!(!page.hits.is_empty());
            pages.extend(page.hits);
        }
        prop_assert_eq!(pages, whole.hits);
    }

    #[test]
    fn filters_and_limits_hold(all in store(), session in select(vec!["a", "b"]), limit in 0..5_usize) {
        let filter = Filter { session: Some(session.to_owned()), ..Filter::default() };
        let index = index(&all);
        for text in ["", "broken mill", "tower"] {
            let query = Query { filter: filter.clone(), ..Query::new(text, limit) };
            let found = index.search(&viewers()[0], &query);
            prop_assert!(found.hits.len() <= limit);
            for hit in found.hits {
                let made = all.iter().find(|made| entry(made).key == hit.key).unwrap();
                prop_assert_eq!(made.session.as_deref(), Some(session));
                prop_assert!((hit.parts.sum() - hit.score).abs() < 1e-4);
            }
        }
    }
}

/// Numbers from a seed, without a dependency.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    /// Any text anybody could send.
    fn text(&mut self) -> String {
        const PARTS: [&str; 40] = [
            " ",
            " ",
            " ",
            "?",
            "-",
            "\"",
            "'",
            "mill",
            "Mara",
            "8 May 2023",
            "[8 May 2023] Mara:",
            "2023-99-99",
            "NEAR(",
            "*",
            "AND",
            "\0",
            "🐉",
            "👩‍👩‍👧",
            "\u{202e}",
            "שלום",
            "مرحبا",
            "北京",
            "नमस्ते",
            "ﬁ",
            "ß",
            "İ",
            "ǅ",
            "\u{301}",
            "\u{fffd}",
            "when",
            "user:",
            "\n",
            "\t",
            "self-healing",
            "99999999999999999999",
            "%_",
            "[[",
            "]]",
            "don't",
            "ŁÓDŹ",
        ];
        let mut text = String::new();
        for _ in 0..self.below(9) {
            match self.below(3) {
                0 => text.extend(char::from_u32(self.below(0x11_0000) as u32)),
                _ => text.push_str(PARTS[self.below(PARTS.len())]),
            }
        }
        text
    }
}

#[test]
fn no_text_is_an_error() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    let made: Vec<Made> = (1..60)
        .map(|number| Made {
            node: number,
            text: (number % 5 != 0).then_some(number),
            body: random.text() + " mill",
            session: (number % 2 == 0).then(|| "s".to_owned()),
            position: number % 7,
            author: (number % 3 == 0).then(|| random.text()),
            day: (number % 4 == 0).then_some(number),
            visibility: Visibility::Members,
            vector: (number % 6 == 0).then(|| vec![f32::NAN, 1.0]),
        })
        .collect();
    let index = index(&made);
    let viewer = viewers()[0];
    for number in 0..100_000 {
        let unit = if number % 2 == 0 { Unit::Text } else { Unit::Node };
        let query = Query { unit, ..Query::new(random.text(), 5) };
        let found = index.search(&viewer, &query);
        assert!(found.hits.iter().all(|hit| hit.score.is_finite()), "{query:?}");
    }
}

#[test]
fn a_hundred_kilobytes_are_a_question() {
    let index = index(&[Made {
        node: 1,
        text: Some(1),
        body: "The mill is broken.".to_owned(),
        session: None,
        position: 0,
        author: None,
        day: None,
        visibility: Visibility::Members,
        vector: None,
    }]);
    for unit in ["mill ", "x", "龍", "a-b ", "🐉", "dragon7 mill "] {
        let text = unit.repeat(100_000 / unit.len());
        index.search(&viewers()[0], &Query::new(text, 5));
    }
    let many: String = (0..10_000).map(|number| format!("word{number} ")).collect();
    assert_eq!(index.search(&viewers()[0], &Query::new(many + "mill", 5)).hits.len(), 1);
}
