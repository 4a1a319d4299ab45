//! Repairs unpaired UTF-16 surrogates in JSON.
//!
//! Programs that cut texts by UTF-16 units sometimes send half of a surrogate pair: an escape such
//! as `\ud83d` without its other half. A JSON parser would reject the whole message because of it.
//! This module replaces such an escape with U+FFFD, the replacement character.

use bytes::Bytes;

/// Length in bytes of an escape such as `\ud83d`.
const ESCAPE: usize = 6;

/// Returns the message with unpaired surrogates replaced. Most messages have none and are returned
/// unchanged.
pub(crate) fn whole(message: Bytes) -> Bytes {
    let halves = halves(&message);
    if halves.is_empty() {
        return message;
    }
    let mut mended = message.to_vec();
    for at in halves {
        if let Some(escape) = mended.get_mut(at..at + ESCAPE) {
            escape.copy_from_slice(br"\ufffd");
        }
    }
    Bytes::from(mended)
}

/// The positions of escapes that are unpaired surrogates.
fn halves(message: &[u8]) -> Vec<usize> {
    let mut found = Vec::new();
    let mut at = 0;
    let next = |from: usize| message.get(from..)?.iter().position(|byte| *byte == b'\\');
    while let Some(before) = next(at) {
        at += before;
        at += match unit(message, at) {
            Some(0xD800..=0xDBFF) if is_second_half(message, at + ESCAPE) => 2 * ESCAPE,
            Some(0xD800..=0xDFFF) => {
                found.push(at);
                ESCAPE
            }
            Some(_) => ESCAPE,
            // A backslash and the character it escapes, which may be a backslash as well.
            None => 2,
        };
    }
    found
}

fn is_second_half(message: &[u8], at: usize) -> bool {
    matches!(unit(message, at), Some(0xDC00..=0xDFFF))
}

/// The UTF-16 unit of an escape at this position, if there is one.
fn unit(message: &[u8], at: usize) -> Option<u16> {
    let digits = message.get(at..at + ESCAPE)?.strip_prefix(br"\u")?;
    u16::from_str_radix(str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(message: &'static str, expected: &str) {
        let mended = whole(Bytes::from_static(message.as_bytes()));
        assert_eq!(str::from_utf8(&mended), Ok(expected));
    }

    #[test]
    fn halves_become_the_sign_for_unreadable_letters() {
        check(r#""cut \ud83d""#, r#""cut \ufffd""#);
        check(r#""\uDE00 cut""#, r#""\ufffd cut""#);
        check(r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#);
        check(r#""\ud83dx\ude00""#, r#""\ufffdx\ufffd""#);
    }

    #[test]
    fn whole_letters_and_other_escapes_stay() {
        for message in
            [r#""\ud83d\ude00""#, r#""\\ud83d""#, r#""\u00e9 \n \\""#, r"\", r"\u", r"\ud8", "{}"]
        {
            check(message, message);
        }
    }
}
