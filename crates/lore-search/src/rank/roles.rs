//! Which side of a chat with a chatbot a question is about. The two are rarely called by name, so
//! pronouns tell.

use crate::rank::frame::after_request;
use crate::role::Role;

/// What a question says about the speaker.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Asked {
    /// Whose words it asks for: the side that said, told or suggested something; otherwise the side
    /// it mentions.
    pub(super) role: Option<Role>,
    /// The positions of words that say only that, and nothing of the topic: "can you remind me",
    /// "said".
    pub(super) framing: Vec<usize>,
}

impl Asked {
    /// Interprets the normalised words of a question, without its frame.
    pub(super) fn read(words: &[&str]) -> Self {
        let topic = without_requests(words);
        let kept: Vec<&str> = topic.iter().filter_map(|at| words.get(*at).copied()).collect();
        let Some((verb, role)) = speaker(&kept) else {
            return Self { role: mentioned(&kept), framing: others(words.len(), &topic, None) };
        };
        Self { role: Some(role), framing: others(words.len(), &topic, topic.get(verb)) }
    }
}

/// The position of a verb that asks for somebody's words and nothing of the topic: "what did Ada
/// say". `is_somebody` tells whose words can be told from those of others.
pub(super) fn said_by(words: &[&str], is_somebody: impl Fn(&str) -> bool) -> Option<usize> {
    const DID: [&str; 5] = ["did", "does", "has", "had", "was"];
    const SPEAKS: [&str; 6] = ["say", "said", "saying", "tell", "told", "telling"];
    let asks = |pair: &[&str]| matches!(pair, ["what", did] if DID.contains(did));
    let subject = 2 + words.windows(2).position(asks)?;
    let after = words.get(subject..)?;
    let verb = after.iter().take(BETWEEN + 1).position(|word| SPEAKS.contains(word))?;
    let is_said = after.get(..verb)?.iter().any(|word| is_somebody(word));
    is_said.then_some(subject + verb)
}

/// The positions below `all` that are not kept, plus `more`.
fn others(all: usize, kept: &[usize], more: Option<&usize>) -> Vec<usize> {
    (0..all).filter(|at| !kept.contains(at) || Some(at) == more).collect()
}

/// Verbs of a speaker whose words are asked for, with their past forms.
const SAYS: [&[&str]; 10] = [
    &["say", "said", "saying"],
    &["tell", "told", "telling"],
    &["mention", "mentioned", "mentioning"],
    &["ask", "asked", "asking"],
    &["suggest", "suggested", "suggesting"],
    &["recommend", "recommended", "recommending"],
    &["advise", "advised", "advising"],
    &["propose", "proposed", "proposing"],
    &["explain", "explained", "explaining"],
    &["describe", "described", "describing"],
];
/// The same for verbs that people also use of other things: they give a party and call the doctor.
const ALSO_SAYS: [&[&str]; 8] = [
    &["give", "gave", "given"],
    &["offer", "offered"],
    &["promise", "promised"],
    &["list", "listed"],
    &["write", "wrote", "written"],
    &["show", "showed", "shown"],
    &["warn", "warned"],
    &["call", "called"],
];
/// Verbs that in the passive make the subject the listener: "I was told". What the subject was
/// given, offered or promised it got from anybody.
const HEARS: [&str; 3] = ["told", "advised", "warned"];
const IS: [&str; 7] = ["am", "is", "are", "was", "were", "been", "got"];
/// How many words may stand between the speaker and the verb: "I have ever told".
const BETWEEN: usize = 3;

/// The side that says something, and the position of the verb.
fn speaker(words: &[&str]) -> Option<(usize, Role)> {
    (0..words.len()).find_map(|at| Some((at, speaker_at(words, at)?)))
}

/// The side that says something by the verb at a position.
fn speaker_at(words: &[&str], at: usize) -> Option<Role> {
    let (before, verb, after) = (words.get(..at)?, *words.get(at)?, words.get(at + 1..)?);
    let form_in = |verbs: &[&[&str]]| {
        verbs.iter().find_map(|forms| forms.iter().position(|form| *form == verb))
    };
    let only_says = form_in(&SAYS);
    let is_base = only_says.or_else(|| form_in(&ALSO_SAYS))? == 0;
    let mut sides = (0..at).filter_map(|at| Some((at, side(before, at)?)));
    let (subject, role) = sides.next_back().filter(|(subject, _)| at - subject <= BETWEEN + 1)?;
    let around = before.get(subject.saturating_sub(1)..)?;
    let is_past = !is_base && !verb.ends_with("ing");
    if is_past && around.iter().any(|word| IS.contains(word)) {
        // What others told the subject, it has said itself.
        let hears = HEARS.contains(&verb) && after.first() != Some(&"by");
        return hears.then_some(role.other());
    }
    let asked = before.get(..subject)?;
    let says = match only_says {
        Some(_) => !is_base || !asks_what_to_do(asked, role),
        None => {
            let is_told = role == Role::Machine || after.iter().take(2).any(|word| *word == "you");
            is_told && (!is_base || auxiliary(asked).0 == Some("did"))
        }
    };
    says.then_some(role)
}

