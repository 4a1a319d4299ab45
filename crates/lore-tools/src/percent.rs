//! Percent-encoding in URLs and URIs.

/// Decodes percent-encoding into bytes. A percent sign without two hex digits stands for itself.
pub fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let (byte, after) = escape(rest).unwrap_or((*first, after));
        bytes.push(byte);
        rest = after;
    }
    bytes
}

/// Decodes a text whose percent signs all begin an escape; `None` if one does not, or if the result
/// is not UTF-8.
pub(crate) fn decoded(text: &str) -> Option<String> {
    let mut signs = text.match_indices('%');
    let is_whole = signs.all(|(at, _)| text.as_bytes().get(at..).and_then(escape).is_some());
    is_whole.then(|| String::from_utf8(unescaped(text)).ok())?
}

/// The byte of the escape at the beginning, and what comes after it.
fn escape(text: &[u8]) -> Option<(u8, &[u8])> {
    let [b'%', high, low, after @ ..] = text else { return None };
    Some(((digit(*high)? << 4) | digit(*low)?, after))
}

fn digit(letter: u8) -> Option<u8> {
    char::from(letter).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_decoded_and_broken_ones_stay_or_are_refused() {
        assert_eq!(unescaped("My%20Isle%2f"), b"My Isle/");
        assert_eq!(decoded("%C3%84sche").as_deref(), Some("\u{c4}sche"));
        for broken in ["%", "%2", "%zz", "%+f", "100%"] {
            assert_eq!((unescaped(broken), decoded(broken)), (broken.into(), None), "{broken}");
        }
        assert_eq!(decoded("%ff"), None);
    }
}
