//! The frame of a question: words at its beginning, such as "tell me about", "do you remember" or
//! "any news on", that only say that something is asked.
//!
//! Only the beginning of a question counts as a frame. Elsewhere the same words have a meaning: in
//! "who told me of Tomas" somebody tells.

use lore_text::analysis::{Word, name_words, stems, words};

use crate::view::View;

/// A question without its frame. It stays whole if there is nothing but the frame, or if it is the
/// beginning of a name.
pub(super) fn unframed<'a>(question: &'a str, view: &View) -> &'a str {
    let words: Vec<Word<'a>> = words(question).take(LONGEST).collect();
    let folded: Vec<String> = words.iter().map(|word| name_words(word.surface)).collect();
    let framing = leading(&folded.iter().map(String::as_str).collect::<Vec<_>>());
    let Some(first) = words.get(framing).filter(|_| framing > 0) else { return question };
    let subject = question.get(first.start..).unwrap_or(question);
    let mut says_something = false;
    stems(subject, |_, _| says_something = true);
    match says_something && !view.names.any_begins_with(&name_words(question)) {
        true => subject,
        false => question,
    }
}

/// The words after a request for an answer at the start of `words`, such as "can you remind me" or
/// "do you know"; `None` if there is no request.
pub(super) fn after_request<'s, 'a>(words: &'s [&'a str]) -> Option<&'s [&'a str]> {
    longest(REQUESTS, words).and_then(|length| words.get(length..))
}

/// No frame has more words.
const LONGEST: usize = 32;

/// Words that mean nothing before a frame, but only there.
const GREETINGS: [&str; 8] = ["please", "hey", "hi", "hello", "ok", "okay", "so", "well"];

// Pattern syntax: words separated by spaces, alternatives by `|`; a trailing `?` makes a word
// optional.

/// Requests, at any place of a question.
const REQUESTS: &[&str] = &[
    "can|could|would|will you please|just|still|kindly|maybe|also? remind|tell|show|give|help|find|\
     list|repeat|say|explain|check|summarize|summarise|describe|remember|recall me|us?",
    "do you|we|i please|just|still|kindly|maybe|also? remember|recall|know me?",
];

/// Other openings of questions.
const OPENINGS: &[&str] = &[
    "remind|tell|show|give|find|get me|us",
    "what can|could|would|will you remind|tell|show|give|say me|us?",
    "what? do|did you|we|i still|already|just? remember|recall|know",
    "i|we want|need|wish to know|hear|see|learn|remember",
    "i|we would|d like|love to know|hear|see|learn|remember",
    "recall|remember|list|find|show|tell|give|retrieve|search|look|describe|summarize|summarise|\
     explain? for|up? everything|anything|something|all|whatever|what that? you|we|i? \
     already|still? know|remember|recall|have|learned? about|on|of|regarding",
    "is|are|do|have there|you|we|i have|got? anything|something about|on|of|regarding",
    "is|are? there? any|some|more|further|latest|recent \
     news|update|updates|info|information|details|word about|on|of|regarding|from",
    "explain|describe|summarize|summarise to? me|us?",
    "what have|has you|we|i already|just? learned|learnt|heard|noted|recorded about|on|of|regarding",
    "what is|was|has been? said|known|noted|recorded|remembered about|on|of|regarding",
    "any|some|more notes|memories|records|facts about|on|of|regarding",
    "search|check|look|go in|into|through? my|your|our|the memory|memories|notes|records for|about|on",
    // German
    "erzahl|erzahle|erzahlen|sag|sage|zeig|zeige|nenn|nenne|gib sie? mir|uns bitte? \
     etwas|alles|mehr? was? du|wir? weisst|wissen? uber|von|vom|zu|zum|zur?",
    "was weiss|weisst|wissen du|ich|wir|sie noch? alles? uber|von|vom|zu|zum|zur",
    "weisst|erinnerst|erinnern du|sie|wir dich|sich|uns? noch? etwas|was? an|uber|von|vom",
    "gibt es etwas|was|neues|neuigkeiten neues|neuigkeiten? uber|von|vom|zu|zum|zur",
    // French
    "parle|parlez|dis|dites|montre|montrez|raconte|racontez|donne|donnez|rappelle|rappelez moi|nous \
     tout|quelque|plus? chose? ce? que? tu|nous|vous? sais|savons|savez? de|du|des|d|sur?",
    "que|qu est? ce? que? sais|savons|savez|sait|tu|nous|vous|on tu|nous|vous|on|sais|savons|savez|sait \
     de|du|des|d|sur",
    "te|vous souviens|souvenez tu|vous de|du|des|d",
    // Spanish
    "hablame|hablanos|cuentame|cuentanos|dime|dinos|muestrame|recuerdame|dame todo|algo|mas? lo? que? \
     sabes|sabemos? de|del|sobre|acerca? de|del?",
    "que sabes|sabemos|recuerdas de|del|sobre|acerca de|del?",
    "te? acuerdas|recuerdas algo|todo? de|del|sobre",
];

