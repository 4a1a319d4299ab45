//! Reasons that lift one text above another, one at a time.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod shared;

use lore_core::names::Word;
use lore_core::{NodeId, TextId};
use lore_search::{DocKey, Index, MatchKind, Query, Unit};

use shared::{When, ask, entry, ids, talk};

#[test]
fn yesterday_is_the_day_before_the_question() {
    for when in [When::Happened, When::Written] {
        let mut index = Index::new();
        for (number, day) in [(1, "2024-05-13"), (2, "2024-05-14"), (3, "2024-05-15")] {
            index.put(entry(number, "Mara mended a wheel of the mill", &when(day)));
        }
        let asked_at = "2024-05-15T20:00:00Z".parse().ok();
        let query = Query { asked_at, ..Query::new("what did Mara mend yesterday?", 1) };
        assert_eq!(ids(&ask(&index, &query)), [2]);
    }
}

#[test]
fn an_old_log_is_asked_about_as_of_its_end() {
    let mut index = Index::new();
    for (number, day) in [(1, "2019-03-02"), (2, "2019-04-10"), (3, "2019-05-20")] {
        index.put(entry(number, "Mara mended a wheel of the mill", &When::Happened(day)));
    }
    let asked_at = "2026-11-16T20:00:00Z".parse().ok();
    let query = Query { asked_at, ..Query::new("what did Mara mend last month?", 1) };
    assert_eq!(ids(&ask(&index, &query)), [2]);
}

#[test]
fn words_that_the_best_answers_share_lift_others() {
    let mut index = Index::new();
    let texts = [
        "Keepers of the lighthouse float its lens on quicksilver",
        "The lighthouse keepers know how quicksilver carries the lens",
        "No lighthouse keepers sleep while the lens turns on quicksilver",
        "Keepers old and young drain quicksilver from the lighthouse lens",
        "A lighthouse has keepers, a lens and a bath of quicksilver",
        "Keepers polish the lens and weigh the quicksilver on Sundays",
        "Keepers feed the goats and mow the meadow on Sundays",
    ];
    for (number, body) in (1..).zip(texts) {
        index.put(entry(number, body, &When::Written("2024-05-13")));
    }
    for number in 100..160 {
        let other = format!("Barley cost {number} groats in the village");
        index.put(entry(number, &other, &When::Written("2024-05-13")));
    }
    let hits = ask(&index, &Query::new("lighthouse keepers", 7));
    let shared = |id: i64| hits.iter().find(|hit| hit.key.node.0 == id).unwrap().parts.shared;
    assert!(shared(6) > shared(7), "{} {}", shared(6), shared(7));
    let place = |id: i64| ids(&hits).iter().position(|other| *other == id);
    assert!(place(6) < place(7));
}

#[test]
fn where_several_things_are_asked_for_one_place_does_not_answer_alone() {
    let mut index = Index::new();
    talk(
        &mut index,
        "first",
        10,
        &[
            ("Mara", "The bread is dear this spring"),
            ("Odo", "Books are dear, too, and I need new ones"),
            ("Mara", "I finished two books about lighthouses and books about the sea"),
            ("Odo", "Such heavy ones, I saw them on your shelf in the hall"),
            ("Mara", "My boots leak again"),
        ],
    );
    talk(
        &mut index,
        "second",
        20,
        &[
            ("Odo", "The ferry was late again this morning"),
            ("Mara", "I am reading a novel of a miller's daughter, one of many books at home"),
            ("Odo", "My hens lay badly"),
        ],
    );
    let place = |question: &str, id: i64| {
        let hits = ask(&index, &Query { fill: true, ..Query::new(question, 20) });
        ids(&hits).iter().position(|other| *other == id).unwrap()
    };
    let (one, many) = ("What does Mara say of her books?", "Which books has Mara read?");
    let lead = |question: &str| {
        let hits = ask(&index, &Query { fill: true, ..Query::new(question, 20) });
        let score = |id: i64| hits.iter().find(|hit| hit.key.node.0 == id).unwrap();
        score(13).parts.shared
    };
    assert!(lead(one).abs() < f32::EPSILON, "{}", lead(one));
    assert!(lead(many) < 0.0, "what stands beside an answer falls behind");
    assert!(place(many, 21) < place(many, 13), "another answer comes before it");
}

