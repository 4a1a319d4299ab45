//! The date of a page: when the events it describes happened.

use std::ops::Range;

pub use jiff::civil::Date;
use lore_core::{Error, Node, Properties, Result};
use lore_text::time;
use serde_json::Value;

/// A span of days, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateRange {
    start: Date,
    end: Date,
}

impl DateRange {
    /// Parses the two ends; a missing one leaves that side open.
    pub fn read(start: Option<&str>, end: Option<&str>) -> Result<Self> {
        let start = start.map_or(Ok(Date::MIN), |text| day("date_range.start", text))?;
        let end = end.map_or(Ok(Date::MAX), |text| day("date_range.end", text))?;
        if start > end {
            let hint = "give the earlier date as start";
            return Err(Error::invalid("date_range.start", "is after date_range.end", hint));
        }
        Ok(Self { start, end })
    }

    pub(super) fn holds(self, date: Date) -> bool {
        (self.start..=self.end).contains(&date)
    }
}

/// Parses a day in any usual form: an ISO date or timestamp, in words, or as `30.05.2025`.
pub fn any_day(text: &str) -> Option<Date> {
    let text = text.trim();
    leading_date(text).or_else(|| whole_day(text))
}

/// Parses a text that consists of nothing but a day.
fn whole_day(text: &str) -> Option<Date> {
    let dotted = || Date::strptime("%d.%m.%Y", text).ok();
    let words = words(text);
    let [first, second, third] = words.as_slice() else { return dotted() };
    let is_whole = first.start == 0 && third.end == text.len();
    spelt(text, [first, second, third]).filter(|_| is_whole).or_else(dotted)
}

/// The date of a page: its `date` field, or else the first date in its text.
pub(super) fn date_of(node: &Node, entry: Option<&str>) -> Option<Date> {
    own_date(&node.properties).or_else(|| in_text(entry?))
}

/// The date in the `date` field.
pub(super) fn own_date(fields: &Properties) -> Option<Date> {
    fields.get("date").and_then(Value::as_str).and_then(|text| text.parse().ok())
}

/// Finds a date in a text: after "Date:", or else at the start of a line, or else anywhere.
fn in_text(text: &str) -> Option<Date> {
    let lower = text.to_ascii_lowercase();
    let labelled = lower.match_indices("date:").find_map(|(at, label)| {
        let rest = text.get(at + label.len()..)?;
        let rest = rest.trim_start_matches(['*', '_', ' ', '\t']);
        let line = rest.lines().next()?.trim_end_matches(['*', '_', ' ', '\t', '.']);
        leading_date(rest).or_else(|| any_day(line))
    });
    let opening = || text.lines().find_map(|line| leading_date(line.trim_start()));
    labelled.or_else(opening).or_else(|| anywhere(text)).or_else(|| spelt_anywhere(text))
}

fn anywhere(text: &str) -> Option<Date> {
    let starts_word = |at: usize| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        before.is_none_or(|c| !c.is_alphanumeric() && c != '-')
    };
    let digits = text.char_indices().filter(|(_, c)| c.is_ascii_digit());
    digits.filter(|(at, _)| starts_word(*at)).find_map(|(at, _)| leading_date(text.get(at..)?))
}

/// Finds a date in words ("30 May 2025", "May 30th, 2025") or in numbers without leading zeros,
/// anywhere in a text.
fn spelt_anywhere(text: &str) -> Option<Date> {
    words(text).windows(3).find_map(|three| match three {
        [first, second, third] => spelt(text, [first, second, third]),
        _ => None,
    })
}

/// The positions of words and numbers in a text.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut words: Vec<Range<usize>> = Vec::new();
    for (at, c) in text.char_indices().filter(|(_, c)| c.is_alphanumeric()) {
        match words.last_mut().filter(|word| word.end == at) {
            Some(word) => word.end += c.len_utf8(),
            None => words.push(at..at + c.len_utf8()),
        }
    }
    words
}

