//! Random stories of merged entities. They are generated from fixed seeds, so they are the same
//! each time.

use std::ops::Range;

use serde_json::Value;

use crate::parting::Step::{
    self, Alias, Away, Back, ByHand, Describe, Ingest, IngestUri, Join, Journal, Log, Merge, Move,
    Note, Register, RegisterUri, Relate, Remove, Unalias, Unmerge, Whole,
};
use crate::parting::Who::{self, Ada, Eleanor, Mask, Nora, Otto};
use crate::parting::{ADA, ELEANOR, EVERYBODY, NORA, NORMA, OTTO, Story};

/// The number of stories.
const STORIES: u64 = 40;
/// With this variable, as many stories are told instead, or those of a range (`300..400`).
const MORE: &str = "LOREWELL_STORIES";
/// The maximum length of a story.
const STEPS_MAX: usize = 14;

#[tokio::test]
async fn two_that_part_are_what_they_would_be_whatever_happened() {
    for seed in std::env::var(MORE).map_or(0..STORIES, |more| seeds(&more)) {
        let steps = Chance(seed).story();
        if let Some(wrong) = difference(&steps, seed).await {
            let (least, wrong) = least(steps, wrong, seed).await;
            panic!("story {seed}: {least:?}\n{wrong}");
        }
    }
}

fn seeds(told: &str) -> Range<u64> {
    let (first, end) = told.split_once("..").unwrap_or(("0", told));
    first.parse().unwrap()..end.parse().unwrap()
}

/// Runs a story with and without its merges, at the end of which everybody is unmerged in an order
/// derived from `seed`. Returns the differences, if there are any.
async fn difference(steps: &[Step], seed: u64) -> Option<String> {
    let mut steps = steps.to_vec();
    loop {
        let told = tell(&steps, Merges::AsTold, seed).await;
        let without = tell(&steps, Merges::None, seed).await;
        // Steps that are refused in one of the two worlds are removed from both.
        let refused: Vec<bool> =
            told.refused.iter().zip(&without.refused).map(|(one, other)| *one || *other).collect();
        if refused.contains(&true) {
            let mut refused = refused.into_iter();
            steps.retain(|_| !refused.next().unwrap());
            continue;
        }
        let pairs = told.known.iter().zip(&without.known).filter(|(told, other)| told != other);
        let shown: String =
            pairs.map(|(told, other)| format!("\n  is     {told}\n  should {other}")).collect();
        return Some(shown).filter(|shown| !shown.is_empty());
    }
}

/// Shortens a failing story as far as it still fails.
async fn least(mut steps: Vec<Step>, mut wrong: String, seed: u64) -> (Vec<Step>, String) {
    let mut place = 0;
    while place < steps.len() {
        let mut fewer = steps.clone();
        fewer.remove(place);
        match difference(&fewer, seed).await {
            Some(still) => (steps, wrong) = (fewer, still),
            None => place += 1,
        }
    }
    (steps, wrong)
}

#[derive(Clone, Copy, PartialEq)]
enum Merges {
    AsTold,
    None,
}

struct Told {
    known: Vec<Value>,
    refused: Vec<bool>,
}

/// Runs a story. In the end, nobody is merged except by the steps that both worlds have.
async fn tell(steps: &[Step], merges: Merges, seed: u64) -> Told {
    let story = Story::begin().await;
    let (mut refused, mut merged) = (Vec::new(), Vec::new());
    for step in steps {
        let done = match (*step, merges) {
            (Merge(..) | Unmerge(_), Merges::None) => true,
            (step, _) => story.goes_on(step).await,
        };
        match *step {
            Merge(who, _) if done => merged.push(who),
            Unmerge(who) if done => merged.retain(|one| *one != who),
            _ => {}
        }
        refused.push(!done);
    }
    if merges == Merges::AsTold {
        part_all(&story, merged, &mut Chance(seed)).await;
    }
    story.goes_on(Back).await;
    story.world.post("sync-relationships", serde_json::json!({})).await;
    let mut known = Vec::new();
    for who in EVERYBODY {
        known.push(story.known(who).await);
    }
    Told { known, refused }
}

/// Undoes these merges in random order. An entity that was merged as part of another can only be
/// unmerged after that one.
async fn part_all(story: &Story, mut merged: Vec<Who>, chance: &mut Chance) {
    while !merged.is_empty() {
        let first = chance.below(merged.len());
        merged.rotate_left(first);
        let mut parted = None;
        for (place, who) in merged.iter().enumerate() {
            if story.goes_on(Unmerge(*who)).await {
                parted = Some(place);
                break;
            }
        }
        let Some(place) = parted else { return };
        merged.remove(place);
    }
}