#[test]
fn in_talks_with_a_machine_the_side_that_is_meant_comes_first() {
    let mut index = Index::new();
    let advice = "For a half marathon, plan a taper of two weeks, a long run on Sundays, an easy \
                  run on Tuesdays, intervals on Thursdays and a rest day after each half marathon \
                  pace session; a marathon plan is longer, and a half marathon needs less mileage";
    talk(
        &mut index,
        "talk",
        10,
        &[
            ("user", "Plan my training. My half marathon is in Lisbon, in autumn"),
            ("assistant", advice),
            ("user", "Thanks, and what shall I eat?"),
            ("assistant", "Oats, rice and bananas"),
        ],
    );
    let first = |question: &str| ids(&ask(&index, &Query::new(question, 1)));
    assert_eq!(first("Where is my half marathon?"), [10]);
    assert_eq!(first("What did you suggest to me for the half marathon?"), [11]);
}

#[test]
fn a_date_alone_is_a_reason() {
    let mut index = Index::new();
    for (number, day) in [(1, "2024-05-13"), (2, "2024-06-01"), (3, "2024-06-20")] {
        index.put(entry(number, "Mara mended a wheel of the mill", &When::Written(day)));
    }
    for question in ["What happened on 1 June 2024?", "anything new on June 1st?"] {
        let hits = ask(&index, &Query::new(question, 9));
        assert_eq!(ids(&hits), [2], "{question}");
        assert_eq!(hits[0].match_kind, MatchKind::Time);
    }
    assert_eq!(ids(&ask(&index, &Query::new("what was in June 2024?", 9))), [2, 3]);
}

#[test]
fn what_lies_outside_a_span_of_days_comes_later() {
    let mut index = Index::new();
    for (number, day) in (1..).zip(10..=29) {
        let body = match number {
            11 => "Between the river and the hill the miller of Wend, who is ninety, sold his boat",
            _ => "Mara mended a wheel",
        };
        let day: &'static str = format!("2026-10-{day}").leak();
        index.put(entry(number, body, &When::Happened(day)));
    }
    for question in [
        "What happened between 10 and 19 October?",
        "What happened from 10 October to 19 October 2026?",
        "What did Mara do between the 10th and the 19th of October?",
    ] {
        let hits = ask(&index, &Query { fill: true, ..Query::new(question, 10) });
        assert!(ids(&hits).iter().all(|id| *id <= 10), "{question} {:?}", ids(&hits));
    }
}

#[test]
fn how_long_ago_it_was_says_when_and_not_what() {
    let mut index = Index::new();
    let texts = [
        (1, "Mara mended a wheel of the mill", "2024-05-01"),
        (2, "Two weeks of rain, two weeks of mud", "2024-05-12"),
        (3, "The ferry was late", "2024-05-14"),
    ];
    for (number, body, day) in texts {
        index.put(entry(number, body, &When::Happened(day)));
    }
    let asked_at = "2024-05-15T20:00:00Z".parse().ok();
    for question in ["What happened two weeks ago?", "What did I do a fortnight ago?"] {
        let query = Query { asked_at, ..Query::new(question, 1) };
        assert_eq!(ids(&ask(&index, &query)), [1], "{question}");
    }
}

