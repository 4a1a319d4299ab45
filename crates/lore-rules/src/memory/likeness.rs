//! Detects statements that repeat or contradict each other.
//!
//! This compares words, not meaning, and only serves to point something out: a person or a model
//! decides. Nothing may be merged or rejected because of it.

mod figures;
mod vocabulary;

use std::collections::{BTreeMap, BTreeSet};

use figures::{number, weekday, words};
use vocabulary::{CONCORDANT, DENIALS, FILLERS, OPPOSITES};

/// The relation of two statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Relation {
    /// They consist of nearly the same words in nearly the same order.
    Duplicate,
    /// They are about the same thing, but one denies what the other says, or gives another number
    /// or date.
    Contradiction,
    /// They are about the same thing.
    Similar,
}

impl Relation {
    /// The name of the relation.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Duplicate => "duplicate",
            Self::Contradiction => "contradiction",
            Self::Similar => "similar",
        }
    }
}

/// The least similarity of duplicates.
const SAME: f64 = 0.9;
/// The least similarity in word order of duplicates: order matters in who is taller than whom.
const SAME_ORDER: f64 = 0.6;
/// The least similarity, without numbers and dates, of the statements in a contradiction.
const SAME_SUBJECT: f64 = 0.55;
/// The least similarity that is worth pointing out.
const ALIKE: f64 = 0.4;

/// The normalised words of a statement, with denials kept apart.
#[derive(Debug, Default)]
pub struct Statement {
    words: BTreeSet<String>,
    /// Numbers and months, which say how much or when, but not what the statement is about, each
    /// with how often it occurs.
    numbers: BTreeMap<String, usize>,
    /// Days of the week.
    days: BTreeSet<String>,
    /// Each word with the preceding one.
    pairs: BTreeSet<(String, String)>,
    last: Option<String>,
    denials: usize,
    /// Whether it has a word that denies by itself, but not a second time beside a denial.
    is_concordant: bool,
    /// The words right after denials.
    denied: BTreeSet<String>,
    is_denying: bool,
}

impl Statement {
    /// Reads a statement.
    pub fn of(text: &str) -> Self {
        let mut statement = Self::default();
        words(text).iter().for_each(|word| statement.take(word));
        statement
    }

    /// Compares two statements; `None` if they have too little in common. The number is their
    /// similarity, 0 to 1: the Sørensen–Dice coefficient of their sets of words.
    pub fn compare(&self, other: &Self) -> Option<(Relation, f64)> {
        let similarity = self.similarity(other);
        if self.is_about_the_same_as(other) && self.disagrees_with(other) {
            return Some((Relation::Contradiction, similarity));
        }
        let is_same = similarity >= SAME && self.order_shared_with(other) >= SAME_ORDER;
        if is_same && !self.denies_unlike(other) {
            return Some((Relation::Duplicate, similarity));
        }
        (similarity >= ALIKE).then_some((Relation::Similar, similarity))
    }

    fn take(&mut self, word: &str) {
        if FILLERS.contains(&word) {
            return;
        }
        if CONCORDANT.contains(&word) {
            self.is_concordant = true;
            return;
        }
        if let Some(elided) = word.strip_prefix("n'").filter(|word| !word.is_empty()) {
            self.is_concordant = true;
            return self.take(elided);
        }
        if DENIALS.contains(&word) || word.ends_with("n't") {
            self.denials += 1;
            self.is_denying = true;
            return;
        }
        let root = stem(word);
        let opposite =
            OPPOSITES.iter().find(|(opposite, _)| *opposite == word || bare(opposite) == root);
        if let Some((_, positive)) = opposite {
            self.denials += 1;
            return self.take(positive);
        }
        let (number, day) = (number(word), weekday(word).map(str::to_owned));
        let root = number.clone().or_else(|| day.clone()).unwrap_or(root);
        if let Some(number) = number {
            *self.numbers.entry(number).or_default() += 1;
        }
        self.days.extend(day);
        if std::mem::take(&mut self.is_denying) {
            self.denied.insert(root.clone());
        }
        let before = self.last.replace(root.clone()).unwrap_or_default();
        self.pairs.insert((before, root.clone()));
        self.words.insert(root);
    }

