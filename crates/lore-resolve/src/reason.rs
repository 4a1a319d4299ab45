//! Why a candidate was offered, in words a person can check.

use crate::judge::{Evidence, Sameness};
use crate::name::{Kind, Name};
use crate::spelling::How;

/// What else than spelling spoke.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Circumstances {
    pub(crate) context: f64,
    pub(crate) namesakes: usize,
    pub(crate) other_type: bool,
}

/// One sentence without a full stop: what agrees, then what does not.
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
    if circumstances.namesakes > 0 {
        parts.push(format!("{} others fit as well", circumstances.namesakes));
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
        Sameness::Loose => return "the same name apart from minor words and spaces".into(),
        Sameness::Different => {}
    }
    let pairs = &evidence.alignment.pairs;
    let differing = pairs.iter().filter(|pair| pair.likeness.how != How::Equal);
    let mut parts: Vec<String> = differing
        .map(|pair| {
            let (one, other) = (words(asked, &pair.asked), words(known, &pair.known));
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
    if let Some(code) = &evidence.code {
        parts.push(format!("both have the code {code}"));
    }
    if parts.is_empty() { "a similar spelling".into() } else { parts.join(", ") }
}

fn way(how: How, one: &str, other: &str) -> String {
    match how {
        How::Equal => one.to_owned(),
        How::Joined => format!("{one} is {other} written otherwise"),
        How::Initials => format!("{one} and {other} have the same initials"),
        How::Initial => format!("{one} fits {other}"),
        How::Typo => format!("{one} is nearly {other}"),
        How::Longer => format!("{one} begins like {other}"),
        How::Variant => format!("{one} is a form of {other}"),
        How::Nickname if one.len() < other.len() => format!("{one} can be short for {other}"),
        How::Nickname if one.len() > other.len() => format!("{other} can be short for {one}"),
        How::Nickname => format!("{one} and {other} are forms of one name"),
        How::Sound => format!("{one} sounds like {other}"),
        How::SpelledOut => format!("{one} is {other} with its umlauts"),
    }
}

fn words(name: &Name, places: &[usize]) -> String {
    let words: Vec<_> = places.iter().filter_map(|place| name.tokens.get(*place)).collect();
    words.iter().map(|token| token.text.as_str()).collect::<Vec<_>>().join(" ")
}
