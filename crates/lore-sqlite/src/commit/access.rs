//! Counting how often nodes are asked for.

use lore_store::{Applied, NodeRef, StoreError};
use rusqlite::params;

use super::Hand;
use crate::fault::{Answer, Fault};
use crate::sight::Presence;

impl Hand<'_> {
    /// Counts one access of each node that the viewer sees.
    pub(super) fn count_access(&mut self, nodes: &[NodeRef]) -> Answer<Applied> {
        let sql = "INSERT INTO access (node, count, last_at) VALUES (?1, 1, ?2)
                   ON CONFLICT (node) DO UPDATE SET count = count + 1,
                     last_at = max(last_at, excluded.last_at)";
        let mut counted = 0;
        for node in nodes {
            let found = match self.node(*node, Presence::Live) {
                Err(Fault::Refused(StoreError::NotFound(_))) => continue,
                found => found?,
            };
            self.db.prepare_cached(sql)?.execute(params![found.id, self.author.at])?;
            counted += 1;
        }
        Ok(Applied::Access { nodes: counted })
    }
}
