//! The date of a page: when what it tells of happened.

pub use jiff::civil::Date;
use lore_core::{Error, Node, Properties, Result};
use serde_json::Value;

/// A span of days, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DateRange {
    start: Date,
    end: Date,
}

impl DateRange {
    /// Reads the two ends; a missing one leaves that side open.
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

/// A day in any form that people write: as a date, a moment, or in words.
pub fn any_day(text: &str) -> Option<Date> {
    const FORMS: [&str; 5] = ["%Y/%m/%d", "%d %B %Y", "%B %d, %Y", "%B %d %Y", "%d.%m.%Y"];
    let text = text.trim();
    let written = || FORMS.iter().find_map(|form| Date::strptime(form, text).ok());
    leading_date(text).or_else(written)
}

/// The date of a page: the journal's own, else the first that its text tells.
pub(super) fn date_of(node: &Node, entry: Option<&str>) -> Option<Date> {
    own_date(&node.properties).or_else(|| in_text(entry?))
}

/// The date that is a field of a page.
pub(super) fn own_date(fields: &Properties) -> Option<Date> {
    fields.get("date").and_then(Value::as_str).and_then(|text| text.parse().ok())
}

/// The date a text tells: after "Date:", else at the start of a line, else anywhere.
fn in_text(text: &str) -> Option<Date> {
    let lower = text.to_ascii_lowercase();
    let labelled = lower.match_indices("date:").find_map(|(at, label)| {
        let rest = text.get(at + label.len()..)?;
        let rest = rest.trim_start_matches(['*', '_', ' ', '\t']);
        let line = rest.lines().next()?.trim_end_matches(['*', '_', ' ', '\t', '.']);
        leading_date(rest).or_else(|| any_day(line))
    });
    let opening = || text.lines().find_map(|line| leading_date(line.trim_start()));
    labelled.or_else(opening).or_else(|| anywhere(text))
}

fn anywhere(text: &str) -> Option<Date> {
    let starts_word = |at: usize| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        before.is_none_or(|c| !c.is_alphanumeric() && c != '-')
    };
    let digits = text.char_indices().filter(|(_, c)| c.is_ascii_digit());
    digits.filter(|(at, _)| starts_word(*at)).find_map(|(at, _)| leading_date(text.get(at..)?))
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
    leading_date(text.trim()).filter(|_| text.trim().len() == 10).ok_or_else(|| {
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
        ] {
            assert_eq!(in_text(text), Some(jiff::civil::date(2025, 5, 30)), "{text}");
        }
        for text in ["", "Date: soon", "2025-13-40", "12025-05-30", "v1-2025-05-30"] {
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
        ] {
            assert_eq!(any_day(text), Some(jiff::civil::date(2025, 3, 5)), "{text}");
        }
        for text in ["", "soon", "2025-02-30", "2025-13-01"] {
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
        assert!(DateRange::read(Some("2025-06-01"), Some("2025-05-01")).is_err());
    }
}
