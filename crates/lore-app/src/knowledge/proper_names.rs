//! The names that stand in a sentence.

use super::extract::{ORGANISATIONS, ROLES, TITLES};

/// Words that belong inside a name although they are small.
const INSIDE: [&str; 9] = ["of", "the", "for", "and", "de", "la", "von", "van", "der"];

/// The names in a sentence: those that are `known`, and runs of capitalised words, without what
/// only begins a sentence.
pub(super) fn names(sentence: &str, known: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for piece in pieces(sentence, known) {
        match piece {
            Piece::Known(name) if !found.iter().any(|other| other == name) => {
                found.push(name.to_owned());
            }
            Piece::Known(_) => {}
            Piece::Begin(text) => runs(text, Stand::Begin, &mut found),
            Piece::Text(text) => runs(text, Stand::Inside, &mut found),
        }
    }
    found
}

/// A part of a sentence.
enum Piece<'a> {
    /// A name that is known.
    Known(&'a str),
    /// What the sentence begins with.
    Begin(&'a str),
    /// What stands behind a name.
    Text(&'a str),
}

/// Where a text stands in its sentence.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stand {
    Begin,
    Inside,
}

/// Cuts a sentence at the names that are known, the longest first.
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

/// Whether a name stands here as a whole: no letters join it, and no other capitalised word is
/// part of it.
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

/// Runs of capitalised words.
fn runs(sentence: &str, stand: Stand, found: &mut Vec<String>) {
    let clean = |word: &str| -> String {
        word.trim_matches(|c: char| !c.is_alphanumeric()).trim_end_matches("'s").to_owned()
    };
    let words: Vec<&str> = sentence.split_whitespace().collect();
    let mut run: Vec<String> = Vec::new();
    let mut at_start = false;
    for (place, word) in words.iter().enumerate() {
        let plain = clean(word);
        let capital = plain.chars().next().is_some_and(char::is_uppercase);
        if capital {
            at_start |= run.is_empty() && place == 0 && stand == Stand::Begin;
            run.push(plain);
        } else if !run.is_empty() && INSIDE.contains(&plain.as_str()) {
            run.push(plain);
            continue;
        }
        let ends = !capital || word.ends_with([',', ';', ':', '.', ')', '!', '?']);
        if ends && !is_title(word) {
            close(&mut run, at_start, found);
            at_start = false;
        }
    }
    close(&mut run, at_start, found);
}

/// A title before a name ends with a full stop and yet no sentence.
fn is_title(word: &str) -> bool {
    TITLES.contains(&word)
}

fn close(run: &mut Vec<String>, at_start: bool, found: &mut Vec<String>) {
    while run.last().is_some_and(|word| INSIDE.contains(&word.as_str())) {
        run.pop();
    }
    // Who leads something is not part of its name.
    if run.len() > 2 && run.get(1).is_some_and(|word| word == "of") && leads(run) {
        run.drain(..2);
    }
    // One capitalised word at the start of a sentence is just its first word, and an
    // article there is no part of the name that follows.
    let telling = run.len() > 1 || !at_start;
    // A question begins with its verb, and a clause with what joins it.
    if at_start && run.len() > 1 && run.first().is_some_and(|word| is_opener(word)) {
        run.remove(0);
        let leading = run.iter().take_while(|word| INSIDE.contains(&word.as_str())).count();
        run.drain(..leading);
    }
    if at_start
        && run.len() > 1
        && run.first().is_some_and(|word| ARTICLES.contains(&word.as_str()))
    {
        run.remove(0);
    }
    for name in parted(run) {
        if telling && name.chars().count() > 2 && !found.contains(&name) {
            found.push(name);
        }
    }
    run.clear();
}

/// A run of words as one name, or as two that "and" joins: bodies have it in their names, while
/// two people with two names each are two people, and two that are called guilds are two guilds.
fn parted(run: &[String]) -> Vec<String> {
    let whole = || vec![run.join(" ")];
    let Some(place) = run.iter().position(|word| word == "and") else { return whole() };
    let (first, second) = (run.get(..place).unwrap_or_default(), run.get(place + 1..));
    let second = second.unwrap_or_default();
    let is_person = |words: &[String]| {
        words.len() == 2 && words.iter().all(|word| word.starts_with(char::is_uppercase))
    };
    let articles = second.iter().take_while(|word| *word == "the").count();
    let second = second.get(articles..).unwrap_or_default();
    let is_body = |words: &[String]| {
        words.len() > 1 && words.last().is_some_and(|word| ORGANISATIONS.contains(&word.as_str()))
    };
    let people = is_person(first) && is_person(second) && articles == 0 && !is_body(second);
    match people || is_body(first) && is_body(second) {
        true => vec![first.join(" "), second.join(" ")],
        false => whole(),
    }
}

/// Whether a word begins a sentence that goes on with a name.
fn is_opener(word: &str) -> bool {
    ASKING.contains(&word) || OPENING.contains(&word)
}

fn leads(run: &[String]) -> bool {
    run.first().is_some_and(|word| ROLES.iter().any(|role| role.eq_ignore_ascii_case(word)))
}

const ARTICLES: [&str; 3] = ["The", "A", "An"];
const ASKING: [&str; 13] = [
    "Was", "Is", "Were", "Are", "Did", "Does", "Do", "Has", "Have", "Had", "Could", "Would", "Can",
];
const OPENING: [&str; 37] = [
    "After",
    "Although",
    "And",
    "As",
    "At",
    "Because",
    "Before",
    "Both",
    "But",
    "By",
    "Either",
    "For",
    "From",
    "However",
    "If",
    "In",
    "Later",
    "Meanwhile",
    "Neither",
    "Nor",
    "Now",
    "On",
    "Once",
    "Or",
    "Since",
    "So",
    "Still",
    "Then",
    "Though",
    "Today",
    "Unless",
    "Until",
    "When",
    "Where",
    "Whether",
    "While",
    "Yesterday",
];

#[cfg(test)]
mod tests {
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
            assert_eq!(names(sentence, &known), wanted, "{sentence}");
        }
    }
}
