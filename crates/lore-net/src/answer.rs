//! The answer to a request, read within limits.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use encoding_rs::{Encoding, UTF_8, WINDOWS_1252};
use http::header::{CONTENT_TYPE, DATE, RETRY_AFTER};
use http::{HeaderMap, StatusCode};
use jiff::Timestamp;
use jiff::fmt::rfc2822;
use reqwest::Response;
use serde::de::DeserializeOwned;
use url::Url;

use crate::error::NetError;
use crate::limits::Limits;

/// A complete answer with any status. Its content was written by somebody else: treat it as
/// untrusted.
#[derive(Debug, Clone)]
pub struct Answer {
    url: Url,
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

/// The rate limit stated by a service.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RateLimit {
    /// The number of requests allowed per window of time.
    pub limit: Option<u32>,
    /// The number of requests left in the current window.
    pub remaining: Option<u32>,
    /// How long to wait before the next request.
    pub retry_after: Option<Duration>,
}

impl Answer {
    /// The final URL, after redirects.
    pub fn url(&self) -> &str {
        self.url.as_str()
    }

    /// The HTTP status code.
    pub fn status(&self) -> u16 {
        self.status.as_u16()
    }

    /// Whether the status code is 2xx.
    pub fn is_success(&self) -> bool {
        self.status.is_success()
    }

    /// Returns the first header with this name, if it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }

    /// Returns the media type in lower case, without parameters.
    pub fn media_type(&self) -> Option<String> {
        media_type(&self.headers)
    }

    /// Returns the body, decompressed.
    pub fn bytes(&self) -> &Bytes {
        &self.body
    }

    /// Returns the body as text. The encoding is taken from the byte order mark, the header or the
    /// page's `<meta>` element, or else guessed. Invalid bytes become U+FFFD.
    pub fn text(&self) -> String {
        let named = self.header(CONTENT_TYPE.as_str()).and_then(charset_parameter);
        let named = named.or_else(|| charset_of_page(&self.body));
        let encoding = named.unwrap_or_else(|| likely_charset(&self.body));
        encoding.decode(&self.body).0.into_owned()
    }

    /// Parses the body as JSON.
    pub fn json<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        serde_json::from_slice(&self.body)
    }

    /// Returns the rate limit stated by the service.
    pub fn rate_limit(&self) -> RateLimit {
        let number = |names: [&str; 2]| {
            names.iter().find_map(|name| self.header(name)?.trim().parse::<u32>().ok())
        };
        RateLimit {
            limit: number(["x-ratelimit-limit", "ratelimit-limit"]),
            remaining: number(["x-ratelimit-remaining", "ratelimit-remaining"]),
            retry_after: self.retry_after(),
        }
    }

    /// The value is a number of seconds or a date. A date is compared with the `Date` header of the
    /// same answer, because the service's clock is the one that counts.
    fn retry_after(&self) -> Option<Duration> {
        let text = self.header(RETRY_AFTER.as_str())?.trim();
        if let Ok(seconds) = text.parse::<u64>() {
            return Some(Duration::from_secs(seconds));
        }
        let sent = http_date(self.header(DATE.as_str())?)?;
        let seconds = http_date(text)?.as_second().saturating_sub(sent.as_second());
        Some(Duration::from_secs(u64::try_from(seconds).unwrap_or(0)))
    }
}

/// Whether the body of an answer with an error status is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failures {
    /// Read it, because services explain errors there.
    Read,
    /// Ignore it: an error page is not what was asked for, and could be used to explore a network.
    Drop,
}

/// Reads a body to its end or its limit.
pub(crate) async fn read(
    mut response: Response,
    limits: &Limits,
    failures: Failures,
) -> Result<Answer, NetError> {
    let host = response.url().host_str().unwrap_or_default().to_owned();
    let (url, status) = (response.url().clone(), response.status());
    let headers = std::mem::take(response.headers_mut());
    let found = media_type(&headers);
    if status.is_success() && !limits.types.allow(found.as_deref()) {
        return Err(NetError::WrongType { host, found: found.unwrap_or_default() });
    }
    let wanted = status.is_success() || failures == Failures::Read;
    let body = if wanted { read_body(response, limits.bytes, &host).await? } else { Bytes::new() };
    Ok(Answer { url, status, headers, body })
}

