//! Names that mean the same and names that only look like it, each asked among
//! many others.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use lore_resolve::{Decision, Objection, Query, Resolution, Resolver, Shared, Tier};
use proptest::prelude::*;

/// Bystanders, so that a name has to be told from others.
fn crowd(type_name: &str) -> Resolver<u32> {
    let mut known = Resolver::new();
    let given =
        ["Ada", "Boris", "Chidi", "Dora", "Emil", "Farah", "Gustav", "Hana", "Igor", "June"];
    let family = ["Abbott", "Okafor", "Lindqvist", "Moreau", "Santos", "Tanaka", "Weiss", "Novak"];
    let things =
        ["Salmon Survey", "Kelp Restoration", "Harbour Patrol", "Seed Library", "Tide Atlas"];
    for (number, (one, two)) in
        given.iter().flat_map(|one| family.iter().map(move |two| (one, two))).enumerate()
    {
        let number = u32::try_from(number).unwrap();
        let name = match type_name {
            "Person" => format!("{one} {two}"),
            _ => format!("{two} {} {}", things[number as usize % things.len()], number / 10),
        };
        known.insert(1000 + number, type_name, &name, &[]);
    }
    known
}

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
        ("Katherine Johnson", "Catherine Jonson", "Person"),
        ("Sony PSLX350H", "Sony PS-LX350H belt drive turntable", "Project"),
        ("World Health Organization", "WHO", "Organization"),
        ("National Oceanic and Atmospheric Administration", "NOAA", "Organization"),
        ("National Oceanic and Atmospheric Administration", "N.O.A.A.", "Organization"),
        ("Jean-Luc Picard", "JL Picard", "Person"),
        ("The Gate", "Gate", "Location"),
        ("Acme Co", "Acme Ltd", "Organization"),
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
    for (known, asked, type_name) in pairs {
        let found = ask(known, asked, type_name);
        let picked = found.pick().filter(|one| one.confidence >= 0.5).map(|one| one.key);
        assert_eq!(picked, Some(1), "{asked} for {known}: {:#?}", found.candidates);
    }
}

