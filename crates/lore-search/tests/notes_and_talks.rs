//! Texts that stand alone are found although conversations share the world with them.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod shared;

use std::sync::Arc;

use lore_search::{Analysis, Document, Index, Query};

use shared::{When, ask, entry, ids, talk};

/// A chat about a stew, as it is learned: each turn with its author.
fn stew(index: &mut Index) {
    let turns = [
        ("user", "How do I keep beef tender in a stew?"),
        ("assistant", "Brown it well, then keep it just below the boil for three hours."),
        ("user", "And which wine do you pour in?"),
        ("assistant", "A dry red one that you would drink; add it before the stock."),
        ("user", "I have no thyme left."),
        ("assistant", "Rosemary or a bay leaf will do instead."),
    ];
    for (number, (author, body)) in (100..).zip(turns) {
        let mut turn = entry(number, body, &When::Happened("2024-03-12"));
        let document = Document { body, author: Some(author), ..Document::default() };
        turn.analysis = Arc::new(Analysis::of_text(&document));
        turn.meta.session = Some("stew".to_owned());
        turn.meta.position = number;
        turn.meta.author = Some(author.to_owned());
        index.put(turn);
    }
}

fn first(index: &Index, question: &str) -> i64 {
    ids(&ask(index, &Query { fill: true, ..Query::new(question, 5) }))[0]
}

#[test]
fn user_and_assistant_are_words_and_not_the_label_of_every_turn() {
    let mut index = Index::new();
    let notes = [
        "The personal helper app is called Jarvis, and the assistant runs on the cupboard server",
        "The database of staging is refreshed on Sundays, which removes each test user",
        "Lamps in the hall are dimmed at ten",
    ];
    for (number, body) in (1..).zip(notes) {
        index.put(entry(number, body, &When::Written("2024-03-01")));
    }
    stew(&mut index);
    assert_eq!(first(&index, "what is our voice assistant called?"), 1);
    assert_eq!(first(&index, "my test user vanished on Monday"), 2);
    assert_eq!(first(&index, "which wine did the assistant tell me to take?"), 103);
}

#[test]
fn who_said_it_and_how_only_tells_messages_from_each_other() {
    let mut index = Index::new();
    let note = "Two newsletters a month are the limit; more made people unsubscribe";
    index.put(entry(1, note, &When::Written("2024-03-01")));
    for number in 10..40 {
        let other = format!("Shelf {number} holds flour, salt and candles for the winter");
        index.put(entry(number, &other, &When::Written("2024-03-01")));
    }
    let turns = [
        ("Mara", "I ran seventeen kilometres on Sunday, and at most one more a month is wise"),
        ("Odo", "Many runners are allowed only ten kilometres by their doctors after an injury"),
        ("Mara", "My doctor allowed fifteen in May, and eighteen from the second week of June"),
    ];
    talk(&mut index, "running", 100, &turns);
    let question = "how many newsletters are allowed a month?";
    let hits = ask(&index, &Query::new(question, 10));
    assert_eq!(hits[0].key.node.0, 1, "{hits:?}");
    assert!(hits[0].parts.levelled > 0.0, "{hits:?}");
    let said: Vec<_> = hits.iter().filter(|hit| hit.key.node.0 >= 100).collect();
    assert!(!said.is_empty() && said.iter().all(|hit| hit.parts.levelled == 0.0), "{hits:?}");
    let alone = Query::new("how many kilometres did the doctor allow Mara?", 1);
    assert_eq!(ids(&ask(&index, &alone)), [102]);
}

#[test]
fn a_note_beside_them_takes_nothing_from_messages() {
    let question = Query { min_score: Some(0.0), ..Query::new("what did you tell me of wine?", 9) };
    let mut index = Index::new();
    stew(&mut index);
    // The statistics of both worlds are the same, but only in one the note answers.
    index.put(entry(1, "Lamps in the hall are dimmed at ten", &When::Written("2024-03-01")));
    let without = ask(&index, &question);
    index.put(entry(1, "Wine in the hall is dimmed at ten", &When::Written("2024-03-01")));
    let with: Vec<_> = ask(&index, &question);
    assert!(ids(&with).contains(&1), "{with:?}");
    for hit in without {
        let now = with.iter().find(|now| now.key == hit.key);
        // The note only makes the word "wine" less rare.
        assert!(now.is_some_and(|now| now.score > hit.score - 0.1), "{hit:?}\n{now:?}");
    }
}

#[test]
fn a_fact_that_somebody_said_is_raised_only_by_what_it_lacks() {
    let mut index = Index::new();
    let other = "I would like to have tea somewhere";
    let mut fact = entry(1, other, &When::Written("2024-03-01"));
    fact.meta.author = Some("user".to_owned());
    index.put(fact);
    for number in 10..40 {
        let shelf = format!("Shelf {number} holds flour, salt and candles for the winter");
        index.put(entry(number, &shelf, &When::Written("2024-03-01")));
    }
    let turns = [
        ("user", "The green tea from Uji has to be brewed at sixty degrees"),
        ("assistant", "Noted. Black tea takes boiling water."),
        ("user", "And green tea is brewed for one minute only"),
    ];
    talk(&mut index, "tea", 100, &turns);
    let question = Query::new("what did I tell you about how green tea is brewed?", 5);
    let hits = ask(&index, &question);
    assert!([100, 102].contains(&hits[0].key.node.0), "{hits:?}");
    let fact = hits.iter().find(|hit| hit.key.node.0 == 1).unwrap();
    assert!(fact.parts.author > 0.0 && fact.parts.levelled < fact.parts.author, "{fact:?}");
}

/// Two people, or a person and a chatbot, about a boat.
fn boat(asking: &str, answering: &str) -> Index {
    let mut index = Index::new();
    let turns = [
        (asking, "Should we sell the boat?"),
        (answering, "Sell it before the winter."),
        (asking, "And the jetty by the mill?"),
        (answering, "Keep that."),
    ];
    for (number, (author, body)) in (100..).zip(turns) {
        let mut turn = entry(number, body, &When::Happened("2024-03-12"));
        let document = Document { body, author: Some(author), ..Document::default() };
        turn.analysis = Arc::new(Analysis::of_text(&document));
        turn.meta.session = Some("boat".to_owned());
        turn.meta.position = number;
        turn.meta.author = Some(author.to_lowercase());
        index.put(turn);
    }
    index
}

#[test]
fn a_chatbot_that_is_called_by_its_name_is_found_by_it() {
    let index = boat("Pia", "Claude");
    let hits = ask(&index, &Query::new("what did Claude say about the boat?", 4));
    assert_eq!(ids(&hits)[0], 101, "{hits:?}");
    assert!(hits[0].parts.author > 0.0, "{hits:?}");
}

#[test]
fn somebody_called_like_a_chatbot_is_one_only_where_nobody_else_has_a_name() {
    let question = Query::new("what did you suggest about the boat?", 4);
    let is_meant = |asking| {
        let index = boat(asking, "Claude");
        ask(&index, &question).iter().any(|hit| hit.parts.author > 0.0)
    };
    assert!(is_meant("user"));
    assert!(!is_meant("Pia"));
}