    /// Returns the similarity of the two sets of words.
    fn similarity(&self, other: &Self) -> f64 {
        share(&self.words, &other.words)
    }

    /// Returns the similarity of the two sets of word pairs.
    fn order_shared_with(&self, other: &Self) -> f64 {
        share(&self.pairs, &other.pairs)
    }

    /// Whether both are about the same thing: apart from numbers and days, the words of one are a
    /// subset of the other's. If each has a word that the other lacks, they may be about different
    /// things.
    fn is_about_the_same_as(&self, other: &Self) -> bool {
        fn about(one: &Statement) -> BTreeSet<&String> {
            let is_told = |word: &&String| !one.numbers.contains_key(*word);
            one.words.difference(&one.days).filter(is_told).collect()
        }
        let (one, other) = (about(self), about(other));
        let is_one_subject = one.is_subset(&other) || other.is_subset(&one);
        is_one_subject && share(&one, &other) >= SAME_SUBJECT
    }

    /// Whether one denies what the other says. Of two denials, one cancels the other.
    fn denies_unlike(&self, other: &Self) -> bool {
        let denies = |one: &Self| one.denials % 2 == 1 || one.denials == 0 && one.is_concordant;
        denies(self) != denies(other)
    }

    fn disagrees_with(&self, other: &Self) -> bool {
        let is_denied = self.denies_unlike(other);
        // Both contain as many denials, but deny different words.
        let is_turned = self.denied != other.denied && self.order_shared_with(other) < SAME_ORDER;
        // A statement that names additional days or numbers only says more.
        let is_another_day = !self.days.is_subset(&other.days) && !other.days.is_subset(&self.days);
        let is_another_number =
            !are_among(&self.numbers, &other.numbers) && !are_among(&other.numbers, &self.numbers);
        is_denied || is_another_number || is_another_day || is_turned
    }
}

/// Whether all numbers of one statement occur in the other, and as often.
fn are_among(numbers: &BTreeMap<String, usize>, others: &BTreeMap<String, usize>) -> bool {
    numbers.iter().all(|(number, count)| others.get(number).is_some_and(|other| count <= other))
}

/// The Sørensen–Dice coefficient: twice the size of the intersection over the total size of both
/// sets.
fn share<T: Ord>(one: &BTreeSet<T>, other: &BTreeSet<T>) -> f64 {
    let all = one.len() + other.len();
    if all == 0 {
        return 0.0;
    }
    2.0 * one.intersection(other).count() as f64 / all as f64
}

/// Removes endings that do not make another word, roughly enough for counting common words.
fn stem(word: &str) -> String {
    let root = |ending: &str| word_without(word, ending);
    let single = match root("ies") {
        Some(root) => format!("{root}y"),
        None if word.ends_with("ss") => word.to_owned(),
        None => root("sses")
            .map_or_else(|| root("s").unwrap_or(word).to_owned(), |root| format!("{root}ss")),
    };
    let done = ["ing", "ed"].iter().find_map(|ending| {
        // Verbs such as *use* leave a shorter root.
        let short = || single.strip_suffix(ending).filter(|root| is_short_verb(root));
        word_without(&single, ending).or_else(short)
    });
    let plain = done.map(undoubled).unwrap_or(&single);
    // A silent `e`, or a `y` that becomes `i` before endings, does not make another word.
    match plain.strip_suffix(['e', 'y']) {
        Some(root) if plain.ends_with('y') => format!("{root}i"),
        Some(root) if root.chars().count() > 1 => root.to_owned(),
        _ => plain.to_owned(),
    }
}

/// Returns a word without an ending, if more than two characters are left.
fn word_without<'a>(word: &'a str, ending: &str) -> Option<&'a str> {
    word.strip_suffix(ending).filter(|root| root.chars().count() > 2)
}

