//! The proleptic Gregorian calendar as arithmetic.

/// The supported years, small enough that arithmetic with them does not overflow.
pub(crate) const YEARS: std::ops::RangeInclusive<i64> = -999_999_999..=999_999_999;

/// Converts a date to days since 1970-01-01; `None` if it does not exist.
pub(crate) fn days_of(year: i64, month: i64, day: i64) -> Option<i64> {
    let exists = YEARS.contains(&year)
        && (1..=12).contains(&month)
        && (1..=days_in_month(year, month)).contains(&day);
    exists.then(|| count(year, month, day))
}

/// Converts a day of a year, counted from 1, to days since 1970-01-01; `None` if it does not exist.
pub(crate) fn day_of_year(year: i64, day: i64) -> Option<i64> {
    day_from(year, 1..=12, day)
}

/// Converts a day of a quarter, counted from 1, to days since 1970-01-01; `None` if it does not
/// exist.
pub(crate) fn day_of_quarter(year: i64, quarter: i64, day: i64) -> Option<i64> {
    day_from(year, quarter * 3 - 2..=quarter * 3, day)
}

/// Counts a day from the first of some months, which must contain it.
fn day_from(year: i64, months: std::ops::RangeInclusive<i64>, day: i64) -> Option<i64> {
    let first = days_of(year, *months.start(), 1)?;
    let length: i64 = months.map(|month| days_in_month(year, month)).sum();
    (1..=length).contains(&day).then(|| first + day - 1)
}

/// Converts days since 1970-01-01 to year, month and day.
pub(crate) fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let of_era = shifted.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * of_year + 2) / 153;
    let day = of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

/// The number of days of a month.
pub(crate) fn days_in_month(year: i64, month: i64) -> i64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Whether a year has 366 days.
pub(crate) fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// Counts days since 1970-01-01 with years that start in March, so that the leap day is their last.
fn count(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let month_from_march = (month + 9) % 12;
    let of_year = (153 * month_from_march + 2) / 5 + day - 1;
    let of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + of_year;
    era * 146_097 + of_era - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_days() {
        assert_eq!(days_of(1970, 1, 1), Some(0));
        assert_eq!(days_of(2000, 2, 29), Some(11_016));
        assert_eq!(days_of(1900, 2, 29), None);
        assert_eq!(days_of(2026, 13, 1), None);
    }

    #[test]
    fn every_day_comes_back() {
        for day in (-1_000_000..1_000_000).step_by(97) {
            let (year, month, of_month) = civil(day);
            assert_eq!(days_of(year, month, of_month), Some(day));
        }
    }
}
