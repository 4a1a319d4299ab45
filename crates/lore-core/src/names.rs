//! Validating and comparing names. What a text may not contain is in `texts.rs`.

use std::fmt;

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

use crate::error::{Error, Result};

/// Longest name of a world, node, tag or alias, in characters.
pub const NAME_MAX: usize = 200;

/// Validates a name: trims `text`, turns all its whitespace into plain spaces and checks that it
/// can serve as a name.
///
/// `field` is the caller's name for this input, used in the error.
pub fn checked_name(field: &str, text: &str) -> Result<String> {
    let spaced = plainly_spaced(text);
    let name = spaced.trim();
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
    if let Some(unseen) = unseen(name).next() {
        let problem = format!(
            "has U+{:04X}, a character that cannot be seen or turns text around",
            u32::from(unseen)
        );
        return Err(Error::invalid(field, problem, "remove it: two names must not look alike"));
    }
    if let Some(shapeless) = name.chars().find(|letter| is_shapeless(*letter)) {
        let problem = format!("has U+{:04X}, which stands for no character", u32::from(shapeless));
        return Err(Error::invalid(field, problem, "remove it: everybody would see another thing"));
    }
    Ok(name.to_owned())
}

/// Whether a name contains invisible characters or such that change the text direction.
pub fn has_unseen(name: &str) -> bool {
    name.contains(char::is_control) || unseen(name).next().is_some()
}

/// Whether a name contains code points without a character, or whitespace other than spaces.
pub fn is_odd(name: &str) -> bool {
    name.contains(is_shapeless) || plainly_spaced(name) != name
}

/// An imported name without everything that [`checked_name`] would reject, because nobody can be
/// asked to correct it.
pub fn cleaned(text: &str) -> String {
    let seen = without_unseen(text).replace(char::is_control, " ");
    plainly_spaced(&seen).replace(is_shapeless, "").trim().to_owned()
}

/// A name with all whitespace replaced by plain spaces. No-break, narrow, wide and foreign spaces
/// look like a space, but nobody types them when searching for the name.
pub fn plainly_spaced(name: &str) -> String {
    let is_blank = |letter: char| match letter {
        // Line and paragraph separators are handled by [`is_unseen`], because no name has several
        // lines.
        '\u{2028}' | '\u{2029}' => false,
        // The Braille pattern without dots looks like a space.
        '\u{2800}' => true,
        _ => letter.is_whitespace() && !letter.is_control(),
    };
    name.replace(is_blank, " ")
}

/// A text without invisible characters or such that change the text direction.
pub fn without_unseen(text: &str) -> String {
    let mut before = None;
    let mut letters = text.chars().peekable();
    let mut clean = String::with_capacity(text.len());
    while let Some(letter) = letters.next() {
        if is_unseen(before, letter, letters.peek().copied()) {
            continue;
        }
        before = Some(letter);
        clean.push(letter);
    }
    clean
}

/// The characters of a name that are invisible or change the text direction.
fn unseen(name: &str) -> impl Iterator<Item = char> {
    let before = std::iter::once(None).chain(name.chars().map(Some));
    let after = name.chars().skip(1).map(Some).chain([None]);
    let letters = before.zip(name.chars()).zip(after);
    letters
        .filter(|((before, letter), after)| is_unseen(*before, *letter, *after))
        .map(|((_, letter), _)| letter)
}

/// Whether a character can be invisible, even if it has a function in some contexts.
pub fn may_be_unseen(letter: char) -> bool {
    is_unseen(None, letter, None)
}

/// Whether a character is invisible in its context, or changes the text direction. Some are
/// legitimate: joiners in some scripts and in emoji, variation selectors after the character whose
/// form they select, and tags in flags of regions.
fn is_unseen(before: Option<char>, letter: char, after: Option<char>) -> bool {
    let code = u32::from(letter);
    match code {
        0x200C | 0x200D => !joins(before, after),
        0xFE00..=0xFE0F => !before.is_some_and(is_formed),
        0xE0100..=0xE01EF => !before.is_some_and(is_ideograph),
        0xE0020..=0xE007F => {
            !before.is_some_and(|c| matches!(u32::from(c), 0x1F3F4 | 0xE0020..=0xE007E))
        }
        0xAD | 0x34F | 0x61C | 0x115F | 0x1160 | 0x17B4 | 0x17B5 | 0x180E => true,
        0x200B..=0x200F | 0x2028..=0x202E | 0x2060..=0x206F => true,
        0x3164 | 0xFEFF | 0xFFA0 | 0xFFF9..=0xFFFB => true,
        0x1BCA0..=0x1BCA3 | 0x1D159 | 0x1D173..=0x1D17A | 0xE0000..=0xE001F => true,
        _ => false,
    }
}

/// Whether a code point stands for no character: private use, unassigned, a noncharacter, or the
/// replacement character.
fn is_shapeless(letter: char) -> bool {
    let none = [GeneralCategory::PrivateUse, GeneralCategory::Unassigned];
    let is_none = |letter: char| none.contains(&letter.general_category());
    !letter.is_ascii() && (letter == char::REPLACEMENT_CHARACTER || is_none(letter))
}

