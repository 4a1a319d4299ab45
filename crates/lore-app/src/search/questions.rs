//! Vectors of queries from an outside model, which may be slow, busy or unavailable.
//!
//! Only one query waits for a model that fails: it is then not asked for a while, and after that a
//! background attempt finds out whether it works again. Meanwhile search uses the built-in vector
//! table.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use lore_core::Error;
use lore_search::Vector;
use tokio::time::timeout;

use super::Embedder;

/// How long a search waits for the vector of its query.
const PATIENCE: Duration = Duration::from_secs(2);
/// The maximum length of a query that is sent to the model, in characters.
const LONGEST: usize = 2_000;
/// The pause after the first failure. It doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_secs(5);
/// The maximum pause, unless the model asks for a longer one.
const LONGEST_PAUSE: Duration = Duration::from_secs(300);
/// The number of cached vectors. One call may search several times with the same query.
const REMEMBERED: usize = 32;

/// The cached vectors, and whether the model is paused.
#[derive(Debug)]
pub struct Questions {
    patience: Duration,
    first_pause: Duration,
    state: Mutex<State>,
}

impl Default for Questions {
    fn default() -> Self {
        Self { patience: PATIENCE, first_pause: FIRST_PAUSE, state: Mutex::default() }
    }
}

#[derive(Debug, Default)]
struct State {
    /// The latest queries with their vectors, newest first.
    known: VecDeque<(String, Vector)>,
    /// The start and the length of the current pause.
    pause: Option<(Instant, Duration)>,
}

/// Whether to ask the model.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// Ask and wait.
    Ask,
    /// Ask in the background, because it failed before.
    Try,
    /// Do not ask.
    Rest,
}

impl Questions {
    /// Returns the vector of a query, if it is cached or the model delivers it in time.
    pub(super) async fn vector(
        self: &Arc<Self>,
        embedder: &Arc<dyn Embedder>,
        text: &str,
    ) -> Option<Vector> {
        let question: String = text.chars().take(LONGEST).collect();
        if let Some(known) = self.known(&question) {
            return Some(known);
        }
        let asking = ask(Arc::clone(self), Arc::clone(embedder), question);
        match self.turn(Instant::now()) {
            Turn::Ask => asking.await,
            Turn::Try => {
                tokio::spawn(asking);
                None
            }
            Turn::Rest => None,
        }
    }

    fn known(&self, question: &str) -> Option<Vector> {
        let state = self.state();
        state.known.iter().find(|(known, _)| known == question).map(|(_, vector)| vector.clone())
    }

    fn turn(&self, now: Instant) -> Turn {
        let mut state = self.state();
        match state.pause {
            None => Turn::Ask,
            Some((since, pause)) if now < since + pause => Turn::Rest,
            // One caller tries; for the others the pause starts again.
            Some((_, pause)) => {
                state.pause = Some((now, pause));
                Turn::Try
            }
        }
    }

    fn answered(&self, question: String, vector: &Vector) {
        let mut state = self.state();
        state.pause = None;
        state.known.push_front((question, vector.clone()));
        state.known.truncate(REMEMBERED);
    }

    /// Starts a pause, twice as long as the last one.
    fn failed(&self, now: Instant, asked_for: Option<Duration>) {
        let mut state = self.state();
        let longer = state.pause.map_or(self.first_pause, |(_, pause)| pause * 2);
        let longer = longer.min(LONGEST_PAUSE);
        state.pause = Some((now, asked_for.unwrap_or_default().max(longer)));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn ask(
    questions: Arc<Questions>,
    embedder: Arc<dyn Embedder>,
    question: String,
) -> Option<Vector> {
    match timeout(questions.patience, embedder.embed(vec![question.clone()])).await {
        Ok(Ok(vectors)) => {
            let values = vectors.into_iter().next()?;
            let vector = Vector { model: embedder.model().into(), values: values.into() };
            questions.answered(question, &vector);
            Some(vector)
        }
        Ok(Err(error)) => {
            tracing::warn!(%error, "the embedding model did not answer; searching without it");
            questions.failed(Instant::now(), wait_of(&error));
            None
        }
        Err(_) => {
            tracing::warn!("the embedding model is too slow; searching without it");
            questions.failed(Instant::now(), None);
            None
        }
    }
}

/// Returns how long the model asks not to be called.
pub(super) fn wait_of(error: &Error) -> Option<Duration> {
    match error {
        Error::Throttled { retry_after, .. } => Some(*retry_after),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use async_trait::async_trait;
    use lore_core::Result;

    use super::*;

    /// A model that can be made too slow.
    #[derive(Default)]
    struct Model {
        is_slow: AtomicBool,
        asked: AtomicUsize,
    }

    #[async_trait]
    impl Embedder for Model {
        fn model(&self) -> &str {
            "slow"
        }

        async fn embed(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>> {
            self.asked.fetch_add(1, Ordering::SeqCst);
            if self.is_slow.load(Ordering::SeqCst) {
                tokio::time::sleep(PATIENCE * 10).await;
            }
            Ok(texts.iter().map(|_| vec![1.0]).collect())
        }
    }

    async fn found(questions: &Arc<Questions>, model: &Arc<Model>, text: &str) -> bool {
        let embedder: Arc<dyn Embedder> = Arc::clone(model) as Arc<dyn Embedder>;
        questions.vector(&embedder, text).await.is_some()
    }

    #[tokio::test]
    async fn a_slow_model_is_waited_for_once_and_asked_again_behind_the_scenes() {
        let short = Duration::from_millis(100);
        let questions = Questions { patience: short, first_pause: short, ..Questions::default() };
        let (questions, model) = (Arc::new(questions), Arc::new(Model::default()));
        model.is_slow.store(true, Ordering::SeqCst);
        for question in ["one", "two", "three"] {
            assert!(!found(&questions, &model, question).await);
        }
        assert_eq!(model.asked.load(Ordering::SeqCst), 1, "only the first waited");
        model.is_slow.store(false, Ordering::SeqCst);
        tokio::time::sleep(short).await;
        assert!(!found(&questions, &model, "four").await, "nobody waits for the attempt");
        while !found(&questions, &model, "five").await {
            tokio::time::sleep(short / 10).await;
        }
    }

    #[tokio::test]
    async fn the_same_question_is_asked_once() {
        let (questions, model) = (Arc::new(Questions::default()), Arc::new(Model::default()));
        for _ in 0..3 {
            assert!(found(&questions, &model, "where").await);
        }
        assert_eq!(model.asked.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn pauses_double_and_are_as_long_as_the_model_asks() {
        let (questions, now) = (Questions::default(), Instant::now());
        let pause = |questions: &Questions| questions.state().pause.map(|(_, pause)| pause);
        questions.failed(now, None);
        assert_eq!(pause(&questions), Some(FIRST_PAUSE));
        questions.failed(now, None);
        assert_eq!(pause(&questions), Some(FIRST_PAUSE * 2));
        questions.failed(now, Some(Duration::from_secs(900)));
        assert_eq!(questions.turn(now + Duration::from_secs(899)), Turn::Rest);
        assert_eq!(questions.turn(now + Duration::from_secs(900)), Turn::Try);
        assert_eq!(questions.turn(now + Duration::from_secs(901)), Turn::Rest);
    }
}
