//! Small indexes for tests: texts that stand alone, and conversations.

use std::sync::Arc;

use lore_core::names::Word;
use lore_core::{NodeId, PrincipalId, Role, TextId, Timestamp, Viewer, WorldId};
use lore_search::{Analysis, DocKey, Document, Entry, Hit, Index, Meta, Query};

/// A text that happened, or was only written, on a day.
pub(crate) enum When {
    Happened(&'static str),
    Written(&'static str),
}

pub(crate) fn entry(number: i64, body: &str, when: &When) -> Entry {
    let at = |day: &str| format!("{day}T09:00:00Z").parse::<Timestamp>().unwrap();
    let (occurred_at, created_at) = match when {
        When::Happened(day) => (Some(at(day)), Timestamp::UNIX_EPOCH),
        When::Written(day) => (None, at(day)),
    };
    let mut meta = Meta::new(Word::new("kind", "note").unwrap(), created_at);
    meta.occurred_at = occurred_at;
    let analysis = Analysis::of_text(&Document { body, occurred_at, ..Document::default() });
    let key = DocKey::text(NodeId(number), TextId(number));
    Entry { key, analysis: Arc::new(analysis), vector: None, meta }
}

pub(crate) fn ask(index: &Index, query: &Query) -> Vec<Hit> {
    let viewer = Viewer { principal: PrincipalId(1), world: WorldId(1), role: Role::Owner };
    index.search(&viewer, query).hits
}

pub(crate) fn ids(hits: &[Hit]) -> Vec<i64> {
    hits.iter().map(|hit| hit.key.node.0).collect()
}

/// A conversation of its own, in which these are said in turn.
pub(crate) fn talk(index: &mut Index, session: &str, first: i64, turns: &[(&str, &str)]) {
    for (number, (author, body)) in (first..).zip(turns) {
        let mut turn = entry(number, body, &When::Happened("2024-03-12"));
        turn.meta.session = Some(session.to_owned());
        turn.meta.position = number;
        turn.meta.author = Some((*author).to_owned());
        index.put(turn);
    }
}
