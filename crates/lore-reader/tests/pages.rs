//! Reads pages as found on the web, harmless and hostile.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::time::{Duration, Instant};

use lore_reader::{ReadError, chunks, read_html, read_text, words};

const SENTENCE: &str = "The salmon come back to the river in autumn, and the people of the valley \
    count them at the old weir, as their grandparents did before them. ";

fn article() -> String {
    format!(
        r#"<!doctype html><html lang="en"><head><title>Counting salmon | The Valley Post</title>
        <meta property="og:site_name" content="The Valley Post"><meta name="author" content="Ada Weir">
        <meta property="article:published_time" content="2026-03-04T10:00:00Z">
        <meta name="description" content="How a valley counts its fish">
        <script>var stolen = document.cookie;</script><style>p {{ color: red }}</style></head>
        <body><nav><a href="/">Home</a><a href="/shop">Shop</a></nav>
        <div class="cookie-banner">We use cookies. Accept all cookies?</div>
        <article><h1>Counting salmon</h1><p class="byline">By Ada Weir</p>
        <p>{SENTENCE}</p><p>{SENTENCE}</p><h2>How they count</h2><p>{SENTENCE}</p>
        <ul><li>by hand</li><li>by camera</li></ul>
        <table><tr><th>Year</th><th>Fish</th></tr><tr><td>2025</td><td>1204</td></tr></table>
        <p>{SENTENCE} Read <a href="/weir">about the weir</a>.</p><p>{SENTENCE}</p></article>
        <aside><h3>Most read</h3><a href="/a">Ten tricks with trout</a></aside>
        <footer>Imprint and privacy</footer></body></html>"#
    )
}

#[test]
fn an_article_is_freed_of_its_clutter() {
    let page = read_html(&article(), "https://valley.example/news/salmon").unwrap();
    assert!(page.title.as_deref().unwrap().starts_with("Counting salmon"));
    assert_eq!(page.site.as_deref(), Some("The Valley Post"));
    assert_eq!(page.byline.as_deref(), Some("Ada Weir"));
    assert_eq!(page.published.as_deref(), Some("2026-03-04T10:00:00Z"));
    assert_eq!(page.language.as_deref(), Some("en"));
    assert_eq!(page.description.as_deref(), Some("How a valley counts its fish"));
    for kept in
        ["salmon come back", "How they count", "by camera", "1204", "https://valley.example/weir"]
    {
        assert!(page.text.contains(kept), "{kept} is gone from {}", page.text);
    }
    for clutter in ["cookie", "stolen", "Most read", "Imprint", "color: red", "Shop"] {
        assert!(!page.text.contains(clutter), "{clutter} is still in {}", page.text);
    }
}

#[test]
fn nothing_of_a_page_acts_where_it_is_shown() {
    let infobox = "<table><tbody><tr><th>Born</th><td><img src=\"http://evil.example/leak?d=1\" \
        width=\"20\" alt=\"a portrait\">1815</td></tr><tr><th>Died</th><td>1852</td></tr></tbody>\
        </table><p>Fish<sup>[1]</sup> <img src=\"http://evil.example/pixel.png?secret\" alt=\"pic\"></p>\
        <details><summary>More</summary>hidden words</details>";
    let html = article().replace("<h2>How they count</h2>", infobox);
    let text = read_html(&html, "https://valley.example/news/salmon").unwrap().text;
    assert!(!text.contains("evil.example") && !text.contains('<'), "{text}");
    for said in ["| Born | a portrait1815 |", "Fish[1] pic", "hidden words"] {
        assert!(text.contains(said), "{said} is gone from {text}");
    }
    let plain = "A plain text with ![a pixel](http://evil.example/p.png) and <b>bold</b> words.";
    let text = read_text(plain).unwrap().text;
    assert!(!text.contains("evil.example") && !text.contains('<'), "{text}");
}

#[test]
fn a_hint_at_other_pages_is_not_what_a_page_is_about() {
    let html = article()
        .replace("<meta name=\"description\" content=\"How a valley counts its fish\">", "")
        .replace(
            "<p class=\"byline\">By Ada Weir</p>",
            "<div class=\"hatnote\" role=\"note\">For \
            other uses, see Salmon (disambiguation).</div>",
        );
    let page = read_html(&html, "https://valley.example/news/salmon").unwrap();
    assert!(!page.text.contains("other uses"), "{}", page.text);
    assert!(page.description.unwrap().contains("salmon come back"));
}

#[test]
fn what_a_page_says_of_itself_and_how_long_it_is() {
    let html = article().replace(
        "<meta name=\"author\"",
        "<meta name=\"Keywords\" content=\"river, weir,, fish\">\
         <meta property=\"og:image\" content=\"https://valley.example/a.png\">\
         <meta name=\"author\"",
    );
    let page = read_html(&html, "https://valley.example/news/salmon").unwrap();
    assert_eq!(page.keywords, ["river", "weir", "fish"]);
    assert_eq!(page.image.as_deref(), Some("https://valley.example/a.png"));
    assert_eq!((words("Gate closed today."), words("鮭は秋に川へ")), (3, 6));
}

