//! Words of the calendar.

/// The number of a month by its name or a usual abbreviation, in lower case.
pub(super) fn month(word: &str) -> Option<i8> {
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

/// A month's name that is a common word or a name besides.
pub(super) fn is_ambiguous_month(word: &str) -> bool {
    matches!(word, "may" | "march" | "mar" | "jan" | "june" | "april" | "august")
}

/// A day of the month: `8`, `8th`, `31st`.
pub(super) fn day(word: &str) -> Option<i8> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let ending = word.get(digits.len()..).unwrap_or_default();
    let number = digits.parse().ok().filter(|day| (1..=31).contains(day))?;
    matches!(ending, "" | "st" | "nd" | "rd" | "th").then_some(number)
}

/// A year that nobody takes for a count of things.
pub(super) fn year(word: &str) -> Option<i16> {
    let four = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    word.parse().ok().filter(|year| four && (1900..=2100).contains(year))
}

/// A day of the week, in lower case.
pub(super) fn is_weekday(word: &str) -> bool {
    let stem = word.strip_suffix('s').unwrap_or(word);
    matches!(
        stem,
        "monday" | "tuesday" | "wednesday" | "thursday" | "friday" | "saturday" | "sunday"
    ) || matches!(word, "mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")
}
