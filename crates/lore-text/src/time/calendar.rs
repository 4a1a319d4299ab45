//! Words of the calendar.

use jiff::civil::Weekday;

/// Whether a word can be part of a date expression: a month, a day, a year, "last", "week",
/// "yesterday".
pub fn is_date_word(surface: &str) -> bool {
    let word = surface.to_lowercase();
    let is_weekday = weekday(&word).is_some() && word.len() > 4;
    let span = word.strip_suffix('s').unwrap_or(&word);
    is_weekday
        || month(&word).is_some()
        || day(&word).is_some()
        || year(&word).is_some()
        || count(&word).is_some()
        || matches!(span, "day" | "week" | "weekend" | "month" | "year" | "spring" | "summer")
        || matches!(
            span,
            "autumn" | "fall" | "winter" | "today" | "tonight" | "yesterday" | "night"
        )
        || matches!(span, "morning" | "afternoon" | "evening" | "last" | "past" | "previou" | "ago")
        || matches!(span, "early" | "late" | "mid" | "couple" | "beginning" | "end")
}

/// Whether a word names a recurring time that texts may be about: a weekday or a season.
pub fn names_time(surface: &str) -> bool {
    let word = surface.to_lowercase();
    let season = matches!(word.as_str(), "spring" | "summer" | "autumn" | "fall" | "winter");
    season || weekday(&word).is_some() && word.len() > 4
}

/// The number of a month, from its English name or a usual abbreviation, in lower case.
pub fn month(word: &str) -> Option<i8> {
    Some(match word {
        "january" | "jan" => 1,
        "february" | "feb" => 2,
        "march" | "mar" => 3,
        "april" | "apr" => 4,
        "may" => 5,
        "june" | "jun" => 6,
        "july" | "jul" => 7,
        "august" | "aug" => 8,
        "september" | "sept" | "sep" => 9,
        "october" | "oct" => 10,
        "november" | "nov" => 11,
        "december" | "dec" => 12,
        _ => return None,
    })
}

/// The names of the months.
pub(super) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// The number of a month, from its name in English, German, French or Spanish, in lower case.
pub(super) fn any_month(word: &str) -> Option<i8> {
    month(word).or(match word {
        "januar" | "jänner" | "janvier" | "enero" | "ene" => Some(1),
        "februar" | "février" | "fevrier" | "febrero" => Some(2),
        "märz" | "maerz" | "mars" | "marzo" => Some(3),
        "avril" | "abril" | "abr" => Some(4),
        "mai" | "mayo" => Some(5),
        "juni" | "juin" | "junio" => Some(6),
        "juli" | "juillet" | "julio" => Some(7),
        "août" | "aout" | "agosto" => Some(8),
        "septembre" | "septiembre" | "setiembre" => Some(9),
        "oktober" | "okt" | "octobre" | "octubre" => Some(10),
        "novembre" | "noviembre" => Some(11),
        "dezember" | "dez" | "décembre" | "decembre" | "diciembre" | "dic" => Some(12),
        _ => None,
    })
}

/// Whether the name of a month is also a common word or a name. *Sept* is seven in French.
pub(super) fn is_ambiguous_month(word: &str) -> bool {
    const WORDS: [&str; 8] = ["may", "march", "mar", "jan", "august", "mars", "mai", "sept"];
    const NAMES: [&str; 7] = ["april", "avril", "abril", "june", "jun", "juli", "julio"];
    WORDS.contains(&word) || NAMES.contains(&word)
}

/// A day of the month in lower case: `8`, `8th`, `31st`.
pub fn day(word: &str) -> Option<i8> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let ending = word.get(digits.len()..).unwrap_or_default();
    let number = digits.parse().ok().filter(|day| (1..=31).contains(day))?;
    matches!(ending, "" | "st" | "nd" | "rd" | "th").then_some(number)
}

/// The same, including the first day as French and Spanish write it.
pub(super) fn any_day(word: &str) -> Option<i8> {
    let is_first = matches!(word, "1er" | "1º" | "1ro" | "1ero" | "primero" | "premier");
    day(word).or(is_first.then_some(1))
}

/// A year from 1900 to 2100, which is hardly ever a count.
pub(super) fn year(word: &str) -> Option<i16> {
    let four = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    word.parse().ok().filter(|year| four && (1900..=2100).contains(year))
}

/// A weekday, from its English name, its plural or its abbreviation, in lower case.
pub(super) fn weekday(word: &str) -> Option<Weekday> {
    Some(match word.strip_suffix('s').unwrap_or(word) {
        "monday" | "mon" => Weekday::Monday,
        "tuesday" | "tue" => Weekday::Tuesday,
        "wednesday" | "wed" => Weekday::Wednesday,
        "thursday" | "thu" => Weekday::Thursday,
        "friday" | "fri" => Weekday::Friday,
        "saturday" | "sat" => Weekday::Saturday,
        "sunday" | "sun" => Weekday::Sunday,
        _ => return None,
    })
}

/// A count, from a number or a usual word; "a few" is 3.
pub(super) fn count(word: &str) -> Option<i64> {
    match word {
        "a" | "an" => Some(1),
        "couple" => Some(2),
        "few" | "several" => Some(3),
        _ if word.len() <= 4 && word.bytes().all(|byte| byte.is_ascii_digit()) => word.parse().ok(),
        _ => (1..).zip(NUMBERS).find(|(_, name)| *name == word).map(|(number, _)| number),
    }
}

const NUMBERS: [&str; 20] = [
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
];

/// The same, including German, French and Spanish.
pub(super) fn any_count(word: &str) -> Option<i64> {
    count(word).or(match word {
        "un" | "una" | "une" | "ein" | "eine" | "einem" | "einer" | "einen" => Some(1),
        "zwei" | "dos" | "deux" => Some(2),
        "drei" | "tres" | "trois" => Some(3),
        "vier" | "cuatro" | "quatre" => Some(4),
        "fünf" | "cinco" | "cinq" => Some(5),
        "sechs" | "seis" => Some(6),
        _ => None,
    })
}
