//! Ordered lists that do not start with one, for example because a line starts with a year. Lists
//! in BBCode always count from one, so these are written as lines of text there.

/// Returns a list as lines of text.
pub(super) fn lines(start: u64, items: impl Iterator<Item = String>) -> String {
    let lines = items.zip(start..).map(|(item, number)| format!("{number}. {}", item.trim()));
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns such lines as a list in HTML; `None` if they are not one.
pub(super) fn as_list(text: &str) -> Option<String> {
    list_within(text, DEPTH_MAX)
}

/// Splits the text of an item into its text and the list in its last lines, if there is one.
pub(super) fn with_list(text: &str) -> (&str, String) {
    split_within(text, DEPTH_MAX)
}

/// The maximum depth of such lists; deeper ones stay text.
const DEPTH_MAX: usize = 4;

fn list_within(text: &str, depth: usize) -> Option<String> {
    let items: Vec<(u64, &str)> = text.split('\n').map(item).collect::<Option<_>>()?;
    let (start, _) = *items.first().filter(|(start, _)| *start != 1)?;
    if depth == 0 || !items.iter().zip(start..).all(|((number, _), wanted)| *number == wanted) {
        return None;
    }
    let items = items.iter().map(|(_, text)| {
        let (text, list) = split_within(text, depth - 1);
        format!("<li>{text}{list}</li>")
    });
    Some(format!("<ol start=\"{start}\">{}</ol>", items.collect::<String>()))
}

fn split_within(text: &str, depth: usize) -> (&str, String) {
    let mut start = text.len();
    let mut next: Option<u64> = None;
    while let Some((begin, line)) = last_line(text, start) {
        match item(line) {
            Some((number, _)) if next.is_none_or(|next| number + 1 == next) => {
                (start, next) = (begin, Some(number));
            }
            _ => break,
        }
    }
    let (before, lines) = text.split_at(start);
    list_within(lines, depth).map_or((text, String::new()), |list| (before.trim_end(), list))
}

/// Returns the last line before `end` and where it starts.
fn last_line(text: &str, end: usize) -> Option<(usize, &str)> {
    let before = text.get(..end)?.trim_end_matches('\n');
    let begin = before.rfind('\n').map_or(0, |at| at + 1);
    before.get(begin..).filter(|line| !line.is_empty()).map(|line| (begin, line))
}

/// Splits a line into its number and its text.
fn item(line: &str) -> Option<(u64, &str)> {
    let (number, text) = line.split_once(". ")?;
    let is_plain = (1..=9).contains(&number.len())
        && number.bytes().all(|byte| byte.is_ascii_digit())
        && (number == "0" || !number.starts_with('0'));
    let text = Some(text.trim()).filter(|text| is_plain && !text.is_empty())?;
    Some((number.parse().ok()?, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lines_that_go_on_counting_are_a_list() {
        let list = "<ol start=\"5\"><li>five</li><li>six</li></ol>";
        assert_eq!(as_list("5. five\n6. six").as_deref(), Some(list));
        for text in ["1. one\n2. two", "5. five\n7. seven", "5. five\nsix", "5.five", "05. x", "x"]
        {
            assert_eq!(as_list(text), None, "{text}");
        }
        let items = ["five".to_owned(), "six".to_owned()];
        assert_eq!(lines(5, items.into_iter()), "5. five\n6. six");
    }
}
