//! Which way projects and ideas may go.
//!
//! Staying where one is is always allowed: saying the same twice must not fail.

/// The phase of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// Being thought about; where every project starts.
    Planning,
    /// Being worked on.
    Active,
    /// Put aside.
    Paused,
    /// Over for good.
    Done,
}

impl Phase {
    /// Every phase, in order.
    pub const ALL: [Self; 4] = [Self::Planning, Self::Active, Self::Paused, Self::Done];

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Planning => "planning",
            Self::Active => "active",
            Self::Paused => "paused",
            Self::Done => "done",
        }
    }

    /// The phase of this name; case and blanks around it do not count.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|phase| phase.as_str().eq_ignore_ascii_case(name.trim()))
    }

    /// Where a project may go from here.
    pub const fn next(self) -> &'static [Self] {
        match self {
            Self::Planning => &[Self::Active],
            Self::Active => &[Self::Paused, Self::Done],
            Self::Paused => &[Self::Active, Self::Done],
            Self::Done => &[],
        }
    }

    /// Whether a project may go from here to there.
    pub fn may_become(self, other: Self) -> bool {
        self == other || self.next().contains(&other)
    }
}

/// The status of an idea.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    /// Written down; where every idea starts.
    Draft,
    /// Being weighed.
    Evaluating,
    /// Accepted.
    Approved,
    /// Being carried out.
    Implementing,
    /// Carried out.
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

    /// Its name.
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

    /// The status of this name; case and blanks around it do not count.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str().eq_ignore_ascii_case(name.trim()))
    }

    /// Where an idea may go from here.
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

    /// The shortest way to another status, step by step. There always is one.
    pub fn way_to(self, other: Self) -> Vec<Self> {
        let mut ways: Vec<Vec<Self>> = vec![Vec::new()];
        let mut at = 0;
        while let Some(way) = ways.get(at).cloned() {
            let here = way.last().copied().unwrap_or(self);
            if here == other {
                return way;
            }
            // Whoever has been everywhere has been there.
            if way.len() < Self::ALL.len() {
                ways.extend(here.next().iter().map(|next| [way.as_slice(), &[*next]].concat()));
            }
            at += 1;
        }
        Vec::new()
    }

    /// Whether an idea may go from here to there.
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
