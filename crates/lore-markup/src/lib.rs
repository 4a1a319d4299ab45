//! Conversion between Markdown, HTML and BBCode, and mentions.
//!
//! Pages are stored as Markdown; Kanka and its clients use HTML. Conversion works both ways and is
//! stable: what was converted once converts back to itself. Mentions (`[entity:7|the Old Mill]`)
//! pass through verbatim in either direction, wherever they are. All HTML that comes in or goes out
//! is sanitised. This crate knows no stores, protocols or network.

pub mod anvil;
mod bbcode;
mod clean;
mod depth;
mod effort;
mod frame;
mod guard;
mod html;
pub mod link;
pub mod mention;
mod model;
mod plain;
mod read;
mod seen;
mod tags;
mod tree;
pub mod vault;
pub mod veil;
mod write;

pub use bbcode::{from_bbcode, to_bbcode};
pub use depth::is_deeper;
pub use effort::is_laborious;
pub use frame::{Frame, framed, frames};
pub use html::to_html;
pub use seen::seen;

/// Converts HTML to Markdown.
///
/// Harmless HTML that Markdown cannot express (`<u>`, `<details>`, tables with merged cells) is
/// kept as HTML inside the Markdown.
pub fn to_markdown(html: &str) -> String {
    settled(html, &|nodes| nodes)
}

/// Converts untrusted HTML to Markdown of text only: it contains no HTML, and images, which a
/// viewer would fetch, are replaced by their descriptions.
pub fn to_plain_markdown(html: &str) -> String {
    settled(html, &plain::worded)
}

/// Returns Markdown that displays this text verbatim.
pub fn literal(text: &str) -> String {
    write::document(&[model::Block::Paragraph(vec![model::Inline::Text(text.to_owned())])])
}

/// Returns the plain text of Markdown, without markup; mentions are replaced by their labels.
pub fn to_text(markdown: &str) -> String {
    let named = anvil::replaced(markdown, |found| Some(literal(found.label)));
    let named = mention::replaced(&named, |found| found.label().map(literal));
    let mut out = String::with_capacity(named.len());
    tree::say(&tree::parse(&to_html(&named)), &mut out);
    out.trim().to_owned()
}

fn settled(html: &str, prepare: &dyn Fn(Vec<tree::Node>) -> Vec<tree::Node>) -> String {
    let mut markdown = written(html, prepare);
    for _ in 0..TRIPS_MAX {
        let again = written(&to_html(&markdown), prepare);
        if again == markdown {
            break;
        }
        markdown = again;
    }
    markdown
}

/// The maximum number of conversions to HTML and back until a text is stable. Normal text is stable
/// at once. Random heaps of markup characters, where each conversion removes something meaningless,
/// may need a few.
const TRIPS_MAX: usize = 8;

fn written(html: &str, prepare: &dyn Fn(Vec<tree::Node>) -> Vec<tree::Node>) -> String {
    let nodes = frame::linked(tree::parse(&html::armed(&clean::incoming(html))));
    write::document(&read::blocks(&prepare(nodes)))
}

/// Removes active content from HTML: scripts, handlers, frames, styles, unusual URLs.
pub fn sanitise(html: &str) -> String {
    tree::print(&tree::parse(&clean::outgoing(html)), tree::Mentions::Escaped)
}
