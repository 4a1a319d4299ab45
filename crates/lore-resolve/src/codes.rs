//! Model numbers and article codes in names.

use crate::words;

/// Shorter strings are not codes.
const LEAST: usize = 4;

/// Strings that identify one particular thing: at least four characters with letters and at least
/// two digits, or at least five digits, which rules out years. Dashes, slashes and dots inside are
/// ignored: "PS-LX350H" is "PSLX350H".
pub(crate) fn codes(text: &str) -> Vec<String> {
    text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '(' | ')' | '[' | ']' | '"'))
        .map(|run| run.chars().filter(char::is_ascii_alphanumeric).collect::<String>())
        .map(|run| run.to_ascii_lowercase())
        .filter(|run| is_code(run))
        .collect()
}

/// A code that both names contain, or that one contains with a suffix of letters. Of several, an
/// exact match counts first, then the longest.
pub(crate) fn shared_code(asked: &[String], known: &[String]) -> Option<String> {
    let fits = |one: &str, other: &str| {
        let suffix = other.strip_prefix(one);
        let letters = suffix.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()));
        one.len() >= LEAST && letters
    };
    let alike = |code: &&String| known.iter().any(|other| fits(code, other) || fits(other, code));
    let shared = asked.iter().filter(|code| known.contains(code) || alike(code));
    shared.max_by_key(|code| (known.contains(code), code.len())).cloned()
}

fn is_code(run: &str) -> bool {
    let digits = run.bytes().filter(u8::is_ascii_digit).count();
    let letters = run.len() - digits;
    let mixed = digits >= 2 && letters >= 1 && run.len() >= LEAST;
    let ordinal = letters == 2 && words::is_ordinal(run);
    (mixed && !ordinal && !is_measure(run)) || (letters == 0 && digits >= 5)
}

/// Whether a string is a measure, which many things share: 60gb, 1080p, 85mm.
fn is_measure(run: &str) -> bool {
    let unit = run.trim_start_matches(|c: char| c.is_ascii_digit());
    let amount = run.len() - unit.len();
    (1..=4).contains(&amount)
        && (1..=3).contains(&unit.len())
        && unit.bytes().all(|byte| byte.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::{codes, shared_code};

    #[test]
    fn codes_are_letters_with_digits_or_long_numbers() {
        assert_eq!(codes("Sony PS-LX350H turntable"), ["pslx350h"]);
        assert_eq!(codes("Netgear FS105NA (77283)"), ["fs105na", "77283"]);
        assert!(codes("Windows 2007 3rd 21st edition v2 1080p 160GB 85mm").is_empty());
    }

    #[test]
    fn of_several_shared_codes_the_one_that_agrees_most_counts() {
        let shared = |one: &str, other: &str| shared_code(&codes(one), &codes(other));
        let mouse = "Logitech V470 mouse 910-000692";
        assert_eq!(shared(mouse, "V470 910000692").as_deref(), Some("910000692"));
        assert_eq!(shared("DSLRA350 A350K", "DSLR-A350K A350K").as_deref(), Some("a350k"));
        assert_eq!(shared("FS105", "FS105NA").as_deref(), Some("fs105"));
        assert_eq!(shared("FS105", "FS1051"), None);
    }
}
