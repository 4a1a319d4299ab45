//! The context of a call to the table: who acts, for which request, and how plans are committed.
//!
//! A use case *plans*: it reads, decides, and returns a batch together with the answer.
//! [`PlayCall`] commits the batch and plans again if somebody else was faster. If the call has an
//! idempotency key, the answer is stored in the same transaction, so repeating the call returns the
//! stored answer and changes nothing.

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

/// The maximum length of an idempotency key, in characters.
const KEY_MAX: usize = 200;
/// The scope of idempotency keys. All tools of the table share it, so a key can be used for one
/// call only.
const KEYS: &str = "play";

/// The context of one call.
#[derive(Clone)]
pub struct PlayCall {
    /// The application.
    pub app: Arc<App>,
    /// The viewer the call acts as.
    pub viewer: Viewer,
    /// The name of the tool.
    pub tool: &'static str,
    /// The id of the request. All events of one call carry it.
    pub request_id: String,
    /// The id of the call. All events of one call carry it.
    pub invocation_id: String,
    /// The participant the caller acts as, if one is set.
    pub participant: Option<Uid>,
    /// The idempotency key, if the call has one.
    pub idempotency_key: Option<String>,
    /// A digest of what is asked, without the key. Using the same key for anything else is an
    /// error.
    pub asked: Asked,
}

/// A digest of the arguments of a call and of what it takes from the context. The default stands
/// for no call.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked(String);

impl Asked {
    /// Returns the digest of the arguments, regardless of their order.
    pub fn of(arguments: &Map<String, Value>) -> Self {
        Self(HEXLOWER.encode(&Sha256::digest(sorted(arguments).to_string())))
    }

    /// Adds something that the call takes from its context to the digest.
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
    // A missing argument and null mean the same.
    let given = object.iter().filter(|(_, value)| !value.is_null());
    let fields: BTreeMap<&String, Value> =
        given.map(|(name, value)| (name, within(value))).collect();
    json!(fields)
}

/// A stored answer, with the call it belongs to.
#[derive(Debug, Serialize, Deserialize)]
struct Kept<T> {
    tool: String,
    asked: Asked,
    answer: T,
}

/// The decision of a use case.
pub struct Plan<T> {
    /// The batch to commit.
    pub batch: Batch,
    /// Returns the answer, given the sequence number of the first event that the batch appends.
    pub answer: Box<dyn FnOnce(i64) -> T + Send>,
}

impl<T> Plan<T> {
    /// Creates a plan whose answer does not depend on the log.
    pub fn new(batch: Batch, answer: T) -> Self
    where
        T: Send + 'static,
    {
        Self { batch, answer: Box::new(move |_| answer) }
    }

    /// Transforms the answer.
    pub fn map<U>(self, shape: impl FnOnce(T) -> U + Send + 'static) -> Plan<U>
    where
        T: 'static,
    {
        let answer = self.answer;
        Plan { batch: self.batch, answer: Box::new(move |first| shape(answer(first))) }
    }
}

/// The answer of a call: that of a plan carried out now, or a stored one from an earlier call with
/// the same idempotency key.
#[derive(Debug, Clone, PartialEq)]
pub enum Done<T> {
    /// The plan was carried out now.
    Fresh(T),
    /// The answer of an earlier call with the same key.
    Again(Value),
}

impl PlayCall {
    /// Plans and commits, and plans again after conflicts. The number of attempts is bounded.
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
        // The answer is stored by the commit, so it must be known before. The plan has therefore
        // pinned the end of the log.
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

    /// Creates an empty batch for this call.
    pub(crate) fn batch(&self) -> Batch {
        Batch::new(Origin::new(self.tool, self.request_id.clone()), self.app.effects.now())
    }

    /// Creates an event of this call by the participant in `rights`, visible to every member.
    pub(crate) fn event(&self, rights: &Rights, kind: &str, payload: &Value) -> NewEvent {
        self.event_by(rights.participant(), kind, payload)
    }

    /// Creates an event of this call by a participant, visible to every member.
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

    /// Appends events to the log of `node`. With an idempotency key the end of the log is pinned,
    /// because the answer depends on it.
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

    /// Returns the caller with the game master's visibility, for decisions that depend on hidden
    /// events. Nothing read this way may appear in an answer.
    pub(crate) fn all_seeing(&self) -> Viewer {
        all_seeing(&self.viewer)
    }

    /// Returns the live node with this uid and kind, or an error with a hint where to look.
    pub(crate) async fn find(&self, thing: Thing, uid: Uid) -> Result<Node> {
        let found = self.app.store.node(&self.viewer, NodeKey::Uid(uid)).await?;
        // A page that is not played, or not any more, is no character of the table.
        let is_it = |node: &Node| {
            node.kind.as_str() == thing.name()
                && (thing != Thing::Character || campaign::of(node).is_some())
        };
        match found.filter(is_it) {
            Some(node) => Ok(node),
            None => Err(self.missing(thing, uid).await?),
        }
    }

    /// Returns the error for a missing node. Whoever may restore it learns that it is archived.
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
