//! Frontmatter: the block of properties at the top of a note.

/// Splits a note into its frontmatter, including both fences and the line end after them, and the
/// rest. The frontmatter is empty if there is none; text between two horizontal rules is not
/// frontmatter. Some lines in frontmatter may be no properties, because people are still typing.
pub fn split(text: &str) -> (&str, &str) {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let offset = text.len() - body.len();
    match block_length(body) {
        Some(length) => text.split_at_checked(offset + length).unwrap_or(("", text)),
        None => ("", text),
    }
}

/// Returns the new text of a note with the old frontmatter prepended; `None` if there is none or if
/// the new text has its own.
pub(crate) fn keep(old: &str, new: &str) -> Option<String> {
    let (block, _) = split(old);
    let has_own = !split(new).0.is_empty();
    if block.is_empty() || has_own {
        return None;
    }
    let line_end = if block.ends_with('\n') { "" } else { "\n" };
    Some(format!("{block}{line_end}{new}"))
}

fn block_length(body: &str) -> Option<usize> {
    let mut length = 0;
    let mut lines = Lines::default();
    for (number, line) in body.split_inclusive('\n').enumerate() {
        let line_text = line.trim_end();
        length += line.len();
        match (number, line_text) {
            (0, "---") => {}
            (0, _) => return None,
            // YAML ends a document with either.
            (_, "---" | "...") => return lines.are_properties().then_some(length),
            _ => lines.count(line_text),
        }
    }
    None
}

/// Counts lines, to tell properties from text between two horizontal rules, such as a list or a
/// heading.
#[derive(Default)]
struct Lines {
    filled: usize,
    keys: usize,
    stray: usize,
}

impl Lines {
    fn count(&mut self, line: &str) {
        let is_key = line.starts_with('{') || (has_key(line) && !line.starts_with(PARTS));
        self.keys += usize::from(is_key);
        self.filled += usize::from(!line.is_empty());
        self.stray += usize::from(!may_be_property(line));
    }

    /// An empty block is frontmatter without properties.
    fn are_properties(&self) -> bool {
        let has_keys = self.keys > 0 && self.keys >= self.stray;
        has_keys || self.filled == 0
    }
}

/// The first characters of lines that continue a value or are comments.
const PARTS: [char; 4] = [' ', '\t', '-', '#'];

/// Whether a line can be part of frontmatter: a key, a part of a value, or empty.
fn may_be_property(line: &str) -> bool {
    line.is_empty()
        || line.starts_with(PARTS)
        || line.starts_with(['[', ']', '{', '}', '"', '\''])
        || has_key(line)
}

fn has_key(line: &str) -> bool {
    line.ends_with(':') || line.contains(": ") || line.contains(":\t")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_found_only_at_the_top() {
        assert_eq!(split("---\na: 1\n---\nbody"), ("---\na: 1\n---\n", "body"));
        assert_eq!(split("---\r\na: 1\r\n---\r\nbody"), ("---\r\na: 1\r\n---\r\n", "body"));
        assert_eq!(split("---\na: 1\n...\nbody"), ("---\na: 1\n...\n", "body"));
        assert_eq!(split("---\n# a comment\n\"a\": [1,\n  2]\n---\n").1, "");
        assert_eq!(split("---\n---\nbody"), ("---\n---\n", "body"));
        assert_eq!(split("\u{feff}---\na: 1\n---"), ("\u{feff}---\na: 1\n---", ""));
        for none in [
            "",
            "body",
            "body\n---\na\n---\n",
            "---",
            "---\nnever closed",
            " ---\na\n---\n",
            "---\nA text between rules.\n---\n",
            "---\nThe road: long.\nWe walked.\nWe came home.\n---\n",
            "---\n\n# A heading: of a chapter\n\n---\n",
            "---\n- a list\n- only: this\n---\nx",
        ] {
            assert_eq!(split(none), ("", none));
        }
    }

    #[test]
    fn a_stray_line_leaves_the_properties_what_they_are() {
        for stray in ["- stray", "plain line no colon", "kno"] {
            for block in
                [format!("---\na: 1\n{stray}\n---\n"), format!("---\n{stray}\na: 1\n---\n")]
            {
                assert_eq!(split(&format!("{block}body")), (block.as_str(), "body"));
            }
        }
    }

    #[test]
    fn properties_are_kept_when_the_new_text_has_none() {
        assert_eq!(keep("---\na: 1\n---\nold", "new").as_deref(), Some("---\na: 1\n---\nnew"));
        assert_eq!(keep("---\na: 1\n---", "new").as_deref(), Some("---\na: 1\n---\nnew"));
        assert_eq!(keep("---\na: 1\n---\nold", "---\nb: 2\n---\nnew"), None);
        assert_eq!(keep("old", "new"), None);
        let ruled = "---\nA text after a rule.\n---\nmore";
        let kept = keep("---\na: 1\n---\nold", ruled);
        assert_eq!(kept, Some(format!("---\na: 1\n---\n{ruled}")));
    }
}
