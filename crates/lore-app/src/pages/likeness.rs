//! How alike two names are, for ears rather than eyes.
//!
//! Transcripts write names as they sound, so what sounds alike counts as nearly the
//! same: one vowel for another, `c` for `k`, a doubled letter, a silent `h`. Word order
//! does not count, and part of a name may stand for all of it.

use lore_text::analysis::name_words;

/// A name as it was heard, to be compared with many.
pub(super) struct Heard {
    words: String,
    joined: String,
}

impl Heard {
    pub(super) fn new(name: &str) -> Self {
        let words = name_words(name);
        Self { joined: words.replace(' ', ""), words }
    }

    /// From 0 (nothing in common) to 1 (the same name; case, accents and punctuation
    /// aside). What was heard may be a part of the name, not the other way round.
    pub(super) fn likeness(&self, name: &str) -> f64 {
        /// Only the same name is entirely alike.
        const NEARLY: f64 = 0.99;
        let name = name_words(name);
        if self.words.is_empty() || name.is_empty() {
            return 0.0;
        }
        if self.words == name {
            return 1.0;
        }
        let whole = sound(&self.joined, &name.replace(' ', ""));
        whole.max(by_words(&self.words, &name)).min(NEARLY)
    }
}

/// Pairs each wanted word with the word of the name that is most like it.
fn by_words(wanted: &str, name: &str) -> f64 {
    /// What a perfect match of one word out of very many is worth.
    const PART: f64 = 0.8;
    let mut left: Vec<&str> = name.split(' ').collect();
    let all = left.len();
    let words: Vec<&str> = wanted.split(' ').collect();
    if words.len() > all {
        return 0.0;
    }
    let mut sum = 0.0;
    for word in &words {
        let best = left.iter().map(|other| sound(word, other)).enumerate();
        let Some((at, score)) = best.max_by(|a, b| a.1.total_cmp(&b.1)) else { break };
        left.swap_remove(at);
        sum += score;
    }
    let mean = sum / words.len() as f64;
    mean * (PART + (1.0 - PART) * words.len() as f64 / all as f64)
}

/// Likeness of two words: 1 minus the cost of turning one into the other.
fn sound(one: &str, other: &str) -> f64 {
    // Two letters, one sound.
    let heard = |word: &str| word.replace("ph", "f").chars().collect();
    let (one, other): (Vec<char>, Vec<char>) = (heard(one), heard(other));
    let longest = one.len().max(other.len()) as f64;
    // Every letter too many costs something; very different lengths cannot sound alike.
    if longest == 0.0 || one.len().min(other.len()) as f64 * 3.0 < longest {
        return 0.0;
    }
    (1.0 - distance(&one, &other) / longest).clamp(0.0, 1.0)
}

/// Weighted edit distance with neighbouring letters swapped.
fn distance(one: &[char], other: &[char]) -> f64 {
    const SWAP: f64 = 0.7;
    let first: Vec<f64> = running_cost(other);
    let (mut before, mut last): (Vec<f64>, Vec<f64>) = (Vec::new(), first);
    let mut previous: Option<char> = None;
    for (row, &a) in one.iter().enumerate() {
        let mut now = vec![last.first().copied().unwrap_or(0.0) + omission(a, previous)];
        for (column, &b) in other.iter().enumerate() {
            let left = column.checked_sub(1).and_then(|at| other.get(at)).copied();
            let diagonal = last.get(column).copied().unwrap_or(f64::MAX) + exchange(a, b);
            let skip_a = last.get(column + 1).copied().unwrap_or(f64::MAX) + omission(a, previous);
            let skip_b = now.last().copied().unwrap_or(f64::MAX) + omission(b, left);
            let mut best = diagonal.min(skip_a).min(skip_b);
            if row > 0 && Some(b) == previous && left == Some(a) && a != b {
                let swapped = column.checked_sub(1).and_then(|at| before.get(at));
                best = best.min(swapped.copied().unwrap_or(f64::MAX) + SWAP);
            }
            now.push(best);
        }
        before = std::mem::replace(&mut last, now);
        previous = Some(a);
    }
    last.last().copied().unwrap_or(0.0)
}

