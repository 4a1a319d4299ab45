//! Writing inline elements.

use super::escape::{self, Within};
use crate::mention::{self, Dialect, Piece};
use crate::model::{Inline, Style, Target};

/// The context of inline content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A paragraph, which may have several lines.
    Paragraph,
    /// A heading, which is on one line.
    Heading,
    /// A table cell, which is on one line and where a bar must be escaped.
    Cell,
}

/// Writes the inline content of a paragraph; it may have several lines.
pub(super) fn running(parts: &[Inline]) -> String {
    let mut pen = Pen::new(Place::Paragraph);
    pen.write(parts);
    pen.out
}

/// Writes the inline content of a heading or a cell.
pub(super) fn on_one_line(parts: &[Inline], place: Place) -> String {
    let mut pen = Pen::new(place);
    pen.write(parts);
    if place == Place::Cell { bars_escaped(&pen.out) } else { pen.out }
}

/// Escapes every bar in a cell, whatever it is part of: a table is split into cells before anything
/// else is parsed. Mentions are the exception and stay verbatim.
fn bars_escaped(text: &str) -> String {
    let pieces = mention::pieces(text, Dialect::Markdown).into_iter();
    let escaped = pieces.map(|piece| match piece {
        Piece::Text(text) => text.replace('|', "\\|"),
        Piece::Mention(mention) => mention.text.into_owned(),
    });
    escaped.collect()
}

/// Writes inline elements, depending on the characters before and after them.
struct Pen {
    out: String,
    place: Place,
    within: Within,
    before: char,
    after: char,
}

impl Pen {
    fn new(place: Place) -> Self {
        Self { out: String::new(), place, within: Within::Text, before: '\n', after: '\n' }
    }

    /// Writes the content of an element, between the characters `before` and `after`.
    fn inside(&self, parts: &[Inline], within: Within, before: char, after: char) -> String {
        let mut pen = Self { out: String::new(), place: self.place, within, before, after };
        pen.write(parts);
        pen.out
    }

    fn last(&self) -> char {
        self.out.chars().next_back().unwrap_or(self.before)
    }

    fn write(&mut self, parts: &[Inline]) {
        let mut position = 0;
        while let Some(part) = parts.get(position) {
            // Two adjacent pieces of code cannot be distinguished, so they become one.
            let run = parts.get(position..).map_or(0, run_of_code);
            position += run.max(1);
            let next = parts.get(position).map_or(self.after, first_sign);
            if run > 1 {
                let codes = parts.get(position - run..position).unwrap_or_default();
                self.code(&codes.iter().filter_map(Inline::as_code).collect::<String>());
            } else {
                self.part(part, next);
            }
        }
    }

    fn part(&mut self, part: &Inline, next: char) {
        match part {
            Inline::Text(text) => self.text(text, next),
            Inline::Mention(text) => self.out.push_str(text),
            Inline::Break if self.place == Place::Paragraph => self.out.push_str("\\\n"),
            Inline::Break => self.out.push_str("<br>"),
            Inline::Code(text) => self.code(text),
            Inline::Styled(style, inside) => self.styled(*style, inside, next),
            Inline::Link(target, inside) => self.link(target, inside),
            Inline::Image(target, alt) => self.image(target, alt),
            Inline::Html(html) => self.out.push_str(html),
            Inline::Tagged(open, tag, inside) => {
                let inside = self.inside(inside, self.within, '>', '<');
                self.out.push_str(&format!("{open}{inside}</{tag}>"));
            }
        }
    }

    fn text(&mut self, text: &str, next: char) {
        let text = match self.place {
            Place::Paragraph => text.to_owned(),
            _ => text.replace('\n', " "),
        };
        let fresh = self.last().is_whitespace();
        let text = if fresh { text.trim_start_matches([' ', '\n']) } else { &text };
        let before = self.last();
        escape::text(&mut self.out, text, before, next, self.within);
    }

    fn code(&mut self, text: &str) {
        let plain: String = mention::pieces(text, Dialect::Plain)
            .into_iter()
            .map(|piece| match piece {
                Piece::Text(text) => text.to_owned(),
                Piece::Mention(_) => "m".to_owned(),
            })
            .collect();
        let fence = "`".repeat(escape::longest_run(&plain, '`') + 1);
        let spaced = plain.starts_with(' ') && plain.ends_with(' ');
        let pad = if plain.starts_with('`') || plain.ends_with('`') || spaced { " " } else { "" };
        self.out.push_str(&format!("{fence}{pad}{text}{pad}{fence}"));
    }

    /// Writes delimiters where they are certain to be parsed as such, otherwise an HTML element.
    fn styled(&mut self, style: Style, inside: &[Inline], next: char) {
        let signed = self
            .strong_emphasis(style, inside, next)
            .or_else(|| self.signed(style.sign(), inside, next))
            .or_else(|| self.signed(style.other_sign()?, inside, next));
        let written = signed.unwrap_or_else(|| {
            let (tag, text) = (style.tag(), self.inside(inside, self.within, '>', '<'));
            format!("<{tag}>{text}</{tag}>")
        });
        self.out.push_str(&written);
    }

    /// Returns the text between delimiters if they are certain to be parsed as such.
    fn signed(&self, sign: &str, inside: &[Inline], next: char) -> Option<String> {
        let edge = sign.chars().next()?;
        let text = self.inside(inside, self.within, edge, edge);
        let certain = opens(self.last(), &text, edge) && closes(&text, next, edge);
        certain.then(|| format!("{sign}{text}{sign}"))
    }

