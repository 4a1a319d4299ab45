//! Author and date at the start of a chat message: `[8 May 2023] Caroline: …`, `[2023-05-08T14:05Z]
//! user: …`, `Caroline (8 May 2023): …`, `[2023/05/08 (Mon) 14:05] user: …`, `[08.05.2023,
//! 14:05:30] Caroline: …`.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;

use super::calendar::{any_day, any_month, is_foreign_weekday, weekday};
use super::date_of;
use super::digits::{ShortYears, days_of, full_year};

/// A chat message, split into its prefix and its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prefix<'a> {
    /// When it was said; UTC if no zone is given, midnight if no time is given.
    pub occurred_at: Option<Timestamp>,
    /// Who said it.
    pub author: Option<&'a str>,
    /// The text after the prefix.
    pub rest: &'a str,
}

/// How to treat `Name: …` without a date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Plain {
    /// As an author, because the text is part of a conversation.
    IsAuthor,
    /// As normal text.
    IsText,
}

/// Splits the chat prefix from a text. If there is none, the whole text is `rest`.
pub fn chat_prefix(text: &str, plain: Plain) -> Prefix<'_> {
    let text = text.trim_start();
    bracketed(text)
        .or_else(|| name_then_date(text))
        .or_else(|| match plain {
            Plain::IsAuthor => {
                let (author, rest) = author(text).filter(|(name, _)| !is_numbered(name))?;
                Some(Prefix { occurred_at: None, author: Some(author), rest })
            }
            Plain::IsText => None,
        })
        .unwrap_or(Prefix { occurred_at: None, author: None, rest: text })
}

/// Parses `[date] Name: rest` or `[date] rest`; round brackets are accepted as well.
fn bracketed(text: &str) -> Option<Prefix<'_>> {
    let square = text.strip_prefix('[').and_then(|text| text.split_once(']'));
    let round = || text.strip_prefix('(')?.split_once(')');
    let (inside, rest) = square.or_else(round)?;
    let occurred_at = moment(inside);
    let rest = rest.trim_start();
    if occurred_at.is_none() && !may_be_two_days(inside) {
        return None;
    }
    Some(match author(rest) {
        Some((author, rest)) => Prefix { occurred_at, author: Some(author), rest },
        None => Prefix { occurred_at: Some(occurred_at?), author: None, rest },
    })
}

/// Whether the text starts with an ambiguous date such as `08/05/2023`. It gives no date, but what
/// follows is still an author.
fn may_be_two_days(text: &str) -> bool {
    text.split([' ', ','])
        .next()
        .is_some_and(|word| days_of(word, ShortYears::BehindSlashes).len() > 1)
}

/// Parses `Name (date): rest`.
fn name_then_date(text: &str) -> Option<Prefix<'_>> {
    let (name, rest) = text.split_once('(').filter(|(name, _)| is_author(name.trim()))?;
    let (inside, rest) = rest.split_once(')')?;
    let occurred_at = Some(moment(inside)?);
    let rest = rest.trim_start().strip_prefix(':')?.trim_start();
    Some(Prefix { occurred_at, author: Some(name.trim()), rest })
}

fn author(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.split_once(':')?;
    let apart = rest.is_empty() || rest.starts_with(char::is_whitespace);
    (apart && is_author(name)).then(|| (name.trim(), rest.trim_start()))
}

/// Whether one to four words can be a name or a role: "user", "Dr. O'Hara", "Wen of Ild", but
/// neither "They take turns" nor "Note".
fn is_author(name: &str) -> bool {
    let words = name.split_whitespace().count();
    name.len() <= 60
        && name.starts_with(char::is_alphabetic)
        && name.chars().all(|c| c.is_alphanumeric() || " .'’-_".contains(c))
        && (1..=4).contains(&words)
        && (words == 1 || name.split_whitespace().all(is_part_of_name))
        && !ends_with_label(name)
}

/// Whether the last word before any number is a label: "Note", "Fatal Error", "Step 1".
fn ends_with_label(name: &str) -> bool {
    let words = name.split_whitespace();
    let mut bare =
        words.map(|word| word.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'));
    bare.rfind(|word| !word.is_empty()).is_some_and(is_label)
}

/// Whether a name has a number and so is more probably a heading: "Chapter 2", "Q3", "INC1089". Those
/// who are counted are somebody: "Speaker 2", and so are nicknames: "mara92".
fn is_numbered(name: &str) -> bool {
    const COUNTED: [&str; 14] = [
        "user",
        "assistant",
        "agent",
        "bot",
        "speaker",
        "player",
        "person",
        "participant",
        "guest",
        "caller",
        "customer",
        "client",
        "patient",
        "student",
    ];
    let letters = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == ' ');
    let is_nickname =
        || letters.len() >= 3 && letters.contains(char::is_lowercase) && !name.contains(' ');
    name.contains(|c: char| c.is_ascii_digit())
        && !COUNTED.contains(&letters.to_lowercase().as_str())
        && !is_nickname()
}

