//! Parsing a query: what it asks for.

use std::sync::Arc;

use jiff::civil::Date;
use lore_text::analysis::{Language, identifiers, name_words, stems};
use lore_text::table::{self, DIMENSIONS};
use lore_text::time::{
    Mention, Reading, Relative, asked_dates, asks_for_time, is_date_word, names_time,
    relative_dates, respelt,
};
use lore_text::wordpiece::pieces_of_word;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::document::{Entry, Print};
use crate::fixed::ONE;
use crate::lexicon::Lexicon;
use crate::query::Query;
use crate::rank::frame::unframed;
use crate::rank::named::named_authors;
use crate::rank::several::asks_for_several;
use crate::rank::unsearched::Unsearched;
use crate::rank::weights;
use crate::vectors::Small;
use crate::view::calendar::day_number;
use crate::view::postings::Postings;
use crate::view::{AuthorId, View};

/// What a word of a question is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Says {
    /// The topic.
    What,
    /// Only that something happened or is asked: "happened", "news".
    That,
    /// A time.
    When,
}

/// A range of days that a question names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Days {
    first: i32,
    last: i32,
    ends: Ends,
}

/// How sharp the range is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// A named date. What happened then is often told some days later, but seldom before.
    Told,
    /// A range with explicit ends, or a relative time.
    Sharp,
}

impl Days {
    fn new((first, last): (Date, Date), ends: Ends) -> Self {
        Self { first: day_number(first), last: day_number(last), ends }
    }

    fn nearness(self, day: i32) -> f32 {
        let (early, late) = ((self.first - day) as f32, (day - self.last) as f32);
        match self.ends {
            _ if early <= 0.0 && late <= 0.0 => 1.0,
            _ if early > 0.0 => 0.5 * (-early / 20.0).exp(),
            Ends::Sharp => 0.5 * (-late / 20.0).exp(),
            Ends::Told if late > 10.0 => 0.9 * (-(late - 10.0) / 20.0).exp(),
            Ends::Told => 0.9,
        }
    }
}

/// A query, interpreted with the words and names of a view.
pub(super) struct Question {
    /// Distinct stems in order, followed by the identifiers of several words that occur in the
    /// view.
    pub(super) stems: Vec<String>,
    /// The weight of each stem within the question, by rarity; the sum is 1.
    shares: FxHashMap<String, f32>,
    /// The normalised words, in the form in which names are compared.
    pub(super) name: String,
    /// The fingerprint of a text that consists of just these words.
    pub(super) print: Print,
    /// Its vector from the built-in table.
    pub(super) meaning: Small,
    /// Its vector from the external model, and the model's name.
    pub(super) external: Option<(Arc<str>, Small)>,
    pub(super) asks_for_time: bool,
    /// Whether it asks for several things. Not set if it names a day, because a day is described in
    /// one place.
    pub(super) several: bool,
    /// The authors it names; empty if it names all of them.
    pub(super) authors: FxHashSet<AuthorId>,
    /// The weight of being said by one of them.
    pub(super) author_weight: f32,
    /// The days it names.
    pub(super) days: Vec<Days>,
    /// The stems that name these days.
    times: FxHashSet<String>,
}

impl Question {
    pub(super) fn read(query: &Query, view: &View, lexicon: &Lexicon) -> Self {
        let asked_for = unframed(&query.text, view);
        let name = name_words(asked_for);
        let documents = |term: &str| {
            let postings = lexicon.id(term).and_then(|id| view.postings(id));
            postings.map_or(0, Postings::len)
        };
        // Parts of identifiers that do not occur are still looked for.
        let occurs = |term: &str| documents(term) > 0;
        let dates = named_dates(asked_for, view);
        let text = respelt(asked_for, &dates, occurs);
        let unsearched = Unsearched::read(&text, Language::of(&query.text), view);
        let mut wanted = Vec::new();
        let mut seen = FxHashSet::default();
        let mut sum = [0.0; DIMENSIONS];
        let relative = relative_days(query, &text, view);
        let days = named_days(&dates, &relative, view);
        let only_times = only_times(&text, &relative, &unsearched);
        let mut times = FxHashSet::default();
        stems(&text, |word, stem| {
            // "ago" only marks a relative time.
            let is_time = word.surface.eq_ignore_ascii_case("ago")
                || only_times.contains(&word.start) && !names_time(word.surface);
            if is_time || unsearched.has(word) {
                return;
            }
            if !days.is_empty() && is_date_word(word.surface) {
                times.insert(stem.to_owned());
            }
            if seen.insert(stem.to_owned()) {
                wanted.push(stem.to_owned());
            }
            for piece in pieces_of_word(word.surface) {
                table::add_row(piece, view.piece_rarity(piece), &mut sum);
            }
        });
        identifiers(asked_for, |_, term| {
            if occurs(term) && seen.insert(term.to_owned()) {
                wanted.push(term.to_owned());
            }
        });
        let several = days.is_empty()
            && asks_for_several(&name.split(' ').take(Unsearched::MOST_WORDS).collect::<Vec<_>>());
        let external = query.embedding.as_ref();
        let rarity = |stem: &String| view.rarity(documents(stem) as u64 * ONE);
        Self {
            shares: shares(&wanted, rarity),
            stems: wanted,
            print: Print::of(&query.text),
            meaning: Small::unit(&sum),
            external: external.map(|v| (Arc::clone(&v.model), Small::unit(&v.values))),
            asks_for_time: asks_for_time(asked_for),
            several,
            authors: named_authors(asked_for, unsearched.role, view),
            author_weight: match unsearched.role {
                Some(_) => weights::SIDE,
                None if several => weights::AUTHOR_OF_SEVERAL,
                None => weights::AUTHOR,
            },
            days,
            times,
            name,
        }
    }

