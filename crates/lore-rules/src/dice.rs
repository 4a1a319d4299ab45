//! Seeded dice that anybody can reproduce.
//!
//! A [`Seed`] determines one endless stream of random words, and every roll reads the stream from
//! its start. This module must never choose a seed itself or draw from any other source, or a
//! published seed would no longer prove that a roll was fair.
//!
//! # The algorithm `chacha20-v1`
//!
//! Any implementation of ChaCha20 (RFC 7539) can reproduce a roll:
//!
//! 1. The 32-byte key is the seed as a little-endian 64-bit integer in bytes 0 to 7; the other 24
//!    bytes are zero. The nonce is all zero and the block counter starts at zero.
//! 2. The key stream is divided into consecutive little-endian 32-bit words; none is skipped.
//! 3. A die of `n` sides takes the next word `w`. If `w >= n * floor(2^32 / n)`, the word is
//!    discarded and the next one is taken, so that every face is equally likely. Otherwise the face
//!    is `(w mod n) + 1`.
//! 4. Dice are drawn in the order in which they are written: pool after pool, die after die. A
//!    one-sided die uses up a word like any other die.
//!
//! Changing any of these steps would change rolls that people already have on record; such a change
//! needs a new name in [`ALGORITHM`].

use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use thiserror::Error;

/// The name of the algorithm above, for the record of a roll.
pub const ALGORITHM: &str = "chacha20-v1";

/// The maximum number of pools in one request.
pub const MAX_POOLS: usize = 100;

/// The maximum number of dice in one request, over all its pools.
pub const MAX_DICE: u64 = 10_000;

/// Rolls every pool in order, from the start of the seed's stream.
///
/// Limits are checked before the first die is drawn.
pub fn roll_pools(seed: Seed, pools: &[Pool]) -> Result<PoolsRoll, DiceError> {
    check_limits(pools)?;
    let mut stream = DiceStream::new(seed);
    let rolls: Vec<PoolRoll> = pools.iter().map(|pool| roll_pool(&mut stream, *pool)).collect();
    let total = rolls.iter().map(|roll| roll.total).sum();
    Ok(PoolsRoll { rolls, total })
}

/// The number that determines a roll.
///
/// At most 53 bits, because larger JSON numbers lose precision in some clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seed(u64);

impl Seed {
    /// The largest seed, 2^53 - 1.
    pub const MAX: u64 = (1 << 53) - 1;

    /// Validates a seed that somebody chose.
    pub fn new(value: u64) -> Result<Self, DiceError> {
        if value > Self::MAX {
            return Err(DiceError::SeedTooLarge { value, max: Self::MAX });
        }
        Ok(Self(value))
    }

    /// Creates a seed from 64 random bits, of which it keeps the low 53.
    pub const fn from_random(bits: u64) -> Self {
        Self(bits & Self::MAX)
    }

    /// The seed as a plain number.
    pub const fn value(self) -> u64 {
        self.0
    }
}

/// The number of sides of a die.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sides(u32);

impl Sides {
    /// The fewest sides of a die.
    pub const MIN: u32 = 1;
    /// The most sides of a die.
    pub const MAX: u32 = 1_000_000;
    /// The three faces of a Fudge die.
    pub(crate) const D3: Self = Self(3);
    /// The four-sided die of rests.
    pub const D4: Self = Self(4);
    /// The die of advantage, disadvantage and help.
    pub const D6: Self = Self(6);
    /// The twelve-sided die of Duality rolls.
    pub const D12: Self = Self(12);
    /// The percentile die.
    pub(crate) const D100: Self = Self(100);

    /// Validates a number of sides.
    pub fn new(value: i64) -> Result<Self, DiceError> {
        let error =
            DiceError::SidesOutOfRange { pool: None, value, min: Self::MIN, max: Self::MAX };
        within(value, Self::MIN, Self::MAX).map(Self).ok_or(error)
    }

    /// The number of sides.
    pub const fn value(self) -> u32 {
        self.0
    }
}

/// The number of dice in a pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Count(u32);

impl Count {
    /// The fewest dice of a pool.
    pub const MIN: u32 = 1;
    /// The most dice of a pool.
    pub const MAX: u32 = 1_000;

    /// Validates a number of dice.
    pub fn new(value: i64) -> Result<Self, DiceError> {
        let error =
            DiceError::CountOutOfRange { pool: None, value, min: Self::MIN, max: Self::MAX };
        within(value, Self::MIN, Self::MAX).map(Self).ok_or(error)
    }

