//! Text of strangers in a folder of notes.
//!
//! Programs that show notes know more marks than Markdown does: links and embeds of other notes,
//! comments, names of blocks, tags, fields, formulas, templates that are run. Text that comes from
//! elsewhere is written so that it is none of these, whatever program reads it: no two signs that
//! mean something together stand beside each other.

/// Markdown of a note that shows this text to the letter.
pub fn literal(text: &str) -> String {
    let plain = crate::literal(text);
    let mut out = String::with_capacity(plain.len());
    let (mut last, mut is_escaped) = (None, false);
    let mut signs = plain.chars().peekable();
    while let Some(sign) = signs.next() {
        if !is_escaped && acts(last, sign, signs.peek().copied()) {
            out.push('\\');
        }
        out.push(sign);
        is_escaped = sign == '\\' && !is_escaped;
        last = Some(sign).filter(|sign| *sign != '\\').or(last);
    }
    out
}

/// A text as the value of a property, which knows no escapes: what would act is pulled apart.
pub fn property(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut last = None;
    for sign in text.chars() {
        if matches!((last, sign), (Some('['), '[') | (Some(']'), ']') | (Some('<' | '%'), '%')) {
            out.push(' ');
        }
        out.push(sign);
        last = Some(sign);
    }
    out
}

/// A link to the note of this name.
pub fn link(name: &str) -> String {
    let plain = name.replace(['[', ']', '|', '\n', '\r'], " ");
    format!("[[{}]]", property(plain.trim()))
}

/// Whether a sign between two others means something in a note.
fn acts(last: Option<char>, sign: char, next: Option<char>) -> bool {
    match sign {
        // Links, embeds, footnotes, fields; formulas.
        '[' | '$' => true,
        // Comments, and templates.
        '%' => matches!(last, Some('%' | '<')),
        // Fields, highlights, placeholders.
        ':' | '=' | '{' => last == Some(sign),
        // Tags.
        '#' => next.is_some_and(|next| next.is_alphanumeric() || "_-/".contains(next)),
        // Names of blocks.
        '^' => last.is_none_or(char::is_whitespace),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{mention, to_text};

    const HOSTILE: [&str; 22] = [
        "![[Secret Note]]",
        "see [[Wei Zhang]] and [[People/Wei|him]] today",
        "[[[[deep]]]]",
        "\\[[Wei Zhang]]",
        "\\\\[[Wei Zhang]]",
        "%% hidden %% shown",
        "%%%",
        "a line ^block-1",
        "^block-1",
        "status:: done",
        "it is [status:: done] (due:: now)",
        "a:::b",
        "==loud==",
        "#todo and text #a/b",
        "$x^2$ and $$y$$",
        "<% tp.file.title %> <%* await 1 %>",
        "{{title}}",
        "`= this.file.name` and `$= dv.current()`",
        "```dataview\nLIST\n```",
        "[^1] and [a](b) and ![c](d)",
        "[entity:7|Ada] @[Ada](person:7)",
        "- [ ] task",
    ];

    #[test]
    fn text_of_strangers_says_the_same_and_does_nothing() {
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        for text in HOSTILE {
            let written = literal(text);
            for live in ["[[", "%%", "::", "==", "<%", "{{", " ^", " #t", "$$"] {
                assert!(!written.contains(live), "{live} in {written}");
            }
            assert!(!written.starts_with(['^', '#', '[', '-', '`']), "{written}");
            assert_eq!(mention::find(&written).len(), 0, "{written}");
            assert_eq!(words(&to_text(&written)), words(text), "{written}");
        }
        for plain in ["Prices: 5 % off, C# (v2) = good; a ^ b", "3 < 4 & \"so\" on…"] {
            assert_eq!(to_text(&literal(plain)), plain);
        }
        assert_eq!(literal("About 5% of us, since 10:30."), "About 5% of us, since 10:30.");
    }

    #[test]
    fn properties_and_links_are_one_thing() {
        assert_eq!(property("[[Wei Zhang]]"), "[ [Wei Zhang] ]");
        assert_eq!(property("<%* x %> 5%"), "< %* x %> 5%");
        assert_eq!(property("Plain [1]: text"), "Plain [1]: text");
        assert_eq!(link("Wei Zhang"), "[[Wei Zhang]]");
        assert_eq!(link("A]] ![[Secret|x"), "[[A   !  Secret x]]");
        for hostile in HOSTILE {
            let inner = link(hostile);
            let inner = inner.trim_start_matches("[[").trim_end_matches("]]");
            let live = ["[[", "]]", "%%", "<%", "|"].iter().any(|live| inner.contains(live));
            assert!(!live, "{inner}");
        }
    }
}
