//! Extracts the readable content of a web page.

use std::borrow::Cow;

use dom_smoothie::{Article, Config, Readability, ReadabilityError};
use lore_core::names::{NAME_MAX, without_unseen};

use crate::language::language;

/// The content and the metadata of a page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Page {
    /// Its title.
    pub title: Option<String>,
    /// The author, as stated by the page.
    pub byline: Option<String>,
    /// A summary, as stated by the page.
    pub description: Option<String>,
    /// The name of the site.
    pub site: Option<String>,
    /// The date of publication, as stated by the page.
    pub published: Option<String>,
    /// The code of its language.
    pub language: Option<String>,
    /// The keywords it states for search engines.
    pub keywords: Vec<String>,
    /// The URL of the preview image it offers to others.
    pub image: Option<String>,
    /// The readable text, as Markdown.
    pub text: String,
}

/// Why a page cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// There is no text: the page is empty, or only scripts fill it.
    #[error("the page has no readable text")]
    NothingReadable,
    /// The page is nested deeper or has more elements than any real page.
    #[error("the page is too complex to be read")]
    TooComplex,
}

/// The most elements of a page.
const MOST_ELEMENTS: usize = 100_000;
/// The deepest nesting of elements.
const DEEPEST: usize = 400;
/// The most character references such as `&amp;` in one text. The parser handles each separately
/// and copies the text before it, which takes quadratic time.
const MOST_REFERENCES: usize = 5_000;
/// The fewest words, or characters of scripts without spaces, that count as content.
const FEWEST_WORDS: usize = 3;
const FEWEST_SIGNS: usize = 8;
/// The most keywords that are taken from a page.
const MOST_KEYWORDS: usize = 50;
/// How much is taken of what a page says about itself, in characters. A page without a description
/// gets its first paragraph, which may be as long as the page.
const LONGEST_NAME: usize = NAME_MAX;
const LONGEST_DESCRIPTION: usize = 2_000;
const LONGEST_KEYWORD: usize = 100;
const LONGEST_DATE: usize = 100;
const LONGEST_LANGUAGE: usize = 35;
/// An address that is cut leads nowhere, so a longer one is left out.
const LONGEST_ADDRESS: usize = 2_000;

/// Reads an HTML page that was fetched from `url`.
pub fn read_html(html: &str, url: &str) -> Result<Page, ReadError> {
    if is_too_complex(html) {
        return Err(ReadError::TooComplex);
    }
    match article(html, url) {
        Ok((article, keywords)) => {
            let text = lore_markup::to_plain_markdown(&article.content);
            checked(Page { keywords, ..of_article(&article) }, &text)
        }
        Err(ReadabilityError::TooManyElements(..)) => Err(ReadError::TooComplex),
        // No article is found in short pages, so take the whole text, which is short as well.
        Err(_) => {
            let page = Page { title: element(html, "title"), ..Page::default() };
            checked(page, &lore_markup::to_plain_markdown(body(html)))
        }
    }
}

/// Whether reading a page could take much longer than its length suggests. For each tag, the parser
/// searches all open elements and compares all attributes of the tag.
fn is_too_complex(html: &str) -> bool {
    lore_markup::is_deeper(html, DEEPEST)
        || references(html) > MOST_REFERENCES
        || lore_markup::is_laborious(html)
}

/// Reads a page that is plain text or Markdown.
pub fn read_text(text: &str) -> Result<Page, ReadError> {
    let first = text.lines().map(str::trim).find(|line| !line.is_empty());
    let title = first.map(|line| line.trim_start_matches('#').trim().to_owned());
    checked(Page { title, ..Page::default() }, &harmless(text))
}

/// Returns an untrusted text without active markup. A text without any images or tags is not
/// changed.
pub fn harmless(text: &str) -> Cow<'_, str> {
    match text.contains("![") || text.contains('<') {
        true => lore_markup::to_plain_markdown(&lore_markup::to_html(text)).into(),
        false => text.into(),
    }
}

/// Counts the words of a text. In scripts without spaces, each character counts as a word.
pub fn words(text: &str) -> usize {
    let count = |word: &str| match word.chars().filter(|c| is_without_blanks(*c)).count() {
        0 => usize::from(word.chars().any(char::is_alphanumeric)),
        signs => signs,
    };
    text.split_whitespace().map(count).sum()
}

/// Whether a character belongs to a script without spaces between words: Chinese, Japanese, Thai,
/// Lao, Burmese and Khmer.
pub fn is_without_blanks(sign: char) -> bool {
    matches!(u32::from(sign),
        0xe00..=0xeff | 0x1000..=0x109f | 0x1780..=0x17ff | 0x3040..=0x30ff | 0x3400..=0x4dbf
        | 0x4e00..=0x9fff | 0xf900..=0xfaff | 0x2_0000..=0x3_ffff)
}