#[test]
fn a_date_lifts_what_shares_more_with_the_question() {
    let mut index = Index::new();
    let talk = ["The ferry was late again", "Bread is dear this spring", "My boots leak"];
    for (number, body) in (10..).zip(talk.iter().cycle().take(12)) {
        let mut turn = entry(number, body, &When::Happened("2024-03-12"));
        turn.meta.session = Some("talk".into());
        turn.meta.position = number;
        turn.meta.author = Some("Wenna".to_owned());
        index.put(turn);
    }
    let facts = [
        (1, "Marisol said that the lighthouse needs a lens", "2024-09-01"),
        (2, "Marisol said that the lighthouse needs a keeper", "2024-03-20"),
        (3, "Odo sells eels", "2024-09-01"),
    ];
    for (number, body, day) in facts {
        index.put(entry(number, body, &When::Written(day)));
    }
    for question in [
        "What did Marisol say about the lighthouse in March?",
        "Marisol, lighthouse, March 2024",
        "What happened at the lighthouse in March?",
        "How much did Marisol pay the council for her new ring in March?",
        "Which colour did Marisol paint the lamp room last March?",
    ] {
        assert_eq!(ids(&ask(&index, &Query::new(question, 2))), [2, 1], "{question}");
    }
    let asked = Query::new("What happened on 20 March 2024?", 9);
    assert_eq!(ids(&ask(&index, &asked))[0], 2);
    let eels = Query::new("Who sold eels in March?", 1);
    assert_eq!(ids(&ask(&index, &eels)), [3]);
}

#[test]
fn a_text_that_is_asked_for_word_by_word_comes_first() {
    let twins = [
        (1, "8 May 2023: The bridge fell.", When::Written("2024-05-13")),
        (2, "[8 May 2023] The bridge fell.", When::Happened("2023-05-08")),
        (3, "The bridge fell.", When::Written("2024-05-13")),
    ];
    let mut index = Index::new();
    for (number, body, when) in &twins {
        index.put(entry(*number, body, when));
    }
    for (number, body, _) in &twins {
        let asked = Query::new(format!(" {body}\n"), 3);
        assert_eq!(ids(&ask(&index, &asked))[0], *number, "{body}");
    }
}

#[test]
fn an_answer_is_filled_and_where_nothing_answers_the_nearest_are_told() {
    let mut index = Index::new();
    let texts = ["A dragon sleeps under the mill", "Barley is dear", "The ferry is late again"];
    let others = ["The mill is old", "The well is deep", "The road is long", "The inn is full"];
    for (number, body) in (1..).zip(texts.into_iter().chain(others)) {
        index.put(entry(number, body, &When::Written("2024-05-13")));
    }
    let filled = |text: &str, limit| Query { fill: true, ..Query::new(text, limit) };
    assert_eq!(ids(&ask(&index, &Query::new("dragon", 3))), [1]);
    let hits = ask(&index, &filled("dragon", 2));
    assert_eq!((hits.len(), hits[0].key.node.0), (2, 1));
    assert_eq!(hits[1].match_kind, MatchKind::NextBest);
    let nearest = ask(&index, &filled("acrophobia", 9));
    assert_eq!(nearest.len(), 5);
    assert!(nearest.iter().all(|hit| hit.match_kind == MatchKind::NextBest), "{nearest:?}");
    assert!(ask(&index, &Query::new("acrophobia", 9)).is_empty());
    assert!(ask(&index, &filled("🜁", 3)).is_empty(), "it has no meaning");
}

#[test]
fn a_span_across_a_new_year_is_one() {
    let mut index = Index::new();
    for number in 1..=20 {
        let day: &'static str = format!("2023-12-{number:02}").leak();
        index.put(entry(number, "Mara mended a wheel", &When::Happened(day)));
    }
    for (number, day) in [(21, "2023-12-29"), (22, "2023-12-30")] {
        index.put(entry(number, "Mara mended a wheel", &When::Happened(day)));
    }
    for question in [
        "What did Mara mend between 28 December and 31 January?",
        "What did Mara mend from 28 December to 31 January 2024?",
    ] {
        let found = ids(&ask(&index, &Query::new(question, 2)));
        assert!(found.iter().all(|id| *id > 20), "{question} {found:?}");
    }
}

