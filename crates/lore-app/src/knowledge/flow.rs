//! Values of properties that stand in brackets or quotes, and keys.

use super::anchors::MERGE;

/// What a value says: texts, and what keys inside it say.
pub(super) type Told = Vec<(Option<String>, String)>;

/// Most brackets in brackets.
const DEEPEST: usize = 8;

/// What a text means that stands for other values, if it does.
pub(super) type Meant<'a> = &'a dyn Fn(&str) -> Option<Told>;

/// Reads a list or a block in brackets; nothing where it is not closed. Of a key `<<` the keys are
/// told that it means, each behind it: `<<.key`.
pub(super) fn read(text: &str, meant: Meant<'_>) -> Option<Told> {
    let mut told = Vec::new();
    let rest = match text.strip_prefix('{') {
        Some(inner) => block(inner, &mut told, meant, 0)?,
        None => list(text.strip_prefix('[')?, None, &mut told, meant, 0)?,
    };
    uncommented(rest).is_empty().then_some(told)
}

/// Reads a text in quotes; nothing where it is not closed.
pub(super) fn quoted(text: &str) -> Option<String> {
    let (told, rest) = unquoted(text)?;
    match uncommented(rest.trim()) {
        "" => Some(told),
        // The quotes are part of a longer text.
        _ => Some(text.to_owned()),
    }
}

/// A key and what stands behind it.
pub(super) fn key(line: &str) -> Option<(String, &str)> {
    if let Some((name, rest)) = unquoted(line) {
        return Some((name.trim().to_owned(), rest.trim_start().strip_prefix(':')?));
    }
    let (name, value) = line
        .split_once(": ")
        .or_else(|| line.split_once(":\t"))
        .or_else(|| Some((line.strip_suffix(':')?, "")))?;
    Some((name.trim().to_owned(), value))
}

/// A text without the remark behind it.
pub(super) fn uncommented(text: &str) -> &str {
    let remark = text.find(" #").or_else(|| text.starts_with('#').then_some(0));
    remark.and_then(|place| text.get(..place)).unwrap_or(text).trim()
}

/// A line of a list without the remark behind it. Between quotes none begins.
pub(super) fn remarkless(line: &str) -> &str {
    let line = line.trim();
    let quotes = |text: &str| text.matches('"').count().is_multiple_of(2);
    let mut signs = line.match_indices('#').map(|(place, _)| line.get(..place).unwrap_or(line));
    let remark =
        signs.find(|before| quotes(before) && (before.is_empty() || before.ends_with(' ')));
    remark.unwrap_or(line).trim_end()
}

/// Reads the items of a list up to its end, and gives what stands behind.
fn list<'a>(
    mut rest: &'a str,
    name: Option<&str>,
    told: &mut Told,
    meant: Meant<'_>,
    depth: usize,
) -> Option<&'a str> {
    loop {
        rest = skipped(rest);
        if let Some(after) = rest.strip_prefix(']') {
            return Some(after);
        }
        rest = item(rest, name, told, meant, depth)?;
    }
}

/// Reads the keys of a block up to its end, and gives what stands behind.
fn block<'a>(
    mut rest: &'a str,
    told: &mut Told,
    meant: Meant<'_>,
    depth: usize,
) -> Option<&'a str> {
    loop {
        rest = skipped(rest);
        if let Some(after) = rest.strip_prefix('}') {
            return Some(after);
        }
        let (name, value) = match unquoted(rest) {
            Some((name, after)) => (name, after.trim_start().strip_prefix(':')?),
            None => rest.split_once(':').map(|(name, after)| (name.trim().to_owned(), after))?,
        };
        rest = item(skipped(value), Some(&name), told, meant, depth)?;
    }
}

