//! Reports damaged items that were left out of an answer.
//!
//! Reading many items skips damaged ones. The code that reads rows does not know the final answer,
//! and the code that builds the answer does not read rows. So skipped items are recorded in a
//! task-local for the current request, and read when the request is done.

use std::collections::BTreeSet;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

tokio::task_local! {
    static NOTES: LeftOut;
}

/// The items a request left out, described as `doctor` names them.
#[derive(Debug, Clone, Default)]
pub struct LeftOut(Arc<Mutex<BTreeSet<String>>>);

impl LeftOut {
    /// The record of the current task, if there is one.
    pub fn here() -> Option<Self> {
        NOTES.try_with(Clone::clone).ok()
    }

    /// Records that an item is left out. Does nothing outside of [`LeftOut::during`].
    pub fn note(what: &str) {
        if let Some(notes) = Self::here() {
            notes.names().insert(what.to_owned());
        }
    }

    /// Runs `work` and records what it leaves out.
    pub async fn during<F: Future>(&self, work: F) -> F::Output {
        NOTES.scope(self.clone(), work).await
    }

    /// The same for synchronous work on another thread.
    pub fn during_sync<T>(&self, work: impl FnOnce() -> T) -> T {
        NOTES.sync_scope(self.clone(), work)
    }

    /// Everything that was left out so far.
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