/// Whether a joiner between these characters has an effect. Latin, Greek and Cyrillic letters have
/// no joined forms; Indic ones may have a joiner at the end.
fn joins(before: Option<char>, after: Option<char>) -> bool {
    let takes_part = |c: char| u32::from(c) >= 0x590 && !is_unseen(None, c, None);
    let selected = |c: char| matches!(u32::from(c), 0xFE0F);
    let indic = |c: char| matches!(u32::from(c), 0x900..=0xDFF);
    before.is_some_and(|c| takes_part(c) || selected(c))
        && (after.is_some_and(takes_part) || before.is_some_and(indic))
}

/// Whether a character can be followed by a variation selector. Latin, Greek and Cyrillic letters
/// have no variants.
fn is_formed(c: char) -> bool {
    let code = u32::from(c);
    let is_plain = c.is_alphabetic() && code < 0x590;
    !c.is_whitespace() && !is_plain && !matches!(code, 0xFE00..=0xFE0F | 0xE0100..=0xE01EF)
}

/// Whether a character belongs to a script with ideographic variants.
fn is_ideograph(c: char) -> bool {
    matches!(u32::from(c), 0x2E80..=0xDFFF | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF)
}

/// Checks that a text is at most `max` characters long.
pub fn checked_length(field: &str, text: &str, max: usize) -> Result<()> {
    if text.chars().count() > max {
        let problem = format!("is longer than {max} characters");
        return Err(Error::invalid(field, problem, "shorten it"));
    }
    Ok(())
}

/// The form in which two names are compared: trimmed and in lower case.
pub fn name_key(name: &str) -> String {
    name.trim().to_lowercase()
}

/// Whether two names are the same when compared.
pub fn is_same_name(one: &str, other: &str) -> bool {
    name_key(one) == name_key(other)
}

/// A lower-case word that names a kind: `character`, `mentions`, `entry`.
///
/// Kinds are open, because the five toolsets bring their own. This type only ensures one spelling,
/// so that kinds can be used in URIs and queries without quoting.
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
    fn what_cannot_be_seen_is_refused_in_names_and_taken_from_those_of_others() {
        for (bad, clean) in [
            ("Ada\u{202e}xe.", "Adaxe."),
            ("\u{2066}Ada\u{2069}", "Ada"),
            ("Ad\u{200b}a", "Ada"),
            ("Ad\u{200d}a", "Ada"),
            ("Ад\u{200c}а", "Ада"),
            ("Ada\u{200d}", "Ada"),
            ("\u{feff}Ada\u{ad}", "Ada"),
            ("Ada\u{fe0f}\u{fe0f}", "Ada"),
            ("Ad\u{e0101}a", "Ada"),
            ("❤\u{fe0f}\u{fe0f}", "❤\u{fe0f}"),
            ("A\u{e0061}da", "Ada"),
            ("Ada\tHolt", "Ada Holt"),
        ] {
            let refused = checked_name("name", bad).unwrap_err();
            assert!(refused.to_string().starts_with("name has "), "{refused}");
            assert_eq!(cleaned(bad), clean);
            assert_eq!(checked_name("name", clean).unwrap(), clean);
        }
    }

    #[test]
    fn blanks_of_names_are_spaces() {
        for blank in ["\u{a0}", "\u{2009}", "\u{202f}", "\u{3000}", "\u{2800}"] {
            let name = format!("{blank}Ada{blank}Holt{blank}");
            assert_eq!(checked_name("name", &name).unwrap(), "Ada Holt");
            assert_eq!(cleaned(&name), "Ada Holt");
            assert!(checked_name("name", blank).unwrap_err().to_string().contains("empty"));
            assert_eq!(without_unseen(&name), name, "texts keep theirs");
        }
    }

    #[test]
    fn codes_of_no_character_are_refused_in_names_and_taken_from_those_of_others() {
        for code in
            ["\u{e000}", "\u{fffd}", "\u{f0000}", "\u{fffe}", "\u{1ffff}", "\u{fdd0}", "\u{378}"]
        {
            let refused = checked_name("title", &format!("Ada{code}")).unwrap_err().to_string();
            assert!(refused.starts_with("title has U+"), "{refused}");
            assert_eq!(cleaned(&format!("A{code}da")), "Ada");
            assert_eq!(without_unseen(code), code, "texts keep theirs");
        }
    }

    #[test]
    fn scripts_and_emoji_keep_what_they_need() {
        for good in [
            "می\u{200c}خواهم",
            "ශ්\u{200d}රී",
            "👩\u{200d}🚀",
            "🏳\u{fe0f}\u{200d}🌈",
            "❤\u{fe0f}",
            "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
            "葛\u{e0100}",
            "שלום",
        ] {
            assert_eq!(checked_name("name", good).unwrap(), good);
            assert_eq!(cleaned(good), good);
        }
    }

    #[test]
    fn words_have_one_spelling() {
        assert!(Word::new("kind", "character").is_ok());
        for bad in ["", "Character", "1st", "two words", &"k".repeat(65)] {
            assert!(Word::new("kind", bad).is_err(), "{bad}");
        }
    }
}
