//! Dates that a question names.

use jiff::civil::{Date, date};

use super::calendar::{day, is_ambiguous_month, month, year};

/// A date as far as a question tells it. At least one part is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AskedDate {
    /// The year, if told.
    pub year: Option<i16>,
    /// The month from 1 to 12, if told.
    pub month: Option<i8>,
    /// The day of the month, if told.
    pub day: Option<i8>,
}

impl AskedDate {
    /// The first and the last day it can mean, in `year` if it tells none itself.
    pub fn days(&self, year: i16) -> Option<(Date, Date)> {
        let year = self.year.unwrap_or(year);
        let Some(month) = self.month else {
            return Some((date_of(year, 1, 1)?, date_of(year, 12, 31)?));
        };
        let first = date_of(year, month, 1)?;
        match self.day {
            // "30 February" means the end of February.
            Some(day) => {
                let day = date(year, month, day.clamp(1, first.days_in_month()));
                Some((day, day))
            }
            None => Some((first, first.last_of_month())),
        }
    }
}

fn date_of(year: i16, month: i8, day: i8) -> Option<Date> {
    Date::new(year, month, day).ok()
}

/// The dates a question names: month with day or year, ISO dates, or a bare year
/// when there is nothing more exact.
pub fn asked_dates(question: &str) -> Vec<AskedDate> {
    let lower = question.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let mut dates: Vec<AskedDate> =
        (0..words.len()).filter_map(|at| date_around(&words, at)).collect();
    if dates.is_empty() {
        let bare = words.iter().filter_map(|word| year(word));
        dates.extend(bare.map(|year| AskedDate { year: Some(year), month: None, day: None }));
    }
    dates
}

/// The date whose month stands at `at`, or that begins there in ISO form.
fn date_around(words: &[&str], at: usize) -> Option<AskedDate> {
    let word = |offset: isize| words.get(at.checked_add_signed(offset)?).copied();
    if let Some(date) = iso_date(word(0)?, word(1), word(2)) {
        return Some(date);
    }
    let month = month(word(0)?)?;
    let before = word(-1).and_then(day).or_else(|| {
        let of = word(-1) == Some("of");
        word(-2).filter(|_| of).and_then(day)
    });
    let after = word(1).and_then(day).filter(|_| before.is_none());
    let year_at = if after.is_some() { 2 } else { 1 };
    let year = word(year_at).and_then(year);
    let certain = before.or(after).is_some() || year.is_some();
    let led = word(-1).is_some_and(leads_to_month);
    if !certain && !led && is_ambiguous_month(word(0)?) {
        return None;
    }
    Some(AskedDate { year, month: Some(month), day: before.or(after) })
}

fn iso_date(first: &str, second: Option<&str>, third: Option<&str>) -> Option<AskedDate> {
    let two_digits = |word: &str| (word.len() == 2).then(|| word.parse::<i8>().ok()).flatten();
    let year = year(first)?;
    let month = two_digits(second?).filter(|month| (1..=12).contains(month))?;
    let day = third.and_then(two_digits).filter(|day| (1..=31).contains(day));
    Some(AskedDate { year: Some(year), month: Some(month), day })
}

/// Words after which "May" is a month.
fn leads_to_month(word: &str) -> bool {
    matches!(
        word,
        "in" | "on"
            | "by"
            | "during"
            | "since"
            | "until"
            | "till"
            | "before"
            | "after"
            | "from"
            | "through"
            | "around"
            | "last"
            | "this"
            | "next"
            | "early"
            | "late"
            | "mid"
            | "of"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(question: &str, expected: &[(Option<i16>, Option<i8>, Option<i8>)]) {
        let found: Vec<_> = asked_dates(question)
            .into_iter()
            .map(|asked| (asked.year, asked.month, asked.day))
            .collect();
        assert_eq!(found, expected, "{question}");
    }

    #[test]
    fn dates_are_found_in_their_usual_forms() {
        check("What happened on 8 May 2023?", &[(Some(2023), Some(5), Some(8))]);
        check("the 8th of May", &[(None, Some(5), Some(8))]);
        check("May 8th, 2023", &[(Some(2023), Some(5), Some(8))]);
        check("in July", &[(None, Some(7), None)]);
        check("on 2023-05-08 at noon", &[(Some(2023), Some(5), Some(8))]);
        check("before 2019?", &[(Some(2019), None, None)]);
        check(
            "between March 2021 and June 2022",
            &[(Some(2021), Some(3), None), (Some(2022), Some(6), None)],
        );
    }

    #[test]
    fn names_and_counts_are_no_dates() {
        check("May the dragon march?", &[]);
        check("Did June pay 1500 gold for 12 horses?", &[]);
    }

    #[test]
    fn a_date_covers_the_days_it_can_mean() {
        let days = |question: &str| asked_dates(question)[0].days(2024).unwrap();
        assert_eq!(days("in February"), (date(2024, 2, 1), date(2024, 2, 29)));
        assert_eq!(days("30 February 2023"), (date(2023, 2, 28), date(2023, 2, 28)));
        assert_eq!(days("2019"), (date(2019, 1, 1), date(2019, 12, 31)));
    }
}
