//! Dates, times and durations: representation, comparison, formatting.
//!
//! Days are counted from 1970-01-01 in the proleptic Gregorian calendar, times of day in
//! nanoseconds.

mod between;
mod calendar;
mod compute;
mod make;
mod parse;
mod truncate;
mod zone;

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

pub(crate) use between::between;
pub(crate) use compute::arithmetic;
pub(crate) use make::{call, of_epoch};
pub(crate) use truncate::truncate;

use calendar::civil;

/// Nanoseconds per second.
pub(crate) const SECOND: i64 = 1_000_000_000;
/// Nanoseconds per day.
pub(crate) const DAY: i64 = 86_400 * SECOND;

/// A date, a time or a duration.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Temporal {
    /// A date.
    Date {
        /// Days since 1970-01-01.
        day: i64,
    },
    /// A time of day without time zone.
    LocalTime {
        /// Nanoseconds since midnight.
        nanos: i64,
    },
    /// A time of day with an offset from UTC.
    Time {
        /// Nanoseconds since midnight, local time.
        nanos: i64,
        /// Seconds ahead of UTC.
        offset: i32,
    },
    /// A date and a time without time zone.
    LocalDateTime {
        /// Days since 1970-01-01.
        day: i64,
        /// Nanoseconds since midnight.
        nanos: i64,
    },
    /// A date and a time with an offset from UTC.
    DateTime {
        /// Days since 1970-01-01, local time.
        day: i64,
        /// Nanoseconds since midnight, local time.
        nanos: i64,
        /// Seconds ahead of UTC.
        offset: i32,
        /// The name of the zone, if it was given by name.
        zone: Option<Arc<str>>,
    },
    /// An amount of time. Its parts are separate because months differ in length.
    Duration(Span),
}

/// An amount of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Span {
    /// Months.
    pub months: i64,
    /// Days.
    pub days: i64,
    /// Seconds, rounded down.
    pub seconds: i64,
    /// The remaining nanoseconds, from 0 to less than a second.
    pub nanos: i64,
}

impl Temporal {
    /// Its type in messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Date { .. } => "a date",
            Self::LocalTime { .. } => "a local time",
            Self::Time { .. } => "a time",
            Self::LocalDateTime { .. } => "a local datetime",
            Self::DateTime { .. } => "a datetime",
            Self::Duration(_) => "a duration",
        }
    }

    /// Whether both are the same value.
    pub(crate) fn same(&self, other: &Self) -> bool {
        self == other
    }

    /// `<` and the like, between values of the same type; durations are not comparable.
    pub(crate) fn compare(&self, other: &Self) -> Option<Ordering> {
        let comparable = self.rank() == other.rank() && !matches!(self, Self::Duration(_));
        comparable.then(|| self.order(other))
    }

    /// The order of `ORDER BY`.
    pub(crate) fn order(&self, other: &Self) -> Ordering {
        let by_length = |value: &Self| (value.rank(), value.instant(), value.offset());
        by_length(self).cmp(&by_length(other))
    }

    /// The order of types.
    pub(crate) fn rank(&self) -> u8 {
        match self {
            Self::DateTime { .. } => 0,
            Self::LocalDateTime { .. } => 1,
            Self::Date { .. } => 2,
            Self::Time { .. } => 3,
            Self::LocalTime { .. } => 4,
            Self::Duration(_) => 5,
        }
    }

    /// Feeds the value to a hasher.
    pub(crate) fn feed(&self, state: &mut impl Hasher) {
        self.hash(state);
    }

    /// The instant in nanoseconds, or the average length of a duration.
    fn instant(&self) -> i128 {
        let day = i128::from(DAY);
        match self {
            Self::Date { day: date } => i128::from(*date) * day,
            Self::LocalTime { nanos } => i128::from(*nanos),
            Self::Time { nanos, offset } => i128::from(*nanos) - ahead(*offset),
            Self::LocalDateTime { day: date, nanos } => {
                i128::from(*date) * day + i128::from(*nanos)
            }
            Self::DateTime { day: date, nanos, offset, .. } => {
                i128::from(*date) * day + i128::from(*nanos) - ahead(*offset)
            }
            Self::Duration(span) => span.average(),
        }
    }

    fn offset(&self) -> i32 {
        match self {
            Self::Time { offset, .. } | Self::DateTime { offset, .. } => *offset,
            _ => 0,
        }
    }
}

