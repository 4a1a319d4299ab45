//! The question "who is meant?" and its answer: candidates with probabilities.

use std::collections::BTreeMap;
use std::hash::Hash;

use rustc_hash::FxHashMap;

use crate::excess::excess;
use crate::index::{Index, Spelling};
use crate::judge::{Evidence, judge};
use crate::name::Name;
use crate::objection::Objection;
use crate::profile::Profile;
use crate::reason::{Circumstances, reason};
use crate::sameness::Sameness;

/// Everything that has a name, by its key.
#[derive(Debug, Clone)]
pub struct Resolver<K> {
    types: BTreeMap<String, Index>,
    things: Vec<Option<Thing<K>>>,
    places: FxHashMap<K, usize>,
}

#[derive(Debug, Clone)]
struct Thing<K> {
    key: K,
    type_key: String,
    type_name: String,
    name: String,
    aliases: Vec<String>,
    slots: Vec<u32>,
}

/// A name somebody used.
#[derive(Clone, Copy)]
pub struct Query<'a, K> {
    /// The name.
    pub label: &'a str,
    /// The type it should have, in any case.
    pub type_hint: Option<&'a str>,
    /// What the surroundings of the name have in common with those of a candidate.
    pub context: Option<&'a dyn Fn(&K) -> Shared>,
    /// Most candidates to give.
    pub limit: usize,
}

impl<'a, K> Query<'a, K> {
    /// Asks for a name alone.
    pub fn new(label: &'a str) -> Self {
        Self { label, type_hint: None, context: None, limit: 5 }
    }
}

/// What the surroundings of a name and of a candidate have in common.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Shared {
    /// Things mentioned beside the name that the candidate is related to.
    pub related: u32,
    /// Topics in common.
    pub topics: u32,
    /// Things mentioned beside the name that the candidate, though it has relations,
    /// has nothing to do with.
    pub strangers: u32,
}

/// What was found, likeliest first.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolution<K> {
    /// The candidates.
    pub candidates: Vec<Candidate<K>>,
    /// What all that may be meant weigh together, whether they are shown or not.
    mass: Mass,
}

/// Probabilities of candidates that nothing speaks against.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Mass {
    open: f64,
    /// Of those that are more than guesses.
    same: f64,
}

/// A thing that may be meant.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate<K> {
    /// Which thing.
    pub key: K,
    /// What it is called.
    pub name: String,
    /// The spelling that fits, when it is an alias.
    pub alias: Option<String>,
    /// Its type.
    pub type_name: String,
    /// How far a caller may rely on it, from 0 to 1; below one half when something
    /// speaks against it.
    pub confidence: f64,
    /// How probable the names alone make it, objections left aside.
    pub probability: f64,
    /// What kind of likeness it was found by.
    pub tier: Tier,
    /// What to do with it.
    pub decision: Decision,
    /// What speaks against it.
    pub objection: Option<Objection>,
    /// Whether the names differ in a way that those of two things could, too.
    pub guess: bool,
    /// Whether it is of another type than asked for, and so something else unless somebody
    /// says otherwise.
    pub other_type: bool,
    /// Why, in words.
    pub reason: String,
}

/// What kind of likeness a candidate was found by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// The same name.
    Exact,
    /// The same as an alias.
    Alias,
    /// A similar name, and known together with what was mentioned.
    Contextual,
    /// A similar name.
    Fuzzy,
}

impl Tier {
    /// The tier's name in answers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Alias => "alias",
            Self::Contextual => "contextual",
            Self::Fuzzy => "fuzzy",
        }
    }
}

/// What to do with a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Decision {
    /// Sure enough to link without asking, as long as it can be undone.
    Link,
    /// Likely: link, and show that it is a guess.
    Probable,
    /// Possible: let somebody choose.
    Offer,
    /// Unlikely.
    Distant,
}

impl<K> Resolution<K> {
    /// The candidate to link to, if there is one.
    pub fn pick(&self) -> Option<&Candidate<K>> {
        self.candidates
            .iter()
            .find(|candidate| matches!(candidate.decision, Decision::Link | Decision::Probable))
    }

