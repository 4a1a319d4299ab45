//! The elements of HTML that may stay, by what they are to a reader.
//!
//! Whoever cleans, reads, writes or says HTML asks here, so that an element is the same to all.

/// Elements that stand on their own lines.
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

/// Parts of a line that Markdown has signs for.
const SIGNED: [&str; 9] = ["a", "b", "code", "del", "em", "i", "s", "strike", "strong"];

/// Parts of a line that Markdown has no signs for and that say something.
const UNSIGNED: [&str; 12] =
    ["abbr", "cite", "ins", "kbd", "mark", "q", "samp", "small", "sub", "sup", "u", "var"];

/// A part of a line that says nothing itself.
const SPAN: &str = "span";

/// What stands in a line without being a part of it.
const THINGS: [&str; 3] = ["br", "img", "input"];

/// Every element that may stay.
pub(crate) fn all() -> impl Iterator<Item = &'static str> {
    BLOCKS.into_iter().chain(inline()).chain(THINGS)
}

/// Every element that is a part of a line.
pub(crate) fn inline() -> impl Iterator<Item = &'static str> {
    SIGNED.into_iter().chain(UNSIGNED).chain([SPAN])
}

/// Whether an element may stay.
pub(crate) fn may_stay(tag: &str) -> bool {
    is_block(tag) || is_inline(tag) || THINGS.contains(&tag)
}

/// Whether an element stands on its own lines.
pub(crate) fn is_block(tag: &str) -> bool {
    BLOCKS.contains(&tag)
}

/// Whether an element is a part of a line.
pub(crate) fn is_inline(tag: &str) -> bool {
    is_signed(tag) || is_unsigned(tag) || tag == SPAN
}

/// Whether an element is a part of a line that Markdown has signs for.
pub(crate) fn is_signed(tag: &str) -> bool {
    SIGNED.contains(&tag)
}

/// Whether an element is a part of a line that Markdown has no signs for and that says something.
pub(crate) fn is_unsigned(tag: &str) -> bool {
    UNSIGNED.contains(&tag)
}

/// Whether an element has no end.
pub(crate) fn is_void(tag: &str) -> bool {
    tag == "hr" || THINGS.contains(&tag)
}