    /// The number of dice.
    pub const fn value(self) -> u32 {
        self.0
    }
}

/// Some dice of one kind, such as `2d20`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pool {
    /// The sides of each die.
    pub sides: Sides,
    /// The number of dice.
    pub count: Count,
}

impl Pool {
    /// Validates a pool given as plain numbers. Callers with a list of pools add the position of
    /// this one to an error with [`DiceError::at_pool`].
    pub fn new(sides: i64, count: i64) -> Result<Self, DiceError> {
        Ok(Self { sides: Sides::new(sides)?, count: Count::new(count)? })
    }
}

/// The result of one pool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoolRoll {
    /// The sides of each die.
    pub sides: Sides,
    /// The faces in the order they were drawn.
    pub results: Vec<u32>,
    /// The sum of the faces.
    pub total: u64,
}

/// The result of a whole request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PoolsRoll {
    /// One entry per pool, in the order of the request.
    pub rolls: Vec<PoolRoll>,
    /// The sum over all pools.
    pub total: u64,
}

/// The endless stream of dice of a seed.
#[derive(Debug, Clone)]
pub struct DiceStream {
    words: ChaCha20Rng,
}

impl DiceStream {
    /// Creates the stream of this seed, positioned at its first word.
    pub fn new(seed: Seed) -> Self {
        let mut key = [0; 32];
        for (slot, byte) in key.iter_mut().zip(seed.value().to_le_bytes()) {
            *slot = byte;
        }
        Self { words: ChaCha20Rng::from_seed(key) }
    }

    /// Draws the next die.
    pub fn die(&mut self, sides: Sides) -> u32 {
        // Even the largest die discards fewer than one word in 4 000, so this ends quickly.
        loop {
            if let Some(face) = face(self.words.next_u32(), sides) {
                return face;
            }
        }
    }
}

/// Why a seed or a request for dice was rejected.
///
/// Positions of pools are zero-based, so that a caller can name the field of the value, such as
/// `dice[2].sides`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DiceError {
    /// The seed is too large.
    #[error("seed {value} is above the limit of {max}")]
    SeedTooLarge {
        /// The rejected seed.
        value: u64,
        /// The largest seed.
        max: u64,
    },
    /// The number of sides of a die is out of range.
    #[error("a die has {min} to {max} sides, not {value}")]
    SidesOutOfRange {
        /// The position of the pool, if known.
        pool: Option<usize>,
        /// The rejected number of sides.
        value: i64,
        /// The fewest sides.
        min: u32,
        /// The most sides.
        max: u32,
    },
    /// The number of dice of a pool is out of range.
    #[error("a pool has {min} to {max} dice, not {value}")]
    CountOutOfRange {
        /// The position of the pool, if known.
        pool: Option<usize>,
        /// The rejected number of dice.
        value: i64,
        /// The fewest dice.
        min: u32,
        /// The most dice.
        max: u32,
    },
    /// There is no pool to roll.
    #[error("a roll needs at least one pool of dice")]
    NoPools,
    /// There are too many pools.
    #[error("a request has at most {max} pools, not {given}")]
    TooManyPools {
        /// The number of pools in the request.
        given: usize,
        /// The maximum number of pools.
        max: usize,
    },
    /// All pools together have too many dice.
    #[error("a request has at most {max} dice over all its pools, not {given}")]
    TooManyDice {
        /// The position of the first pool that exceeds the limit.
        pool: usize,
        /// The number of dice in the request.
        given: u64,
        /// The maximum number of dice.
        max: u64,
    },
}

impl DiceError {
    /// Adds the position of the pool to an error about its sides or count. Other errors do not
    /// concern a single pool, or have its position already, and stay as they are.
    #[must_use]
    pub fn at_pool(mut self, index: usize) -> Self {
        match &mut self {
            Self::SidesOutOfRange { pool, .. } | Self::CountOutOfRange { pool, .. } => {
                *pool = Some(index);
            }
            Self::SeedTooLarge { .. }
            | Self::NoPools
            | Self::TooManyPools { .. }
            | Self::TooManyDice { .. } => {}
        }
        self
    }
}

