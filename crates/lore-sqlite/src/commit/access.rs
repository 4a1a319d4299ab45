//! Counting how often nodes are read.

use lore_core::NodeId;
use lore_store::Applied;

use super::Hand;
use crate::fault::Answer;
use crate::rows;
use crate::sight::{self, Presence, Sight};

impl Hand<'_> {
    /// Counts one access of each node that the viewer sees. Uses one statement for all of them,
    /// because every answer to a client is counted.
    pub(super) fn count_access(&mut self, nodes: &[NodeId]) -> Answer<Applied> {
        let (sight, at) = (Sight::of(self.viewer), self.author.at);
        let ids = rows::list(nodes.iter().map(|node| node.0));
        let mut statement = self.db.prepare_cached(&count_sql())?;
        let counted = statement.execute(sight.with(&[(":ids", &ids), (":at", &at)]).as_slice())?;
        Ok(Applied::Access { nodes: counted })
    }
}

fn count_sql() -> String {
    format!(
        "INSERT INTO access (node, count, last_at)
         SELECT n.id, 1, :at FROM node n WHERE n.id IN rarray(:ids) AND {}
         ON CONFLICT (node) DO UPDATE SET count = count + 1,
           last_at = max(last_at, excluded.last_at)",
        sight::known_node("n", Presence::Live)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::tests::plan_of;

    #[test]
    fn what_is_counted_is_found_by_its_key() {
        let plan = plan_of(&count_sql());
        assert!(plan.contains("SEARCH n USING INTEGER PRIMARY KEY"), "{plan}");
    }
}
