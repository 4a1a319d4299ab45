//! The text as a reader sees it: mentions as their labels, and no HTML tags.

use std::borrow::Cow;

use crate::{anvil, mention, tags};

/// Returns the text as a reader sees it. A mention without a label becomes a space.
pub fn seen(text: &str) -> Cow<'_, str> {
    let mut seen = Cow::Borrowed(text);
    if seen.contains("@[") {
        seen = Cow::Owned(anvil::replaced(&seen, |found| Some(found.label.to_owned())));
    }
    if seen.contains(['[', '{']) && !mention::find(&seen).is_empty() {
        let label = |found: &mention::Mention<'_>| Some(found.label().unwrap_or(" ").to_owned());
        seen = Cow::Owned(mention::replaced(&seen, label));
    }
    if seen.contains('<') {
        seen = Cow::Owned(without_tags(&seen));
    }
    seen
}

/// Removes HTML tags, except in code, where they are visible.
fn without_tags(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut rest, mut in_code) = (text, false);
    while let Some(at) = rest.find(['<', '`']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let tag = if in_code { None } else { tag_at_start(from) };
        let length = tag.map_or(1, |tag| tag.length);
        match tag.map(|tag| tag.parts) {
            Some(Parts::Words) => out.push(' '),
            Some(Parts::Letters) => {}
            None => out.push_str(from.get(..length).unwrap_or_default()),
        }
        in_code ^= from.starts_with('`');
        rest = from.get(length..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// An HTML tag at the start of a text.
#[derive(Clone, Copy)]
struct Tag {
    /// The length in bytes.
    length: usize,
    parts: Parts,
}

/// What a tag separates.
#[derive(Clone, Copy)]
enum Parts {
    /// Possibly parts of one word.
    Letters,
    /// Words.
    Words,
}

fn tag_at_start(text: &str) -> Option<Tag> {
    const LONGEST: usize = 1_000;
    let inside = text.strip_prefix('<')?;
    let name = inside.strip_prefix('/').unwrap_or(inside);
    let end = name.find(|c: char| !c.is_ascii_alphanumeric())?;
    let name = name.get(..end)?.to_ascii_lowercase();
    let length = text.find('>').filter(|length| *length < LONGEST)? + 1;
    let parts = match name.as_str() {
        name if tags::is_inline(name) || name == OLD_INLINE => Parts::Letters,
        name if tags::may_stay(name) || OLD_BLOCKS.contains(&name) => Parts::Words,
        _ => return None,
    };
    Some(Tag { length, parts })
}

/// Elements of old pages that the sanitiser does not keep.
const OLD_INLINE: &str = "font";
const OLD_BLOCKS: [&str; 2] = ["center", "iframe"];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn mentions_are_their_labels() {
        assert_eq!(seen("By [entity:7|the Old Mill]."), "By the Old Mill.");
        assert_eq!(seen("By @[Bob](person:0b2c-11) and [new:item|a cup]"), "By Bob and a cup");
        assert_eq!(seen("[entity:7] {attribute:5}").trim(), "");
        assert_eq!(seen("[photo: a dog] [dc:15]"), "[photo: a dog] [dc:15]");
    }

    #[test]
    fn tags_are_not_seen_but_in_code() {
        assert_eq!(seen("<p>an <u>un</u>seen<br/>one</p>"), " an unseen one ");
        assert_eq!(seen("a < b, Vec<String>, <3"), "a < b, Vec<String>, <3");
        assert_eq!(seen("write `<br>` here"), "write `<br>` here");
        assert!(matches!(seen("plain words"), Cow::Borrowed(_)));
    }

    proptest! {
        #[test]
        fn any_text_has_something_seen(text in "(\\PC|<b>|</p>|`|@\\[|\\[entity:1\\|){0,40}") {
            prop_assert!(seen(&text).len() <= text.len());
        }
    }
}