    /// Returns `***text***`, which is parsed as emphasis around strong text, if that is what is
    /// wanted.
    fn strong_emphasis(&self, style: Style, inside: &[Inline], next: char) -> Option<String> {
        let (Style::Emphasis, [Inline::Styled(Style::Strong, inner)]) = (style, inside) else {
            return None;
        };
        let text = self.inside(inner, self.within, '*', '*');
        let certain = opens(self.last(), &text, '*') && closes(&text, next, '*');
        certain.then(|| format!("***{text}***"))
    }

    fn link(&mut self, target: &Target, inside: &[Inline]) {
        if let [Inline::Text(text)] = inside
            && target.title.is_none()
            && shows_itself(text, &target.url)
        {
            return self.out.push_str(&format!("<{text}>"));
        }
        let text = self.inside(inside, Within::Brackets, '[', ']');
        self.out.push_str(&format!("[{text}]({})", destination(target)));
    }

    fn image(&mut self, target: &Target, alt: &str) {
        let mut text = String::new();
        for piece in mention::pieces(alt, Dialect::Plain) {
            match piece {
                Piece::Text(plain) => escape::text(&mut text, plain, '[', ']', Within::Brackets),
                Piece::Mention(mention) => text.push_str(&mention.text),
            }
        }
        self.out.push_str(&format!("![{text}]({})", destination(target)));
    }
}

/// Returns how many of the first parts are code.
fn run_of_code(parts: &[Inline]) -> usize {
    parts.iter().take_while(|part| part.as_code().is_some()).count()
}

/// Returns the first character that a part is written with; a letter stands for a mention.
fn first_sign(part: &Inline) -> char {
    match part {
        Inline::Text(text) => text.chars().next().unwrap_or('\n'),
        Inline::Mention(_) => 'm',
        Inline::Break => '\n',
        Inline::Code(_) => '`',
        Inline::Styled(style, _) => style.sign().chars().next().unwrap_or('*'),
        Inline::Link(..) => '[',
        Inline::Image(..) => '!',
        Inline::Tagged(..) | Inline::Html(_) => '<',
    }
}

/// Whether a delimiter between `before` and `text` is certain to open a style.
fn opens(before: char, text: &str, sign: char) -> bool {
    let first = text.chars().next().unwrap_or(' ');
    fits(before, first, sign)
}

/// Whether a delimiter between `text` and `next` is certain to close a style.
fn closes(text: &str, next: char, sign: char) -> bool {
    let last = text.chars().next_back().unwrap_or(' ');
    fits(next, last, sign)
}

fn fits(outside: char, inside: char, sign: char) -> bool {
    // An adjacent `*` and `_` are separate delimiters; others could merge.
    let joins = |c: char| c == sign || matches!(c, '~' | '\\') || sign == '~' && is_sign(c);
    if joins(inside) || joins(outside) || inside.is_whitespace() {
        return false;
    }
    let apart = outside.is_whitespace() || outside.is_ascii_punctuation();
    // Within a word, `_` is not a delimiter.
    apart || inside.is_alphanumeric() && sign != '_'
}

fn is_sign(c: char) -> bool {
    matches!(c, '*' | '_' | '~')
}

/// Whether a link is its own text, so that it can be written as an autolink in angle brackets.
fn shows_itself(text: &str, url: &str) -> bool {
    let is_plain =
        |signs: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || signs.contains(c));
    if url.strip_prefix("mailto:") == Some(text) {
        return text.split('@').count() == 2 && text.split('@').all(is_word) && is_plain("@.-_+");
    }
    let is_web = text.starts_with("https://") || text.starts_with("http://");
    // With a semicolon, an ampersand could start a character reference.
    let signs = if text.contains(';') { "/:.#?=%+-_~,!" } else { "/:.#?=%+-_~,!&" };
    text == url && is_web && is_plain(signs)
}

fn is_word(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.ends_with(|c: char| c.is_ascii_alphanumeric())
}

fn destination(target: &Target) -> String {
    let mut out = String::new();
    if target.url.is_empty() {
        out.push_str("<>");
    }
    for piece in mention::pieces(&target.url, Dialect::Plain) {
        match piece {
            Piece::Text(text) => {
                let after = |at: usize| text.get(at + 1..).unwrap_or_default();
                text.char_indices().for_each(|(at, c)| push_url_char(&mut out, c, after(at)));
            }
            Piece::Mention(mention) => out.push_str(&mention.text),
        }
    }
    if let Some(title) = &target.title {
        out.push_str(&format!(" \"{}\"", title_text(title)));
    }
    out
}

fn push_url_char(out: &mut String, c: char, after: &str) {
    match c {
        ' ' => out.push_str("%20"),
        '&' if !escape::may_refer(after, ' ') => out.push('&'),
        '\\' | '(' | ')' | '<' | '>' | '&' | '[' | ']' => {
            out.push('\\');
            out.push(c);
        }
        other => out.push(other),
    }
}

fn title_text(title: &str) -> String {
    let mut out = String::new();
    for piece in mention::pieces(title, Dialect::Plain) {
        match piece {
            Piece::Text(text) => {
                for (at, c) in text.char_indices() {
                    let after = text.get(at + 1..).unwrap_or_default();
                    let is_plain = c == '&' && !escape::may_refer(after, ' ');
                    if matches!(c, '"' | '\\' | '&') && !is_plain {
                        out.push('\\');
                    }
                    out.push(c);
                }
            }
            Piece::Mention(mention) => out.push_str(&mention.text),
        }
    }
    out
}
