//! What a query asks for, read once.

use lore_text::analysis::{identifiers, name_words, stems};
use lore_text::table::{self, DIMENSIONS};
use lore_text::time::{asked_dates, asks_for_time, relative_dates};
use lore_text::wordpiece::pieces_of_word;
use rustc_hash::FxHashSet;

use crate::lexicon::Lexicon;
use crate::query::Query;
use crate::vectors::Small;
use crate::view::calendar::day_number;
use crate::view::postings::Postings;
use crate::view::{AuthorId, View};

/// A query, understood with what a view knows.
pub(super) struct Question {
    /// Distinct stems in order, then the identifiers made of several words that occur.
    pub(super) stems: Vec<String>,
    /// The folded words, as names are compared.
    pub(super) name: String,
    /// What it means, by the compiled-in table.
    pub(super) meaning: Small,
    /// What it means to the external model, and the model's name.
    pub(super) external: Option<(String, Small)>,
    pub(super) asks_for_time: bool,
    /// Who is named; nobody when everybody is.
    pub(super) authors: FxHashSet<AuthorId>,
    /// First and last days that are named.
    pub(super) days: Vec<(i32, i32)>,
}

impl Question {
    pub(super) fn read(query: &Query, view: &View, lexicon: &Lexicon) -> Self {
        let name = name_words(&query.text);
        let mut wanted = Vec::new();
        let mut seen = FxHashSet::default();
        let mut sum = [0.0; DIMENSIONS];
        stems(&query.text, |word, stem| {
            if seen.insert(stem.to_owned()) {
                wanted.push(stem.to_owned());
            }
            for piece in pieces_of_word(word.surface) {
                table::add_row(piece, view.piece_rarity(piece), &mut sum);
            }
        });
        // Of one that stands nowhere, the parts are asked for all the same.
        let occurs = |term: &str| {
            let postings = lexicon.id(term).and_then(|id| view.postings(id));
            postings.map_or(0, Postings::len) > 0
        };
        identifiers(&query.text, |_, term| {
            if occurs(term) && seen.insert(term.to_owned()) {
                wanted.push(term.to_owned());
            }
        });
        let external = query.embedding.as_ref();
        Self {
            stems: wanted,
            meaning: Small::unit(&sum),
            external: external.map(|v| (v.model.to_string(), Small::unit(&v.values))),
            asks_for_time: asks_for_time(&query.text),
            authors: named_authors(&name, view),
            days: named_days(query, view),
            name,
        }
    }

    /// Whether a day is one of those that are named.
    pub(super) fn names(&self, day: i32) -> bool {
        self.days.iter().any(|(first, last)| (*first..=*last).contains(&day))
    }

    /// How near a day is to those that are named, 0 to 1. What happened is often told
    /// some days later, seldom before.
    pub(super) fn nearness(&self, day: i32) -> f32 {
        let near = |&(first, last): &(i32, i32)| {
            let (early, late) = ((first - day) as f32, (day - last) as f32);
            if early > 0.0 {
                0.5 * (-early / 20.0).exp()
            } else if late > 10.0 {
                0.9 * (-(late - 10.0) / 20.0).exp()
            } else if late > 0.0 {
                0.9
            } else {
                1.0
            }
        };
        self.days.iter().map(near).fold(0.0, f32::max)
    }
}

fn named_days(query: &Query, view: &View) -> Vec<(i32, i32)> {
    let dates = asked_dates(&query.text);
    let days = dates.iter().take(16).flat_map(|asked| {
        let years = asked.year.map_or_else(|| view.calendar.years(), |year| vec![year]);
        years.into_iter().filter_map(|year| asked.days(year))
    });
    let today = view.calendar.today(query.asked_at);
    let relative = today.into_iter().flat_map(|today| relative_dates(&query.text, today));
    days.chain(relative).map(|(first, last)| (day_number(first), day_number(last))).collect()
}

/// Longer queries are texts, not questions about somebody.
const MOST_WORDS: usize = 200;

