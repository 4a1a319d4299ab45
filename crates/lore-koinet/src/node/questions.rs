//! Questions that were asked before.
//!
//! An envelope says neither when it was written nor how often it is meant, so a question
//! that somebody overheard could be put again, and the answer would go to whoever puts it.
//! Most nodes sign with fresh randomness and never send the same envelope twice: from those
//! an envelope is answered once. Those that sign the same words in the same way each time
//! cannot be told from a replay and are answered.

use std::collections::VecDeque;

use crate::envelope::Envelope;

/// Questions that are remembered of each node.
const REMEMBERED: usize = 2_048;

/// What a node asked.
#[derive(Debug, Default)]
pub(super) struct Questions {
    /// What was asked and the mark of its envelope, oldest first.
    asked: VecDeque<(String, String)>,
    /// The same question came under two signatures.
    signs_anew: bool,
}

impl Questions {
    /// Notes a question; says whether it is to be answered.
    pub(super) fn is_to_be_answered(&mut self, envelope: &Envelope) -> bool {
        let (question, mark) = (envelope.payload_mark(), envelope.mark());
        let mut came_before = false;
        for (known, seen) in &self.asked {
            came_before |= *seen == mark;
            self.signs_anew |= *known == question && *seen != mark;
        }
        if came_before {
            return !self.signs_anew;
        }
        self.asked.push_back((question, mark));
        if self.asked.len() > REMEMBERED {
            self.asked.pop_front();
        }
        true
    }
}
