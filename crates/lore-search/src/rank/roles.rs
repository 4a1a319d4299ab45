//! Who of the two in a talk with a machine a question is about. They are hardly ever called by
//! name: pronouns tell.

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

    /// Whose words a question asks for: who said, told or suggested it; else whoever it speaks of.
    pub(super) fn meant(words: &[&str]) -> Option<Self> {
        let words = without_frames(words);
        speaker(&words).or_else(|| mentioned(&words))
    }

    fn other(self) -> Self {
        match self {
            Self::Person => Self::Machine,
            Self::Machine => Self::Person,
        }
    }
}

/// What somebody does whose words are asked for.
const SAYS: [&str; 39] = [
    "say",
    "said",
    "tell",
    "told",
    "mention",
    "mentioned",
    "ask",
    "asked",
    "suggest",
    "suggested",
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

/// Who says something.
fn speaker(words: &[&str]) -> Option<Role> {
    let subject = |at: usize| {
        let before = words.get(..at)?;
        let subject = before.iter().rposition(|word| matches!(*word, "i" | "we" | "you"))?;
        if at - subject > BETWEEN + 1 {
            return None;
        }
        let role = if before.get(subject) == Some(&"you") { Role::Machine } else { Role::Person };
        let around = before.get(subject.saturating_sub(1)..)?;
        let hears = words.get(at).is_some_and(|verb| HEARS.contains(verb))
            && around.iter().any(|word| IS.contains(word));
        Some(if hears { role.other() } else { role })
    };
    let verbs = words.iter().enumerate().filter(|(_, word)| SAYS.contains(word));
    verbs.map(|(at, _)| at).find_map(subject)
}

/// Who is spoken of.
fn mentioned(words: &[&str]) -> Option<Role> {
    let has = |list: &[&str]| words.iter().any(|word| list.contains(word));
    if has(&["you", "your", "yours", "assistant"]) {
        return Some(Role::Machine);
    }
    let person = has(&["i", "my", "me", "mine", "myself", "we", "our", "user"]);
    person.then_some(Role::Person)
}

/// The words without those that only ask for an answer: "can you remind me", "do you know".
fn without_frames<'a>(words: &[&'a str]) -> Vec<&'a str> {
    let mut kept = Vec::new();
    let mut rest = words;
    if let ["remind" | "tell" | "show" | "give", "me", others @ ..] = rest {
        rest = others;
    }
    while let [first, others @ ..] = rest {
        match framed(rest) {
            Some(others) => rest = others,
            None => {
                kept.push(*first);
                rest = others;
            }
        }
    }
    kept
}

/// What follows a frame, if one stands here.
fn framed<'s, 'a>(words: &'s [&'a str]) -> Option<&'s [&'a str]> {
    let (knows, others) = match words {
        ["can" | "could" | "would" | "will", "you", others @ ..] => (false, others),
        ["do", "you", others @ ..] => (true, others),
        _ => return None,
    };
    let others = match others {
        ["please" | "just" | "still" | "kindly" | "maybe" | "also", others @ ..] => others,
        _ => others,
    };
    let others = match others {
        ["remember" | "recall" | "know", others @ ..] => others,
        [
            "remind" | "tell" | "show" | "give" | "help" | "find" | "list" | "repeat" | "say"
            | "explain" | "check" | "summarize" | "summarise",
            others @ ..,
        ] if !knows => others,
        _ => return None,
    };
    Some(match others {
        ["me", others @ ..] => others,
        _ => others,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(role: Option<Role>, questions: &[&str]) {
        for question in questions {
            let words: Vec<&str> = question.split(' ').collect();
            assert_eq!(Role::meant(&words), role, "{question}");
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
                "remind me when my lease ends",
            ],
        );
        check(
            Some(Role::Machine),
            &["can you repeat what you suggested", "tell me which shoes you recommended"],
        );
        check(None, &["can you tell me about the harbour", "where is the mill"]);
    }

    #[test]
    fn else_whoever_is_spoken_of_is_meant() {
        check(Some(Role::Person), &["what is my dog called", "what did my sister say"]);
        check(Some(Role::Machine), &["what was your second idea"]);
    }
}
