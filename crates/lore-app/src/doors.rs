//! How one door (toolset) shows nodes that belong to another, and which tool changes them.
//!
//! Every named node can be found through every door. A door that has no kind of its own for a node
//! shows it, read-only, as the nearest kind it has. It can be changed only by the tools of its own
//! door.

use std::borrow::Cow;

use lore_anvil::Writes;
use lore_core::{Error, Node, Text};

use crate::memory::kinds::{EXPERIENCE, IDEA, PROJECT, PROMOTED};
use crate::pages::{ENTRY, PageKind};
use crate::{federation, play};

/// Kinds of internal bookkeeping nodes, which no door shows or finds.
pub(crate) const INNER: [&str; 8] = [
    "federation",
    "federation_record",
    "kanka_campaign",
    // A promoted experience: search finds the experience it was made from instead.
    PROMOTED,
    "tag",
    "web_preview",
    "world_anvil_copy",
    "world_anvil_user",
];

/// The maximum number of characters shown of a text that belongs to another door.
const TOLD_MAX: usize = 20_000;

/// The kind of page that a node of this non-page kind is shown as; `None` for internal kinds.
pub(crate) fn nearest_page(kind: &str) -> Option<PageKind> {
    match kind {
        play::SESSION => Some(PageKind::Journal),
        kind if INNER.contains(&kind) => None,
        _ => Some(PageKind::Note),
    }
}

/// Names what may change a node that is not a page: a tool, or the KOI-net node it came from.
pub(crate) fn changed_by(node: &Node) -> Cow<'static, str> {
    match federation::teller(node) {
        Some(teller) => format!("the node {teller}").into(),
        None => changed_with(node.kind.as_str()).into(),
    }
}

/// The tool that changes nodes of a non-page kind.
fn changed_with(kind: &str) -> &'static str {
    match kind {
        play::CAMPAIGN => "campaign_update",
        play::PARTICIPANT => "participant_update",
        play::SESSION => "session_note_add",
        EXPERIENCE => "kn_experience",
        IDEA => "kn_idea",
        PROJECT => "kn_project",
        "tag" => "update_entities",
        "vault_note" => "vault_write_note",
        "web_page" | "outside_document" => "ingest_url",
        "source_file" | "repository" => "github_scan",
        "notebook_note" => "update_notebook_note",
        kind => written_with(kind).unwrap_or("kn_graph"),
    }
}

/// The atlas tool that updates resources of a kind, if there is one.
fn written_with(kind: &str) -> Option<&'static str> {
    match lore_anvil::Kind::at(kind)?.row().writes {
        Writes::Tools { names: [_, update, _], .. } => Some(update),
        Writes::None => None,
    }
}

/// The error for changing a node through a door that only shows it.
pub(crate) fn kept_elsewhere(node: &Node) -> Error {
    if let Some(teller) = federation::teller(node) {
        let message = format!("{:?} was told by {teller} and is only shown here", node.name);
        let hint = "only that node changes it; what you know of it goes on a page of its own";
        return Error::Precondition { message, hint: hint.into() };
    }
    let kind = node.kind.as_str();
    let hint = match changed_with(kind) {
        // Memories are superseded, never rewritten.
        "kn_graph" | "kn_experience" => "supersede it with kn_intel learn, or remove it with \
                                         kn_graph and add it again"
            .to_owned(),
        tool => format!("change it with {tool}"),
    };
    let article = if kind.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
    let kind = kind.replace('_', " ");
    let message = format!("{:?} is {article} {kind} and only shown here", node.name);
    Error::Precondition { message, hint }
}

/// Joins the texts of another door's node into one, cut at [`TOLD_MAX`] characters.
pub(crate) fn told(texts: Vec<Text>) -> Option<Text> {
    let bodies = texts.iter().map(|text| text.body.trim()).filter(|body| !body.is_empty());
    let body: String = bodies.collect::<Vec<_>>().join("\n\n");
    let body = match body.char_indices().nth(TOLD_MAX) {
        Some((end, _)) => format!("{}…", body.get(..end).unwrap_or_default()),
        None => body,
    };
    let kind = play::word(ENTRY).ok()?;
    texts.into_iter().next().map(|first| Text { kind, body, ..first })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_that_is_no_page_names_who_changes_it() {
        for (kind, tool) in [
            ("campaign", "campaign_update"),
            ("concept", "kn_graph"),
            ("learned_gotcha", "kn_graph"),
            ("timeline", "update_timeline"),
            ("article", "update_article"),
            ("map", "kn_graph"),
        ] {
            assert_eq!(changed_with(kind), tool, "{kind}");
        }
    }

    #[test]
    fn what_keeps_order_is_shown_as_nothing() {
        for kind in INNER {
            assert_eq!(nearest_page(kind), None, "{kind}");
        }
        assert_eq!(nearest_page("session"), Some(PageKind::Journal));
        assert_eq!(nearest_page("concept"), Some(PageKind::Note));
    }
}
