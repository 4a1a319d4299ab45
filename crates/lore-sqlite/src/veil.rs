//! What texts mention that a viewer does not see, shown to them as words.

use std::collections::{BTreeSet, HashSet};

use lore_core::Text;
use lore_markup::veil;
use rusqlite::Connection;

use crate::fault::Answer;
use crate::rows;
use crate::sight::{self, Presence, Sight};

/// Takes the numbers of what the viewer does not see out of texts to be shown. The game master's
/// side reads what was written.
pub(crate) fn draw(db: &Connection, sight: Sight, texts: &mut [Text]) -> Answer<()> {
    if sight.is_gm() {
        return Ok(());
    }
    let said = texts.iter().flat_map(|text| [&text.title, &text.body]);
    let numbers: BTreeSet<i64> = said.flat_map(|text| veil::numbers(text)).collect();
    if numbers.is_empty() {
        return Ok(());
    }
    let seen = seen(db, sight, numbers)?;
    let veiled = |text: &str| veil::veiled(text, |number| seen.contains(&number));
    for text in texts {
        text.title = veiled(&text.title);
        text.body = veiled(&text.body);
    }
    Ok(())
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
