//! Descriptions and titles of images and links. BBCode has no syntax for them, so they are encoded
//! in the URL, where browsers ignore them: in a directive of its fragment.

use crate::tree::Element;

/// The start of a fragment directive.
const DIRECTIVE: &str = ":~:";
/// The attributes that are encoded.
const NAMES: [&str; 2] = ["alt", "title"];

/// Returns the URL of an element with its other attributes encoded in it.
pub(super) fn told(element: &Element, address: &str) -> String {
    let mut out = element.attribute(address).unwrap_or_default().to_owned();
    let said = NAMES.iter().filter_map(|name| Some((name, element.attribute(name)?)));
    let said = said.filter(|(_, text)| !text.trim().is_empty());
    let said: Vec<String> = said.map(|(name, text)| format!("{name}={}", encoded(text))).collect();
    if said.is_empty() || !may_carry(&out) {
        return out;
    }
    if !out.contains('#') {
        out.push('#');
    }
    out.push_str(DIRECTIVE);
    out.push_str(&said.join("&"));
    out
}

/// Splits a URL into the plain URL and the attributes encoded in it.
pub(super) fn taken(address: &str) -> (&str, Vec<(&'static str, String)>) {
    let Some((bare, said)) = address.rsplit_once(DIRECTIVE) else { return (address, Vec::new()) };
    let parts: Option<Vec<_>> = said.split('&').map(part).collect();
    match parts {
        Some(parts) => (bare.strip_suffix('#').unwrap_or(bare), parts),
        // The URL has a directive of its own.
        None => (address, Vec::new()),
    }
}

fn part(text: &str) -> Option<(&'static str, String)> {
    let (name, value) = text.split_once('=')?;
    let name = NAMES.into_iter().find(|known| *known == name)?;
    Some((name, decoded(value)?))
}

/// Whether a URL can have our directive: `mailto:` has no fragment.
fn may_carry(address: &str) -> bool {
    !address.is_empty() && !address.starts_with("mailto:") && !address.contains(DIRECTIVE)
}

fn encoded(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_');
    let written = text.bytes().map(|byte| match is_plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    });
    written.collect()
}

fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let (byte, length) = match first {
            '%' => (u8::from_str_radix(rest.get(1..3)?, 16).ok()?, 3),
            _ => (u8::try_from(first).ok()?, 1),
        };
        bytes.push(byte);
        rest = rest.get(length..)?;
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_aside_comes_back() {
        for (address, bare) in [
            ("https://x.example/a.png", "https://x.example/a.png#:~:alt=A%20%5Bred%5D%20f%C3%B6x"),
            ("/a.png#part", "/a.png#part:~:alt=A%20%5Bred%5D%20f%C3%B6x"),
        ] {
            let attributes = [("src", address), ("alt", "A [red] f\u{f6}x"), ("title", " ")];
            let attributes = attributes.map(|(name, value)| (name.to_owned(), value.to_owned()));
            let element = Element { attributes: attributes.into(), ..Element::default() };
            assert_eq!(told(&element, "src"), bare);
            assert_eq!(taken(bare), (address, vec![("alt", "A [red] f\u{f6}x".to_owned())]));
        }
    }

    #[test]
    fn other_directives_stay() {
        for address in ["https://x.example/#:~:text=fox", "x:~:", "x#:~:alt=%F", "x#:~:alt=%FF"] {
            assert_eq!(taken(address), (address, Vec::new()));
        }
    }
}
