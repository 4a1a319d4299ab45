//! The sanitiser: which HTML may come in and go out.
//!
//! This is an allow-list of inert elements. Never add one that loads, executes or submits anything.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use ammonia::Builder;

use crate::depth::is_deeper;
use crate::effort::is_laborious;
use crate::{mention, tags, tree};

const ATTRIBUTES: [(&str, &[&str]); 10] = [
    ("a", &["href"]),
    ("code", &["class"]),
    ("img", &["src", "alt", "title", "width", "height"]),
    ("input", &["type", "checked", "disabled"]),
    ("li", &["data-checked"]),
    ("ol", &["start"]),
    ("pre", &["class"]),
    ("span", &["style"]),
    ("td", &["align", "style", "colspan", "rowspan"]),
    ("th", &["align", "style", "colspan", "rowspan"]),
];

/// How Kanka's editor and rendered pages mark a mention. These attributes are only read: Kanka acts
/// on them, so they are never sent.
const KANKA_LINK: [&str; 3] = ["data-mention", "data-id", "data-entity-type"];

static OUTGOING: LazyLock<Builder<'static>> = LazyLock::new(|| builder(&[]));
static INCOMING: LazyLock<Builder<'static>> = LazyLock::new(|| {
    let mut builder = builder(&KANKA_LINK);
    // Frames are only read: the module `frame` replaces them by links.
    let kept = ["src", "title", "width", "height", "allowfullscreen"];
    builder.add_tags(["iframe"]).add_tag_attributes("iframe", kept);
    builder
});

/// Sanitises HTML that is sent or displayed.
pub(crate) fn outgoing(html: &str) -> String {
    cleaned(&OUTGOING, html)
}

/// Sanitises HTML that is about to be parsed.
pub(crate) fn incoming(html: &str) -> String {
    cleaned(&INCOMING, html)
}

/// The deepest nesting of HTML that is parsed. For each tag, the parser may search all open elements.
const DEEPEST: usize = 1_000;

/// Sanitises HTML. From each ampersand and each no-break space, the sanitiser looks ahead to the
/// end of the text, which takes quadratic time for a text full of them. Other characters replace
/// them in the meantime. HTML that no parser could read in time is shown as it is written.
fn cleaned(builder: &Builder<'_>, html: &str) -> String {
    if is_laborious(html) || is_deeper(html, DEEPEST) {
        let mut text = String::with_capacity(html.len());
        tree::escape(&mut text, html);
        return text;
    }
    let mut free = ('\u{e000}'..='\u{f8ff}').filter(|c| !html.contains(*c));
    let (Some(ampersand), Some(blank)) = (free.next(), free.next()) else {
        return builder.clean(html).to_string();
    };
    let clean = builder.clean(&shielded(html, ampersand, blank)).to_string();
    clean.replace(ampersand, "&amp;").replace(blank, "&nbsp;")
}

/// Replaces ampersands and no-break spaces. Other character references stay, because what they
/// encode may concern the sanitiser.
fn shielded(html: &str, ampersand: char, blank: char) -> String {
    let mut out = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = rest.find(['&', '\u{a0}']) {
        let (before, found) = rest.split_at(at);
        out.push_str(before);
        let named = [("&amp;", ampersand), ("&nbsp;", blank), ("\u{a0}", blank)];
        let known = named.iter().find_map(|(name, c)| Some((found.strip_prefix(name)?, *c)));
        let bare = || {
            let after = found.strip_prefix('&')?;
            let refers = after.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '#');
            Some((after, if refers { '&' } else { ampersand }))
        };
        let Some((after, c)) = known.or_else(bare) else { break };
        out.push(c);
        rest = after;
    }
    out.push_str(rest);
    out
}

fn builder(on_links: &[&'static str]) -> Builder<'static> {
    let mut attributes: HashMap<&str, HashSet<&str>> =
        ATTRIBUTES.iter().map(|(tag, names)| (*tag, names.iter().copied().collect())).collect();
    attributes.entry("a").or_default().extend(on_links);
    // Inline elements may have a title; code has a language instead.
    for tag in tags::inline().filter(|tag| *tag != "code") {
        attributes.entry(tag).or_default().insert("title");
    }
    let mut builder = Builder::empty();
    builder
        .tags(tags::all().collect())
        .clean_content_tags(["script", "style", "template", "noscript"].into_iter().collect())
        .tag_attributes(attributes)
        .url_schemes(["http", "https", "mailto"].into_iter().collect())
        .attribute_filter(filtered)
        .link_rel(None)
        .strip_comments(true);
    builder
}

/// Filters attributes by their values.
fn filtered<'a>(element: &str, attribute: &str, value: &'a str) -> Option<Cow<'a, str>> {
    let kept = match (element, attribute) {
        ("code" | "pre", "class") => language(value).is_some(),
        ("input", "type") => value == "checkbox",
        ("td" | "th", "style") => alignment(value).is_some(),
        ("span", "style") => is_look(value),
        (_, "start" | "colspan" | "rowspan" | "width" | "height" | "data-id") => {
            (1..=9).contains(&value.len()) && value.bytes().all(|byte| byte.is_ascii_digit())
        }
        _ => true,
    };
    kept.then_some(Cow::Borrowed(value))
}

