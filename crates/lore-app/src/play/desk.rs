//! Where a use case of the table works: who acts, for which call, and how a plan
//! becomes a commit.
//!
//! A use case *plans*: it reads, decides and returns a batch with the answer. The
//! desk carries the plan out; when somebody was faster, it plans again. With an
//! idempotency key the answer is kept in the same transaction, so a repeated call
//! gets it again and changes nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use data_encoding::HEXLOWER;
use futures::future::BoxFuture;
use lore_core::{Error, Node, Result, Uid, Viewer, Visibility};
use lore_store::chain::{self, Head};
use lore_store::{
    Applied, Batch, Change, Committed, NewEvent, NewEvents, NodeKey, NodeRef, Once, Origin,
    StoreError,
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use super::campaign;
use super::ids::Thing;
use super::rights::Rights;
use super::word;
use crate::App;
use crate::access::all_seeing;
use crate::attempts::Attempts;
use crate::mentions::{Followed, follow};

/// Longest idempotency key, in characters.
const KEY_MAX: usize = 200;
/// What shares idempotency keys: all tools of the table, so that a key is used for one call.
const KEYS: &str = "play";

/// One call at the table.
#[derive(Clone)]
pub struct Desk {
    /// The application.
    pub app: Arc<App>,
    /// Who looks.
    pub viewer: Viewer,
    /// The tool that is called.
    pub tool: &'static str,
    /// The request it serves; all events of one call carry it.
    pub request_id: String,
    /// The call; all events of one call carry it.
    pub invocation_id: String,
    /// The participant the caller acts as, if they said so.
    pub participant: Option<Uid>,
    /// Makes the call happen once.
    pub idempotency_key: Option<String>,
    /// What is asked, without the key: the same key for anything else is a mistake.
    pub asked: Asked,
}

/// The arguments of a call and what it takes from the context, told from others by a digest.
/// By default that of no call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked(String);

impl Asked {
    /// Of arguments in any order.
    pub fn of(arguments: &Map<String, Value>) -> Self {
        Self(HEXLOWER.encode(&Sha256::digest(sorted(arguments).to_string())))
    }

    /// Takes in what a call does not say itself.
    pub fn take_in(&mut self, what: &str, uid: Uid) {
        if *self != Self::default() {
            self.0 = HEXLOWER.encode(&Sha256::digest(format!("{} {what} {uid}", self.0)));
        }
    }
}

fn sorted(object: &Map<String, Value>) -> Value {
    let within = |value: &Value| match value {
        Value::Object(object) => sorted(object),
        Value::Array(items) => {
            items.iter().map(|item| item.as_object().map_or_else(|| item.clone(), sorted)).collect()
        }
        other => other.clone(),
    };
    // To leave something out and to say null is the same.
    let given = object.iter().filter(|(_, value)| !value.is_null());
    let fields: BTreeMap<&String, Value> =
        given.map(|(name, value)| (name, within(value))).collect();
    json!(fields)
}

/// An answer as it is kept, with what it answers.
#[derive(Debug, Serialize, Deserialize)]
struct Kept<T> {
    tool: String,
    asked: Asked,
    answer: T,
}

/// What a use case decided.
pub struct Plan<T> {
    /// What to commit.
    pub batch: Batch,
    /// The answer, given the sequence of the first event the batch appends.
    pub answer: Box<dyn FnOnce(i64) -> T + Send>,
}

impl<T> Plan<T> {
    /// A plan whose answer does not depend on the log.
    pub fn new(batch: Batch, answer: T) -> Self
    where
        T: Send + 'static,
    {
        Self { batch, answer: Box::new(move |_| answer) }
    }

    /// Shapes the answer further.
    pub fn map<U>(self, shape: impl FnOnce(T) -> U + Send + 'static) -> Plan<U>
    where
        T: 'static,
    {
        let answer = self.answer;
        Plan { batch: self.batch, answer: Box::new(move |first| shape(answer(first))) }
    }
}

/// The answer of a plan that was carried out now, or earlier under the same key.
#[derive(Debug, Clone, PartialEq)]
pub enum Done<T> {
    /// Now.
    Fresh(T),
    /// Earlier; the answer that was given then.
    Again(Value),
}

impl Desk {
    /// Plans and commits until it holds, a bounded number of times.
    pub async fn carry_out<'a, T, F>(&'a self, plan: F) -> Result<Done<T>>
    where
        T: Serialize + Send,
        F: Fn() -> BoxFuture<'a, Result<Plan<T>>> + Send,
    {
        self.check_key()?;
        let mut attempts = Attempts::new(&self.app);
        loop {
            attempts.next("the table").await?;
            if let Some(kept) = self.kept_answer().await? {
                return Ok(Done::Again(kept));
            }
            let Plan { batch, answer } = plan().await?;
            let followed = follow(&self.app, &self.viewer, batch).await?;
            match self.attempt(followed, answer).await {
                Ok(answer) => return Ok(Done::Fresh(answer)),
                Err(StoreError::Conflict(_)) => {}
                Err(other) => return Err(other.into()),
            }
        }
    }

    async fn attempt<T: Serialize>(
        &self,
        followed: Followed,
        answer: Box<dyn FnOnce(i64) -> T + Send>,
    ) -> std::result::Result<T, StoreError> {
        let Followed { mut batch, eyes } = followed;
        let Some(key) = &self.idempotency_key else {
            let committed = self.app.commit(&eyes, batch).await?;
            return Ok(answer(first_event(&committed)));
        };
        // The answer has to be known before the commit that keeps it, so the plan
        // has pinned the end of the log.
        let answer = answer(pinned_first(&batch));
        let (tool, asked) = (self.tool.to_owned(), self.asked.clone());
        let text = serde_json::to_string(&Kept { tool, asked, answer: &answer });
        let text = text.map_err(|error| StoreError::Failed(error.to_string()))?;
        batch.once = Some(Once { scope: KEYS, key: key.clone(), answer: text });
        self.app.commit(&eyes, batch).await?;
        Ok(answer)
    }

    async fn kept_answer(&self) -> Result<Option<Value>> {
        let Some(key) = &self.idempotency_key else { return Ok(None) };
        let kept = self.app.store.answered(&self.viewer, KEYS, key).await?;
        let broken = |_| Error::Corrupt { what: "a kept answer cannot be read".into() };
        let Some(text) = kept else { return Ok(None) };
        let kept: Kept<Value> = serde_json::from_str(&text).map_err(broken)?;
        let problem = match (kept.tool == self.tool, kept.asked == self.asked) {
            (true, true) => return Ok(Some(kept.answer)),
            (true, false) => "was used before, with other arguments or in another context".into(),
            (false, _) => format!("was used before, for {}", kept.tool),
        };
        let hint = "repeat a call with exactly its arguments and context, or use a fresh key \
                    for a new one";
        Err(Error::invalid("idempotency_key", problem, hint))
    }

    fn check_key(&self) -> Result<()> {
        let Some(key) = &self.idempotency_key else { return Ok(()) };
        if key.trim().is_empty() || key.chars().count() > KEY_MAX {
            return Err(Error::invalid(
                "idempotency_key",
                format!("is not 1 to {KEY_MAX} characters long"),
                "use a fresh random text for each new call",
            ));
        }
        Ok(())
    }

    /// An empty batch of this call.
    pub(crate) fn batch(&self) -> Batch {
        Batch::new(Origin::new(self.tool, self.request_id.clone()), self.app.effects.now())
    }

    /// An event of this call that every member sees, by whom the rights say it is.
    pub(crate) fn event(&self, rights: &Rights, kind: &str, payload: &Value) -> NewEvent {
        self.event_by(rights.participant(), kind, payload)
    }

    /// An event of this call that every member sees, by a participant.
    pub(crate) fn event_by(&self, by: Option<Uid>, kind: &str, payload: &Value) -> NewEvent {
        NewEvent {
            kind: kind.to_owned(),
            request_id: self.request_id.clone(),
            invocation_id: self.invocation_id.clone(),
            participant: by,
            character: None,
            payload: payload.to_string(),
            secret: None,
            visibility: Visibility::Members,
            settles: None,
        }
    }

    /// Appends to the log of `node`. A call that must know its answer beforehand
    /// pins the log's end.
    pub(crate) async fn append(&self, node: &Node, events: Vec<NewEvent>) -> Result<Change> {
        let after = match self.idempotency_key {
            Some(_) => Some(self.log_end(node).await?),
            None => None,
        };
        Ok(Change::AppendEvents(NewEvents { node: NodeRef::Id(node.id), after, events }))
    }

    async fn log_end(&self, node: &Node) -> Result<i64> {
        let found = self.app.store.states(&self.viewer, &[node.id], &word(chain::HEAD)?).await?;
        let head = found.first().and_then(|state| Head::from_value(&state.value));
        Ok(head.unwrap_or(Head::EMPTY).count)
    }

    /// The caller, looking behind the screen, for what must be decided by events they may
    /// not see. Nothing of those may get into an answer.
    pub(crate) fn all_seeing(&self) -> Viewer {
        all_seeing(&self.viewer)
    }

    /// The live node of a kind, or the error that says where to look.
    pub(crate) async fn find(&self, thing: Thing, uid: Uid) -> Result<Node> {
        let found = self.app.store.node(&self.viewer, NodeKey::Uid(uid)).await?;
        match found.filter(|node| node.kind.as_str() == thing.name()) {
            Some(node) => Ok(node),
            None => Err(self.missing(thing, uid).await?),
        }
    }

    /// Why something is not there: who can restore it is told that it is archived.
    async fn missing(&self, thing: Thing, uid: Uid) -> Result<Error> {
        let (id, name) = (thing.show(uid), thing.name());
        let hint = format!("it is archived: restore it with {name}_update and archived: false");
        Ok(match campaign::archived_node(self, thing, uid).await? {
            Some(_) => Error::not_found(format!("{name} {id}"), hint),
            None => thing.unknown(&id),
        })
    }
}

fn first_event(committed: &Committed) -> i64 {
    let first = committed.applied.iter().find_map(|applied| match applied {
        Applied::Events { first, .. } => Some(*first),
        _ => None,
    });
    first.unwrap_or(0)
}

fn pinned_first(batch: &Batch) -> i64 {
    let pinned = batch.changes.iter().find_map(|change| match change {
        Change::AppendEvents(new) => new.after,
        _ => None,
    });
    pinned.map_or(0, |last| last + 1)
}
