//! Names that mean the same and names that only look like it, each asked among
//! many others.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod crowd;
mod lists;

use crowd::crowd;
use lists::{GUESSES, LOOK_ALIKES};
use lore_resolve::{Decision, Objection, Profile, Query, Resolution, Resolver, Shared, Tier};
use proptest::prelude::*;

fn ask(known: &str, asked: &str, type_name: &str) -> Resolution<u32> {
    let mut resolver = crowd(type_name);
    resolver.insert(1, type_name, known, &[]);
    resolver.resolve(&Query { type_hint: Some(type_name), ..Query::new(asked) })
}

#[test]
fn other_ways_to_write_a_name_are_found() {
    let pairs = [
        ("Herring Monitoring", "Herring Monitring", "Project"),
        ("Herring Monitoring", "Monitoring Herring", "Practice"),
        ("Acme Corporation", "ACME Corp.", "Organization"),
        ("Acme Corporation", "The Acme Inc", "Organization"),
        ("BlockScience", "Block Science", "Organization"),
        ("Saint John Hospital", "St. John Hosp.", "Organization"),
        ("Zuppardi's Restaurant", "Zuppardis", "Organization"),
        ("José García", "Jose Garcia", "Person"),
        ("Thomas Müller", "Thomas Mueller", "Person"),
        ("Thomas Muller", "Tomas Mueller", "Person"),
        ("Siobhan Reilly", "Shivon Reilly", "Person"),
        ("Caoimhe Byrne", "Keeva Byrne", "Person"),
        ("William Turner", "Bill Turner", "Person"),
        ("Jane Austen", "J. Austen", "Person"),
        ("Jane Austen", "Austen, Jane", "Person"),
        ("Dr. Jane Austen", "Jane Austen", "Person"),
        ("Dr. Fox", "Doctor Fox", "Person"),
        ("Katherine Johnson", "Catherine Jonson", "Person"),
        ("Sony PSLX350H", "Sony PS-LX350H belt drive turntable", "Project"),
        ("World Health Organization", "WHO", "Organization"),
        ("National Oceanic and Atmospheric Administration", "NOAA", "Organization"),
        ("National Oceanic and Atmospheric Administration", "N.O.A.A.", "Organization"),
        ("University of California, Los Angeles", "UCLA", "Organization"),
        ("Siemens AG", "Siemens Aktiengesellschaft", "Organization"),
        ("Jean-Luc Picard", "JL Picard", "Person"),
        ("The Gate", "Gate", "Location"),
        ("Acme Co", "Acme Ltd", "Organization"),
        ("Acme Trading", "Acme Trading Co. Ltd.", "Organization"),
        ("Wall Street", "Wall St", "Location"),
        ("Mulholland Drive", "Mulholland Dr.", "Location"),
        ("Café de Paris", "Cafe of Paris", "Location"),
        ("Acme Inc", "Acme Corporation", "Organization"),
        ("Acme Pty Ltd", "Acme Limited", "Organization"),
        ("Vancouver", "Vancuver", "Location"),
        ("Greenpeace", "Greenpaece", "Organization"),
        ("Luxembourg", "Luxemburg", "Location"),
        ("Nuremberg", "Nuremburg", "Location"),
        ("Zürich", "Zuerich", "Location"),
        ("Zuerich", "Zürich", "Location"),
        ("Universität Zürich", "Universitaet Zuerich", "Organization"),
        ("Grünwald Söhne GmbH", "Gruenwald Soehne", "Organization"),
        ("Benedict Cumberbatch", "Benedict Cumberbach", "Person"),
        ("Penelope Abernathy", "Penelpoe Abernathy", "Person"),
        ("Margaret Thistlewood", "Peggy Thistlewood", "Person"),
        ("Anne-Marie Duchamps", "Annemarie Duchamps", "Person"),
        ("Watershed Commons Mapping", "Watershed Comons Mapping", "Project"),
        ("Regenerative Agriculture", "Regenrative Agriculture", "Concept"),
        ("Vancouver Island", "Vancuver Island", "Location"),
        ("λ", "Lambda", "Concept"),
        ("№5", "No 5", "Concept"),
        ("Беринг", "Bering", "Location"),
        (
            "A Survey of Approaches to Automatic Schema Matching",
            "Survey of aproaches to automatic schema matching (extended)",
            "Claim",
        ),
    ];
    are_found(&pairs);
}

