//! Damage: from an amount to marked Hit Points.
//!
//! The order is fixed: resistance or immunity first, then the thresholds, then armor. Halves are
//! always rounded up, in favour of the attacker.

use super::error::{TableError, within};
use super::note::Note;
use super::profile::Profile;
use super::state::State;
use super::step::Step;

/// The maximum damage of one hit.
const MAX_DAMAGE: i64 = 1_000_000;

/// Applies damage to a character.
pub fn take_damage(
    profile: &Profile,
    state: &State,
    damage: Damage,
    defence: Defence,
    options: DamageOptions,
) -> Result<DamageStep, TableError> {
    let start = state.ready(profile)?;
    within("amount", damage.amount, 0, MAX_DAMAGE)?;
    let dealt = reduced_damage(damage, defence);
    let severity = severity(profile, dealt, options.massive);
    let mut notes = Vec::new();
    let mut next = start.clone();
    if options.armor == ArmorUse::MarkSlot {
        check_armor(profile, &start, damage)?;
        match severity {
            Severity::None => notes.push(Note::ArmorNotNeeded),
            _ => next.armor_marked += 1,
        }
    }
    let softened = next.armor_marked - start.armor_marked;
    next.mark_hp(severity.hit_points() - softened, &mut notes);
    let step = Step::settled(profile, state, next, notes);
    Ok(DamageStep { dealt, severity, hp_marked: start.hp - step.state.hp, step })
}

/// Returns the damage that is left after resistance or immunity.
///
/// Damage of both kinds is reduced only as far as the character is protected from both.
pub fn reduced_damage(damage: Damage, defence: Defence) -> i64 {
    let protection = match damage.kind {
        DamageKind::Physical => defence.physical,
        DamageKind::Magic => defence.magic,
        DamageKind::Both => defence.physical.min(defence.magic),
    };
    match protection {
        Protection::None => damage.amount,
        Protection::Resistant => damage.amount / 2 + damage.amount % 2,
        Protection::Immune => 0,
    }
}

/// Returns the severity of damage for a character, after resistance and before armor.
pub fn severity(profile: &Profile, dealt: i64, massive: MassiveDamage) -> Severity {
    let (major, severe) = (profile.fields().major_threshold, profile.fields().severe_threshold);
    match dealt {
        ..=0 => Severity::None,
        _ if massive == MassiveDamage::Counts && dealt >= 2 * severe => Severity::Massive,
        _ if dealt >= severe => Severity::Severe,
        _ if dealt >= major => Severity::Major,
        _ => Severity::Minor,
    }
}

/// The damage of one hit, or of several that land at the same time, added up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Damage {
    /// The amount that was rolled.
    pub amount: i64,
    /// The kind of damage.
    pub kind: DamageKind,
    /// Whether armor can reduce it.
    pub directness: Directness,
}

/// A kind of damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DamageKind {
    /// Physical damage.
    Physical,
    /// Magic damage.
    Magic,
    /// Both at once.
    Both,
}

/// Whether armor can reduce damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Directness {
    /// Armor can reduce it.
    Normal,
    /// Armor cannot reduce it.
    Direct,
}

/// The protection of a character against each kind of damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Defence {
    /// Against physical damage.
    pub physical: Protection,
    /// Against magic damage.
    pub magic: Protection,
}

/// A level of protection, from the least to the most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Protection {
    /// None.
    #[default]
    None,
    /// Damage is halved, rounded up.
    Resistant,
    /// There is no damage at all.
    Immune,
}

/// The options for taking a hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DamageOptions {
    /// Whether armor is used.
    pub armor: ArmorUse,
    /// Whether the table uses the rule for massive damage.
    pub massive: MassiveDamage,
}

/// Whether armor is used against a hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum ArmorUse {
    /// No Armor Slot is marked.
    #[default]
    Spare,
    /// One Armor Slot is marked, so that one Hit Point less is marked.
    MarkSlot,
}

/// Whether the table uses the rule for massive damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum MassiveDamage {
    /// Not used: severe damage is the worst.
    #[default]
    Off,
    /// Used: damage of twice the severe threshold marks four Hit Points.
    Counts,
}

/// The severity of damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// No damage is left.
    None,
    /// Below the major threshold.
    Minor,
    /// At least the major threshold.
    Major,
    /// At least the severe threshold.
    Severe,
    /// At least twice the severe threshold.
    Massive,
}

impl Severity {
    /// The number of Hit Points it marks.
    pub const fn hit_points(self) -> i64 {
        match self {
            Self::None => 0,
            Self::Minor => 1,
            Self::Major => 2,
            Self::Severe => 3,
            Self::Massive => 4,
        }
    }
}

/// The result of a hit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DamageStep {
    /// The damage left after resistance or immunity.
    pub dealt: i64,
    /// The severity of that damage, before armor.
    pub severity: Severity,
    /// The number of Hit Points marked; at most as many as were left.
    pub hp_marked: i64,
    /// The new state. [`Step::death_move_due`] says whether the last Hit Point was marked.
    pub step: Step,
}

