//! Storing documents of state, and appending to event logs.

use std::borrow::Cow;

use lore_core::{Event, Hash, NodeId, Visibility};
use lore_store::chain::{self, Head};
use lore_store::{Applied, NewEvent, NewEvents, NewState, Once, StoreError, veil};
use rusqlite::params;
use serde_json::{Value, json};

use super::shown::Seen;
use super::{Hand, Target, expect};
use crate::audit::{PRIVATE_TO, REPLACED};
use crate::fault::{Answer, Fault, damaged, invalid};
use crate::records::STATE_SEAL;
use crate::rows::{self, Fields};
use crate::sight;

/// Largest payload of one event, in bytes.
const PAYLOAD_MAX: usize = 256 * 1024;

impl Hand<'_> {
    pub(super) fn put_state(&mut self, new: &NewState) -> Answer<Applied> {
        let node = self.live(new.node)?;
        let found = self.state_of(&node, new.name.as_str())?;
        let what = || format!("{} of node {}", new.name, node.id);
        let version = found.as_ref().map_or(0, |(version, ..)| *version);
        expect(new.expect, version, what)?;
        let value = match &found {
            Some((_, old, _)) => self.lifted_value(old, &new.value)?,
            None => Cow::Borrowed(&new.value),
        };
        let is_same = |old: &Value, seen| *old == *value && seen == new.visibility;
        if found.as_ref().is_some_and(|(_, value, seen)| is_same(value, *seen)) {
            return Ok(Applied::State { version });
        }
        let (word, owner) = rows::visibility_columns(new.visibility);
        let sql = "INSERT INTO state
              (node, name, value, visibility, private_to, version, updated_at, updated_by)
            VALUES (?1, ?2, ?3, ?4, ?5, 1, ?6, ?7)
            ON CONFLICT (node, name) DO UPDATE SET value = excluded.value,
              visibility = excluded.visibility, private_to = excluded.private_to,
              version = version + 1, updated_at = excluded.updated_at,
              updated_by = excluded.updated_by";
        self.db.prepare_cached(sql)?.execute(params![
            node.id,
            new.name.as_str(),
            value.to_string(),
            word,
            owner,
            self.author.at,
            self.author.principal
        ])?;
        self.tell_of_state(&node, new, found.as_ref().map(|(.., old)| *old));
        self.note_state(
            &node,
            new,
            version + 1,
            found.map(|(_, value, visibility)| (value, visibility)),
        );
        Ok(Applied::State { version: version + 1 })
    }

    /// The sent document, with mentions restored where the author was shown plain words instead.
    fn lifted_value<'v>(&self, old: &Value, sent: &'v Value) -> Answer<Cow<'v, Value>> {
        Ok(match self.seen_by_author(old)? {
            Some(seen) => {
                Cow::Owned(veil::lifted_from_value(old, sent, &|number| seen.contains(&number)))
            }
            None => Cow::Borrowed(sent),
        })
    }

    fn tell_of_state(&mut self, node: &Target, new: &NewState, old: Option<Visibility>) {
        for visibility in [Some(new.visibility), old].into_iter().flatten() {
            self.tell(node.id, Seen::of(node.visibility, visibility));
        }
    }

    /// The version of a document; 0 when there is none.
    pub(super) fn state_version(&self, node: &Target, name: &str) -> Answer<i64> {
        Ok(self.state_of(node, name)?.map_or(0, |(version, ..)| version))
    }

    /// The current document of that name. Fails with "not found" if it exists but is hidden from
    /// the viewer.
    fn state_of(&self, node: &Target, name: &str) -> Answer<Option<(i64, Value, Visibility)>> {
        let sql = format!(
            "SELECT {STATE_SEAL}, r.node, r.version, r.value, r.visibility, r.private_to, ({})
             FROM state r JOIN node n ON n.id = r.node AND n.world = :world
             WHERE r.node = :node AND r.name = :name",
            sight::record("r")
        );
        let made = self.made.contains(&node.uid);
        let found = self.look(&sql, made, &[(":node", &node.id), (":name", &name)], |row| {
            let mut fields = Fields::sealed("a document of node", row)?;
            let (_node, version): (i64, i64) = (fields.take()?, fields.take()?);
            let value: String = fields.take()?;
            let value = serde_json::from_str(&value).map_err(|_| damaged("a state is not JSON"))?;
            let visibility = fields.visibility()?;
            Ok((version, value, visibility, fields.take::<bool>()?))
        })?;
        match found {
            Some((.., false)) => {
                Err(StoreError::NotFound(format!("{name} of node {}", node.id)).into())
            }
            Some((version, value, visibility, true)) => Ok(Some((version, value, visibility))),
            None => Ok(None),
        }
    }

    fn note_state(
        &mut self,
        node: &Target,
        new: &NewState,
        version: i64,
        replaced: Option<(Value, Visibility)>,
    ) {
        let mut note = json!({
            "op": "put_state", "node": node.uid.to_string(), "name": new.name.as_str(),
            "version": version,
        });
        let visibilities =
            [Some(node.visibility), Some(new.visibility), replaced.as_ref().map(|(_, v)| *v)];
        for seen in visibilities.iter().skip(1).flatten() {
            self.heard.add([node.visibility, *seen]);
        }
        let owners: Vec<_> = visibilities.into_iter().flatten().filter_map(owner).collect();
        if let Some(map) = note.as_object_mut() {
            if let Some((value, _)) = replaced {
                map.insert(REPLACED.into(), value);
            }
            if !owners.is_empty() {
                map.insert(PRIVATE_TO.into(), owners.into());
            }
        }
        self.notes.push(note);
    }

    pub(super) fn append_events(&mut self, new: &NewEvents) -> Answer<Applied> {
        let node = self.live(new.node)?;
        let mut end = self.db.log_end(NodeId(node.id))?;
        if new.after.is_some_and(|after| after != end.count) {
            return Err(StoreError::Conflict(format!("the log of node {}", node.id)).into());
        }
        if new.events.is_empty() {
            return Err(invalid("there are no events to append"));
        }
        let first = end.count + 1;
        for event in &new.events {
            self.heard.add([node.visibility, event.visibility]);
            let count = end.count + 1;
            self.tell(node.id, Seen::of(node.visibility, event.visibility));
            end = Head { count, hash: self.append(node.id, count, end.hash, event)? };
        }
        self.db.move_log(NodeId(node.id), end, self.author);
        self.notes.push(json!({
            "op": "append_events", "node": node.uid.to_string(), "first": first, "last": end.count,
        }));
        Ok(Applied::Events { first, last: end.count })
    }

    fn append(&self, node: i64, sequence: i64, previous: Hash, new: &NewEvent) -> Answer<Hash> {
        if new.settles.is_some_and(|settled| !(1..sequence).contains(&settled)) {
            return Err(invalid("an event settles one that is not before it"));
        }
        if new.payload.len() + new.secret.as_ref().map_or(0, String::len) > PAYLOAD_MAX {
            return Err(invalid(format!("an event is larger than {PAYLOAD_MAX} bytes")));
        }
        let mut event = self.event(node, sequence, previous, new)?;
        event.hash = chain::link(&event);
        let (word, owner) = rows::visibility_columns(new.visibility);
        let uid = |uid: Option<lore_core::Uid>| uid.map(|uid| uid.as_bytes().to_vec());
        let sql = "INSERT INTO event (node, seq, at, kind, request_id, invocation_id, participant,
              character, payload, secret, visibility, private_to, settles, previous, hash)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)";
        let inserted = self.db.prepare_cached(sql)?.execute(params![
            node,
            sequence,
            self.author.at,
            event.kind,
            event.request_id,
            event.invocation_id,
            uid(event.participant),
            uid(event.character),
            event.payload,
            event.secret,
            word,
            owner,
            event.settles,
            event.previous,
            event.hash
        ]);
        match inserted.map_err(Fault::from).map_err(StoreError::from) {
            Ok(_) => Ok(event.hash),
            Err(StoreError::Exists(_)) => {
                let settled = new.settles.unwrap_or_default();
                Err(StoreError::Conflict(format!("event {settled} of node {node}")).into())
            }
            Err(error) => Err(error.into()),
        }
    }

    fn event(&self, node: i64, sequence: i64, previous: Hash, new: &NewEvent) -> Answer<Event> {
        let at = lore_core::Timestamp::from_microsecond(self.author.at);
        Ok(Event {
            node: NodeId(node),
            sequence,
            at: at.map_err(|_| invalid("the moment is out of range"))?,
            kind: new.kind.clone(),
            request_id: new.request_id.clone(),
            invocation_id: new.invocation_id.clone(),
            participant: new.participant,
            character: new.character,
            payload: new.payload.clone(),
            secret: new.secret.clone(),
            visibility: new.visibility,
            settles: new.settles,
            previous,
            hash: chain::START,
        })
    }

    /// Stores the answer of an idempotent batch. Fails with a conflict if the key was used before.
    pub(super) fn keep_answer(&self, once: &Once) -> Answer<()> {
        let sql = "INSERT OR IGNORE INTO answered (principal, world, tool, key, answer, at)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let author = self.author;
        let kept = self.db.prepare_cached(sql)?.execute(params![
            author.principal,
            author.world,
            once.scope,
            once.key,
            once.answer,
            author.at
        ])?;
        if kept == 0 {
            return Err(StoreError::Conflict(format!("the key {:?}", once.key)).into());
        }
        Ok(())
    }
}

fn owner(visibility: Visibility) -> Option<i64> {
    match visibility {
        Visibility::Private(principal) => Some(principal.0),
        Visibility::Members | Visibility::Gm => None,
    }
}
