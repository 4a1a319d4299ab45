//! Creating dates, times and durations from maps, texts and each other.

use std::sync::Arc;

use super::calendar::{YEARS, day_of_quarter, day_of_year, days_in_month, days_of};
use super::parse;
use super::zone::{Local, Zone};
use super::{DAY, SECOND, Span, Temporal, civil};
use crate::error::{CypherError, Result, failed};
use crate::functions::TemporalFunction;
use crate::value::{Map, Value};

/// Calls a function that creates temporal values.
pub(crate) fn call(function: TemporalFunction, arguments: &[Value], now: i64) -> Result<Value> {
    let made = match arguments.first() {
        None => Parts::of_now(now).make(function),
        Some(Value::Null) => return Ok(Value::Null),
        Some(Value::String(text)) => parse::parse(function, text),
        Some(Value::Map(map)) => of_map(function, map),
        Some(Value::Temporal(value)) => of_value(function, value),
        Some(other) => return failed(format!("no date or time can be made of {}", other.kind())),
    };
    Ok(Value::Temporal(Arc::new(made?)))
}

/// The moment a number of units, and optionally of nanoseconds, after 1970 in UTC.
pub(crate) fn of_epoch(arguments: &[Value], unit: i64) -> Result<Value> {
    let (whole, nanos) = match arguments {
        [Value::Int(whole)] => (*whole, 0),
        [Value::Int(whole), Value::Int(nanos)] => (*whole, *nanos),
        _ => return failed("a moment is counted in whole units since 1970"),
    };
    let all = i128::from(whole) * i128::from(unit) + i128::from(nanos);
    let day = i64::try_from(all.div_euclid(i128::from(DAY))).ok();
    let day = day.filter(|day| YEARS.contains(&(day / 366)));
    let nanos = Some(all.rem_euclid(i128::from(DAY)) as i64);
    let zone = Some(Zone::Offset(0));
    let made = Parts { day, nanos, zone }.make(TemporalFunction::DateTime)?;
    Ok(Value::Temporal(Arc::new(made)))
}

/// The parts of a temporal value that are known.
#[derive(Debug, Clone, Default)]
pub(super) struct Parts {
    pub(super) day: Option<i64>,
    pub(super) nanos: Option<i64>,
    pub(super) zone: Option<Zone>,
}

impl Parts {
    /// Creates a value of the function's type. A missing time is midnight, a missing zone UTC.
    pub(super) fn make(self, function: TemporalFunction) -> Result<Temporal> {
        let day = || {
            self.day.ok_or_else(|| CypherError::failure("a date needs at least a year".to_owned()))
        };
        let nanos = self.nanos.unwrap_or(0);
        Ok(match function {
            TemporalFunction::Date => Temporal::Date { day: day()? },
            TemporalFunction::LocalTime => Temporal::LocalTime { nanos },
            TemporalFunction::Time => {
                let Local { nanos, offset, .. } = self.local(self.day)?;
                Temporal::Time { nanos, offset }
            }
            TemporalFunction::LocalDateTime => Temporal::LocalDateTime { day: day()?, nanos },
            TemporalFunction::DateTime => {
                let Local { day, nanos, offset } = self.local(Some(day()?))?;
                let zone = self.zone.as_ref().and_then(Zone::name).cloned();
                Temporal::DateTime { day, nanos, offset, zone }
            }
            TemporalFunction::Duration => return failed("a duration is made of a map or a text"),
        })
    }

    /// The local time in its zone, or in UTC if it has none.
    fn local(&self, day: Option<i64>) -> Result<Local> {
        let nanos = self.nanos.unwrap_or(0);
        match (&self.zone, day) {
            (Some(Zone::Named(name, None)), None) => Err(no_day(name)),
            // The offset was determined on a day and is kept without it.
            (Some(Zone::Named(_, Some(offset))), None) => {
                Ok(Local { day: 0, nanos, offset: *offset })
            }
            (Some(zone), day) => Ok(zone.at(day.unwrap_or(0), nanos)),
            (None, day) => Ok(Local { day: day.unwrap_or(0), nanos, offset: 0 }),
        }
    }

