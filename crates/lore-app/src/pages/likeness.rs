//! How alike two names are, for ears rather than eyes.
//!
//! Transcripts write names as they sound, so what sounds alike counts as nearly the
//! same: one vowel for another, `c` for `k`, a doubled letter, a silent `h`. Word order
//! does not count, and part of a name may stand for all of it.

use lore_text::analysis::name_words;

/// A name, ready to be compared.
#[derive(Debug, Default)]
pub(super) struct Name {
    /// Its folded words, joined by blanks.
    words: String,
    /// All of it.
    whole: Spelt,
    /// Each word.
    parts: Vec<Spelt>,
}

impl Name {
    pub(super) fn new(name: &str) -> Self {
        let words = name_words(name);
        let parts = words.split(' ').filter(|word| !word.is_empty()).map(Spelt::new).collect();
        Self { whole: Spelt::new(&words.replace(' ', "")), parts, words }
    }
}

/// The letters of a word.
#[derive(Debug, Default)]
struct Spelt {
    letters: Vec<char>,
    /// Which of the letters a to z it has that cannot be left out cheaply.
    has: u32,
    /// Which of the letters a to z are alike to one that it has.
    hears: u32,
}

impl Spelt {
    fn new(word: &str) -> Self {
        // Two letters, one sound.
        let letters: Vec<char> = word.replace("ph", "f").chars().collect();
        let (mut has, mut hears) = (0, 0);
        for at in letters.iter().filter_map(|letter| place(*letter)) {
            let letter = char::from(b'a' + u8::try_from(at).unwrap_or(0));
            if omission(letter, None) == LETTER {
                has |= 1 << at;
            }
            let alike = EXCHANGES.get(at).into_iter().flatten().enumerate();
            let alike = alike.filter(|(other, cost)| *other == at || **cost < LETTER);
            hears |= alike.fold(0_u32, |mask, (other, _)| mask | 1 << other);
        }
        Self { letters, has, hears }
    }

    /// What turning one into the other costs at least: each letter that the other has
    /// nothing like is left out or taken for another at the price of a whole one.
    fn distance_at_least(&self, other: &Self) -> Cost {
        let strange = |one: &Self, other: &Self| (one.has & !other.hears).count_ones();
        strange(self, other).max(strange(other, self)) * LETTER
    }
}

/// A name as it was heard, to be compared with many.
pub(super) struct Heard {
    name: Name,
    rows: Rows,
}

impl Heard {
    pub(super) fn new(name: &str) -> Self {
        Self { name: Name::new(name), rows: Rows::default() }
    }

    /// From 0 (nothing in common) to 1 (the same name; case, accents and punctuation
    /// aside). What was heard may be a part of the name, not the other way round. What is
    /// less than `least` may be told as anything less than that: then little is compared.
    pub(super) fn likeness(&mut self, name: &Name, least: f64) -> f64 {
        /// Only the same name is entirely alike.
        const NEARLY: f64 = 0.99;
        if self.name.words.is_empty() || name.words.is_empty() {
            return 0.0;
        }
        if self.name.words == name.words {
            return 1.0;
        }
        let whole = self.rows.sound(&self.name.whole, &name.whole, least);
        whole.max(by_words(&mut self.rows, &self.name.parts, &name.parts, least)).min(NEARLY)
    }
}

/// Pairs each wanted word with the word of the name that is most like it.
fn by_words(rows: &mut Rows, wanted: &[Spelt], name: &[Spelt], least: f64) -> f64 {
    /// What a perfect match of one word out of very many is worth.
    const PART: f64 = 0.8;
    if wanted.len() > name.len() || name.len() == 1 {
        return 0.0;
    }
    let mut left: Vec<&Spelt> = name.iter().collect();
    let mut sum = 0.0;
    // Even if all others match entirely, each word must be as much alike as this.
    let least = least * wanted.len() as f64 - (wanted.len() as f64 - 1.0);
    for word in wanted {
        let best = left.iter().map(|other| rows.sound(word, other, least)).enumerate();
        let Some((at, score)) = best.max_by(|a, b| a.1.total_cmp(&b.1)) else { break };
        left.swap_remove(at);
        sum += score;
    }
    let mean = sum / wanted.len() as f64;
    mean * (PART + (1.0 - PART) * wanted.len() as f64 / name.len() as f64)
}

/// A cost, in hundredths of a letter.
type Cost = u32;

/// A whole letter.
const LETTER: Cost = 100;

/// The rows of the table by which two words are compared, kept from one pair of words
/// to the next.
#[derive(Default)]
struct Rows {
    before: Vec<Cost>,
    last: Vec<Cost>,
    now: Vec<Cost>,
}

impl Rows {
    /// Likeness of two words: 1 minus the cost of turning one into the other; 0 where it
    /// is less than `least`.
    fn sound(&mut self, one: &Spelt, other: &Spelt, least: f64) -> f64 {
        let (short, long) = (one.letters.len(), other.letters.len());
        let longest = short.max(long);
        // Every letter too many costs something; very different lengths cannot sound alike.
        if longest == 0 || short.min(long) * 3 < longest {
            return 0.0;
        }
        let likeness = |cost: Cost| {
            (1.0 - f64::from(cost) / f64::from(LETTER) / longest as f64).clamp(0.0, 1.0)
        };
        if likeness(one.distance_at_least(other)) < least {
            return 0.0;
        }
        let enough = |cost: Cost| likeness(cost) >= least;
        self.distance(&one.letters, &other.letters, enough).map_or(0.0, likeness)
    }

