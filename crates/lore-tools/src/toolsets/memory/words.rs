//! Arguments with a fixed set of values. The schema lists the values, but any text is parsed, so
//! that the error for another value can be worded as the contract prescribes.

use std::borrow::Cow;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize, Serializer};

/// The values of an argument.
pub(super) trait Words {
    const WORDS: &'static [&'static str];
}

/// The text of an argument whose values are `W`.
#[derive(Debug, Clone)]
pub(super) struct Spelled<W> {
    given: String,
    lower: String,
    words: PhantomData<W>,
}

impl<W> Spelled<W> {
    /// Returns the text as given, trimmed.
    pub(super) fn given(&self) -> &str {
        &self.given
    }

    /// Returns the text in lower case, for comparison with the values.
    pub(super) fn word(&self) -> &str {
        &self.lower
    }
}

/// Returns the text of an optional argument.
pub(super) fn given<W>(argument: Option<Spelled<W>>) -> Option<String> {
    argument.map(|spelled| spelled.given)
}

impl<'de, W> Deserialize<'de> for Spelled<W> {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = <Cow<'de, str>>::deserialize(from)?;
        let given = text.trim().to_owned();
        Ok(Self { lower: given.to_lowercase(), given, words: PhantomData })
    }
}

impl<W> Serialize for Spelled<W> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.given)
    }
}

impl<W: Words> JsonSchema for Spelled<W> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Spelled".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "enum": W::WORDS })
    }
}

/// The types of experiences.
pub(super) struct ExperienceTypes;

impl Words for ExperienceTypes {
    const WORDS: &'static [&'static str] =
        &["solution", "pattern", "decision", "workaround", "gotcha"];
}

/// The levels of confidence.
pub(super) struct Confidences;

impl Words for Confidences {
    const WORDS: &'static [&'static str] = &["high", "medium", "low"];
}

/// The levels of detail.
pub(super) struct Details;

impl Words for Details {
    const WORDS: &'static [&'static str] = &["summary", "full"];
}

/// Who may see what is stored.
pub(super) struct Sharings;

impl Words for Sharings {
    const WORDS: &'static [&'static str] = &["workspace", "private", "shared"];
}

#[cfg(test)]
mod tests {
    use super::*;
    use lore_rules::memory::decay::{Confidence, ExperienceType};

    #[test]
    fn the_words_are_those_of_the_rules() {
        assert_eq!(ExperienceTypes::WORDS, ExperienceType::ALL.map(ExperienceType::as_str));
        assert_eq!(Confidences::WORDS, Confidence::ALL.map(Confidence::as_str));
    }

    #[test]
    fn any_text_is_read() {
        let read: Spelled<Details> = serde_json::from_str("\" FULL \"").unwrap();
        assert_eq!((read.word(), read.given()), ("full", "FULL"));
    }
}
