//! The session cookie: reading it from a request and setting it in an answer.

use ::http::header::{COOKIE, SET_COOKIE};
use ::http::{HeaderMap, HeaderValue};

/// The name of the session cookie.
const SESSION_COOKIE: &str = "mcp_session";

/// The most session cookies that are read from one request.
const TRIED_MAX: usize = 8;

/// The session ids in a client's cookies, in the order sent.
///
/// Other cookies may contain any bytes. A client can send several session cookies, for example when
/// it got them for two paths.
pub(super) fn sent(headers: &HeaderMap) -> Vec<String> {
    let lines = headers.get_all(COOKIE).iter().map(|line| line.as_bytes());
    let pairs = lines.flat_map(|line| line.split(|byte| *byte == b';'));
    pairs.filter_map(id_in).take(TRIED_MAX).collect()
}

/// Sets the session cookie. It has no expiry date because the server itself drops idle sessions.
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