#[test]
fn what_is_spoken_alike_or_mistyped_is_found() {
    are_found(&[
        ("Conrad Veidt", "Konrad Veidt", "Person"),
        ("Ingrid Solheim", "Ingred Solheim", "Person"),
        ("Acme Corporation", "Acme Coporation", "Organization"),
        ("Harbor Company", "Harbor Compnay", "Organization"),
        ("Lumen Limited", "Lumen Limted", "Organization"),
        ("Lumen Incorporated", "Lumen Incorporatd", "Organization"),
        ("Salish Sea Atlas", "Salish Sea Altas", "Concept"),
        ("Kyle Hope-Marchetti", "Ykle Hope-Marchetti", "Person"),
        ("Sam Trevithick", "Sma Trevithick", "Person"),
        ("Harrison Boulter", "Har risn Boulter", "Person"),
        ("Matilda Madigan", "Matild Madigan", "Person"),
    ]);
}

fn are_found(pairs: &[(&str, &str, &str)]) {
    for (known, asked, type_name) in pairs {
        let found = ask(known, asked, type_name);
        let picked = found.pick().filter(|one| one.confidence >= 0.5).map(|one| one.key);
        assert_eq!(picked, Some(1), "{asked} for {known}: {:#?}", found.candidates);
    }
}

#[test]
fn a_hyphen_joins_words_or_parts_them() {
    let long = "Organisation for Economic Co-operation and Development";
    for asked in ["OECD", "Organization for Economic Cooperation and Development"] {
        let found = ask(long, asked, "Organization");
        let picked = found.pick().filter(|one| one.confidence >= 0.5).map(|one| one.key);
        assert_eq!(picked, Some(1), "{asked}: {:#?}", found.candidates);
    }
}

#[test]
fn small_words_and_what_they_lead_on_to_may_be_left_out_of_an_acronym() {
    let security = "Organization for Security and Co-operation in Europe";
    for (known, asked) in [(security, "OSCE"), ("OSCE", security)] {
        let found = ask(known, asked, "Organization");
        assert_eq!(found.pick().map(|one| one.key), Some(1), "{asked}: {:#?}", found.candidates);
    }
    for (long, short) in [
        ("Food and Agriculture Organization of the United Nations", "FAO"),
        ("World Wide Fund for Nature", "WWF"),
        ("Centers for Disease Control and Prevention", "CDC"),
    ] {
        for (known, asked) in [(long, short), (short, long)] {
            let found = ask(known, asked, "Organization");
            let first = found.candidates.first().unwrap();
            assert!(first.key == 1 && first.confidence >= 0.2, "{asked}: {first:#?}");
            assert!(first.confidence < 0.5 && found.pick().is_none(), "{asked}: {first:#?}");
        }
    }
}

#[test]
fn legal_forms_are_left_out_at_will() {
    let forms = [
        "A/S",
        "AS",
        "S.p.A.",
        "GmbH & Co. KG",
        "Pty Ltd",
        "Sp. z o.o.",
        "K.K.",
        "Oy",
        "Oyj",
        "AB",
        "d.o.o.",
        "s.r.o.",
        "ApS",
        "Kft.",
        "S.A.",
        "B.V.",
        "SARL",
        "LLC",
        "PLC",
    ];
    for form in forms {
        for name in ["Brennholt Vesper", "Vesperholt"] {
            let whole = format!("{name} {form}");
            for (known, asked) in [(whole.as_str(), name), (name, whole.as_str())] {
                let found = ask(known, asked, "Organization");
                let linked = found.pick().filter(|one| one.decision == Decision::Link);
                assert_eq!(linked.map(|one| one.key), Some(1), "{asked}: {:#?}", found.candidates);
            }
        }
    }
}

#[test]
fn look_alikes_are_not_merged() {
    for &(known, asked, type_name) in LOOK_ALIKES {
        let found = ask(known, asked, type_name);
        assert!(found.pick().is_none(), "{asked} for {known}: {:#?}", found.candidates);
        let back = ask(asked, known, type_name);
        assert!(back.pick().is_none(), "{known} for {asked}: {:#?}", back.candidates);
    }
}