    /// The share of its words, weighted by rarity, that a document contains.
    pub(super) fn words_in(&self, entry: &Entry) -> f32 {
        let mut share = 0.0;
        entry.analysis.for_each_term(|stem, _| {
            share += self.shares.get(stem).copied().unwrap_or_default();
        });
        share
    }

    /// The same for words that are not in the head of its node.
    pub(super) fn words_beyond(&self, head: &Entry, entry: &Entry) -> f32 {
        let mut known = FxHashSet::default();
        head.analysis.for_each_term(|stem, _| {
            known.extend(self.shares.get_key_value(stem).map(|(stem, _)| stem));
        });
        let mut share = 0.0;
        entry.analysis.for_each_term(|stem, _| {
            let said = self.shares.get_key_value(stem).filter(|(stem, _)| !known.contains(stem));
            share += said.map(|(_, share)| *share).unwrap_or_default();
        });
        share
    }

    /// What one of its stems is about.
    pub(super) fn says(&self, stem: &str) -> Says {
        match stem {
            stem if self.times.contains(stem) => Says::When,
            stem if ASKS.contains(&stem) => Says::That,
            _ => Says::What,
        }
    }

    /// Whether a day is one of those it names.
    pub(super) fn names(&self, day: i32) -> bool {
        self.days.iter().any(|days| (days.first..=days.last).contains(&day))
    }

    /// How near a day is to those it names, 0 to 1.
    pub(super) fn nearness(&self, day: i32) -> f32 {
        self.days.iter().map(|days| days.nearness(day)).fold(0.0, f32::max)
    }
}

/// The weight of each stem among all, by rarity.
fn shares(stems: &[String], rarity: impl Fn(&String) -> f32) -> FxHashMap<String, f32> {
    let all: f32 = stems.iter().map(&rarity).sum();
    let share = |stem: &String| (stem.clone(), rarity(stem) / all.max(f32::MIN_POSITIVE));
    stems.iter().map(share).collect()
}

/// Stems of words that ask what happened, without naming a topic.
const ASKS: [&str; 20] = [
    "happen", "occur", "event", "new", "news", "thing", "anyth", "someth", "everyth", "go", "say",
    "tell", "talk", "discuss", "mention", "record", "note", "write", "learn", "rememb",
];

/// The most dates of a question that are used.
const MOST_DATES: usize = 16;

/// The dates in a question. If a date can mean different days, those with texts are meant.
fn named_dates(question: &str, view: &View) -> Vec<Mention> {
    let mut mentions = asked_dates(question);
    mentions.truncate(MOST_DATES);
    for mention in mentions.iter_mut().filter(|mention| mention.readings.len() > 1) {
        let has_texts = |reading: &Reading| {
            let days = reading.year().and_then(|year| reading.days(year));
            days.is_some_and(|(first, last)| view.calendar.has_between(first, last))
        };
        if mention.readings.iter().any(has_texts) {
            mention.readings.retain(has_texts);
        }
    }
    mentions
}

fn named_days(dates: &[Mention], relative: &[Relative], view: &View) -> Vec<Days> {
    let named = dates.iter().flat_map(|mention| &mention.readings).flat_map(|reading| {
        let mut years = reading.year().map_or_else(|| view.calendar.years(), |year| vec![year]);
        // A winter is counted by the year in which it ends.
        if reading.year().is_none() && reading.turns_the_year() {
            years.extend(years.last().and_then(|last| last.checked_add(1)));
        }
        let ends = if reading.is_span() { Ends::Sharp } else { Ends::Told };
        years.into_iter().filter_map(move |year| Some(Days::new(reading.days(year)?, ends)))
    });
    named.chain(relative.iter().map(|time| Days::new(time.days, Ends::Sharp))).collect()
}

/// The relative times in a question, such as "last week", counted from the day it is asked.
fn relative_days(query: &Query, text: &str, view: &View) -> Vec<Relative> {
    let today = view.calendar.today(query.asked_at);
    today.map(|today| relative_dates(text, today)).unwrap_or_default()
}

/// The positions of the words of relative times, if the question asks for nothing else. They are
/// not searched for, because in a text the same words mean another time.
fn only_times(text: &str, relative: &[Relative], unsearched: &Unsearched) -> Vec<usize> {
    if relative.is_empty() {
        return Vec::new();
    }
    let is_relative = |at: usize| relative.iter().any(|time| time.place.contains(&at));
    let (mut times, mut says_more) = (Vec::new(), false);
    stems(text, |word, stem| {
        if is_relative(word.start) {
            times.push(word.start);
        } else {
            says_more |= !ASKS.contains(&stem) && !unsearched.has(word);
        }
    });
    if says_more { Vec::new() } else { times }
}
