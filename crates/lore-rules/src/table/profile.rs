//! The profile of a character: the numbers that play does not change.
//!
//! Every existing [`Profile`] is within all ranges. This module must never correct a number that
//! somebody chose; it rejects it and names it.

use std::collections::BTreeMap;

use thiserror::Error;

/// The six traits of the game.
pub const TRAITS: [&str; 6] =
    ["agility", "strength", "finesse", "instinct", "presence", "knowledge"];

/// The numbers of a character that play does not change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile(ProfileFields);

impl Profile {
    /// The smallest trait modifier.
    pub const TRAIT_MIN: i64 = -2;
    /// The largest trait modifier.
    pub const TRAIT_MAX: i64 = 4;
    /// The maximum number of traits.
    pub const MAX_TRAITS: usize = 30;
    /// The maximum length of a trait's name, in characters.
    pub const MAX_TRAIT_NAME: usize = 40;

    /// Validates every number and name. Names are trimmed.
    pub fn new(mut fields: ProfileFields) -> Result<Self, ProfileError> {
        fields.check_numbers()?;
        fields.traits = checked_traits(fields.traits)?;
        Ok(Self(fields))
    }

    /// All numbers, for reading or as the basis of a change.
    pub fn fields(&self) -> &ProfileFields {
        &self.0
    }

    /// The level.
    pub const fn level(&self) -> Level {
        Level(self.0.level)
    }

    /// The number of Hit Points.
    pub const fn hp_max(&self) -> i64 {
        self.0.hp_max
    }

    /// The number of Stress slots.
    pub const fn stress_max(&self) -> i64 {
        self.0.stress_max
    }

    /// The number of Armor Slots.
    pub const fn armor_score(&self) -> i64 {
        self.0.armor_score
    }
}

/// The numbers of a profile before validation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileFields {
    /// The level, 1 to 10.
    pub level: i64,
    /// The trait modifiers by name, each -2 to 4. Names are free.
    pub traits: BTreeMap<String, i64>,
    /// The number of Hit Points, 1 to 100.
    pub hp_max: i64,
    /// The number of Stress slots, 0 to 100.
    pub stress_max: i64,
    /// The number that attacks have to reach, 0 to 100.
    pub evasion: i64,
    /// The damage that marks two Hit Points, 0 to 1000.
    pub major_threshold: i64,
    /// The damage that marks three Hit Points, from the major threshold to 1000.
    pub severe_threshold: i64,
    /// The number of Armor Slots, 0 to 12.
    pub armor_score: i64,
    /// The number of weapon dice, 0 to 6.
    pub proficiency: i64,
}

impl ProfileFields {
    /// The maximum number of Hit Points and of Stress slots. The game sets no limit; this one is
    /// for safety.
    const SLOTS_MAX: i64 = 100;

    /// Returns the profile of a new character.
    pub fn starting(kind: CharacterKind) -> Self {
        let plain = Self {
            level: Level::MIN,
            traits: TRAITS.map(|name| (name.to_owned(), 0)).into(),
            hp_max: 6,
            stress_max: 6,
            evasion: 10,
            major_threshold: 8,
            severe_threshold: 12,
            armor_score: 0,
            proficiency: 1,
        };
        match kind {
            CharacterKind::Pc => plain,
            CharacterKind::Npc => Self {
                hp_max: 3,
                stress_max: 3,
                evasion: 8,
                major_threshold: 6,
                severe_threshold: 10,
                proficiency: 0,
                ..plain
            },
        }
    }

    fn check_numbers(&self) -> Result<(), ProfileError> {
        let ranges = [
            ("level", self.level, Level::MIN, Level::MAX),
            ("hp_max", self.hp_max, 1, Self::SLOTS_MAX),
            ("stress_max", self.stress_max, 0, Self::SLOTS_MAX),
            ("evasion", self.evasion, 0, 100),
            ("major_threshold", self.major_threshold, 0, 1_000),
            ("severe_threshold", self.severe_threshold, self.major_threshold, 1_000),
            ("armor_score", self.armor_score, 0, 12),
            ("proficiency", self.proficiency, 0, 6),
        ];
        let wrong = ranges.into_iter().find(|(_, value, min, max)| !(min..=max).contains(&value));
        match wrong {
            Some((field, value, min, max)) => {
                Err(ProfileError::OutOfRange { field, value, min, max })
            }
            None => Ok(()),
        }
    }
}

