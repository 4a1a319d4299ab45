//! Things that share a name, and which of them is meant.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test fails by panicking")]

use lore_resolve::{Decision, Query, Resolver};

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
