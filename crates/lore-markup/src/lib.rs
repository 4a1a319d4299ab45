//! Markdown, HTML and mentions.
//!
//! Pages are kept as Markdown; Kanka and its clients speak HTML. Converting goes
//! both ways and settles: what was converted once converts back to itself. Mentions
//! (`[entity:7|the Old Mill]`) pass through either way to the letter, wherever they
//! stand. All HTML that comes in or goes out is sanitised. Nothing here knows
//! stores, protocols or the network.

pub mod anvil;
mod bbcode;
mod clean;
mod frame;
mod guard;
mod html;
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
pub use frame::{Frame, framed, frames};
pub use html::to_html;
pub use seen::seen;

/// Converts HTML to Markdown.
///
/// Whatever Markdown cannot say but is harmless (`<u>`, `<details>`, tables with
/// merged cells) stays HTML inside the Markdown.
pub fn to_markdown(html: &str) -> String {
    settled(html, &|nodes| nodes)
}

/// Converts HTML of strangers to Markdown that only says something: there is no HTML in it,
/// and pictures, which whoever shows the text would fetch, are what they are said to show.
pub fn to_plain_markdown(html: &str) -> String {
    settled(html, &plain::worded)
}

/// Markdown that shows this text to the letter.
pub fn literal(text: &str) -> String {
    write::document(&[model::Block::Paragraph(vec![model::Inline::Text(text.to_owned())])])
}

/// What a Markdown text says, without its marks; mentions as their labels.
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

/// How often a text goes to HTML and back until it stays as it is. What people write is
/// there at once; heaps of signs, where each trip takes away something that has no
/// meaning, may need a few.
const TRIPS_MAX: usize = 8;

fn written(html: &str, prepare: &dyn Fn(Vec<tree::Node>) -> Vec<tree::Node>) -> String {
    let nodes = frame::linked(tree::parse(&html::armed(&clean::incoming(html))));
    write::document(&read::blocks(&prepare(nodes)))
}

/// Removes from HTML what could act: scripts, handlers, frames, styles, odd URLs.
pub fn sanitise(html: &str) -> String {
    tree::print(&tree::parse(&clean::outgoing(html)), tree::Mentions::Escaped)
}
