//! The HTML elements that the sanitiser keeps, by their role.
//!
//! Everything that cleans, reads, writes or prints HTML uses this list, so that an element is
//! treated alike everywhere.

/// Block elements, including parts of lists and tables.
const BLOCKS: [&str; 30] = [
    "blockquote",
    "caption",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "figcaption",
    "figure",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "li",
    "ol",
    "p",
    "pre",
    "section",
    "summary",
    "table",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "ul",
];

/// Inline elements with Markdown syntax.
const SIGNED: [&str; 9] = ["a", "b", "code", "del", "em", "i", "s", "strike", "strong"];

/// Inline elements with a meaning but without Markdown syntax.
const UNSIGNED: [&str; 12] =
    ["abbr", "cite", "ins", "kbd", "mark", "q", "samp", "small", "sub", "sup", "u", "var"];

/// An inline element without a meaning of its own.
const SPAN: &str = "span";

/// Void elements within a line.
const THINGS: [&str; 3] = ["br", "img", "input"];

/// Returns every element that is kept.
pub(crate) fn all() -> impl Iterator<Item = &'static str> {
    BLOCKS.into_iter().chain(inline()).chain(THINGS)
}

/// Returns every inline element with content.
pub(crate) fn inline() -> impl Iterator<Item = &'static str> {
    SIGNED.into_iter().chain(UNSIGNED).chain([SPAN])
}

/// Whether an element is kept.
pub(crate) fn may_stay(tag: &str) -> bool {
    is_block(tag) || is_inline(tag) || THINGS.contains(&tag)
}

/// Whether an element is a block.
pub(crate) fn is_block(tag: &str) -> bool {
    BLOCKS.contains(&tag)
}

/// Whether an element is inline and has content.
pub(crate) fn is_inline(tag: &str) -> bool {
    is_signed(tag) || is_unsigned(tag) || tag == SPAN
}

/// Whether an element is inline and has Markdown syntax.
pub(crate) fn is_signed(tag: &str) -> bool {
    SIGNED.contains(&tag)
}

/// Whether an element is inline and has a meaning but no Markdown syntax.
pub(crate) fn is_unsigned(tag: &str) -> bool {
    UNSIGNED.contains(&tag)
}

/// Whether an element is void: without content and end tag.
pub(crate) fn is_void(tag: &str) -> bool {
    tag == "hr" || THINGS.contains(&tag)
}
