//! Detection of replayed requests.
//!
//! An envelope has neither a timestamp nor a counter, so an attacker could send an intercepted
//! request again and get the answer. Most nodes use randomised signatures and never send the same
//! envelope twice; each of their envelopes is answered once. For nodes with deterministic
//! signatures a repeated request looks like a replay, so they are answered again.

use std::collections::VecDeque;

use crate::envelope::Envelope;

/// How many requests are remembered per node.
const REMEMBERED: usize = 2_048;

/// The requests a node has sent.
#[derive(Debug, Default)]
pub(super) struct Questions {
    /// Payload fingerprint and envelope fingerprint of each request, oldest first.
    asked: VecDeque<(String, String)>,
    /// Whether the node signs with fresh randomness: the same payload came with two signatures.
    signs_anew: bool,
}

impl Questions {
    /// Records a request and returns whether to answer it.
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