fn check_limits(pools: &[Pool]) -> Result<(), DiceError> {
    if pools.is_empty() {
        return Err(DiceError::NoPools);
    }
    if pools.len() > MAX_POOLS {
        return Err(DiceError::TooManyPools { given: pools.len(), max: MAX_POOLS });
    }
    let given = pools.iter().map(|pool| u64::from(pool.count.value())).sum();
    match first_pool_over_limit(pools) {
        Some(pool) => Err(DiceError::TooManyDice { pool, given, max: MAX_DICE }),
        None => Ok(()),
    }
}

fn first_pool_over_limit(pools: &[Pool]) -> Option<usize> {
    let mut dice = 0;
    pools.iter().position(|pool| {
        dice += u64::from(pool.count.value());
        dice > MAX_DICE
    })
}

fn roll_pool(stream: &mut DiceStream, pool: Pool) -> PoolRoll {
    let results: Vec<u32> = (0..pool.count.value()).map(|_| stream.die(pool.sides)).collect();
    let total = results.iter().copied().map(u64::from).sum();
    PoolRoll { sides: pool.sides, results, total }
}

/// Returns the face for a word, or `None` if using the word would favour the low faces.
fn face(word: u32, sides: Sides) -> Option<u32> {
    let n = u64::from(sides.value());
    let fair_words = n * ((1 << 32) / n);
    (u64::from(word) < fair_words).then(|| word % sides.value() + 1)
}

