//! Checked names: what a user may call a thing, and how two names compare.

use std::fmt;

use crate::error::{Error, Result};

/// Longest name of a world, node, tag or alias, in characters.
pub const NAME_MAX: usize = 200;

/// Trims `text` and checks that it can serve as a name.
///
/// `field` is what the caller calls this input, so that the error can say it.
pub fn checked_name(field: &str, text: &str) -> Result<String> {
    let name = text.trim();
    if name.is_empty() {
        return Err(Error::invalid(field, "is empty", "give it a name of at least one character"));
    }
    if name.chars().count() > NAME_MAX {
        return Err(Error::invalid(
            field,
            format!("is longer than {NAME_MAX} characters"),
            "shorten the name and put the rest into the text",
        ));
    }
    if name.chars().any(char::is_control) {
        return Err(Error::invalid(field, "has control characters", "remove them"));
    }
    Ok(name.to_owned())
}

/// Checks that a text is at most `max` characters long.
pub fn checked_length(field: &str, text: &str, max: usize) -> Result<()> {
    if text.chars().count() > max {
        let problem = format!("is longer than {max} characters");
        return Err(Error::invalid(field, problem, "shorten it"));
    }
    Ok(())
}

/// The form in which two names are compared: case does not count.
pub fn name_key(name: &str) -> String {
    name.trim().to_lowercase()
}

/// A lower-case word naming a kind: `character`, `mentions`, `entry`.
///
/// Kinds are open, because five contracts bring their own; this only keeps them
/// in one spelling, so that they can stand in URIs and queries unquoted.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Word(String);

impl Word {
    /// Checks `text`: 1 to 64 characters of `a-z 0-9 _ - .`, a letter first.
    pub fn new(field: &str, text: &str) -> Result<Self> {
        let good = text.len() <= 64
            && text.starts_with(|c: char| c.is_ascii_lowercase())
            && text.chars().all(|c| matches!(c, 'a'..='z' | '0'..='9' | '_' | '-' | '.'));
        if good {
            return Ok(Self(text.to_owned()));
        }
        Err(Error::invalid(
            field,
            "is not a lower-case word",
            "use 1 to 64 characters of a-z, 0-9, '_', '-' and '.', a letter first",
        ))
    }

    /// The word as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Word {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_trimmed_and_bounded() {
        assert_eq!(checked_name("name", "  Aelysh ").unwrap(), "Aelysh");
        assert!(checked_name("name", " \t").is_err());
        assert!(checked_name("name", "a\u{0}b").is_err());
        assert!(checked_name("name", &"x".repeat(NAME_MAX + 1)).is_err());
    }

    #[test]
    fn words_have_one_spelling() {
        assert!(Word::new("kind", "character").is_ok());
        for bad in ["", "Character", "1st", "two words", &"k".repeat(65)] {
            assert!(Word::new("kind", bad).is_err(), "{bad}");
        }
    }
}
