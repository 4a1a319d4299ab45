//! Finds entities whose names mean the same but are spelled differently: car, automobile.
//!
//! Opposites are close in meaning too, so these entities are only offered as candidates and never
//! taken as a match.

use lore_core::Result;
use lore_text::table::likeness;

use super::resolve::{Possible, profiles};
use crate::knowledge::entities::EntityType;
use crate::knowledge::librarian::Librarian;
use crate::knowledge::search::{Whose, find_entities};

/// Confidence of a perfect match in meaning. Below 0.5, so that it is never taken as certain.
const MOST: f64 = 0.49;

/// Returns entities with names of similar meaning, nearest first.
pub(super) async fn alike(
    librarian: &Librarian,
    label: &str,
    wanted: Option<EntityType>,
    limit: usize,
) -> Result<Vec<Possible>> {
    let profiles = profiles(librarian).await?;
    let near = |entity_type: EntityType, names: &mut dyn Iterator<Item = &String>| {
        let (_, profile) = profiles.iter().find(|(known, _)| *known == entity_type)?;
        let best = names.map(|name| f64::from(likeness(label, name))).max_by(f64::total_cmp)?;
        (best >= profile.meaning_at).then_some(best)
    };
    let mut found = Vec::new();
    for hit in find_entities(librarian, label, wanted, Whose::Ours, limit).await? {
        let node = &hit.entity.node;
        let names = &mut std::iter::once(&node.name).chain(&node.aliases);
        found.extend(near(hit.entity.entity_type, names).map(|likeness| Possible {
            confidence: MOST * likeness,
            tier: "semantic",
            reason: "another name that means something similar".into(),
            entity: hit.entity.clone(),
        }));
    }
    found.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    Ok(found)
}
