//! Sessions: conversations, logs and documents whose texts have an order.

use lore_core::TextId;
use rustc_hash::FxHashMap;

use crate::column::{Column, Slot};

/// A session's id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct SessionId(pub(crate) u32);

/// How many positions the words of a text reach within its session.
pub(crate) const REACH: usize = 3;

/// The sessions of a view and the order of their texts.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sessions {
    ids: FxHashMap<Box<str>, SessionId>,
    all: Vec<Session>,
    of: Column<Option<SessionId>>,
    places: Column<Place>,
    /// The number of sessions that have texts.
    live: usize,
    total_length: u64,
}

/// What iterating over the neighbours of a text needs, in one piece.
#[derive(Debug, Clone, Copy, Default)]
struct Place {
    before: Link,
    after: Link,
    /// How much neighbours count for this text, in fixed point.
    openness: u32,
    /// Whether it has an author or a time.
    is_told: bool,
}

/// An optional slot in four bytes: 0 for none, otherwise its number plus one.
#[derive(Debug, Clone, Copy, Default)]
struct Link(u32);

impl Link {
    fn to(slot: Option<Slot>) -> Self {
        Self(slot.map_or(0, |slot| slot.0 + 1))
    }

    fn slot(self) -> Option<Slot> {
        self.0.checked_sub(1).map(Slot)
    }
}

/// How much neighbours count for a text and for one of its neighbours.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Openness {
    pub(crate) own: u32,
    pub(crate) neighbours: u32,
}

#[derive(Debug, Clone, Default)]
struct Session {
    members: Vec<Member>,
    length: u64,
    /// How many members have an author or a time.
    told: usize,
}

/// A text of a session. Sorted by position, then by text id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Member {
    position: i64,
    text: TextId,
    slot: Slot,
}

impl Sessions {
    pub(crate) fn id(&self, name: &str) -> Option<SessionId> {
        self.ids.get(name).copied()
    }

    pub(crate) fn of(&self, slot: Slot) -> Option<SessionId> {
        self.of.get(slot)
    }

    /// The number of sessions with texts, and their mean length in stems.
    pub(crate) fn count_and_mean_length(&self) -> (usize, f32) {
        (self.live, self.total_length as f32 / self.live.max(1) as f32)
    }

    /// The length of a session in stems.
    pub(crate) fn length(&self, id: SessionId) -> u64 {
        self.all.get(id.0 as usize).map_or(0, |session| session.length)
    }

    /// One more than the highest session id.
    pub(crate) fn capacity(&self) -> usize {
        self.all.len()
    }

    /// Sets how much neighbours count for a text, in fixed point.
    pub(crate) fn set_openness(&mut self, slot: Slot, openness: u32) {
        self.places.set(slot, Place { openness, ..self.places.get(slot) });
    }

    /// Marks that a text has an author or a time.
    pub(crate) fn set_told(&mut self, slot: Slot) {
        let session = self.of.get(slot).and_then(|id| self.all.get_mut(id.0 as usize));
        if let Some(session) = session {
            session.told += 1;
            self.places.set(slot, Place { is_told: true, ..self.places.get(slot) });
        }
    }

    /// Whether a text is part of a conversation or log rather than of a document: at least half of
    /// the texts in its session have an author or a time. Not all of them, because stage directions
    /// have none.
    pub(crate) fn is_log(&self, slot: Slot) -> bool {
        let session = self.of.get(slot).and_then(|id| self.all.get(id.0 as usize));
        session.is_some_and(|session| session.told * 2 >= session.members.len())
    }

    pub(crate) fn add(&mut self, name: &str, position: i64, text: TextId, slot: Slot, length: u32) {
        let id = self.number(name);
        let Some(session) = self.all.get_mut(id.0 as usize) else { return };
        let member = Member { position, text, slot };
        let at = session.members.partition_point(|other| *other < member);
        session.members.insert(at, member);
        session.length += u64::from(length);
        self.total_length += u64::from(length);
        self.live += usize::from(session.members.len() == 1);
        let before = at.checked_sub(1).and_then(|at| session.members.get(at)).map(|m| m.slot);
        let after = session.members.get(at + 1).map(|member| member.slot);
        self.of.set(slot, Some(id));
        self.join(before, Some(slot));
        self.join(Some(slot), after);
    }

