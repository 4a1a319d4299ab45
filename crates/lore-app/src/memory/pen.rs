//! What is about to be written, made fit to be kept: trimmed, bounded, without secrets.

use lore_core::names::{self, NAME_MAX};
use lore_core::{Error, Result};
use lore_rules::memory::secrets;

/// Longest text that is kept as one, in characters.
pub(super) const TEXT_MAX: usize = 100_000;
/// Most entries of a list, such as tags or goals.
pub(super) const LIST_MAX: usize = 100;

/// Longest sentence of a list, such as a goal, in characters.
const SENTENCE_MAX: usize = 2_000;

/// Prepares texts of one call and notes which secrets it took out.
#[derive(Debug, Default)]
pub(super) struct Pen {
    masked: Vec<&'static str>,
}

impl Pen {
    /// A long text; empty when there is nothing in it.
    pub(super) fn text(&mut self, field: &str, given: &str) -> Result<String> {
        let given = given.trim();
        names::checked_length(field, given, TEXT_MAX)?;
        Ok(self.long(given))
    }

    /// A text of any length, with the blanks around it.
    pub(super) fn long(&mut self, given: &str) -> String {
        let masked = secrets::mask(given, names::may_be_unseen);
        self.masked.extend(masked.found);
        masked.text
    }

    /// A long text that may be missing; blank counts as missing.
    pub(super) fn optional(&mut self, field: &str, given: Option<&str>) -> Result<Option<String>> {
        let text = given.map(|given| self.text(field, given)).transpose()?;
        Ok(text.filter(|text| !text.is_empty()))
    }

    /// A name: one short line.
    pub(super) fn name(&mut self, field: &str, given: &str) -> Result<String> {
        let line = one_line(&self.text(field, given)?);
        if field != "name" {
            names::checked_length(field, &line, NAME_MAX)?;
        }
        names::checked_name(field, &line)
    }

    /// What something is called besides its name, if it is; blank counts as missing.
    pub(super) fn label(&mut self, field: &str, given: Option<&str>) -> Result<Option<String>> {
        let checked = |text: String| {
            names::checked_length(field, &text, NAME_MAX)?;
            names::checked_name(field, &text)
        };
        self.optional(field, given)?.map(checked).transpose()
    }

    /// A list of short texts without blanks and repetitions.
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

    /// A list of sentences without blanks and repetitions.
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

    /// The kinds of secrets that were taken out.
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

/// A name cut from a text: its beginning on one line.
pub(super) fn name_from(prefix: &str, text: &str, letters: usize) -> String {
    let line = names::cleaned(&one_line(text));
    let cut: String = line.chars().take(letters).collect();
    let name = format!("{prefix}{}", cut.trim_end());
    name.chars().take(NAME_MAX).collect()
}

/// A word with a capital letter.
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
        let mut pen = Pen::default();
        assert_eq!(
            pen.text("content", " password=hunter22 ").unwrap(),
            "password=[masked password]"
        );
        assert_eq!(pen.list("tags", &["token=abcd1234".into(), " ".into()]).unwrap().len(), 1);
        assert_eq!(pen.masked(), ["password", "secret"]);
    }

    #[test]
    fn what_is_no_name_is_not_told_to_be_one() {
        let long = "x".repeat(NAME_MAX + 1);
        let mut pen = Pen::default();
        for refused in [pen.name("type", &long), pen.label("author", Some(&long)).map(|_| long)] {
            assert!(!refused.unwrap_err().hint().contains("name"));
        }
        assert_eq!(pen.label("session", Some(" ")).unwrap(), None);
    }

    #[test]
    fn a_name_from_a_text_is_one_short_line() {
        assert_eq!(name_from("Gotcha: ", "never\n\ttrust   dates", 12), "Gotcha: never trust");
        assert!(name_from("", &"x".repeat(500), 500).chars().count() <= NAME_MAX);
    }

    #[test]
    fn lists_lose_blanks_and_repetitions() {
        let mut pen = Pen::default();
        let given = ["Rust", " rust ", "", "wasm"].map(str::to_owned);
        assert_eq!(pen.list("tags", &given).unwrap(), ["Rust", "wasm"]);
    }
}
