//! Timestamps in KOI-net's format.
//!
//! Receivers print every timestamp again before they verify a signature, so there is only one valid
//! spelling: no fraction or six digits, and `Z` for UTC; other time zones are kept. Timestamps in
//! another spelling are refused, and so are those without a time zone, which cannot be compared.

use std::fmt;

use jiff::civil::DateTime;
use jiff::fmt::temporal::Pieces;
use jiff::tz::Offset;
use jiff::{Timestamp, Unit};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A timestamp with the time zone it was written in, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WireTime {
    local: DateTime,
    zone: Zone,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Zone {
    Utc,
    Offset(Offset),
    /// Written without a time zone; treated as UTC where an instant is needed.
    Missing,
}

/// A text is not a timestamp.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not a moment such as 2026-01-02T03:04:05.000006Z")]
pub struct BadTime;

impl WireTime {
    /// Parses ISO 8601.
    pub fn parse(text: &str) -> Result<Self, BadTime> {
        let pieces = Pieces::parse(text).map_err(|_| BadTime)?;
        let time = pieces.time().ok_or(BadTime)?;
        let zone = match pieces.to_numeric_offset() {
            Some(offset) if offset.seconds() == 0 => Zone::Utc,
            Some(offset) => Zone::Offset(offset),
            None => Zone::Missing,
        };
        Ok(Self { local: in_micros(DateTime::from_parts(pieces.date(), time)), zone })
    }

    /// Whether `text` is the canonical spelling of this timestamp, so that other nodes print it
    /// identically when they verify a signature. `+00:00` instead of `Z` is accepted, since some
    /// nodes write it.
    fn is_written(&self, text: &str) -> bool {
        let plain = text.strip_suffix("+00:00").map(|moment| format!("{moment}Z"));
        self.zone != Zone::Missing && self.to_string() == plain.as_deref().unwrap_or(text)
    }

    /// Returns the instant, independent of the time zone.
    pub fn instant(&self) -> Timestamp {
        let offset = match self.zone {
            Zone::Offset(offset) => offset,
            Zone::Utc | Zone::Missing => Offset::UTC,
        };
        offset.to_timestamp(self.local).unwrap_or(Timestamp::MIN)
    }
}

impl From<Timestamp> for WireTime {
    fn from(instant: Timestamp) -> Self {
        Self { local: in_micros(Offset::UTC.to_datetime(instant)), zone: Zone::Utc }
    }
}

impl fmt::Display for WireTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let local = self.local;
        let (date, time) = (local.date(), local.time());
        write!(f, "{date}T{:02}:{:02}:{:02}", time.hour(), time.minute(), time.second())?;
        let micros = time.subsec_nanosecond() / 1_000;
        if micros != 0 {
            write!(f, ".{micros:06}")?;
        }
        match self.zone {
            Zone::Utc => f.write_str("Z"),
            Zone::Missing => Ok(()),
            Zone::Offset(offset) => {
                let minutes = offset.seconds() / 60;
                let sign = if minutes < 0 { '-' } else { '+' };
                write!(f, "{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
            }
        }
    }
}

impl Serialize for WireTime {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for WireTime {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let time = Self::parse(&text).ok().filter(|time| time.is_written(&text));
        time.ok_or_else(|| de::Error::custom(format!("{text:?} {BadTime}")))
    }
}

/// Truncates to microseconds, as Python does, instead of rounding.
fn in_micros(time: DateTime) -> DateTime {
    let cut =
        jiff::civil::DateTimeRound::new().smallest(Unit::Microsecond).mode(jiff::RoundMode::Trunc);
    time.round(cut).unwrap_or(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_spelt_as_the_reference_spells_them() {
        let cases = [
            ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z"),
            ("2026-01-02T03:04:05+00:00", "2026-01-02T03:04:05Z"),
            ("2026-01-02T03:04:05.1Z", "2026-01-02T03:04:05.100000Z"),
            ("2026-01-02T03:04:05.123456789Z", "2026-01-02T03:04:05.123456Z"),
            ("2026-01-02T03:04:05", "2026-01-02T03:04:05"),
            ("2026-01-02T04:04:05+01:00", "2026-01-02T04:04:05+01:00"),
            ("2026-01-02T04:04:05-03:30", "2026-01-02T04:04:05-03:30"),
        ];
        for (sent, shown) in cases {
            assert_eq!(WireTime::parse(sent).unwrap().to_string(), shown, "{sent}");
        }
    }

    #[test]
    fn what_the_reference_would_print_otherwise_is_refused() {
        let read = |text: &str| serde_json::from_str::<WireTime>(&format!("{text:?}"));
        for good in [
            "2026-01-02T03:04:05Z",
            "2026-01-02T03:04:05.120000Z",
            "2026-01-02T03:04:05+00:00",
            "2026-01-02T04:04:05+01:00",
        ] {
            assert!(read(good).is_ok(), "{good}");
        }
        for odd in [
            "2026-01-02T03:04:05",
            "2026-01-02T03:04:05.12Z",
            "2026-01-02T03:04:05.000000Z",
            "2026-01-02T03:04:05.123456789Z",
            "2026-01-02 03:04:05Z",
            "2026-01-02t03:04:05z",
            "2026-06-30T23:59:60Z",
            "2026-01-02T03:04Z",
        ] {
            assert!(read(odd).is_err(), "{odd}");
        }
    }

    #[test]
    fn zones_count_when_moments_are_compared() {
        let instant = |text: &str| WireTime::parse(text).unwrap().instant();
        assert_eq!(instant("2026-01-02T04:04:05+01:00"), instant("2026-01-02T03:04:05Z"));
        assert_eq!(instant("2026-01-02T03:04:05"), instant("2026-01-02T03:04:05Z"));
    }

    #[test]
    fn what_is_no_moment_is_refused() {
        for bad in [r#""""#, r#""yesterday""#, r#""2026-01-02""#, "1767323045", "null", "[]"] {
            assert!(serde_json::from_str::<WireTime>(bad).is_err(), "{bad}");
        }
    }
}