/// Whether a character is a player's, which decides the numbers it starts with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CharacterKind {
    /// A player character.
    Pc,
    /// A non-player character.
    Npc,
}

/// The level of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Level(i64);

impl Level {
    /// The lowest level.
    pub const MIN: i64 = 1;
    /// The highest level.
    pub const MAX: i64 = 10;

    /// Validates a level.
    pub fn new(value: i64) -> Result<Self, ProfileError> {
        let (min, max) = (Self::MIN, Self::MAX);
        if (min..=max).contains(&value) {
            return Ok(Self(value));
        }
        Err(ProfileError::OutOfRange { field: "level", value, min, max })
    }

    /// The level as a plain number.
    pub const fn value(self) -> i64 {
        self.0
    }

    /// The tier of the level, 1 to 4.
    pub const fn tier(self) -> i64 {
        match self.0 {
            ..=1 => 1,
            2..=4 => 2,
            5..=7 => 3,
            8.. => 4,
        }
    }
}

/// Why a profile was rejected.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// A number is out of range.
    #[error("{field} is {min} to {max}, not {value}")]
    OutOfRange {
        /// The field of the profile.
        field: &'static str,
        /// The rejected number.
        value: i64,
        /// The smallest number.
        min: i64,
        /// The largest number.
        max: i64,
    },
    /// A trait modifier is out of range.
    #[error("the trait {name:?} is {min} to {max}, not {value}")]
    TraitOutOfRange {
        /// The name of the trait.
        name: String,
        /// The rejected modifier.
        value: i64,
        /// The smallest modifier.
        min: i64,
        /// The largest modifier.
        max: i64,
    },
    /// The name of a trait is empty or too long.
    #[error("a trait has a name of 1 to {max} characters")]
    BadTraitName {
        /// The maximum length in characters.
        max: usize,
    },
    /// Two traits have the same name, ignoring case.
    #[error("the trait {name:?} is given twice")]
    TraitTwice {
        /// The name they share.
        name: String,
    },
    /// There are too many traits.
    #[error("a profile has at most {max} traits, not {given}")]
    TooManyTraits {
        /// The number of traits given.
        given: usize,
        /// The maximum number of traits.
        max: usize,
    },
}

fn checked_traits(traits: BTreeMap<String, i64>) -> Result<BTreeMap<String, i64>, ProfileError> {
    if traits.len() > Profile::MAX_TRAITS {
        return Err(ProfileError::TooManyTraits { given: traits.len(), max: Profile::MAX_TRAITS });
    }
    let mut checked = BTreeMap::new();
    for (name, value) in traits {
        let name = checked_name(&name)?;
        let (min, max) = (Profile::TRAIT_MIN, Profile::TRAIT_MAX);
        if !(min..=max).contains(&value) {
            return Err(ProfileError::TraitOutOfRange { name, value, min, max });
        }
        let lower = name.to_lowercase();
        if checked.keys().any(|known: &String| known.to_lowercase() == lower) {
            return Err(ProfileError::TraitTwice { name });
        }
        checked.insert(name, value);
    }
    Ok(checked)
}

