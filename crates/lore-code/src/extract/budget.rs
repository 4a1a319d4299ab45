//! Limits for extracting one file, because even a small file can take a parser very long.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

use crate::language::Language;

/// The limits for extracting one file.
#[derive(Debug, Clone, Copy, Default)]
pub struct Budget<'b> {
    /// Set by another thread to cancel the extraction.
    pub cancel: Option<&'b AtomicBool>,
    /// The longest time it may take.
    pub time: Option<Duration>,
}

/// Why a file was not read to the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unread {
    /// It was cancelled.
    #[error("the scan was cancelled")]
    Cancelled,
    /// It took too long.
    #[error("reading it took longer than {} seconds", .0.as_secs())]
    TooSlow(Duration),
}

/// The number of nodes visited between two checks of the clock.
const STEPS: u32 = 1_024;

/// Checks the budget of a file.
pub(super) struct Watch<'b> {
    budget: Budget<'b>,
    start: Instant,
    steps: u32,
}

impl<'b> Watch<'b> {
    pub(super) fn new(budget: Budget<'b>) -> Self {
        Self { budget, start: Instant::now(), steps: 0 }
    }

    /// Returns the syntax tree of a source text; `None` if the parser yields none.
    pub(super) fn parse(
        &mut self,
        language: Language,
        source: &str,
    ) -> Result<Option<Tree>, Unread> {
        let mut parser = Parser::new();
        if parser.set_language(&language.grammar()).is_err() {
            return Ok(None);
        }
        let mut stopped = None;
        let mut progress = |_: &ParseState| match self.look() {
            Ok(()) => ControlFlow::Continue(()),
            Err(why) => {
                stopped = Some(why);
                ControlFlow::Break(())
            }
        };
        let options = ParseOptions::new().progress_callback(&mut progress);
        let bytes = source.as_bytes();
        let mut read = |offset: usize, _| bytes.get(offset..).unwrap_or_default();
        let tree = parser.parse_with_options(&mut read, None, Some(options));
        stopped.map_or(Ok(tree), Err)
    }

    /// Counts a visited node.
    pub(super) fn step(&mut self) -> Result<(), Unread> {
        self.steps += 1;
        if self.steps < STEPS {
            return Ok(());
        }
        self.steps = 0;
        self.look()
    }

    fn look(&self) -> Result<(), Unread> {
        if self.budget.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed)) {
            return Err(Unread::Cancelled);
        }
        match self.budget.time {
            Some(time) if self.start.elapsed() > time => Err(Unread::TooSlow(time)),
            _ => Ok(()),
        }
    }
}
