//! What happens when a known entity is registered again: it gets further names and descriptions.
//! Those given to an entity that is currently merged into another are logged as that entity's.

use lore_core::{Result, Text};
use lore_store::{Batch, Change, Expect, NewText, NodePatch, NodeRef};
use serde_json::{Value, json};

use super::history::{self, ALIAS_ADDED, DESCRIBED, Entry, GIVEN, OF, REGISTERED};
use super::register::{ALIASES_MAX, Registration, fresh_names};
use super::vouching::{self, Giver};
use super::{Entity, Meant};
use crate::knowledge::librarian::Librarian;
use crate::knowledge::merge;
use crate::knowledge::merge::shares::{Share, Shares};
use crate::mentions::follow;
use crate::play::word;

/// Text kind of an entity's description.
const DESCRIPTION: &str = "description";
/// Text kind of a page's main text.
const ENTRY: &str = "entry";
/// Most descriptions of an entity.
const DESCRIPTIONS_MAX: usize = 50;
/// The reason logged for changes made by registering.
const WAS_REGISTERED: &str = "it was registered";

/// What became of a description of a known entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Said {
    /// There was none before, so it became the description.
    First,
    /// It was added beside the existing texts.
    Further,
    /// The same text was there already.
    Known,
    /// The entity has too many descriptions; it was not stored.
    TooMuch,
}

impl Said {
    /// Whether it was stored.
    pub(super) fn is_kept(self) -> bool {
        matches!(self, Self::First | Self::Further)
    }
}

/// Adds new names and a description to a known entity, unless a name would become visible to more
/// people than it should. An entity registered by somebody no longer depends on its note.
pub(super) async fn told(
    librarian: &Librarian,
    meant: &Meant,
    given: &Registration,
    aliases: &[String],
) -> Result<(Batch, Option<Said>)> {
    let Meant { entity, of } = meant;
    let mut batch = librarian.batch();
    let said = said(librarian, meant, given).await?;
    let shares = Shares::of(librarian, entity).await?;
    let share = of.as_ref().and_then(|of| Some((shares.meant(of)?.0, of)));
    let known = Known { librarian, entity, giver: given.giver(), aliases };
    batch.changes.extend(match share {
        Some((share, of)) => known.part_named(share, of),
        None => known.named(&shares),
    });
    if said.is_some_and(Said::is_kept)
        && let Some(mut text) = description(librarian, given, NodeRef::Id(entity.node.id))?
    {
        let texts = merge::texts_of(librarian, entity.node.id).await?;
        text.position = texts.iter().map(|text| text.position + 1).max().unwrap_or_default();
        let details = json!({ "text": text.uid.to_string(), (OF): of });
        let entry = Entry::of_one(DESCRIBED, WAS_REGISTERED, details);
        batch.changes.extend(share.map(|_| history::append(librarian, &entity.node, entry, None)));
        batch = batch.change(Change::CreateText(text));
        batch = follow(&librarian.app, &librarian.viewer, batch).await?.batch;
    }
    Ok((batch, said))
}

/// Decides what becomes of a description of a known entity; `None` if none is given. Only texts of
/// the entity that is meant count, not those of entities merged with it.
pub(super) async fn said(
    librarian: &Librarian,
    meant: &Meant,
    given: &Registration,
) -> Result<Option<Said>> {
    let Some(body) = body(given) else { return Ok(None) };
    let shares = Shares::of(librarian, &meant.entity).await?;
    let mut texts = merge::texts_of(librarian, meant.entity.node.id).await?;
    texts.retain(|text| shares.teller_of(text) == meant.of);
    let is = |text: &Text, kind: &str| text.kind.as_str() == kind;
    let said = texts.iter().filter(|text| is(text, DESCRIPTION)).count();
    Ok(Some(match said {
        _ if texts.iter().any(|text| text.body.trim() == body) => Said::Known,
        0 if !texts.iter().any(|text| is(text, ENTRY)) => Said::First,
        DESCRIPTIONS_MAX.. => Said::TooMuch,
        _ => Said::Further,
    }))
}

/// Returns the given description as a text for a node.
pub(super) fn description(
    librarian: &Librarian,
    given: &Registration,
    node: NodeRef,
) -> Result<Option<NewText>> {
    let Some(body) = body(given) else { return Ok(None) };
    let mut text = NewText::new(librarian.app.effects.uid(), node, word(DESCRIPTION)?, body);
    text.visibility = librarian.visibility();
    text.provenance.source.clone_from(&given.found_at);
    Ok(Some(text))
}

