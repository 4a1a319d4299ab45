//! Measures how similar two names sound.
//!
//! Transcripts spell names by ear, so spellings that sound alike count as nearly equal: one vowel
//! for another, `c` for `k`, a doubled letter, a silent `h`. Word order does not matter, and part
//! of a name may stand for all of it.

use lore_text::analysis::name_words;

/// A name prepared for comparison.
#[derive(Debug, Default)]
pub(super) struct Name {
    /// Its folded words, joined by spaces.
    words: String,
    /// The whole name without spaces.
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

/// The letters of a word, with counts that quickly rule out very different words.
#[derive(Debug, Default)]
struct Spelt {
    letters: Vec<Letter>,
    /// How often each letter occurs.
    all: Tally,
    /// Likewise, without letters that follow the same letter; those are cheap to omit.
    firsts: Tally,
    /// For each letter, a lower bound of the cost of replacing it by a letter that this word has,
    /// or of omitting it.
    prices: [u8; PLACES],
}

/// The number of counters: one each for a to z, and a few that all other letters share.
const PLACES: usize = 32;

/// How often each letter occurs, saturating.
type Tally = [u8; PLACES];

#[derive(Debug, Clone, Copy)]
struct Letter {
    letter: char,
    place: u8,
    /// The cost of omitting it at this position.
    omission: Cost,
}

impl Spelt {
    fn new(word: &str) -> Self {
        let mut spelt = Self::default();
        let mut previous = None;
        // Two letters with one sound.
        for letter in word.replace("ph", "f").chars() {
            let place = place(letter);
            spelt.letters.push(Letter { letter, place, omission: omission(letter, previous) });
            count(&mut spelt.all, place);
            if previous != Some(letter) {
                count(&mut spelt.firsts, place);
            }
            previous = Some(letter);
        }
        spelt.prices = std::array::from_fn(|at| spelt.price(at));
        spelt
    }

    /// A lower bound of the cost of doing without a letter.
    fn price(&self, at: usize) -> u8 {
        let mut others = self.letters.iter().map(|other| usize::from(other.place));
        let latin = u8::try_from(at).ok().filter(|at| *at < LATIN).map(|at| char::from(b'a' + at));
        let cost = match latin {
            Some(_) if others.any(|other| other != at && exchange_of(at, other) < LETTER) => ALIKE,
            Some(letter) => omission(letter, None),
            None => LETTER,
        };
        u8::try_from(cost).unwrap_or(u8::MAX)
    }

    /// A lower bound of the edit distance between two words.
    fn distance_at_least(&self, other: &Self) -> Cost {
        self.lacking_in(other).max(other.lacking_in(self))
    }

    /// A lower bound of the cost of the letters that the other word has fewer of.
    fn lacking_in(&self, other: &Self) -> Cost {
        let counts = self.firsts.iter().zip(&other.all).zip(&other.prices);
        let lacking = counts.map(|((own, all), price)| (own.saturating_sub(*all), price));
        lacking.map(|(letters, price)| Cost::from(letters) * Cost::from(*price)).sum()
    }
}

fn count(tally: &mut Tally, place: u8) {
    if let Some(count) = tally.get_mut(usize::from(place)) {
        *count = count.saturating_add(1);
    }
}

/// A name as it was heard, to be compared with many names.
pub(super) struct Heard {
    name: Name,
    rows: Rows,
}

impl Heard {
    pub(super) fn new(name: &str) -> Self {
        Self { name: Name::new(name), rows: Rows::default() }
    }

