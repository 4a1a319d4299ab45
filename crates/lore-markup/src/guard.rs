//! Words in angle brackets that are not HTML.
//!
//! Markdown parses `<name>` as a tag, and an HTML parser drops an unknown tag, or takes everything
//! that follows for the content of one without an end. So text in angle brackets is escaped, unless
//! it is an element that the sanitiser keeps, or a known element with its end tag.

use std::collections::HashMap;

use crate::tags;

/// Other HTML elements, which are left to the sanitiser if they have an end tag.
const KNOWN: [&str; 62] = [
    "acronym", "address", "applet", "area", "article", "aside", "audio", "base", "bdi", "bdo",
    "big", "body", "button", "canvas", "center", "col", "colgroup", "data", "datalist", "dfn",
    "dialog", "dir", "embed", "fieldset", "font", "footer", "form", "head", "header", "hgroup",
    "html", "label", "legend", "link", "main", "map", "math", "menu", "meta", "meter", "nav",
    "nobr", "object", "optgroup", "option", "output", "param", "picture", "progress", "rp", "rt",
    "ruby", "select", "slot", "source", "svg", "time", "track", "tt", "video", "wbr", "marquee",
];

/// Elements whose content is not parsed as HTML, so that one without an end swallows everything.
const SWALLOWING: [&str; 11] = [
    "iframe",
    "noembed",
    "noframes",
    "noscript",
    "plaintext",
    "script",
    "style",
    "template",
    "textarea",
    "title",
    "xmp",
];

/// Void elements without an end tag.
const ENDLESS: [&str; 10] =
    ["area", "base", "col", "embed", "link", "meta", "param", "source", "track", "wbr"];

/// Ends of blocks, before which the end tag of a swallowing element has to come.
const BLOCK_ENDS: [&str; 10] =
    ["</p>", "</li>", "</td>", "</th>", "</h1>", "</h2>", "</h3>", "</h4>", "</h5>", "</h6>"];

/// Escapes everything in the HTML of a Markdown text that only looks like a tag.
pub(crate) fn guarded(html: &str) -> String {
    let lower = html.to_ascii_lowercase();
    let mut ahead = Ahead { html: &lower, found: HashMap::new() };
    let mut open: Vec<&str> = Vec::new();
    let mut out = String::with_capacity(html.len());
    let mut from = 0;
    while let Some(at) = lower.get(from..).and_then(|rest| rest.find('<')).map(|at| from + at) {
        out.push_str(html.get(from..at).unwrap_or_default());
        from = at + 1;
        match Tag::at(&lower, at) {
            Looks::Otherwise => out.push('<'),
            Looks::Broken => out.push_str("&lt;"),
            Looks::Tag(tag) => {
                let stays = tag.stays(&mut open, &mut ahead);
                out.push_str(if stays { "<" } else { "&lt;" });
                out.push_str(html.get(at + 1..tag.end).unwrap_or_default());
                from = tag.end;
            }
        }
    }
    out.push_str(html.get(from..).unwrap_or_default());
    out
}

/// What is at an angle bracket.
enum Looks<'a> {
    Tag(Tag<'a>),
    /// The start of a tag that has no end.
    Broken,
    /// A comment, or something else.
    Otherwise,
}

/// A parsed start or end tag.
struct Tag<'a> {
    name: &'a str,
    is_end: bool,
    is_bare: bool,
    /// The position right after it.
    end: usize,
}

