//! World Anvil's mentions: `@[Label](person:UUID)`.
//!
//! The word before the colon is the kind of the target; the id alone identifies it.

/// The maximum length of a mention, in bytes.
const LENGTH_MAX: usize = 1_000;

/// A mention in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnvilMention<'a> {
    /// The label that a reader sees.
    pub label: &'a str,
    /// The kind of the target.
    pub kind: &'a str,
    /// The id of the target.
    pub id: &'a str,
}

/// Writes a mention. Characters that would end the label early are removed from it.
pub fn mention(label: &str, kind: &str, id: &str) -> String {
    let label: String = label.chars().filter(|c| !matches!(c, '[' | ']' | '\n' | '\r')).collect();
    format!("@[{label}]({kind}:{id})")
}

/// Returns the mentions in a text, in order.
pub fn mentions(text: &str) -> Vec<AnvilMention<'_>> {
    let mut found = Vec::new();
    each(text, |piece| {
        if let Piece::Mention(mention, _) = piece {
            found.push(mention);
        }
    });
    found
}

/// Returns a text with some mentions rewritten; those for which `write` returns `None` stay
/// verbatim.
pub fn replaced(text: &str, write: impl Fn(&AnvilMention<'_>) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    each(text, |piece| match piece {
        Piece::Text(plain) => out.push_str(plain),
        Piece::Mention(mention, whole) => match write(&mention) {
            // In a table row, a bar would start a new cell.
            Some(written) if in_table(&out) => out.push_str(&written.replace('|', "\\|")),
            Some(written) => out.push_str(&written),
            None => out.push_str(whole),
        },
    });
    out
}

/// Returns a text with every mention rewritten; `write` receives it as written.
pub(crate) fn replaced_each(text: &str, mut write: impl FnMut(&str) -> String) -> String {
    let mut out = String::with_capacity(text.len());
    each(text, |piece| match piece {
        Piece::Text(plain) => out.push_str(plain),
        Piece::Mention(_, whole) => out.push_str(&write(whole)),
    });
    out
}

/// Returns the whole mention at the start of a text.
pub(crate) fn whole_at_start(text: &str) -> Option<&str> {
    at_start(text).map(|(_, whole)| whole)
}

enum Piece<'a> {
    Text(&'a str),
    Mention(AnvilMention<'a>, &'a str),
}

fn each<'a>(text: &'a str, mut take: impl FnMut(Piece<'a>)) {
    let (mut done, mut from) = (0, 0);
    while let Some(at) = text.get(from..).and_then(|rest| rest.find("@[")) {
        let at = from + at;
        let Some((mention, whole)) = text.get(at..).and_then(at_start) else {
            from = at + 2;
            continue;
        };
        take(Piece::Text(text.get(done..at).unwrap_or_default()));
        take(Piece::Mention(mention, whole));
        done = at + whole.len();
        from = done;
    }
    take(Piece::Text(text.get(done..).unwrap_or_default()));
}

/// Returns the mention at the start of `text`, parsed and as written.
fn at_start(text: &str) -> Option<(AnvilMention<'_>, &str)> {
    let inside = text.strip_prefix("@[")?;
    let (label, rest) = inside.split_at_checked(label_end(inside)?)?;
    let target = rest.strip_prefix("](")?;
    let end = target.find([')', '\n', '\r', ' '])?;
    let (target, after) = target.split_at_checked(end)?;
    after.strip_prefix(')')?;
    let (kind, id) = target.split_once(':')?;
    let word = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric());
    let is_id = !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let length =
        "@[".len() + label.len() + "](".len() + kind.len() + ":".len() + id.len() + ")".len();
    let whole = text.get(..length).filter(|_| length <= LENGTH_MAX && word(kind) && is_id)?;
    Some((AnvilMention { label, kind, id }, whole))
}

/// Returns the end of a label: the first closing bracket that is not paired with one in the label,
/// or the first of all if they are not balanced.
fn label_end(inside: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, c) in inside.char_indices() {
        match c {
            ']' if depth == 0 => return Some(at),
            ']' => depth -= 1,
            '[' => depth += 1,
            '\n' | '\r' => break,
            _ if at > LENGTH_MAX => break,
            _ => {}
        }
    }
    inside.find([']', '\n', '\r'])
}

fn in_table(before: &str) -> bool {
    before.rsplit('\n').next().is_some_and(|line| line.trim_start().starts_with('|'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0190a1b2-0000-7000-8000-000000000001";

    #[test]
    fn mentions_are_found_and_written() {
        let text = format!("By @[the Mill](location:{ID}) and @[Bob](person:{ID}).");
        let found = mentions(&text);
        assert_eq!(found[0], AnvilMention { label: "the Mill", kind: "location", id: ID });
        assert_eq!(found[1].label, "Bob");
        assert_eq!(mention("the Mill", "location", ID), format!("@[the Mill](location:{ID})"));
        assert_eq!(mention("a]b\nc", "person", "1"), "@[abc](person:1)");
    }

    #[test]
    fn a_label_may_hold_brackets() {
        for label in ["Lab [x] el", "[x]"] {
            let text = format!("@[{label}](person:{ID}) ]");
            let found = mentions(&text);
            assert_eq!(found.len(), 1, "{text}");
            assert_eq!(found[0], AnvilMention { label, kind: "person", id: ID });
        }
    }

    #[test]
    fn what_only_looks_like_one_stays() {
        for text in [
            "@[a](b)",
            "@[a](b:)",
            "@[a]b:1)",
            "@[a\n](b:1)",
            "@[a](b c:1)",
            "@[",
            "mail@[x",
            "[a](b:1)",
        ] {
            assert!(mentions(text).is_empty(), "{text}");
            assert_eq!(replaced(text, |_| Some("!".into())), text);
        }
    }

    #[test]
    fn a_bar_in_a_table_is_escaped() {
        let text = format!("| @[Bob](person:{ID}) |\n@[Bob](person:{ID})");
        let written = replaced(&text, |found| Some(format!("[entity:7|{}]", found.label)));
        assert_eq!(written, "| [entity:7\\|Bob] |\n[entity:7|Bob]");
    }
}