/// Reads a body. The limit applies to the decompressed size, so that a decompression bomb is
/// stopped early.
async fn read_body(mut response: Response, limit: usize, host: &str) -> Result<Bytes, NetError> {
    let mut body = BytesMut::new();
    loop {
        let broken = |_| NetError::Broken { host: host.to_owned() };
        let Some(chunk) = response.chunk().await.map_err(broken)? else {
            return Ok(body.freeze());
        };
        if chunk.len() > limit.saturating_sub(body.len()) {
            return Err(NetError::TooLarge { host: host.to_owned(), limit });
        }
        body.extend_from_slice(&chunk);
    }
}

fn media_type(headers: &HeaderMap) -> Option<String> {
    let text = headers.get(CONTENT_TYPE)?.to_str().ok()?;
    let essence = text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    (!essence.is_empty()).then_some(essence)
}

fn charset_parameter(content_type: &str) -> Option<&'static Encoding> {
    let mut parameters = content_type.split(';').skip(1).filter_map(|part| part.split_once('='));
    let (_, label) = parameters.find(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))?;
    Encoding::for_label(label.trim().trim_matches('"').as_bytes())
}

/// Guesses the encoding of a page that states none. A page whose first non-ASCII byte is not valid
/// UTF-8 is taken for Windows-1252, as in browsers.
fn likely_charset(body: &[u8]) -> &'static Encoding {
    match std::str::from_utf8(body) {
        Err(wrong)
            if wrong.error_len().is_some()
                && body.get(..wrong.valid_up_to()).is_some_and(<[u8]>::is_ascii) =>
        {
            WINDOWS_1252
        }
        _ => UTF_8,
    }
}

/// Returns the encoding that a page states in its first kilobyte, which is where browsers look.
fn charset_of_page(body: &[u8]) -> Option<&'static Encoding> {
    let head = body.get(..body.len().min(1024))?.to_ascii_lowercase();
    let head = String::from_utf8_lossy(&head);
    let named = head.split_once("<meta").and_then(|(_, rest)| rest.split_once("charset="))?.1;
    let named = named.trim_start_matches(['"', '\'', ' ']);
    let label = named.split(['"', '\'', ' ', '>', ';', '/']).next()?;
    Encoding::for_label(label.as_bytes())
}

fn http_date(text: &str) -> Option<Timestamp> {
    rfc2822::DateTimeParser::new().parse_timestamp(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(headers: &[(&'static str, &'static str)], body: &'static [u8]) -> Answer {
        let pairs = headers.iter().map(|(name, value)| {
            (name.parse::<http::HeaderName>().unwrap(), value.parse::<http::HeaderValue>().unwrap())
        });
        Answer {
            url: "https://example.org/".parse().unwrap(),
            status: StatusCode::OK,
            headers: pairs.collect(),
            body: Bytes::from_static(body),
        }
    }

    #[test]
    fn text_is_read_in_the_encoding_it_names() {
        let by_header =
            answer(&[("content-type", "text/html; Charset=\"iso-8859-1\"")], b"caf\xe9");
        assert_eq!(by_header.text(), "café");
        let by_page = answer(&[], b"<html><meta charset='windows-1251'>\xcc\xe8\xf0");
        assert!(by_page.text().ends_with("Мир"));
        let by_mark =
            answer(&[("content-type", "text/plain; charset=latin1")], b"\xef\xbb\xbf\xc3\xa9");
        assert_eq!(by_mark.text(), "é");
        assert_eq!(answer(&[], "é".as_bytes()).text(), "é");
        assert_eq!(answer(&[], b"caf\xe9 au lait").text(), "café au lait");
        assert_eq!(answer(&[], b"\xc3\xa9 \xff").text(), "é \u{fffd}");
    }

    #[test]
    fn limits_are_read_from_either_family_of_headers() {
        let kanka = answer(&[("x-ratelimit-limit", "30"), ("x-ratelimit-remaining", "0")], b"");
        assert_eq!(
            kanka.rate_limit(),
            RateLimit { limit: Some(30), remaining: Some(0), retry_after: None }
        );
        assert_eq!(answer(&[("ratelimit-remaining", "7")], b"").rate_limit().remaining, Some(7));
    }

    #[test]
    fn waiting_times_are_seconds_or_dates() {
        let seconds = answer(&[("retry-after", "12")], b"");
        assert_eq!(seconds.rate_limit().retry_after, Some(Duration::from_secs(12)));
        let date = answer(
            &[
                ("date", "Sun, 06 Nov 1994 08:49:37 GMT"),
                ("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT"),
            ],
            b"",
        );
        assert_eq!(date.rate_limit().retry_after, Some(Duration::from_secs(30)));
        assert_eq!(answer(&[("retry-after", "soon")], b"").rate_limit().retry_after, None);
    }
}
