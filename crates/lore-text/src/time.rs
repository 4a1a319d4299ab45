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
