//! Untrusted text in a notes folder.
//!
//! Note-taking programs have more markup than Markdown: links and embeds of other notes, comments,
//! block ids, tags, fields, formulas, templates that are executed. Text from elsewhere is written
//! so that no program reads it as any of these: no two characters that together have a meaning are
//! adjacent.

/// Returns Markdown for a note that displays this text verbatim.
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

/// Returns a text as the value of a property, where escapes do not exist: active sequences are
/// separated by spaces.
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

/// Returns a link to the note with this name.
pub fn link(name: &str) -> String {
    let plain = name.replace(['[', ']', '|', '\n', '\r'], " ");
    format!("[[{}]]", property(plain.trim()))
}

/// Whether a character between two others has a meaning in a note.
fn acts(last: Option<char>, sign: char, next: Option<char>) -> bool {
    match sign {
        // Links, embeds, footnotes and fields; formulas.
        '[' | '$' => true,
        // Comments and templates.
        '%' => matches!(last, Some('%' | '<')),
        // Fields, highlights, placeholders.
        ':' | '=' | '{' => last == Some(sign),
        // Tags.
        '#' => next.is_some_and(|next| next.is_alphanumeric() || "_-/".contains(next)),
        // Block ids.
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
