//! The list of fields that a step changed.
//!
//! A list is computed by comparing two states, and replaying it leads from one to the other. It
//! must contain every field that differs, and no other.

use super::condition::Condition;
use super::error::TableError;
use super::state::{Life, State};

/// One field that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The field that changed.
    pub field: Field,
    /// The value before.
    pub before: Value,
    /// The value after.
    pub after: Value,
}

/// A field that can change.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Field {
    /// The Hope of the character.
    Hope,
    /// The marked Stress.
    Stress,
    /// The Hit Points left.
    Hp,
    /// The marked Armor Slots.
    ArmorMarked,
    /// The number of Hope slots lost for good.
    Scars,
    /// Whether the character still takes part.
    Life,
    /// Whether the character is Vulnerable because the last Stress slot is marked.
    VulnerableFromStress,
    /// Whether the character has this condition, not counting Vulnerable from Stress.
    Condition(Condition),
    /// The Fear of the Game Master.
    GmFear,
}

impl Field {
    /// The name of the field, for records. All conditions share one name.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Hope => "hope",
            Self::Stress => "stress",
            Self::Hp => "hp",
            Self::ArmorMarked => "armor_marked",
            Self::Scars => "scars",
            Self::Life => "life",
            Self::VulnerableFromStress => "vulnerable_from_stress",
            Self::Condition(_) => "condition",
            Self::GmFear => "gm_fear",
        }
    }
}

/// The value of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// A number.
    Number(i64),
    /// Yes or no.
    Flag(bool),
    /// Whether the character still takes part in play.
    Life(Life),
}

impl State {
    /// Replays recorded changes.
    ///
    /// Each change must start from the value that the state has at that point. Changes of the Game
    /// Master's Fear belong to no character and are skipped.
    pub fn replay(&self, changes: &[Change]) -> Result<Self, TableError> {
        let mut state = self.clone();
        for change in changes.iter().filter(|change| change.field != Field::GmFear) {
            let wrong = TableError::NotFromHere { field: change.field.as_str() };
            if state.value_of(&change.field) != Some(change.before) {
                return Err(wrong);
            }
            state.set(&change.field, change.after).ok_or(wrong)?;
        }
        Ok(state)
    }

    fn value_of(&self, field: &Field) -> Option<Value> {
        Some(match field {
            Field::Hope => Value::Number(self.hope),
            Field::Stress => Value::Number(self.stress),
            Field::Hp => Value::Number(self.hp),
            Field::ArmorMarked => Value::Number(self.armor_marked),
            Field::Scars => Value::Number(self.scars),
            Field::Life => Value::Life(self.life),
            Field::VulnerableFromStress => Value::Flag(self.vulnerable_from_stress),
            Field::Condition(condition) => Value::Flag(self.conditions.contains(condition)),
            Field::GmFear => return None,
        })
    }

    fn set(&mut self, field: &Field, value: Value) -> Option<()> {
        match (field, value) {
            (Field::Hope, Value::Number(number)) => self.hope = number,
            (Field::Stress, Value::Number(number)) => self.stress = number,
            (Field::Hp, Value::Number(number)) => self.hp = number,
            (Field::ArmorMarked, Value::Number(number)) => self.armor_marked = number,
            (Field::Scars, Value::Number(number)) => self.scars = number,
            (Field::Life, Value::Life(life)) => self.life = life,
            (Field::VulnerableFromStress, Value::Flag(flag)) => self.vulnerable_from_stress = flag,
            (Field::Condition(condition), Value::Flag(true)) => {
                self.conditions.insert(condition.clone());
            }
            (Field::Condition(condition), Value::Flag(false)) => {
                self.conditions.remove(condition);
            }
            _ => return None,
        }
        Some(())
    }
}

/// Returns the changes from one state to another.
pub(super) fn between(before: &State, after: &State) -> Vec<Change> {
    let plain = [
        Field::Hope,
        Field::Stress,
        Field::Hp,
        Field::ArmorMarked,
        Field::Scars,
        Field::Life,
        Field::VulnerableFromStress,
    ];
    let conditions = before.conditions.symmetric_difference(&after.conditions);
    let fields = plain.into_iter().chain(conditions.cloned().map(Field::Condition));
    fields.filter_map(|field| difference(field, before, after)).collect()
}

fn difference(field: Field, before: &State, after: &State) -> Option<Change> {
    let (before, after) = (before.value_of(&field)?, after.value_of(&field)?);
    (before != after).then_some(Change { field, before, after })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states() -> (State, State) {
        let before = State { hope: 2, hp: 6, ..State::default() };
        let mut after = State { hp: 0, stress: 6, scars: 1, armor_marked: 2, ..before.clone() };
        after.life = Life::Unconscious;
        after.vulnerable_from_stress = true;
        after.conditions.insert(Condition::Hidden);
        (before, after)
    }

    #[test]
    fn changes_lead_from_one_state_to_the_other_and_back() {
        let (before, after) = states();
        for (from, to) in [(&before, &after), (&after, &before), (&after, &after)] {
            assert_eq!(from.replay(&between(from, to)).as_ref(), Ok(to));
        }
        assert_eq!(between(&after, &after), []);
    }

    #[test]
    fn only_what_differs_is_listed() {
        let (before, after) = states();
        let names: Vec<&str> =
            between(&before, &after).iter().map(|change| change.field.as_str()).collect();
        assert_eq!(
            names,
            [
                "stress",
                "hp",
                "armor_marked",
                "scars",
                "life",
                "vulnerable_from_stress",
                "condition"
            ]
        );
    }

    #[test]
    fn changes_from_another_state_are_refused() {
        let (before, after) = states();
        let changes = between(&before, &after);
        let wrong = TableError::NotFromHere { field: "stress" };
        assert_eq!(after.replay(&changes), Err(wrong.clone()));
        let odd =
            Change { field: Field::Stress, before: Value::Number(0), after: Value::Flag(true) };
        assert_eq!(before.replay(&[odd]), Err(wrong));
        let fear =
            Change { field: Field::GmFear, before: Value::Number(0), after: Value::Number(1) };
        assert_eq!(before.replay(&[fear]), Ok(before));
    }
}
