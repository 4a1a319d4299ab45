//! Regular expressions whose search can be stopped.
//!
//! A lazy DFA reads a text in pieces, and between two pieces the query may be stopped. Where the
//! DFA gives up (at a Unicode word boundary next to non-ASCII characters), the states of the NFA
//! are simulated instead, which is slower and can be stopped as well.

use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson::{self, NFA, State, WhichCaptures};
use regex_automata::util::primitives::StateID;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind};

use super::Meter;
use crate::error::{CypherError, Result, failed};

/// The maximum length of a pattern. Unicode classes take a thousand times their length when
/// compiled.
const PATTERN_BYTES: usize = 2 << 10;
/// The maximum size of a compiled pattern.
const STATES_BYTES: usize = 1 << 20;
/// The maximum size of the DFA's cache.
const CACHE_BYTES: usize = 2 << 20;
/// The number of bytes read between two checks of the meter.
const PIECE: usize = 256;

/// A compiled pattern.
pub(super) struct Pattern {
    automaton: DFA,
    cache: Cache,
}

/// The state of the DFA after a piece of text.
enum Now {
    At(LazyStateID),
    /// No match is possible any more.
    Lost,
    /// The DFA gave up.
    Unsure,
}

impl Pattern {
    /// Compiles a pattern.
    pub(super) fn new(written: &str) -> Result<Self> {
        if written.len() > PATTERN_BYTES {
            return failed(format!("a pattern cannot be longer than {PATTERN_BYTES} bytes"));
        }
        let parsed = syntax::parse(written).map_err(|error| {
            // The last line has the reason; those before it show the pattern.
            let why = error.to_string();
            let why = why.lines().last().unwrap_or_default().trim_start_matches("error: ");
            CypherError::failure(format!("the regular expression is wrong: {why}"))
        })?;
        let too_large = || {
            let message = "the pattern is too large; repeat less in it, as in `{1,9}`";
            CypherError::failure(message.to_owned())
        };
        let states = thompson::Config::new()
            .nfa_size_limit(Some(STATES_BYTES))
            .which_captures(WhichCaptures::None);
        let states = thompson::Compiler::new()
            .configure(states)
            .build_from_hir(&parsed)
            .map_err(|_| too_large())?;
        let automaton = DFA::config()
            // All alternatives count, not only the first, because the match must extend to the end
            // of the text.
            .match_kind(MatchKind::All)
            .unicode_word_boundary(true)
            .cache_capacity(CACHE_BYTES)
            .skip_cache_capacity_check(true);
        let automaton =
            DFA::builder().configure(automaton).build_from_nfa(states).map_err(|_| too_large())?;
        let cache = automaton.create_cache();
        Ok(Self { automaton, cache })
    }

    /// Whether the whole text matches.
    pub(super) fn matches(&mut self, text: &str, meter: &mut Meter<'_>) -> Result<bool> {
        let text = text.as_bytes();
        match self.at_once(text, meter)? {
            Some(matches) => Ok(matches),
            None => one_by_one(self.automaton.get_nfa(), text, meter),
        }
    }

    /// Whether the whole text matches, or `None` if the DFA gives up.
    fn at_once(&mut self, text: &[u8], meter: &mut Meter<'_>) -> Result<Option<bool>> {
        let input = Input::new(text).anchored(Anchored::Yes);
        let Ok(mut at) = self.automaton.start_state_forward(&mut self.cache, &input) else {
            return Ok(None);
        };
        meter.work(1)?;
        for piece in text.chunks(PIECE) {
            let before = self.cache.memory_usage();
            let now = self.read(at, piece);
            // Building states is much slower than following known ones, so the clock is checked at
            // once.
            match self.cache.memory_usage() == before {
                true => meter.over(piece.len() as u64)?,
                false => meter.look()?,
            }
            match now {
                Now::At(state) => at = state,
                Now::Lost => return Ok(Some(false)),
                Now::Unsure => return Ok(None),
            }
        }
        let end = self.automaton.next_eoi_state(&mut self.cache, at);
        Ok(end.ok().map(|state| state.is_match()))
    }

    fn read(&mut self, mut at: LazyStateID, piece: &[u8]) -> Now {
        for byte in piece {
            let Ok(next) = self.automaton.next_state(&mut self.cache, at, *byte) else {
                return Now::Unsure;
            };
            if next.is_dead() {
                return Now::Lost;
            }
            if next.is_quit() {
                return Now::Unsure;
            }
            at = next;
        }
        Now::At(at)
    }
}

