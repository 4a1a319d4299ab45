//! Formats progress as a line of text: a bar on a terminal, otherwise an occasional count.

/// The width of a bar, in characters.
const WIDTH: usize = 30;
/// How many steps a progress is shown in: on a terminal, and elsewhere.
const FINE: usize = 1_000;
const COARSE: usize = 10;
/// Up to this total, only the end is reported where lines cannot be overwritten.
const FEW: usize = 100;

/// Where progress is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// A terminal, where a line can be overwritten.
    Terminal,
    /// A file or pipe, where every line stays.
    Elsewhere,
}

/// The progress that was shown last.
#[derive(Debug)]
pub(crate) struct Shown {
    what: String,
    part: usize,
}

impl Shown {
    /// Nothing was shown yet.
    pub(crate) const NOTHING: Self = Self { what: String::new(), part: 0 };

    /// Returns the line to show now, or `None` if it would tell nothing new.
    pub(crate) fn next(
        &mut self,
        what: &str,
        done: usize,
        total: usize,
        place: Place,
    ) -> Option<String> {
        if self.what != what {
            *self = Self { what: what.to_owned(), part: 0 };
        }
        let part = match place {
            Place::Terminal => part(done, total, FINE),
            Place::Elsewhere if total <= FEW => part(done, total, 1),
            Place::Elsewhere => part(done, total, COARSE),
        };
        let (before, ended) = (self.part, done >= total);
        // The next task starts from zero.
        self.part = if ended { 0 } else { part };
        let line = match place {
            Place::Terminal => bar(what, done, total),
            Place::Elsewhere => counted(what, done, total),
        };
        (ended || part != before).then_some(line)
    }
}

/// A bar: `entities [#########·····················]  30 %  1500 of 5000`.
fn bar(what: &str, done: usize, total: usize) -> String {
    let (full, percent) = (part(done, total, WIDTH), part(done, total, 100));
    let bar = "#".repeat(full) + &"·".repeat(WIDTH - full);
    let gap = if what.is_empty() { "" } else { " " };
    format!("{what}{gap}[{bar}] {percent:3} %  {done} of {total}")
}

fn counted(what: &str, done: usize, total: usize) -> String {
    let gap = if what.is_empty() { "" } else { ": " };
    format!("{what}{gap}{done} of {total}")
}

/// How many of `parts` steps are done.
fn part(done: usize, total: usize, parts: usize) -> usize {
    match total {
        0 => parts,
        total => done.min(total).saturating_mul(parts) / total,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(total: usize, step: usize, place: Place) -> Vec<String> {
        let mut shown = Shown::NOTHING;
        let steps = (step..=total).step_by(step);
        steps.filter_map(|done| shown.next("notes", done, total, place)).collect()
    }

    #[test]
    fn a_bar_fills_as_it_goes() {
        let half = format!("notes [{}{}]  30 %  1500 of 5000", "#".repeat(9), "·".repeat(21));
        assert!(lines(5000, 1, Place::Terminal).contains(&half));
        assert_eq!(lines(5000, 1, Place::Terminal).len(), 1_000);
        assert_eq!(lines(7, 1, Place::Terminal).len(), 7);
        for (done, total) in [(7, 7), (9, 7), (0, 0)] {
            assert!(bar("", done, total).starts_with(&format!("[{}] 100 %", "#".repeat(WIDTH))));
        }
    }

    #[test]
    fn where_lines_stay_there_are_few_and_the_last_is_among_them() {
        for (total, step, wanted) in [(5000, 1, 10), (4990, 499, 10), (7, 1, 1), (1, 1, 1)] {
            let told = lines(total, step, Place::Elsewhere);
            assert_eq!(told.len(), wanted, "{told:?}");
            assert_eq!(told.last(), Some(&format!("notes: {total} of {total}")));
        }
    }
}
