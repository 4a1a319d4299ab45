//! Components of temporal values, and arithmetic.

use std::sync::Arc;

use super::calendar::days_of;
use super::make::add_months;
use super::zone::{Local, Zone};
use super::{DAY, SECOND, Span, Temporal, civil};
use crate::error::{CypherError, Result, failed};
use crate::plan::Arithmetic;
use crate::value::Value;

/// Applies an operator with a temporal operand.
pub(crate) fn arithmetic(operator: Arithmetic, left: &Value, right: &Value) -> Result<Value> {
    let made = match (operator, left, right) {
        (Arithmetic::Add | Arithmetic::Subtract, Value::Temporal(left), Value::Temporal(right)) => {
            match (&**left, &**right) {
                (Temporal::Duration(left), Temporal::Duration(right)) => {
                    Some(Temporal::Duration(left.plus(&right.signed(operator))))
                }
                (moment, Temporal::Duration(span)) => Some(later(moment, &span.signed(operator))?),
                (Temporal::Duration(span), moment) if operator == Arithmetic::Add => {
                    Some(later(moment, span)?)
                }
                _ => None,
            }
        }
        (Arithmetic::Multiply | Arithmetic::Divide, Value::Temporal(span), factor)
        | (Arithmetic::Multiply, factor, Value::Temporal(span)) => {
            let factor = match factor {
                Value::Int(number) => Some(*number as f64),
                Value::Float(number) => Some(*number),
                _ => None,
            };
            match (&**span, factor) {
                (Temporal::Duration(span), Some(factor)) => {
                    let factor = if operator == Arithmetic::Divide { 1.0 / factor } else { factor };
                    Some(Temporal::Duration(span.times(factor)?))
                }
                _ => None,
            }
        }
        _ => None,
    };
    match made {
        Some(made) => Ok(Value::Temporal(Arc::new(made))),
        None => failed(format!("{} and {} do not go together", left.kind(), right.kind())),
    }
}

fn later(moment: &Temporal, span: &Span) -> Result<Temporal> {
    let beyond = || CypherError::failure("the result is beyond the dates there are".to_owned());
    moment.shifted(span).ok_or_else(beyond)
}

impl Span {
    /// Creates a duration, carrying nanoseconds into seconds.
    pub(super) fn new(months: i64, days: i64, seconds: i128, nanos: i128) -> Self {
        let second = i128::from(SECOND);
        let seconds = seconds + nanos.div_euclid(second);
        let limit = |seconds: i128| seconds.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
        Self { months, days, seconds: limit(seconds), nanos: nanos.rem_euclid(second) as i64 }
    }

    fn signed(self, operator: Arithmetic) -> Self {
        match operator {
            Arithmetic::Subtract => Self::new(
                self.months.saturating_neg(),
                self.days.saturating_neg(),
                -i128::from(self.seconds),
                -i128::from(self.nanos),
            ),
            _ => self,
        }
    }

    fn plus(&self, other: &Self) -> Self {
        Self::new(
            self.months.saturating_add(other.months),
            self.days.saturating_add(other.days),
            i128::from(self.seconds) + i128::from(other.seconds),
            i128::from(self.nanos) + i128::from(other.nanos),
        )
    }

    fn times(&self, factor: f64) -> Result<Self> {
        let mut amounts = super::make::Amounts::default();
        amounts.add("months", self.months as f64 * factor)?;
        amounts.add("days", self.days as f64 * factor)?;
        amounts.add("seconds", self.seconds as f64 * factor)?;
        amounts.add("nanoseconds", self.nanos as f64 * factor)?;
        amounts.span()
    }

    fn clock_nanos(&self) -> i128 {
        i128::from(self.seconds) * i128::from(SECOND) + i128::from(self.nanos)
    }
}

impl Temporal {
    /// Adds a duration; `None` if the result is out of range.
    fn shifted(&self, span: &Span) -> Option<Self> {
        let later_day = |day: i64| {
            let day = add_months(day, span.months)?.checked_add(span.days)?;
            let (year, ..) = civil(day);
            super::calendar::YEARS.contains(&year).then_some(day)
        };
        let later = |day: i64, nanos: i64| {
            let clock = i128::from(nanos) + span.clock_nanos();
            let whole = i128::from(DAY);
            let day = later_day(day)?.checked_add(i64::try_from(clock.div_euclid(whole)).ok()?)?;
            Some((day, clock.rem_euclid(whole) as i64))
        };
        let turned = |nanos: i64| {
            (i128::from(nanos) + span.clock_nanos()).rem_euclid(i128::from(DAY)) as i64
        };
        Some(match self.clone() {
            // A date moves by the whole days of the clock part; the rest is ignored.
            Self::Date { day } => {
                let days = i64::try_from(span.clock_nanos() / i128::from(DAY)).ok()?;
                Self::Date { day: later_day(day)?.checked_add(days)? }
            }
            Self::LocalTime { nanos } => Self::LocalTime { nanos: turned(nanos) },
            Self::Time { nanos, offset } => Self::Time { nanos: turned(nanos), offset },
            Self::LocalDateTime { day, nanos } => {
                let (day, nanos) = later(day, nanos)?;
                Self::LocalDateTime { day, nanos }
            }
            Self::DateTime { day, nanos, offset, zone } => {
                // Months and days are added to the local time, hours to the instant.
                let there = Zone::of(zone.as_ref(), offset);
                let after = there.at(later_day(day)?, nanos).instant() + span.clock_nanos();
                let Local { day, nanos, offset } = there.seen(after);
                super::calendar::YEARS.contains(&civil(day).0).then_some(())?;
                Self::DateTime { day, nanos, offset, zone }
            }
            Self::Duration(_) => return None,
        })
    }

