//! Prepares input for storage: trims it, checks its length and masks secrets.

use lore_core::names::{self, NAME_MAX};
use lore_core::{Error, Result, texts};
use lore_rules::memory::secrets;

/// The maximum length of a text, in characters.
pub(super) const TEXT_MAX: usize = 100_000;
/// The maximum number of entries in a list, such as tags or goals.
pub(super) const LIST_MAX: usize = 100;

/// The maximum length of a sentence in a list, such as a goal, in characters.
const SENTENCE_MAX: usize = 2_000;

/// Prepares the texts of one call and collects which secrets it masked.
#[derive(Debug, Default)]
pub(super) struct Cleaner {
    /// The kinds of secrets that were masked in each text, once each.
    masked: Vec<&'static str>,
    count: usize,
}

impl Cleaner {
    /// Prepares a long text. It may be empty.
    pub(super) fn text(&mut self, field: &str, given: &str) -> Result<String> {
        let given = given.trim();
        names::checked_length(field, given, TEXT_MAX)?;
        Ok(self.long(given))
    }

    /// Masks the secrets in a text of any length, without trimming it. Hidden characters are removed:
    /// tools refuse them before, so this is a text from elsewhere.
    pub(super) fn long(&mut self, given: &str) -> String {
        let masked = secrets::mask(&texts::cleaned(given), names::may_be_unseen);
        self.count += masked.found.len();
        let before = self.masked.len();
        for kind in masked.found {
            if !self.masked.iter().skip(before).any(|known| *known == kind) {
                self.masked.push(kind);
            }
        }
        masked.text
    }

    /// Prepares an optional long text. A blank one counts as missing.
    pub(super) fn optional(&mut self, field: &str, given: Option<&str>) -> Result<Option<String>> {
        let text = given.map(|given| self.text(field, given)).transpose()?;
        Ok(text.filter(|text| !text.is_empty()))
    }

    /// Prepares a name: a single short line.
    pub(super) fn name(&mut self, field: &str, given: &str) -> Result<String> {
        let line = one_line(&self.text(field, given)?);
        if field != "name" {
            names::checked_length(field, &line, NAME_MAX)?;
        }
        names::checked_name(field, &line)
    }

    /// Prepares an optional label, such as a category or an author. A blank one counts as missing.
    pub(super) fn label(&mut self, field: &str, given: Option<&str>) -> Result<Option<String>> {
        let checked = |text: String| {
            names::checked_length(field, &text, NAME_MAX)?;
            names::checked_name(field, &text)
        };
        self.optional(field, given)?.map(checked).transpose()
    }

    /// Prepares a list of short texts. Removes blank entries and duplicates, which are compared
    /// ignoring case.
    pub(super) fn list(&mut self, field: &str, given: &[String]) -> Result<Vec<String>> {
        let mut list: Vec<String> = Vec::with_capacity(given.len());
        for entry in bounded_list(field, given)?.filter(|entry| !entry.trim().is_empty()) {
            let entry = self.name(field, entry)?;
            if !list.iter().any(|known| names::name_key(known) == names::name_key(&entry)) {
                list.push(entry);
            }
        }
        Ok(list)
    }

    /// Prepares a list of sentences. Removes blank entries and exact duplicates.
    pub(super) fn sentences(&mut self, field: &str, given: &[String]) -> Result<Vec<String>> {
        let mut list: Vec<String> = Vec::with_capacity(given.len());
        for entry in bounded_list(field, given)?.filter(|entry| !entry.trim().is_empty()) {
            names::checked_length(field, entry.trim(), SENTENCE_MAX)?;
            let entry = one_line(&self.text(field, entry)?);
            if !list.contains(&entry) {
                list.push(entry);
            }
        }
        Ok(list)
    }

    /// Returns the number of secrets that were masked.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Returns the kinds of secrets that were masked, each once for every text it was in.
    pub(super) fn masked(self) -> Vec<&'static str> {
        self.masked
    }
}

fn bounded_list<'a>(field: &str, given: &'a [String]) -> Result<std::slice::Iter<'a, String>> {
    if given.len() > LIST_MAX {
        let limit = format!("{LIST_MAX} entries");
        return Err(Error::TooLarge { what: field.to_owned(), limit });
    }
    Ok(given.iter())
}

/// Builds a name from a prefix and the first `letters` characters of a text, on one line.
pub(super) fn name_from(prefix: &str, text: &str, letters: usize) -> String {
    let line = names::cleaned(&one_line(text));
    let cut: String = line.chars().take(letters).collect();
    let name = format!("{prefix}{}", cut.trim_end());
    name.chars().take(NAME_MAX).collect()
}

/// Returns the word with its first letter in upper case.
pub(super) fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn one_line(text: &str) -> String {
    let blank = |c: char| c.is_whitespace() || c.is_control();
    text.split(blank).filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_taken_out_wherever_they_stand_and_reported() {
        let mut cleaner = Cleaner::default();
        assert_eq!(
            cleaner.text("content", " password=hunter22 ").unwrap(),
            "password=[masked password]"
        );
        assert_eq!(cleaner.list("tags", &["token=abcd1234".into(), " ".into()]).unwrap().len(), 1);
        cleaner.text("context", "password=hunter22 and password=hunter33").unwrap();
        assert_eq!(cleaner.count(), 4);
        assert_eq!(cleaner.masked(), ["password", "secret", "password"]);
    }

    #[test]
    fn what_is_no_name_is_not_told_to_be_one() {
        let long = "x".repeat(NAME_MAX + 1);
        let mut cleaner = Cleaner::default();
        for refused in
            [cleaner.name("type", &long), cleaner.label("author", Some(&long)).map(|_| long)]
        {
            assert!(!refused.unwrap_err().hint().contains("name"));
        }
        assert_eq!(cleaner.label("session", Some(" ")).unwrap(), None);
    }

    #[test]
    fn a_name_from_a_text_is_one_short_line() {
        assert_eq!(name_from("Gotcha: ", "never\n\ttrust   dates", 12), "Gotcha: never trust");
        assert!(name_from("", &"x".repeat(500), 500).chars().count() <= NAME_MAX);
    }

    #[test]
    fn lists_lose_blanks_and_repetitions() {
        let mut cleaner = Cleaner::default();
        let given = ["Rust", " rust ", "", "wasm"].map(str::to_owned);
        assert_eq!(cleaner.list("tags", &given).unwrap(), ["Rust", "wasm"]);
    }
}
