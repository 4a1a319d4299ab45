//! Finds the proper names in a sentence.

use super::lexicon::{
    DATES, GENERATIONS, LEGAL_FORMS, ORGANISATIONS, POLITE, ROLES, is_body, is_kind_of_thing,
    is_opener,
};
use super::sentences::{PARTICLES, Untitled, is_dotted, is_owner, is_title, plain, without_marks};

/// Lower-case words that can occur inside a name.
const INSIDE: [&str; 5] = ["of", "the", "for", "and", "&"];

fn is_inside(word: &str) -> bool {
    INSIDE.contains(&word) || PARTICLES.contains(&word)
}

/// Returns the names in a sentence: `known` ones, and runs of capitalised words without those that
/// merely open the sentence.
pub(super) fn names(said: &Untitled, known: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for piece in pieces(&said.sentence, known) {
        match piece {
            Piece::Known(name) if !found.iter().any(|other| other == name) => {
                found.push(name.to_owned());
            }
            Piece::Known(_) => {}
            Piece::Begin(text) => runs(text, Stand::Begin, &said.people, &mut found),
            Piece::Text(text) => runs(text, Stand::Inside, &said.people, &mut found),
        }
    }
    found
}

/// A part of a sentence.
enum Piece<'a> {
    /// A known name.
    Known(&'a str),
    /// Text at the start of the sentence.
    Begin(&'a str),
    /// Text after a known name.
    Text(&'a str),
}

/// Whether a text is at the start of its sentence.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stand {
    Begin,
    Inside,
}

/// Cuts a sentence at the known names, preferring longer ones.
fn pieces<'a>(sentence: &'a str, known: &[&'a str]) -> Vec<Piece<'a>> {
    let mut found = Vec::new();
    let (mut begin, mut at) = (0, 0);
    let part = |begin: usize, text: &'a str| match begin {
        0 => Piece::Begin(text),
        _ => Piece::Text(text),
    };
    while let Some(rest) = sentence.get(at..) {
        let before = sentence.get(begin..at).unwrap_or_default();
        let fits = |name: &&&str| stands(before, rest, name);
        if let Some(name) = known.iter().filter(fits).max_by_key(|name| name.len()) {
            found.push(part(begin, before));
            found.push(Piece::Known(name));
            at += name.len();
            begin = at;
            continue;
        }
        let Some(letter) = rest.chars().next() else { break };
        at += letter.len_utf8();
    }
    found.push(part(begin, sentence.get(begin..).unwrap_or_default()));
    found
}

/// Whether a known name occurs here as a whole: not within a longer word, and not next to another
/// capitalised word that would belong to the name.
fn stands(before: &str, rest: &str, name: &str) -> bool {
    let Some(after) = rest.strip_prefix(name).filter(|_| !name.is_empty()) else { return false };
    let joined =
        before.ends_with(char::is_alphanumeric) || after.starts_with(char::is_alphanumeric);
    let capital = |word: &str| word.starts_with(char::is_uppercase);
    let next = after.strip_prefix(' ').is_some_and(capital);
    let last = before.strip_suffix(' ').and_then(|before| before.rsplit(' ').next());
    let last = last.is_some_and(|word| capital(word) && word.ends_with(char::is_alphanumeric));
    let opened = before.strip_suffix(' ').is_some_and(is_opener);
    !joined && !next && (!last || opened)
}

/// Collects the names in runs of capitalised words.
fn runs(sentence: &str, stand: Stand, people: &[String], found: &mut Vec<String>) {
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let mut run = Run { words: Vec::new(), at_start: false };
    let mut is_family = false;
    for (place, word) in words.iter().enumerate() {
        let next = words.get(place + 1).copied().unwrap_or_default();
        let name = without_marks(word);
        let is_capital = name.starts_with(char::is_uppercase);
        let is_polite = POLITE.has(plain(word));
        // A family name with only a title does not tell who is meant.
        if is_polite || is_family && is_capital || DATES.has(name) {
            run.close(next, people, found);
            is_family = is_polite;
            continue;
        }
        is_family = false;
        // "Acme, Inc." and "St. Brigid's College" are one name each.
        let goes_on = word.ends_with(',') && ends_name(next)
            || is_owner(word) && ORGANISATIONS.has(plain(next));
        if is_capital {
            run.at_start |= run.words.is_empty() && place == 0 && stand == Stand::Begin;
            let whole = word.trim_start_matches(|c: char| !c.is_alphanumeric());
            run.words.push(if goes_on { whole } else { name }.to_owned());
        } else if !run.words.is_empty() && is_inside(word) {
            run.words.push((*word).to_owned());
            continue;
        }
        let is_over =
            word.ends_with([',', ';', ':', '.', ')', '!', '?', '"', '”']) || is_owner(word);
        let is_inner = goes_on || is_dotted(word) && !ends_name(word);
        if !is_capital || is_over && !is_inner {
            let next = if is_capital { next } else { word };
            run.close(next, people, found);
        }
    }
    run.close("", people, found);
}

/// Whether a word is a suffix of organisations' or people's names, such as Inc or Jr.
fn ends_name(word: &str) -> bool {
    let word = word.trim_end_matches([',', '.', ';', ':', ')']);
    LEGAL_FORMS.has(word) || GENERATIONS.has(word)
}

/// A run of capitalised words, with lower-case words between them.
struct Run {
    words: Vec<String>,
    /// Whether the run opens the sentence.
    at_start: bool,
}

impl Run {
    /// Ends the run in front of the word `next`, adds its names to `found`, and resets it.
    fn close(&mut self, next: &str, people: &[String], found: &mut Vec<String>) {
        let (mut run, at_start) = (std::mem::take(&mut self.words), self.at_start);
        self.at_start = false;
        while run.last().is_some_and(|word| is_inside(word)) {
            run.pop();
        }
        // In "Director of the X Institute", the role is not part of the name.
        if run.len() > 2 && run.get(1).is_some_and(|word| word == "of") && leads(&run) {
            run.drain(..2);
        }
        // A single capitalised word at the start of a sentence is just its first word.
        let telling = run.len() > 1 || !at_start;
        // Drop words that merely open the sentence: verbs of questions, conjunctions, articles.
        while at_start && run.len() > 1 && run.first().is_some_and(|word| is_opener(word)) {
            run.remove(0);
            let leading = run.iter().take_while(|word| is_inside(word)).count();
            run.drain(..leading);
        }
        let words: Vec<&str> = run.iter().map(String::as_str).collect();
        for name in parted(&words, next, people) {
            let is_name = name.chars().count() > 2 && name.split(' ').any(|word| !is_mark(word));
            if telling && is_name && !found.contains(&name) {
                found.push(name);
            }
        }
    }
}

/// Whether a word alone is not a name: a title, a suffix or a particle.
fn is_mark(word: &str) -> bool {
    let word = word.trim_end_matches(['.', ',']);
    is_title(word) || ends_name(word) || is_inside(word)
}

/// Splits a run of words into the names it joins. Organisations can have "and" and "of" in their
/// names. Two people, or two organisations, joined by "and" are two names, and in "A of the B
/// University" the person is not part of the organisation's name.
fn parted(run: &[&str], next: &str, people: &[String]) -> Vec<String> {
    for (place, word) in run.iter().enumerate() {
        let Some((first, rest)) = run.get(..place).zip(run.get(place + 1..)) else { continue };
        let articles = rest.iter().take_while(|word| **word == "the").count();
        let second = rest.get(articles..).unwrap_or_default();
        let two = Two { first, second, articles, next, people };
        if *word == "of" && two.is_member() || *word == "and" && two.are_apart() {
            let mut names = parted(first, "and", people);
            names.extend(parted(second, next, people));
            return names;
        }
    }
    match run {
        [] => Vec::new(),
        words => vec![words.join(" ")],
    }
}

/// Two parts of a run, split at a word, and the word after them.
struct Two<'a> {
    first: &'a [&'a str],
    second: &'a [&'a str],
    articles: usize,
    next: &'a str,
    people: &'a [String],
}

