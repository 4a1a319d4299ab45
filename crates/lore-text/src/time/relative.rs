//! Relative times in questions: yesterday, last week, two months ago.

use std::ops::Range;

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};

use super::asked::pieces;
use super::calendar::{any_count, any_month, count, day, weekday};

/// A time relative to the day of the question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Relative {
    /// The first and the last day it means.
    pub days: (Date, Date),
    /// Its position in the question, in bytes.
    pub place: Range<usize>,
}

/// Finds relative times such as "yesterday", "last week", "three months ago" or "last summer" in a
/// question asked on `today`.
pub fn relative_dates(question: &str, today: Date) -> Vec<Relative> {
    let question = question.get(..question.floor_char_boundary(LONGEST)).unwrap_or_default();
    let pieces = pieces(question, |c| !c.is_alphanumeric());
    let words: Vec<&str> = pieces.iter().map(|piece| piece.text.as_str()).collect();
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(rest) = words.get(at..).filter(|rest| !rest.is_empty()) {
        let (length, days) =
            meant(rest, today).filter(|(length, _)| !is_part(rest, *length)).unzip();
        let (first, last) = (pieces.get(at), pieces.get(at + length.unwrap_or(1) - 1));
        if let (Some(days), Some(first), Some(last)) = (days.flatten(), first, last) {
            found.push(Relative { days, place: first.place.start..last.place.end });
        }
        at += length.unwrap_or(1);
    }
    found
}

/// Whether the words belong to a longer expression with a month: "the last week of May".
fn is_part(words: &[&str], length: usize) -> bool {
    words.get(length).is_some_and(|next| matches!(*next, "of" | "before" | "after" | "in"))
        && words.get(length..).is_some_and(|rest| rest.iter().any(|word| any_month(word).is_some()))
}

/// Only this many bytes are searched. Longer questions are texts, in which "yesterday" has its own
/// meaning.
const LONGEST: usize = 500;

/// The number of words at the start of `words` that form a relative time, and what they mean, if
/// that can be computed.
fn meant(words: &[&str], today: Date) -> Option<(usize, Option<(Date, Date)>)> {
    let days_ago = |days: i64| today.checked_sub(days.days()).ok().map(|day| (day, day));
    let until_now = |days: Option<(Date, Date)>| days.map(|(first, _)| (first, today));
    Some(match *words {
        ["today" | "tonight" | "heute" | "hoy", ..] => (1, days_ago(0)),
        ["this", "morning" | "afternoon" | "evening", ..] => (2, days_ago(0)),
        ["day", "before", "yesterday", ..] => (3, days_ago(2)),
        ["vorgestern" | "anteayer" | "antier", ..] => (1, days_ago(2)),
        ["yesterday" | "gestern" | "ayer", ..] => (1, days_ago(1)),
        ["last", "night", ..] => (2, days_ago(1)),
        [span, "before", "last", ..] => (3, before_last(span, today)),
        ["past" | "last", number, span, ..] if count(number).is_some() => {
            (3, until_now(back(count(number)?, span, today)))
        }
        ["past", span, ..] => (2, until_now(back(1, span, today))),
        ["this", span, ..] => (2, whole(span, today).map(|(first, last)| (first, last.min(today)))),
        ["last" | "previous", span, ..] => (2, last(span, today)),
        ["letzte" | "letzten" | "letzter" | "letztes", span, ..] => (2, last(span, today)),
        [span, "pasado" | "pasada" | "dernier" | "dernière", ..] => (2, last(span, today)),
        ["half", "a", "year", "ago", ..] => (4, back(6, "month", today)),
        ["year", "and", "a", "half", "ago", ..] => (5, back(18, "month", today)),
        [number, span, "ago" | "back", ..] => (3, back(count(number)?, span, today)),
        ["couple", "of", span, "ago" | "back", ..] => (4, back(2, span, today)),
        ["vor" | "hace", number, span, ..] => (3, back(any_count(number)?, span, today)),
        ["il", "y", "a", number, span, ..] => (5, back(any_count(number)?, span, today)),
        ["on", day, ref rest @ ..] if !is_dated(rest) => {
            let wanted = full_weekday(day).filter(|_| !day.ends_with('s'))?;
            (2, last_weekday(wanted, today).map(|day| (day, day)))
        }
        _ => return None,
    })
}

/// A weekday that is written out. The short forms are also other words: sun, sat, wed.
fn full_weekday(word: &str) -> Option<Weekday> {
    weekday(word).filter(|_| word.len() > 4)
}