fn check_armor(profile: &Profile, state: &State, damage: Damage) -> Result<(), TableError> {
    if damage.directness == Directness::Direct {
        return Err(TableError::DirectDamage);
    }
    if state.armor_marked >= profile.armor_score() {
        return Err(TableError::NoArmorSlot);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{CharacterKind, ProfileFields};

    /// Thresholds 8 and 12, two Armor Slots.
    fn profile() -> Profile {
        let fields = ProfileFields::starting(CharacterKind::Pc);
        Profile::new(ProfileFields { armor_score: 2, ..fields }).unwrap()
    }

    const fn hit(amount: i64, kind: DamageKind) -> Damage {
        Damage { amount, kind, directness: Directness::Normal }
    }

    fn taken(hp: i64, amount: i64, options: DamageOptions) -> Result<DamageStep, TableError> {
        let state = State { hp, armor_marked: 1, ..State::default() };
        let damage = hit(amount, DamageKind::Physical);
        take_damage(&profile(), &state, damage, Defence::default(), options)
    }

    const ARMORED: DamageOptions =
        DamageOptions { armor: ArmorUse::MarkSlot, massive: MassiveDamage::Off };

    #[test]
    fn thresholds_decide_how_many_hit_points_are_marked() {
        let massive = DamageOptions { massive: MassiveDamage::Counts, ..DamageOptions::default() };
        for (amount, plain, with_massive) in [
            (0, 0, 0),
            (1, 1, 1),
            (7, 1, 1),
            (8, 2, 2),
            (11, 2, 2),
            (12, 3, 3),
            (23, 3, 3),
            (24, 3, 4),
        ] {
            assert_eq!(taken(6, amount, DamageOptions::default()).unwrap().hp_marked, plain);
            assert_eq!(taken(6, amount, massive).unwrap().hp_marked, with_massive, "{amount}");
        }
    }

    #[test]
    fn resistance_rounds_up_and_comes_before_thresholds() {
        let resistant = Defence { physical: Protection::Resistant, magic: Protection::None };
        for (amount, dealt) in [(0, 0), (1, 1), (2, 1), (7, 4), (15, 8), (16, 8)] {
            assert_eq!(reduced_damage(hit(amount, DamageKind::Physical), resistant), dealt);
        }
        let state = State { hp: 6, ..State::default() };
        let damage = hit(15, DamageKind::Physical);
        let step = take_damage(&profile(), &state, damage, resistant, DamageOptions::default());
        assert_eq!(step.unwrap().severity, Severity::Major);
    }

    #[test]
    fn mixed_damage_needs_both_protections() {
        use Protection::{Immune, None, Resistant};
        for (physical, magic, dealt) in [
            (Resistant, None, 9),
            (None, Immune, 9),
            (Resistant, Resistant, 5),
            (Resistant, Immune, 5),
            (Immune, Immune, 0),
        ] {
            let defence = Defence { physical, magic };
            assert_eq!(reduced_damage(hit(9, DamageKind::Both), defence), dealt, "{defence:?}");
        }
        let immune = Defence { physical: None, magic: Immune };
        assert_eq!(reduced_damage(hit(9, DamageKind::Magic), immune), 0);
        assert_eq!(reduced_damage(hit(9, DamageKind::Physical), immune), 9);
    }

    #[test]
    fn an_armor_slot_saves_one_hit_point() {
        for (amount, marked) in [(5, 0), (8, 1), (12, 2)] {
            let step = taken(6, amount, ARMORED).unwrap();
            assert_eq!((step.hp_marked, step.step.state.armor_marked), (marked, 2));
        }
        let nothing = taken(6, 0, ARMORED).unwrap();
        assert_eq!(nothing.step.notes, [Note::ArmorNotNeeded]);
        assert_eq!(nothing.step.changes, []);
    }

    #[test]
    fn armor_needs_a_free_slot_and_damage_that_is_not_direct() {
        let worn = State { hp: 6, armor_marked: 2, ..State::default() };
        let damage = hit(5, DamageKind::Physical);
        let refused = take_damage(&profile(), &worn, damage, Defence::default(), ARMORED);
        assert_eq!(refused, Err(TableError::NoArmorSlot));
        let fresh = State { hp: 6, ..State::default() };
        let direct = Damage { directness: Directness::Direct, ..damage };
        let refused = take_damage(&profile(), &fresh, direct, Defence::default(), ARMORED);
        assert_eq!(refused, Err(TableError::DirectDamage));
    }

    #[test]
    fn the_last_hit_point_calls_for_a_death_move() {
        let step = taken(2, 12, DamageOptions::default()).unwrap();
        assert!(step.step.death_move_due());
        assert_eq!((step.hp_marked, step.step.state.hp), (2, 0));
        assert!(!taken(4, 12, DamageOptions::default()).unwrap().step.death_move_due());
        assert!(!taken(1, 5, ARMORED).unwrap().step.death_move_due());
        assert!(taken(0, 5, DamageOptions::default()).unwrap().step.death_move_due());
    }

    #[test]
    fn senseless_damage_is_refused() {
        for amount in [-1, 1_000_001, i64::MAX] {
            assert!(taken(6, amount, DamageOptions::default()).is_err());
        }
    }
}