impl Two<'_> {
    /// Whether the first is a person who belongs to the second, an organisation.
    fn is_member(&self) -> bool {
        let is_headed = self.second.iter().take(4).any(|word| ORGANISATIONS.has(word));
        self.is_person(self.first) && (is_body(self.second) || is_headed)
    }

    /// Whether an "and" between them joins two names.
    fn are_apart(&self) -> bool {
        let (first, second) = (self.first, self.second);
        let is_titled = |words: &[&str]| self.people.contains(&words.join(" "));
        let (ends_body, begins_body) = (ends_body(first), is_body(second));
        let is_second = self.is_person(second);
        if second.is_empty() || first.is_empty() {
            return false;
        }
        is_titled(second)
            || ends_body && !(second.len() == 1 && second.iter().all(|word| is_kind_of_thing(word)))
            || is_body(first) && (begins_body || is_second && DOING.contains(&self.next))
            || self.is_person(first) && (begins_body || is_second && self.articles == 0)
            || self.articles > 0 && begins_body && first.len() > 1
    }

    /// Whether words look like the name of a person.
    fn is_person(&self, words: &[&str]) -> bool {
        let capital = |word: &&&str| word.starts_with(char::is_uppercase);
        let joined = |word: &&str| word.starts_with(char::is_uppercase) || PARTICLES.contains(word);
        self.people.contains(&words.join(" "))
            || (2..=4).contains(&words.iter().filter(capital).count())
                && words.iter().all(joined)
                && !words.iter().any(|word| is_kind_of_thing(word.trim_end_matches('.')))
    }
}