fn is_part_of_name(word: &str) -> bool {
    matches!(word, "of" | "the" | "de" | "da" | "la" | "van" | "von" | "der" | "ibn" | "bin")
        || !word.starts_with(char::is_lowercase)
}

/// Words that stand before a colon without being an author.
fn is_label(word: &str) -> bool {
    let word = word.to_lowercase().replace('.', "");
    // Including error types as programs print them: `TypeError`, `DeprecationWarning`.
    let is_kind = ["error", "exception", "warning"].iter().any(|kind| word.ends_with(kind));
    is_kind || LABELS.split_whitespace().any(|label| label == word)
}

const LABELS: &str = "
    note notes warn todo fixme tip hint example summary question answer update edit result
    conclusion important remember http https info debug trace fatal panic failure bug fix cause
    reason problem solution decision workaround re fwd fw aw wg ps nb fyi btw subject step part
    chapter section phase rule option status deadline reminder attention caution title topic
    agenda goal task plan idea wichtig achtung hinweis notiz frage antwort betreff nachtrag
    erinnerung tipp beispiel fazit ergebnis lösung schritt remarque rappel exemple réponse étape
    nota importante atención aviso recordatorio ejemplo pregunta respuesta paso attenzione
";

/// Parses a date with or without a time, with its parts in any usual order.
fn moment(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    if text.len() > 60 {
        return None;
    }
    let exact = text.parse::<Timestamp>().ok();
    let at = exact.or_else(|| {
        let civil = text.parse::<DateTime>().ok().or_else(|| spelt_out(text))?;
        TimeZone::UTC.to_timestamp(civil).ok()
    })?;
    // Years before the first are parsing mistakes.
    (date_of(at).year() >= 1).then_some(at)
}

/// Parses `8 May 2023`, `May 8th, 2023 at 14:05`, `1:56 pm on 8 May, 2023`, `Mon 8 May 2023`,
/// `2023/05/08 (Mon) 14:05`, `08.05.2023, 1:56 PM`.
fn spelt_out(text: &str) -> Option<DateTime> {
    let lower = text.to_lowercase();
    let words = lower.split(|c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')'));
    let (mut day_of, mut month_of, mut year_of) = (None, None, None);
    let (mut clock, mut afternoon) = (Time::midnight(), None);
    let words = words.map(|word| word.trim_end_matches('.'));
    for word in words.filter(|word| !word.is_empty()) {
        if let [date] = days_of(word, ShortYears::BehindSlashes).as_slice() {
            (year_of, month_of, day_of) = (Some(date.year()), Some(date.month()), Some(date.day()));
        } else if let Some(found) = any_month(word) {
            month_of = Some(found);
        } else if let Some(found) = any_day(word).filter(|_| day_of.is_none()) {
            day_of = Some(found);
        } else if let Some(found) = full_year(word) {
            year_of = Some(found);
        } else if let Some((found, half)) = clock_time(word) {
            clock = found;
            afternoon = afternoon.or(half);
        } else if matches!(word, "am" | "pm") {
            afternoon = Some(word == "pm");
        } else if weekday(word).is_none() && !is_foreign_weekday(word) && !is_filler(word) {
            return None;
        }
    }
    let date = Date::new(year_of?, month_of?, day_of?).ok()?;
    Some(date.to_datetime(twelve_hours(clock, afternoon)?))
}

/// Words that add nothing to a time that is taken as UTC anyway.
fn is_filler(word: &str) -> bool {
    let is_english = matches!(word, "on" | "at" | "of" | "the" | "utc" | "gmt");
    is_english || matches!(word, "de" | "del" | "um" | "uhr" | "à" | "às" | "roku" | "г" | "года")
}

/// Parses `14:05`, `14:05:30` or `1:56pm`; the second value is whether it is "pm", if given.
fn clock_time(word: &str) -> Option<(Time, Option<bool>)> {
    let (digits, half) = match (word.strip_suffix("am"), word.strip_suffix("pm")) {
        (Some(digits), _) => (digits, Some(false)),
        (_, Some(digits)) => (digits, Some(true)),
        _ => (word, None),
    };
    let mut parts = digits.split(':').map(|part| part.parse::<i8>().ok());
    let (hour, minute) = (parts.next()??, parts.next()??);
    let second = parts.next().unwrap_or(Some(0))?;
    Some((Time::new(hour, minute, second, 0).ok()?, half))
}

