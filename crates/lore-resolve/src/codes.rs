//! Codes of models and articles in names.

use crate::words;

/// Runs of letters and digits that name one thing of many: at least four
/// characters of both sorts, or five digits, which no year has. Inner dashes,
/// slashes and dots do not count: "PS-LX350H" is "PSLX350H".
pub(crate) fn codes(text: &str) -> Vec<String> {
    text.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '(' | ')' | '[' | ']' | '"'))
        .map(|run| run.chars().filter(char::is_ascii_alphanumeric).collect::<String>())
        .map(|run| run.to_ascii_lowercase())
        .filter(|run| is_code(run))
        .collect()
}

fn is_code(run: &str) -> bool {
    let digits = run.bytes().filter(u8::is_ascii_digit).count();
    let letters = run.len() - digits;
    let mixed = digits >= 2 && letters >= 1 && run.len() >= 4;
    let ordinal = letters == 2 && words::is_ordinal(run);
    (mixed && !ordinal) || (letters == 0 && digits >= 5)
}

#[cfg(test)]
mod tests {
    use super::codes;

    #[test]
    fn codes_are_letters_with_digits_or_long_numbers() {
        assert_eq!(codes("Sony PS-LX350H turntable"), ["pslx350h"]);
        assert_eq!(codes("Netgear FS105NA (77283)"), ["fs105na", "77283"]);
        assert!(codes("Windows 2007 3rd 21st edition v2").is_empty());
    }
}