    pub(crate) fn remove(&mut self, slot: Slot, length: u32) {
        let Some(session) = self.of.get(slot).and_then(|id| self.all.get_mut(id.0 as usize)) else {
            return;
        };
        let place = self.places.get(slot);
        session.members.retain(|member| member.slot != slot);
        session.told -= usize::from(place.is_told);
        session.length -= u64::from(length);
        self.total_length -= u64::from(length);
        self.live -= usize::from(session.members.is_empty());
        self.join(place.before.slot(), place.after.slot());
        self.of.set(slot, None);
        self.places.set(slot, Place::default());
    }

    /// Calls `each` for every text within reach, with its distance (1 to [`REACH`]), its slot, and
    /// the openness of both texts. Always in the same order.
    pub(crate) fn neighbours(&self, slot: Slot, mut each: impl FnMut(usize, Slot, Openness)) {
        let own = self.places.get(slot);
        let (mut before, mut after) = (own.before, own.after);
        // Most texts stand alone.
        if before.slot().is_none() && after.slot().is_none() {
            return;
        }
        for distance in 1..=REACH {
            for (link, forward) in [(&mut before, false), (&mut after, true)] {
                let Some(neighbour) = link.slot() else { continue };
                let place = self.places.get(neighbour);
                let openness = Openness { own: own.openness, neighbours: place.openness };
                each(distance, neighbour, openness);
                *link = if forward { place.after } else { place.before };
            }
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        let members: usize = self.all.iter().map(|session| session.members.capacity()).sum();
        members * size_of::<Member>() + self.of.bytes() + self.places.bytes()
    }

    fn number(&mut self, name: &str) -> SessionId {
        if let Some(id) = self.id(name) {
            return id;
        }
        let id = SessionId(u32::try_from(self.all.len()).unwrap_or(u32::MAX));
        self.ids.insert(name.into(), id);
        self.all.push(Session::default());
        id
    }

    fn join(&mut self, before: Option<Slot>, after: Option<Slot>) {
        if let Some(slot) = before {
            self.places.set(slot, Place { after: Link::to(after), ..self.places.get(slot) });
        }
        if let Some(slot) = after {
            self.places.set(slot, Place { before: Link::to(before), ..self.places.get(slot) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around(sessions: &Sessions, slot: u32) -> Vec<(usize, u32)> {
        let mut found = Vec::new();
        sessions
            .neighbours(Slot(slot), |distance, neighbour, _| found.push((distance, neighbour.0)));
        found
    }

    #[test]
    fn texts_stand_in_order_of_place_and_then_of_age() {
        let mut sessions = Sessions::default();
        for (slot, position) in [(0, 5), (1, 1), (2, 5), (3, 9)] {
            sessions.add("s", position, TextId(i64::from(slot)), Slot(slot), 10);
        }
        assert_eq!(around(&sessions, 0), [(1, 1), (1, 2), (2, 3)]);
        sessions.remove(Slot(2), 10);
        assert_eq!(around(&sessions, 0), [(1, 1), (1, 3)]);
        assert_eq!(sessions.count_and_mean_length(), (1, 30.0));
    }

    #[test]
    fn a_session_that_is_mostly_told_is_a_log() {
        let mut sessions = Sessions::default();
        for slot in 0..4 {
            sessions.add("s", 0, TextId(i64::from(slot)), Slot(slot), 10);
        }
        sessions.set_told(Slot(0));
        assert!(!sessions.is_log(Slot(0)));
        sessions.set_told(Slot(2));
        assert!(sessions.is_log(Slot(3)));
        sessions.remove(Slot(2), 10);
        assert!(!sessions.is_log(Slot(3)));
        assert!(!sessions.is_log(Slot(9)));
    }

    #[test]
    fn sessions_do_not_touch() {
        let mut sessions = Sessions::default();
        sessions.add("a", 0, TextId(0), Slot(0), 1);
        sessions.add("b", 1, TextId(1), Slot(1), 1);
        assert!(around(&sessions, 0).is_empty());
    }
}