/// Whether a verb of speech in its base form, asked with the words before its subject, has been said
/// by nobody: "how do I tell", "what should I say". A chatbot is asked what it recommends.
fn asks_what_to_do(asked: &[&str], role: Role) -> bool {
    const TO_DO: [&str; 10] =
        ["do", "does", "can", "could", "should", "shall", "may", "might", "must", "will"];
    let (auxiliary, how) = auxiliary(asked);
    auxiliary.is_some_and(|word| TO_DO.contains(&word))
        && (role == Role::Person || matches!(how, Some("how" | "why")))
}

/// The auxiliary before a subject, and the word before that.
fn auxiliary<'a>(asked: &[&'a str]) -> (Option<&'a str>, Option<&'a str>) {
    let mut before = asked.iter().rev().filter(|word| !matches!(**word, "the" | "t"));
    let auxiliary = before.next().map(|word| if *word == "didn" { "did" } else { word });
    (auxiliary, before.next().copied())
}

/// The side that the word at a position stands for as a subject.
fn side(words: &[&str], at: usize) -> Option<Role> {
    match *words.get(at)? {
        "i" | "we" => Some(Role::Person),
        "you" => Some(Role::Machine),
        _ => called(words, at),
    }
}

/// The side that is called by its role: "the assistant". Elsewhere these are words like others:
/// "our voice assistant", "a test user".
fn called(words: &[&str], at: usize) -> Option<Role> {
    let before = at.checked_sub(1).and_then(|before| words.get(before).copied());
    match *words.get(at)? {
        "user" if before == Some("the") => Some(Role::Person),
        "assistant" if before == Some("the") => Some(Role::Machine),
        _ => None,
    }
}

/// The side that is mentioned.
fn mentioned(words: &[&str]) -> Option<Role> {
    let has = |list: &[&str]| words.iter().any(|word| list.contains(word));
    // For advice the answer may be in the words of either side.
    if (0..words.len()).any(|at| words.get(at..).is_some_and(asks_for_advice)) {
        return None;
    }
    let by_role = (0..words.len()).find_map(|at| called(words, at));
    if has(&["you", "your", "yours"]) || by_role == Some(Role::Machine) {
        return Some(Role::Machine);
    }
    let is_person =
        has(&["my", "mine", "myself", "we", "our"]) || has(&["i", "me"]) && has(&ENGLISH);
    if is_person { Some(Role::Person) } else { by_role }
}

/// Words of English questions. Without them, "me" may be French or Spanish, and "i" Polish: in *¿qué
/// me recomendaste?* the machine is meant.
const ENGLISH: [&str; 16] = [
    "what", "who", "whose", "which", "where", "when", "why", "how", "did", "do", "does", "is",
    "was", "were", "have", "the",
];

/// Whether advice is asked for from these words on: "should I", "how do", "why does". But why
/// somebody does something, they have told themselves.
fn asks_for_advice(words: &[&str]) -> bool {
    match words {
        ["why", "do", "i" | "we", ..] => false,
        ["should" | "shall" | "could" | "can" | "may" | "must", "i" | "we", ..] => true,
        ["how", "do" | "does" | "to" | "can" | "could" | "should" | "would", ..] => true,
        ["why", "do" | "does" | "is" | "are" | "can" | "should" | "would", ..] => true,
        _ => false,
    }
}

