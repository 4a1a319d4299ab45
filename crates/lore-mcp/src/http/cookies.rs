//! The session cookie: what a client sends, and what it is given.

use ::http::header::{COOKIE, SET_COOKIE};
use ::http::{HeaderMap, HeaderValue};

/// The name of the session cookie.
const SESSION_COOKIE: &str = "mcp_session";

/// More cookies of one name than this are not looked at.
const TRIED_MAX: usize = 8;

/// The ids that a client's cookies name, in their order. Cookies beside them may hold anything;
/// a client that was given one twice, for two paths say, sends both.
pub(super) fn sent(headers: &HeaderMap) -> Vec<String> {
    let lines = headers.get_all(COOKIE).iter().map(|line| line.as_bytes());
    let pairs = lines.flat_map(|line| line.split(|byte| *byte == b';'));
    pairs.filter_map(id_in).take(TRIED_MAX).collect()
}

/// Sets the session cookie. It has no age: the server forgets idle sessions.
pub(super) fn set(headers: &mut HeaderMap, id: &str) {
    let cookie = format!("{SESSION_COOKIE}={id}; Path=/; HttpOnly; SameSite=Strict");
    if let Ok(value) = HeaderValue::from_str(&cookie) {
        headers.append(SET_COOKIE, value);
    }
}

fn id_in(pair: &[u8]) -> Option<String> {
    let (name, value) = str::from_utf8(pair).ok()?.split_once('=')?;
    let value = value.trim();
    let bare = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
    (name.trim() == SESSION_COOKIE).then(|| bare.unwrap_or(value).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &[u8], expected: &[&str]) {
        let mut headers = HeaderMap::new();
        headers.insert(COOKIE, HeaderValue::from_bytes(line).unwrap());
        assert_eq!(sent(&headers), expected);
    }

    #[test]
    fn other_cookies_are_not_in_the_way() {
        check("name=J\u{fc}rgen; mcp_session=abc".as_bytes(), &["abc"]);
        check(b"name=J\xfcrgen; mcp_session=abc; x", &["abc"]);
        check(b"my_mcp_session=no;mcp_session = abc ", &["abc"]);
        check(b"mcp_session=\xff", &[]);
    }

    #[test]
    fn a_quoted_id_is_the_id_and_each_of_two_is_tried() {
        check(b"mcp_session=\"abc\"", &["abc"]);
        check(b"mcp_session=a; mcp_session=b", &["a", "b"]);
    }
}
