//! The clock and the source of randomness, as values.
//!
//! Nothing else in Lorewell asks the operating system for the time or for random bytes, so a test
//! with its own [`Effects`] is repeatable. The only exceptions are timeouts and the age of files.

use std::sync::Arc;

use jiff::Timestamp;
use parking_lot::Mutex;

use crate::ids::Uid;

/// A source of the current time.
pub trait Clock: Send + Sync {
    /// The current time.
    fn now(&self) -> Timestamp;
}

/// A source of random bytes.
pub trait Entropy: Send + Sync {
    /// Overwrites `bytes` with random ones.
    fn fill(&self, bytes: &mut [u8]);

    /// A random number.
    fn next_u64(&self) -> u64 {
        let mut bytes = [0_u8; 8];
        self.fill(&mut bytes);
        u64::from_le_bytes(bytes)
    }
}

/// The side effects a use case needs: time and randomness.
#[derive(Clone)]
pub struct Effects {
    /// Where the time comes from.
    pub clock: Arc<dyn Clock>,
    /// Where randomness comes from.
    pub entropy: Arc<dyn Entropy>,
}

impl Effects {
    /// The operating system's clock and randomness.
    pub fn system() -> Self {
        Self { clock: Arc::new(SystemClock), entropy: Arc::new(SystemEntropy) }
    }

    /// A clock that stands still and a repeatable stream of random bytes, for tests.
    pub fn fixed(now: Timestamp, seed: u64) -> Self {
        Self { clock: Arc::new(FixedClock(now)), entropy: Arc::new(FixedEntropy::new(seed)) }
    }

    /// The current time.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// A new unique id.
    pub fn uid(&self) -> Uid {
        Uid::new(self.now(), self.entropy.as_ref())
    }
}

/// The operating system's clock.
struct SystemClock;

impl Clock for SystemClock {
    /// Truncated to microseconds, because stores keep no more: a timestamp then reads the same
    /// before and after it is stored.
    fn now(&self) -> Timestamp {
        let now = Timestamp::now();
        Timestamp::from_microsecond(now.as_microsecond()).unwrap_or(now)
    }
}

/// A clock that stands still.
struct FixedClock(Timestamp);

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        self.0
    }
}

/// The operating system's randomness.
#[derive(Debug, Clone, Copy)]
pub struct SystemEntropy;

impl Entropy for SystemEntropy {
    #[expect(
        clippy::expect_used,
        reason = "without randomness tokens and ids would be guessable: stopping is the safe answer"
    )]
    fn fill(&self, bytes: &mut [u8]) {
        getrandom::fill(bytes).expect("the operating system has no randomness");
    }
}

/// A repeatable stream of bytes (SplitMix64), for tests.
#[derive(Debug)]
pub struct FixedEntropy(Mutex<u64>);

impl FixedEntropy {
    /// Starts the stream at `seed`.
    pub fn new(seed: u64) -> Self {
        Self(Mutex::new(seed))
    }
}

impl Entropy for FixedEntropy {
    fn fill(&self, bytes: &mut [u8]) {
        let mut state = self.0.lock();
        for chunk in bytes.chunks_mut(8) {
            *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut mixed = *state;
            mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            mixed ^= mixed >> 31;
            chunk.iter_mut().zip(mixed.to_le_bytes()).for_each(|(to, from)| *to = from);
        }
    }
}