#[test]
fn short_pages_are_pages_and_nothing_unseen_is_left_in_them() {
    let short = read_html("<body><p>Gate clo\u{200b}sed \u{202e}today.</p></body>", "").unwrap();
    assert_eq!(short.text, "Gate closed today.");
    let signs = read_html("<body><p>鮭は秋に川へ帰ってくる。</p></body>", "").unwrap();
    assert!(signs.text.starts_with('鮭'));
    assert_eq!(read_html("<body>Loading…</body>", ""), Err(ReadError::NothingReadable));
}

#[test]
fn headings_become_the_places_of_chunks() {
    let page = read_html(&article(), "https://valley.example/").unwrap();
    let found = chunks(&page.text);
    assert!(
        found
            .iter()
            .any(|chunk| chunk.headings.last().is_some_and(|last| last == "How they count"))
    );
}

#[test]
fn short_pages_are_read_whole() {
    let html = "<html><head><title>Mill &amp; Weir</title></head><body><script>evil()</script>\
        <p>Ada Weir founded the Old Mill Trust in Valleyford.</p></body></html>";
    let page = read_html(html, "http://127.0.0.1/x").unwrap();
    assert_eq!(page.title.as_deref(), Some("Mill & Weir"));
    assert!(page.text.contains("Old Mill Trust") && !page.text.contains("evil"), "{}", page.text);
}

#[test]
fn pages_without_text_are_said_to_have_none() {
    let shells = [
        "",
        "   ",
        "<html></html>",
        "<div id=root></div><script src=app.js></script>",
        "not much",
        "<html><body><noscript>Enable JavaScript</noscript><div id=app></div></body></html>",
    ];
    for html in shells {
        assert_eq!(
            read_html(html, "https://x.example/"),
            Err(ReadError::NothingReadable),
            "{html:?}"
        );
    }
}

#[test]
fn hostile_pages_end_in_time() {
    let text = SENTENCE.repeat(20);
    let pages = [
        "<div>".repeat(200_000) + &text,
        "<b><i>".repeat(100_000) + &text,
        "<ul><li>".repeat(50_000) + &text,
        "<p>".repeat(100_000) + &text,
        format!("<p title='{}'>{text}</p>", "x".repeat(3_000_000)),
        "&amp;".repeat(500_000) + &text,
        "<!--".repeat(100_000) + &text,
        "<table><tr><td>".repeat(30_000) + &text,
        format!("<p>{}</p>", "\u{0}\u{202e}\u{e0041}".repeat(10_000)),
        "<".repeat(50_000),
        "&amp;<b></b>".repeat(20_000),
        format!("<p {}>{text}</p>", (0..200_000).map(|n| format!("a{n}=1 ")).collect::<String>()),
        format!("<p {}>x</p>", "a ".repeat(100_000)).repeat(10) + &text,
        (0..100_000).map(|n| format!("<body a{n}>")).collect::<String>() + &text,
        "<div></z>".repeat(50_000) + &text,
        (0..10_000).map(|n| format!("<p><b a={n}></z></p>")).collect::<String>() + &text,
        "<div><table><tr><td></div></table>".repeat(20_000) + &text,
    ];
    for page in pages {
        let begin = Instant::now();
        let outcome = read_html(&page, "https://x.example/");
        assert!(begin.elapsed() < Duration::from_secs(20), "{:?}… took too long", &page[..20]);
        if let Ok(page) = outcome {
            assert!(!page.text.is_empty());
        }
    }
}

#[test]
fn what_a_page_says_of_itself_is_bounded() {
    let long = SENTENCE.repeat(10_000);
    let stated = ["author", "description", "keywords", "og:site_name", "og:title", "og:image"]
        .map(|name| format!("<meta name=\"{name}\" property=\"{name}\" content=\"{long}\">"))
        .concat();
    let dated = format!("<meta property=\"article:published_time\" content=\"{long}\">");
    let told = format!(
        "<script type=\"application/ld+json\">{{\"@context\": \"https://schema.org\", \
         \"@type\": \"Article\", \"headline\": \"{long}\", \"description\": \"{long}\"}}</script>"
    );
    for head in [stated + &dated, String::new(), told] {
        let html = format!(
            "<html lang=\"{long}\"><head><title>{long}</title>{head}</head>\
             <body><article><p>{long}</p><p>{long}</p></article></body></html>"
        );
        let page = read_html(&html, "https://valley.example/").unwrap();
        let fields = [page.title, page.byline, page.description, page.site, page.published];
        let stated = fields.into_iter().chain([page.language, page.image]).flatten();
        let size: usize = stated.chain(page.keywords).map(|field| field.len()).sum();
        assert!(size < 10_000, "{size}");
    }
    let title = read_text(&long.replace("\n", " ")).unwrap().title.unwrap();
    assert!(title.chars().count() <= 300 && title.ends_with('…'));
}

#[test]
fn a_strange_address_does_not_hide_the_text() {
    assert!(read_html(&article(), "not an address").is_ok());
}

#[test]
fn plain_text_is_its_own_page() {
    let page = read_text("# Salmon\n\nThe salmon come back to the river in autumn.").unwrap();
    assert_eq!(page.title.as_deref(), Some("Salmon"));
    assert_eq!(read_text("too short"), Err(ReadError::NothingReadable));
}
