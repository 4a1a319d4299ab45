//! Converts Markdown to HTML.
//!
//! Mentions are replaced by placeholders before parsing and restored at the very end, so neither
//! the Markdown parser nor the sanitiser sees their brackets.

use std::borrow::Cow;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, html};

use crate::mention::{self, Dialect, Piece};
use crate::{frame, guard, sanitise, tree};

/// An invisible separator between `new` and its colon in `[new:…]`. Without it, Kanka would create
/// an entity as a side effect.
const DEFUSED: char = '\u{2060}';

/// Converts Markdown to sanitised HTML: CommonMark with tables, strikethrough and task lists.
/// Footnotes stay as written. `[new:…]` is written in a form that Kanka does not act on.
pub fn to_html(markdown: &str) -> String {
    let tokens = Tokens::for_text(markdown);
    let (text, mentions) = tokens.protect(markdown);
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_FOOTNOTES;
    let mut raw = String::with_capacity(text.len() + text.len() / 2);
    html::push_html(&mut raw, notes_as_text(shallow(Parser::new_ext(&text, options))));
    let raw = frame::unframed(guard::guarded(&raw));
    let clean = sanitise(&without_empty_heads(&raw));
    defused(tokens.restore(clean.trim_end(), &mentions))
}

/// Removes empty table heads. Every table in Markdown has a head; an empty one means none.
fn without_empty_heads(html: &str) -> Cow<'_, str> {
    const HEAD: (&str, &str) = ("<thead><tr>", "</tr></thead>");
    let mut out = String::new();
    let mut done = 0;
    for (at, _) in html.match_indices(HEAD.0) {
        let inside = html.get(at + HEAD.0.len()..).and_then(|rest| rest.split_once(HEAD.1));
        let Some((inside, _)) = inside.filter(|(inside, _)| is_empty_row(inside)) else { continue };
        out.push_str(html.get(done..at).unwrap_or_default());
        done = at + HEAD.0.len() + inside.len() + HEAD.1.len();
    }
    if done == 0 {
        return html.into();
    }
    out.push_str(html.get(done..).unwrap_or_default());
    out.into()
}

/// Whether all cells are empty.
fn is_empty_row(cells: &str) -> bool {
    let mut rest = cells;
    while let Some(cell) = rest.strip_prefix("<th") {
        let Some((_, after)) = cell.split_once('>') else { return false };
        let Some(next) = after.strip_prefix("</th>") else { return false };
        rest = next;
    }
    rest.is_empty()
}

/// The maximum nesting depth of blocks; deeper blocks are dropped, but not their text. For each
/// block, the HTML parser searches all open elements.
const DEPTH_MAX: usize = 40;

fn shallow<'a>(events: impl Iterator<Item = Event<'a>>) -> impl Iterator<Item = Event<'a>> {
    let mut depth = 0_usize;
    events.filter(move |event| match event {
        Event::Start(_) => {
            depth += 1;
            depth <= DEPTH_MAX
        }
        Event::End(_) => {
            depth = depth.saturating_sub(1);
            depth < DEPTH_MAX
        }
        _ => true,
    })
}

/// Writes footnotes as plain text, `[^1]` and `[^1]: What it says.`, because the HTML of the
/// connected services has none. The parser still has to know them, or it would parse some as links.
fn notes_as_text<'a>(events: impl Iterator<Item = Event<'a>>) -> impl Iterator<Item = Event<'a>> {
    let mut label: Option<String> = None;
    events.flat_map(move |event| match (event, label.take()) {
        (Event::FootnoteReference(name), _) => vec![Event::Text(format!("[^{name}]").into())],
        (Event::Start(Tag::FootnoteDefinition(name)), _) => {
            label = Some(format!("[^{name}]: "));
            Vec::new()
        }
        (Event::End(TagEnd::FootnoteDefinition), None) => Vec::new(),
        (event @ Event::Start(Tag::Paragraph), Some(label)) => {
            vec![event, Event::Text(label.into())]
        }
        // The footnote does not start with a paragraph, or is empty.
        (event, Some(label)) => {
            let is_over = matches!(event, Event::End(TagEnd::FootnoteDefinition));
            let own = [Event::Start(Tag::Paragraph), Event::Text(label.into())];
            let own = own.into_iter().chain([Event::End(TagEnd::Paragraph)]);
            own.chain((!is_over).then_some(event)).collect()
        }
        (event, None) => vec![event],
    })
}

/// Placeholders for mentions during conversion: letters and digits, which every parser passes
/// through, with a digit first so that they never start a tag.
struct Tokens {
    stem: String,
}

impl Tokens {
    /// Creates placeholders that do not occur in `text`.
    fn for_text(text: &str) -> Self {
        let mut stem = String::from("0mn");
        while text.contains(&stem) {
            stem.push('q');
        }
        Self { stem }
    }

    fn protect<'a>(&self, markdown: &'a str) -> (String, Vec<Cow<'a, str>>) {
        let mut text = String::with_capacity(markdown.len());
        let mut mentions = Vec::new();
        for piece in mention::pieces(markdown, Dialect::Markdown) {
            match piece {
                Piece::Text(plain) => text.push_str(plain),
                Piece::Mention(mention) => {
                    text.push_str(&format!("{}{}z", self.stem, mentions.len()));
                    mentions.push(mention.text);
                }
            }
        }
        (text, mentions)
    }

    fn restore(&self, html: &str, mentions: &[Cow<'_, str>]) -> String {
        let mut text = String::with_capacity(html.len());
        let mut parts = html.split(self.stem.as_str());
        text.push_str(parts.next().unwrap_or_default());
        for part in parts {
            let found = part.split_once('z').and_then(|(number, rest)| {
                let mention = mentions.get(number.parse::<usize>().ok()?)?;
                Some((mention, rest))
            });
            match found {
                Some((mention, rest)) => {
                    tree::escape(&mut text, mention);
                    text.push_str(rest);
                }
                None => {
                    text.push_str(&self.stem);
                    text.push_str(part);
                }
            }
        }
        text
    }
}