    /// Returns the same instant in another zone.
    fn seen_from(self, wanted: Zone) -> Result<Self> {
        if let (Zone::Named(name, _), None) = (&wanted, self.day) {
            return Err(no_day(name));
        }
        let seen = wanted.seen(self.local(self.day)?.instant());
        let day = self.day.map(|_| seen.day);
        Ok(Self { day, nanos: Some(seen.nanos), zone: Some(wanted.preferring(seen.offset)) })
    }

    /// The current time in UTC.
    pub(super) fn of_now(now: i64) -> Self {
        let (day, nanos) = (now.div_euclid(DAY), now.rem_euclid(DAY));
        Self { day: Some(day), nanos: Some(nanos), zone: Some(Zone::Offset(0)) }
    }

    pub(super) fn of(value: &Temporal) -> Self {
        let (day, nanos, zone) = match value {
            Temporal::Date { day } => (Some(*day), None, None),
            Temporal::LocalTime { nanos } => (None, Some(*nanos), None),
            Temporal::Time { nanos, offset } => (None, Some(*nanos), Some(Zone::Offset(*offset))),
            Temporal::LocalDateTime { day, nanos } => (Some(*day), Some(*nanos), None),
            Temporal::DateTime { day, nanos, offset, zone } => {
                (Some(*day), Some(*nanos), Some(Zone::of(zone.as_ref(), *offset)))
            }
            Temporal::Duration(_) => (None, None, None),
        };
        Self { day, nanos, zone }
    }
}

fn no_day(zone: &str) -> CypherError {
    CypherError::failure(format!(
        "a time of day needs an offset like +01:00: that of {zone} depends on the day"
    ))
}

fn of_value(function: TemporalFunction, value: &Temporal) -> Result<Temporal> {
    if let (TemporalFunction::Duration, Temporal::Duration(span)) = (function, value) {
        return Ok(Temporal::Duration(*span));
    }
    Parts::of(value).make(function)
}

fn of_map(function: TemporalFunction, map: &Map) -> Result<Temporal> {
    if function == TemporalFunction::Duration {
        return of_amounts(map).map(Temporal::Duration);
    }
    let fields = Fields { map };
    let given = fields.given()?;
    let needs_day = !matches!(function, TemporalFunction::Time | TemporalFunction::LocalTime);
    // Even a time of day keeps a given day, because the offset of its zone depends on it.
    let day = if needs_day { fields.day(given.day)? } else { given.day };
    let parts = Parts { day, nanos: fields.nanos(given.nanos)?, zone: given.zone };
    let parts = match map.get("timezone") {
        None => parts,
        Some(Value::String(zone)) => {
            let wanted = parse::zone(zone)?;
            match parts.zone {
                // A value with a zone stays the same instant in another zone.
                Some(_) if parts.nanos.is_some() => parts.seen_from(wanted)?,
                _ => Parts { zone: Some(wanted), ..parts },
            }
        }
        Some(other) => return failed(format!("a time zone is a string, not {}", other.kind())),
    };
    parts.make(function)
}

/// Reads the parts of a value from a map.
pub(super) struct Fields<'m> {
    pub(super) map: &'m Map,
}

