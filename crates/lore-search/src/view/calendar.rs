//! The days for which a view has texts.

use std::collections::BTreeMap;

use jiff::ToSpan;
use jiff::civil::Date;
use lore_core::Timestamp;
use lore_text::time::date_of;

/// The number of texts per day, with days counted from 1970.
#[derive(Debug, Clone, Default)]
pub(crate) struct Calendar(BTreeMap<i32, usize>);

impl Calendar {
    /// If the newest text is further than this many days from the question, "today" is the day of
    /// that text.
    const PRESENT: i32 = 60;

    pub(crate) fn add(&mut self, day: i32) {
        *self.0.entry(day).or_default() += 1;
    }

    pub(crate) fn remove(&mut self, day: i32) {
        if let Some(count) = self.0.get_mut(&day) {
            *count -= 1;
            if *count == 0 {
                self.0.remove(&day);
            }
        }
    }

    /// Whether any day in a range has texts.
    pub(crate) fn has_between(&self, first: Date, last: Date) -> bool {
        self.0.range(day_number(first)..=day_number(last)).next().is_some()
    }

    /// The years that have texts, in order.
    pub(crate) fn years(&self) -> Vec<i16> {
        let mut years = Vec::new();
        let mut next = self.0.keys().next();
        while let Some(date) = next.and_then(|day| date(*day)) {
            years.push(date.year());
            next = self.0.range(day_number(date.last_of_year()) + 1..).next().map(|(day, _)| day);
        }
        years
    }

    /// The day from which relative times count: the day of the question, unless all texts are from
    /// another time.
    pub(crate) fn today(&self, asked_at: Option<Timestamp>) -> Option<Date> {
        let asked = asked_at.map(date_of);
        let newest = self.0.last_key_value().map(|(day, _)| *day);
        let is_present = |asked: &Date| {
            newest.is_none_or(|newest| (day_number(*asked) - newest).abs() <= Self::PRESENT)
        };
        asked.filter(is_present).or_else(|| newest.and_then(date))
    }
}

/// Days since the beginning of 1970.
pub(crate) fn day_number(date: Date) -> i32 {
    date.since(EPOCH).map_or(0, |span| span.get_days())
}

const EPOCH: Date = Date::constant(1970, 1, 1);

fn date(day: i32) -> Option<Date> {
    EPOCH.checked_add(day.days()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calendar(dates: &[&str]) -> Calendar {
        let mut calendar = Calendar::default();
        dates.iter().for_each(|date| calendar.add(day_number(date.parse().unwrap())));
        calendar
    }

    #[test]
    fn years_are_those_that_have_texts() {
        let mut calendar = calendar(&["1969-12-31", "2021-02-03", "2021-12-31", "2024-01-01"]);
        assert_eq!(calendar.years(), [1969, 2021, 2024]);
        calendar.remove(day_number("2024-01-01".parse().unwrap()));
        assert_eq!(calendar.years(), [1969, 2021]);
    }

    #[test]
    fn old_logs_are_asked_about_as_of_their_end() {
        let calendar = calendar(&["2023-05-08", "2023-10-22"]);
        let asked = |at: &str| calendar.today(Some(at.parse().unwrap())).unwrap().to_string();
        assert_eq!(asked("2023-11-03T10:00:00Z"), "2023-11-03");
        assert_eq!(asked("2026-11-03T10:00:00Z"), "2023-10-22");
        assert_eq!(Calendar::default().today(None), None);
    }
}
