//! Dates and times in texts and questions.
//!
//! There is no clock here: what "last week" means depends on the day that the caller passes.

mod asked;
mod calendar;
mod digits;
mod expression;
mod prefix;
mod relative;
mod spans;

pub use asked::{Mention, Reading, asked_dates, respelt};
pub use calendar::{day, is_date_word, month, names_time};
pub use expression::{asks_for_time, tells_time};
pub use prefix::{Plain, Prefix, chat_prefix};
pub use relative::{Relative, relative_dates};

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// The date of a timestamp, in UTC.
pub fn date_of(at: Timestamp) -> Date {
    at.to_zoned(TimeZone::UTC).date()
}
