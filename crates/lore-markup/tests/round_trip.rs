//! Properties of conversion: it is stable, keeps every mention and leaves no active content.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use lore_markup::{mention, to_html, to_markdown};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Uses the same cases each time, so that a result depends on the code, not on chance.
/// `PROPTEST_RNG_SEED` selects others.
fn settings() -> ProptestConfig {
    let mut settings = ProptestConfig::with_cases(10_000);
    settings.failure_persistence = None;
    if settings.rng_seed == RngSeed::Random {
        settings.rng_seed = RngSeed::Fixed(2);
    }
    settings
}

/// Checks what must hold for any text. Returns the text after one conversion and after two.
fn check(markdown: &str) -> Result<[String; 2], TestCaseError> {
    let html = to_html(markdown);
    let once = to_markdown(&html);
    let again = to_html(&once);
    let twice = to_markdown(&again);
    prop_assert_eq!(&twice, &once, "does not settle\n{}\n{}", html, again);
    check_inert(&html)?;
    check_inert(&again)?;
    Ok([once, twice])
}

fn mentions(markdown: &str) -> Vec<String> {
    mention::find(markdown).into_iter().map(|found| found.text.into_owned()).collect()
}

/// Active content would have to appear as a tag or an attribute; text is escaped.
fn check_inert(html: &str) -> Result<(), TestCaseError> {
    let lower = html.to_lowercase();
    for (at, _) in lower.match_indices('<') {
        let tag = &lower[at..at + lower[at..].find('>').unwrap()];
        for word in ["script", "iframe", "object", "embed", "style>", "svg", "form", "link", "meta"]
        {
            prop_assert!(!tag[1..].trim_start_matches('/').starts_with(word), "{}", tag);
        }
        let values = tag.split('"').skip(1).step_by(2);
        prop_assert!(values.clone().all(|v| !v.trim().starts_with("javascript")), "{}", tag);
        let names: String = tag.split('"').step_by(2).collect();
        prop_assert!(!names.contains(" on"), "{}", tag);
    }
    prop_assert!(!lower.contains("[new:"));
    Ok(())
}

fn a_mention() -> impl Strategy<Value = String> {
    let code = prop::sample::select(vec!["entity", "character", "location", "post", "Race"]);
    let label = prop::sample::select(vec![
        "",
        "|Bob",
        "|the *Old* _Mill_",
        "|Tom & <Jerry>",
        "|page:map|Mill \"x\"",
        "|a `b` ~~c~~ \\d",
        "|änö 漢字 (x)",
    ]);
    (code, 1..100_000_u32, label).prop_map(|(code, id, label)| format!("[{code}:{id}{label}]"))
}

fn a_word() -> impl Strategy<Value = String> {
    let odd = prop::sample::select(vec![
        "snake_case",
        "*",
        "_",
        "**",
        "~",
        "~~",
        "`",
        "<",
        ">",
        "&",
        "&amp;",
        "[x]",
        "](",
        "!",
        "#",
        "1.",
        "-",
        "+",
        "|",
        "\\",
        "\"",
        "a*b",
        "<b>",
        "</b>",
        "<script>alert(1)</script>",
        "©",
        "<img src=x onerror=alert(1)>",
        "[a](javascript:alert)",
        "https://x.example/a_b",
        "\u{a0}",
        "[new:character|Bob]",
        "<u>under</u>",
        "***",
        "===",
        "[^1]",
        "$x$",
        "é",
        "🐉",
        "a\\*b",
    ]);
    prop_oneof![4 => "[a-zA-Z]{1,7}", 1 => odd.prop_map(str::to_owned)]
}

fn a_line(mention: bool) -> BoxedStrategy<String> {
    let plain = prop::collection::vec(a_word(), 1..6).prop_map(|words| words.join(" "));
    if !mention {
        return plain.boxed();
    }
    let frame = prop::sample::select(vec![
        "{}",
        "*{}*",
        "**{}**",
        "***{}***",
        "~~{}~~",
        "`{}`",
        "[{}](https://x.example/)",
        "a{}b",
        "[x](https://x.example/{})",
        "({})",
        "\"{}\"",
        "![{}](https://x.example/p.png)",
        "_{}_ {}",
        "<span title=\"{}\">x</span>",
        "<b title=\"{}\">{}</b>",
        "<span title=\"{}\"></span>",
        "[](https://x.example/ \"{}\")",
    ]);
    let framed = (frame, a_mention(), a_mention())
        .prop_map(|(frame, one, two)| frame.replacen("{}", &one, 1).replacen("{}", &two, 1));
    (plain_words(), framed, plain_words()).prop_map(|(a, m, b)| format!("{a} {m} {b}")).boxed()
}