/// Whether a date follows: "on Sunday, 8 May".
fn is_dated(words: &[&str]) -> bool {
    let next = words.iter().find(|word| **word != "the");
    next.is_some_and(|word| any_month(word).is_some() || day(word).is_some())
}

/// The calendar week, weekend, month, year or season that contains `day`.
fn whole(span: &str, day: Date) -> Option<(Date, Date)> {
    let since_monday = i64::from(day.weekday().to_monday_zero_offset());
    let monday = day.checked_sub(since_monday.days()).ok()?;
    match unit(span) {
        "week" => Some((monday, monday.checked_add(6.days()).ok()?)),
        "weekend" => Some((monday.checked_add(5.days()).ok()?, monday.checked_add(6.days()).ok()?)),
        "month" => Some((day.first_of_month(), day.last_of_month())),
        "year" => Some((day.first_of_year(), day.last_of_year())),
        season => the_season(season, day),
    }
}

/// The calendar span before the current one; for weekdays and seasons the most recent one.
fn last(span: &str, today: Date) -> Option<(Date, Date)> {
    if let Some(wanted) = full_weekday(span) {
        return last_weekday(wanted, today).map(|day| (day, day));
    }
    let a_year_ago = today.checked_sub(1.years()).ok()?;
    match unit(span) {
        span @ ("week" | "weekend") => whole(span, today.checked_sub(1.weeks()).ok()?),
        "month" => whole("month", today.first_of_month().yesterday().ok()?),
        "year" => whole("year", a_year_ago),
        season => {
            let this = the_season(season, today)?;
            if this.1 < today { Some(this) } else { the_season(season, a_year_ago) }
        }
    }
}

/// The calendar span before the last one.
fn before_last(span: &str, today: Date) -> Option<(Date, Date)> {
    let (first, _) = last(span, today)?;
    matches!(unit(span), "week" | "weekend" | "month" | "year").then(|| last(span, first))?
}

/// The English word for a calendar span given in English, German, French or Spanish, in the
/// singular; other words only lose a final "s".
fn unit(span: &str) -> &str {
    match span {
        "tag" | "tage" | "tagen" | "día" | "días" | "dia" | "dias" | "jour" | "jours" => "day",
        "woche" | "wochen" | "semana" | "semanas" | "semaine" | "semaines" => "week",
        "monat" | "monate" | "monaten" | "mes" | "meses" | "mois" => "month",
        "jahr" | "jahre" | "jahren" | "año" | "años" | "an" | "ans" | "année" => "year",
        _ => span.strip_suffix('s').unwrap_or(span),
    }
}

fn last_weekday(wanted: Weekday, today: Date) -> Option<Date> {
    (1..=7)
        .filter_map(|days: i64| today.checked_sub(days.days()).ok())
        .find(|day| day.weekday() == wanted)
}

/// The time that many days, weeks, months or years ago; larger units give wider ranges.
fn back(count: i64, span: &str, today: Date) -> Option<(Date, Date)> {
    match unit(span) {
        "minute" | "hour" => Some((today, today)),
        "day" => today.checked_sub(count.days()).ok().map(|day| (day, day)),
        "week" => {
            let day = today.checked_sub(count.weeks()).ok()?;
            Some((day.checked_sub(3.days()).ok()?, day.checked_add(3.days()).ok()?))
        }
        "fortnight" => back(count.checked_mul(2)?, "week", today),
        "month" => whole("month", today.checked_sub(count.months()).ok()?),
        "year" => whole("year", today.checked_sub(count.years()).ok()?),
        "decade" => back(count.checked_mul(10)?, "year", today),
        _ => None,
    }
}

