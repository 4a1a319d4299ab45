//! Finds duplicate keys in JSON objects, and values that are nested too deeply.
//!
//! A JSON parser silently takes the last of two equal keys, so a caller would not learn that part
//! of their message was ignored. It also gives up at its depth limit without saying where. This
//! scan reads the bytes once, before parsing, and builds no values, so it costs little for the many
//! messages that have neither problem.

use std::borrow::Cow;

/// The deepest nesting allowed in params. The parser gives up at 128, counted from the message.
pub(crate) const DEPTH_MAX: usize = 100;

/// A problem that a JSON parser would not report in terms the sender understands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Oddity {
    /// A duplicate key, by its path, such as `entities[2].name`.
    Twice(String),
    /// A value nested too deeply, by the argument it is in, such as `arguments.entities`.
    Deep(String),
}

/// A container that is still open at the current position.
enum Open<'a> {
    /// An object, with the keys seen so far.
    Object(Vec<Cow<'a, str>>),
    /// A list, with the number of values that are complete.
    List(usize),
}

/// Returns the first problem in a JSON text. Text that is not JSON has none.
pub(crate) fn oddity(json: &str) -> Option<Oddity> {
    let bytes = json.as_bytes();
    let mut open: Vec<Open<'_>> = Vec::new();
    let (mut at, mut before_key) = (0, false);
    while let Some(byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'{' => open.push(Open::Object(Vec::new())),
            b'[' => open.push(Open::List(0)),
            b'}' | b']' => {
                if let Some(Open::Object(keys)) = open.pop()
                    && let Some(key) = twice(keys)
                {
                    return Some(Oddity::Twice(path(&open, Some(&key))));
                }
            }
            b',' => {
                if let Some(Open::List(over)) = open.last_mut() {
                    *over += 1;
                }
            }
            b'"' => {
                let end = end_of_text(bytes, at)?;
                if before_key && let Some(Open::Object(keys)) = open.last_mut() {
                    keys.push(unescaped(json.get(at..end)?));
                }
                at = end + 1;
            }
            _ => {}
        }
        if open.len() > DEPTH_MAX {
            open.truncate(ARGUMENT);
            return Some(Oddity::Deep(path(&open, None)));
        }
        if !byte.is_ascii_whitespace() {
            let in_object = matches!(open.last(), Some(Open::Object(_)));
            before_key = in_object && matches!(byte, b'{' | b',');
        }
    }
    None
}

/// The depth of an argument: a key of `arguments`, which is a key of the params.
const ARGUMENT: usize = 2;

/// The position of the quote that ends a string whose contents begin at `from`.
fn end_of_text(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    loop {
        at += bytes.get(at..)?.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
        match bytes.get(at) {
            Some(b'"') => return Some(at),
            _ => at += 2,
        }
    }
}

/// A key with its escapes resolved.
fn unescaped(key: &str) -> Cow<'_, str> {
    match key.contains('\\') {
        true => serde_json::from_str(&format!("\"{key}\"")).map_or(Cow::Borrowed(key), Cow::Owned),
        false => Cow::Borrowed(key),
    }
}

/// A key that occurs more than once.
fn twice<'a>(mut keys: Vec<Cow<'a, str>>) -> Option<Cow<'a, str>> {
    keys.sort_unstable();
    let place = keys.windows(2).position(|pair| pair.first() == pair.last())?;
    Some(keys.swap_remove(place))
}

fn path(open: &[Open<'_>], key: Option<&str>) -> String {
    let mut path = String::new();
    for part in open {
        match part {
            Open::Object(keys) => add_name(&mut path, keys.last().map_or("", |key| key)),
            Open::List(over) => path.push_str(&format!("[{over}]")),
        }
    }
    if let Some(key) = key {
        add_name(&mut path, key);
    }
    path
}

fn add_name(path: &mut String, name: &str) {
    if !path.is_empty() {
        path.push('.');
    }
    path.push_str(name);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_is_there_twice_is_named_by_its_path() {
        for (json, path) in [
            (r#"{"a":1,"b":2,"a":3}"#, "a"),
            (r#"{"a":{"b":[{},{"c":1, "d":"x" , "c" : 2}]}}"#, "a.b[1].c"),
            (r#"{"a":[[1,2],{"\u0062":1,"b":2}]}"#, "a[1].b"),
            (r#"{"a\"":1,"a\"":2}"#, "a\""),
            (r#"[{"a":{},"a":{}}]"#, "[0].a"),
        ] {
            assert_eq!(oddity(json), Some(Oddity::Twice(path.to_owned())), "{json}");
        }
    }

    #[test]
    fn values_and_other_objects_may_say_the_same() {
        for json in [
            r#"{"a":"a","b":"a","c":["a","a"]}"#,
            r#"{"a":{"a":{"a":"{\"a\":1,\"a\":2}"}}}"#,
            r#"[{"a":1},{"a":1}]"#,
            r#"{"a":"\\","b":"\\"}"#,
            "3",
            "{\"a\":\"",
            "",
        ] {
            assert_eq!(oddity(json), None, "{json}");
        }
    }

    #[test]
    fn what_goes_too_deep_is_named_by_its_argument() {
        let lists = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        let call = |depth| format!(r#"{{"name":"x","arguments":{{"a":1,"b":{}}}}}"#, lists(depth));
        let deep = Some(Oddity::Deep("arguments.b".to_owned()));
        assert_eq!(oddity(&call(DEPTH_MAX - 2)), None);
        assert_eq!(oddity(&call(DEPTH_MAX - 1)), deep);
        assert_eq!(oddity(&call(4_000)), deep);
        assert_eq!(oddity(&"[".repeat(4_000)), Some(Oddity::Deep("[0][0]".to_owned())));
    }
}
