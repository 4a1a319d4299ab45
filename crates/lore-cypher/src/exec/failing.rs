//! Failures while running: where that is, and what would be right.

use super::Exec;
use crate::error::{CypherError, Result};
use crate::plan::{Expr, Place};

impl Exec<'_> {
    /// A failure of an expression, with advice.
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
            // Its clause tells where.
            None => error.with_hint(advice),
        }
    }

    /// A failure of what is written in a place, with advice about that.
    pub(super) fn placed(
        &self,
        error: CypherError,
        place: Place,
        advice: impl FnOnce() -> Option<String>,
    ) -> CypherError {
        error.at(|| (self.text.position(place.0), advice()))
    }
}
