//! The stored form of an analysis: compact, versioned, and validated before use.
//!
//! It holds a header, the stems, the names and the word pieces. Numbers have variable length. Stems
//! are sorted, so that each stores only what differs from the one before it.

use std::collections::BTreeMap;

use lore_text::wordpiece::Piece;

use crate::document::Print;

/// Increases whenever the format, or the way texts are analysed, changes.
pub(super) const VERSION: u8 = 12;

const QUESTION: u8 = 1;
const TIME: u8 = 2;

/// Size of the fixed part: version, flags, number of pieces, fingerprint.
const FIXED: usize = 10;
const PRINT: usize = 6;

/// Properties of the whole text.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Header {
    pub(super) length: u32,
    pub(super) is_question: bool,
    pub(super) tells_time: bool,
    pub(super) print: Print,
}

pub(super) fn encode(
    header: &Header,
    terms: &BTreeMap<Box<str>, u16>,
    names: &[String],
    pieces: &[Piece],
) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(16 + terms.len() * 8 + pieces.len() * 2);
    let marks = u8::from(header.is_question) * QUESTION + u8::from(header.tells_time) * TIME;
    bytes.extend([VERSION, marks]);
    let count = u32::try_from(pieces.len()).unwrap_or(u32::MAX);
    bytes.extend(count.to_le_bytes());
    bytes.extend(header.print.0.to_le_bytes());
    put_number(&mut bytes, u64::from(header.length));
    put_number(&mut bytes, terms.len() as u64);
    let mut last = "";
    for (stem, count) in terms {
        put_difference(&mut bytes, last, stem);
        put_number(&mut bytes, u64::from(*count));
        last = stem;
    }
    put_number(&mut bytes, names.len() as u64);
    names.iter().for_each(|name| put_difference(&mut bytes, "", name));
    bytes.extend(pieces.iter().take(count as usize).flat_map(|piece| piece.0.to_le_bytes()));
    bytes
}

/// Whether the bytes can be decoded completely.
pub(super) fn is_valid(bytes: &[u8]) -> bool {
    read(bytes, |_, _| ()).is_some_and(|(_, rest)| rest.len() == piece_bytes(bytes))
}

/// Decodes the header; all zero for bytes that [`encode`] did not write.
pub(super) fn header(bytes: &[u8]) -> Header {
    let marks = bytes.get(1).copied().unwrap_or(0);
    let length = bytes.get(FIXED..).and_then(|mut rest| number(&mut rest)).unwrap_or(0);
    Header {
        length: u32::try_from(length).unwrap_or(u32::MAX),
        is_question: marks & QUESTION != 0,
        tells_time: marks & TIME != 0,
        print: Print(small(bytes, PRINT)),
    }
}

pub(super) fn for_each_term(bytes: &[u8], each: impl FnMut(&str, u16)) {
    read_terms(bytes, each);
}

pub(super) fn names(bytes: &[u8]) -> Vec<String> {
    read(bytes, |_, _| ()).map(|(names, _)| names).unwrap_or_default()
}

pub(super) fn pieces(bytes: &[u8]) -> impl Iterator<Item = Piece> {
    let start = bytes.len().saturating_sub(piece_bytes(bytes));
    let tail = bytes.get(start..).unwrap_or_default();
    tail.as_chunks().0.iter().map(|pair| Piece(u16::from_le_bytes(*pair)))
}

fn piece_bytes(bytes: &[u8]) -> usize {
    (small(bytes, 2) as usize).saturating_mul(2)
}

/// Reads the 32-bit number at an offset; 0 if there is none.
fn small(bytes: &[u8], at: usize) -> u32 {
    let number = bytes.get(at..).and_then(|number| number.first_chunk());
    number.map_or(0, |number| u32::from_le_bytes(*number))
}

/// Decodes everything before the pieces; returns the names and the bytes of the pieces.
fn read(bytes: &[u8], each: impl FnMut(&str, u16)) -> Option<(Vec<String>, &[u8])> {
    let mut rest = read_terms(bytes, each)?;
    let mut names = Vec::new();
    for _ in 0..number(&mut rest)? {
        let mut name = String::new();
        difference(&mut rest, &mut name)?;
        names.push(name);
    }
    Some((names, rest))
}

/// Decodes the stems; returns the bytes after them.
fn read_terms(bytes: &[u8], mut each: impl FnMut(&str, u16)) -> Option<&[u8]> {
    if *bytes.first()? != VERSION {
        return None;
    }
    let mut rest = bytes.get(FIXED..)?;
    number(&mut rest)?;
    let mut stem = String::new();
    for _ in 0..number(&mut rest)? {
        difference(&mut rest, &mut stem)?;
        each(&stem, u16::try_from(number(&mut rest)?).ok()?);
    }
    Some(rest)
}

fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push((number & 0x7F) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn number(rest: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..63).step_by(7) {
        let (&byte, tail) = rest.split_first()?;
        *rest = tail;
        value |= u64::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

fn put_difference(bytes: &mut Vec<u8>, last: &str, text: &str) {
    let common = last.chars().zip(text.chars()).take_while(|(a, b)| a == b);
    let common: usize = common.map(|(c, _)| c.len_utf8()).sum();
    let own = text.get(common..).unwrap_or_default();
    put_number(bytes, common as u64);
    put_number(bytes, own.len() as u64);
    bytes.extend_from_slice(own.as_bytes());
}

/// Decodes the next string as a difference to `text`, and replaces `text` by it.
fn difference(rest: &mut &[u8], text: &mut String) -> Option<()> {
    let common = usize::try_from(number(rest)?).ok()?;
    let length = usize::try_from(number(rest)?).ok()?;
    let (own, tail) = rest.split_at_checked(length)?;
    *rest = tail;
    text.get(..common)?;
    text.truncate(common);
    text.push_str(std::str::from_utf8(own).ok()?);
    Some(())
}