impl Fields<'_> {
    fn int(&self, name: &str) -> Result<Option<i64>> {
        match self.map.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Int(number)) => Ok(Some(*number)),
            Some(other) => failed(format!("{name} is an integer, not {}", other.kind())),
        }
    }

    pub(super) fn within(
        &self,
        name: &str,
        range: std::ops::RangeInclusive<i64>,
    ) -> Result<Option<i64>> {
        match self.int(name)? {
            Some(number) if !range.contains(&number) => {
                failed(format!("{name} is between {} and {}", range.start(), range.end()))
            }
            number => Ok(number),
        }
    }

    fn has_time(&self) -> bool {
        ["hour", "minute", "second", "millisecond", "microsecond", "nanosecond"]
            .iter()
            .any(|name| self.map.get(name).is_some())
    }

    /// The parts of temporal values in the map, which its other entries modify.
    fn given(&self) -> Result<Parts> {
        let part = |name: &str| match self.map.get(name) {
            None | Some(Value::Null) => Ok(Parts::default()),
            Some(Value::Temporal(value)) => Ok(Parts::of(value)),
            Some(other) => failed(format!("{name} is a date or time, not {}", other.kind())),
        };
        let (date, time, both) = (part("date")?, part("time")?, part("datetime")?);
        Ok(Parts {
            day: both.day.or(date.day),
            nanos: both.nanos.or(time.nanos),
            zone: both.zone.or(time.zone),
        })
    }

    pub(super) fn day(&self, given: Option<i64>) -> Result<Option<i64>> {
        let (year, month, day) = given.map_or((None, None, None), |given| {
            let (year, month, day) = civil(given);
            (Some(year), Some(month), Some(day))
        });
        let Some(written) = self.int("year")?.or(year) else { return Ok(None) };
        if let Some(week) = self.within("week", 1..=53)? {
            // A week belongs to the year of its Thursday.
            let weeks_year = given.map(|given| civil(given + 3 - (given + 3).rem_euclid(7)).0);
            let written = self.int("year")?.or(weeks_year).unwrap_or(written);
            let same_day = given.map(|given| (given + 3).rem_euclid(7) + 1);
            let weekday = self.within("dayOfWeek", 1..=7)?.or(same_day).unwrap_or(1);
            return week_date(written, week, weekday).map(Some);
        }
        if let Some(ordinal) = self.within("ordinalDay", 1..=366)? {
            return match day_of_year(written, ordinal) {
                Some(days) => Ok(Some(days)),
                None => failed(format!("there is no day {ordinal} in {written}")),
            };
        }
        if let Some(quarter) = self.within("quarter", 1..=4)? {
            return match self.within("dayOfQuarter", 1..=92)? {
                Some(ordinal) => match day_of_quarter(written, quarter, ordinal) {
                    Some(days) => Ok(Some(days)),
                    None => failed(format!("there is no day {ordinal} in {written}-Q{quarter}")),
                },
                None => {
                    // A given date keeps its place in the quarter.
                    let month = quarter * 3 - 2 + (month.unwrap_or(1) - 1) % 3;
                    day_of_month(written, month, day.unwrap_or(1)).map(Some)
                }
            };
        }
        let month = self.within("month", 1..=12)?.or(month);
        if month.is_none() && self.int("day")?.is_some() {
            return failed("a day of a month needs the month");
        }
        let month = month.unwrap_or(1);
        let day = self.within("day", 1..=31)?.or(day).unwrap_or(1);
        day_of_month(written, month, day).map(Some)
    }

    /// The parts below a second in nanoseconds, if any is given.
    pub(super) fn fraction(&self) -> Result<Option<i64>> {
        let parts = [("millisecond", 1_000_000), ("microsecond", 1_000), ("nanosecond", 1)];
        let mut fraction = None;
        for (name, scale) in parts {
            if let Some(amount) = self.within(name, 0..=999_999_999)? {
                fraction = Some(fraction.unwrap_or(0) + amount * scale);
            }
        }
        Ok(fraction)
    }

    pub(super) fn nanos(&self, given: Option<i64>) -> Result<Option<i64>> {
        let given_seconds = given.map(|given| given / SECOND);
        let hour = self.within("hour", 0..=23)?.or(given_seconds.map(|given| given / 3600));
        let minute = self.within("minute", 0..=59)?.or(given_seconds.map(|given| given / 60 % 60));
        let second = self.within("second", 0..=59)?.or(given_seconds.map(|given| given % 60));
        let kept = given.map_or(0, |given| given % SECOND);
        let fraction = self.fraction()?.unwrap_or(kept);
        if fraction >= SECOND {
            return failed("the parts of a second are more than a second");
        }
        if given.is_none() && !self.has_time() {
            return Ok(None);
        }
        let seconds = hour.unwrap_or(0) * 3600 + minute.unwrap_or(0) * 60 + second.unwrap_or(0);
        Ok(Some(seconds * SECOND + fraction))
    }
}