/// A deterministic random number generator.
struct Chance(u64);

const OTHERS: &[&str] = &["Ada Holt", "Otto Krug", "Mia Vale", "Mia Vale"];
const NAMES: &[&str] = &["Nora Pike", "Eleanor Vance", "Ada Holt", "Otto Krug", "The Jade Mask"];
/// Aliases that are added and removed. No text contains them, because texts are resolved when they
/// are read.
const ALIASES: &[&str] = &["Nono", "Elly", "Boss", "Addie", "The Jade Mask"];
const PATHS: &[&str] = &[NORA, ELEANOR, ADA, OTTO];
const PROPERTIES: &[&str] = &[
    "",
    "aliases: [Norrie]\n",
    "aliases: [Boss]\n",
    "aliases: [Nono, Boss]\n",
    "knows: \"[[Mia Vale]]\"\n",
    "knows: \"[[Otto Krug]]\"\n",
    "knows: [\"[[Ada Holt]]\", \"[[Nora Pike]]\"]\n",
    "aliases: [Elly]\nknows: [\"[[Eleanor Vance]]\", \"[[Mia Vale]]\"]\n",
    "aliases: [The Jade Mask, Nono]\n",
];
const TEXTS: &[&str] = &[
    "She came.",
    "Nora Pike came.",
    "Eleanor Vance met Ada Holt.",
    "Ada Holt sails with Otto Krug.",
    "See [[Nora Pike]] and [[Eleanor Vance]].",
];
const WHOM: &[&[Who]] = &[&[], &[Nora], &[Eleanor], &[Ada], &[Nora, Eleanor], &[Otto, Mask]];
const NAMED: &[&[&str]] = &[
    &[],
    &["Nora Pike"],
    &["Eleanor Vance"],
    &["Ada Holt", "Otto Krug"],
    &["Nora Pike", "Eleanor Vance"],
    &["Norrie"],
];

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        usize::try_from((mixed ^ (mixed >> 31)) % end as u64).unwrap()
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    fn story(&mut self) -> Vec<Step> {
        let length = 3 + self.below(STEPS_MAX - 2);
        let mut steps: Vec<Step> = (0..length).map(|_| self.step()).collect();
        // Only as a last step: an entity that was removed with its note does not come back when
        // somebody reports about it, and a new note under an old name is about a new entity. Both
        // may differ for merged entities.
        steps.extend(match self.below(6) {
            0 => Some(Remove(self.one(PATHS))),
            1 => Some(Move(NORA, NORMA)),
            _ => None,
        });
        // Notes do not learn of it when somebody whom they name comes back.
        if steps.iter().any(|step| matches!(step, Away)) {
            steps.retain(|step| !step.is_of_note());
        }
        let joined =
            |who: Who| steps.iter().any(|step| matches!(step, Join(one, _) if *one == who));
        let is_apart = |step: &&Step| match step {
            Merge(from, into) => !joined(*from) && !joined(*into),
            Unmerge(who) => !joined(*who),
            _ => true,
        };
        steps.iter().filter(is_apart).copied().collect()
    }

    fn step(&mut self) -> Step {
        match self.below(34) {
            30 | 31 => Relate(self.one(NAMES), "related_to", self.one(OTHERS)),
            32 => Away,
            33 => Back,
            0..7 => Merge(self.one(&EVERYBODY), self.one(&EVERYBODY)),
            7..9 => Unmerge(self.one(&EVERYBODY)),
            9..11 => Note(self.one(PATHS), self.one(PROPERTIES), self.one(TEXTS)),
            11 => ByHand(self.one(PATHS), self.one(PROPERTIES), self.one(TEXTS)),
            12 => Whole("Log.md", self.one(TEXTS)),
            13..15 => Alias(self.one(&EVERYBODY), self.one(ALIASES)),
            15 => Unalias(self.one(&EVERYBODY), self.one(ALIASES)),
            16..18 => Relate(self.one(NAMES), self.one(&["knows", "related_to"]), self.one(NAMES)),
            18..20 => Ingest(self.one(&["doc:1", "doc:2"]), self.one(NAMED)),
            20..22 => IngestUri(self.one(&["doc:1", "doc:3"]), self.one(&EVERYBODY)),
            22 => Register(self.one(NAMES), self.one(ALIASES)),
            23..25 => RegisterUri(self.one(&EVERYBODY), self.one(ALIASES)),
            25..27 => Journal(self.one(WHOM)),
            27 => Log(self.one(&EVERYBODY)),
            28 => Join(self.one(&[Otto, Ada]), self.one(&[Nora, Eleanor])),
            _ => Describe(self.one(&EVERYBODY), self.one(TEXTS)),
        }
    }
}
