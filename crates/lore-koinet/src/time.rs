//! Moments as KOI-net writes them.
//!
//! A receiver prints every moment anew before it checks a signature, so there is
//! one right spelling: no fraction or six digits, and `Z` for UTC. Other zones
//! and moments without one keep theirs.

use std::fmt;

use jiff::civil::DateTime;
use jiff::fmt::temporal::Pieces;
use jiff::tz::Offset;
use jiff::{Timestamp, Unit};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A moment with the zone it was written in, to the microsecond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WireTime {
    local: DateTime,
    zone: Zone,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Zone {
    Utc,
    Offset(Offset),
    /// Written without a zone; read as UTC where an instant is needed.
    Missing,
}

/// A text that is no moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not a date with a time")]
pub struct BadTime;

impl WireTime {
    /// Reads ISO 8601.
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

    /// Reads seconds since 1970.
    fn from_seconds(seconds: f64) -> Result<Self, BadTime> {
        let micros = (seconds * 1e6).round();
        if !(micros.is_finite() && micros.abs() < 1e18) {
            return Err(BadTime);
        }
        #[expect(clippy::cast_possible_truncation, reason = "a whole number below 1e18")]
        let instant = Timestamp::from_microsecond(micros as i64).map_err(|_| BadTime)?;
        Ok(instant.into())
    }

    /// The moment itself.
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
        deserializer.deserialize_any(Either)
    }
}

struct Either;

impl de::Visitor<'_> for Either {
    type Value = WireTime;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a date with a time, or seconds since 1970")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<WireTime, E> {
        WireTime::parse(text).map_err(E::custom)
    }

    #[expect(clippy::cast_precision_loss, reason = "moments are far below 2^53 seconds")]
    fn visit_i64<E: de::Error>(self, seconds: i64) -> Result<WireTime, E> {
        WireTime::from_seconds(seconds as f64).map_err(E::custom)
    }

    #[expect(clippy::cast_precision_loss, reason = "moments are far below 2^53 seconds")]
    fn visit_u64<E: de::Error>(self, seconds: u64) -> Result<WireTime, E> {
        WireTime::from_seconds(seconds as f64).map_err(E::custom)
    }

    fn visit_f64<E: de::Error>(self, seconds: f64) -> Result<WireTime, E> {
        WireTime::from_seconds(seconds).map_err(E::custom)
    }
}

/// Finer parts are cut off, not rounded, as Python does.
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
            (r#""2026-01-02T03:04:05Z""#, "2026-01-02T03:04:05Z"),
            (r#""2026-01-02T03:04:05+00:00""#, "2026-01-02T03:04:05Z"),
            (r#""2026-01-02T03:04:05.1Z""#, "2026-01-02T03:04:05.100000Z"),
            (r#""2026-01-02T03:04:05.123456789Z""#, "2026-01-02T03:04:05.123456Z"),
            (r#""2026-01-02T03:04:05""#, "2026-01-02T03:04:05"),
            (r#""2026-01-02T04:04:05+01:00""#, "2026-01-02T04:04:05+01:00"),
            (r#""2026-01-02T04:04:05-03:30""#, "2026-01-02T04:04:05-03:30"),
            ("1767323045", "2026-01-02T03:04:05Z"),
            ("1767323045.12", "2026-01-02T03:04:05.120000Z"),
        ];
        for (sent, shown) in cases {
            let time: WireTime = serde_json::from_str(sent).unwrap();
            assert_eq!(time.to_string(), shown, "{sent}");
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
        for bad in [r#""""#, r#""yesterday""#, r#""2026-01-02""#, "1e300", "null", "[]"] {
            assert!(serde_json::from_str::<WireTime>(bad).is_err(), "{bad}");
        }
    }
}
