//! Whether a text mentions a time, and whether a question asks for one.

use super::calendar::{count, month, weekday, year};

/// Whether the text mentions a time: a date, a weekday, a clock time, "yesterday", "last summer",
/// "three years ago".
pub fn tells_time(text: &str) -> bool {
    let mut before = String::new();
    let mut word = String::new();
    for surface in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        std::mem::swap(&mut before, &mut word);
        word.clear();
        word.extend(surface.chars().flat_map(char::to_lowercase).take(LONGEST));
        if is_time(&before, &word, surface) {
            return true;
        }
    }
    false
}

/// Whether the question asks for a time: when, how long, how often, what year.
pub fn asks_for_time(question: &str) -> bool {
    let lower: String = question.chars().take(200).flat_map(char::to_lowercase).collect();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut words = words.skip_while(|word| leads_to_time(word));
    let (first, second) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    match first {
        "when" => true,
        "how" => matches!(second, "long" | "often" | "recently" | "soon"),
        "what" | "which" => {
            matches!(second, "year" | "month" | "date" | "day" | "time" | "week" | "season")
        }
        _ => false,
    }
}

/// Words that may stand before a question for a time: "in what year", "since when", "for how long".
fn leads_to_time(word: &str) -> bool {
    matches!(
        word,
        "in" | "on"
            | "at"
            | "by"
            | "from"
            | "since"
            | "until"
            | "till"
            | "for"
            | "during"
            | "around"
            | "about"
            | "before"
            | "after"
            | "and"
            | "so"
    )
}

/// Words are cut to this length; no word for a time is longer.
const LONGEST: usize = 12;

fn is_time(before: &str, word: &str, surface: &str) -> bool {
    let capital = surface.starts_with(char::is_uppercase);
    year(word).is_some()
        || weekday(word).is_some() && word.len() > 4
        || month(word).is_some() && (capital || !matches!(word, "may" | "march" | "mar"))
        || is_moment(word)
        || is_clock(before, word)
        || is_span(word) && (points(before) || is_count(before))
}

/// Words that are a time by themselves.
fn is_moment(word: &str) -> bool {
    matches!(
        word,
        "yesterday"
            | "today"
            | "tomorrow"
            | "tonight"
            | "ago"
            | "recently"
            | "lately"
            | "nowadays"
            | "midnight"
            | "noon"
            | "birthday"
            | "anniversary"
            | "christmas"
            | "easter"
    )
}

fn is_clock(before: &str, word: &str) -> bool {
    let joined = word.trim_start_matches(|c: char| c.is_ascii_digit());
    let joined = joined.len() < word.len() && matches!(joined, "am" | "pm");
    joined
        || matches!(word, "am" | "pm" | "oclock")
            && before.bytes().all(|b| b.is_ascii_digit())
            && !before.is_empty()
}

fn is_span(word: &str) -> bool {
    matches!(
        word.strip_suffix('s').unwrap_or(word),
        "day"
            | "week"
            | "weekend"
            | "month"
            | "year"
            | "decade"
            | "century"
            | "morning"
            | "afternoon"
            | "evening"
            | "night"
            | "spring"
            | "summer"
            | "autumn"
            | "fall"
            | "winter"
            | "hour"
            | "minute"
            | "season"
            | "time"
    )
}

/// Words that make a span of time specific: "last week", "every summer".
fn points(word: &str) -> bool {
    matches!(word, "last" | "next" | "this" | "past" | "previous" | "coming" | "every" | "each")
}

/// A number word greater than one, or any number in digits.
fn is_count(word: &str) -> bool {
    let one = matches!(word, "a" | "an" | "one");
    !one && count(word).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_tell_a_time_are_known() {
        for text in [
            "I met her last week",
            "We moved here in 2019.",
            "see you on Friday!",
            "three years ago",
            "at 5pm sharp",
            "In May we sow",
        ] {
            assert!(tells_time(text), "{text}");
        }
        for text in ["I may march on", "the week was hard", "I am here", "sat down in the sun", ""]
        {
            assert!(!tells_time(text), "{text}");
        }
    }

    #[test]
    fn questions_for_a_time_are_known() {
        for text in ["When did she leave?", "how long was it", "What year was the fire?"] {
            assert!(asks_for_time(text), "{text}");
        }
        for text in [
            "In what year was the fire?",
            "On which day did they meet?",
            "For how long was it shut?",
            "Since when has she known?",
            "And at what time?",
        ] {
            assert!(asks_for_time(text), "{text}");
        }
        for text in ["In which shop?", "For how much?"] {
            assert!(!asks_for_time(text), "{text}");
        }
        for text in ["What did she do when it rained?", "How did he win?", "🐉", ""] {
            assert!(!asks_for_time(text), "{text}");
        }
    }
}