#[test]
fn what_may_be_two_things_is_not_linked_without_asking() {
    for &(known, asked, type_name) in GUESSES {
        let found = ask(known, asked, type_name);
        let linked = found.candidates.iter().any(|one| one.decision == Decision::Link);
        assert!(!linked, "{asked} for {known}: {:#?}", found.candidates);
        assert_eq!(found.candidates.first().map(|one| one.key), Some(1), "{asked} for {known}");
        let sure = found.candidates.iter().any(|one| one.confidence >= 0.8);
        assert!(!sure, "{asked} for {known}: {:#?}", found.candidates);
    }
}

#[test]
fn persons_told_apart_by_one_letter_are_offered_and_never_taken() {
    for (known, asked) in [
        ("Theo Marchetti", "Thea Marchetti"),
        ("Leon Trevithick", "Leona Trevithick"),
        ("Bruno Castelli", "Bruna Castelli"),
        ("Robert Ashgrove", "Roberta Ashgrove"),
        ("Theo", "Thea"),
    ] {
        for (known, asked) in [(known, asked), (asked, known)] {
            let found = ask(known, asked, "Person");
            assert!(found.pick().is_none() && found.is_new(), "{asked} for {known}");
            let first = found.candidates.first().unwrap_or_else(|| panic!("{asked} for {known}"));
            assert_eq!((first.key, first.objection), (1, Some(Objection::OtherName)), "{asked}");
            assert!(first.confidence < 0.4, "{asked}: {}", first.confidence);
            assert!(first.reason.contains(" is nearly "), "{}", first.reason);
        }
    }
}

#[test]
fn a_vowel_makes_a_given_name_that_of_another() {
    for (known, asked) in [
        ("Samir Aziz", "Samira Aziz"),
        ("Karim Haddad", "Karima Haddad"),
        ("Ivan Kovac", "Ivana Kovac"),
        ("Haruki Tanaka", "Haruka Tanaka"),
        ("Tanaka Haruki", "Tanaka Haruka"),
        ("Roman Petrescu", "Romana Petrescu"),
        ("Jamil Osei", "Jamila Osei"),
        ("Arun Menon", "Aruna Menon"),
        ("Anil Kapadia", "Anila Kapadia"),
        ("Nikhil Rao", "Nikhila Rao"),
        ("Pascal Dubois", "Pascale Dubois"),
        ("Marion Castle", "Marian Castle"),
        ("Vladimir Sokol", "Vladimira Sokol"),
    ] {
        for (known, asked) in [(known, asked), (asked, known)] {
            let found = ask(known, asked, "Person");
            assert!(found.pick().is_none() && found.is_new(), "{asked}: {:#?}", found.candidates);
            let first = found.candidates.first().unwrap_or_else(|| panic!("{asked} for {known}"));
            assert!(first.key == 1 && first.confidence < 0.5, "{asked}: {first:#?}");
        }
    }
    for (known, asked) in [("John Smithers", "Jonh Smithers"), ("Samir Azizi", "Samr Azizi")] {
        assert_eq!(ask(known, asked, "Person").pick().map(|one| one.key), Some(1), "{asked}");
    }
}

#[test]
fn a_letter_that_makes_another_word_is_offered_and_never_taken() {
    for (known, asked, type_name) in [
        ("World Health Organization", "World Heath Organization", "Organization"),
        ("São Paulo", "Sao Paolo", "Location"),
        ("Trail Keepers", "Trial Keepers", "Organization"),
        ("Angel Island Trust", "Angle Island Trust", "Organization"),
        ("St. Mary's Hospital", "St. Mark's Hospital", "Organization"),
        ("Vincent van Gogh", "Vincent van Gough", "Person"),
    ] {
        let found = ask(known, asked, type_name);
        assert!(found.pick().is_none() && found.is_new(), "{asked}: {:#?}", found.candidates);
        let first = found.candidates.first().unwrap_or_else(|| panic!("{asked} for {known}"));
        assert!(first.key == 1 && (0.2..0.5).contains(&first.confidence), "{asked}: {first:#?}");
        assert!(first.reason.contains(" is nearly "), "{}", first.reason);
    }
}

