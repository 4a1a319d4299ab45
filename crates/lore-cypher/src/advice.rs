//! Hints for values of the wrong type, shared by checks of the text and errors at run time.

use crate::functions::{self, Function};
use crate::plan::Arithmetic;

/// For an arithmetic operator.
pub(crate) fn of_operator(operator: Arithmetic) -> String {
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

/// For a function: what it accepts.
pub(crate) fn of_function(function: Function) -> String {
    let name = functions::name(function);
    match function {
        Function::Temporal(_) => format!(
            "{name} takes a text such as '2024-05-17', '13:45', '2024-05-17T13:45+02:00' or \
             'P1DT2H', or a map of its parts, such as {{year: 2024, month: 5, day: 17}}"
        ),
        // Its declared arguments are of any type, because the TCK expects type errors at run time
        // only.
        Function::Range => {
            format!("{name} takes two integers, from and to, and perhaps a step that is not 0")
        }
        function => format!("{name} takes {}", functions::taken_by(function)),
    }
}

/// For access with brackets.
pub(crate) const OF_INDEX: &str =
    "a list is read by an integer, a map, node or relationship by the name of a property";
/// For a slice of a list.
pub(crate) const OF_SLICE: &str = "a slice is taken of a list, from one integer to another";
/// For a condition.
pub(crate) const OF_CONDITION: &str =
    "compare it, as in n.name = 'main', or ask whether it is there with IS NOT NULL";
/// For access to a property.
pub(crate) const OF_PROPERTY: &str = "only nodes, relationships, maps, dates and times have any";
/// For `SKIP` and `LIMIT`.
pub(crate) const OF_BOUND: &str = "give an integer that is not negative";
/// For the right side of `IN`.
pub(crate) const OF_IN: &str =
    "IN stands before a list, as in n.name IN ['a', 'b']; compare with one value by =";
/// For everything that iterates over a list.
pub(crate) const OF_LIST: &str =
    "give a list, such as [1, 2] or what collect, range, split and nodes return";
/// For a test on labels.
pub(crate) const OF_LABELS: &str = "only nodes have labels, and relationships a type";
/// For a regular expression.
pub(crate) const OF_PATTERN: &str = "=~ takes a regular expression for the whole text, such as 'get.*'; put \\\\ before signs that \
     stand for themselves, or use CONTAINS";