    /// Whether the name fits several things about equally: somebody has to choose.
    pub fn is_ambiguous(&self) -> bool {
        self.pick().is_none() && self.mass.open >= PROBABLE
    }

    /// Whether the name is that of several things already, beyond guessing: nobody but the
    /// caller can tell whether it is one of them or one more.
    pub fn is_contested(&self) -> bool {
        self.is_ambiguous() && self.mass.same >= PROBABLE
    }

    /// Whether nothing known is meant.
    pub fn is_new(&self) -> bool {
        self.pick().is_none() && !self.is_ambiguous()
    }
}

/// How sharply evidence becomes probability: below 1, because words of a name are
/// not independent of each other.
const SHARPNESS: f64 = 0.7;
/// Things that might be meant but that nobody has written down yet.
const UNWRITTEN: f64 = 1000.0;
/// What it is worth that the name is what a thing is called first: who says it means that
/// thing before any that is called so as well.
const OWN_NAME: f64 = 2.5;
/// What it is worth to be written to the letter as what was asked: of two that differ in case
/// alone, that one is meant.
const TO_THE_LETTER: f64 = 1.5;
/// What it costs to be of another type than asked for.
const OTHER_TYPE: f64 = 4.0;
const PROBABLE: f64 = 0.5;
const POSSIBLE: f64 = 0.2;
/// From here on, the same name is that of the one thing and of no other.
const SAME_NAME: f64 = 0.8;
const LEAST_SHOWN: f64 = 0.02;
/// A name alone never makes certain.
const MOST_FOR_SAME: f64 = 0.99;
const MOST_FOR_SIMILAR: f64 = 0.97;
/// What two things could be called as well is probable at most, however rare the names: below
/// what anybody links without asking.
const MOST_FOR_GUESS: f64 = 0.79;
/// What must not be taken for what was asked without somebody looking at it.
const MOST_IN_DOUBT: f64 = 0.49;
/// What the first thing in common with the surroundings tells, in nats: of all who could be
/// called so, only few are known together with it.
const COMPANY: f64 = 3.5;

impl<K> Default for Resolver<K> {
    fn default() -> Self {
        Self { types: BTreeMap::new(), things: Vec::new(), places: FxHashMap::default() }
    }
}

impl<K: Clone + Eq + Hash> Resolver<K> {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many things are known.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Changes how names of a type are compared; its names are read anew.
    pub fn set_profile(&mut self, type_name: &str, profile: Profile) {
        let type_key = type_key(type_name);
        let mut index = Index::new(profile);
        for (place, thing) in self.things.iter_mut().enumerate() {
            if let Some(thing) = thing.as_mut().filter(|thing| thing.type_key == type_key) {
                thing.slots = spell(&mut index, place, &thing.name, &thing.aliases);
            }
        }
        self.types.insert(type_key, index);
    }

    /// How names of a type are compared.
    pub fn profile(&self, type_name: &str) -> Profile {
        let index = self.types.get(&type_key(type_name));
        index.map_or_else(|| Profile::of(type_name), |index| index.profile.clone())
    }

    /// Makes a thing known, or known anew.
    pub fn insert(&mut self, key: K, type_name: &str, name: &str, aliases: &[String]) {
        self.remove(&key);
        let place = self.things.len();
        let type_key = type_key(type_name);
        let index = self.types.entry(type_key.clone());
        let index = index.or_insert_with(|| Index::new(Profile::of(type_name)));
        let slots = spell(index, place, name, aliases);
        self.places.insert(key.clone(), place);
        self.things.push(Some(Thing {
            key,
            type_key,
            type_name: type_name.to_owned(),
            name: name.to_owned(),
            aliases: aliases.to_vec(),
            slots,
        }));
    }

    /// Forgets a thing.
    pub fn remove(&mut self, key: &K) {
        let Some(place) = self.places.remove(key) else { return };
        let Some(thing) = self.things.get_mut(place).and_then(Option::take) else { return };
        if let Some(index) = self.types.get_mut(&thing.type_key) {
            thing.slots.into_iter().for_each(|slot| index.remove(slot));
        }
    }

