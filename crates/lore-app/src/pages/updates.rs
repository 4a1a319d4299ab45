//! What became of pages since somebody last looked.

use lore_core::{Result, Timestamp};
use lore_store::NodeKey;

use super::scribe::Scribe;

/// What became of some pages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Updates {
    /// Those that changed since.
    pub modified: Vec<i64>,
    /// Those that are there no more.
    pub deleted: Vec<i64>,
    /// When this was looked up.
    pub at: Timestamp,
}

/// Says which of these pages changed after `since`, and which are gone.
pub async fn check(scribe: &Scribe, numbers: &[i64], since: Timestamp) -> Result<Updates> {
    let at = scribe.app.effects.now();
    let (mut modified, mut deleted) = (Vec::new(), Vec::new());
    for number in numbers {
        let found = scribe.app.store.node(&scribe.viewer, NodeKey::Number(*number)).await?;
        match found.filter(|node| scribe.kind_of(node).is_some()) {
            Some(node) if node.updated.at > since => modified.push(*number),
            Some(_) => {}
            None => deleted.push(*number),
        }
    }
    Ok(Updates { modified, deleted, at })
}