/// A season of the northern hemisphere in the year of `day`; winter is the one that began in the
/// year before.
fn the_season(season: &str, day: Date) -> Option<(Date, Date)> {
    let (first, last) = match season {
        "spring" => (3, 5),
        "summer" => (6, 8),
        "autumn" | "fall" => (9, 11),
        "winter" => {
            let february = Date::new(day.year(), 2, 1).ok()?;
            return Some((
                Date::new(day.year().checked_sub(1)?, 12, 1).ok()?,
                february.last_of_month(),
            ));
        }
        _ => return None,
    };
    Some((
        Date::new(day.year(), first, 1).ok()?,
        Date::new(day.year(), last, 1).ok()?.last_of_month(),
    ))
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use proptest::prelude::*;

    use super::*;

    /// A Wednesday.
    const TODAY: Date = date(2024, 5, 15);

    fn check(question: &str, expected: &[(Date, Date)]) {
        let found = relative_dates(question, TODAY).into_iter().map(|relative| relative.days);
        assert_eq!(found.collect::<Vec<_>>(), expected, "{question}");
    }

    #[test]
    fn times_are_told_from_today() {
        check("What did Mara say yesterday?", &[(date(2024, 5, 14), date(2024, 5, 14))]);
        check("who came last night", &[(date(2024, 5, 14), date(2024, 5, 14))]);
        check("this morning?", &[(TODAY, TODAY)]);
        check("last week", &[(date(2024, 5, 6), date(2024, 5, 12))]);
        check("this week", &[(date(2024, 5, 13), TODAY)]);
        check("last weekend", &[(date(2024, 5, 11), date(2024, 5, 12))]);
        check("last month", &[(date(2024, 4, 1), date(2024, 4, 30))]);
        check("last year", &[(date(2023, 1, 1), date(2023, 12, 31))]);
        check("last Friday", &[(date(2024, 5, 10), date(2024, 5, 10))]);
        check("last Wednesday", &[(date(2024, 5, 8), date(2024, 5, 8))]);
        check("What did I do on Sunday?", &[(date(2024, 5, 12), date(2024, 5, 12))]);
    }

    #[test]
    fn the_farther_off_the_wider() {
        check("three days ago", &[(date(2024, 5, 12), date(2024, 5, 12))]);
        check("2 weeks ago", &[(date(2024, 4, 28), date(2024, 5, 4))]);
        check("a month ago", &[(date(2024, 4, 1), date(2024, 4, 30))]);
        check("two years ago", &[(date(2022, 1, 1), date(2022, 12, 31))]);
        check("in the past 3 days", &[(date(2024, 5, 12), TODAY)]);
        check("fifteen days back", &[(date(2024, 4, 30), date(2024, 4, 30))]);
        check("a fortnight ago", &[(date(2024, 4, 28), date(2024, 5, 4))]);
        check("the day before yesterday", &[(date(2024, 5, 13), date(2024, 5, 13))]);
        check("the week before last", &[(date(2024, 4, 29), date(2024, 5, 5))]);
        check("half a year ago", &[(date(2023, 11, 1), date(2023, 11, 30))]);
        check("three hours ago", &[(TODAY, TODAY)]);
    }

    #[test]
    fn times_are_told_in_other_languages() {
        check("gestern", &[(date(2024, 5, 14), date(2024, 5, 14))]);
        check("vor zwei Wochen", &[(date(2024, 4, 28), date(2024, 5, 4))]);
        check("letzten Monat", &[(date(2024, 4, 1), date(2024, 4, 30))]);
        check("anteayer", &[(date(2024, 5, 13), date(2024, 5, 13))]);
        check("hace tres meses", &[(date(2024, 2, 1), date(2024, 2, 29))]);
        check("la semana pasada", &[(date(2024, 5, 6), date(2024, 5, 12))]);
        check("il y a deux ans", &[(date(2022, 1, 1), date(2022, 12, 31))]);
    }

    #[test]
    fn the_words_that_tell_a_time_are_known() {
        let question = "What did Märta bake two weeks ago?";
        let place = relative_dates(question, TODAY).remove(0).place;
        assert_eq!(&question[place], "two weeks ago");
    }

    #[test]
    fn seasons_are_the_last_that_ended() {
        check("last summer", &[(date(2023, 6, 1), date(2023, 8, 31))]);
        check("last winter", &[(date(2023, 12, 1), date(2024, 2, 29))]);
        check("last spring", &[(date(2023, 3, 1), date(2023, 5, 31))]);
    }

    #[test]
    fn other_words_are_no_times() {
        check("the last letter of the king", &[]);
        check("this mill, past the river, two boats", &[]);
        check("long ago", &[]);
        check("notes on sun protection, on sat phones, the last sun", &[]);
        check("who comes on Sundays", &[]);
        check("on Sunday, 3 March", &[]);
        check("in the last two weeks of August 2023", &[]);
        check("last weekend before April 10", &[]);
    }

    proptest! {
        #[test]
        fn no_question_and_no_day_is_an_error(
            question in "(last|this|past|[0-9]{1,19}|a|couple of|\\PC{0,9}| ){0,6}(days|week|months|years|summer) ?(ago)?",
            day in -4_371_000_i32..2_932_000,
        ) {
            let today = Date::constant(1970, 1, 1).checked_add(i64::from(day).days()).unwrap_or(TODAY);
            for (first, last) in relative_dates(&question, today).into_iter().map(|found| found.days) {
                prop_assert!(first <= last || last == today);
            }
        }
    }
}
