//! Times in texts and questions.
//!
//! No clock: "last week" is a time expression, but nothing here says which week.

mod asked;
mod calendar;
mod expression;
mod prefix;

pub use asked::{AskedDate, asked_dates};
pub use expression::{asks_for_time, tells_time};
pub use prefix::{Plain, Prefix, chat_prefix};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// The day of a moment, in UTC.
pub fn date_of(at: Timestamp) -> Date {
    at.to_zoned(TimeZone::UTC).date()
}