#[test]
fn a_threshold_is_compared_with_what_is_shown() {
    let decided = |known: &str, asked: &str, type_name: &str, link_at: f64| {
        let mut resolver = crowd(type_name);
        resolver.set_profile(type_name, Profile { link_at, ..Profile::of(type_name) });
        resolver.insert(1, type_name, known, &[]);
        let found = resolver.resolve(&Query { type_hint: Some(type_name), ..Query::new(asked) });
        (found.candidates[0].confidence, found.candidates[0].decision)
    };
    for (known, asked, type_name) in [
        ("Aurelio Brancaforte", "Aurelio Brancaforta", "Person"),
        ("Herring Monitoring Society", "Herring Monitring Society", "Organization"),
        ("The Bluebird Collective", "Bluebird Collective", "Organization"),
    ] {
        for link_at in [0.5, 0.6, 0.78, 0.8, 0.85, 0.91, 0.97] {
            let (confidence, decision) = decided(known, asked, type_name, link_at);
            let linked = decision == Decision::Link;
            assert_eq!(linked, confidence >= link_at, "{asked}: {confidence} at {link_at}");
        }
    }
    let (_, same) = decided("Acme Turbines", "acme turbines", "Organization", 0.97);
    assert_eq!(same, Decision::Link, "the same name is the same name");
    let (_, twins) = decided("Samir Aziz", "Samira Aziz", "Person", 0.5);
    assert_ne!(twins, Decision::Link, "guards hold whatever the threshold");
}

#[test]
fn letters_mistyped_in_common_words_are_slips() {
    for (known, asked, type_name) in [
        ("Herring Monitoring Society", "Herring Monitring Society", "Organization"),
        ("Watershed Commons Mapping", "Watershed Comons Mapping", "Project"),
    ] {
        let found = ask(known, asked, type_name);
        assert_eq!(found.pick().map(|one| one.decision), Some(Decision::Link), "{asked}");
    }
}

#[test]
fn a_guess_says_which_letters_differ() {
    for (known, asked, told) in [
        ("Marlin Capital", "Merlin Capital", "merlin is nearly marlin (\"e\" for \"a\")"),
        ("Watershed Commons", "Watershed Comons", "comons is nearly commons (without \"m\")"),
        ("Sandy Alder", "Alex Alder", "alex and sandy are forms of one name"),
    ] {
        let type_name = if known == "Sandy Alder" { "Person" } else { "Organization" };
        let found = ask(known, asked, type_name);
        assert!(found.candidates[0].reason.contains(told), "{}", found.candidates[0].reason);
    }
}

#[test]
fn how_many_are_shown_does_not_change_what_is_found() {
    let mut resolver = crowd("Person");
    resolver.insert(1, "Person", "Alex Morgan", &[]);
    resolver.insert(2, "Person", "Alex Morgan", &[]);
    for limit in [1, 2, 50] {
        let found = resolver.resolve(&Query { limit, ..Query::new("Alex Morgan") });
        assert!(found.is_contested() && !found.is_new(), "{limit}");
    }
}

#[test]
fn part_of_a_name_is_enough_where_the_context_tells() {
    let mut resolver = crowd("Person");
    resolver.insert(1, "Person", "Shawn Anderson", &[]);
    resolver.insert(2, "Person", "Shawn Wetherby", &[]);
    let context = |key: &u32| Shared { related: u32::from(*key == 1), ..Shared::default() };
    for name in ["Shawn", "Sean", "Anderson"] {
        let found = resolver.resolve(&Query { context: Some(&context), ..Query::new(name) });
        let first = found.pick().unwrap();
        assert_eq!((first.key, first.tier), (1, Tier::Contextual), "{name}");
        assert!(resolver.resolve(&Query::new(name)).pick().is_none(), "{name}");
    }
}

#[test]
fn what_is_held_back_says_why_and_stays_below_one_half() {
    let found = ask("Regen Network", "Regen Network Development", "Organization");
    let first = &found.candidates[0];
    assert_eq!(first.objection, Some(Objection::MoreWords));
    assert!(first.confidence < 0.5 && first.probability > 0.9, "{first:#?}");
    assert!(first.reason.contains("both say regen network"), "{}", first.reason);
    assert!(first.reason.contains("but one has more words"), "{}", first.reason);
}