/// Whether a name ends like that of an organisation.
fn ends_body(words: &[&str]) -> bool {
    let last = words.last().map(|last| last.trim_end_matches('.')).unwrap_or_default();
    words.len() > 1 && (ORGANISATIONS.has(last) || LEGAL_FORMS.has(last))
}

/// Verbs that follow the name of a person.
const DOING: [&str; 24] = [
    "said",
    "says",
    "is",
    "was",
    "are",
    "were",
    "has",
    "have",
    "had",
    "founded",
    "works",
    "work",
    "worked",
    "leads",
    "led",
    "runs",
    "joined",
    "told",
    "wrote",
    "signed",
    "met",
    "will",
    "knows",
    "announced",
];

fn leads(run: &[String]) -> bool {
    run.first().is_some_and(|word| ROLES.iter().any(|role| role.eq_ignore_ascii_case(word)))
}

#[cfg(test)]
mod tests {
    use super::super::sentences::untitled;
    use super::names;

    #[test]
    fn names_end_where_known_ones_do() {
        let known = ["Ada Holt", "Bo Lind", "Herring Foundation", "Holt"];
        for (sentence, wanted) in [
            (
                "Ada Holt works at the Herring Foundation and Bo Lind works at Tide Labs.",
                vec!["Ada Holt", "Herring Foundation", "Bo Lind", "Tide Labs"],
            ),
            ("When Ada Holt founded it, she was young.", vec!["Ada Holt"]),
            ("However Una Fenn knows Bo Lind.", vec!["Una Fenn", "Bo Lind"]),
            ("Una Fenn and Ola Brandt came.", vec!["Una Fenn", "Ola Brandt"]),
            (
                "The Food and Agriculture Organization came.",
                vec!["Food and Agriculture Organization"],
            ),
            ("The Herring Foundation Trust came.", vec!["Herring Foundation Trust"]),
        ] {
            assert_eq!(names(&untitled(sentence, &known), &known), wanted, "{sentence}");
        }
    }
}