impl Span {
    /// Its length in nanoseconds, with a month as a twelfth of a mean year.
    fn average(&self) -> i128 {
        const MONTH_SECONDS: i128 = 2_629_746;
        let seconds = i128::from(self.months) * MONTH_SECONDS
            + i128::from(self.days) * 86_400
            + i128::from(self.seconds);
        seconds * i128::from(SECOND) + i128::from(self.nanos)
    }
}

fn ahead(offset: i32) -> i128 {
    i128::from(offset) * i128::from(SECOND)
}

impl fmt::Display for Temporal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Date { day } => write_date(out, *day),
            Self::LocalTime { nanos } => write_time(out, *nanos),
            Self::Time { nanos, offset } => {
                write_time(out, *nanos)?;
                write_offset(out, *offset)
            }
            Self::LocalDateTime { day, nanos } => {
                write_date(out, *day)?;
                out.write_str("T")?;
                write_time(out, *nanos)
            }
            Self::DateTime { day, nanos, offset, zone } => {
                write_date(out, *day)?;
                out.write_str("T")?;
                write_time(out, *nanos)?;
                write_offset(out, *offset)?;
                zone.as_ref().map_or(Ok(()), |zone| write!(out, "[{zone}]"))
            }
            Self::Duration(span) => write_duration(out, span),
        }
    }
}

fn write_date(out: &mut fmt::Formatter<'_>, day: i64) -> fmt::Result {
    let (year, month, day) = civil(day);
    match year {
        0..=9999 => write!(out, "{year:04}-{month:02}-{day:02}"),
        _ => write!(out, "{year:+05}-{month:02}-{day:02}"),
    }
}

fn write_time(out: &mut fmt::Formatter<'_>, nanos: i64) -> fmt::Result {
    let (seconds, rest) = (nanos / SECOND, nanos % SECOND);
    write!(out, "{:02}:{:02}", seconds / 3600, seconds / 60 % 60)?;
    if seconds % 60 != 0 || rest != 0 {
        write!(out, ":{:02}", seconds % 60)?;
    }
    write_fraction(out, rest)
}

fn write_fraction(out: &mut fmt::Formatter<'_>, nanos: i64) -> fmt::Result {
    if nanos == 0 {
        return Ok(());
    }
    let digits = format!("{nanos:09}");
    write!(out, ".{}", digits.trim_end_matches('0'))
}

fn write_offset(out: &mut fmt::Formatter<'_>, offset: i32) -> fmt::Result {
    if offset == 0 {
        return out.write_str("Z");
    }
    let sign = if offset < 0 { '-' } else { '+' };
    let seconds = offset.abs();
    write!(out, "{sign}{:02}:{:02}", seconds / 3600, seconds / 60 % 60)?;
    if seconds % 60 == 0 { Ok(()) } else { write!(out, ":{:02}", seconds % 60) }
}

fn write_duration(out: &mut fmt::Formatter<'_>, span: &Span) -> fmt::Result {
    if *span == Span::default() {
        return out.write_str("PT0S");
    }
    out.write_str("P")?;
    write_part(out, span.months / 12, 'Y')?;
    write_part(out, span.months % 12, 'M')?;
    write_part(out, span.days, 'D')?;
    if span.seconds == 0 && span.nanos == 0 {
        return Ok(());
    }
    out.write_str("T")?;
    // Stored seconds are rounded down; the text is rounded towards zero.
    let (mut seconds, mut nanos) = (span.seconds, span.nanos);
    if seconds < 0 && nanos > 0 {
        seconds += 1;
        nanos -= SECOND;
    }
    write_part(out, seconds / 3600, 'H')?;
    write_part(out, seconds / 60 % 60, 'M')?;
    if seconds % 60 == 0 && nanos == 0 {
        return Ok(());
    }
    let sign = if seconds % 60 < 0 || nanos < 0 { "-" } else { "" };
    write!(out, "{sign}{}", (seconds % 60).abs())?;
    write_fraction(out, nanos.abs())?;
    out.write_str("S")
}

fn write_part(out: &mut fmt::Formatter<'_>, amount: i64, unit: char) -> fmt::Result {
    if amount == 0 { Ok(()) } else { write!(out, "{amount}{unit}") }
}