/// The date that three consecutive words form, if they do.
fn spelt(text: &str, [first, second, third]: [&Range<usize>; 3]) -> Option<Date> {
    let word = |range: &Range<usize>| text.get(range.clone()).map(str::to_ascii_lowercase);
    let (a, b, c) = (word(first)?, word(second)?, word(third)?);
    let gaps = (text.get(first.end..second.start)?, text.get(second.end..third.start)?);
    let is_free = text.get(..first.start).is_none_or(|before| !before.ends_with('-'));
    let (year, month, day) = match gaps {
        (" ", " " | ", ") if time::month(&b).is_some() => (c, time::month(&b)?, a),
        (" ", " " | ", ") => (c, time::month(&a)?, b),
        ("-", "-") | ("/", "/") if is_free => (a, b.parse().ok()?, c),
        _ => return None,
    };
    let year = Some(year).filter(|year| year.len() == 4)?.parse().ok()?;
    Date::new(year, month, time::day(&day)?).ok()
}

fn leading_date(text: &str) -> Option<Date> {
    let (date, rest) = text.split_at_checked(10)?;
    let whole = rest.chars().next().is_none_or(|c| !c.is_ascii_digit());
    let shaped = date.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    date.parse().ok().filter(|_| whole && shaped)
}

fn day(field: &str, text: &str) -> Result<Date> {
    let text = text.trim();
    let iso = leading_date(text).filter(|_| text.len() == 10);
    iso.or_else(|| whole_day(text)).ok_or_else(|| {
        Error::invalid(field, "is not a date", "write it as YYYY-MM-DD, such as 2025-05-30")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_date_is_found_where_people_write_it() {
        for text in [
            "**Date: 2025-05-30**\n\nThe party cleared out a mansion",
            "Written 2025-06-02.\nDate: 2025-05-30",
            "**Date:** 2025-05-30",
            "Intro\n2025-05-30: they met",
            "They met on 2025-05-30, at dusk",
            "**Date: May 30, 2025**\nThey met",
            "Date: 30 May 2025",
            "Date: 2025/05/30",
            "They met on 30 May 2025, at dusk",
            "It was May 30th, 2025.",
            "On 2025-5-30 they met",
        ] {
            assert_eq!(in_text(text), Some(jiff::civil::date(2025, 5, 30)), "{text}");
        }
        for text in ["", "Date: soon", "2025-13-40", "12025-05-30", "v1-2025-05-30", "v1-2025-5-30"]
        {
            assert_eq!(in_text(text), None, "{text}");
        }
    }

    #[test]
    fn a_day_is_read_in_every_form_clients_send() {
        for text in [
            "2025-03-05",
            "2025-03-05T10:00:00Z",
            "2025-03-05 10:00:00",
            "2025/03/05",
            "5 March 2025",
            "March 5, 2025",
            "March 5 2025",
            "March 5th, 2025",
            "5th Mar 2025",
            "2025-3-5",
        ] {
            assert_eq!(any_day(text), Some(jiff::civil::date(2025, 3, 5)), "{text}");
        }
        for text in ["", "soon", "2025-02-30", "2025-13-01", "30 Feb 2025", "5 March 2025 or so"] {
            assert_eq!(any_day(text), None, "{text}");
        }
    }

    #[test]
    fn ranges_include_their_ends_and_refuse_nonsense() {
        let range = DateRange::read(Some("2025-05-01"), Some("2025-05-31")).unwrap();
        assert!(range.holds(jiff::civil::date(2025, 5, 1)));
        assert!(range.holds(jiff::civil::date(2025, 5, 31)));
        assert!(!range.holds(jiff::civil::date(2025, 6, 1)));
        assert!(DateRange::read(Some("2025-05-32"), None).is_err());
        assert_eq!(DateRange::read(Some("1 May 2025"), Some("May 31st, 2025")).unwrap(), range);
        assert!(DateRange::read(Some("2025-06-01"), Some("2025-05-01")).is_err());
    }
}
