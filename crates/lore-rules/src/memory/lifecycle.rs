//! The allowed transitions of projects and ideas.
//!
//! Keeping the current phase or status is always allowed, so that repeating a request does not
//! fail.

/// The phase of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// Being considered; the initial phase.
    Planning,
    /// In progress.
    Active,
    /// Suspended.
    Paused,
    /// Finished for good.
    Done,
}

impl Phase {
    /// Every phase, in order.
    pub const ALL: [Self; 4] = [Self::Planning, Self::Active, Self::Paused, Self::Done];

    /// The name of the phase.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Planning => "planning",
            Self::Active => "active",
            Self::Paused => "paused",
            Self::Done => "done",
        }
    }

    /// Returns the phase with this name; case and surrounding white space are ignored.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.as_str().eq_ignore_ascii_case(name.trim()))
    }

    /// The phases a project can move to from here.
    pub const fn next(self) -> &'static [Self] {
        match self {
            Self::Planning => &[Self::Active],
            Self::Active => &[Self::Paused, Self::Done],
            Self::Paused => &[Self::Active, Self::Done],
            Self::Done => &[],
        }
    }

    /// Whether a project may move from here to another phase.
    pub fn may_become(self, other: Self) -> bool {
        self == other || self.next().contains(&other)
    }
}

/// The status of an idea.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// Written down; the initial status.
    Draft,
    /// Being evaluated.
    Evaluating,
    /// Accepted.
    Approved,
    /// Being implemented.
    Implementing,
    /// Implemented.
    Done,
    /// Put away; can become a draft again.
    Archived,
}

impl Status {
    /// Every status, in order.
    pub const ALL: [Self; 6] = [
        Self::Draft,
        Self::Evaluating,
        Self::Approved,
        Self::Implementing,
        Self::Done,
        Self::Archived,
    ];

    /// The name of the status.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Evaluating => "evaluating",
            Self::Approved => "approved",
            Self::Implementing => "implementing",
            Self::Done => "done",
            Self::Archived => "archived",
        }
    }

    /// Returns the status with this name; case and surrounding white space are ignored.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str().eq_ignore_ascii_case(name.trim()))
    }

    /// The statuses an idea can move to from here.
    pub const fn next(self) -> &'static [Self] {
        match self {
            Self::Draft => &[Self::Evaluating],
            Self::Evaluating => &[Self::Approved, Self::Archived],
            Self::Approved => &[Self::Implementing, Self::Archived],
            Self::Implementing => &[Self::Done, Self::Archived],
            Self::Done => &[Self::Archived],
            Self::Archived => &[Self::Draft],
        }
    }

    /// Returns the shortest path of transitions to another status. One always exists.
    pub fn way_to(self, other: Self) -> Vec<Self> {
        let mut ways: Vec<Vec<Self>> = vec![Vec::new()];
        let mut at = 0;
        while let Some(way) = ways.get(at).cloned() {
            let here = way.last().copied().unwrap_or(self);
            if here == other {
                return way;
            }
            // A shortest path visits no status twice.
            if way.len() < Self::ALL.len() {
                ways.extend(here.next().iter().map(|next| [way.as_slice(), &[*next]].concat()));
            }
            at += 1;
        }
        Vec::new()
    }

    /// Whether an idea may move from here to another status.
    pub fn may_become(self, other: Self) -> bool {
        self == other || self.next().contains(&other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finished_project_stays_finished() {
        for phase in Phase::ALL {
            assert_eq!(Phase::Done.may_become(phase), phase == Phase::Done);
            assert!(phase.may_become(phase));
        }
        assert!(!Phase::Planning.may_become(Phase::Done));
    }

    #[test]
    fn there_is_a_way_from_every_status_to_every_other() {
        use Status::{Approved, Archived, Draft, Evaluating};
        assert_eq!(Draft.way_to(Archived), [Evaluating, Archived]);
        assert_eq!(Archived.way_to(Approved), [Draft, Evaluating, Approved]);
        for from in Status::ALL {
            for to in Status::ALL {
                let way = from.way_to(to);
                assert_eq!(way.last().copied().unwrap_or(from), to);
                let mut here = from;
                for next in way {
                    assert!(here.may_become(next), "{from:?} to {to:?}");
                    here = next;
                }
            }
        }
    }

    #[test]
    fn every_idea_can_be_put_away_and_taken_up_again() {
        for status in Status::ALL {
            let mut seen = vec![status];
            let mut at = 0;
            while let Some(here) = seen.get(at).copied() {
                seen.extend(
                    here.next()
                        .iter()
                        .filter(|next| !seen.contains(next))
                        .copied()
                        .collect::<Vec<_>>(),
                );
                at += 1;
            }
            assert_eq!(seen.len(), Status::ALL.len(), "{status:?} reaches {seen:?}");
        }
    }
}