#[test]
fn an_author_is_known_however_the_name_is_spelt() {
    let mut index = Index::new();
    for (number, author) in [(1, "Mohammed"), (2, "Wenna"), (3, "Wenna"), (4, "Anselm")] {
        let mut entry = entry(number, "I mended the mill", &When::Happened("2024-05-13"));
        entry.meta.author = Some(author.to_owned());
        index.put(entry);
    }
    let hits = ask(&index, &Query::new("What did Muhamad mend at the mill?", 4));
    assert_eq!(hits[0].key.node.0, 1);
    assert!(hits[0].parts.author > 0.0 && hits[1].parts.author == 0.0);
}

#[test]
fn answers_in_good_company_come_first() {
    let mut index = Index::new();
    let texts = [
        "The harbour pilot steers ships past the reef at night",
        "At night a pilot guides vessels around the reef into the harbour",
        "Reef, harbour and night: how pilots bring boats in safely",
        "The pilot of the harbour choir sang about bread, cheese and onions",
    ];
    for (number, body) in (1..).zip(texts) {
        index.put(entry(number, body, &When::Written("2024-05-13")));
    }
    for number in 100..160 {
        let other = format!("Barley cost {number} groats in the village");
        index.put(entry(number, &other, &When::Written("2024-05-13")));
    }
    let hits = ask(&index, &Query::new("harbour pilot", 4));
    let shared = |id: i64| hits.iter().find(|hit| hit.key.node.0 == id).unwrap().parts.shared;
    assert!((1..=3).all(|id| shared(id) > shared(4)), "{hits:?}");
}

#[test]
fn what_a_text_begins_with_is_what_it_is_about() {
    let filler = "They talked of weather, harvest, roads, taxes, horses, bread, wool, ships, \
                  wine, songs, rumours, weddings, debts, wolves, snow, candles, iron, salt, \
                  books, roofs, wells, fairs, bells, looms, barrels, oxen, plums, nets, ovens.";
    let mut index = Index::new();
    let texts = [format!("{filler} Then a dragon came."), format!("A dragon came. {filler}")];
    for (number, body) in (1..).zip(&texts) {
        index.put(entry(number, body, &When::Written("2024-05-13")));
    }
    assert_eq!(ids(&ask(&index, &Query::new("dragon", 2))), [2, 1]);
}

#[test]
fn an_identifier_is_found_before_what_is_spelt_alike() {
    let mut index = Index::new();
    for number in 0..60 {
        let body =
            format!("Incident INC1{:03} was caused by disk {}", number * 7 % 100, number % 9);
        index.put(entry(number, &body, &When::Written("2024-05-13")));
    }
    let pairs = [
        "Rack r1u2 is empty",
        "Rack r2u1 is empty",
        "Host 10.0.1.2 answers",
        "Host 10.0.2.1 answers",
        "Release 1.2.3 is out",
        "Release 3.2.1 is out",
        "Ticket OPS-12-34 is open",
        "Ticket OPS-34-12 is open",
        "Call parse_url_v2 first",
        "Call parse_v2_url first",
    ];
    for (number, body) in (100..).zip(pairs) {
        index.put(entry(number, body, &When::Written("2024-05-13")));
    }
    for number in 0..60 {
        let asked = format!("INC1{:03}", number * 7 % 100);
        assert_eq!(ids(&ask(&index, &Query::new(asked, 1))), [number]);
    }
    for (number, body) in (100..).zip(pairs) {
        let asked = body.split(' ').nth(1).unwrap();
        assert_eq!(ids(&ask(&index, &Query::new(asked, 1))), [number], "{asked}");
    }
}

