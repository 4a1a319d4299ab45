//! What somebody can do about a value that turned out to be of the wrong kind.

use super::Exec;
use crate::error::{CypherError, Result};
use crate::functions::{self, Function};
use crate::plan::{Arithmetic, Expr, Place};

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
            None => error,
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

/// About an operator on numbers.
pub(super) fn of_operator(operator: Arithmetic) -> String {
    let taken = match operator {
        Arithmetic::Add => "+ takes two numbers, texts or durations, or a list and anything",
        Arithmetic::Subtract => "- takes two numbers, or dates, times and durations",
        Arithmetic::Multiply | Arithmetic::Divide | Arithmetic::Remainder => {
            "it takes two numbers, the second of a division not 0"
        }
        Arithmetic::Power => "^ takes two numbers",
    };
    format!("{taken}; make one with toInteger or toFloat, or leave others out with WHERE")
}

/// About a function: what it takes.
pub(super) fn of_function(function: Function) -> Option<String> {
    if let Function::Temporal(_) = function {
        let forms = "such as '2024-05-17', '13:45', '2024-05-17T13:45+02:00' or 'P1DT2H', or a map \
                     of its parts, such as {year: 2024, month: 5, day: 17}";
        return Some(format!("it takes a text {forms}"));
    }
    functions::taken_by(function)
}

/// About what is read with brackets.
pub(super) const OF_INDEX: &str =
    "a list is read by an integer, a map, node or relationship by the name of a property";
/// About a part of a list.
pub(super) const OF_SLICE: &str = "a slice is taken of a list, from one integer to another";
/// About a condition.
pub(super) const OF_CONDITION: &str =
    "compare it, as in n.name = 'main', or ask whether it is there with IS NOT NULL";
/// About reading a property.
pub(super) const OF_PROPERTY: &str = "only nodes, relationships, maps, dates and times have any";
/// About `SKIP` and `LIMIT`.
pub(super) const OF_BOUND: &str = "give an integer that is not negative";
