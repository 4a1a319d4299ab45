//! The veil: in everything that a viewer reads, mentions of pages they do not see become plain
//! words.

use std::collections::{BTreeSet, HashSet};

use lore_store::veil::{self, Says};
use rusqlite::Connection;

use crate::fault::Answer;
use crate::rows;
use crate::sight::{self, Presence, Sight};

/// Replaces mentions of nodes that the viewer does not see by plain words. The game master's side
/// reads the original.
pub(crate) fn draw(db: &Connection, sight: Sight, items: &mut [impl Says]) -> Answer<()> {
    if let Some(seen) = seen_of(db, sight, items)? {
        veil::draw(items, &|number| seen.contains(&number));
    }
    Ok(())
}

/// The same for a single optional item.
pub(crate) fn drawn<T: Says>(db: &Connection, sight: Sight, item: Option<T>) -> Answer<Option<T>> {
    let Some(item) = item else { return Ok(None) };
    let mut items = [item];
    draw(db, sight, &mut items)?;
    let [item] = items;
    Ok(Some(item))
}

/// Of the node numbers that the items mention, those that the viewer sees; `None` if they see all
/// of them.
pub(crate) fn seen_of(
    db: &Connection,
    sight: Sight,
    items: &mut [impl Says],
) -> Answer<Option<HashSet<i64>>> {
    if sight.is_gm() {
        return Ok(None);
    }
    let numbers = veil::mentioned(items);
    if numbers.is_empty() {
        return Ok(None);
    }
    let mentioned = numbers.len();
    let seen = seen(db, sight, numbers)?;
    Ok(Some(seen).filter(|seen| seen.len() < mentioned))
}

fn seen(db: &Connection, sight: Sight, numbers: BTreeSet<i64>) -> Answer<HashSet<i64>> {
    let numbers = rows::list(numbers);
    let mut statement = db.prepare_cached(&seen_sql())?;
    let found = statement.query(sight.with(&[(":numbers", &numbers)]).as_slice())?;
    Ok(rows::all(found, |row| Ok(row.get(0)?))?.into_iter().collect())
}

fn seen_sql() -> String {
    format!(
        "SELECT n.number FROM node n WHERE n.number IN rarray(:numbers) AND {}",
        sight::node("n", Presence::Any)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::tests::plan_of;

    #[test]
    fn what_is_mentioned_is_found_by_its_number() {
        let plan = plan_of(&seen_sql());
        assert!(plan.contains("SEARCH n USING") && plan.contains("number=?"), "{plan}");
    }
}
