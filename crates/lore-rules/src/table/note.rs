//! Notes to the people at the table about a change.
//!
//! Notes say what the rules did beyond the plain numbers. Replaying a change must never need them;
//! the list of changes is enough for that.

/// A note about something that the rules did or now require.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Note {
    /// Hope was gained beyond its maximum.
    HopeFull,
    /// Fear was gained beyond its maximum.
    FearFull,
    /// Stress was marked without a free slot, so a Hit Point was marked instead.
    StressOverflowed,
    /// Stress was to be marked with neither a slot nor a Hit Point left.
    NothingLeftToMark,
    /// The last Stress slot was marked, which makes the character Vulnerable.
    BecameVulnerable,
    /// Stress was cleared after its last slot had been marked.
    NoLongerVulnerable,
    /// The last Hit Point was marked, so a death move is due.
    DeathMoveDue,
    /// The last Hit Point of a character without death moves was marked.
    Defeated,
    /// The Game Master brought the character back into play.
    CameBack,
    /// An unconscious character woke up: Hit Points were cleared, or a long rest ended.
    WokeUp,
    /// An Armor Slot was to be marked for a hit that marks no Hit Point.
    ArmorNotNeeded,
    /// The character already had the condition.
    HadCondition,
    /// The character did not have the condition.
    HadNoCondition,
    /// A number was above its maximum, which was lowered, and was lowered to it.
    LoweredToMaximum,
    /// The last action of the character is a critical success.
    LastActionIsCritical,
    /// The character dropped unconscious.
    FellUnconscious,
    /// A Hope slot is lost for good.
    Scarred,
    /// The last Hope slot is lost.
    JourneyEnded,
    /// The character died.
    Died,
    /// The rest was interrupted and brought nothing.
    RestLost,
    /// The long rest was interrupted and counts as a short one.
    RestShortened,
    /// A long rest with work on a project was interrupted, so the work does not count.
    ProjectLost,
    /// One long-term countdown may advance.
    CountdownMayAdvance,
}

impl Note {
    /// The name of the note, for machines.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::HopeFull => "HOPE_FULL",
            Self::FearFull => "FEAR_FULL",
            Self::StressOverflowed => "STRESS_OVERFLOWED",
            Self::NothingLeftToMark => "NOTHING_LEFT_TO_MARK",
            Self::BecameVulnerable => "BECAME_VULNERABLE",
            Self::NoLongerVulnerable => "NO_LONGER_VULNERABLE",
            Self::DeathMoveDue => "DEATH_MOVE_DUE",
            Self::Defeated => "DEFEATED",
            Self::CameBack => "CAME_BACK",
            Self::WokeUp => "WOKE_UP",
            Self::ArmorNotNeeded => "ARMOR_NOT_NEEDED",
            Self::HadCondition => "HAD_CONDITION",
            Self::HadNoCondition => "HAD_NO_CONDITION",
            Self::LoweredToMaximum => "LOWERED_TO_MAXIMUM",
            Self::LastActionIsCritical => "LAST_ACTION_IS_CRITICAL",
            Self::FellUnconscious => "FELL_UNCONSCIOUS",
            Self::Scarred => "SCARRED",
            Self::JourneyEnded => "JOURNEY_ENDED",
            Self::Died => "DIED",
            Self::RestLost => "REST_LOST",
            Self::RestShortened => "REST_SHORTENED",
            Self::ProjectLost => "PROJECT_LOST",
            Self::CountdownMayAdvance => "COUNTDOWN_MAY_ADVANCE",
        }
    }

    /// The note as a sentence for people.
    pub const fn text(self) -> &'static str {
        match self {
            Self::HopeFull => "Hope is at its maximum; the rest is lost.",
            Self::FearFull => "Fear is at its maximum; the rest is lost.",
            Self::StressOverflowed => {
                "No Stress slot was left, so one Hit Point was marked instead."
            }
            Self::NothingLeftToMark => "Neither a Stress slot nor a Hit Point was left to mark.",
            Self::BecameVulnerable => {
                "The last Stress slot is marked: Vulnerable until one is cleared."
            }
            Self::NoLongerVulnerable => "Stress was cleared: no longer Vulnerable because of it.",
            Self::DeathMoveDue => "The last Hit Point is marked: a death move is due.",
            Self::Defeated => "The last Hit Point is marked: the character is defeated.",
            Self::CameBack => "The character is back in play.",
            Self::WokeUp => "The character is conscious again.",
            Self::ArmorNotNeeded => "The hit marks no Hit Point, so no Armor Slot was marked.",
            Self::HadCondition => "The character had this condition already; it does not stack.",
            Self::HadNoCondition => "The character did not have this condition.",
            Self::LoweredToMaximum => "A number was above its new maximum and was lowered to it.",
            Self::LastActionIsCritical => "The character's last action is a critical success.",
            Self::FellUnconscious => "The character falls unconscious.",
            Self::Scarred => "The character is scarred: one Hope slot is lost for good.",
            Self::JourneyEnded => "No Hope slot is left: the character's journey ends.",
            Self::Died => "The character dies.",
            Self::RestLost => "The rest was interrupted and brings nothing.",
            Self::RestShortened => "The long rest was interrupted and counts as a short one.",
            Self::ProjectLost => "Work on a project needs a whole long rest.",
            Self::CountdownMayAdvance => "One long-term countdown may advance.",
        }
    }
}