fn twelve_hours(time: Time, afternoon: Option<bool>) -> Option<Time> {
    let hour = match afternoon {
        Some(true) if time.hour() < 12 => time.hour() + 12,
        Some(false) if time.hour() == 12 => 0,
        _ => time.hour(),
    };
    Time::new(hour, time.minute(), time.second(), 0).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, when: Option<&str>, who: Option<&str>, rest: &str) {
        let found = chat_prefix(text, Plain::IsAuthor);
        let time = found.occurred_at.map(|at| at.to_string());
        assert_eq!((time.as_deref(), found.author, found.rest), (when, who, rest), "{text}");
    }

    #[test]
    fn prefixes_of_chat_logs_are_read() {
        let day = Some("2023-05-08T00:00:00Z");
        let caroline = Some("Caroline");
        check("[8 May 2023] Caroline: Hey!", day, caroline, "Hey!");
        check("[2023-05-08] Caroline: Hey!", day, caroline, "Hey!");
        check("Caroline (May 8th, 2023): Hey!", day, caroline, "Hey!");
        let exact = Some("2023-05-08T13:56:00Z");
        check("[1:56 pm on 8 May, 2023] Caroline: Hey!", exact, caroline, "Hey!");
        check("[8 May 2023, 13:56] Hey!", exact, None, "Hey!");
        check("[2023-05-08T15:56+02:00] Dr. O'Hara: Hey!", exact, Some("Dr. O'Hara"), "Hey!");
        check("(8 May 2023) Caroline: Hey!", day, caroline, "Hey!");
    }

    #[test]
    fn dates_are_read_in_many_languages() {
        for date in [
            "8. Mai 2023",
            "Montag, 8. Mai 2023",
            "lundi 8 mai 2023",
            "8 de mayo de 2023",
            "8 maio 2023",
            "8 de maio de 2023",
            "8 maggio 2023",
            "8 mei 2023",
            "8 maja 2023 roku",
            "8 мая 2023 г.",
            "2023年5月8日",
        ] {
            check(
                &format!("[{date}] José: hola"),
                Some("2023-05-08T00:00:00Z"),
                Some("José"),
                "hola",
            );
        }
        check("[1er mai 2023] x", Some("2023-05-01T00:00:00Z"), None, "x");
    }

    #[test]
    fn headings_and_labels_are_nobody() {
        for text in [
            "Step 1: open it",
            "Step1: open it",
            "Chapter 12: the mill",
            "INC1089: the mill is down",
            "Q3: more of it",
            "Re: your mail",
            "PS: bring cake",
            "P.S.: bring cake",
            "Wichtig: morgen zu",
            "Importante: mañana cerrado",
        ] {
            check(text, None, None, text);
        }
        for who in ["Speaker 2", "mara92", "User 1", "Wen of Ild"] {
            check(&format!("{who}: hello"), None, Some(who), "hello");
        }
        let day = Some("2023-05-08T00:00:00Z");
        check("[2023-05-08] R2D2: beep", day, Some("R2D2"), "beep");
        check("[2023-05-08] Step 2: shut it", day, None, "Step 2: shut it");
    }

    #[test]
    fn dates_in_digits_are_read_where_they_mean_one_day() {
        let (day, exact) = (Some("2023-05-28T00:00:00Z"), Some("2023-05-28T13:56:00Z"));
        let who = Some("user");
        check("[2023/05/28 (Sun) 13:56] user: Hey!", exact, who, "Hey!");
        check("[2023-05-28 1:56 PM] user: Hey!", exact, who, "Hey!");
        check("[28.05.2023, 13:56:00] user: Hey!", exact, who, "Hey!");
        check("[5/28/23, 1:56 PM] user: Hey!", exact, who, "Hey!");
        check("[28/05/2023] user: Hey!", day, who, "Hey!");
        check("[28-May-2023] user: Hey!", day, who, "Hey!");
        check("[2023-05-28 13:56 UTC] user: Hey!", exact, who, "Hey!");
    }

    #[test]
    fn who_said_it_is_known_also_where_the_day_may_be_one_of_two() {
        check("[08/05/2023] Caroline: Hey!", None, Some("Caroline"), "Hey!");
        check("[5/8/23, 1:56 PM] Caroline: Hey!", None, Some("Caroline"), "Hey!");
        check("[8. Mai 2023] Karl: Na?", Some("2023-05-08T00:00:00Z"), Some("Karl"), "Na?");
    }

    #[test]
    fn a_plain_name_counts_only_in_a_conversation() {
        check("user: what now?", None, Some("user"), "what now?");
        let fact = chat_prefix("Note: buy oil", Plain::IsText);
        assert_eq!((fact.author, fact.rest), (None, "Note: buy oil"));
    }

    #[test]
    fn what_a_program_says_is_nobodys_word() {
        for text in [
            "Error: connection refused",
            "ERROR: connection refused",
            "TypeError: x is undefined",
            "Fatal Error: out of memory",
            "DeprecationWarning: use the other one",
            "Fix: restart it",
        ] {
            check(text, None, None, text);
            let stamped = format!("[2023-05-08] {text}");
            check(&stamped, Some("2023-05-08T00:00:00Z"), None, text);
        }
    }

    #[test]
    fn other_texts_are_left_alone() {
        for text in [
            "[-000044-03-15] x",
            "[todo] buy oil",
            "see https://example.org: fine",
            "12:30 is late",
            "[8 May",
            "",
            "We agreed on three things in the end: oil",
            "Elf (young): no date",
            "They take turns: those outside push inward",
            "Note: buy oil",
            "[31 Feb 2023] x",
            "[4/5/2023] fourth of May or fifth of April",
            "[1.2.10] a version",
            "[2023/13/01] x",
            "(see above) x",
        ] {
            check(text, None, None, text);
        }
    }
}
