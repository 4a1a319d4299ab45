//! Lists whose items succeed and fail individually.

use std::borrow::Cow;

use lore_app::pages::Scribe;
use lore_core::{Error, Result, texts};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::wire::scribe;
use crate::call::Call;
use crate::schema;
use crate::toolsets::page_id::{PageId, number_in};

/// The maximum number of items per call.
const MOST: usize = 200;

/// An item of a list. Items are checked and parsed individually, so that an invalid item does not
/// fail the call.
pub(super) enum Each<T> {
    /// The parsed item.
    Good(T),
    /// An item that was refused, as given, and the error.
    Bad(Value, Error),
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Each<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        let given = Value::deserialize(from)?;
        let read = match &given {
            Value::Object(fields) => {
                texts::check_fields(fields).and_then(|()| schema::parse(fields.clone()))
            }
            _ => Err(Error::invalid("item", "is not an object", "see the tool's input schema")),
        };
        Ok(match read {
            Ok(item) => Self::Good(item),
            Err(error) => Self::Bad(given, error),
        })
    }
}

impl<T: JsonSchema> JsonSchema for Each<T> {
    fn inline_schema() -> bool {
        T::inline_schema()
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// The work for one item, which succeeds or fails on its own.
pub(super) trait Job: Sized + Send {
    /// The result row of an item.
    type Row: Send;

    /// Does the work.
    fn run(self, scribe: &Scribe) -> impl Future<Output = Self::Row> + Send;

    /// Returns the row of an item that could not be parsed.
    fn unread(given: &Value, error: &Error) -> Self::Row;
}

/// Processes the items of a call one after the other. Returns one row per item, in the same order.
pub(super) async fn work<J: Job>(
    call: &Call,
    tool: &'static str,
    field: &str,
    items: Vec<Each<J>>,
) -> Result<Vec<J::Row>> {
    check_count(field, items.len())?;
    let scribe = scribe(call, tool);
    let mut rows = Vec::with_capacity(items.len());
    for item in items {
        call.check_cancelled()?;
        rows.push(match item {
            Each::Good(job) => job.run(&scribe).await,
            Each::Bad(given, error) => J::unread(&given, &error),
        });
    }
    Ok(rows)
}

/// Returns the number in a field of an item that could not be parsed.
pub(super) fn number_in_field(item: &Value, field: &str) -> Option<i64> {
    number_in(item.get(field)?)
}

/// Finds the number of the entity that an item is about.
pub(super) async fn entity(scribe: &Scribe, id: &PageId) -> Result<i64> {
    id.find(&scribe.app, &scribe.viewer, "entity_id").await
}

/// Returns the number of a post. Posts are always identified by number; other doors do not show
/// them under other ids.
pub(super) fn post(id: &PageId) -> Result<i64> {
    id.written().ok_or_else(|| {
        let hint = "use a number from get_entities with include_posts";
        Error::invalid("post_id", format!("is {id}, which is not a number"), hint)
    })
}

/// Fails if there are more items than one call may have.
pub(super) fn check_count(field: &str, count: usize) -> Result<()> {
    if count <= MOST {
        return Ok(());
    }
    Err(Error::TooLarge { what: field.to_owned(), limit: format!("{MOST} items") })
}

/// Words an error for a result row. Because other items of the same call may have succeeded, the
/// hint must not suggest repeating the whole call.
pub(super) fn in_words(error: &Error) -> String {
    let hint = match error {
        Error::Throttled { retry_after, .. } => {
            let seconds = retry_after.as_secs().max(1);
            format!("wait {seconds} s, then send the items that failed again, and only those")
        }
        other => other.hint(),
    };
    format!("{error}; {hint}")
}
