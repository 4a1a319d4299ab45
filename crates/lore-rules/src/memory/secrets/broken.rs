//! Keys that are split by line breaks.

use super::forms::of_service;
use super::looks::is_contrived;
use super::{Secret, is_token, is_word, near, run};

/// The maximum number of further lines of a key.
const LINES: usize = 3;
/// How many bytes before the end of its first line a key may begin.
const HEAD_MOST: usize = 512;

/// Returns the keys that begin at the end of one line and continue at the start of the next.
pub(super) fn over_lines(text: &str) -> Vec<Secret> {
    let ends = text.match_indices('\n').map(|(at, _)| at);
    ends.filter_map(|at| broken_at(text, at)).collect()
}

/// Returns the key that the line break at `at` splits.
fn broken_at(text: &str, at: usize) -> Option<Secret> {
    let line = text.get(..at)?.trim_end_matches('\r');
    let end = line.get(line.ceil_char_boundary(line.len().saturating_sub(HEAD_MOST))..)?;
    let word = end.rfind(|c| !is_token(c)).map_or(end, |blank| end.get(blank..).unwrap_or(end));
    let from = line.len() - word.len();
    let begins = word.char_indices().filter(|(_, c)| is_word(*c)).map(|(begin, _)| from + begin);
    let begins = begins.filter(|begin| !line.get(..*begin).is_some_and(|w| w.ends_with(is_word)));
    let heads = begins.filter_map(|begin| line.get(begin..));
    heads.filter_map(|head| Broken::of(head).whole(text, line.len(), at)).next()
}

/// The beginning of a possible key and what has been joined to it.
struct Broken {
    head: usize,
    said: String,
    is_known: bool,
}

impl Broken {
    fn of(head: &str) -> Self {
        let is_known = of_service(head).is_some_and(|hit| hit.length == head.len());
        Self { head: head.len(), said: head.to_owned(), is_known }
    }

    /// Returns the whole key, whose first part ends at `from`, before the line break at `line_end`.
    fn whole(mut self, text: &str, from: usize, line_end: usize) -> Option<Secret> {
        let mut found = None;
        let mut line_end = Some(line_end);
        for _ in 0..LINES {
            let Some(at) = line_end else { break };
            let next = text.get(at + 1..)?;
            let begin = at + 1 + run(next, |c| matches!(c, ' ' | '\t'));
            let tail = near(text.get(begin..)?);
            let tail = tail.get(..run(tail, is_token))?.trim_end_matches('.');
            // After a key that is already complete, ordinary text follows.
            if tail.is_empty() || self.is_known && !is_contrived(tail) {
                break;
            }
            let before = self.said.len();
            self.said.push_str(tail);
            if let Some(hit) = of_service(&self.said).filter(|hit| hit.length > before) {
                self.is_known = true;
                let end = begin + hit.length - before;
                found = Some(Secret { kind: hit.kind, start: from - self.head, end });
            }
            let after = begin + tail.len();
            line_end = text.get(after..)?.starts_with('\n').then_some(after);
        }
        found.filter(|_| self.said.contains(|c: char| c.is_ascii_digit()))
    }
}
