//! The resolver: takes a name and returns candidates with probabilities.

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
    /// The places of removed things, to be taken again.
    free: Vec<usize>,
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

/// A name to resolve.
#[derive(Clone, Copy)]
pub struct Query<'a, K> {
    /// The name.
    pub label: &'a str,
    /// The type it should have, ignoring case.
    pub type_hint: Option<&'a str>,
    /// Returns what the context of the name has in common with that of a candidate.
    pub context: Option<&'a dyn Fn(&K) -> Shared>,
    /// The most candidates to return.
    pub limit: usize,
}

impl<'a, K> Query<'a, K> {
    /// Creates a query for a name without context.
    pub fn new(label: &'a str) -> Self {
        Self { label, type_hint: None, context: None, limit: 5 }
    }
}

/// What the context of a name and that of a candidate have in common.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Shared {
    /// How many things mentioned beside the name the candidate is related to.
    pub related: u32,
    /// How many topics they share.
    pub topics: u32,
    /// How many things mentioned beside the name the candidate is not related to, although it has
    /// relations.
    pub strangers: u32,
}

/// The result of a query, most likely candidate first.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolution<K> {
    /// The candidates.
    pub candidates: Vec<Candidate<K>>,
    /// The probability of all candidates together, including those beyond the limit.
    mass: Mass,
}

/// Summed probabilities of candidates without an objection.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Mass {
    open: f64,
    /// Only of those that are more than guesses.
    same: f64,
}

/// A thing that may be meant.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate<K> {
    /// Its key.
    pub key: K,
    /// Its main name.
    pub name: String,
    /// The matching spelling, if it is an alias.
    pub alias: Option<String>,
    /// Its type.
    pub type_name: String,
    /// How far a caller may rely on it, from 0 to 1; below one half if there is an objection.
    pub confidence: f64,
    /// How probable the names alone make it, ignoring objections.
    pub probability: f64,
    /// How it was found.
    pub tier: Tier,
    /// What to do with it.
    pub decision: Decision,
    /// What speaks against it, if anything.
    pub objection: Option<Objection>,
    /// Whether the names differ in a way in which the names of two different things could differ.
    pub guess: bool,
    /// Whether it has another type than asked for. Then it counts as something else unless a person
    /// says otherwise.
    pub other_type: bool,
    /// The explanation, in words.
    pub reason: String,
}

/// How a candidate was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tier {
    /// It has the same name.
    Exact,
    /// It has an alias that is the same.
    Alias,
    /// It has a similar name, and is related to what was mentioned.
    Contextual,
    /// It has a similar name.
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
    /// Certain enough to link without asking, as long as it can be undone.
    Link,
    /// Likely: link, and show that it is a guess.
    Probable,
    /// Possible: let a person choose.
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

    /// Whether the name fits several things about equally, so that a person has to choose.
    pub fn is_ambiguous(&self) -> bool {
        self.pick().is_none() && self.mass.open >= PROBABLE
    }

    /// Whether several things already have this name, beyond guessing. Only the caller can tell
    /// whether one of them or a new thing is meant.
    pub fn is_contested(&self) -> bool {
        self.is_ambiguous() && self.mass.same >= PROBABLE
    }

    /// Whether the name means nothing that is known.
    pub fn is_new(&self) -> bool {
        self.pick().is_none() && !self.is_ambiguous()
    }
}

/// How sharply evidence becomes probability: below 1, because the words of a name are not
/// independent of each other.
const SHARPNESS: f64 = 0.7;
/// The assumed number of things that may be meant but are not stored.
const UNWRITTEN: f64 = 1000.0;
/// What it is worth, in nats, that the name is the main name of a thing rather than an alias.
const OWN_NAME: f64 = 2.5;
/// What it is worth, in nats, that the spelling is exactly the same. Decides between names that
/// differ only in case.
const TO_THE_LETTER: f64 = 1.5;
/// The cost in nats of another type than asked for.
const OTHER_TYPE: f64 = 4.0;
const PROBABLE: f64 = 0.5;
const POSSIBLE: f64 = 0.2;
/// From this probability on, the same name means this one thing.
const SAME_NAME: f64 = 0.8;
const LEAST_SHOWN: f64 = 0.02;
/// The most confidence: a name alone never makes certain.
const MOST_FOR_SAME: f64 = 0.99;
const MOST_FOR_SIMILAR: f64 = 0.97;
/// The most confidence for a guess, however rare the names: below what is linked without asking.
const MOST_FOR_GUESS: f64 = 0.79;
/// The most confidence where a person must check the match.
const MOST_IN_DOUBT: f64 = 0.49;
/// The evidence of the first thing in common with the context, in nats: of all things with that
/// name, only few are related to it.
const COMPANY: f64 = 3.5;

impl<K> Default for Resolver<K> {
    fn default() -> Self {
        Self {
            types: BTreeMap::new(),
            things: Vec::new(),
            places: FxHashMap::default(),
            free: Vec::new(),
        }
    }
}

impl<K: Clone + Eq + Hash> Resolver<K> {
    /// Creates an empty resolver.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of known things.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Changes how names of a type are compared, and indexes its names again.
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

    /// The settings for comparing names of a type.
    pub fn profile(&self, type_name: &str) -> Profile {
        let index = self.types.get(&type_key(type_name));
        index.map_or_else(|| Profile::of(type_name), |index| index.profile.clone())
    }

    /// Adds a thing, or replaces the one with the same key.
    pub fn insert(&mut self, key: K, type_name: &str, name: &str, aliases: &[String]) {
        self.remove(&key);
        let place = self.free.pop().unwrap_or_else(|| {
            self.things.push(None);
            self.things.len() - 1
        });
        let type_key = type_key(type_name);
        let index = self.types.entry(type_key.clone());
        let index = index.or_insert_with(|| Index::new(Profile::of(type_name)));
        let slots = spell(index, place, name, aliases);
        self.places.insert(key.clone(), place);
        if let Some(thing) = self.things.get_mut(place) {
            *thing = Some(Thing {
                key,
                type_key,
                type_name: type_name.to_owned(),
                name: name.to_owned(),
                aliases: aliases.to_vec(),
                slots,
            });
        }
    }

    /// Removes a thing.
    pub fn remove(&mut self, key: &K) {
        let Some(place) = self.places.remove(key) else { return };
        let Some(thing) = self.things.get_mut(place).and_then(Option::take) else { return };
        self.free.push(place);
        if let Some(index) = self.types.get_mut(&thing.type_key) {
            thing.slots.into_iter().for_each(|slot| index.remove(slot));
        }
    }

    /// Finds the things that a name may mean.
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
            // With matching context, a part of a name is enough.
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

/// A candidate before probabilities are computed.
struct Scored<'a, K> {
    place: usize,
    thing: &'a Thing<K>,
    alias: Option<String>,
    asked: Name,
    known: Name,
    profile: Profile,
    evidence: Evidence,
    /// The evidence beyond what chance would produce, in nats.
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

/// The evidence of the context, in nats. The first thing in common counts most; fewer than `least`
/// count nothing.
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

/// Whether only differing names speak for it, without matching context.
fn is_guess<K>(scored: &Scored<'_, K>) -> bool {
    scored.evidence.guess && scored.context <= 0.0
}

/// What to do with a candidate. Equal names are linked regardless of the type's threshold, because
/// that threshold is about how similar names must be.
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