/// Amounts that may follow a frame, such as "everything" or "a list of".
const AMOUNTS: &[&str] = &[
    "everything|anything|something|whatever",
    "a|an|the? short|quick|brief|full? list|overview|summary|recap of",
    "all|any|some|more|further|the|latest? news|info|information|details about|on|of|regarding",
];

/// The number of words at the beginning that belong to the frame.
fn leading(words: &[&str]) -> usize {
    let greetings = words.iter().take_while(|word| GREETINGS.contains(word)).count();
    let mut framing = greetings;
    while let Some(rest) = words.get(framing..) {
        let amount = longest(AMOUNTS, rest).filter(|_| framing > greetings);
        let opening = longest(REQUESTS, rest).max(longest(OPENINGS, rest));
        let Some(length) = opening.max(amount) else { break };
        framing += length;
    }
    if framing > greetings { framing } else { 0 }
}

/// The number of words that the longest matching pattern takes.
fn longest(patterns: &[&str], words: &[&str]) -> Option<usize> {
    patterns.iter().filter_map(|pattern| fitting(pattern, words)).max()
}

fn fitting(pattern: &str, words: &[&str]) -> Option<usize> {
    let mut length = 0;
    for place in pattern.split(' ') {
        let (choices, may_be_missing) = match place.strip_suffix('?') {
            Some(choices) => (choices, true),
            None => (place, false),
        };
        let fits = |word: &&str| choices.split('|').any(|choice| choice == *word);
        match words.get(length).is_some_and(fits) {
            true => length += 1,
            false if may_be_missing => {}
            false => return None,
        }
    }
    Some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_beginning_is_a_frame() {
        let rest = |question: &str| {
            let words: Vec<&str> = question.split(' ').collect();
            words[leading(&words)..].join(" ")
        };
        for (question, expected) in [
            ("please tell me about the mill", "about the mill"),
            ("can you please remind me what i said", "what i said"),
            ("what can you tell me about the mill", "about the mill"),
            ("tell me everything you know about the mill", "the mill"),
            ("give me a short summary of the siege", "the siege"),
            ("show me all the details", "all the details"),
            ("recall what we know about the mill", "the mill"),
            ("i d like to know where the mill is", "where the mill is"),
            ("any news on the mill", "the mill"),
            ("do we have anything on the mill", "the mill"),
            ("explain the mill", "the mill"),
            ("describe to me the mill", "the mill"),
            ("what have we learned about the mill", "the mill"),
            ("what was said about the mill", "the mill"),
            ("any notes on the mill", "the mill"),
            ("search my memory for the mill", "the mill"),
            ("was wissen wir uber die muhle", "die muhle"),
            ("parle moi du moulin", "moulin"),
            ("cuentame todo sobre el molino", "el molino"),
        ] {
            assert_eq!(rest(question), expected, "{question}");
        }
        for whole in [
            "what did tomas tell me",
            "hello world",
            "recall the election",
            "list the gates",
            "summary of the siege",
            "what kind of mill do you know",
            "when do you show me the mill",
            "what was said by tomas",
            "notes on the mill",
            "search the mill",
        ] {
            assert_eq!(rest(whole), whole);
        }
    }
}
