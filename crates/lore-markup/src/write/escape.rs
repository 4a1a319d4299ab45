//! Escaping text, so that it is not parsed as markup.

/// Escapes inline text. `before` and `after` are the characters around it, a line break if there is
/// none.
pub(super) fn text(out: &mut String, text: &str, before: char, after: char, within: Within) {
    let mut before = before;
    for (at, c) in text.char_indices() {
        let rest = text.get(at + c.len_utf8()..).unwrap_or_default();
        let next = rest.chars().next();
        let at_end = next.is_none();
        let is_note = c == ']' && next == Some(':') && ends_in_note(out);
        let is_plain = c == '&' && !may_refer(rest, after);
        let may_stay = is_note || is_plain;
        if !may_stay && needs_escape(c, before, next.unwrap_or(after), at_end, within) {
            out.push('\\');
        }
        out.push(c);
        before = c;
    }
}

/// Whether an ampersand followed by `rest` may start a character reference. `next` is the character
/// after `rest`.
pub(super) fn may_refer(rest: &str, next: char) -> bool {
    let name = rest.strip_prefix('#').unwrap_or(rest);
    let end = name.find(|c: char| !c.is_ascii_alphanumeric());
    match end.and_then(|end| name.get(end..)) {
        Some(after) => after.starts_with(';'),
        None => next == ';' || next == '#' || next.is_ascii_alphanumeric(),
    }
}

/// Whether the text written so far ends in the label of a footnote, before its closing bracket:
/// `[^1`. No link has such a label.
fn ends_in_note(written: &str) -> bool {
    let name = written.rsplit_once("[^").map(|(_, name)| name);
    name.is_some_and(|name| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric()))
}

/// The context of inline text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Within {
    /// Any context that does not end at a bracket.
    Text,
    /// The text of a link or the description of an image.
    Brackets,
}

fn needs_escape(c: char, before: char, next: char, at_end: bool, within: Within) -> bool {
    let apart = before.is_whitespace() && next.is_whitespace() && !at_end;
    let in_word = before.is_alphanumeric() && next.is_alphanumeric() && !at_end;
    match c {
        '`' => true,
        '\\' => !next.is_alphanumeric() || at_end,
        '*' => !apart,
        '_' => !(apart || in_word),
        // A closing `~` follows a non-space character; without one, nothing is struck through.
        '~' => !before.is_whitespace() || next == '~' || at_end,
        '[' => within == Within::Brackets,
        ']' => within == Within::Brackets || matches!(next, '(' | '[' | ':'),
        '!' => next == '[' && at_end,
        '<' => next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?') || at_end,
        '&' => next.is_ascii_alphanumeric() || next == '#' || at_end,
        _ => false,
    }
}

/// Escapes what would turn the start of a line into a heading, a list item, a quotation, a rule, an
/// underline or a fence.
pub(super) fn line_start(line: &str) -> String {
    let line = line.trim_matches([' ', '\t']);
    let Some(first) = line.chars().next() else { return String::new() };
    // A rule or underline repeats one character; the second line of a table consists of these.
    let rule = matches!(first, '-' | '=' | '*' | '_' | '+')
        && line.chars().all(|c| c == first || c == ' ');
    let only_signs = rule || line.chars().all(|c| matches!(c, '-' | ':' | '|' | ' '));
    let after_run = line.trim_start_matches(first);
    let word_ends = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\t']);
    let marked = match first {
        '#' => line.len() - after_run.len() <= 6 && word_ends(after_run),
        '-' | '+' | '*' => word_ends(line.get(1..).unwrap_or_default()),
        '>' => true,
        '~' => line.starts_with("~~~"),
        _ => false,
    };
    if marked || only_signs {
        return format!("\\{line}");
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = line.split_at(digits);
    let numbered = (1..=9).contains(&digits) && rest.starts_with(['.', ')']);
    if numbered && word_ends(rest.get(1..).unwrap_or_default()) {
        return format!("{number}\\{rest}");
    }
    line.to_owned()
}

/// Escapes a `#` at the end of a heading, which would otherwise be dropped.
pub(super) fn heading(line: &str) -> String {
    match line.strip_suffix('#') {
        Some(rest) if !rest.ends_with('\\') => format!("{rest}\\#"),
        _ => line.to_owned(),
    }
}

/// Escapes text at the start of an item that looks like the checkbox of a task.
pub(super) fn task_box(line: &str) -> String {
    let rest = ["[ ]", "[x]", "[X]"].iter().find_map(|start| line.strip_prefix(start));
    if rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace)) {
        format!("\\{line}")
    } else {
        line.to_owned()
    }
}

/// Returns the length of the longest run of `c`.
pub(super) fn longest_run(text: &str, c: char) -> usize {
    text.split(|other| other != c).map(str::len).max().unwrap_or(0)
}
