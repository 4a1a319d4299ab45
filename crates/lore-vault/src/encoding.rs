//! How the text of a note is stored in bytes.
//!
//! Notes are written as UTF-8. Other programs also write UTF-16, which can be read as well, and
//! single-byte encodings, which cannot be told apart.

/// How a note is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8.
    Utf8,
    /// UTF-16 in either byte order.
    Utf16,
    /// Something else, or damaged. What could not be read shows as U+FFFD.
    Unknown,
}

/// A note as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decoded {
    /// Its text.
    pub text: String,
    /// How it is stored.
    pub encoding: Encoding,
}

/// A function that reads a character unit of two bytes.
type Unit = fn([u8; 2]) -> u16;

/// Decodes the bytes of a note.
pub(crate) fn decode(bytes: Vec<u8>) -> Decoded {
    if let Some((unit, rest)) = utf16(&bytes) {
        return decode_utf16(unit, rest);
    }
    match String::from_utf8(bytes) {
        Ok(text) => Decoded { text, encoding: Encoding::Utf8 },
        Err(error) => {
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            Decoded { text, encoding: Encoding::Unknown }
        }
    }
}

/// Returns how to read UTF-16 and where it begins. Without a byte order mark it is recognised by
/// the zero in its first character, which no other text has.
fn utf16(bytes: &[u8]) -> Option<(Unit, &[u8])> {
    match bytes {
        // The mark of UTF-32 begins like that of UTF-16.
        [0xff, 0xfe, 0, 0, ..] => None,
        [0xff, 0xfe, rest @ ..] => Some((u16::from_le_bytes, rest)),
        [0xfe, 0xff, rest @ ..] => Some((u16::from_be_bytes, rest)),
        [1..=255, 0, 1..=255, 0, ..] => Some((u16::from_le_bytes, bytes)),
        [0, 1..=255, 0, 1..=255, ..] => Some((u16::from_be_bytes, bytes)),
        _ => None,
    }
}

fn decode_utf16(unit: Unit, bytes: &[u8]) -> Decoded {
    let pairs = bytes.chunks_exact(2);
    let is_cut = !pairs.remainder().is_empty();
    let units: Vec<u16> =
        pairs.filter_map(|pair| <[u8; 2]>::try_from(pair).ok()).map(unit).collect();
    match String::from_utf16(&units) {
        Ok(text) if !is_cut => Decoded { text, encoding: Encoding::Utf16 },
        _ => {
            let mut text = String::from_utf16_lossy(&units);
            text.extend(is_cut.then_some(char::REPLACEMENT_CHARACTER));
            Decoded { text, encoding: Encoding::Unknown }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(unit).collect()
    }

    #[test]
    fn utf16_is_read_with_and_without_a_mark() {
        for unit in [u16::to_le_bytes, u16::to_be_bytes] {
            for text in ["---\na: Östlund 🐉\n---\n", "\u{feff}---\na: 1\n---\n"] {
                let decoded = decode(utf16(text, unit));
                assert_eq!(decoded.encoding, Encoding::Utf16);
                assert_eq!(decoded.text, text.trim_start_matches('\u{feff}'));
            }
        }
    }

    #[test]
    fn what_cannot_be_read_is_marked() {
        let latin1 = decode(b"L\xe4rs".to_vec());
        assert_eq!((latin1.text.as_str(), latin1.encoding), ("L\u{fffd}rs", Encoding::Unknown));
        let mut cut = utf16("\u{feff}Lärs", u16::to_le_bytes);
        cut.push(7);
        let cut = decode(cut);
        assert_eq!((cut.text.as_str(), cut.encoding), ("Lärs\u{fffd}", Encoding::Unknown));
        let utf32 = decode(b"\xff\xfe\0\0-\0\0\0".to_vec());
        assert_eq!(utf32.encoding, Encoding::Unknown);
    }

    #[test]
    fn utf8_stays_as_it_is() {
        for text in ["", "a", "ab", "Lärs", "\u{feff}---\n", "\u{fffd}", "a\0"] {
            let decoded = decode(text.as_bytes().to_vec());
            assert_eq!(decoded, Decoded { text: text.into(), encoding: Encoding::Utf8 });
        }
    }
}