/// Reads one value inside brackets.
fn item<'a>(
    rest: &'a str,
    name: Option<&str>,
    told: &mut Told,
    meant: Meant<'_>,
    depth: usize,
) -> Option<&'a str> {
    if depth > DEEPEST {
        return None;
    }
    let mut put = |text: &str| told.push((name.map(str::to_owned), text.to_owned()));
    if let Some(link) = rest.strip_prefix("[[").filter(|link| !link.starts_with('[')) {
        let (link, after) = link.split_once("]]")?;
        put(&format!("[[{link}]]"));
        return Some(after);
    }
    if let Some(inner) = rest.strip_prefix('[') {
        return list(inner, name, told, meant, depth + 1);
    }
    if let Some(inner) = rest.strip_prefix('{') {
        // What is nested that deep belongs to somebody else.
        return block(inner, &mut Told::new(), meant, depth + 1);
    }
    if let Some((text, after)) = unquoted(rest) {
        put(&text);
        return Some(after);
    }
    let end = rest.find([',', ']', '}'])?;
    let (text, after) = rest.split_at_checked(end)?;
    let text = uncommented(text);
    match meant(text) {
        Some(values) => told.extend(values.into_iter().filter_map(|value| inside(name, value))),
        None => put(text),
    }
    Some(after)
}

/// A value that is meant again, as one of the key it stands behind. Keys behind others than `<<` are
/// nested that deep that they belong to somebody else.
fn inside(
    name: Option<&str>,
    (key, text): (Option<String>, String),
) -> Option<(Option<String>, String)> {
    match (name, key) {
        (None, key) => Some((key, text)),
        (Some(name), None) => Some((Some(name.to_owned()), text)),
        (Some(MERGE), Some(key)) => Some((Some(format!("{MERGE}.{key}")), text)),
        (Some(_), Some(_)) => None,
    }
}

/// What follows after blanks, commas and remarks.
fn skipped(text: &str) -> &str {
    text.trim_start_matches(|c: char| c.is_whitespace() || c == ',')
}

/// A text in quotes at the beginning, and what stands behind it.
fn unquoted(text: &str) -> Option<(String, &str)> {
    match text.chars().next()? {
        '\'' => single(text.get(1..)?),
        '"' => double(text.get(1..)?),
        _ => None,
    }
}

fn single(text: &str) -> Option<(String, &str)> {
    let mut told = String::new();
    let mut rest = text;
    loop {
        let (part, after) = rest.split_once('\'')?;
        told.push_str(part);
        match after.strip_prefix('\'') {
            Some(more) => {
                told.push('\'');
                rest = more;
            }
            None => return Some((told, after)),
        }
    }
}

fn double(text: &str) -> Option<(String, &str)> {
    let mut told = String::new();
    let mut rest = text;
    loop {
        let place = rest.find(['"', '\\'])?;
        let (part, sign) = rest.split_at_checked(place)?;
        told.push_str(part);
        if let Some(after) = sign.strip_prefix('"') {
            return Some((told, after));
        }
        let (letter, after) = escaped(sign.get(1..)?)?;
        told.push_str(&letter);
        rest = after;
    }
}

/// What a sequence behind a backslash means, and what follows it.
fn escaped(text: &str) -> Option<(String, &str)> {
    let mut letters = text.chars();
    let sign = letters.next()?;
    let rest = letters.as_str();
    let coded = |length: usize| {
        let (code, after) = rest.split_at_checked(length)?;
        let letter = char::from_u32(u32::from_str_radix(code, 16).ok()?)?;
        Some((letter.to_string(), after))
    };
    let plain = |text: &str| (text.to_owned(), rest);
    Some(match sign {
        'x' => coded(2).unwrap_or_else(|| plain("\\x")),
        'u' => coded(4).unwrap_or_else(|| plain("\\u")),
        'U' => coded(8).unwrap_or_else(|| plain("\\U")),
        'n' | 't' | 'r' | ' ' | '_' => plain(" "),
        '"' | '\\' | '/' => plain(&sign.to_string()),
        other => plain(&format!("\\{other}")),
    })
}