#[test]
fn a_turn_with_the_unique_word_itself_comes_before_its_neighbours() {
    let mut index = Index::new();
    let words = ["barley", "mill", "ferry", "lamp", "goat", "rope", "tar", "wheel"];
    for number in 0..400_i64 {
        let word = |step: i64| words[usize::try_from(number * step % 8).unwrap()];
        let body = format!("msgmark{number}q {} {} {}", word(3), word(5), word(7));
        let mut turn = entry(number, &body, &When::Happened("2024-05-13"));
        turn.meta.session = Some("talk".into());
        turn.meta.position = number;
        index.put(turn);
    }
    for number in (0..400).step_by(13) {
        let asked = Query::new(format!("msgmark{number}q"), 1);
        assert_eq!(ids(&ask(&index, &asked)), [number]);
    }
}

#[test]
fn what_was_said_in_a_conversation_is_found_apart() {
    let mut index = Index::new();
    let message = Word::new("kind", "message").unwrap();
    for number in 0..6 {
        let body = format!("Ophelia plays the violin on day {number}");
        let mut said = entry(number, &body, &When::Happened("2024-05-13"));
        said.key = DocKey::text(NodeId(1), TextId(number));
        said.meta.text_kind = Some(message.clone());
        index.put(said);
    }
    let together = Query { unit: Unit::Node, ..Query::new("violin", 10) };
    assert_eq!(ask(&index, &together).len(), 1);
    let apart = Query { apart: vec![message], ..together };
    assert_eq!(ask(&index, &apart).len(), 6);
}

#[test]
fn texts_of_a_node_that_answer_alike_are_found_beside_it() {
    let mut index = Index::new();
    let step = Word::new("kind", "step").unwrap();
    for (number, body) in (1..).zip([
        "Tried a kite to cross the gorge",
        "Tried a raft to cross the gorge",
        "Mended the oven",
        "Bought flour and salt",
    ]) {
        let mut text = entry(number, body, &When::Written("2024-05-13"));
        text.key = DocKey::text(NodeId(1), TextId(number));
        text.meta.text_kind = Some(step.clone());
        index.put(text);
    }
    let together = Query { unit: Unit::Node, ..Query::new("how did we cross the gorge?", 10) };
    assert_eq!(ask(&index, &together).len(), 1);
    let beside = Query { beside: vec![step], fill: true, ..together };
    let hits = ask(&index, &beside);
    let mut texts: Vec<_> = hits.iter().map(|hit| hit.key.text.unwrap().0).collect();
    texts.sort_unstable();
    assert_eq!(texts, [1, 2]);
    assert!(hits.iter().all(|hit| (hit.score - hit.parts.sum()).abs() < 1e-6));
}

/// Fifty texts about a place, and some that have only words with which one asks.
fn place_and_requests() -> Index {
    let mut index = Index::new();
    let parts = ["tower", "gate", "bridge", "market", "well"];
    let fates = ["was rebuilt", "burned", "was sold", "is haunted", "lies empty", "leaks"];
    let told =
        parts.iter().flat_map(|part| fates.map(|fate| format!("The {part} of Ashfall {fate}")));
    let others = [
        "Tomas told me the ferry is late",
        "I remember the old mill",
        "Remind Jonas to water the plants",
        "Everything was recalled by the toaster maker",
        "The show starts at eight",
        "Nobody knows the caretaker",
        "Any news must be given to the herald",
        "Erzähl mir bitte etwas, ich weiß alles",
        "Dis-moi ce que tu sais",
        "Dime todo lo que sabes",
    ];
    for (number, body) in (1..).zip(told) {
        index.put(entry(number, &body, &When::Written("2024-05-13")));
    }
    for (number, body) in (101..).zip(others) {
        index.put(entry(number, body, &When::Written("2024-05-13")));
    }
    index
}