fn within(value: i64, min: u32, max: u32) -> Option<u32> {
    u32::try_from(value).ok().filter(|number| (min..=max).contains(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 7539, appendix A.1, test vectors 1 and 2: zero key, zero nonce, blocks 0 and 1.
    const RFC_7539_ZERO_KEY: [&str; 2] = [
        "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7\
         da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586",
        "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed\
         29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f",
    ];

    fn seed(value: u64) -> Seed {
        Seed::new(value).unwrap()
    }

    fn d12s(from: u64, count: usize) -> Vec<u32> {
        let mut stream = DiceStream::new(seed(from));
        (0..count).map(|_| stream.die(Sides::D12)).collect()
    }

    fn pools(count: usize, dice: i64) -> Vec<Pool> {
        vec![Pool::new(6, dice).unwrap(); count]
    }

    fn chi_square(counts: &[u32], rolls: u32) -> f64 {
        let expected = f64::from(rolls) / counts.len() as f64;
        counts.iter().map(|count| (f64::from(*count) - expected).powi(2) / expected).sum()
    }

    #[test]
    fn seed_zero_reads_the_rfc_key_stream() {
        let mut stream = DiceStream::new(seed(0));
        for block in RFC_7539_ZERO_KEY {
            let bytes = (0..16).flat_map(|_| stream.words.next_u32().to_le_bytes());
            let hex: String = bytes.map(|byte| format!("{byte:02x}")).collect();
            assert_eq!(hex, block);
        }
    }

    // The expected dice below come from an independent ChaCha20 implementation in Python, written
    // from the RFC.
    #[test]
    fn known_seeds_give_known_dice() {
        assert_eq!(d12s(0, 10), [7, 1, 1, 12, 6, 1, 9, 12, 11, 10]);
        assert_eq!(d12s(1, 10), [6, 2, 1, 6, 3, 8, 9, 6, 2, 6]);
        assert_eq!(d12s(42, 10), [12, 2, 11, 2, 7, 10, 1, 5, 8, 2]);
        assert_eq!(d12s(Seed::MAX, 10), [2, 11, 6, 4, 9, 7, 9, 3, 5, 10]);
    }

    #[test]
    fn long_rows_stay_on_the_key_stream() {
        let row = d12s(42, 1_000);
        assert_eq!(row.iter().sum::<u32>(), 6_562);
        assert_eq!(row[997..], [12, 12, 6]);
    }

    #[test]
    fn an_unfair_word_is_skipped() {
        // Word 60 of seed 0 is 4_294_454_303, above the 4_294_000_000 words that are fair for this
        // die.
        let mut stream = DiceStream::new(seed(0));
        let sides = Sides::new(1_000_000).unwrap();
        let row: Vec<u32> = (0..62).map(|_| stream.die(sides)).collect();
        assert_eq!(row[60..], [466_030, 932_777]);
    }

    #[test]
    fn faces_are_cut_fairly() {
        let d3 = Sides::new(3).unwrap();
        assert_eq!(face(0, d3), Some(1));
        assert_eq!(face(u32::MAX - 1, d3), Some(3));
        assert_eq!(face(u32::MAX, d3), None);
        assert_eq!(face(u32::MAX, Sides::new(8).unwrap()), Some(8));
        assert_eq!(face(u32::MAX, Sides::new(1).unwrap()), Some(1));
    }

    #[test]
    fn pools_share_one_row() {
        let request = [Pool::new(20, 2), Pool::new(6, 1), Pool::new(1, 1), Pool::new(100, 1)];
        let request: Vec<Pool> = request.into_iter().map(Result::unwrap).collect();
        let roll = roll_pools(seed(42), &request).unwrap();
        let results: Vec<&[u32]> = roll.rolls.iter().map(|pool| &pool.results[..]).collect();
        assert_eq!(results, [&[12, 10][..], &[5], &[1], &[27]]);
        let totals: Vec<u64> = roll.rolls.iter().map(|pool| pool.total).collect();
        assert_eq!(totals, [22, 5, 1, 27]);
        assert_eq!(roll.total, 55);
        assert_eq!(roll_pools(seed(42), &request), Ok(roll));
    }

    #[test]
    fn seeds_stay_within_53_bits() {
        assert_eq!(Seed::MAX, 9_007_199_254_740_991);
        assert_eq!(seed(Seed::MAX).value(), Seed::MAX);
        let over = Seed::MAX + 1;
        assert_eq!(Seed::new(over), Err(DiceError::SeedTooLarge { value: over, max: Seed::MAX }));
        assert_eq!(Seed::from_random(u64::MAX).value(), Seed::MAX);
        assert_eq!(Seed::from_random(over + 5).value(), 5);
    }

    #[test]
    fn sides_and_count_have_limits() {
        for good in [1, 1_000_000] {
            assert_eq!(i64::from(Sides::new(good).unwrap().value()), good);
        }
        // 4_294_967_302 wraps to 6 in 32 bits, and must not roll a d6.
        for bad in [i64::MIN, -1, 0, 1_000_001, 4_294_967_302, i64::MAX] {
            let expected =
                DiceError::SidesOutOfRange { pool: Some(2), value: bad, min: 1, max: 1_000_000 };
            assert_eq!(Pool::new(bad, 1).map_err(|error| error.at_pool(2)), Err(expected));
        }
        for bad in [-1, 0, 1_001, i64::MAX] {
            let expected =
                DiceError::CountOutOfRange { pool: Some(7), value: bad, min: 1, max: 1_000 };
            assert_eq!(Pool::new(6, bad).map_err(|error| error.at_pool(7)), Err(expected));
        }
    }

    #[test]
    fn requests_have_limits() {
        let one = seed(1);
        assert_eq!(roll_pools(one, &[]), Err(DiceError::NoPools));
        assert_eq!(
            roll_pools(one, &pools(101, 1)),
            Err(DiceError::TooManyPools { given: 101, max: 100 })
        );
        assert_eq!(
            roll_pools(one, &pools(12, 1_000)),
            Err(DiceError::TooManyDice { pool: 10, given: 12_000, max: 10_000 })
        );
        assert!(roll_pools(one, &pools(100, 100)).is_ok());
    }

    #[test]
    fn the_largest_request_does_not_wrap() {
        let request = vec![Pool::new(1_000_000, 1_000).unwrap(); 10];
        let roll = roll_pools(seed(3), &request).unwrap();
        let sum: u128 =
            roll.rolls.iter().flat_map(|pool| &pool.results).map(|&f| u128::from(f)).sum();
        assert_eq!(u128::from(roll.total), sum);
        assert!(roll.total > u64::from(u32::MAX));
    }

    // Both tests accept p in [0.001, 0.999]: the bounds are chi-square quantiles for the given
    // degrees of freedom. The seeds are fixed, so the result never changes.
    #[test]
    fn one_long_row_is_uniform() {
        let mut counts = [0; 12];
        for face in d12s(20_250_115, 1_000_000) {
            counts[face as usize - 1] += 1;
        }
        let statistic = chi_square(&counts, 1_000_000);
        assert!((1.834..=31.264).contains(&statistic), "11 degrees: {statistic}");
    }

    #[test]
    fn the_first_pairs_of_neighbouring_seeds_are_uniform() {
        let mut counts = [0; 144];
        for value in 0..144_000 {
            let pair = d12s(value, 2);
            counts[(pair[0] as usize - 1) * 12 + pair[1] as usize - 1] += 1;
        }
        let statistic = chi_square(&counts, 144_000);
        assert!((96.376..=201.001).contains(&statistic), "143 degrees: {statistic}");
    }
}