fn checked_name(name: &str) -> Result<String, ProfileError> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > Profile::MAX_TRAIT_NAME {
        return Err(ProfileError::BadTraitName { max: Profile::MAX_TRAIT_NAME });
    }
    Ok(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields() -> ProfileFields {
        ProfileFields::starting(CharacterKind::Pc)
    }

    fn with_traits(traits: &[(&str, i64)]) -> Result<Profile, ProfileError> {
        let traits = traits.iter().map(|(name, value)| ((*name).to_owned(), *value)).collect();
        Profile::new(ProfileFields { traits, ..fields() })
    }

    #[test]
    fn new_characters_are_within_every_range() {
        let pc = Profile::new(fields()).unwrap();
        assert_eq!(pc.fields().traits.len(), 6);
        assert_eq!((pc.hp_max(), pc.stress_max(), pc.fields().evasion), (6, 6, 10));
        assert_eq!((pc.fields().major_threshold, pc.fields().severe_threshold), (8, 12));
        let npc = Profile::new(ProfileFields::starting(CharacterKind::Npc)).unwrap();
        assert_eq!((npc.hp_max(), npc.stress_max(), npc.fields().evasion), (3, 3, 8));
        assert_eq!((npc.fields().major_threshold, npc.fields().severe_threshold), (6, 10));
    }

    #[test]
    fn the_bad_number_is_named() {
        type Spoil = fn(&mut ProfileFields);
        let cases: [(&str, Spoil, i64); 10] = [
            ("level", |fields| fields.level = 11, 11),
            ("level", |fields| fields.level = 0, 0),
            ("hp_max", |fields| fields.hp_max = 0, 0),
            ("stress_max", |fields| fields.stress_max = 101, 101),
            ("evasion", |fields| fields.evasion = -1, -1),
            ("major_threshold", |fields| fields.major_threshold = -1, -1),
            ("severe_threshold", |fields| fields.severe_threshold = 7, 7),
            ("armor_score", |fields| fields.armor_score = 13, 13),
            ("proficiency", |fields| fields.proficiency = 7, 7),
            ("hp_max", |fields| fields.hp_max = i64::MAX, i64::MAX),
        ];
        for (name, spoil, number) in cases {
            let mut spoiled = fields();
            spoil(&mut spoiled);
            match Profile::new(spoiled) {
                Err(ProfileError::OutOfRange { field, value, .. }) => {
                    assert_eq!((field, value), (name, number));
                }
                other => panic!("{name}: {other:?}"),
            }
        }
    }

    #[test]
    fn trait_names_are_free_but_not_blank() {
        let profile = with_traits(&[(" bravery ", 2), ("Été", -2)]).unwrap();
        assert_eq!(profile.fields().traits.get("bravery"), Some(&2));
        let blank = ProfileError::BadTraitName { max: 40 };
        assert_eq!(with_traits(&[("  ", 0)]), Err(blank.clone()));
        assert_eq!(with_traits(&[(&"é".repeat(41), 0)]), Err(blank));
        assert!(with_traits(&[(&"é".repeat(40), 0)]).is_ok());
        let twice = ProfileError::TraitTwice { name: "a".to_owned() };
        assert_eq!(with_traits(&[(" a", 0), ("a", 0)]), Err(twice.clone()));
        assert_eq!(with_traits(&[("A", 0), ("a", 0)]), Err(twice));
    }

    #[test]
    fn traits_have_limits() {
        for value in [-3, 5] {
            let error = with_traits(&[("agility", value)]).unwrap_err();
            assert_eq!(error.to_string(), format!("the trait \"agility\" is -2 to 4, not {value}"));
        }
        let many: Vec<String> = (0..31).map(|number| number.to_string()).collect();
        let many: Vec<(&str, i64)> = many.iter().map(|name| (name.as_str(), 0)).collect();
        assert!(with_traits(&many[..30]).is_ok());
        assert_eq!(with_traits(&many), Err(ProfileError::TooManyTraits { given: 31, max: 30 }));
    }

    #[test]
    fn tiers_follow_levels() {
        let tiers = (1..=10).map(|level| Level::new(level).unwrap().tier());
        assert_eq!(tiers.collect::<Vec<_>>(), [1, 2, 2, 2, 3, 3, 3, 4, 4, 4]);
        assert!(Level::new(0).is_err() && Level::new(11).is_err());
    }
}
