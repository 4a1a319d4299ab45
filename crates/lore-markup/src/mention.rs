//! Mentions: `[entity:7]`, `[character:7|Bob]`, `[location:7|page:map]`, `[post:3]`,
//! `[icon:fa-skull]`, `[new:character|Bob]`, `{attribute:5}`.
//!
//! The word before the colon is one of Kanka's kinds, and only a hint: the number is
//! always the entity's own, whichever the word. Any other word is no mention: `[block:7]`
//! and `[img:7]` are World Anvil's, `[dc:15]` is what somebody wrote. A label ends at the first closing bracket and never
//! spans lines.

use std::borrow::Cow;

/// Longest mention that is recognised, in bytes.
const LENGTH_MAX: usize = 1_000;

/// The words for entities: any of them, and each of Kanka's kinds.
const ENTITIES: [&str; 22] = [
    "entity",
    "character",
    "family",
    "location",
    "organisation",
    "organization",
    "item",
    "note",
    "event",
    "calendar",
    "race",
    "quest",
    "journal",
    "tag",
    "dice_roll",
    "conversation",
    "attribute_template",
    "ability",
    "map",
    "timeline",
    "bookmark",
    "creature",
];

/// A mention in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention<'a> {
    /// All of it, from bracket to bracket.
    pub text: Cow<'a, str>,
    /// What it points to.
    pub target: Target,
}

impl Mention<'_> {
    /// What a reader sees in its place, if the writer said so.
    pub fn label(&self) -> Option<&str> {
        let inside = self.text.strip_suffix(']')?;
        let options = inside.split('|').skip(1);
        options.into_iter().find(|option| !option.is_empty() && !is_setting(option))
    }
}

/// What a mention points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// An entity, by its number.
    Entity(i64),
    /// Something that is no entity: a post, an icon, an attribute.
    Other,
    /// An entity that Kanka would make when it sees this.
    New,
}

/// The mentions in a Markdown text, in order.
pub fn find(markdown: &str) -> Vec<Mention<'_>> {
    pieces(markdown, Dialect::Markdown)
        .into_iter()
        .filter_map(|piece| match piece {
            Piece::Mention(mention) => Some(mention),
            Piece::Text(_) => None,
        })
        .collect()
}

/// A Markdown text with some of its mentions written anew; those for which `write` gives
/// nothing stay to the letter.
pub fn replaced(markdown: &str, write: impl Fn(&Mention<'_>) -> Option<String>) -> String {
    let mut out = String::with_capacity(markdown.len());
    for piece in pieces(markdown, Dialect::Markdown) {
        match piece {
            Piece::Text(text) => out.push_str(text),
            Piece::Mention(mention) => match write(&mention) {
                Some(written) => out.push_str(&written),
                None => out.push_str(&as_written(&mention)),
            },
        }
    }
    out
}

/// A Markdown text with each of its mentions in another form.
pub(crate) fn replaced_each(markdown: &str, mut write: impl FnMut(&str) -> String) -> String {
    let pieces = pieces(markdown, Dialect::Markdown).into_iter();
    let written = pieces.map(|piece| match piece {
        Piece::Text(text) => text.to_owned(),
        Piece::Mention(mention) => write(&mention.text),
    });
    written.collect()
}

/// A mention as it stands in its text: the bar of one in a table is escaped.
pub(crate) fn as_written<'a>(mention: &'a Mention<'_>) -> Cow<'a, str> {
    match &mention.text {
        Cow::Owned(text) => text.replace('|', "\\|").into(),
        Cow::Borrowed(text) => Cow::Borrowed(text),
    }
}

/// What the brackets stand in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// A backslash before a bracket makes it an ordinary one.
    Markdown,
    /// A backslash is a backslash.
    Plain,
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// Anything but a mention.
    Text(&'a str),
    /// A mention.
    Mention(Mention<'a>),
}

/// Whether a plain text mentions something.
pub(crate) fn is_in(text: &str) -> bool {
    pieces(text, Dialect::Plain).iter().any(|piece| matches!(piece, Piece::Mention(_)))
}

/// The mention that a plain text starts with.
pub(crate) fn leading(text: &str) -> Option<&str> {
    at_start(text).and_then(|(_, length)| text.get(..length))
}

/// Cuts a text into mentions and what is between them.
pub(crate) fn pieces(text: &str, dialect: Dialect) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut done = 0;
    let mut from = 0;
    while let Some(at) = text.get(from..).and_then(|rest| rest.find(['[', '{'])) {
        let at = from + at;
        let (before, rest) = text.split_at(at);
        let Some((mention, length)) = at_start(rest).filter(|_| may_start(before, dialect)) else {
            from = at + 1;
            continue;
        };
        if let Some(between) = text.get(done..at).filter(|between| !between.is_empty()) {
            pieces.push(Piece::Text(between));
        }
        pieces.push(Piece::Mention(mention));
        done = at + length;
        from = done;
    }
    if let Some(rest) = text.get(done..).filter(|rest| !rest.is_empty()) {
        pieces.push(Piece::Text(rest));
    }
    pieces
}

/// Whether a mention may stand after `before`. A half-written character reference
/// would swallow what stands for the mention while the rest is converted.
fn may_start(before: &str, dialect: Dialect) -> bool {
    if dialect == Dialect::Markdown {
        let backslashes = before.bytes().rev().take_while(|byte| *byte == b'\\').count();
        if backslashes % 2 == 1 {
            return false;
        }
    }
    !(before.ends_with("&#") || before.ends_with("&#x") || before.ends_with("&#X"))
}

/// The mention that `text` starts with, and its length in bytes.
fn at_start(text: &str) -> Option<(Mention<'_>, usize)> {
    let close = if text.starts_with('{') { '}' } else { ']' };
    // Not further than a mention reaches: a text may be nothing but brackets.
    let ends = |byte: u8| byte == close as u8 || matches!(byte, b'\n' | b'\r');
    let end = text.bytes().take(LENGTH_MAX).position(ends)?;
    let (whole, _) = text.split_at_checked(end + 1)?;
    let inside = whole.get(1..)?.strip_suffix(close)?;
    let (word, rest) = inside.split_once(':')?;
    let target = target_of(word, rest, close)?;
    Some((Mention { text: unescaped(whole), target }, whole.len()))
}

fn target_of(word: &str, rest: &str, close: char) -> Option<Target> {
    let first = rest.split('|').next().unwrap_or_default();
    let number = first.strip_suffix('\\').filter(|_| rest.contains('|')).unwrap_or(first);
    let number = Some(number).filter(|text| !text.is_empty() && text.len() <= 15);
    let number = number.filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
    let number = number.and_then(|text| text.parse::<i64>().ok());
    match word.to_ascii_lowercase().as_str() {
        "attribute" => number.filter(|_| close == '}').map(|_| Target::Other),
        _ if close == '}' => None,
        "new" => Some(Target::New),
        "icon" if !rest.is_empty() => Some(Target::Other),
        "post" => number.map(|_| Target::Other),
        word if ENTITIES.contains(&word) => number.map(Target::Entity),
        _ => None,
    }
}

/// In a table the bar before a label is written `\|`.
fn unescaped(text: &str) -> Cow<'_, str> {
    if text.contains("\\|") { text.replace("\\|", "|").into() } else { text.into() }
}

