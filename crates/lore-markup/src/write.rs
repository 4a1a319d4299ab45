//! Converts blocks and inline elements to Markdown.
//!
//! The output must parse back to the same blocks: every choice here follows from a rule of
//! CommonMark. Where a delimiter would be ambiguous, an HTML tag is used instead.

mod escape;
mod inline;

use crate::model::{Align, Block, Inline, Item, List, Table};
use inline::Place;

/// Writes a whole document.
pub(crate) fn document(blocks: &[Block]) -> String {
    lines(blocks, Around::Page).join("\n")
}

/// The context of the blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Around {
    /// The page or a quotation.
    Page,
    /// A list item, where `---` could be parsed as the underline of a heading.
    Item,
}

/// Returns the lines of some blocks, separated by blank lines.
fn lines(blocks: &[Block], around: Around) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut bullets = Bullets::default();
    let mut quoted = false;
    for block in blocks {
        let sign = bullets.next(block);
        if !lines.is_empty() {
            lines.push(String::new());
        }
        if quoted && matches!(block, Block::Quote(_)) {
            // Two adjacent quotations would be parsed as one.
            lines.extend(["<!-- -->".to_owned(), String::new()]);
        }
        quoted = matches!(block, Block::Quote(_));
        lines.extend(block_lines(block, around, sign));
    }
    lines
}

/// Alternates the markers of adjacent lists of one kind, which would otherwise be parsed as one
/// list.
#[derive(Default)]
struct Bullets {
    last: Option<(bool, Sign)>,
}

/// One of the two markers of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Sign {
    /// `-` or `1.`
    #[default]
    Usual,
    /// `*` or `1)`
    Other,
}

impl Bullets {
    fn next(&mut self, block: &Block) -> Sign {
        let Block::List(list) = block else {
            self.last = None;
            return Sign::Usual;
        };
        let ordered = list.start.is_some();
        let sign = match self.last {
            Some((before, Sign::Usual)) if before == ordered => Sign::Other,
            _ => Sign::Usual,
        };
        self.last = Some((ordered, sign));
        sign
    }
}

fn block_lines(block: &Block, around: Around, sign: Sign) -> Vec<String> {
    match block {
        Block::Paragraph(text) => paragraph(text),
        Block::Heading(level, text) => {
            let text = escape::heading(&inline::on_one_line(text, Place::Heading));
            vec![format!("{} {text}", "#".repeat(*level))]
        }
        Block::Quote(blocks) => {
            let inside = lines(blocks, Around::Page);
            inside.iter().map(|line| format!("> {line}").trim_end_matches(' ').to_owned()).collect()
        }
        Block::List(list) => list_lines(list, sign),
        Block::Code(language, text) => fenced(language.as_deref(), text),
        Block::Rule if around == Around::Item => vec!["___".into()],
        Block::Rule => vec!["---".into()],
        Block::Table(table) => table_lines(table),
        Block::Html(html) => vec![html.clone()],
    }
}

fn paragraph(text: &[Inline]) -> Vec<String> {
    let text = inline::running(text);
    text.split('\n').map(escape::line_start).collect()
}

fn list_lines(list: &List, sign: Sign) -> Vec<String> {
    let mut lines = Vec::new();
    for (item, position) in list.items.iter().zip(0_u64..) {
        if list.loose && position > 0 {
            lines.push(String::new());
        }
        let marker = marker(list, position, sign);
        lines.extend(item_lines(item, &marker, list.loose));
    }
    lines
}

fn marker(list: &List, position: u64, sign: Sign) -> String {
    /// Longer numbers cannot start a list item.
    const LARGEST: u64 = 999_999_999;
    match (list.start, sign) {
        (None, Sign::Usual) => "- ".into(),
        (None, Sign::Other) => "* ".into(),
        (Some(start), sign) => {
            let number = start.saturating_add(position).min(LARGEST);
            format!("{number}{} ", if sign == Sign::Usual { '.' } else { ')' })
        }
    }
}

fn item_lines(item: &Item, marker: &str, loose: bool) -> Vec<String> {
    let mut inside = match (loose, item.blocks.as_slice()) {
        (false, [Block::Paragraph(text), Block::List(list)]) => {
            let mut inside = paragraph(text);
            inside.extend(list_lines(list, Sign::Usual));
            inside
        }
        (_, blocks) => lines(blocks, Around::Item),
    };
    if let (Some(done), Some(first)) = (item.task, inside.first_mut()) {
        *first = format!("[{}] {first}", if done { 'x' } else { ' ' });
    } else if let Some(first) = inside.first_mut() {
        *first = escape::task_box(first);
    }
    if inside.is_empty() {
        return vec![marker.trim_end().to_owned()];
    }
    let indent = " ".repeat(marker.len());
    let margins = std::iter::once(marker).chain(std::iter::repeat(indent.as_str()));
    inside
        .iter()
        .zip(margins)
        .map(
            |(line, margin)| {
                if line.is_empty() { String::new() } else { format!("{margin}{line}") }
            },
        )
        .collect()
}

fn fenced(language: Option<&str>, text: &str) -> Vec<String> {
    let fence = "`".repeat(escape::longest_run(text, '`').max(2) + 1);
    let mut lines = vec![format!("{fence}{}", language.unwrap_or_default())];
    if !text.is_empty() {
        lines.extend(text.split('\n').map(str::to_owned));
    }
    lines.push(fence);
    lines
}

fn table_lines(table: &Table) -> Vec<String> {
    let rule = table.columns.iter().map(|align| match align {
        Align::None => "---",
        Align::Left => ":---",
        Align::Center => ":---:",
        Align::Right => "---:",
    });
    let rule = format!("| {} |", rule.collect::<Vec<_>>().join(" | "));
    let mut lines: Vec<String> = table.rows.iter().map(|row| row_line(row)).collect();
    lines.insert(lines.len().min(1), rule);
    lines
}

fn row_line(row: &[Vec<Inline>]) -> String {
    let cells = row.iter().map(|cell| inline::on_one_line(cell, Place::Cell));
    format!("| {} |", cells.collect::<Vec<_>>().join(" | "))
}
