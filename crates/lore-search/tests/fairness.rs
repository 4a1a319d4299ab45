//! Reasons count for as much as they say, whatever else is in the world.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod shared;

use lore_core::NodeId;
use lore_search::{Analysis, DocKey, Head, Index, Query, Vector};

use shared::{When, ask, entry, ids, talk};

#[test]
fn a_short_message_that_asks_is_lowered_and_a_long_answer_hardly() {
    let advice = "Use a damp cloth for the lamp, never soap; dry the brass with a soft towel, rub \
                  wax into the wooden foot, let it rest until Tuesday, polish everything gently, \
                  then trim the wick, fill fresh oil, close the lid and wipe the glass. ";
    let mut index = Index::new();
    let long = format!("{advice}{advice}Shall I write that down?");
    talk(&mut index, "lamp", 10, &[("user", "How is a lamp cleaned?"), ("assistant", &long)]);
    let hits = ask(&index, &Query::new("how is a lamp cleaned with wax", 5));
    let lowered = |id: i64| hits.iter().find(|hit| hit.key.node.0 == id).unwrap().parts.question;
    assert!((lowered(10) + 0.15).abs() < 1e-6, "{hits:?}");
    assert!((-0.08..0.0).contains(&lowered(11)), "{hits:?}");
}

#[test]
fn tags_of_other_things_change_no_score() {
    let score = |heads: i64| {
        let mut index = Index::new();
        for number in 0..20 {
            let body = format!("Shelf {number} holds flour, salt and candles for the winter");
            index.put(entry(number, &body, &When::Written("2024-03-01")));
        }
        index.put(entry(
            50,
            "Eels are sold at the bridge every morning",
            &When::Written("2024-03-01"),
        ));
        for number in 100..100 + heads {
            let mut head = entry(number, "", &When::Written("2024-03-01"));
            let tags = ["stock".to_owned()];
            head.key = DocKey::head(NodeId(number));
            head.analysis = Analysis::of_head(&Head { tags: &tags, ..Head::default() }).into();
            index.put(head);
        }
        ask(&index, &Query::new("eels at the bridge", 1))[0].parts.lexical
    };
    assert!((score(0) - score(60)).abs() < 0.02, "{} {}", score(0), score(60));
}

#[test]
fn vectors_of_a_wrong_length_leave_the_others_usable() {
    let mut index = Index::new();
    let vector = |values: &[f32]| Some(Vector { model: "m".into(), values: values.into() });
    for number in 0..3 {
        let mut text = entry(number, "Eels are sold", &When::Written("2024-03-01"));
        text.vector = vector(if number == 0 { &[1.0] } else { &[0.0, 1.0] });
        if number == 2 {
            text.vector = vector(&[1.0, 0.0]);
        }
        index.put(text);
    }
    let asked = Query { embedding: vector(&[1.0, 0.0]), ..Query::new("zymurgy", 3) };
    assert_eq!(ids(&ask(&index, &asked)), [2]);
}
