//! What is damaged and so left out of an answer, told to whoever asked.
//!
//! Who asks for many gets what is whole. Where things are left out nobody knows what the answer will
//! be, and where the answer is made nobody reads rows; so what is left out is noted on the way, for
//! the work that is going on, and read when the work is done.

use std::collections::BTreeSet;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

tokio::task_local! {
    static NOTES: LeftOut;
}

/// What a piece of work left out, by the names that `doctor` has for it.
#[derive(Debug, Clone, Default)]
pub struct LeftOut(Arc<Mutex<BTreeSet<String>>>);

impl LeftOut {
    /// The notes of the work that is going on, if somebody takes any.
    pub fn here() -> Option<Self> {
        NOTES.try_with(Clone::clone).ok()
    }

    /// Notes that something is left out of what is read now.
    pub fn note(what: &str) {
        if let Some(notes) = Self::here() {
            notes.names().insert(what.to_owned());
        }
    }

    /// Does some work, and notes here what it leaves out.
    pub async fn during<F: Future>(&self, work: F) -> F::Output {
        NOTES.scope(self.clone(), work).await
    }

    /// The same for work on a thread of its own.
    pub fn during_sync<T>(&self, work: impl FnOnce() -> T) -> T {
        NOTES.sync_scope(self.clone(), work)
    }

    /// All that was left out so far.
    pub fn told(&self) -> Vec<String> {
        self.names().iter().cloned().collect()
    }

    fn names(&self) -> std::sync::MutexGuard<'_, BTreeSet<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_work_leaves_out_is_noted_for_that_work_alone() {
        let (one, other) = (LeftOut::default(), LeftOut::default());
        LeftOut::note("nobody asks");
        one.during(async {
            LeftOut::note("node 7");
            LeftOut::note("node 7");
            let here = LeftOut::here().unwrap();
            let thread = std::thread::spawn(move || here.during_sync(|| LeftOut::note("text 3")));
            thread.join().unwrap();
        })
        .await;
        other.during(async {}).await;
        assert_eq!(one.told(), ["node 7", "text 3"]);
        assert!(other.told().is_empty());
    }
}