fn named_authors(name: &str, view: &View) -> FxHashSet<AuthorId> {
    let words: Vec<&str> = name.split(' ').take(MOST_WORDS).collect();
    let named = |author: &str| match role(author) {
        Some(role) => role.is_meant(&words),
        None => words.iter().any(|word| means(word, author)),
    };
    let found: FxHashSet<AuthorId> =
        view.authors.live().filter(|(_, author)| named(author)).map(|(id, _)| id).collect();
    let found = if found.is_empty() { spelt_otherwise(&words, view) } else { found };
    if found.len() == view.authors.live().count() { FxHashSet::default() } else { found }
}

/// Authors whose first names sound like a word of the question: names of others are
/// seldom spelt as they spell them.
fn spelt_otherwise(words: &[&str], view: &View) -> FxHashSet<AuthorId> {
    let heard: FxHashSet<String> = words.iter().filter_map(|word| sound(word)).collect();
    let first = |author: &str| author.split(' ').next().and_then(sound);
    let live = view.authors.live().filter(|(_, author)| role(author).is_none());
    live.filter(|(_, author)| first(author).is_some_and(|sound| heard.contains(&sound)))
        .map(|(id, _)| id)
        .collect()
}

/// What a name sounds like: its first letter and its consonants, each once in a row. None
/// for what is too short to tell names apart.
fn sound(name: &str) -> Option<String> {
    const LEAST: usize = 3;
    let mut sound = String::new();
    for (at, letter) in name.chars().enumerate() {
        let letter = match letter {
            'c' | 'q' => 'k',
            'z' => 's',
            'y' => 'i',
            other => other,
        };
        let is_vowel = matches!(letter, 'a' | 'e' | 'i' | 'o' | 'u');
        if (at == 0 || !is_vowel) && !sound.ends_with(letter) {
            sound.push(letter);
        }
    }
    (sound.chars().count() >= LEAST).then_some(sound)
}

/// Whether a word of the question is an author's first name or short for it.
fn means(word: &str, author: &str) -> bool {
    let first = author.split(' ').next().unwrap_or_default();
    let (asked, full) = (word.chars().count(), first.chars().count());
    word == first && asked >= 2
        || asked >= 3 && full - asked.min(full) <= 3 && first.starts_with(word)
}

/// The two sides of a talk with a machine, who are hardly ever called by name.
enum Role {
    Person,
    Machine,
}

fn role(author: &str) -> Option<Role> {
    match author {
        "user" | "human" | "me" | "you" => Some(Role::Person),
        "assistant" | "ai" | "bot" | "model" | "chatgpt" | "claude" | "gemini" => {
            Some(Role::Machine)
        }
        _ => None,
    }
}

impl Role {
    /// The person asks about themselves ("my", "I"), or about what they were told ("you").
    fn is_meant(&self, words: &[&str]) -> bool {
        let has = |list: &[&str]| words.iter().any(|word| list.contains(word));
        let you = has(&["you", "your", "yours", "assistant"]);
        match self {
            Self::Person => !you && has(&["i", "my", "me", "mine", "myself", "we", "our", "user"]),
            Self::Machine => you,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_forms_mean_their_author() {
        assert!(means("mel", "melani"));
        assert!(means("caroline", "caroline smith"));
        assert!(!means("me", "melanie"));
        assert!(!means("carolines", "caroline"));
        assert!(!means("car", "caroline"));
    }

    #[test]
    fn names_sound_alike_however_they_are_spelt() {
        assert_eq!(sound("muhammad"), sound("mohamed"));
        assert_eq!(sound("aqib"), sound("akib"));
        assert_ne!(sound("marie"), sound("martha"));
        assert_eq!(sound("emi"), None);
    }

    #[test]
    fn roles_are_meant_by_pronouns() {
        let words = |text: &'static str| text.split(' ').collect::<Vec<_>>();
        assert!(Role::Person.is_meant(&words("what is my dog called")));
        assert!(Role::Machine.is_meant(&words("what did you tell me")));
        assert!(!Role::Person.is_meant(&words("what did you tell me")));
    }
}