fn plain_words() -> impl Strategy<Value = String> {
    prop::collection::vec("[a-zA-Z]{1,7}", 0..4).prop_map(|words| words.join(" "))
}

fn a_block(mention: bool) -> impl Strategy<Value = String> {
    let line = || a_line(mention);
    let bullet = prop::sample::select(vec!["- ", "* ", "+ ", "1. ", "7) ", "- [ ] ", "- [x] "]);
    prop_oneof![
        3 => prop::collection::vec(line(), 1..3).prop_map(|lines| lines.join("\n")),
        1 => (1..7_usize, line()).prop_map(|(n, line)| format!("{} {line}", "#".repeat(n))),
        1 => (bullet, prop::collection::vec(line(), 1..4), any::<bool>()).prop_map(list),
        1 => (line(), line()).prop_map(|(a, b)| format!("- {a}\n  - {b}\n    - c\n- d")),
        1 => (line(), line()).prop_map(|(a, b)| format!("> {a}\n> > {b}")),
        1 => line().prop_map(|a| format!("```rust\n{a}\n  x\n\n```")),
        1 => (line(), line()).prop_map(|(a, b)| {
            let (a, b) = (bars_escaped(&a), bars_escaped(&b));
            format!("| {a} | h |\n| :-- | --: |\n| x | {b} |")
        }),
        1 => (line(), line()).prop_map(|(a, b)| format!("{a}  \n{b}\\\nend")),
        1 => Just("---".to_owned()),
        1 => (plain_words(), plain_words())
            .prop_map(|(a, b)| format!("<details><summary>{a}x</summary>{b}</details>")),
    ]
}

/// Escapes or removes bars between cells; in a mention they need no escape.
fn bars_escaped(line: &str) -> String {
    if line.contains("[new") { line.replace('|', "\\|") } else { line.replace(" | ", " ") }
}

fn list((bullet, lines, loose): (&str, Vec<String>, bool)) -> String {
    let items: Vec<_> = lines.iter().map(|line| format!("{bullet}{line}")).collect();
    items.join(if loose { "\n\n" } else { "\n" })
}

fn a_document(mention: bool) -> impl Strategy<Value = String> {
    prop::collection::vec(a_block(mention), 1..5).prop_map(|blocks| blocks.join("\n\n"))
}

proptest! {
    #![proptest_config(settings())]

    #[test]
    fn documents_keep_every_mention(markdown in a_document(true)) {
        let expected = mentions(&markdown);
        for trip in check(&markdown)? {
            prop_assert_eq!(&mentions(&trip), &expected, "{}", trip);
        }
    }

    #[test]
    fn documents_settle(markdown in a_document(false)) {
        check(&markdown)?;
    }
}

proptest! {
    #![proptest_config(settings())]

    /// Random markup characters rather than a document: whatever they mean, a conversion keeps it.
    #[test]
    fn heaps_of_signs_settle(markdown in r"([ \n*_~`#>|<&\\\[\]()!:=+a-c1.\-]|\PC){0,40}") {
        check(&markdown)?;
    }

    #[test]
    fn any_html_settles(
        html in "(<(/)?(p|b|i|u|em|ul|li|ol|td|tr|table|pre|code|a href=\"x\"|br|div|h2|hr|s|q)>| |\n|[a-c*_`]){0,30}"
    ) {
        let once = to_markdown(&html);
        prop_assert_eq!(to_markdown(&to_html(&once)), once);
    }
}

#[test]
fn styles_within_styles_stay_signs() {
    for markdown in [
        "a ***y*** b",
        "***y***",
        "x***y***z",
        "**_y_** and *__y__*",
        "*__a__ b*",
        "**a _b_**",
        "*a **b** c*",
    ] {
        let once = to_markdown(&to_html(markdown));
        assert!(!once.contains('<'), "{markdown} became {once}");
        assert_eq!(to_html(&once), to_html(markdown), "{markdown} became {once}");
    }
}
