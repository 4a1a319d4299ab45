//! How deep the elements of a page nest, estimated before the page is parsed.
//!
//! The estimate follows what a browser does with end tags that match nothing, with tables and with
//! formatting that nobody closes, because a page that fools it costs the parser much more time than
//! its length suggests.

/// Elements that are void, whose end tag is optional, or of which a page has one.
const UNCOUNTED: [&str; 25] = [
    "area", "base", "body", "br", "col", "colgroup", "dd", "dt", "embed", "head", "hr", "html",
    "img", "input", "li", "link", "meta", "optgroup", "option", "p", "param", "rp", "source",
    "track", "wbr",
];
/// Parts of a table. Each ends the part before it.
const PARTS: [&str; 7] = ["caption", "tbody", "td", "tfoot", "th", "thead", "tr"];
/// Formatting, which continues in what follows until it is closed itself.
const FORMATTING: [&str; 14] = [
    "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u",
];
/// Formatting of which only one can be open.
const SINGLE: [&str; 2] = ["a", "nobr"];
/// Elements in which formatting starts anew.
const MARKERS: [&str; 7] = ["applet", "caption", "marquee", "object", "td", "template", "th"];
/// Further elements that an end tag within them does not close over.
const BOUNDARIES: [&str; 10] =
    ["annotation", "desc", "foreignobject", "mi", "mn", "mo", "ms", "mtext", "table", "title"];

/// Whether the elements of a page seem to nest deeper than `most` levels.
pub fn is_deeper(html: &str, most: usize) -> bool {
    let mut open = Open { formatting: vec![Vec::new()], ..Open::default() };
    for tag in html.split('<').skip(1) {
        let named = tag.strip_prefix('/').unwrap_or(tag);
        let name = named.bytes().take_while(u8::is_ascii_alphanumeric).take(20);
        let name: String = name.map(|byte| char::from(byte.to_ascii_lowercase())).collect();
        if name.is_empty() || UNCOUNTED.contains(&name.as_str()) {
            continue;
        }
        match named.len() == tag.len() {
            true => open.start(name, tag),
            false => open.end(&name),
        }
        // Going on would take the longer, the deeper they are.
        if open.depth() > most {
            return true;
        }
    }
    false
}

/// The elements that are open at a place in a page.
#[derive(Default)]
struct Open {
    elements: Vec<String>,
    /// The open formatting, outside of and within each open marker.
    formatting: Vec<Vec<String>>,
    /// How many elements of `formatting` there are.
    formats: usize,
}

impl Open {
    fn depth(&self) -> usize {
        self.elements.len() + self.formats
    }

    fn start(&mut self, name: String, tag: &str) {
        if FORMATTING.contains(&name.as_str()) {
            let Some(around) = self.formatting.last_mut() else { return };
            if !SINGLE.contains(&name.as_str()) || !around.contains(&name) {
                around.push(name);
                self.formats += 1;
            }
            return;
        }
        if PARTS.contains(&name.as_str()) {
            // Outside a table, it is nothing.
            let Some(table) = self.table() else { return };
            self.close_from(table + 1);
        }
        let is_drawn = || self.elements.iter().any(|open| open == "svg" || open == "math");
        if is_closed(tag) && is_drawn() {
            return;
        }
        if MARKERS.contains(&name.as_str()) {
            self.formatting.push(Vec::new());
        }
        self.elements.push(name);
    }

    fn end(&mut self, name: &str) {
        if FORMATTING.contains(&name) {
            let Some(around) = self.formatting.last_mut() else { return };
            if let Some(place) = around.iter().rposition(|open| open == name) {
                around.remove(place);
                self.formats -= 1;
            }
            return;
        }
        let from = match name {
            "table" => self.table(),
            part if PARTS.contains(&part) => self.table().map(|table| table + 1),
            _ => self.nearest(name),
        };
        if let Some(from) = from {
            self.close_from(from);
        }
    }

    /// Returns the place of the table that is being read.
    fn table(&self) -> Option<usize> {
        let place = self.elements.iter().rposition(|open| open == "table" || open == "template")?;
        self.elements.get(place).filter(|open| *open == "table").map(|_| place)
    }

    /// Returns the place of the element that an end tag closes.
    fn nearest(&self, name: &str) -> Option<usize> {
        let is_end = |open: &String| {
            let open = open.as_str();
            open == name || MARKERS.contains(&open) || BOUNDARIES.contains(&open)
        };
        let place = self.elements.iter().rposition(is_end)?;
        self.elements.get(place).filter(|open| *open == name).map(|_| place)
    }

    fn close_from(&mut self, place: usize) {
        for name in self.elements.drain(place..) {
            if MARKERS.contains(&name.as_str())
                && let Some(formats) = self.formatting.pop()
            {
                self.formats -= formats.len();
            }
        }
    }
}

/// Whether a tag, with the text up to the next tag, certainly closes itself.
fn is_closed(tag: &str) -> bool {
    let is_even = |quote: char| tag.matches(quote).count().is_multiple_of(2);
    let tag = tag.trim_end();
    tag.ends_with("/>") && tag.matches('>').count() == 1 && is_even('"') && is_even('\'')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_hides_how_deep_a_page_is() {
        for part in [
            "<div>",
            "<div></z>",
            "<b>x</i>",
            "<p><b a=1></p>",
            "<div><b a=1></div>",
            "<p><b a=1></z></p>",
            "<div><table><tr><td></div></table></z>",
            "<table><tr><td><div>",
            "<div><svg><desc></div></svg>",
            "<svg><g a='/>'>",
            "<div><object></div></object>",
        ] {
            assert!(is_deeper(&part.repeat(1_000), 900), "{part}");
        }
    }

    #[test]
    fn real_pages_are_shallow() {
        for part in [
            "<div><p>x<p>y</div>",
            "<ul><li>x<li>y</ul>",
            "<table><tr><td>x<td>y<tr><th><div>z</div></table>",
            "<b><i>x</b></i>",
            "<a href=x>y <a href=z>w</a>",
            "<svg><path d='1'/><path d='2'/></svg>",
            "<h2>x</h2><br><img src=a>",
            "<script>if (a<b) {}</script></b>",
        ] {
            assert!(!is_deeper(&part.repeat(1_000), 5), "{part}");
        }
        assert!(!is_deeper(&format!("<svg>{}</svg>", "<path d='1'/>\n".repeat(1_000)), 2));
        assert!(!is_deeper(&format!("<table>{}</table>", "<tr><td>x".repeat(1_000)), 4));
    }
}