fn defused(html: String) -> String {
    let lower = html.to_ascii_lowercase();
    if !lower.contains("[new:") {
        return html;
    }
    let mut safe = String::with_capacity(html.len() + 8);
    let mut done = 0;
    for (at, found) in lower.match_indices("[new:") {
        let colon = at + found.len() - 1;
        safe.push_str(html.get(done..colon).unwrap_or_default());
        safe.push(DEFUSED);
        done = colon;
    }
    safe.push_str(html.get(done..).unwrap_or_default());
    safe
}

/// Undoes what [`to_html`] did to `[new:…]`.
pub(crate) fn armed(html: &str) -> Cow<'_, str> {
    let mark = format!("{DEFUSED}:");
    if html.contains(&mark) { html.replace(&mark, ":").into() } else { html.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::to_markdown;

    #[test]
    fn what_the_contract_asks_for_is_converted() {
        for (markdown, html) in [
            ("# Head", "<h1>Head</h1>"),
            (
                "**b** *i* `c` ~~s~~",
                "<p><strong>b</strong> <em>i</em> <code>c</code> <del>s</del></p>",
            ),
            ("[x](https://x.example)", "<p><a href=\"https://x.example\">x</a></p>"),
            ("```rust\nfn\n```", "<pre><code class=\"language-rust\">fn\n</code></pre>"),
            ("- a\n  - b", "<ul>\n<li>a\n<ul>\n<li>b</li>\n</ul>\n</li>\n</ul>"),
        ] {
            assert_eq!(to_html(markdown), html);
            assert_eq!(to_markdown(html), markdown);
        }
    }

    #[test]
    fn a_mention_survives_anything_around_it() {
        let mention = "[entity:7|the *Old* `Mill` & <Co>]";
        for around in [
            "{}",
            "**{}**",
            "`{}`",
            "# {}",
            "- {}",
            "[{}](https://x.example)",
            "<{}>",
            "_{}_",
            "| a |\n| --- |\n| {} |",
            "```\n{}\n```",
            "``` {}\ncode\n```",
            "[x](https://x.example/{})",
            "> {}",
            "1. {}",
            "a <span title=\"{}\">b</span>",
            "a <em title=\"{}\">b</em>",
            "a <span title=\"{}\"></span>",
            "<span title=\"{}\"></span>",
            "[](https://x.example \"{}\")",
            "[x](https://x.example \"{}\")",
        ] {
            let markdown = around.replace("{}", mention);
            let html = to_html(&markdown);
            assert!(
                html.contains("[entity:7|the *Old* `Mill` &amp; &lt;Co&gt;]"),
                "{markdown}: {html}"
            );
            let back = to_markdown(&html);
            let found: Vec<_> = mention::find(&back).into_iter().map(|m| m.text).collect();
            assert_eq!(found, [mention], "{markdown}: {back}");
            assert!(back.contains(mention), "{markdown}: {back}");
        }
    }

    #[test]
    fn new_entities_are_never_ordered() {
        for text in ["[new:character|Bob]", "[NEW:x|y]", "a [new:x", "`[new:a]`", "\\[new:a\\]"] {
            let html = to_html(text);
            assert!(!html.to_lowercase().contains("[new:"), "{html}");
        }
        assert_eq!(to_markdown(&to_html("[new:character|Bob]")), "[new:character|Bob]");
    }

    #[test]
    fn a_table_keeps_the_heads_it_has() {
        let plain = "<table><tbody><tr><td>a</td><td>b</td></tr></tbody></table>";
        let markdown = to_markdown(plain);
        assert_eq!(markdown, "|  |  |\n| --- | --- |\n| a | b |");
        assert_eq!(to_html(&markdown).replace('\n', ""), plain);
        let aside = "<table><tbody><tr><th>a</th><td>b</td></tr></tbody></table>";
        assert_eq!(to_html(&to_markdown(aside)), aside);
        let headed = "| a |\n| --- |\n| b |";
        assert!(to_html(headed).contains("<th>a</th>"));
        assert_eq!(to_markdown(&to_html(headed)), headed);
    }

    #[test]
    fn looks_that_markdown_has_no_sign_for_stay() {
        for html in [
            "<p>a <span style=\"color: #f00\">red</span> word</p>",
            "<p>a <span title=\"of iron\">hard</span> word</p>",
            "<p>a <strong title=\"of iron\">hard</strong> word</p>",
            "<p>b <img src=\"https://x.example/a.png\" alt=\"c\" width=\"30\" height=\"20\"> d</p>",
        ] {
            let markdown = to_markdown(html);
            assert_eq!(to_html(&markdown), html, "{markdown}");
            assert_eq!(to_markdown(&to_html(&markdown)), markdown);
        }
        assert_eq!(to_markdown("<p><span class=\"x\">plain</span></p>"), "plain");
        let described = "<p><img src=\"data:x\" alt=\"a map of [entity:7]\"></p>";
        assert_eq!(to_markdown(described), "a map of [entity:7]");
    }

    #[test]
    fn text_that_looks_like_a_token_stays() {
        let markdown = "0mn0z [entity:1] 0mnq";
        assert_eq!(to_html(markdown), "<p>0mn0z [entity:1] 0mnq</p>");
    }
}
