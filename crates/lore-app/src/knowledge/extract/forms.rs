//! Sentence forms that state a relation between two names, such as "A founded B".

use super::built_in::TOLD;
use super::lexicon::{ROLES, is_body, is_kind_of_thing};
use super::sentences::Untitled;
use crate::knowledge::entities::EntityType;
use crate::knowledge::relations::NewRelation;
use crate::knowledge::relations::predicates::Predicate;

/// Most names of a sentence that are compared. A sentence with more is a list.
const NAMES_MAX: usize = 40;

/// Returns the type of a name, as far as it is known.
pub(super) type Typed<'a> = dyn Fn(&str) -> Option<EntityType> + 'a;

/// Returns the relations that a sentence states between these names.
pub(super) fn related(told: &Untitled, names: &[String], typed: &Typed<'_>) -> Vec<NewRelation> {
    let sentence = told.sentence.as_str();
    let roles: Vec<String> = ROLES.iter().map(|role| format!(", {role} of")).collect();
    let by_role = roles.iter().map(|words| (words.as_str(), "affiliated_with", Direction::Forward));
    // Most sentences have none of the forms, and most names of a sentence begin none.
    let mut forms: Vec<_> = FORMS.into_iter().chain(by_role).collect();
    forms.retain(|(words, ..)| sentence.contains(words));
    let names = names.get(..NAMES_MAX).unwrap_or(names);
    let mut found: Vec<NewRelation> = Vec::new();
    for first in names {
        let begun = |(words, ..): &&Form<'_>| sentence.contains(&begun(first, words));
        let begun: Vec<_> = forms.iter().filter(begun).collect();
        for second in names.iter().filter(|second| *second != first && !begun.is_empty()) {
            for (words, predicate, direction) in &begun {
                if *words == "of" && !is_member(first, second) {
                    continue;
                }
                let Some((before, after)) = said(sentence, first, words, second) else { continue };
                let starts = |name: &String| fits(name, predicate, typed, Predicate::may_start);
                let (before, first) = match direction {
                    Direction::Forward if !starts(first) => {
                        let Some(head) = head(before, names, &starts) else { continue };
                        head
                    }
                    _ => (before, first),
                };
                let doers = together_before(before, names).into_iter().chain([first]);
                for doer in doers {
                    let others = [second].into_iter().chain(together_after(after, names));
                    let others = others.flat_map(|other| people(other, predicate));
                    found.extend(others.map(|other| relation(doer, predicate, other, *direction)));
                }
            }
        }
    }
    found.retain(|one| {
        let (subject, object) = (&one.subject, &one.object);
        fits(subject, &one.predicate, typed, Predicate::may_start)
            && fits(object, &one.predicate, typed, Predicate::may_end)
    });
    found
}

/// Whether a name may be at an end of a relation, by its type. A name of unknown type may.
fn fits(
    name: &str,
    predicate: &str,
    typed: &Typed<'_>,
    may: fn(&Predicate, EntityType) -> bool,
) -> bool {
    let known = Predicate::read(predicate).zip(typed(name));
    known.is_none_or(|(predicate, entity_type)| may(predicate, entity_type))
}

/// Returns the head of a phrase that ends with "of" and the name after it: Jane Roe in "Jane Roe of
/// the University of Otago", with what comes before.
fn head<'a, 'n>(
    before: &'a str,
    names: &'n [String],
    starts: &dyn Fn(&String) -> bool,
) -> Option<(&'a str, &'n String)> {
    let phrase = before.strip_suffix(" of the ").or_else(|| before.strip_suffix(" of "))?;
    let mut fitting = names.iter().filter(|name| starts(name));
    fitting.find_map(|name| Some((phrase.strip_suffix(name.as_str())?, name)))
}

fn relation(first: &str, predicate: &str, second: &str, direction: Direction) -> NewRelation {
    let (subject, object) = match direction {
        Direction::Forward => (first, second),
        Direction::Backward => (second, first),
    };
    NewRelation {
        subject: subject.to_owned(),
        predicate: predicate.to_owned(),
        object: object.to_owned(),
        confidence: TOLD,
    }
}

/// Whether "A of B" means that A belongs to B: a person and an organisation, by their names.
fn is_member(first: &str, second: &str) -> bool {
    let is_thing = |word: &str| is_kind_of_thing(word.trim_end_matches('.'));
    first.contains(' ')
        && !first.split(' ').any(is_thing)
        && is_body(&second.split(' ').collect::<Vec<_>>())
}