    /// Returns the similarity, from 0 (nothing in common) to 1 (the same name, ignoring case,
    /// accents and punctuation). What was heard may be a part of the name, but not the other way
    /// round. If the result is below `least`, any value below it may be returned, which saves most
    /// of the work.
    pub(super) fn likeness(&mut self, name: &Name, least: f64) -> f64 {
        /// The maximum for names that are not equal.
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

/// Pairs each heard word with the most similar word of the name.
fn by_words(rows: &mut Rows, wanted: &[Spelt], name: &[Spelt], least: f64) -> f64 {
    /// The score of a perfect match of one word out of very many.
    const PART: f64 = 0.8;
    if wanted.len() > name.len() || name.len() == 1 {
        return 0.0;
    }
    let count = wanted.len() as f64;
    let worth = PART + (1.0 - PART) * count / name.len() as f64;
    let mut left: Vec<&Spelt> = name.iter().collect();
    let mut sum = 0.0;
    // The least similarity each word needs even if all others match perfectly, minus a margin for
    // rounding.
    let least = least / worth * count - (count - 1.0) - 1e-9;
    for word in wanted {
        let best = left.iter().map(|other| rows.sound(word, other, least)).enumerate();
        let Some((at, score)) = best.max_by(|a, b| a.1.total_cmp(&b.1)) else { break };
        left.swap_remove(at);
        sum += score;
    }
    sum / count * worth
}

/// A cost, in hundredths of a letter.
type Cost = u32;

/// The cost of a whole letter.
const LETTER: Cost = 100;

/// The rows of the edit-distance table. They are reused for the next pair of words.
#[derive(Default)]
struct Rows {
    before: Vec<Cost>,
    last: Vec<Cost>,
    now: Vec<Cost>,
}

impl Rows {
    /// The similarity of two words: 1 minus the relative cost of turning one into the other; 0 if
    /// it is below `least`.
    fn sound(&mut self, one: &Spelt, other: &Spelt, least: f64) -> f64 {
        let (short, long) = (one.letters.len(), other.letters.len());
        let longest = short.max(long);
        // Words of very different lengths cannot sound alike, because every extra letter costs
        // something.
        if longest == 0 || short.min(long) * 3 < longest {
            return 0.0;
        }
        let likeness = |cost: Cost| {
            (1.0 - f64::from(cost) / f64::from(LETTER) / longest as f64).clamp(0.0, 1.0)
        };
        if likeness(one.distance_at_least(other)) < least {
            return 0.0;
        }
        let mut most = ((1.0 - least) * f64::from(LETTER) * longest as f64).ceil() as Cost;
        while most > 0 && likeness(most) < least {
            most -= 1;
        }
        self.distance(&one.letters, &other.letters, most).map_or(0.0, likeness)
    }

    /// Weighted edit distance with transpositions of neighbouring letters; `None` if it exceeds
    /// `most`.
    fn distance(&mut self, one: &[Letter], other: &[Letter], most: Cost) -> Option<Cost> {
        const SWAP: Cost = 70;
        self.start(other);
        let mut previous: Option<char> = None;
        let mut least_before = 0;
        for &a in one {
            let mut left_cost = self.last.first().copied().unwrap_or(0) + a.omission;
            self.now.clear();
            self.now.push(left_cost);
            let mut least = left_cost;
            let mut left: Option<char> = None;
            let mut swapped: Option<Cost> = None;
            let columns = self.last.windows(2).zip(other).zip(self.before.iter());
            for ((above, &b), &two_above) in columns {
                let &[diagonal, above] = above else { continue };
                let skip_b = left_cost + b.omission;
                let mut best = (diagonal + exchange(a, b)).min(above + a.omission).min(skip_b);
                if Some(b.letter) == previous && left == Some(a.letter) && a.letter != b.letter {
                    best = best.min(swapped.unwrap_or(Cost::MAX - SWAP) + SWAP);
                }
                swapped = Some(two_above);
                least = least.min(best);
                self.now.push(best);
                (left_cost, left) = (best, Some(b.letter));
            }
            std::mem::swap(&mut self.before, &mut self.last);
            std::mem::swap(&mut self.last, &mut self.now);
            previous = Some(a.letter);
            // A transposition looks two rows back. If both rows exceed the limit, all later ones
            // do.
            if least.min(least_before) > most {
                return None;
            }
            least_before = least;
        }
        self.last.last().copied().filter(|cost| *cost <= most)
    }

    /// Initialises the first row: the cost of omitting everything up to each letter.
    fn start(&mut self, letters: &[Letter]) {
        self.last.clear();
        self.last.push(0);
        let mut cost = 0;
        for letter in letters {
            cost += letter.omission;
            self.last.push(cost);
        }
        // There is no row two above the first.
        self.before.clear();
        self.before.resize(letters.len() + 1, Cost::MAX / 2);
    }
}

/// The cost of omitting a letter that follows `previous`.
fn omission(letter: char, previous: Option<char>) -> Cost {
    match letter {
        _ if previous == Some(letter) => 25,
        'h' => 40,
        _ if is_vowel(letter) => 60,
        _ => LETTER,
    }
}

/// The cost of mistaking one letter for another.
fn exchange(a: Letter, b: Letter) -> Cost {
    if a.letter == b.letter {
        return 0;
    }
    exchange_of(usize::from(a.place), usize::from(b.place))
}

/// The cost of mistaking a letter by the index of its counter for another.
fn exchange_of(a: usize, b: usize) -> Cost {
    EXCHANGES.get(a).and_then(|row| row.get(b)).copied().unwrap_or(LETTER)
}

/// The number of counters for the letters a to z.
const LATIN: u8 = 26;

/// The index of a letter's counter.
fn place(letter: char) -> u8 {
    let others = u32::from(PLACES as u8 - LATIN);
    let latin = (letter as u32).checked_sub('a' as u32).filter(|at| *at < u32::from(LATIN));
    let at = latin.unwrap_or(u32::from(LATIN) + letter as u32 % others);
    u8::try_from(at).unwrap_or(LATIN)
}

/// The cost of mistaking a letter for one that sounds similar.
const ALIKE: Cost = 40;

/// The cost of mistaking each letter from a to z for each other.
static EXCHANGES: std::sync::LazyLock<[[Cost; LATIN as usize]; LATIN as usize]> =
    std::sync::LazyLock::new(|| {
        /// Letters that sound similar.
        const GROUPS: [&str; 10] =
            ["aeiouy", "ckqx", "szxc", "fvw", "dt", "bp", "gj", "mn", "ij", "gk"];
        let cost = |a: char, b: char| {
            let alike = GROUPS.iter().any(|group| group.contains(a) && group.contains(b));
            if alike { ALIKE } else { LETTER }
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
        for heard in
            ["Karo phimel", "Zundor", "Vixan kamel ro", "dor ka", "Mel", "Mmelxandd", "漢漢ro"]
        {
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

    /// The minimum similarity that the search for names uses.
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