#[test]
fn a_name_alone_is_never_certain() {
    let found = ask("Jane Austen", "jane austen", "Person");
    let first = &found.candidates[0];
    assert_eq!((first.tier, first.decision), (Tier::Exact, Decision::Link));
    assert!(first.confidence > 0.9 && first.confidence <= 0.99, "{first:#?}");
}

#[test]
fn unknown_names_are_new() {
    for asked in ["Zyx Qwv", "Completely Unheard Of", "🐉", "", "   ", "—"] {
        let found = ask("Jane Austen", asked, "Person");
        assert!(found.is_new(), "{asked}: {:#?}", found.candidates);
    }
}

#[test]
fn names_of_signs_are_names() {
    for (known, other) in [("🦊", "🐉"), ("!!!", "!!")] {
        assert_eq!(ask(known, known, "Concept").pick().map(|one| one.key), Some(1), "{known}");
        assert!(ask(known, other, "Concept").pick().is_none(), "{other}");
    }
}

#[test]
fn a_guess_at_a_person_is_shown_as_one() {
    let found = ask("Aurelio Brancaforte", "Aurelio Brancaforta", "Person");
    assert_eq!(found.pick().unwrap().decision, Decision::Probable);
}

#[test]
fn the_shorter_name_is_the_short_one() {
    for (known, asked) in [("Bill Turner", "William Turner"), ("William Turner", "Bill Turner")] {
        let found = ask(known, asked, "Person");
        assert!(found.candidates[0].reason.contains("bill can be short for william"));
    }
}

#[test]
fn context_makes_a_similar_name_sure() {
    let mut resolver = crowd("Person");
    resolver.insert(1, "Person", "Shawn Anderson", &[]);
    let context = |key: &u32| Shared { related: 3 * u32::from(*key == 1), ..Shared::default() };
    let found = resolver.resolve(&Query { context: Some(&context), ..Query::new("Sean Andersen") });
    let first = found.pick().unwrap();
    assert_eq!((first.key, first.tier, first.decision), (1, Tier::Contextual, Decision::Link));
}

#[test]
fn aliases_types_and_changes_are_respected() {
    let mut resolver = crowd("Organization");
    resolver.insert(1, "Organization", "International Business Machines", &["Big Blue".into()]);
    let found = resolver.resolve(&Query::new("big blue"));
    assert_eq!((found.candidates[0].key, found.candidates[0].tier), (1, Tier::Alias));
    assert_eq!(found.candidates[0].alias.as_deref(), Some("Big Blue"));

    let hinted =
        |hint| resolver.resolve(&Query { type_hint: Some(hint), ..Query::new("Big Blue") });
    assert!(hinted("ORGANIZATION").pick().is_some());
    let other = hinted("Person");
    assert!(other.pick().is_none() && other.candidates[0].reason.contains("another type"));

    resolver.insert(1, "Organization", "IBM", &[]);
    assert!(resolver.resolve(&Query::new("big blue")).candidates.is_empty());
    resolver.remove(&1);
    assert!(resolver.resolve(&Query::new("ibm")).candidates.is_empty());
}

proptest! {
    /// No text makes it fail, probabilities are probabilities, and order is by confidence.
    #[test]
    fn any_two_names_can_be_compared(known in "\\PC{0,40}", asked in "\\PC{0,40}") {
        for type_name in ["Person", "Organization", "Project", "Claim"] {
            let mut resolver = Resolver::new();
            resolver.insert(1, type_name, &known, std::slice::from_ref(&asked));
            resolver.insert(2, type_name, &asked, &[]);
            let found = resolver.resolve(&Query::new(&asked));
            let sum: f64 = found.candidates.iter().map(|candidate| candidate.probability).sum();
            prop_assert!(sum <= 1.0 + 1e-9);
            let confidences: Vec<_> = found.candidates.iter().map(|c| c.confidence).collect();
            prop_assert!(confidences.is_sorted_by(|a, b| a >= b));
        }
    }

    /// A name with one letter changed in its longest word is still found.
    #[test]
    fn one_letter_does_not_lose_a_name(place in 1_usize..12, letter in "[a-z]") {
        let mut word = "brancafortezza".to_owned();
        word.replace_range(place..=place, &letter);
        let found = ask("Aurelio Brancafortezza", &format!("Aurelio {word}"), "Person");
        prop_assert_eq!(found.pick().map(|candidate| candidate.key), Some(1));
    }
}