/// The cost of leaving out everything up to each letter.
fn running_cost(letters: &[char]) -> Vec<f64> {
    let mut costs = vec![0.0];
    let mut previous = None;
    for &letter in letters {
        costs.push(costs.last().copied().unwrap_or(0.0) + omission(letter, previous));
        previous = Some(letter);
    }
    costs
}

/// What it costs to leave out a letter that follows `previous`.
fn omission(letter: char, previous: Option<char>) -> f64 {
    match letter {
        _ if previous == Some(letter) => 0.25,
        'h' => 0.4,
        _ if is_vowel(letter) => 0.6,
        _ => 1.0,
    }
}

/// What it costs to take one letter for another.
fn exchange(a: char, b: char) -> f64 {
    /// Letters that are easily heard for one another.
    const ALIKE: [&str; 9] = ["ckqx", "szxc", "fvw", "dt", "bp", "gj", "mn", "ij", "gk"];
    if a == b {
        return 0.0;
    }
    let alike = is_vowel(a) && is_vowel(b);
    let alike = alike || ALIKE.iter().any(|group| group.contains(a) && group.contains(b));
    if alike { 0.4 } else { 1.0 }
}

fn is_vowel(c: char) -> bool {
    matches!(c, 'a' | 'e' | 'i' | 'o' | 'u' | 'y')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likeness(heard: &str, name: &str) -> f64 {
        Heard::new(heard).likeness(name)
    }

    /// What the search for names takes for a misspelling.
    const ENOUGH: f64 = 0.7;

    #[test]
    fn what_transcripts_misspell_is_found() {
        for (heard, name) in [
            ("Aylysh", "Aelysh"),
            ("Ailish", "Aelysh"),
            ("Alesh", "Aelysh"),
            ("Osana von Karstein", "Osanna von Carstein"),
            ("Ozanna", "Osanna von Carstein"),
            ("Thoren Iron Forge", "Thorin Ironforge"),
            ("Ironforge Thorin", "Thorin Ironforge"),
            ("Catherine", "Katharyn"),
            ("Zefir", "Sephyr"),
            ("Drist", "Drizzt"),
            ("Melisandre", "Melissandra"),
            ("Kwarion", "Quarion"),
            ("Elminister", "Elminster"),
            ("Stradh", "Strahd"),
            ("Neverwintre", "Neverwinter"),
            ("Ulfgar", "Úlfgar"),
        ] {
            let score = likeness(heard, name);
            assert!(score >= ENOUGH, "{heard} / {name}: {score}");
        }
    }

    #[test]
    fn other_names_are_not() {
        for (heard, name) in [
            ("Aelysh", "Thorin"),
            ("Bob", "Rod"),
            ("Mira", "Torgan"),
            ("Waterdeep", "Neverwinter"),
            ("Elf", "Orc"),
            ("", "Aelysh"),
            ("Aelysh", "!?"),
        ] {
            let score = likeness(heard, name);
            assert!(score < ENOUGH, "{heard} / {name}: {score}");
        }
    }

    #[test]
    fn only_the_same_name_is_entirely_alike() {
        assert_eq!(likeness("aelysh", "Aelysh"), 1.0);
        assert_eq!(likeness("Úlfgar", "ulfgar"), 1.0);
        assert!(likeness("Aelysh", "Aelyssh") < 1.0);
        assert!(likeness("Aelysh", "Aelyssh") > likeness("Aelysh", "Aelish"));
    }

    #[test]
    fn scores_stay_within_their_range() {
        let names = ["", "a", "Aelysh", "漢字", "x".repeat(200).as_str(), "a b c d", "-", "İ"]
            .map(str::to_owned);
        for one in &names {
            for other in &names {
                let score = likeness(one, other);
                assert!((0.0..=1.0).contains(&score), "{one} / {other}: {score}");
            }
        }
    }
}
