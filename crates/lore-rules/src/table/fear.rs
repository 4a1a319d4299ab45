//! The Game Master's Fear.
//!
//! Gaining Fear beyond its maximum is not an error, because a roll with Fear must be applicable at
//! any time; the excess is lost.

use super::change::{Change, Field, Value};
use super::error::{TableError, amount, within};
use super::note::Note;

/// The Game Master's Fear.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct GmFear(i64);

impl GmFear {
    /// The maximum amount of Fear.
    pub const MAX: i64 = 12;

    /// Validates an amount of Fear.
    pub fn new(value: i64) -> Result<Self, TableError> {
        within("gm_fear", value, 0, Self::MAX).map(Self)
    }

    /// The Fear a campaign starts with: one for each player character.
    pub fn starting(player_characters: usize) -> Self {
        Self(i64::try_from(player_characters).unwrap_or(Self::MAX).min(Self::MAX))
    }

    /// The Fear as a plain number.
    pub const fn value(self) -> i64 {
        self.0
    }

    /// Adds Fear, up to the maximum.
    pub fn gain(self, gained: i64) -> Result<FearStep, TableError> {
        let sum = self.0 + amount(gained)?;
        let notes = if sum > Self::MAX { vec![Note::FearFull] } else { Vec::new() };
        Ok(self.step(sum.min(Self::MAX), notes))
    }

    /// Removes Fear, if there is enough.
    pub fn spend(self, spent: i64) -> Result<FearStep, TableError> {
        let need = amount(spent)?;
        if need > self.0 {
            return Err(TableError::NotEnoughFear { have: self.0, need });
        }
        Ok(self.step(self.0 - need, Vec::new()))
    }

    fn step(self, after: i64, notes: Vec<Note>) -> FearStep {
        let change = Change {
            field: Field::GmFear,
            before: Value::Number(self.0),
            after: Value::Number(after),
        };
        let changes = if after == self.0 { Vec::new() } else { vec![change] };
        FearStep { fear: Self(after), changes, notes }
    }
}

/// The result of a rule for the Game Master's Fear.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FearStep {
    /// The new Fear.
    pub fear: GmFear,
    /// The change, if the Fear changed.
    pub changes: Vec<Change>,
    /// Notes to the people at the table.
    pub notes: Vec<Note>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fear(value: i64) -> GmFear {
        GmFear::new(value).unwrap()
    }

    #[test]
    fn fear_stays_at_its_maximum() {
        let full = fear(12).gain(1).unwrap();
        assert_eq!(
            (full.fear.value(), full.changes, full.notes),
            (12, vec![], vec![Note::FearFull])
        );
        let nearly = fear(11).gain(4).unwrap();
        assert_eq!((nearly.fear.value(), nearly.changes.len()), (12, 1));
        assert_eq!(fear(3).gain(2).unwrap().notes, []);
    }

    #[test]
    fn only_fear_that_is_there_can_be_spent() {
        assert_eq!(fear(3).spend(3).unwrap().fear.value(), 0);
        let refused = TableError::NotEnoughFear { have: 3, need: 4 };
        assert_eq!(fear(3).spend(4), Err(refused));
        for bad in [-1, 1_001, i64::MAX, i64::MIN] {
            assert!(fear(3).spend(bad).is_err() && fear(3).gain(bad).is_err());
        }
        assert!(GmFear::new(13).is_err() && GmFear::new(-1).is_err());
    }

    #[test]
    fn a_campaign_starts_with_one_fear_for_each_player_character() {
        let starting = [0, 4, 12, 13, usize::MAX].map(|count| GmFear::starting(count).value());
        assert_eq!(starting, [0, 4, 12, 12, 12]);
    }
}
