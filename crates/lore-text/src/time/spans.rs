//! Ranges between two dates in a question: "between 1 and 10 November", "1-10 November".

use super::asked::{Mention, Piece};
use super::calendar::any_day;

/// Words before the first day of a range, and words before the last.
const BEGINS: [&str; 10] =
    ["between", "from", "zwischen", "vom", "von", "entre", "del", "desde", "du", "depuis"];
const LEADS_TO_LAST: [&str; 12] =
    ["and", "to", "until", "till", "through", "bis", "und", "y", "al", "hasta", "au", "et"];
/// Words that may stand before a day.
const ARTICLES: [&str; 7] = ["the", "el", "le", "dem", "den", "der", "zum"];
const DASHES: [&str; 3] = ["-", "–", "—"];

/// The first day of a range that ends with the day at `last`, and its position.
pub(super) fn earlier(question: &str, words: &[Piece], last: usize) -> Option<(i8, usize)> {
    let day_at = |at: usize| any_day(&words.get(at)?.text).map(|day| (day, at));
    if let Some(found) = last.checked_sub(1).filter(|at| is_dashed(question, words, *at)) {
        return day_at(found);
    }
    let leads = before(words, last).filter(|at| is_one(words, *at, &LEADS_TO_LAST))?;
    let found = day_at(before(words, leads)?)?;
    before(words, found.1).filter(|at| is_one(words, *at, &BEGINS)).map(|_| found)
}

/// The last day of a range that begins with the day at `first`, after the month at `month`; and its
/// position.
pub(super) fn later(
    question: &str,
    words: &[Piece],
    month: usize,
    first: usize,
) -> Option<(i8, usize)> {
    let day_at = |at: usize| any_day(&words.get(at)?.text).map(|day| (day, at));
    if is_dashed(question, words, first) {
        return day_at(first + 1);
    }
    let begins = before(words, month).is_some_and(|at| is_one(words, at, &BEGINS));
    let leads = begins && is_one(words, first + 1, &LEADS_TO_LAST);
    day_at(first + 2).filter(|_| leads)
}

/// Joins pairs of dates that form a range.
pub(super) fn join(question: &str, mentions: Vec<Mention>) -> Vec<Mention> {
    let mut joined: Vec<Mention> = Vec::new();
    for next in mentions {
        match joined.last_mut() {
            Some(last) if is_span(question, last, &next) => last.reach(next),
            _ => joined.push(next),
        }
    }
    joined
}

fn is_span(question: &str, first: &Mention, last: &Mention) -> bool {
    let before = question.get(..first.place.start).unwrap_or_default().to_lowercase();
    let between = question.get(first.place.end..last.place.start).unwrap_or_default();
    let mut before = before.split_whitespace().rev().filter(|word| !ARTICLES.contains(word));
    let between = between.to_lowercase();
    let mut between = between.split_whitespace().filter(|word| !ARTICLES.contains(word));
    let leads = between.next().is_some_and(|word| LEADS_TO_LAST.contains(&word));
    before.next().is_some_and(|word| BEGINS.contains(&word)) && leads && between.next().is_none()
}

/// The position of the previous word that is not an article.
fn before(words: &[Piece], at: usize) -> Option<usize> {
    (0..at).rev().find(|at| !is_one(words, *at, &ARTICLES))
}

fn is_one(words: &[Piece], at: usize, said: &[&str]) -> bool {
    words.get(at).is_some_and(|word| said.contains(&word.text.as_str()))
}

/// Whether there is only a dash between a word and the next.
fn is_dashed(question: &str, words: &[Piece], at: usize) -> bool {
    let (Some(one), Some(next)) = (words.get(at), words.get(at + 1)) else { return false };
    question
        .get(one.place.end..next.place.start)
        .is_some_and(|between| DASHES.contains(&between.trim()))
}
