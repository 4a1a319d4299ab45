//! Positions and hints of run-time errors.

use super::Exec;
use crate::error::{CypherError, Result};
use crate::plan::{Expr, Place};

impl Exec<'_> {
    /// Returns an error in an expression, with a hint.
    pub(super) fn failed_in<T>(
        &self,
        expr: &Expr,
        message: String,
        advice: &'static str,
    ) -> Result<T> {
        Err(self.advised(CypherError::failure(message), expr, advice))
    }

    pub(super) fn advised(
        &self,
        error: CypherError,
        expr: &Expr,
        advice: &'static str,
    ) -> CypherError {
        match expr.place() {
            Some(place) => self.placed(error, place, || Some(advice.to_owned())),
            // The clause adds its position.
            None => error.with_hint(advice),
        }
    }

    /// Adds a position and a hint to an error, unless it already has a position.
    pub(super) fn placed(
        &self,
        error: CypherError,
        place: Place,
        advice: impl FnOnce() -> Option<String>,
    ) -> CypherError {
        error.at(|| (self.text.position(place.0), advice()))
    }
}
