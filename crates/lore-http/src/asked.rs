//! What a request selects through its headers and path: a world, and a subset of the tools.
//!
//! These headers restrict a request, so none may be ignored: an unreadable header is an error, and
//! repeated header lines all count.

use axum::http::{HeaderMap, HeaderName};
use lore_core::{Error, Result};
use lore_tools::{Registry, Selection, Toolset};

use lore_tools::percent::unescaped;

static WORLD: HeaderName = HeaderName::from_static("x-lorewell-world");
static TOOLSETS: HeaderName = HeaderName::from_static("x-mcp-toolsets");
static TOOLS: HeaderName = HeaderName::from_static("x-mcp-tools");
static EXCLUDE_TOOLS: HeaderName = HeaderName::from_static("x-mcp-exclude-tools");
static READ_ONLY: HeaderName = HeaderName::from_static("x-mcp-readonly");
/// The headers that select tools.
static SELECTING: [&HeaderName; 4] = [&TOOLSETS, &TOOLS, &EXCLUDE_TOOLS, &READ_ONLY];

/// The world that a request names.
///
/// Names may contain characters that headers cannot. They are sent as UTF-8, or percent-encoded by
/// programs that cannot send UTF-8.
pub(crate) fn world(headers: &HeaderMap) -> Result<Option<String>> {
    let mut lines = lines(headers, &WORLD)?;
    lines.dedup();
    match lines.as_slice() {
        [] => Ok(None),
        [only] => decoded(only).map(Some),
        _ => Err(Error::invalid(WORLD.as_str(), "names several worlds", "name one")),
    }
}

/// Whether a request selects tools, by path or by header.
pub(crate) fn selects(headers: &HeaderMap, path: &str) -> bool {
    path != "/mcp" || SELECTING.iter().any(|name| headers.contains_key(*name))
}

/// The selection a request asks for, by headers and path.
pub(crate) fn selection(headers: &HeaderMap, path: &str, registry: &Registry) -> Result<Selection> {
    let [toolsets, tools, excluded] = [&TOOLSETS, &TOOLS, &EXCLUDE_TOOLS].map(|name| {
        // A list may be spread over several header lines.
        lines(headers, name).map(|lines| lines.join(","))
    });
    let (toolsets, tools, excluded) = (toolsets?, tools?, excluded?);
    let mut toolsets: Vec<_> = toolsets.split(',').collect();
    let mut selection =
        Selection::new().with_tools(tools.split(',')).without_tools(excluded.split(','));
    let mut reads_only = is_read_only(headers);
    if let Some(unknown) = selection.unknown_tools(registry).next() {
        let problem = format!("{unknown:?} is unknown");
        return Err(Error::invalid("tool", problem, "see docs/tools.md for the names"));
    }
    if let Some(rest) = path.strip_prefix("/mcp/x/") {
        let (toolset, tail) = rest.split_once('/').unwrap_or((rest, ""));
        // The path takes precedence over the header.
        toolsets = vec![toolset];
        reads_only |= tail == "readonly";
    } else {
        reads_only |= path == "/mcp/readonly";
    }
    if reads_only {
        selection = selection.reading_only();
    }
    selection.with_toolsets(toolsets).map_err(|error| {
        let known = Toolset::ALL.map(Toolset::as_str).join(", ");
        Error::invalid(
            "toolset",
            format!("{:?} is unknown", error.name),
            format!("use {known}, default or all"),
        )
    })
}

/// Whether the read-only header is set. Any value that is not clearly "off" counts as on, and of
/// several values a single "on" suffices.
fn is_read_only(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(&READ_ONLY).iter().map(|line| line.as_bytes());
    let mut words = lines.flat_map(|line| line.split(|byte| *byte == b','));
    words.any(|word| {
        let word = word.trim_ascii().to_ascii_lowercase();
        !matches!(word.as_slice(), b"" | b"0" | b"false" | b"no" | b"off")
    })
}

/// All lines of a header, trimmed; an error if one is not UTF-8.
fn lines<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Vec<&'a str>> {
    let lines = headers.get_all(name).iter();
    let read = lines.map(|line| str::from_utf8(line.as_bytes()).map(str::trim));
    read.collect::<std::result::Result<_, _>>().map_err(|_| unreadable(name))
}

/// Decodes a percent-encoded world name.
fn decoded(text: &str) -> Result<String> {
    String::from_utf8(unescaped(text)).map_err(|_| unreadable(&WORLD))
}

fn unreadable(name: &HeaderName) -> Error {
    Error::invalid(name.as_str(), "is not UTF-8", "send UTF-8, or a world's name percent-encoded")
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn headers(lines: &[(&HeaderName, &[u8])]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, line) in lines {
            headers.append((*name).clone(), HeaderValue::from_bytes(line).unwrap());
        }
        headers
    }

    fn asked(lines: &[(&HeaderName, &[u8])]) -> Result<Selection> {
        selection(&headers(lines), "/mcp", &Registry::standard())
    }

    #[test]
    fn a_world_is_named_in_any_letters() {
        let named = |line: &[u8]| world(&headers(&[(&WORLD, line)]));
        assert_eq!(named("Ä".as_bytes()), Ok(Some("Ä".to_owned())));
        assert_eq!(named(b"%C3%84sche%20fall"), Ok(Some("Äsche fall".to_owned())));
        assert_eq!(named(b"100% true"), Ok(Some("100% true".to_owned())));
        assert_eq!(named(b"100%"), Ok(Some("100%".to_owned())));
        assert!(named(b"\xc4").is_err() && named(b"%C4").is_err());
        assert_eq!(world(&HeaderMap::new()), Ok(None));
    }

    #[test]
    fn two_worlds_are_none() {
        let twice = |second: &[u8]| world(&headers(&[(&WORLD, b"Main"), (&WORLD, second)]));
        assert!(twice(b"Other").is_err());
        assert_eq!(twice(b"Main"), Ok(Some("Main".to_owned())));
    }

    #[test]
    fn a_list_goes_on_in_the_next_line() {
        let lines: [(&HeaderName, &[u8]); 2] =
            [(&EXCLUDE_TOOLS, b"roll_dice"), (&EXCLUDE_TOOLS, b"duality_outcome")];
        let whole: &[u8] = b"roll_dice,duality_outcome";
        assert_eq!(asked(&lines), asked(&[(&EXCLUDE_TOOLS, whole)]));
    }

    #[test]
    fn what_is_no_tool_is_refused() {
        for line in ["roll_dice,é".as_bytes(), b"roll_dice,rol_dice", b"roll_dice,\xe9"] {
            assert!(asked(&[(&EXCLUDE_TOOLS, line)]).is_err(), "{line:?}");
            assert!(asked(&[(&TOOLS, line)]).is_err(), "{line:?}");
        }
        assert!(asked(&[(&TOOLSETS, "plä".as_bytes())]).is_err());
        assert!(asked(&[(&TOOLSETS, b"play,\xff")]).is_err());
    }

    #[test]
    fn unclear_words_only_read() {
        let reads = |lines: &[&[u8]]| {
            let lines: Vec<_> = lines.iter().map(|line| (&READ_ONLY, *line)).collect();
            is_read_only(&headers(&lines))
        };
        assert!(reads(&[b"false", b"true"]) && reads(&[b"true", b"false"]));
        assert!(reads(&["✓".as_bytes()]) && reads(&[b"\xff"]) && reads(&[b"false, 1"]));
        assert!(!reads(&[b"false", b"off"]) && !reads(&[b" No "]) && !reads(&[]));
    }
}