fn body(given: &Registration) -> Option<&str> {
    given.description.as_deref().map(str::trim).filter(|text| !text.is_empty())
}

/// A known entity that is registered with further names.
struct Known<'a> {
    librarian: &'a Librarian,
    entity: &'a Entity,
    giver: Giver<'a>,
    aliases: &'a [String],
}

impl Known<'_> {
    /// Gives the entity the names it does not have. Names that only entities merged with it had
    /// become its own too, which the log records.
    fn named(&self, shares: &Shares) -> Vec<Change> {
        let node = &self.entity.node;
        let noted = match self.giver {
            Giver::Anybody => self.giver.noted(node.properties.clone(), self.aliases),
            Giver::Note(_) => node.properties.clone(),
        };
        let properties = (noted != node.properties).then_some(noted);
        let patched = self.patched(NodePatch { properties, ..NodePatch::default() });
        if shares.merged.is_empty() || self.librarian.would_tell(node) {
            return patched.into_iter().collect();
        }
        let has = |alias: &&String| shares.has(alias, &node.name);
        let kept = self.kept();
        let fresh = self.aliases.iter().filter(|alias| !has(alias) && kept(alias));
        patched.into_iter().chain(fresh.map(|alias| self.told_name(alias, None))).collect()
    }

    /// Gives the names to an entity merged into this one, which the log records.
    fn part_named(&self, share: &Share, of: &str) -> Vec<Change> {
        if self.librarian.would_tell(&self.entity.node) {
            return Vec::new();
        }
        let for_good = self.giver == Giver::Anybody;
        let held = share.names_given();
        let has = |alias: &&String| {
            let is_held = held.iter().chain([&share.given.name]).any(|own| own == *alias);
            share.has(alias) && (!for_good || is_held)
        };
        let kept = self.kept();
        let fresh = self.aliases.iter().filter(|alias| !has(alias) && kept(alias));
        let names = fresh.map(|alias| self.told_name(alias, Some(of)));
        let introduced = share.node.as_ref().is_some_and(vouching::is_introduced);
        let known = share.told_of_itself().any(|event| event.kind == REGISTERED);
        let registered = (for_good && introduced && !known)
            .then(|| self.entry(REGISTERED, json!({ (OF): Value::from(of) })));
        self.patched(NodePatch::default()).into_iter().chain(names).chain(registered).collect()
    }

    /// Returns the log entry that adds a name to the entity, or to the merged entity `of`.
    fn told_name(&self, alias: &str, of: Option<&str>) -> Change {
        let mut details = json!({ "alias": alias, (GIVEN): self.giver == Giver::Anybody });
        if let (Some(details), Some(of)) = (details.as_object_mut(), of) {
            details.insert(OF.into(), json!(of));
        }
        self.entry(ALIAS_ADDED, details)
    }

    fn entry(&self, kind: &str, details: Value) -> Change {
        let entry = Entry::of_one(kind, WAS_REGISTERED, details);
        history::append(self.librarian, &self.entity.node, entry, None)
    }

    /// Returns the names that the node gets: those it does not have yet, as far as there is room.
    fn fresh(&self) -> Vec<String> {
        let node = &self.entity.node;
        let mut fresh = fresh_names(node, self.aliases.iter());
        fresh.truncate(ALIASES_MAX.saturating_sub(node.aliases.len()));
        fresh
    }

    /// Tells which of the names the node has afterwards.
    fn kept(&self) -> impl Fn(&String) -> bool {
        let unknown = fresh_names(&self.entity.node, self.aliases.iter());
        let fresh = self.fresh();
        move |alias| fresh.contains(alias) || !unknown.contains(alias)
    }

    /// Returns the change that adds the new names and applies a patch, unless nothing would change.
    fn patched(&self, patch: NodePatch) -> Option<Change> {
        let node = &self.entity.node;
        let fresh = self.fresh();
        let same = fresh.is_empty() && patch.properties.is_none();
        if same || self.librarian.would_tell(node) {
            return None;
        }
        let all = node.aliases.iter().cloned().chain(fresh).collect();
        let patch = NodePatch { aliases: Some(all), ..patch };
        Some(Change::UpdateNode(NodeRef::Id(node.id), Expect::Version(node.version), patch))
    }
}