#[test]
fn words_that_only_ask_for_an_answer_are_not_what_is_asked_for() {
    let index = place_and_requests();
    for question in [
        "Tell me about Ashfall",
        "Show me everything you know about Ashfall",
        "Please remind me of Ashfall",
        "Do you remember anything about Ashfall?",
        "What do you know about Ashfall?",
        "Recall everything about Ashfall",
        "Can you tell me what we know about Ashfall?",
        "I'd like to know more about Ashfall",
        "Any news on Ashfall?",
        "Is there anything about Ashfall?",
        "Erzähl mir etwas über Ashfall",
        "Was weißt du über Ashfall?",
        "Dis-moi tout sur Ashfall",
        "¿Qué sabes de Ashfall?",
    ] {
        let hits = ask(&index, &Query { fill: true, ..Query::new(question, 30) });
        assert!(ids(&hits).iter().all(|id| *id < 100), "{question}: {:?}", ids(&hits));
        assert_eq!(hits.len(), 30, "{question}");
    }
}

#[test]
fn words_with_which_one_asks_count_elsewhere_and_where_nothing_else_is_said() {
    let index = place_and_requests();
    let first = |question: &str| ids(&ask(&index, &Query::new(question, 1)))[0];
    assert_eq!(first("what did Tomas tell me?"), 101);
    assert_eq!(first("who is it that I remember?"), 102);
    assert_eq!(first("show me the show"), 105);
    assert_eq!(first("do you remember?"), 102);
    assert_eq!(first("remind me"), 103);
}

#[test]
fn function_words_of_other_languages_are_not_searched_for() {
    let mut index = Index::new();
    let texts = [
        "Der Tresor hat den Code von Reto.",
        "Ich habe den Müll rausgebracht.",
        "Ich habe mit Petra telefoniert.",
        "The hat was lost in the war, and many came to die",
    ];
    let others = (100..130).map(|number| format!("Bestellung {number} ging am Montag raus."));
    let texts = texts.into_iter().map(str::to_owned).chain(others);
    for (number, body) in (1..).zip(texts) {
        index.put(entry(number, &body, &When::Written("2024-05-13")));
    }
    for question in ["Wo habe ich den Code?", "Wer hat den Code?", "Code"] {
        assert_eq!(ids(&ask(&index, &Query::new(question, 5))), [1], "{question}");
    }
    assert_eq!(ids(&ask(&index, &Query::new("die hat war", 1))), [4]);
    assert!(ask(&index, &Query::new("Wer hat die Wahl gewonnen?", 5)).is_empty());
}

#[test]
fn a_verb_of_saying_does_not_beat_the_month_that_is_asked_for() {
    let mut index = Index::new();
    for number in 0..48 {
        let is_may = number % 8 < 2;
        let (author, body) = match (number % 2 == 0, is_may) {
            (true, true) => ("Priya", "The tent stood in the rain"),
            (true, false) => ("Priya", "They say I said yes, and you say no"),
            (false, _) => ("Owen", "That sounds like a good idea"),
        };
        let day = if is_may { "2024-05-20" } else { "2024-02-20" };
        let mut turn = entry(number, &format!("{body}, part {number}"), &When::Happened(day));
        turn.meta.session = Some(day.to_owned());
        turn.meta.position = number;
        turn.meta.author = Some(author.to_owned());
        index.put(turn);
    }
    let hits = ask(&index, &Query::new("What did Priya say in May 2024?", 5));
    assert!(ids(&hits).iter().all(|id| id % 8 < 2), "{:?}", ids(&hits));
}

#[test]
fn what_is_only_spelt_alike_is_no_reason() {
    let mut index = Index::new();
    for (number, body) in
        (1..).zip(["Faktury wysyłamy pocztą, bo Nowak nie czyta", "The office closes at noon"])
    {
        index.put(entry(number, body, &When::Written("2024-05-13")));
    }
    for question in ["zzyzx", "zzyzx flurb"] {
        assert!(ask(&index, &Query::new(question, 5)).is_empty(), "{question}");
    }
}