/// Splits "Tam and Orla" into two people where somebody knows them. Elsewhere it may be the name of
/// an organisation.
fn people<'a>(name: &'a str, predicate: &str) -> Vec<&'a str> {
    match predicate {
        "knows" => name.split(" and ").collect(),
        _ => vec![name],
    }
}

/// A sentence form: words between two names, the predicate, and whether the first or the second
/// name is its subject.
type Form<'a> = (&'a str, &'static str, Direction);

/// The sentence forms.
const FORMS: [Form<'static>; 27] = [
    ("of", "affiliated_with", Direction::Forward),
    ("is the founder of", "founded", Direction::Forward),
    ("is a founder of", "founded", Direction::Forward),
    (", founder of", "founded", Direction::Forward),
    (", who founded", "founded", Direction::Forward),
    (", who works at", "affiliated_with", Direction::Forward),
    (", who works for", "affiliated_with", Direction::Forward),
    ("knows", "knows", Direction::Forward),
    ("founded", "founded", Direction::Forward),
    ("co-founded", "founded", Direction::Forward),
    ("was founded by", "founded", Direction::Backward),
    ("works at", "affiliated_with", Direction::Forward),
    ("works for", "affiliated_with", Direction::Forward),
    ("is a member of", "affiliated_with", Direction::Forward),
    ("is affiliated with", "affiliated_with", Direction::Forward),
    (", who is affiliated with", "affiliated_with", Direction::Forward),
    ("is based in", "located_in", Direction::Forward),
    ("is located in", "located_in", Direction::Forward),
    ("collaborates with", "collaborates_with", Direction::Forward),
    ("know", "knows", Direction::Forward),
    ("work at", "affiliated_with", Direction::Forward),
    ("work for", "affiliated_with", Direction::Forward),
    ("are members of", "affiliated_with", Direction::Forward),
    ("are affiliated with", "affiliated_with", Direction::Forward),
    ("are based in", "located_in", Direction::Forward),
    ("are located in", "located_in", Direction::Forward),
    ("collaborate with", "collaborates_with", Direction::Forward),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Forward,
    Backward,
}

/// Returns the names joined to the subject of a sentence: "A, B and" before C. Empty if the words
/// before them belong to another clause.
fn together_before<'a>(before: &str, names: &'a [String]) -> Vec<&'a String> {
    let mut found: Vec<&String> = Vec::new();
    let (mut rest, mut joints) = (before, &[", and ", " and "][..]);
    loop {
        let ends = |name: &&String| {
            joints.iter().find_map(|joint| rest.strip_suffix(joint)?.strip_suffix(name.as_str()))
        };
        let Some((name, left)) = names.iter().find_map(|name| Some((name, ends(&name)?))) else {
            return found;
        };
        if !begins_clause(left) && !left.ends_with(", ") {
            return found;
        }
        found.insert(0, name);
        (rest, joints) = (left, &[", "]);
    }
}

/// Returns the names joined to the object of a sentence: "and B" after A, or ", B and C". Empty if
/// the last of them is the subject of the next clause.
fn together_after<'a>(after: &str, names: &'a [String]) -> Vec<&'a String> {
    let mut found = Vec::new();
    let mut rest = after;
    loop {
        let joints = [", and the ", " and the ", ", and ", " and ", ", the ", ", "];
        let begins = |joint: &str, name: &str| rest.strip_prefix(joint)?.strip_prefix(name);
        let next = joints.iter().find_map(|joint| {
            let fitting = names.iter().filter(|name| begins(joint, name).is_some());
            let name = fitting.max_by_key(|name| name.len())?;
            Some((joint, name, begins(joint, name)?))
        });
        let Some((joint, name, left)) = next else { return Vec::new() };
        found.push(name);
        rest = left;
        // Commas alone may introduce a place or a description.
        if joint.contains(" and ") {
            return if ends_clause(rest) { found } else { Vec::new() };
        }
    }
}

/// Whether a clause begins after these words.
fn begins_clause(before: &str) -> bool {
    let before = before.trim_end();
    before.is_empty() || before.ends_with([',', ';', ':']) || before.eq_ignore_ascii_case("both")
}