    /// Weighted edit distance with neighbouring letters swapped, as long as it is little
    /// enough.
    fn distance(
        &mut self,
        one: &[char],
        other: &[char],
        enough: impl Fn(Cost) -> bool,
    ) -> Option<Cost> {
        const SWAP: Cost = 70;
        self.start(other);
        let mut previous: Option<char> = None;
        let mut least_before = 0;
        for &a in one {
            let skip_a = omission(a, previous);
            let mut left_cost = self.last.first().copied().unwrap_or(0) + skip_a;
            self.now.clear();
            self.now.push(left_cost);
            let mut least = left_cost;
            let mut left: Option<char> = None;
            let mut swapped: Option<Cost> = None;
            let columns = self.last.windows(2).zip(other).zip(self.before.iter());
            for ((above, &b), &two_above) in columns {
                let &[diagonal, above] = above else { continue };
                let skip_b = left_cost + omission(b, left);
                let mut best = (diagonal + exchange(a, b)).min(above + skip_a).min(skip_b);
                if Some(b) == previous && left == Some(a) && a != b {
                    best = best.min(swapped.unwrap_or(Cost::MAX - SWAP) + SWAP);
                }
                swapped = Some(two_above);
                least = least.min(best);
                self.now.push(best);
                (left_cost, left) = (best, Some(b));
            }
            std::mem::swap(&mut self.before, &mut self.last);
            std::mem::swap(&mut self.last, &mut self.now);
            previous = Some(a);
            // A swap looks two rows back; from both rows on it only grows.
            if !enough(least.min(least_before)) {
                return None;
            }
            least_before = least;
        }
        self.last.last().copied()
    }

    /// The cost of leaving out everything up to each letter.
    fn start(&mut self, letters: &[char]) {
        self.last.clear();
        self.last.push(0);
        let (mut cost, mut previous) = (0, None);
        for &letter in letters {
            cost += omission(letter, previous);
            self.last.push(cost);
            previous = Some(letter);
        }
        // Nothing stands two rows above the first.
        self.before.clear();
        self.before.resize(letters.len() + 1, Cost::MAX / 2);
    }
}

/// What it costs to leave out a letter that follows `previous`.
fn omission(letter: char, previous: Option<char>) -> Cost {
    match letter {
        _ if previous == Some(letter) => 25,
        'h' => 40,
        _ if is_vowel(letter) => 60,
        _ => LETTER,
    }
}

/// What it costs to take one letter for another.
fn exchange(a: char, b: char) -> Cost {
    if a == b {
        return 0;
    }
    let cost = place(a).zip(place(b)).and_then(|(a, b)| EXCHANGES.get(a)?.get(b));
    cost.copied().unwrap_or(LETTER)
}

/// The place of a letter between a and z.
fn place(letter: char) -> Option<usize> {
    (letter as usize).checked_sub('a' as usize).filter(|at| *at < 26)
}

/// What it costs to take one of the letters a to z for another.
static EXCHANGES: std::sync::LazyLock<[[Cost; 26]; 26]> = std::sync::LazyLock::new(|| {
    /// Letters that are easily heard for one another.
    const ALIKE: [&str; 10] = ["aeiouy", "ckqx", "szxc", "fvw", "dt", "bp", "gj", "mn", "ij", "gk"];
    let cost = |a: char, b: char| {
        let alike = ALIKE.iter().any(|group| group.contains(a) && group.contains(b));
        if alike { 40 } else { LETTER }
    };
    let letter = |at: usize| char::from(b'a' + u8::try_from(at).unwrap_or(0));
    std::array::from_fn(|a| std::array::from_fn(|b| cost(letter(a), letter(b))))
});

fn is_vowel(c: char) -> bool {
    matches!(c, 'a' | 'e' | 'i' | 'o' | 'u' | 'y')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn likeness(heard: &str, name: &str) -> f64 {
        Heard::new(heard).likeness(&Name::new(name), 0.0)
    }

    #[test]
    fn what_is_alike_enough_is_told_the_same_however_little_is_compared() {
        let syllables = ["Ka", "ro", "phi", "mell", "zun", "dhor", "vi", "Xan", "漢", "ij"];
        let names: Vec<Name> = (0..2_000_usize)
            .map(|n| {
                let part = |at: usize| syllables[n.wrapping_mul(2_654_435_761) / at % 10];
                Name::new(&format!("{}{} {}{}", part(1), part(10), part(100), part(1_000)))
            })
            .collect();
        for heard in ["Karo phimel", "Zundor", "Vixan kamel ro", "dor ka", "Mel"] {
            for name in &names {
                let all = Heard::new(heard).likeness(name, 0.0);
                let some = Heard::new(heard).likeness(name, ENOUGH);
                assert!(
                    all == some || all < ENOUGH && some < ENOUGH,
                    "{heard} {name:?}: {all} {some}"
                );
            }
        }
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