    /// Who is meant by a name.
    pub fn resolve(&self, query: &Query<'_, K>) -> Resolution<K> {
        let hint = query.type_hint.map(type_key).filter(|hint| !hint.is_empty());
        let mut found: FxHashMap<usize, Scored<'_, K>> = FxHashMap::default();
        for (type_key, index) in &self.types {
            let fits = hint.as_ref().is_none_or(|hint| hint == type_key);
            for scored in self.score(index, query, fits) {
                let best =
                    found.get(&scored.place).is_none_or(|other| scored.excess > other.excess);
                if best {
                    found.insert(scored.place, scored);
                }
            }
        }
        let mut candidates = candidates(found.into_values().collect());
        let mass = Mass::of(&candidates);
        candidates.truncate(query.limit);
        Resolution { candidates, mass }
    }

    fn score(&self, index: &Index, query: &Query<'_, K>, fits: bool) -> Vec<Scored<'_, K>> {
        let asked = Name::parse(query.label, index.profile.family);
        if asked.tokens.is_empty() {
            return Vec::new();
        }
        let needed = (index.len() as f64 + UNWRITTEN).ln() + index.profile.caution;
        let weight = |token: &_, before: Option<&_>| match before {
            Some(before) => index.weight_after(before, token),
            None => index.weight(token),
        };
        let slots = index.candidates(&asked).into_iter().filter_map(|place| index.slot(place));
        let scored = slots.filter_map(|slot| {
            let thing = self.things.get(slot.thing)?.as_ref()?;
            let mut evidence = judge(&asked, &slot.name, &index.profile, &weight);
            if !fits && evidence.sameness != Sameness::Full {
                return None;
            }
            let shared = query.context.map(|context| context(&thing.key)).unwrap_or_default();
            let context = nats(shared, index.profile.least_company);
            // A part of a name is enough among people who know each other.
            if context > 0.0 && evidence.objection == Some(Objection::PartOfName) {
                evidence.objection = None;
            }
            let penalty = if fits { 0.0 } else { OTHER_TYPE };
            let same = evidence.sameness == Sameness::Full && asked.is_written_as(&slot.name);
            let own = if same && slot.spelling == Spelling::Name { OWN_NAME } else { 0.0 };
            let to_the_letter = same && slot.text.trim() == query.label.trim();
            let own = own + if to_the_letter { TO_THE_LETTER } else { 0.0 };
            let excess = excess(&evidence, &asked, &slot.name, needed) + own + context - penalty;
            Some(Scored {
                place: slot.thing,
                thing,
                alias: (slot.spelling == Spelling::Alias).then(|| slot.text.clone()),
                asked: asked.clone(),
                known: slot.name.clone(),
                profile: index.profile.clone(),
                evidence,
                excess,
                context,
                other_type: !fits,
            })
        });
        scored.collect()
    }
}

/// A candidate before its probability is known.
struct Scored<'a, K> {
    place: usize,
    thing: &'a Thing<K>,
    alias: Option<String>,
    asked: Name,
    known: Name,
    profile: Profile,
    evidence: Evidence,
    /// Evidence beyond what chance would need, in nats.
    excess: f64,
    context: f64,
    other_type: bool,
}

fn type_key(type_name: &str) -> String {
    type_name.trim().to_lowercase()
}

fn spell(index: &mut Index, thing: usize, name: &str, aliases: &[String]) -> Vec<u32> {
    let mut slots = vec![index.insert(thing, Spelling::Name, name)];
    slots.extend(aliases.iter().map(|alias| index.insert(thing, Spelling::Alias, alias)));
    slots
}

/// What the surroundings tell, in nats: the first thing in common tells most, and fewer
/// things than are asked for tell nothing.
fn nats(shared: Shared, least: u32) -> f64 {
    let common = shared.related + shared.topics;
    if common == 0 {
        return if shared.strangers > 0 { -1.0 } else { 0.0 };
    }
    if common < least {
        return 0.0;
    }
    let related = match shared.related {
        0 => 0.0,
        more => COMPANY + f64::from(more.min(4) - 1),
    };
    related + f64::from(shared.topics.min(3)) * 0.7
}