/// Whether a root of two letters belongs to a verb such as *use*, *age* or *owe*.
fn is_short_verb(root: &str) -> bool {
    matches!(root, "ag" | "ax" | "ic" | "ow" | "us")
}

/// Turns `runn` of *running* into `run`, but keeps `tell` of *telling*.
fn undoubled(root: &str) -> &str {
    let mut letters = root.chars().rev();
    let is_doubled = matches!((letters.next(), letters.next()), (Some(a), Some(b))
        if a == b && !"aeioulsz".contains(a));
    let shorter = root.char_indices().next_back().and_then(|(at, _)| root.get(..at));
    shorter.filter(|_| is_doubled).unwrap_or(root)
}

/// Removes a silent `e`, which no stem ends in.
fn bare(word: &str) -> &str {
    word.strip_suffix('e').unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn relation(one: &str, other: &str) -> Option<Relation> {
        Statement::of(one).compare(&Statement::of(other)).map(|(relation, _)| relation)
    }

    #[test]
    fn a_switch_the_other_way_is_a_contradiction() {
        for (one, other) in [
            ("The beacon on the pier is on", "The beacon on the pier is off"),
            ("Nightly backups are enabled here", "Nightly backups are disabled here"),
        ] {
            assert_eq!(relation(one, other), Some(Relation::Contradiction), "{other}");
        }
        let same = "Nightly backups are disabled here";
        assert_eq!(relation(same, same), Some(Relation::Duplicate));
    }

    #[test]
    fn a_denial_is_none_of_the_same_in_any_language() {
        for (one, other) in [
            ("Мы используем Redis для кэша.", "Мы не используем Redis для кэша."),
            ("Мы используем Redis для кэша.", "Мы никогда не используем Redis для кэша."),
            ("Nous livrons le samedi.", "Nous ne livrons pas le samedi."),
            ("Il est à Porto le samedi.", "Il n'est jamais à Porto le samedi."),
            ("Usamos Redis para la caché", "No usamos Redis para la caché"),
            ("Usamos Redis para la caché", "Nunca usamos Redis para la caché"),
            ("Usiamo Redis per la cache", "Non usiamo Redis per la cache"),
            ("Usamos Redis para o cache", "Não usamos Redis para o cache"),
            ("We gebruiken Redis voor de cache", "We gebruiken Redis niet voor de cache"),
            ("Wir haben Zugriff auf den Server", "Wir haben keinen Zugriff auf den Server"),
            ("鍵は机の引き出しにある。", "鍵は机の引き出しにない。"),
            ("我们使用Redis作为缓存", "我们不使用Redis作为缓存"),
            ("我们有备份服务器的钥匙", "我们没有备份服务器的钥匙"),
        ] {
            assert_eq!(relation(one, other), Some(Relation::Contradiction), "{other}");
            assert_eq!(relation(other, one), Some(Relation::Contradiction), "{other}");
            assert_eq!(relation(other, other), Some(Relation::Duplicate), "{other}");
        }
        assert_eq!(relation("今天天气很好", "备份服务器在地下室"), None);
    }

    #[test]
    fn the_same_in_other_endings_is_a_duplicate() {
        let said = "Restart the worker after changing its settings";
        assert_eq!(
            relation(said, "restart the workers after changing the setting."),
            Some(Relation::Duplicate)
        );
        assert_eq!(relation(said, said), Some(Relation::Duplicate));
    }

    #[test]
    fn a_denial_and_another_number_contradict() {
        let pairs = [
            ("The bridge at Orm is safe to cross", "The bridge at Orm is not safe to cross"),
            ("The pool holds 10 connections", "The pool holds 25 connections"),
            ("Retries don't help with timeouts", "Retries help with timeouts"),
            ("The retry limit is three.", "The retry limit is five."),
            ("The retry limit is three.", "The retry limit is 5."),
            ("Das Limit liegt bei drei Versuchen", "Das Limit liegt bei zwölf Versuchen"),
        ];
        for (one, other) in pairs {
            assert_eq!(relation(one, other), Some(Relation::Contradiction), "{one} / {other}");
        }
    }

    #[test]
    fn a_number_in_words_is_the_same_number() {
        let said = relation("The retry limit is three", "The retry limit is 3");
        assert_eq!(said, Some(Relation::Duplicate));
        let none = relation("The retry limit is one of the settings", "The retry limit is five");
        assert_ne!(none, Some(Relation::Contradiction));
    }

    #[test]
    fn a_date_in_another_spelling_is_the_same_date() {
        let said = "The launch of the second ferry is on 2026-05-08";
        let other = "The launch of the second ferry is on 8 May 2026";
        assert_eq!(relation(said, other), Some(Relation::Similar));
        let later = "The launch of the second ferry is on 9 May 2026";
        assert_eq!(relation(said, later), Some(Relation::Contradiction));
        let short = ("The launch is on 2026-03-08", "The launch is on 8 March 2026");
        assert_ne!(relation(short.0, short.1), Some(Relation::Contradiction));
    }

    #[test]
    fn a_figure_in_another_spelling_is_the_same_figure() {
        for (one, other) in [
            ("The limit is 1,000 rows", "The limit is 1000 rows"),
            ("The limit is 1\u{2019}000,000 rows", "The limit is 1000000 rows"),
            ("The rent is $2,500", "The rent is $2500"),
            ("The market opens at 10:00", "The market opens at 10 am"),
            ("The market opens at 10 a.m.", "The market opens at 10am"),
            ("The market closes at 22:30", "The market closes at 10:30 pm"),
            ("The gates close at 00:15", "The gates close at 12:15 am"),
            ("Das Tor schließt um 10.30 Uhr", "Das Tor schließt um 10:30 Uhr"),
            ("The rent is $2,500.00", "The rent is $2500"),
            ("The rent is 2 500 in all", "The rent is 2,500.00 in all"),
            ("The limit is 1 000 rows", "The limit is 1000 rows"),
            ("The limit is 1\u{202f}000\u{a0}000 rows", "The limit is 1000000 rows"),
            ("The index takes 1,5 GB", "The index takes 1.50 GB"),
            ("The fair is on 8th May", "The fair is on 8 May"),
            ("Der Beitrag ist 12 EUR", "Der Beitrag ist 12.00 EUR"),
            ("Das Fest ist am 8.5. im Hof", "Das Fest ist am 8. Mai im Hof"),
        ] {
            assert_eq!(relation(one, other), Some(Relation::Duplicate), "{one} / {other}");
        }
        for (one, other) in [
            ("The limit is 1,000 rows", "The limit is 10,000 rows"),
            ("The market opens at 10:00", "The market opens at 10:30"),
            ("The market opens at 10 am", "The market opens at 10 pm"),
            ("The market opens at 10", "The market opens at 10:30"),
            ("The index takes 2 GB", "The index takes 2.5 GB"),
            ("The score is 3 of 5", "The score is 5 of 5"),
        ] {
            assert_eq!(relation(one, other), Some(Relation::Contradiction), "{one} / {other}");
        }
    }

    #[test]
    fn what_only_adds_a_number_does_not_contradict() {
        for (one, other) in [
            ("The launch is on 8 May", "The launch is on 8 May 2026"),
            ("Server runs on port 8080", "Server runs on port 8080 since 2024"),
            ("The pool holds 10 connections", "The pool holds 10 connections on 3 servers"),
        ] {
            assert_eq!(relation(one, other), Some(Relation::Similar), "{one} / {other}");
            assert_eq!(relation(other, one), Some(Relation::Similar), "{other} / {one}");
        }
    }

    #[test]
    fn another_day_of_the_week_or_month_is_another_date() {
        for (one, other) in [
            ("Standup is at 9 am on Monday", "Standup is at 9 am on Tuesday"),
            ("Standup is on Mondays", "Standup is on Tuesday"),
            ("Das Treffen ist am Montag", "Das Treffen ist am Freitag"),
            ("The harvest fair is in May", "The harvest fair is in June"),
            ("Das Erntefest ist im Mai", "Das Erntefest ist im Juni"),
            ("La réunion est le 3 mars.", "La réunion est le 5 avril."),
            ("La réunion est en août", "La réunion est en juillet"),
            ("La reunión es el 3 de marzo", "La reunión es el 3 de abril"),
            ("Das Erntefest ist im Oktober", "Das Erntefest ist im September"),
            ("The harvest fair is on 3 Feb", "The harvest fair is on 3 March"),
            ("The harvest fair is on Dec 3", "The harvest fair is on Sept. 3"),
        ] {
            assert_eq!(relation(one, other), Some(Relation::Contradiction), "{one} / {other}");
        }
        for (one, other) in [
            ("Standup is at 9 am", "Standup is at 9 am on Tuesday"),
            ("Standup of the team is on Monday", "Standup of the team is on Monday and Friday"),
        ] {
            assert_eq!(relation(one, other), Some(Relation::Similar), "{one} / {other}");
        }
    }

    #[test]
    fn a_denied_verb_is_the_same_verb_whatever_it_ends_in() {
        for (said, denied) in [
            ("uses", "use"),
            ("is using", "use"),
            ("used", "use"),
            ("uses", "using"),
            ("closes", "close"),
            ("expires", "expire"),
            ("caches", "cache"),
            ("retries", "retry"),
            ("requires", "require"),
            ("supports", "support"),
            ("passes", "pass"),
        ] {
            let one = format!("The gateway {said} session tokens");
            let other = format!("The gateway does not {denied} session tokens");
            assert_eq!(relation(&one, &other), Some(Relation::Contradiction), "{said}");
        }
        let running = ("The job runs at night", "The job is not running at night");
        assert_eq!(relation(running.0, running.1), Some(Relation::Contradiction));
    }

    #[test]
    fn who_and_whom_are_not_the_same() {
        let pairs = [
            ("Kai is taller than Jo", "Jo is taller than Kai"),
            ("The harbour master pays the smith", "The smith pays the harbour master"),
        ];
        for (one, other) in pairs {
            assert_eq!(relation(one, other), Some(Relation::Similar), "{one} / {other}");
        }
        let turned = ("I like coffee but not tea", "I like tea but not coffee");
        assert_eq!(relation(turned.0, turned.1), Some(Relation::Contradiction));
        let same = ("We don't use Redis here", "We use no Redis here");
        assert_eq!(relation(same.0, same.1), Some(Relation::Duplicate));
    }

    #[test]
    fn numbers_of_different_things_do_not_contradict_each_other() {
        for (one, other) in [
            ("Server alpha runs on port 8080", "Server beta runs on port 9090"),
            ("The bridge at Orm is safe to cross", "The bridge at Velm is not safe to cross"),
        ] {
            assert_eq!(relation(one, other), Some(Relation::Similar), "{one} / {other}");
        }
    }

    #[test]
    fn opposite_verbs_and_other_dates_contradict() {
        for (one, other) in [
            ("Tests pass on Linux", "Tests fail on Linux"),
            ("The nightly build passes", "The nightly build failed"),
            ("The launch is on 3 March 2024", "The launch is on 10 April 2024"),
            ("Port 22 is closed", "Port 22 is open"),
        ] {
            assert_eq!(relation(one, other), Some(Relation::Contradiction), "{one} / {other}");
        }
    }

    #[test]
    fn different_subjects_are_not_pointed_out() {
        assert_eq!(relation("Dragons hoard gold", "Use WAL mode for SQLite"), None);
        assert_eq!(relation("", ""), None);
        assert_eq!(relation("the of and", "the of and"), None);
    }
}