/// Whether the whole text matches, by simulating the NFA.
fn one_by_one(states: &NFA, text: &[u8], meter: &mut Meter<'_>) -> Result<bool> {
    let (mut here, mut beyond) = (Reached::new(states), Reached::new(states));
    here.reach(states, states.start_anchored(), text, 0);
    for (at, byte) in text.iter().enumerate() {
        if here.list.is_empty() {
            return Ok(false);
        }
        for state in &here.list {
            if let Some(next) = after(states.state(*state), *byte) {
                beyond.reach(states, next, text, at + 1);
            }
        }
        meter.work(1 + here.list.len() as u64)?;
        here.forget();
        std::mem::swap(&mut here, &mut beyond);
    }
    let ends = |state: &StateID| matches!(states.state(*state), State::Match { .. });
    Ok(here.list.iter().any(ends))
}

/// The next state after a byte, if there is one.
fn after(state: &State, byte: u8) -> Option<StateID> {
    match state {
        State::ByteRange { trans } => trans.matches_byte(byte).then_some(trans.next),
        State::Sparse(ways) => ways.matches_byte(byte),
        State::Dense(ways) => ways.matches_byte(byte),
        _ => None,
    }
}

/// The set of NFA states at a position in the text.
struct Reached {
    list: Vec<StateID>,
    known: Vec<bool>,
    open: Vec<StateID>,
}

impl Reached {
    fn new(states: &NFA) -> Self {
        let known = vec![false; states.states().len()];
        Self { list: Vec::new(), known, open: Vec::new() }
    }

    /// Adds a state and all states reachable without reading a byte.
    fn reach(&mut self, states: &NFA, state: StateID, text: &[u8], at: usize) {
        self.open.push(state);
        while let Some(state) = self.open.pop() {
            match self.known.get_mut(state.as_usize()) {
                Some(known) if !*known => *known = true,
                _ => continue,
            }
            self.list.push(state);
            match states.state(state) {
                State::Look { look, next } if states.look_matcher().matches(*look, text, at) => {
                    self.open.push(*next);
                }
                State::Union { alternates } => self.open.extend(alternates.iter().copied()),
                State::BinaryUnion { alt1, alt2 } => self.open.extend([*alt1, *alt2]),
                State::Capture { next, .. } => self.open.push(*next),
                _ => {}
            }
        }
    }

    fn forget(&mut self) {
        for state in self.list.drain(..) {
            if let Some(known) = self.known.get_mut(state.as_usize()) {
                *known = false;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;
    use std::time::Instant;

    use super::*;
    use crate::Limits;

    #[test]
    fn both_ways_tell_the_same() {
        let (limits, cancel) = (Limits::default(), AtomicBool::new(false));
        let mut meter = Meter::new(&limits, &cancel, Instant::now());
        let patterns = [
            "",
            "a",
            "a|ab",
            "(a|ab)(c|bcd)*",
            "(?i)ÄB+",
            ".*",
            "^a$",
            "a$b",
            "[^a]*",
            r"\w+\b.*",
            r".*\bäb",
            "(?x) a # one\n b",
            "(a*)*",
            "a{2,3}",
            r"\p{Greek}+",
            "(?s).*",
            "(?m)a$\nb",
        ];
        let texts =
            ["", "a", "ab", "abcd", "abcbcd", "äb", "ÄBB", "a b", "x äb", "aaa", "αβγ", "a\nb"];
        for written in patterns {
            let mut pattern = Pattern::new(written).unwrap();
            for text in texts {
                let slow = one_by_one(pattern.automaton.get_nfa(), text.as_bytes(), &mut meter);
                if let Some(fast) = pattern.at_once(text.as_bytes(), &mut meter).unwrap() {
                    assert_eq!(slow, Ok(fast), "{text:?} =~ {written:?}");
                }
                assert_eq!(pattern.matches(text, &mut meter), slow, "{text:?} =~ {written:?}");
            }
        }
    }

    #[test]
    fn large_patterns_are_refused() {
        for written in ["(", "((a{100}){100}){100}", &"a".repeat(PATTERN_BYTES + 1)] {
            assert!(Pattern::new(written).is_err(), "{written:.30}");
        }
    }
}
