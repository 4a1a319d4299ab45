//! Parses timestamps in the forms that clients send.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use lore_core::{Error, Result, Timestamp};

/// Parses a timestamp with an offset, one without (taken as UTC), or a date alone.
pub fn moment(field: &str, text: &str) -> Result<Timestamp> {
    let text = text.trim();
    let whole = text.parse::<Timestamp>().ok();
    let naive = || text.parse::<DateTime>().ok().and_then(at_utc);
    let day = || text.parse::<Date>().ok().map(|day| day.at(0, 0, 0, 0)).and_then(at_utc);
    whole.or_else(naive).or_else(day).ok_or_else(|| {
        Error::invalid(field, "is not a moment", "write it like 2025-05-30T18:00:00Z")
    })
}

fn at_utc(moment: DateTime) -> Option<Timestamp> {
    moment.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_read_in_every_form_clients_send() {
        let wanted: Timestamp = "2025-05-30T00:00:00Z".parse().unwrap();
        for text in [
            "2025-05-30T00:00:00Z",
            "2025-05-30T00:00:00.000000Z",
            "2025-05-30T00:00:00+00:00",
            "2025-05-30T02:00:00+02:00",
            "2025-05-30T00:00:00",
            "2025-05-30 00:00:00",
            " 2025-05-30 ",
        ] {
            assert_eq!(moment("last_synced", text).unwrap(), wanted, "{text}");
        }
        for text in ["", "yesterday", "2025-13-01", "1748563200"] {
            assert!(moment("last_synced", text).is_err(), "{text}");
        }
    }
}
