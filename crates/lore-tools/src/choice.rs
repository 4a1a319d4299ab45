//! Wire enumerations: one list of words, parsed case-insensitively.

/// Declares an enumeration. Its words are listed in the schema, serialised exactly as declared, and
/// parsed in any case and with surrounding blanks.
macro_rules! choice {
    ($(#[$doc:meta])* $vis:vis enum $name:ident { $($variant:ident = $word:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $vis enum $name { $($variant),+ }

        impl $name {
            /// Every word, in the order of the variants.
            $vis const WORDS: &'static [&'static str] = &[$($word),+];

            /// The word for this value.
            $vis fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }
        }

        impl serde::Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, to: S) -> std::result::Result<S::Ok, S::Error> {
                to.serialize_str(self.as_str())
            }
        }

        impl<'de> serde::Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
                let text = <std::borrow::Cow<'de, str>>::deserialize(from)?;
                $(if text.trim().eq_ignore_ascii_case($word) { return Ok(Self::$variant); })+
                let known = Self::WORDS.join(", ");
                Err(serde::de::Error::custom(format!("{text:?} is unknown, use one of {known}")))
            }
        }

        impl schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                schemars::json_schema!({ "type": "string", "enum": Self::WORDS })
            }
        }
    };
}

pub(crate) use choice;

#[cfg(test)]
mod tests {
    choice! {
        enum Sample { Human = "HUMAN", Ai = "AI" }
    }

    #[test]
    fn words_are_read_in_any_case_and_written_as_declared() {
        for text in ["\"HUMAN\"", "\"human\"", "\" Human \""] {
            assert_eq!(serde_json::from_str::<Sample>(text).unwrap(), Sample::Human);
        }
        assert_eq!(serde_json::to_string(&Sample::Ai).unwrap(), "\"AI\"");
        let error = serde_json::from_str::<Sample>("\"robot\"").unwrap_err().to_string();
        assert!(error.contains("robot") && error.contains("HUMAN, AI"), "{error}");
    }
}