/// Whether the clause ends before these words, so that the name in front of them is not the subject
/// of another one.
fn ends_clause(after: &str) -> bool {
    let next = after.split_whitespace().next().unwrap_or_default();
    let word = after.strip_prefix(' ').map(|_| next);
    !after.starts_with(|c: char| c.is_alphanumeric() || "'’-".contains(c))
        && word.is_none_or(|word| IDLE.contains(&word))
}

/// Words that can follow a name which is not the subject of a verb.
const IDLE: [&str; 14] = [
    "in", "from", "since", "at", "for", "but", "as", "on", "with", "through", "by", "because",
    "while", "during",
];

/// Returns what comes before and after a match of this form. `None` if there is none, or if the
/// sentence is a question or denies or doubts the statement.
fn said<'a>(
    sentence: &'a str,
    first: &str,
    words: &str,
    second: &str,
) -> Option<(&'a str, &'a str)> {
    let begun = begun(first, words);
    let forms = ["", "the "].map(|the| format!("{begun}{the}{second}"));
    let (before, after) = forms.iter().find_map(|form| sentence.split_once(form))?;
    let word = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    // "No." as in "No. 5" is not a denial.
    let mut words = before.split_whitespace().filter(|one| *one != "No.");
    let doubted = words.any(|one| DOUBTING.contains(&word(one).as_str()));
    (!doubted && !after.contains('?')).then_some((before, after))
}

/// Returns a form up to its second name.
fn begun(first: &str, words: &str) -> String {
    let blank = if words.starts_with(',') { "" } else { " " };
    format!("{first}{blank}{words} ")
}

/// Words before a statement that deny or doubt it.
const DOUBTING: [&str; 22] = [
    "if",
    "whether",
    "unless",
    "neither",
    "nor",
    "not",
    "never",
    "nobody",
    "no",
    "false",
    "untrue",
    "wrong",
    "denied",
    "denies",
    "deny",
    "doubts",
    "doubted",
    "allegedly",
    "supposedly",
    "rumour",
    "rumor",
    "pretends",
];

#[cfg(test)]
mod tests {
    use super::super::proper_names::names;
    use super::super::sentences::untitled;
    use super::*;

    #[test]
    fn who_is_named_together_does_it_together() {
        for (text, wanted) in [
            ("Mira knows Tam and Orla.", &["Mira knows Tam", "Mira knows Orla"][..]),
            (
                "Mira Vale knows Tam Reed, Una Fenn, and Orla Kest from school.",
                &[
                    "Mira Vale knows Tam Reed",
                    "Mira Vale knows Una Fenn",
                    "Mira Vale knows Orla Kest",
                ],
            ),
            (
                "Ada Holt and Bo Lind founded the Tide Guild.",
                &["Ada Holt founded Tide Guild", "Bo Lind founded Tide Guild"],
            ),
            (
                "In 1990, Ada Holt, Cy Dahl and Bo Lind founded the Tide Guild.",
                &[
                    "Ada Holt founded Tide Guild",
                    "Cy Dahl founded Tide Guild",
                    "Bo Lind founded Tide Guild",
                ],
            ),
            (
                "The Tide Guild was founded by Ada Holt and Bo Lind.",
                &["Ada Holt founded Tide Guild", "Bo Lind founded Tide Guild"],
            ),
            ("Mira knows Wren and Sol.", &["Mira knows Wren", "Mira knows Sol"]),
            (
                "Ada Holt and Bo Lind work at Tide Labs.",
                &["Ada Holt affiliated_with Tide Labs", "Bo Lind affiliated_with Tide Labs"],
            ),
            ("Ada Holt knows Bo Lind and Cy Dahl sails.", &["Ada Holt knows Bo Lind"]),
            ("Ada Holt works at Tide Labs, Victoria.", &["Ada Holt affiliated_with Tide Labs"]),
            (
                "Ada Holt and Bo Lind founded the Tide Guild and the Rook Guild in May.",
                &[
                    "Ada Holt founded Tide Guild",
                    "Ada Holt founded Rook Guild",
                    "Bo Lind founded Tide Guild",
                    "Bo Lind founded Rook Guild",
                ],
            ),
        ] {
            let said = untitled(text, &[]);
            let names = names(&said, &["Mira", "Tam", "Orla"]);
            let told = related(&said, &names, &|_| None).into_iter();
            let told = told.map(|one| format!("{} {} {}", one.subject, one.predicate, one.object));
            assert_eq!(told.collect::<Vec<_>>(), wanted, "{text}");
        }
    }
}