fn is_setting(option: &str) -> bool {
    const SETTINGS: [&str; 6] = ["page:", "anchor:", "params:", "tooltip:", "field:", "alias:"];
    option == "transclude" || SETTINGS.iter().any(|setting| option.starts_with(setting))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        find(text).into_iter().map(|mention| mention.text.into_owned()).collect()
    }

    #[test]
    fn every_form_is_found() {
        let forms = [
            "[entity:1]",
            "[entity:1|text]",
            "[character:7|Bob]",
            "[organisation:12|The *Old* Guard|page:members]",
            "[Dice_Roll:3]",
            "[post:9]",
            "[icon:fa-skull]",
            "[new:character|Bob]",
            "{attribute:5}",
        ];
        for form in forms {
            assert_eq!(found(&format!("before {form} after")), [form], "{form}");
        }
        assert_eq!(found(&forms.concat()), forms);
    }

    #[test]
    fn what_only_looks_like_one_is_left_alone() {
        for text in [
            "[Known misspellings: Aylysh]",
            "[a](b)",
            "[note:this is no number]",
            "[entity:]",
            "[entity:1\n]",
            "[entity:1",
            r"\[entity:1]",
            "[ ] task",
            "{entity:1}",
            "[entity:12345678901234567890]",
            "[block:3]",
            "[img:5|left]",
            "[dc:1]",
            "[hp:12]",
            "[roll:20]",
            "[characters:7]",
            "[:7]",
        ] {
            assert_eq!(found(text), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn a_bar_escaped_for_a_table_is_a_bar() {
        assert_eq!(found(r"| [entity:1\|the mill] | x |"), ["[entity:1|the mill]"]);
    }

    #[test]
    fn targets_and_labels() {
        let of = |text: &'static str| find(text).into_iter().next().unwrap();
        assert_eq!(of("[location:42|page:map|Mill]").target, Target::Entity(42));
        assert_eq!(of("[location:42|page:map|Mill]").label(), Some("Mill"));
        assert_eq!(of("[entity:42]").label(), None);
        assert_eq!(of("[new:character|Bob]").target, Target::New);
    }

    #[test]
    fn mentions_are_written_anew_or_kept_to_the_letter() {
        let text = r"See [entity:1|the mill], [post:3] and | [entity:2\|x] |.";
        let write = |mention: &Mention<'_>| match mention.target {
            Target::Entity(1) => Some("HERE".to_owned()),
            _ => None,
        };
        let wanted = r"See HERE, [post:3] and | [entity:2\|x] |.";
        assert_eq!(replaced(text, write), wanted);
    }
}