/// Names that look alike and are not.
const LOOK_ALIKES: &[(&str, &str, &str)] = &[
    ("Jane Doe", "Jane Roe", "Person"),
    ("Eric Novotny", "Erica Novotny", "Person"),
    ("Wei Zhang", "Wei Zhong", "Person"),
    ("Peter Hansen", "Peter Jansen", "Person"),
    ("Oluwaseun Adeyemi", "Oluwasegun Adeyemi", "Person"),
    ("John Smith", "John Smith Jr.", "Person"),
    ("Maria Rossi", "Mario Rossi", "Person"),
    ("Jane", "Jane Austen", "Person"),
    ("Phase 1", "Phase 2", "Project"),
    ("GPT-3", "GPT-4", "Project"),
    ("Netgear FS105", "Netgear FS108", "Project"),
    ("Annual Report 2024", "Annual Report 2025", "Concept"),
    ("And Then There Were Eight", "And Then There Were Nine", "Claim"),
    ("Portland, Oregon", "Portland, Maine", "Location"),
    ("Regen Network", "Regen Network Development", "Organization"),
    ("University of Washington", "Washington University", "Organization"),
    ("Public Health Fund", "Public Wealth Fund", "Organization"),
    ("Symmetric Encryption", "Asymmetric Encryption", "Concept"),
    ("First Baptist Church", "Second Baptist Church", "Organization"),
    ("张伟", "章伟", "Person"),
    ("重庆", "崇庆", "Location"),
    ("Henry James", "James Henry", "Person"),
    ("Henry VIII", "Henry VII", "Person"),
    ("George W. Bush", "George H. W. Bush", "Person"),
    ("C", "C++", "Concept"),
    ("C#", "C++", "Concept"),
    (".NET", "NET", "Concept"),
    ("Release 1.2", "Release 2.1", "Project"),
    ("Sprint 3 of 4", "Sprint 4 of 3", "Project"),
    ("Meeting with Ada 2025-03-04", "Meeting with Ada 2025-04-03", "Meeting"),
    ("Server web1 rack1", "Server web10 rack10", "Concept"),
    ("Overfishing", "Underfishing", "Concept"),
    ("Prenatal Care", "Postnatal Care", "Concept"),
    ("Microeconomics", "Macroeconomics", "Concept"),
    ("Exogenous Growth", "Endogenous Growth", "Concept"),
    ("Acme Inc", "Acme LLC", "Organization"),
    ("Acme Ltd", "Acme GmbH", "Organization"),
    ("λ", "l", "Concept"),
    ("Ω", "O", "Concept"),
    ("№5", "No 6", "Concept"),
    ("№5", "No 6", "Organization"),
    ("Project A", "Project", "Project"),
    ("Hepatitis A", "Hepatitis", "Concept"),
    ("Room W", "Room Y", "Location"),
    ("Y hall", "W hall", "Location"),
    ("A hall", "Y hall", "Location"),
    ("Flight to Arn", "Flight from Arn", "Concept"),
    ("Magic for Elves", "Magic from Elves", "Concept"),
    ("Delta Co", "Delta AG", "Organization"),
    ("Johnny Rockets (AT)", "Johnny Rockets (LA)", "Organization"),
    ("Onshore Wind", "Offshore Wind", "Project"),
    ("Onshore Solar", "Offshore Solar", "Project"),
    ("Ali Hassan", "Ali Hussein", "Person"),
    ("Francis Orlanda", "Frances Orlanda", "Person"),
    ("Bruno Castelli", "Bruna Castelli", "Person"),
    ("Leon Trevithick", "Leona Trevithick", "Person"),
    ("Theo Marchetti", "Thea Marchetti", "Person"),
    ("Christian Holloway", "Christina Holloway", "Person"),
    ("Robert Ashgrove", "Roberta Ashgrove", "Person"),
    ("Gabriel Montoro", "Gabriela Montoro", "Person"),
    ("Julian Ferraro", "Juliana Ferraro", "Person"),
    ("Louis Fontaine", "Louise Fontaine", "Person"),
    ("Paul Wittgens", "Paula Wittgens", "Person"),
    ("Karl Bergmann", "Karla Bergmann", "Person"),
    ("Stephen Grayling", "Stephanie Grayling", "Person"),
    ("A. Kowalczyk", "B. Kowalczyk", "Person"),
    ("Li Wei", "Li Wen", "Person"),
    ("Bank of Scotland", "Bank of Ireland", "Organization"),
    ("Air China", "China Airlines", "Organization"),
    ("American Psychological Association", "American Psychiatric Association", "Organization"),
    ("Deutsche Bank", "Deutsche Bahn", "Organization"),
    ("Northwest Airlines", "Northeast Airlines", "Organization"),
    ("Oak Valley School", "Oak Valley School District", "Organization"),
    ("Open Society Foundation", "Open Source Foundation", "Organization"),
    ("Project Apollo", "Project Artemis", "Project"),
    ("Operation Overlord II", "Operation Overlord III", "Project"),
    ("Hyperthyroidism", "Hypothyroidism", "Concept"),
    ("Immigration", "Emigration", "Concept"),
    ("Supervised Learning", "Unsupervised Learning", "Concept"),
    ("Centralization", "Decentralization", "Concept"),
    ("Interstate Commerce", "Intrastate Commerce", "Concept"),
    ("North Korea", "South Korea", "Location"),
    ("Austria", "Australia", "Location"),
    ("Slovenia", "Slovakia", "Location"),
    ("Vancouver", "Vancouver Island", "Location"),
    ("Mauritius", "Mauritania", "Location"),
    ("Budapest", "Bucharest", "Location"),
    (
        "The mayor did kill the ferryman at the quay",
        "The mayor did not kill the ferryman at the quay",
        "Claim",
    ),
];

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
    for (known, asked, type_name) in [
        ("Marlin Capital", "Merlin Capital", "Organization"),
        ("Marlin Holdings", "Merlin Holdings", "Organization"),
        ("Arcadis Group", "Arcadia Group", "Organization"),
        ("Cambridge Analytica", "Cambridge Analytics", "Organization"),
        ("Cascade Land Trust", "Cascadia Land Trust", "Organization"),
        ("Calvary Hospital", "Cavalry Hospital", "Organization"),
        ("Strafford Council", "Stratford Council", "Organization"),
        ("Biomass Census", "Biomes Census", "Project"),
        ("Chemica Holdings", "Chemical Holdings", "Organization"),
        ("Monte Rosa", "Monte Rossa", "Location"),
        ("Costa Rica", "Costa Ricca", "Location"),
        ("Port Victoria", "Port Victorria", "Location"),
        ("Man-eating Shark", "Shark eating Man", "Concept"),
        ("Erik Adelman", "Eric Idleman", "Person"),
        ("Jay Patel", "J. R. Patel", "Person"),
        ("Kirsten Vandermeer", "Kristen Vandermeer", "Person"),
        ("Mark Ellison", "Mark Allison", "Person"),
        ("Zara Penhallow", "Sara Penhallow", "Person"),
        ("Carlos Mendes", "Carlos Mendez", "Person"),
        ("Susan Ward", "Suzan Ward", "Person"),
        ("Toni Albrighton", "Tony Albrighton", "Person"),
        ("Samantha Altman", "Sam Altman", "Person"),
        ("Patrick Garrett", "Pat Garrett", "Person"),
        ("Siobhan Reilly", "Shivon Reilly", "Person"),
        ("Peter Lindqvist", "Lindqvist Peter", "Person"),
        ("John Michael Smythe", "John Smythe", "Person"),
        ("张伟", "Zhang Wei", "Person"),
        ("Nikon D300", "Nikon D300S", "Project"),
        ("Man bites dog", "Dog bites man", "Concept"),
        ("nowhere", "now here", "Concept"),
        (
            "Kelp farming lowers local herring spawn in sheltered bays",
            "Kelp farming raises local herring spawn in sheltered bays",
            "Claim",
        ),
        (
            "Northwest Indian Fisheries Commission of Western Washington",
            "Northwest Indian Fisheries Commission of Eastern Washington",
            "Organization",
        ),
        (
            "Herring Study of the Salish Sea, Part I",
            "Herring Study of the Salish Sea, Part II",
            "CaseStudy",
        ),
        (
            "Sanus Euro Foundation Series III Speaker Stand - EFSATSIII",
            "Sanus Euro Foundation Series III Speaker Stand - EFSATBKIII",
            "Project",
        ),
        (
            "Transcend 2GB CompactFlash Card (133x) - TS2GCF133",
            "Transcend 4GB CompactFlash Card (133x) - TS4GCF133",
            "Project",
        ),
    ] {
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
fn a_namesake_of_another_type_is_no_reason_to_ask() {
    let mut resolver = crowd("Person");
    resolver.insert(1, "Project", "Mercury", &[]);
    let found = resolver.resolve(&Query { type_hint: Some("Person"), ..Query::new("Mercury") });
    assert!(found.is_new() && found.candidates[0].confidence < 0.5, "{:#?}", found.candidates);
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
fn namesakes_share_their_confidence_until_the_context_tells() {
    let mut resolver = crowd("Person");
    resolver.insert(1, "Person", "Jane Austen", &[]);
    resolver.insert(2, "Person", "Jane Austen", &[]);
    let alone = resolver.resolve(&Query::new("Jane Austen"));
    assert!(alone.is_ambiguous() && alone.pick().is_none(), "{:#?}", alone.candidates);
    assert!(alone.candidates[0].reason.contains("1 other fits"), "{}", alone.candidates[0].reason);

    let context = |key: &u32| Shared {
        related: if *key == 2 { 2 } else { 0 },
        strangers: u32::from(*key == 1),
        ..Shared::default()
    };
    let told = resolver.resolve(&Query { context: Some(&context), ..Query::new("Jane Austen") });
    assert_eq!(told.pick().map(|candidate| candidate.key), Some(2), "{:#?}", told.candidates);
}

#[test]
fn a_name_comes_before_the_same_alias() {
    let mut resolver = crowd("Person");
    resolver.insert(1, "Person", "Yannick Ostrow", &[]);
    resolver.insert(2, "Person", "Bel Ammar", &["Yannick Ostrow".into()]);
    let found = resolver.resolve(&Query::new("Yannick Ostrow"));
    let first = found.pick().unwrap();
    assert_eq!((first.key, first.tier, first.decision), (1, Tier::Exact, Decision::Link));
    assert_eq!(found.candidates[1].tier, Tier::Alias);
}

#[test]
fn only_names_that_several_have_are_contested() {
    let mut resolver = crowd("Person");
    for (key, name) in [(1, "Marc Hull"), (2, "Mark Hall"), (3, "Marc Hill")] {
        resolver.insert(key, "Person", name, &[]);
    }
    let hint = Some("Person");
    let near = resolver.resolve(&Query { type_hint: hint, ..Query::new("Marc Hall") });
    assert!(near.pick().is_none_or(|one| one.decision != Decision::Link) && !near.is_contested());
    resolver.insert(4, "Person", "Marc Hull", &[]);
    let same = resolver.resolve(&Query { type_hint: hint, ..Query::new("Marc Hull") });
    assert!(same.is_contested(), "{:#?}", same.candidates);
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
