//! Who of the two in a talk with a machine a question is about. They are hardly ever called by
//! name: pronouns tell.

use crate::rank::frame::after_request;

/// The two sides of a talk with a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Who asks.
    Person,
    /// Who is asked.
    Machine,
}

impl Role {
    /// The side that an author of this name is.
    pub(super) fn of(author: &str) -> Option<Self> {
        match author {
            "user" | "human" | "me" | "you" => Some(Self::Person),
            "assistant" | "ai" | "bot" | "model" | "chatgpt" | "claude" | "gemini" => {
                Some(Self::Machine)
            }
            _ => None,
        }
    }

    fn other(self) -> Self {
        match self {
            Self::Person => Self::Machine,
            Self::Machine => Self::Person,
        }
    }
}

/// What a question says of who speaks.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Asked {
    /// Whose words it asks for: who said, told or suggested it; else whoever it speaks of.
    pub(super) role: Option<Role>,
    /// Which of its words say no more than that, and nothing of what it is about: "can you remind
    /// me", "said".
    pub(super) framing: Vec<usize>,
}

impl Asked {
    /// Understands the folded words of a question, of which the frame is taken away.
    pub(super) fn read(words: &[&str]) -> Self {
        let topic = without_requests(words);
        let kept: Vec<&str> = topic.iter().filter_map(|at| words.get(*at).copied()).collect();
        let Some((verb, role)) = speaker(&kept) else {
            return Self { role: mentioned(&kept), framing: others(words.len(), &topic, None) };
        };
        Self { role: Some(role), framing: others(words.len(), &topic, topic.get(verb)) }
    }
}

/// Those of so many places that are not among the kept ones, and one more.
fn others(all: usize, kept: &[usize], more: Option<&usize>) -> Vec<usize> {
    (0..all).filter(|at| !kept.contains(at) || Some(at) == more).collect()
}

/// What somebody does whose words are asked for.
const SAYS: [&str; 44] = [
    "say",
    "said",
    "saying",
    "tell",
    "told",
    "telling",
    "mention",
    "mentioned",
    "mentioning",
    "ask",
    "asked",
    "asking",
    "suggest",
    "suggested",
    "suggesting",
    "recommend",
    "recommended",
    "advise",
    "advised",
    "give",
    "gave",
    "given",
    "explain",
    "explained",
    "describe",
    "described",
    "propose",
    "proposed",
    "offer",
    "offered",
    "promise",
    "promised",
    "list",
    "listed",
    "write",
    "wrote",
    "written",
    "show",
    "showed",
    "shown",
    "warn",
    "warned",
    "call",
    "called",
];
/// What is done to who hears it: "I was told".
const HEARS: [&str; 9] =
    ["told", "asked", "advised", "given", "offered", "promised", "shown", "warned", "called"];
const IS: [&str; 7] = ["am", "is", "are", "was", "were", "been", "got"];
/// So many words may stand between who says and what they do: "I have ever told".
const BETWEEN: usize = 3;

/// Who says something, and where the word for that stands.
fn speaker(words: &[&str]) -> Option<(usize, Role)> {
    let subject = |at: usize| {
        let before = words.get(..at)?;
        let sides = before.iter().map(|word| side(word));
        let (subject, role) =
            sides.enumerate().filter_map(|(at, side)| Some((at, side?))).next_back()?;
        if at - subject > BETWEEN + 1 {
            return None;
        }
        let around = before.get(subject.saturating_sub(1)..)?;
        let hears = words.get(at).is_some_and(|verb| HEARS.contains(verb))
            && around.iter().any(|word| IS.contains(word));
        Some((at, if hears { role.other() } else { role }))
    };
    let verbs = words.iter().enumerate().filter(|(_, word)| SAYS.contains(word));
    verbs.map(|(at, _)| at).find_map(subject)
}

/// The side that a word stands for where somebody does something.
fn side(word: &str) -> Option<Role> {
    match word {
        "i" | "we" | "user" => Some(Role::Person),
        "you" | "assistant" => Some(Role::Machine),
        _ => None,
    }
}

/// Who is spoken of.
fn mentioned(words: &[&str]) -> Option<Role> {
    let has = |list: &[&str]| words.iter().any(|word| list.contains(word));
    // The machine may have told it, or the person what they would want to hear.
    if words.windows(2).any(asks_for_advice) {
        return None;
    }
    if has(&["you", "your", "yours", "assistant"]) {
        return Some(Role::Machine);
    }
    let person = has(&["i", "my", "me", "mine", "myself", "we", "our", "user"]);
    person.then_some(Role::Person)
}

/// Whether two words ask what to do: "should I".
fn asks_for_advice(words: &[&str]) -> bool {
    matches!(words, ["should" | "shall" | "could" | "can" | "may" | "must", "i" | "we"])
}

/// The places of the words that do not only ask for an answer: "and can you tell me", "do you know".
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
        assert_eq!(framing("what did my sister say"), "");
    }

    #[test]
    fn else_whoever_is_spoken_of_is_meant() {
        check(Some(Role::Person), &["what is my dog called", "what did my sister say"]);
        check(Some(Role::Machine), &["what was your second idea"]);
        check(None, &["how should i take the tablets", "where can we stay"]);
        check(None, &["what do we know of the piano"]);
    }
}