/// The positions of words that are not part of a request for an answer, such as "can you tell me".
fn without_requests(words: &[&str]) -> Vec<usize> {
    let mut kept = Vec::new();
    let mut rest = words;
    while let [_, others @ ..] = rest {
        match after_request(rest) {
            Some(others) => rest = others,
            None => {
                kept.push(words.len() - rest.len());
                rest = others;
            }
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(role: Option<Role>, questions: &[&str]) {
        for question in questions {
            let words: Vec<&str> = question.split(' ').collect();
            assert_eq!(Asked::read(&words).role, role, "{question}");
        }
    }

    #[test]
    fn who_says_it_is_meant_and_not_who_hears_it() {
        check(
            Some(Role::Person),
            &[
                "what did i tell you in april",
                "what have i ever told you about the cat",
                "did i mention to you where my sister lives",
                "what was i telling you in july",
                "what did the user say about the mill",
                "which question did i ask you",
            ],
        );
        check(
            Some(Role::Machine),
            &[
                "what did you tell me in april",
                "which book have you recommended to me",
                "what advice did you give me about my knee",
                "what was i told about the deposit",
                "what did the assistant say in april",
            ],
        );
    }

    #[test]
    fn who_is_only_asked_to_answer_is_not_meant() {
        check(
            Some(Role::Person),
            &[
                "can you remind me what i said about the vet",
                "could you please tell me my best time",
                "do you remember what i said",
                "do you know my allergy",
            ],
        );
        check(
            Some(Role::Machine),
            &["can you repeat what you suggested", "which shoes you recommended"],
        );
        check(None, &["can you tell me about the harbour", "where is the mill"]);
    }

    #[test]
    fn words_that_only_say_who_speaks_are_no_topic() {
        let framing = |question: &str| {
            let words: Vec<&str> = question.split(' ').collect();
            let framing = Asked::read(&words).framing;
            framing.into_iter().map(|at| words[at].to_owned()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(framing("can you remind me what i said about tea"), "can you remind me said");
        assert_eq!(framing("what i told you"), "told");
        assert_eq!(framing("which ports did you list"), "list");
        assert_eq!(framing("what did i promise to my sister"), "");
        assert_eq!(framing("what did my sister say"), "");
    }

    #[test]
    fn somebodys_words_are_asked_for_without_the_verb() {
        let verb = |question: &str| {
            let words: Vec<&str> = question.split(' ').collect();
            said_by(&words, |word| word == "ada").map(|at| words[at].to_owned())
        };
        for (question, expected) in [
            ("what did ada say in may", Some("say")),
            ("what did ada tell bob about the mill", Some("tell")),
            ("what has old ada ever said", Some("said")),
            ("and what was ada saying about it", Some("saying")),
            ("what book did ada tell bob of", None),
            ("what did the miller say", None),
            ("what did bob say to ada", None),
            ("did ada say it", None),
            ("what is a talk show", None),
            ("what", None),
        ] {
            assert_eq!(verb(question).as_deref(), expected, "{question}");
        }
    }

    #[test]
    fn else_whoever_is_spoken_of_is_meant() {
        check(Some(Role::Person), &["what is my dog called", "what did my sister say"]);
        check(Some(Role::Machine), &["what was your second idea"]);
        check(None, &["how should i take the tablets", "where can we stay"]);
        check(None, &["what do we know of the piano"]);
        check(Some(Role::Person), &["what does it cost me", "where was i born", "my blood type"]);
        check(None, &["que me recomendaste", "qu est ce que tu me conseilles", "chleb i sol"]);
        check(Some(Role::Machine), &["which reasons does the assistant have"]);
    }

    #[test]
    fn what_is_to_be_done_has_been_said_by_nobody() {
        for question in [
            "how do i configure nginx",
            "how do i list open ports",
            "how can we write a letter to the landlord",
            "how does one call my bank",
            "what should i write in the cover letter",
            "what can i give my sister",
            "how to explain our tax to children",
            "why does my bread collapse",
            "why do my plants die",
            "how do you say hello in french",
        ] {
            let words: Vec<&str> = question.split(' ').collect();
            assert_eq!(Asked::read(&words), Asked::default(), "{question}");
        }
        check(
            Some(Role::Person),
            &[
                "where do i live",
                "why do i avoid milk",
                "how often do i see my doctor",
                "what was i offered by my boss",
                "what was i told by my doctor",
                "who did i call on monday",
                "why did my sister leave",
                "what was i going to tell you",
                "the thing i wanted to ask you",
                "which recipe did i give you",
            ],
        );
        check(
            Some(Role::Machine),
            &["what do you recommend for my knee", "how did you explain it"],
        );
    }

    #[test]
    fn users_and_assistants_that_are_talked_about_are_no_sides() {
        check(
            None,
            &[
                "what is a voice assistant called",
                "which assistants were offered",
                "why did the test user vanish",
                "how is user data stored",
            ],
        );
    }
}
