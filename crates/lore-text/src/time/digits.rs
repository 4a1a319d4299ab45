//! Dates written as one word: `2023/05/08`, `2023-05-08`, `08.05.2023`, `8-may-2023`, `5/28/23`,
//! `2023年5月8日`.

use jiff::civil::Date;

use super::calendar::any_month;

/// Where a two-digit year is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ShortYears {
    /// Only after slashes; elsewhere the digits may belong to a version number.
    BehindSlashes,
    /// Everywhere, because a date is expected.
    Everywhere,
}

/// The days that a date in one word, in lower case, can mean. With slashes the day may come before
/// or after the month, so `5/8/2023` has two meanings.
pub(super) fn days_of(word: &str, short: ShortYears) -> Vec<Date> {
    let chinese = word.strip_suffix('日').map(|date| date.replace(['年', '月'], "-"));
    let word = chinese.as_deref().unwrap_or(word);
    let mark = word.chars().find(|c| MARKS.contains(c));
    let parts: Vec<&str> = mark.map(|mark| word.split(mark).collect()).unwrap_or_default();
    let (Some(mark), [first, second, third]) = (mark, parts.as_slice()) else { return Vec::new() };
    let number = |part: &str| part.parse::<i8>().ok();
    let date = |year: i16, month: Option<i8>, day: Option<i8>| Date::new(year, month?, day?).ok();
    if let Some(year) = full_year(first) {
        return date(year, number(second), number(third)).into_iter().collect();
    }
    let in_short = || short_year(third).filter(|_| mark == '/' || short == ShortYears::Everywhere);
    let Some(year) = full_year(third).or_else(in_short) else { return Vec::new() };
    if let Some(month) = any_month(second) {
        return date(year, Some(month), number(first)).into_iter().collect();
    }
    let (first, second) = (number(first), number(second));
    let month_first = date(year, first, second).filter(|_| mark == '/' && first != second);
    date(year, second, first).into_iter().chain(month_first).collect()
}

/// Parses a year and month in one word: `2023-05`, `2023/05`.
pub(super) fn month_of(word: &str) -> Option<(i16, i8)> {
    let (year, month) = word.split_once(['-', '/']).filter(|(_, month)| month.len() == 2)?;
    let month = month.parse().ok().filter(|month| (1..=12).contains(month))?;
    Some((full_year(year)?, month))
}

const MARKS: [char; 3] = ['/', '-', '.'];

/// Parses a two-digit year of this century.
pub(super) fn short_year(word: &str) -> Option<i16> {
    let two = word.len() == 2;
    word.parse::<i16>().ok().filter(|_| two).map(|year| 2000 + year)
}

/// Parses a four-digit year.
pub(super) fn full_year(word: &str) -> Option<i16> {
    word.parse().ok().filter(|year| word.len() == 4 && (1..=9999).contains(year))
}