impl<'a> Tag<'a> {
    fn at(lower: &'a str, at: usize) -> Looks<'a> {
        let inside = lower.get(at + 1..).unwrap_or_default();
        let (is_end, named) = match inside.strip_prefix('/') {
            Some(named) => (true, named),
            None => (false, inside),
        };
        let length = named.bytes().take_while(|c| c.is_ascii_alphanumeric() || *c == b'-').count();
        let (name, after) = named.split_at(length);
        if !name.starts_with(|c: char| c.is_ascii_lowercase()) {
            return Looks::Otherwise;
        }
        let Some(rest) = length_of_rest(after) else { return Looks::Broken };
        let end = at + 1 + usize::from(is_end) + length + rest;
        Looks::Tag(Tag { name, is_end, is_bare: rest == 1, end })
    }

    fn stays(&self, open: &mut Vec<&'a str>, ahead: &mut Ahead<'a>) -> bool {
        let name = self.name;
        if tags::may_stay(name) {
            return true;
        }
        if self.is_end {
            let begun = open.iter().rposition(|known| *known == name);
            return begun.map(|at| open.remove(at)).is_some();
        }
        if ENDLESS.contains(&name) {
            return !self.is_bare;
        }
        let is_whole = match () {
            () if SWALLOWING.contains(&name) => {
                let ends = BLOCK_ENDS.map(|end| ahead.next(end, self.end));
                let block = ends.into_iter().min().unwrap_or(usize::MAX);
                ahead.next_end_of(name, self.end).is_some_and(|at| at < block)
            }
            () => KNOWN.contains(&name) && ahead.next_end_of(name, self.end).is_some(),
        };
        if is_whole {
            open.push(name);
        }
        is_whole
    }
}

/// Returns the length from the end of a tag's name to the end of the tag; quoted `>` are skipped.
fn length_of_rest(after: &str) -> Option<usize> {
    let mut quote = None;
    for (at, c) in after.bytes().enumerate() {
        match (quote, c) {
            (None, b'>') => return Some(at + 1),
            (None, b'"' | b'\'') => quote = Some(c),
            (Some(open), c) if c == open => quote = None,
            _ => {}
        }
    }
    None
}

/// Searches ahead in the text and caches the next position of each string.
struct Ahead<'a> {
    html: &'a str,
    found: HashMap<String, usize>,
}

impl Ahead<'_> {
    /// Returns the next position of a string; `usize::MAX` if there is none.
    fn next(&mut self, what: &str, from: usize) -> usize {
        if let Some(known) = self.found.get(what).filter(|known| **known >= from) {
            return *known;
        }
        let rest = self.html.get(from..).unwrap_or_default();
        let next = rest.find(what).map_or(usize::MAX, |at| from + at);
        self.found.insert(what.to_owned(), next);
        next
    }

    fn next_end_of(&mut self, name: &str, from: usize) -> Option<usize> {
        Some(self.next(&format!("</{name}"), from)).filter(|at| *at != usize::MAX)
    }
}

#[cfg(test)]
mod tests {
    use crate::{mention, to_html, to_markdown};

    #[test]
    fn words_in_angle_brackets_take_nothing_with_them() {
        for word in [
            "<script>",
            "<style>",
            "<noscript>",
            "<template>",
            "<title>",
            "<textarea>",
            "<iframe>",
            "<plaintext>",
            "<xmp>",
            "<name>",
            "<hp>",
            "<map>",
            "<y and z>",
            "</name>",
            "</script>",
            "<source>",
            "<SCRIPT>",
        ] {
            let markdown = format!("Dear {word} of [entity:1].\n\nSecond [entity:2]\n\n- a {word}");
            let html = to_html(&markdown);
            let shown = word.replace('<', "&lt;").replace('>', "&gt;");
            assert_eq!(html.matches(&shown).count(), 2, "{word}: {html}");
            assert!(html.contains("<p>Second [entity:2]</p>"), "{word}: {html}");
            let back = to_markdown(&html);
            assert_eq!(mention::find(&back).len(), 2, "{word}: {back}");
            assert_eq!(to_html(&back), html, "{word}: {back}");
        }
    }

    #[test]
    fn a_block_that_nobody_closes_keeps_its_text() {
        for word in ["<script>", "<style>", "<textarea>", "<title>"] {
            let html = to_html(&format!("{word} of [entity:1]\n\nSecond [entity:2]"));
            assert!(html.contains("[entity:1]") && html.contains("[entity:2]"), "{html}");
        }
    }

    #[test]
    fn what_is_whole_is_left_to_the_sanitiser() {
        for (markdown, html) in [
            ("a <script>alert(1)</script> b", "<p>a  b</p>"),
            ("a <font color=\"red\">b</font> c", "<p>a b c</p>"),
            ("a <u>b</u> c", "<p>a <u>b</u> c</p>"),
            ("a <embed src=\"x\"> b", "<p>a  b</p>"),
            ("`<name>`", "<p><code>&lt;name&gt;</code></p>"),
            ("<center>\n<p>a</p>\n</center>", "\n<p>a</p>"),
        ] {
            assert_eq!(to_html(markdown), html);
        }
    }

    #[test]
    fn many_of_them_take_no_longer_than_their_length() {
        let html = to_html(&"<map> <script> <name> ".repeat(20_000));
        assert_eq!(html.matches("&lt;").count(), 60_000);
    }
}
