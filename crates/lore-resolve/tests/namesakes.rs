//! Things that share a name, and which of them is meant.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

mod crowd;

use crowd::crowd;
use lore_resolve::{Decision, Query, Resolver, Shared, Tier};

/// So many others that no single word is telling by itself.
fn farms() -> Resolver<u32> {
    let mut resolver = Resolver::new();
    for number in 0..2_000 {
        resolver.insert(1_000 + number, "Organization", &format!("Hollow Farm {number}"), &[]);
    }
    resolver
}

#[test]
fn of_two_that_differ_in_case_the_one_written_so_is_meant() {
    let mut resolver = Resolver::new();
    resolver.insert(1, "Claim", "Views in a large-scale XML repository", &[]);
    resolver.insert(2, "Claim", "Views in a Large-Scale XML Repository", &[]);
    for (asked, key) in [
        ("Views in a large-scale XML repository", Some(1)),
        ("Views in a Large-Scale XML Repository", Some(2)),
        ("VIEWS IN A LARGE-SCALE XML REPOSITORY", None),
    ] {
        let found = resolver.resolve(&Query::new(asked));
        assert_eq!(found.pick().map(|one| one.key), key, "{asked}: {:#?}", found.candidates);
        assert!(found.candidates[0].decision != Decision::Link, "{:#?}", found.candidates);
    }
}

#[test]
fn a_bare_name_stands_for_the_one_with_a_remark_unless_there_are_two() {
    for known in ["Spago (Los Angeles)", "Bone's Restaurant", "Fenix at the Argyle Court"] {
        let bare = known.split(' ').next().unwrap();
        let mut resolver = farms();
        resolver.insert(1, "Organization", known, &[]);
        let ask = |asked: &str, resolver: &Resolver<u32>| {
            let found = resolver.resolve(&Query::new(asked));
            found.pick().map(|one| (one.key, one.decision))
        };
        assert_eq!(ask(bare, &resolver), Some((1, Decision::Probable)), "{known}");
        resolver.insert(2, "Organization", &format!("{bare} (Las Vegas)"), &[]);
        assert_eq!(ask(bare, &resolver), None, "{known}: it may be either");
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