    /// Returns a component, as in `date.year`.
    pub(crate) fn component(&self, name: &str) -> Result<Value> {
        let known = match self.clone() {
            Self::Date { day } => of_day(day, name),
            Self::LocalTime { nanos } => of_clock(nanos, name),
            Self::Time { nanos, offset } => {
                of_clock(nanos, name).or_else(|| of_zone(offset, None, name))
            }
            Self::LocalDateTime { day, nanos } => {
                of_day(day, name).or_else(|| of_clock(nanos, name))
            }
            Self::DateTime { day, nanos, offset, zone } => of_day(day, name)
                .or_else(|| of_clock(nanos, name))
                .or_else(|| of_zone(offset, zone, name))
                .or_else(|| self.of_epoch(name)),
            Self::Duration(span) => of_span(&span, name),
        };
        known.ok_or_else(|| CypherError::failure(format!("{} has no {name:?}", self.kind())))
    }

    fn of_epoch(&self, name: &str) -> Option<Value> {
        let second = i128::from(SECOND);
        let value = match name {
            "epochSeconds" => self.instant().div_euclid(second),
            "epochMillis" => self.instant().div_euclid(1_000_000),
            _ => return None,
        };
        Some(Value::Int(value as i64))
    }
}

fn of_day(day: i64, name: &str) -> Option<Value> {
    let (year, month, of_month) = civil(day);
    let weekday = (day + 3).rem_euclid(7) + 1;
    // A week belongs to the year of its Thursday.
    let (week_year, ..) = civil(day + 4 - weekday);
    let start = |year: i64, month: i64| days_of(year, month, 1).unwrap_or(day);
    Some(Value::Int(match name {
        "year" => year,
        "quarter" => (month - 1) / 3 + 1,
        "month" => month,
        "week" => (day + 4 - weekday - start(week_year, 1)) / 7 + 1,
        "weekYear" => week_year,
        "day" => of_month,
        "ordinalDay" => day - start(year, 1) + 1,
        "weekDay" | "dayOfWeek" => weekday,
        "dayOfQuarter" => day - start(year, (month - 1) / 3 * 3 + 1) + 1,
        _ => return None,
    }))
}

fn of_clock(nanos: i64, name: &str) -> Option<Value> {
    let seconds = nanos / SECOND;
    Some(Value::Int(match name {
        "hour" => seconds / 3600,
        "minute" => seconds / 60 % 60,
        "second" => seconds % 60,
        "millisecond" => nanos % SECOND / 1_000_000,
        "microsecond" => nanos % SECOND / 1_000,
        "nanosecond" => nanos % SECOND,
        _ => return None,
    }))
}

fn of_zone(offset: i32, zone: Option<Arc<str>>, name: &str) -> Option<Value> {
    match (name, zone) {
        ("timezone", Some(zone)) => Some(Value::String(zone)),
        ("timezone" | "offset", _) => {
            let text = Temporal::Time { nanos: 0, offset }.to_string();
            Some(Value::text(text.get(5..).unwrap_or_default()))
        }
        ("offsetMinutes", _) => Some(Value::Int(i64::from(offset / 60))),
        ("offsetSeconds", _) => Some(Value::Int(i64::from(offset))),
        _ => None,
    }
}

fn of_span(span: &Span, name: &str) -> Option<Value> {
    let nanos = span.clock_nanos();
    let whole = |unit: i128| nanos.div_euclid(unit) as i64;
    Some(Value::Int(match name {
        "years" => span.months / 12,
        "quarters" => span.months / 3,
        "months" => span.months,
        "weeks" => span.days / 7,
        "days" => span.days,
        "hours" => span.seconds / 3600,
        "minutes" => span.seconds / 60,
        "seconds" => span.seconds,
        "milliseconds" => whole(1_000_000),
        "microseconds" => whole(1_000),
        "nanoseconds" => whole(1),
        "quartersOfYear" => span.months / 3 % 4,
        "monthsOfQuarter" => span.months % 3,
        "monthsOfYear" => span.months % 12,
        "daysOfWeek" => span.days % 7,
        "minutesOfHour" => span.seconds / 60 % 60,
        "secondsOfMinute" => span.seconds % 60,
        "millisecondsOfSecond" => span.nanos / 1_000_000,
        "microsecondsOfSecond" => span.nanos / 1_000,
        "nanosecondsOfSecond" => span.nanos,
        _ => return None,
    }))
}
