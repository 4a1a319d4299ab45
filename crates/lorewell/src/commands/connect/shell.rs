//! Quotes words for a shell and encodes text for a URL.

use std::fmt::Write;

use super::machine::Os;

/// Builds a command line that a shell splits into exactly these words.
pub(super) fn line<'a>(os: Os, words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().map(|word| quoted(os, word)).collect::<Vec<_>>().join(" ")
}

/// Percent-encodes a text for the query of a URL.
pub(super) fn percent(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            write!(encoded, "%{byte:02X}").ok();
        }
    }
    encoded
}

fn quoted(os: Os, word: &str) -> String {
    let plain = |c: char| {
        c.is_ascii_alphanumeric() || "-_=:,./@".contains(c) || (os == Os::Windows && c == '\\')
    };
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    match os {
        Os::Linux | Os::Mac => format!("'{}'", word.replace('\'', r"'\''")),
        Os::Windows => windows(word),
    }
}

/// Quotes a word for Windows, where programs split their command line themselves: backslashes are
/// special only in front of a quote, and are doubled there.
fn windows(word: &str) -> String {
    let mut quoted = String::from("\"");
    let mut slashes = 0;
    for c in word.chars() {
        match c {
            '\\' => slashes += 1,
            '"' => {
                quoted.push_str(&"\\".repeat(slashes + 1));
                slashes = 0;
            }
            _ => slashes = 0,
        }
        quoted.push(c);
    }
    quoted.push_str(&"\\".repeat(slashes));
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unix_words_are_quoted_when_they_must_be() {
        let words = ["a-b_c", "", "a b", "it's", "$HOME", r"a\b"];
        assert_eq!(line(Os::Linux, words), r"a-b_c '' 'a b' 'it'\''s' '$HOME' 'a\b'");
    }

    #[test]
    #[cfg(unix)]
    fn a_unix_shell_reads_the_words_back() {
        let word = "a 'b' \"c\" $d `e` \\ !f *";
        let script = line(Os::Linux, ["printf", "%s", word]);
        let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), word);
    }

    #[test]
    fn windows_words_are_quoted_when_they_must_be() {
        let words = [r"C:\x.exe", r"C:\a b\", r#"{"a":"b\"}"#];
        assert_eq!(line(Os::Windows, words), r#"C:\x.exe "C:\a b\\" "{\"a\":\"b\\\"}""#);
    }

    #[test]
    fn links_hold_no_raw_characters() {
        assert_eq!(percent(r#"{"a b":"+/=ä"}"#), "%7B%22a%20b%22%3A%22%2B%2F%3D%C3%A4%22%7D");
    }
}
