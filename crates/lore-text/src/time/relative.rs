//! Times that a question tells from where it stands: yesterday, last week, two months ago.

use jiff::ToSpan;
use jiff::civil::{Date, Weekday};

use super::calendar::{any_month, count, day, weekday};

/// The first and the last days that a question asked on `today` means by "yesterday",
/// "last week", "three months ago", "last summer" and the like.
pub fn relative_dates(question: &str, today: Date) -> Vec<(Date, Date)> {
    let lower: String = question.chars().take(LONGEST).flat_map(char::to_lowercase).collect();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    (0..words.len()).filter_map(|at| meant(words.get(at..)?, today)).collect()
}

/// Longer questions are texts; what they call yesterday is theirs.
const LONGEST: usize = 500;

/// What the words mean by which a text begins.
fn meant(words: &[&str], today: Date) -> Option<(Date, Date)> {
    let days_ago = |days: i64| today.checked_sub(days.days()).ok().map(|day| (day, day));
    match *words {
        ["today" | "tonight", ..] => days_ago(0),
        ["this", "morning" | "afternoon" | "evening", ..] => days_ago(0),
        ["yesterday", ..] | ["last", "night", ..] => days_ago(1),
        ["past" | "last", number, span, ..] if count(number).is_some() => {
            back(count(number)?, span, today).map(|(first, _)| (first, today))
        }
        ["past", span, ..] => back(1, span, today).map(|(first, _)| (first, today)),
        ["this", span, ..] => whole(span, today).map(|(first, last)| (first, last.min(today))),
        ["last" | "previous", span, ..] => last(span, today),
        [number, span, "ago", ..] => back(count(number)?, span, today),
        ["couple", "of", span, "ago", ..] => back(2, span, today),
        ["on", day, ref rest @ ..] if !is_dated(rest) => {
            last_weekday(weekday(day).filter(|_| !day.ends_with('s'))?, today).map(|day| (day, day))
        }
        _ => None,
    }
}

/// Whether a date follows: "on Sunday, 8 May".
fn is_dated(words: &[&str]) -> bool {
    let next = words.iter().find(|word| **word != "the");
    next.is_some_and(|word| any_month(word).is_some() || day(word).is_some())
}

/// The span of the calendar in which `day` lies.
fn whole(span: &str, day: Date) -> Option<(Date, Date)> {
    let since_monday = i64::from(day.weekday().to_monday_zero_offset());
    let monday = day.checked_sub(since_monday.days()).ok()?;
    match span.strip_suffix('s').unwrap_or(span) {
        "week" => Some((monday, monday.checked_add(6.days()).ok()?)),
        "weekend" => Some((monday.checked_add(5.days()).ok()?, monday.checked_add(6.days()).ok()?)),
        "month" => Some((day.first_of_month(), day.last_of_month())),
        "year" => Some((day.first_of_year(), day.last_of_year())),
        season => the_season(season, day),
    }
}

/// The span of the calendar before the present one; the last such weekday or season.
fn last(span: &str, today: Date) -> Option<(Date, Date)> {
    if let Some(wanted) = weekday(span) {
        return last_weekday(wanted, today).map(|day| (day, day));
    }
    let a_year_ago = today.checked_sub(1.years()).ok()?;
    match span {
        "week" | "weekend" => whole(span, today.checked_sub(1.weeks()).ok()?),
        "month" => whole(span, today.first_of_month().yesterday().ok()?),
        "year" => whole(span, a_year_ago),
        season => {
            let this = the_season(season, today)?;
            if this.1 < today { Some(this) } else { the_season(season, a_year_ago) }
        }
    }
}

fn last_weekday(wanted: Weekday, today: Date) -> Option<Date> {
    (1..=7)
        .filter_map(|days: i64| today.checked_sub(days.days()).ok())
        .find(|day| day.weekday() == wanted)
}

/// So many days, weeks, months or years ago; the less exact, the wider.
fn back(count: i64, span: &str, today: Date) -> Option<(Date, Date)> {
    match span.strip_suffix('s').unwrap_or(span) {
        "day" => today.checked_sub(count.days()).ok().map(|day| (day, day)),
        "week" => {
            let day = today.checked_sub(count.weeks()).ok()?;
            Some((day.checked_sub(3.days()).ok()?, day.checked_add(3.days()).ok()?))
        }
        "month" => whole("month", today.checked_sub(count.months()).ok()?),
        "year" => whole("year", today.checked_sub(count.years()).ok()?),
        _ => None,
    }
}

/// The season as the north has it, in the year of `day`; winter is the one that began in
/// the year before.
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
        assert_eq!(relative_dates(question, TODAY), expected, "{question}");
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
        check("who comes on Sundays", &[]);
        check("on Sunday, 3 March", &[]);
    }

    proptest! {
        #[test]
        fn no_question_and_no_day_is_an_error(
            question in "(last|this|past|[0-9]{1,19}|a|couple of|\\PC{0,9}| ){0,6}(days|week|months|years|summer) ?(ago)?",
            day in -4_371_000_i32..2_932_000,
        ) {
            let today = Date::constant(1970, 1, 1).checked_add(i64::from(day).days()).unwrap_or(TODAY);
            for (first, last) in relative_dates(&question, today) {
                prop_assert!(first <= last || last == today);
            }
        }
    }
}
