//! Conversion between Markdown and BBCode as used on World Anvil.
//!
//! Both directions go through HTML, so that there is one reader and one writer of Markdown.
//! Mentions (`@[Label](person:UUID)`, `[character:7]`) pass through verbatim, and so do unknown
//! tags (`[container:x]`, `[statblock:7]`, variables), which are plain text in Markdown. In BBCode,
//! the bracket of text that only looks like a mention or a tag is written as a character reference.

mod aside;
mod held;
mod numbered;
mod page;
mod read;
mod write;

use crate::{anvil, mention, to_html, to_markdown, tree};
use held::Held;

/// Converts Markdown to BBCode.
pub fn to_bbcode(markdown: &str) -> String {
    let mut held = Held::for_text(markdown);
    let text = anvil::replaced_each(markdown, |whole| held.hold(whole));
    let text = mention::replaced_each(&text, |whole| held.hold(whole));
    let html = to_html(&text);
    held.restore(write::document(&tree::parse(&html)).trim(), str::to_owned)
}

/// Converts BBCode to Markdown.
pub fn from_bbcode(bbcode: &str) -> String {
    let mut held = Held::for_text(bbcode);
    let html = read::to_html(bbcode, &mut held);
    held.restore(&to_markdown(&html), in_markdown)
}

/// Returns a held-back piece as Markdown text: mentions verbatim, anything else escaped.
fn in_markdown(whole: &str) -> String {
    if is_mention(whole) {
        return whole.to_owned();
    }
    let mut out = String::with_capacity(whole.len() + 4);
    for c in whole.chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '~' | '&') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Whether a text is a single mention, in either syntax.
fn is_mention(whole: &str) -> bool {
    anvil::whole_at_start(whole) == Some(whole) || mention::leading(whole) == Some(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "0190a1b2-0000-7000-8000-000000000001";

    #[test]
    fn what_people_write_is_converted_both_ways() {
        for (markdown, bbcode) in [
            ("# Head", "[h1]Head[/h1]"),
            ("**b** *i* ~~s~~ `c`", "[b]b[/b] [i]i[/i] [s]s[/s] [code]c[/code]"),
            ("[x](https://x.example)", "[url=https://x.example]x[/url]"),
            ("One.\n\nTwo.", "One.\n\nTwo."),
            ("- a\n- b", "[ul]\n[li]a[/li]\n[li]b[/li]\n[/ul]"),
            ("1. a\n2. b", "[ol]\n[li]a[/li]\n[li]b[/li]\n[/ol]"),
            ("> said", "[quote]said[/quote]"),
            ("a\n\n---\n\nb", "a\n\n[hr]\n\nb"),
            ("```\nfn\n```", "[code]\nfn\n[/code]"),
            (
                "| a | b |\n| --- | --- |\n| c | d |",
                "[table]\n[tr][th]a[/th][th]b[/th][/tr]\n[tr][td]c[/td][td]d[/td][/tr]\n[/table]",
            ),
        ] {
            assert_eq!(to_bbcode(markdown), bbcode, "{markdown}");
            assert_eq!(from_bbcode(bbcode), markdown, "{bbcode}");
        }
    }

    #[test]
    fn mentions_and_unknown_tags_pass_to_the_letter() {
        let bbcode = format!(
            "[b]By @[the Mill](location:{ID})[/b] [container:x]in[/container] [statblock:7] [p:k]"
        );
        let markdown = from_bbcode(&bbcode);
        assert_eq!(markdown, bbcode.replacen("[b]", "**", 1).replacen("[/b]", "**", 1));
        assert!(crate::mention::find(&markdown).is_empty(), "{markdown}");
        assert_eq!(to_bbcode(&markdown), bbcode);
    }

    /// Reading a text, changing one word and writing it back must not damage the rest.
    #[test]
    fn what_markdown_cannot_say_comes_back_to_the_letter() {
        for bbcode in [
            "[img:123]",
            "see [img:4567|center|nolink] here",
            "[url]http://site.example[/url]",
            "[url:http://x.example]y[/url]",
            "[url=http://x.example][img:5][/url]",
            "[url=javascript:alert(1)]x[/url]",
            "[h1|anchor]Title[/h1]\nText",
            "[h2:x]Title[/h2]",
            "[quote|Bob]said[/quote]\n\n[quote]more[/quote]",
            "[row]\n[col]a[/col]\n[col]b[/col]\n[/row]",
            "[row][col][b]x[/b][/col][/row]",
            "[table]\n[tr][td]1[/td][td]2[/td][/tr]\n[tr][td]3[/td][td]4[/td][/tr]\n[/table]",
            "[table]\n[tr][th]1[/th][td]2[/td][/tr]\n[/table]",
            "[td]alone[/td] [li]lost[/li] [tr]row[/tr]",
            "[ul]no items[/ul]",
            "[b]never closed and [img:9]",
            "closed[/b] only",
            "[b]x[i]y[/b]z[/i]",
            "one\ntwo\n[i]three[/i]",
            "[quote]line one\nline two[/quote]",
            "[img]/relative.png[/img]",
            "[img]https://x.example/a.png[/img]",
            "arr[0] = 1, [1] and [x] todo",
            "[color:#f00]x[/color][toc][section:a|b]y[/section]",
        ] {
            let markdown = from_bbcode(bbcode);
            assert_eq!(to_bbcode(&markdown), bbcode, "{markdown}");
            assert_eq!(from_bbcode(&to_bbcode(&markdown)), markdown, "{bbcode}");
        }
    }

    #[test]
    fn broken_bbcode_is_text() {
        for (bbcode, markdown) in [
            ("[b]never closed", "[b]never closed"),
            ("closed[/b] only", "closed[/b] only"),
            ("[b]x[i]y[/b]z[/i]", "**x[i]y**z[/i]"),
            ("[code][b]raw[/b][/code]", "`[b]raw[/b]`"),
        ] {
            assert_eq!(from_bbcode(bbcode), markdown, "{bbcode}");
        }
    }

    #[test]
    fn brackets_that_are_text_stay_text() {
        let markdown = "A \\[b\\] that is no bold\\[/b\\] and [a] note.";
        let bbcode = to_bbcode(markdown);
        assert!(!bbcode.contains("[b]"), "{bbcode}");
        let again = from_bbcode(&bbcode);
        assert_eq!(to_html(&again), to_html(markdown), "{bbcode}: {again}");
    }
}