/// Converts a day of a month to days since 1970-01-01.
fn day_of_month(year: i64, month: i64, day: i64) -> Result<i64> {
    match days_of(year, month, day) {
        Some(days) => Ok(days),
        None => failed(format!("there is no day {day} in {year}-{month:02}")),
    }
}

/// Converts a day of an ISO week to days since 1970-01-01.
pub(super) fn week_date(year: i64, week: i64, weekday: i64) -> Result<i64> {
    // The fourth of January is always in the first week.
    let Some(fourth) = days_of(year, 1, 4) else { return failed("the year is out of range") };
    let monday = fourth - (fourth + 3).rem_euclid(7) + (week - 1) * 7;
    // A week belongs to the year of its Thursday.
    match civil(monday + 3).0 == year {
        true => Ok(monday + weekday - 1),
        false => failed(format!("there is no week {week} in {year}")),
    }
}

fn of_amounts(map: &Map) -> Result<Span> {
    let mut amounts = Amounts::default();
    for (name, value) in map.entries() {
        let amount = match value {
            Value::Int(number) => *number as f64,
            Value::Float(number) => *number,
            other => return failed(format!("{name} is a number, not {}", other.kind())),
        };
        amounts.add(name, amount)?;
    }
    amounts.span()
}

/// The amounts of each unit, before fractions are carried to smaller units.
#[derive(Debug, Default)]
pub(super) struct Amounts {
    months: f64,
    days: f64,
    seconds: f64,
    /// Nanoseconds, separate from the seconds because one float could not hold both.
    nanos: f64,
}

impl Amounts {
    /// Adds an amount of a unit.
    pub(super) fn add(&mut self, unit: &str, amount: f64) -> Result<()> {
        match unit {
            "years" => self.months += amount * 12.0,
            "quarters" => self.months += amount * 3.0,
            "months" => self.months += amount,
            "weeks" => self.days += amount * 7.0,
            "days" => self.days += amount,
            "hours" => self.seconds += amount * 3600.0,
            "minutes" => self.seconds += amount * 60.0,
            "seconds" => self.seconds += amount,
            "milliseconds" => self.nanos += amount * 1e6,
            "microseconds" => self.nanos += amount * 1e3,
            "nanoseconds" => self.nanos += amount,
            other => return failed(format!("a duration has no {other}")),
        }
        Ok(())
    }

    /// Carries fractions of months to days, and of days to seconds.
    pub(super) fn span(self) -> Result<Span> {
        const MONTH_DAYS: f64 = 30.436_875;
        let months = self.months.trunc();
        let days_exact = self.days + self.months.fract() * MONTH_DAYS;
        let days = days_exact.trunc();
        let seconds_exact = self.seconds + days_exact.fract() * 86_400.0;
        let seconds = seconds_exact.trunc();
        let nanos = (seconds_exact.fract() * 1e9).round() + self.nanos.trunc();
        let fits = [months, days, seconds, nanos].iter().all(|part| part.abs() < 9e18);
        if !fits {
            return failed("the duration is too long");
        }
        Ok(Span::new(months as i64, days as i64, seconds as i128, nanos as i128))
    }
}

/// Adds months to a date; a day beyond the end of the month becomes its last day.
pub(super) fn add_months(day: i64, months: i64) -> Option<i64> {
    let (year, month, of_month) = civil(day);
    let all = year.checked_mul(12)?.checked_add(month - 1)?.checked_add(months)?;
    let (year, month) = (all.div_euclid(12), all.rem_euclid(12) + 1);
    days_of(year, month, of_month.min(days_in_month(year, month)))
}
