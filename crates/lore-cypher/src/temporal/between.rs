//! The duration between two moments.

use std::sync::Arc;

use super::make::{Parts, add_months};
use super::zone::Zone;
use super::{DAY, SECOND, Span, Temporal, civil};
use crate::error::{Result, failed};
use crate::functions::Measure;
use crate::value::Value;

/// The duration from one date or time to another.
pub(crate) fn between(measure: Measure, arguments: &[Value]) -> Result<Value> {
    let [Value::Temporal(from), Value::Temporal(to)] = arguments else {
        return failed("a duration is between two dates or times");
    };
    if [from, to].iter().any(|end| matches!(***end, Temporal::Duration(_))) {
        return failed("a duration is between two dates or times");
    }
    let (from, to) = aligned(Parts::of(from), Parts::of(to));
    let span = match measure {
        Measure::Parts => {
            let months = from.months_until(&to);
            let after = from.later(months);
            let days = after.nanos_until(&to) / i128::from(DAY);
            let rest = after.nanos_until(&to) - days * i128::from(DAY);
            Span::new(months, days as i64, 0, rest)
        }
        Measure::Months => Span::new(from.months_until(&to), 0, 0, 0),
        Measure::Days => Span::new(0, (from.nanos_until(&to) / i128::from(DAY)) as i64, 0, 0),
        Measure::Seconds => Span::new(0, 0, 0, from.nanos_until(&to)),
    };
    Ok(Value::Temporal(Arc::new(Temporal::Duration(span))))
}

/// A date and a time.
#[derive(Debug, Clone, Copy)]
struct Moment {
    day: i64,
    nanos: i64,
}

impl Moment {
    /// The number of whole months, rounded towards zero.
    fn months_until(&self, to: &Self) -> i64 {
        // A day that is not complete does not count.
        let day = match (to.day.cmp(&self.day), to.nanos.cmp(&self.nanos)) {
            (std::cmp::Ordering::Greater, std::cmp::Ordering::Less) => to.day - 1,
            (std::cmp::Ordering::Less, std::cmp::Ordering::Greater) => to.day + 1,
            _ => to.day,
        };
        // Calculated as if every month had 32 days, so that comparing days never carries into
        // months.
        let packed = |day: i64| {
            let (year, month, of_month) = civil(day);
            (year * 12 + month) * 32 + of_month
        };
        (packed(day) - packed(self.day)) / 32
    }

    fn later(&self, months: i64) -> Self {
        Self { day: add_months(self.day, months).unwrap_or(self.day), ..*self }
    }

    fn nanos_until(&self, to: &Self) -> i128 {
        i128::from(to.day - self.day) * i128::from(DAY) + i128::from(to.nanos - self.nanos)
    }
}

/// Converts both to moments at the offset of the first. A missing date or zone is taken from the
/// other one; a missing time is midnight.
fn aligned(from: Parts, to: Parts) -> (Moment, Moment) {
    let (from_day, to_day) = (from.day.or(to.day), to.day.or(from.day));
    let offset = |zone: &Option<Zone>, other: &Option<Zone>, day: Option<i64>, nanos| {
        let zone = zone.as_ref().or(other.as_ref())?;
        Some(zone.at(day.unwrap_or(0), nanos).offset)
    };
    let here = offset(&from.zone, &to.zone, from_day, from.nanos.unwrap_or(0));
    let there = offset(&to.zone, &from.zone, to_day, to.nanos.unwrap_or(0));
    let ahead = here.zip(there).map_or(0, |(here, there)| i64::from(here - there) * SECOND);
    let first = Moment { day: from_day.unwrap_or(0), nanos: from.nanos.unwrap_or(0) };
    let there = to.nanos.unwrap_or(0) + ahead;
    let day = to_day.unwrap_or(0);
    // Without dates, times of day do not wrap around midnight.
    let second = match from.day.and(to.day) {
        Some(_) => Moment { day: day + there.div_euclid(DAY), nanos: there.rem_euclid(DAY) },
        None => Moment { day, nanos: there },
    };
    (first, second)
}
