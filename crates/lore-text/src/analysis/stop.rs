//! Stop words: words that say nothing by themselves.
//!
//! The list is short, because a world is full of named things. Words that are also names ("Will",
//! "May") count as names if they are capitalised.

use rustc_hash::FxHashSet;
use std::sync::LazyLock;

/// Whether a word, given as written and folded, is a stop word. Letters with accents make it a word
/// of another language: *số* is no *so*, and *mẹ* no *me*.
pub(super) fn is_stop(surface: &str, folded: &str) -> bool {
    if !surface.is_ascii() {
        return false;
    }
    if NAMES_TOO.contains(&folded) {
        return !surface.starts_with(char::is_uppercase);
    }
    STOP.contains(folded)
}

/// Auxiliaries that, when capitalised, are a name or a month.
const NAMES_TOO: [&str; 3] = ["will", "may", "can"];

static STOP: LazyLock<FxHashSet<&'static str>> =
    LazyLock::new(|| STOP_WORDS.split_whitespace().collect());

const STOP_WORDS: &str = "
    a an the this that these those
    i me my mine myself you your yours yourself he him his himself she her hers herself
    it its itself we us our ours ourselves they them their theirs themselves
    am is are was were be been being do does did doing have has had having
    would could should might must shall cannot
    and or but nor if then than so as because while until although though
    of at by for with about against between into through during before after
    to from in out on off over under again further up down
    what which who whom whose when where why how
    here there all any both each few more most other some such no not only own same too very
    just also ever let s t d ll m re ve
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_folded_and_has_no_doubles() {
        let words: Vec<_> = STOP_WORDS.split_whitespace().collect();
        assert_eq!(words.len(), STOP.len());
        assert!(words.iter().all(|word| word.bytes().all(|byte| byte.is_ascii_lowercase())));
    }
}
