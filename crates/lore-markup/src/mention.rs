//! Mentions: `[entity:7]`, `[character:7|Bob]`, `[location:7|page:map]`, `[post:3]`,
//! `[icon:fa-skull]`, `[new:character|Bob]`, `{attribute:5}`.
//!
//! The word before the colon is one of Kanka's kinds, and only a hint: the number is always that of
//! the entity, whatever the word. With any other word it is not a mention: `[block:7]` and
//! `[img:7]` belong to World Anvil, and `[dc:15]` is ordinary text. A label ends at the first
//! closing bracket and never spans lines.

use std::borrow::Cow;

/// The maximum length of a mention, in bytes.
const LENGTH_MAX: usize = 1_000;

/// The words for entities: the generic one and Kanka's kinds.
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
    /// The whole mention, including its brackets.
    pub text: Cow<'a, str>,
    /// The target.
    pub target: Target,
}

impl Mention<'_> {
    /// The label that a reader sees in its place, if the author gave one.
    pub fn label(&self) -> Option<&str> {
        let inside = self.text.strip_suffix(']')?;
        let options = inside.split('|').skip(1);
        options.into_iter().find(|option| !option.is_empty() && !is_setting(option))
    }
}

/// The target of a mention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// An entity, by its number.
    Entity(i64),
    /// Something other than an entity: a post, an icon, an attribute.
    Other,
    /// An entity that Kanka would create when it reads this.
    New,
}

/// Returns the mentions in a Markdown text, in order.
pub fn find(markdown: &str) -> Vec<Mention<'_>> {
    pieces(markdown, Dialect::Markdown)
        .into_iter()
        .filter_map(|piece| match piece {
            Piece::Mention(mention) => Some(mention),
            Piece::Text(_) => None,
        })
        .collect()
}

/// Returns a Markdown text with some mentions rewritten; those for which `write` returns `None`
/// stay verbatim.
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

/// Returns a Markdown text with every mention rewritten.
pub(crate) fn replaced_each(markdown: &str, mut write: impl FnMut(&str) -> String) -> String {
    let pieces = pieces(markdown, Dialect::Markdown).into_iter();
    let written = pieces.map(|piece| match piece {
        Piece::Text(text) => text.to_owned(),
        Piece::Mention(mention) => write(&mention.text),
    });
    written.collect()
}

/// Returns a mention as it is written in its text: within a table, its bar is escaped.
pub(crate) fn as_written<'a>(mention: &'a Mention<'_>) -> Cow<'a, str> {
    match &mention.text {
        Cow::Owned(text) => text.replace('|', "\\|").into(),
        Cow::Borrowed(text) => Cow::Borrowed(text),
    }
}

/// The syntax of the text around mentions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// A backslash escapes a bracket.
    Markdown,
    /// A backslash has no special meaning.
    Plain,
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// Text without mentions.
    Text(&'a str),
    /// A mention.
    Mention(Mention<'a>),
}

/// Whether a plain text contains a mention.
pub(crate) fn is_in(text: &str) -> bool {
    pieces(text, Dialect::Plain).iter().any(|piece| matches!(piece, Piece::Mention(_)))
}

/// Returns the mention at the start of a plain text.
pub(crate) fn leading(text: &str) -> Option<&str> {
    at_start(text).and_then(|(_, length)| text.get(..length))
}

/// Splits a text into mentions and the text between them.
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

/// Whether a mention may follow `before`. An incomplete character reference would consume the
/// placeholder of the mention during conversion.
fn may_start(before: &str, dialect: Dialect) -> bool {
    if dialect == Dialect::Markdown {
        let backslashes = before.bytes().rev().take_while(|byte| *byte == b'\\').count();
        if backslashes % 2 == 1 {
            return false;
        }
    }
    !(before.ends_with("&#") || before.ends_with("&#x") || before.ends_with("&#X"))
}

/// Returns the mention at the start of `text` and its length in bytes.
fn at_start(text: &str) -> Option<(Mention<'_>, usize)> {
    let close = if text.starts_with('{') { '}' } else { ']' };
    // The search is limited to the length of a mention, because a text may consist of brackets
    // only.
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

/// Removes the escape of a bar: in a table, the bar before a label is written `\|`.
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
