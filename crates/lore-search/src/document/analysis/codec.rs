//! The stored form of an [`Analysis`]: compact, versioned, and never trusted.
//!
//! Numbers are variable-length; stems are sorted, so each stores only what differs
//! from the one before it.

use super::Analysis;

/// Counts up whenever the bytes or the meaning of a stem change.
const VERSION: u8 = 1;

pub(super) fn encode(analysis: &Analysis) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(16 + analysis.terms.len() * 8);
    bytes.push(VERSION);
    put_number(&mut bytes, u64::from(analysis.length));
    put_number(&mut bytes, analysis.terms.len() as u64);
    let mut last = "";
    for (stem, count) in &analysis.terms {
        put_difference(&mut bytes, last, stem);
        put_number(&mut bytes, u64::from(*count));
        last = stem;
    }
    put_number(&mut bytes, analysis.names.len() as u64);
    for name in &analysis.names {
        put_difference(&mut bytes, "", name);
    }
    bytes
}

pub(super) fn decode(bytes: &[u8]) -> Option<Analysis> {
    let (&version, mut rest) = bytes.split_first()?;
    if version != VERSION {
        return None;
    }
    let rest = &mut rest;
    let length = u32::try_from(number(rest)?).ok()?;
    let mut terms: Vec<(Box<str>, u16)> = Vec::new();
    for _ in 0..number(rest)? {
        let last = terms.last().map_or("", |(stem, _)| stem);
        let stem = difference(rest, last)?;
        terms.push((stem, u16::try_from(number(rest)?).ok()?));
    }
    let mut names = Vec::new();
    for _ in 0..number(rest)? {
        names.push(difference(rest, "")?);
    }
    let sorted = terms.is_sorted_by(|a, b| a.0 < b.0);
    (rest.is_empty() && sorted).then_some(Analysis { terms, names, length })
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

fn difference(rest: &mut &[u8], last: &str) -> Option<Box<str>> {
    let common = usize::try_from(number(rest)?).ok()?;
    let length = usize::try_from(number(rest)?).ok()?;
    let (own, tail) = rest.split_at_checked(length)?;
    *rest = tail;
    let own = std::str::from_utf8(own).ok()?;
    Some([last.get(..common)?, own].concat().into_boxed_str())
}
