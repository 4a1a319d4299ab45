//! Explaining why a candidate is offered, in words a person can check.

use crate::given_names;
use crate::judge::Evidence;
use crate::name::{Kind, Name};
use crate::near::near_names;
use crate::sameness::Sameness;
use crate::spelling::How;

/// What else than spelling influenced the result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Circumstances {
    pub(crate) context: f64,
    pub(crate) namesakes: usize,
    pub(crate) other_type: bool,
}

/// One sentence without a full stop: what matches, then what does not.
pub(crate) fn reason(
    asked: &Name,
    known: &Name,
    evidence: &Evidence,
    circumstances: Circumstances,
) -> String {
    let mut parts = vec![agreement(asked, known, evidence)];
    if circumstances.context > 0.0 {
        parts.push("known together with what was mentioned".into());
    } else if circumstances.context < 0.0 {
        parts.push("not known together with what was mentioned".into());
    }
    match circumstances.namesakes {
        0 => {}
        1 => parts.push("1 other fits as well".into()),
        more => parts.push(format!("{more} others fit as well")),
    }
    if circumstances.other_type {
        parts.push("of another type than asked for".into());
    }
    if let Some(objection) = evidence.objection {
        parts.push(format!("but {objection}"));
    }
    parts.join("; ")
}

fn agreement(asked: &Name, known: &Name, evidence: &Evidence) -> String {
    match evidence.sameness {
        Sameness::Full => return "the same name".into(),
        Sameness::Loose if !has_umlauts(evidence) => {
            return "the same name apart from minor words and spaces".into();
        }
        Sameness::Loose | Sameness::Bare | Sameness::Different => {}
    }
    let pairs = &evidence.alignment.pairs;
    let differing = pairs.iter().filter(|pair| pair.likeness.how != How::Equal);
    let mut parts: Vec<String> = differing
        .map(|pair| {
            let (one, other) = (spoken(asked, &pair.asked), spoken(known, &pair.known));
            way(pair.likeness.how, &one, &other)
        })
        .collect();
    let equal = pairs.iter().filter(|pair| pair.likeness.how == How::Equal);
    let equal: Vec<_> = equal
        .filter_map(|pair| asked.tokens.get(*pair.asked.first()?))
        .filter(|token| token.kind != Kind::Light)
        .map(|token| token.text.as_str())
        .collect();
    if !equal.is_empty() {
        parts.insert(0, format!("both say {}", equal.join(" ")));
    }
    if let Some((one, other)) = near_names(asked, known, &evidence.alignment) {
        parts.push(way(How::Typo, &one.text, &other.text));
    }
    if let Some(code) = &evidence.code {
        parts.push(format!("both have the code {code}"));
    }
    if parts.is_empty() { "a similar spelling".into() } else { parts.join(", ") }
}

fn way(how: How, one: &str, other: &str) -> String {
    match how {
        How::Equal => one.to_owned(),
        How::Joined => format!("{one} is {other} written otherwise"),
        How::Torn => format!("{one} is nearly {other} written otherwise"),
        How::Initials => format!("{one} and {other} have the same initials"),
        How::Initial => format!("{one} fits {other}"),
        How::Typo => format!("{one} is nearly {other} ({})", difference(one, other)),
        How::Longer => format!("{one} begins like {other}"),
        How::Variant => format!("{one} is a form of {other}"),
        How::Nickname if given_names::is_short_for(one, other) => {
            format!("{one} can be short for {other}")
        }
        How::Nickname if given_names::is_short_for(other, one) => {
            format!("{other} can be short for {one}")
        }
        How::Nickname => format!("{one} and {other} are forms of one name"),
        How::Sound => format!("{one} sounds like {other} ({})", difference(one, other)),
        How::SpelledOut => format!("{one} is {other} with its umlauts"),
    }
}

/// Describes which letters of the first word differ from the second.
fn difference(one: &str, other: &str) -> String {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let most = one.len().min(other.len());
    let start = one.iter().zip(&other).take_while(|(a, b)| a == b).count();
    let ends = one.iter().rev().zip(other.iter().rev());
    let end = ends.take(most - start).take_while(|(a, b)| a == b).count();
    let middle = |word: &[char]| -> String {
        word.iter().skip(start).take(word.len() - start - end).collect()
    };
    match (middle(&one), middle(&other)) {
        (more, none) if none.is_empty() => format!("with {more:?} more"),
        (none, less) if none.is_empty() => format!("without {less:?}"),
        (here, there) => format!("{here:?} for {there:?}"),
    }
}

fn has_umlauts(evidence: &Evidence) -> bool {
    evidence.alignment.pairs.iter().any(|pair| pair.likeness.how == How::SpelledOut)
}

fn spoken(name: &Name, places: &[usize]) -> String {
    let words: Vec<_> = places.iter().filter_map(|place| name.tokens.get(*place)).collect();
    words.iter().map(|token| token.text.as_str()).collect::<Vec<_>>().join(" ")
}