/// Returns the article of a page, and its keywords.
fn article(html: &str, url: &str) -> Result<(Article, Vec<String>), ReadabilityError> {
    let config =
        Config { max_elements_to_parse: MOST_ELEMENTS, keep_classes: true, ..Config::default() };
    // The URL only makes links absolute, so an invalid one must not prevent reading.
    let reader = Readability::new(html, Some(url), Some(config.clone()));
    let mut reader = reader.or_else(|_| Readability::new(html, None, Some(config)))?;
    let told: Vec<String> = reader
        .doc
        .select("meta[content]")
        .iter()
        .filter(|meta| meta.attr("name").is_some_and(|name| name.eq_ignore_ascii_case("keywords")))
        .filter_map(|meta| Some(meta.attr("content")?.to_string()))
        .collect();
    let words = told.iter().flat_map(|told| told.split(',')).map(str::trim);
    let words = words.filter(|word| !word.is_empty()).map(str::to_owned);
    let keywords = words.take(MOST_KEYWORDS).collect();
    // Remove hatnotes ("For other uses, see …"), which are about the site and not about the
    // subject.
    reader.doc.select(".hatnote, [role=note]").remove();
    Ok((reader.parse()?, keywords))
}

fn of_article(article: &Article) -> Page {
    let said = |text: &Option<String>| text.clone().filter(|text| !text.trim().is_empty());
    Page {
        title: Some(article.title.trim().to_owned()).filter(|title| !title.is_empty()),
        byline: said(&article.byline),
        description: said(&article.excerpt),
        site: said(&article.site_name),
        published: said(&article.published_time),
        language: said(&article.lang),
        image: said(&article.image),
        ..Page::default()
    }
}

fn checked(page: Page, text: &str) -> Result<Page, ReadError> {
    let text = without_unseen(text).trim().to_owned();
    let words = text.split_whitespace().filter(|word| word.chars().any(char::is_alphabetic));
    let signs = text.chars().filter(|sign| is_without_blanks(*sign));
    if words.take(FEWEST_WORDS).count() < FEWEST_WORDS
        && signs.take(FEWEST_SIGNS).count() < FEWEST_SIGNS
    {
        return Err(ReadError::NothingReadable);
    }
    let stated = |field: Option<String>, most| field.map(|field| cut(&field, most));
    let image = stated(page.image, usize::MAX);
    Ok(Page {
        title: stated(page.title, LONGEST_NAME),
        byline: stated(page.byline, LONGEST_NAME),
        description: stated(page.description, LONGEST_DESCRIPTION),
        site: stated(page.site, LONGEST_NAME),
        published: stated(page.published, LONGEST_DATE),
        language: stated(page.language, LONGEST_LANGUAGE)
            .or_else(|| language(&text).map(str::to_owned)),
        keywords: page.keywords.iter().map(|word| cut(word, LONGEST_KEYWORD)).collect(),
        image: image.filter(|address| {
            let is_of_web =
                ["https://", "http://"].iter().any(|scheme| address.starts_with(scheme));
            is_of_web && address.chars().count() <= LONGEST_ADDRESS
        }),
        text,
    })
}

/// Returns a text without invisible characters, cut to a number of characters.
fn cut(text: &str, most: usize) -> String {
    let seen = without_unseen(text);
    match seen.char_indices().nth(most.saturating_sub(1)) {
        Some((end, last)) if end + last.len_utf8() < seen.len() => {
            format!("{}…", seen.get(..end).unwrap_or_default().trim_end())
        }
        _ => seen,
    }
}

/// Returns the highest number of character references in a single text.
fn references(html: &str) -> usize {
    html.split('<').map(|text| text.bytes().filter(|byte| *byte == b'&').count()).max().unwrap_or(0)
}

/// Returns the text of the first element with a name, found by string search instead of parsing.
fn element(html: &str, name: &str) -> Option<String> {
    let lower = html.to_ascii_lowercase();
    let open = lower.find(&format!("<{name}"))?;
    let start = open + lower.get(open..)?.find('>')? + 1;
    let end = start + lower.get(start..)?.find(&format!("</{name}"))?;
    let text = lore_markup::to_markdown(html.get(start..end)?);
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn body(html: &str) -> &str {
    let lower = html.to_ascii_lowercase();
    lower.find("<body").and_then(|start| html.get(start..)).unwrap_or(html)
}
