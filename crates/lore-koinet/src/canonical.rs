//! Two normal forms of JSON: one for signatures and one for hashes.
//!
//! Signatures cover the text itself without white space: the order of keys and the spelling of
//! numbers count and are never changed. Hashes cover the canonical form of RFC 8785.

use std::fmt::Write;

use data_encoding::HEXLOWER;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// Returns the hash by which a manifest identifies contents: SHA-256 of their canonical form, in
/// hex. `None` if the text is not JSON, or is nested too deeply.
pub fn content_hash(contents: &str) -> Option<String> {
    let value: Value = serde_json::from_str(contents).ok()?;
    let canonical = serde_json_canonicalizer::to_vec(&value).ok()?;
    Some(HEXLOWER.encode(&Sha256::digest(canonical)))
}

/// How numbers with a fraction or an exponent are spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Floats {
    /// As received.
    AsIs,
    /// `1e16`: what older reference nodes sign, whatever they send.
    Plain,
    /// `1e+16`: what newer reference nodes sign, whatever they send.
    Signed,
}

/// Removes white space from valid JSON. Strings get their shortest escapes and numbers the given
/// spelling; the order of keys stays.
pub(crate) fn compact(json: &str, floats: Floats) -> String {
    let mut compact = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            ' ' | '\t' | '\n' | '\r' => {
                rest = rest.trim_start_matches([' ', '\t', '\n', '\r']);
                continue;
            }
            '"' => string_length(rest),
            '-' | '0'..='9' => rest.find([',', ']', '}', ' ', '\t', '\n', '\r']),
            _ => Some(first.len_utf8()),
        };
        let (token, after) = rest.split_at(length.unwrap_or(rest.len()));
        match first {
            '"' => push_string(&mut compact, token),
            '-' | '0'..='9' => push_number(&mut compact, token, floats),
            _ => compact.push_str(token),
        }
        rest = after;
    }
    compact
}

fn string_length(text: &str) -> Option<usize> {
    let mut escaped = false;
    let end = text.bytes().skip(1).position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })?;
    Some(end + 2)
}

fn push_string(to: &mut String, token: &str) {
    let plain = || serde_json::to_string(&serde_json::from_str::<String>(token).ok()?).ok();
    match token.contains('\\').then(plain).flatten() {
        Some(plain) => to.push_str(&plain),
        None => to.push_str(token),
    }
}

fn push_number(to: &mut String, token: &str, floats: Floats) {
    let is_float = token.contains(['.', 'e', 'E']);
    let value = || serde_json::from_str::<f64>(token).ok();
    match (floats, is_float.then(value).flatten()) {
        (Floats::AsIs, _) | (_, None) => to.push_str(token),
        (Floats::Plain, Some(value)) => push_float(to, value, ""),
        (Floats::Signed, Some(value)) => push_float(to, value, "+"),
    }
}

fn push_float(to: &mut String, value: f64, sign: &str) {
    let text = serde_json::to_string(&value).unwrap_or_default();
    match text.split_once('e') {
        Some((digits, exponent)) => {
            let exponent = exponent.trim_start_matches('+');
            let sign = if exponent.starts_with('-') { "" } else { sign };
            let _ = write!(to, "{digits}e{sign}{exponent}");
        }
        None => to.push_str(&text),
    }
}

/// Rewrites numbers so that every version of the reference implementation prints them alike. From
/// 1e16 up, versions disagree about floats, but not about integers.
pub fn portable(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(portable),
        Value::Object(fields) => fields.values_mut().for_each(portable),
        Value::Number(number) => {
            let float = number.as_f64().filter(|float| number.is_f64() && float.abs() >= 1e16);
            if let Some(float) = float {
                *value = whole(float);
            }
        }
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

#[expect(clippy::cast_possible_truncation, reason = "checked to be within i64")]
fn whole(float: f64) -> Value {
    if float.abs() < 9.2e18 { Value::from(float as i64) } else { Value::from(float.to_string()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_goes_and_nothing_else() {
        let sent = " { \"b\" : [ 1 , 2.50e0 , -0.0, 1E-07 ],\n \"a\\u0041\\/\": \"x \\\" \\u00e9\\n\" , \"n\":null} ";
        assert_eq!(
            compact(sent, Floats::AsIs),
            "{\"b\":[1,2.50e0,-0.0,1E-07],\"aA/\":\"x \\\" é\\n\",\"n\":null}"
        );
    }

    #[test]
    fn floats_can_be_spelt_as_the_reference_signs_them() {
        let sent = "[1e-07,1E16,1e+16,2.0,100000.0,123456789012345678901234567890,-1e-7]";
        let whole = "2.0,100000.0,123456789012345678901234567890,-1e-7]";
        assert_eq!(compact(sent, Floats::Plain), format!("[1e-7,1e16,1e16,{whole}"));
        assert_eq!(compact(sent, Floats::Signed), format!("[1e-7,1e+16,1e+16,{whole}"));
    }

    #[test]
    fn own_numbers_are_portable() {
        let mut value = serde_json::json!({"a": [1e16, 0.5, -1e18], "b": 1e300, "c": 3});
        portable(&mut value);
        assert_eq!(
            value["a"],
            serde_json::json!([10_000_000_000_000_000_i64, 0.5, -1_000_000_000_000_000_000_i64])
        );
        assert!(value["b"].is_string());
    }

    #[test]
    fn canonical_hashes_are_those_of_the_reference() {
        let cases = [
            (
                r#"{"b": 1, "a": 2.0}"#,
                "d3626ac30a87e6f7a6428233b3c68299976865fa5508e4267c5415c76af7a772",
            ),
            (
                r#"{"x": 1e+21, "y": 1e-07, "z": 0.1}"#,
                "0d15ef1abbdb9153395efadee2cf54004bbed343f0955428f60ce8365b5770b7",
            ),
            (
                r#"{"\u00e9": "\u2603", "A": null}"#,
                "b3723614cc5f76541cdce72e9f88e122a7c72644afd81b747d5cee8cb7f44d38",
            ),
            (r#"{"n": -0.0}"#, "f3013f933b9fb80ab6d995e7ad9da36f683837ba1d81e950c943d40111eac2f0"),
            (
                r#"{"n": 100000.0}"#,
                "f8c9d862b09bd554858591decf634c11cc1d013869a58adcb3d62166abd79da0",
            ),
            (
                r#"{"big": 12345678901234567890}"#,
                "683f9d4070d2e83f349123beb9cc87f4303b3471b76d9557cd103ec9febb428d",
            ),
            (
                r#"{"s": "\u2028\u0001/\""}"#,
                "3bc813475ccabe6a37d081777f739120f7a9e0b7d2be661eba29b8ca28e1478e",
            ),
            (
                r#"{"t": true, "l": [1, [2, {"q": 1}]]}"#,
                "74752c6a57f5eeff693bb195cd0ea81a99a14fa12a28942813fd9ba1d917ee3d",
            ),
            (
                r#"{"emoji\ud83d\ude00": 1, "\ufb00": 2}"#,
                "da08845ecd86c5cc176cca2fa4394fe126c8d266993c8d4d5900cf93ef5a2d99",
            ),
        ];
        for (contents, hash) in cases {
            assert_eq!(content_hash(contents).as_deref(), Some(hash), "{contents}");
        }
        assert_eq!(content_hash(&"[".repeat(100_000)), None);
    }
}