impl Mass {
    fn of<K>(candidates: &[Candidate<K>]) -> Self {
        let open = |one: &&Candidate<K>| one.objection.is_none() && !one.other_type;
        let sum = |wanted: &dyn Fn(&&Candidate<K>) -> bool| -> f64 {
            candidates.iter().filter(open).filter(wanted).map(|one| one.probability).sum()
        };
        Self { open: sum(&|_| true), same: sum(&|one| !one.guess) }
    }
}

fn candidates<K: Clone>(scored: Vec<Scored<'_, K>>) -> Vec<Candidate<K>> {
    let odds = |scored: &Scored<'_, K>| (SHARPNESS * scored.excess).exp();
    let total: f64 = 1.0 + scored.iter().map(odds).sum::<f64>();
    let probabilities: Vec<f64> = scored.iter().map(|scored| odds(scored) / total).collect();
    let close = |probability: f64| {
        probabilities.iter().filter(|other| **other >= probability / 2.0).count().saturating_sub(1)
    };
    let mut found: Vec<Candidate<K>> = scored
        .iter()
        .zip(&probabilities)
        .filter(|(_, probability)| **probability >= LEAST_SHOWN)
        .map(|(scored, probability)| candidate(scored, *probability, close(*probability)))
        .collect();
    found.sort_by(|a, b| {
        let by_confidence = b.confidence.total_cmp(&a.confidence);
        by_confidence.then(b.probability.total_cmp(&a.probability)).then(a.name.cmp(&b.name))
    });
    found
}

fn candidate<K: Clone>(scored: &Scored<'_, K>, probability: f64, namesakes: usize) -> Candidate<K> {
    let same = scored.evidence.sameness == Sameness::Full;
    let most = match (is_doubtful(scored), same) {
        (true, _) => MOST_IN_DOUBT,
        (false, true) => MOST_FOR_SAME,
        (false, false) if is_guess(scored) => MOST_FOR_GUESS,
        (false, false) => MOST_FOR_SIMILAR,
    };
    let circumstances =
        Circumstances { context: scored.context, namesakes, other_type: scored.other_type };
    let confidence = (probability * scored.profile.reliability).min(most);
    Candidate {
        key: scored.thing.key.clone(),
        name: scored.thing.name.clone(),
        alias: scored.alias.clone(),
        type_name: scored.thing.type_name.clone(),
        confidence,
        probability,
        tier: tier(scored),
        decision: decision(scored, probability, confidence),
        objection: scored.evidence.objection,
        guess: is_guess(scored),
        other_type: scored.other_type,
        reason: reason(&scored.asked, &scored.known, &scored.evidence, circumstances),
    }
}

fn tier<K>(scored: &Scored<'_, K>) -> Tier {
    match (scored.evidence.sameness, &scored.alias) {
        (Sameness::Full, None) => Tier::Exact,
        (Sameness::Full, Some(_)) => Tier::Alias,
        _ if scored.context > 0.0 => Tier::Contextual,
        _ => Tier::Fuzzy,
    }
}

fn is_doubtful<K>(scored: &Scored<'_, K>) -> bool {
    scored.evidence.objection.is_some() || scored.other_type
}

/// Whether nothing but names that differ speaks for it.
fn is_guess<K>(scored: &Scored<'_, K>) -> bool {
    scored.evidence.guess && scored.context <= 0.0
}

/// What to do with it, by what is shown of it. The same name needs no threshold of a type: others
/// are told how alike names must be, not how equal.
fn decision<K>(scored: &Scored<'_, K>, probability: f64, confidence: f64) -> Decision {
    let doubtful = is_doubtful(scored);
    let same = scored.evidence.sameness == Sameness::Full && probability >= SAME_NAME;
    if (same || confidence >= scored.profile.link_at) && !doubtful {
        Decision::Link
    } else if probability >= PROBABLE && !doubtful {
        Decision::Probable
    } else if probability >= POSSIBLE {
        Decision::Offer
    } else {
        Decision::Distant
    }
}
