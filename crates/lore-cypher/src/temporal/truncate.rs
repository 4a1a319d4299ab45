//! Truncating dates and times to a unit, as in `date.truncate('month', …)`.

use std::sync::Arc;

use super::calendar::days_of;
use super::make::{Fields, Parts, week_date};
use super::{DAY, SECOND, civil, parse};
use crate::error::{CypherError, Result, failed};
use crate::functions::TemporalFunction;
use crate::value::{Map, Value};

/// Truncates a value to a unit and sets the parts in the third argument.
pub(crate) fn truncate(function: TemporalFunction, arguments: &[Value], now: i64) -> Result<Value> {
    let (unit, value, set) = match arguments {
        [Value::String(unit)] => (unit, Parts::of_now(now), None),
        [Value::String(unit), Value::Temporal(value)] => (unit, Parts::of(value), None),
        [Value::String(unit), Value::Temporal(value), Value::Map(set)] => {
            (unit, Parts::of(value), Some(set))
        }
        _ => return failed("truncate takes a unit, a date or time, and a map of parts"),
    };
    let unit = Unit::named(unit)?;
    if !unit.fits(function) {
        return failed("this kind of value cannot be cut off at that unit");
    }
    let mut cut = unit.cut(value)?;
    if let Some(set) = set {
        cut = changed(cut, set)?;
    }
    Ok(Value::Temporal(Arc::new(cut.make(function)?)))
}

/// The unit to truncate to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unit {
    Years(i64),
    WeekYear,
    Months(i64),
    Week,
    Day,
    /// A unit of the clock, in nanoseconds.
    Clock(i64),
}

impl Unit {
    fn named(name: &str) -> Result<Self> {
        Ok(match name.to_lowercase().as_str() {
            "millennium" => Self::Years(1000),
            "century" => Self::Years(100),
            "decade" => Self::Years(10),
            "year" => Self::Years(1),
            "weekyear" => Self::WeekYear,
            "quarter" => Self::Months(3),
            "month" => Self::Months(1),
            "week" => Self::Week,
            "day" => Self::Day,
            "hour" => Self::Clock(3600 * SECOND),
            "minute" => Self::Clock(60 * SECOND),
            "second" => Self::Clock(SECOND),
            "millisecond" => Self::Clock(1_000_000),
            "microsecond" => Self::Clock(1_000),
            _ => return failed(format!("{name:?} is not a unit that values are cut off at")),
        })
    }

    /// Whether values of the function's type can be truncated to this unit.
    fn fits(self, function: TemporalFunction) -> bool {
        match function {
            TemporalFunction::Date => !matches!(self, Self::Clock(_)),
            TemporalFunction::Time | TemporalFunction::LocalTime => {
                matches!(self, Self::Day | Self::Clock(_))
            }
            TemporalFunction::DateTime | TemporalFunction::LocalDateTime => true,
            TemporalFunction::Duration => false,
        }
    }

    fn cut(self, value: Parts) -> Result<Parts> {
        match self {
            Self::Clock(nanos) => {
                let clock = value.nanos.unwrap_or(0);
                Ok(Parts { nanos: Some(clock - clock.rem_euclid(nanos)), ..value })
            }
            Self::Day => Ok(Parts { nanos: Some(0), ..value }),
            _ => {
                let lacking = || CypherError::failure("a time of day has no such unit".to_owned());
                let day = self.first_day(value.day.ok_or_else(lacking)?)?;
                Ok(Parts { day: Some(day), nanos: Some(0), ..value })
            }
        }
    }

    /// The first day of the unit that contains a day.
    fn first_day(self, day: i64) -> Result<i64> {
        let (year, month, _) = civil(day);
        let weekday = (day + 3).rem_euclid(7);
        let first = match self {
            Self::Years(years) => days_of(year - year.rem_euclid(years), 1, 1),
            Self::Months(months) => days_of(year, month - (month - 1).rem_euclid(months), 1),
            // A week belongs to the year of its Thursday.
            Self::WeekYear => Some(week_date(civil(day + 3 - weekday).0, 1, 1)?),
            Self::Week => Some(day - weekday),
            Self::Day | Self::Clock(_) => Some(day),
        };
        first.ok_or_else(|| CypherError::failure("the year is out of range".to_owned()))
    }
}

/// Sets parts of a value. Parts below a second are added to the fraction that truncation left.
fn changed(cut: Parts, set: &Map) -> Result<Parts> {
    let fields = Fields { map: set };
    let day = match (cut.day, fields.within("dayOfWeek", 1..=7)?) {
        (Some(day), Some(weekday)) => Some(day - (day + 3).rem_euclid(7) + weekday - 1),
        (Some(day), None) => fields.day(Some(day))?,
        (None, _) => None,
    };
    let left = cut.nanos.map_or(0, |nanos| nanos % SECOND);
    let nanos = match (cut.nanos, fields.fraction()?) {
        (Some(nanos), Some(fraction)) if left > 0 => Some(nanos + fraction),
        (nanos, _) => fields.nanos(nanos)?,
    };
    if nanos.is_some_and(|nanos| nanos >= DAY) {
        return failed("the parts of a day are more than a day");
    }
    let zone = match set.get("timezone") {
        Some(Value::String(zone)) => Some(parse::zone(zone)?),
        _ => cut.zone,
    };
    Ok(Parts { day, nanos, zone })
}
