//! How equal two names are as a whole.

use crate::name::{Name, Token};
use crate::profile::Family;

/// How equal the names are as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sameness {
    /// Equal except for case, accents, punctuation and abbreviations.
    Full,
    /// Equal without light words and spaces.
    Loose,
    /// Equal to the known name without its remark and its kind of venue: Fenix for Fenix at the
    /// Argyle, Bone's for Bone's Restaurant.
    Bare,
    /// Not equal.
    Different,
}

pub(crate) fn sameness(asked: &Name, known: &Name, family: Family) -> Sameness {
    if asked.full_key == known.full_key {
        Sameness::Full
    } else if !asked.loose_key.is_empty() && asked.loose_key == known.loose_key
        || are_spelled_alike(asked, known)
    {
        Sameness::Loose
    } else if family == Family::Organization && is_bare(asked, known) {
        Sameness::Bare
    } else {
        Sameness::Different
    }
}

/// Whether the asked name is the known one without its optional words. Not the other way round: a
/// longer name may mean something else.
fn is_bare(asked: &Name, known: &Name) -> bool {
    let bare = known.bare_key();
    !bare.is_empty() && bare == asked.loose_key && !asked.tokens.iter().any(Token::is_minor)
}

/// Whether the names differ only in umlauts that one of them writes out.
fn are_spelled_alike(asked: &Name, known: &Name) -> bool {
    let written = |token: &Token, other: &Token| token.spelled_out.as_ref() == Some(&other.text);
    let alike = |(one, other): (&Token, &Token)| {
        one.is(other)
            || written(one, other)
            || written(other, one)
            || one.spelled_out.is_some() && one.spelled_out == other.spelled_out
    };
    !asked.tokens.is_empty()
        && asked.tokens.len() == known.tokens.len()
        && asked.tokens.iter().zip(&known.tokens).all(alike)
}