/// Returns the language in the class of a code block; a mention may take its place.
pub(crate) fn language(class: &str) -> Option<&str> {
    let mention = class.trim_start().strip_prefix("language-").and_then(mention::leading);
    if mention.is_some() {
        return mention;
    }
    let name = class.split_whitespace().find_map(|word| word.strip_prefix("language-"))?;
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '+' | '#' | '.');
    (!name.is_empty() && name.chars().all(plain)).then_some(name)
}

/// Whether a style only affects the appearance of text.
pub(crate) fn is_look(style: &str) -> bool {
    const NAMES: [&str; 6] =
        ["color", "background-color", "font-size", "font-style", "font-weight", "text-decoration"];
    let plain = |c: char| {
        c.is_ascii_alphanumeric() || matches!(c, '#' | '.' | ',' | '%' | '-' | ' ' | '(' | ')')
    };
    let is_plain = |declaration: &str| {
        let Some((name, value)) = declaration.split_once(':') else { return false };
        let colours = ["rgb(", "rgba(", "hsl(", "hsla("];
        let calls = value.matches('(').count();
        let known = colours.iter().any(|colour| value.trim().starts_with(colour));
        let harmless = calls == 0 || (calls == 1 && known);
        NAMES.contains(&name.trim()) && value.chars().all(plain) && harmless
    };
    let mut declarations =
        style.split(';').map(str::trim).filter(|part| !part.is_empty()).peekable();
    declarations.peek().is_some() && declarations.all(is_plain)
}

/// Returns the alignment in a cell's style, if the style contains nothing else.
pub(crate) fn alignment(style: &str) -> Option<&str> {
    let value = style.trim().trim_end_matches(';').strip_prefix("text-align:")?.trim();
    ["left", "center", "right"].contains(&value).then_some(value)
}

#[cfg(test)]
mod tests {
    #[test]
    fn ampersands_and_blanks_come_out_as_they_would_without_a_stand_in() {
        for html in [
            "a &amp; b & c &",
            "a&nbsp;b\u{a0}c",
            "&copy; &#38; &lt;b&gt; &amp;lt; &ampx;",
            "\u{e000} &amp; \u{e001}",
            "<a href=\"https://x.example/?a=1&amp;b=2&c=3\">x</a>",
            "<a href=\"java&#115;cript:x\">x</a>",
            "<a href=\"&amp;#106;avascript:x\">x</a>",
        ] {
            let direct = super::OUTGOING.clean(html).to_string();
            assert_eq!(super::outgoing(html), direct, "{html}");
        }
    }

    #[test]
    fn nothing_that_acts_gets_through() {
        for html in [
            "<script>alert(1)</script>",
            "<img src=x onerror=alert(1)>",
            "<a href=\"javascript:alert(1)\">x</a>",
            "<a href=\" java\nscript:alert(1)\">x</a>",
            "<svg><style><img src=x onerror=alert(1)></style></svg>",
            "<iframe src=\"https://example.com\"></iframe>",
            "<object data=x></object><embed src=x>",
            "<form action=x><button formaction=\"javascript:1\">x</button></form>",
            "<p style=\"background:url(x)\">x</p>",
            "<span style=\"background-color:url(x)\">x</span>",
            "<span style=\"color:red;background:blue\">x</span>",
            "<td style=\"text-align:left;background:url(x)\">",
            "<meta http-equiv=refresh content=\"0;url=x\"><base href=x><link href=x>",
            "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
            "<input type=text autofocus onfocus=alert(1)>",
            "<a class=\"mention\" data-mention=\"[new:character|Bob]\">x</a>",
        ] {
            let clean = crate::sanitise(html).to_lowercase();
            for word in [
                "script",
                "onerror",
                "onfocus",
                "iframe",
                "object",
                "embed",
                "<form",
                "formaction",
                "background",
                "<meta",
                "<base",
                "<link",
                "svg",
                "math",
                "<input",
                "data-mention",
            ] {
                assert!(!clean.contains(word), "{html} became {clean}");
            }
        }
    }

    #[test]
    fn what_our_own_conversion_writes_is_kept() {
        for html in [
            "<pre><code class=\"language-rust\">x</code></pre>",
            "<ul><li><input type=\"checkbox\" checked=\"\" disabled=\"\">x</li></ul>",
            "<ol start=\"3\"><li>x</li></ol>",
            "<p>[entity:1|Tom &amp; Jerry]</p>",
        ] {
            assert_eq!(crate::sanitise(html), html);
        }
    }
}
