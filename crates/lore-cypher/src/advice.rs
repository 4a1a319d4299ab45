//! What somebody can do about a value of the wrong kind, be it told by the text or found out later.

use crate::functions::{self, Function};
use crate::plan::Arithmetic;

/// About an operator on numbers.
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

/// About a function: what it takes.
pub(crate) fn of_function(function: Function) -> String {
    let name = functions::name(function);
    match function {
        Function::Temporal(_) => format!(
            "{name} takes a text such as '2024-05-17', '13:45', '2024-05-17T13:45+02:00' or \
             'P1DT2H', or a map of its parts, such as {{year: 2024, month: 5, day: 17}}"
        ),
        // The language's tests want its arguments to be looked at when it runs.
        Function::Range => {
            format!("{name} takes two integers, from and to, and perhaps a step that is not 0")
        }
        function => format!("{name} takes {}", functions::taken_by(function)),
    }
}

/// About what is read with brackets.
pub(crate) const OF_INDEX: &str =
    "a list is read by an integer, a map, node or relationship by the name of a property";
/// About a part of a list.
pub(crate) const OF_SLICE: &str = "a slice is taken of a list, from one integer to another";
/// About a condition.
pub(crate) const OF_CONDITION: &str =
    "compare it, as in n.name = 'main', or ask whether it is there with IS NOT NULL";
/// About reading a property.
pub(crate) const OF_PROPERTY: &str = "only nodes, relationships, maps, dates and times have any";
/// About `SKIP` and `LIMIT`.
pub(crate) const OF_BOUND: &str = "give an integer that is not negative";
/// About what is looked for in a list.
pub(crate) const OF_IN: &str =
    "IN stands before a list, as in n.name IN ['a', 'b']; compare with one value by =";
/// About what goes over a list.
pub(crate) const OF_LIST: &str =
    "give a list, such as [1, 2] or what collect, range, split and nodes return";
/// About a test on labels.
pub(crate) const OF_LABELS: &str = "only nodes have labels, and relationships a type";
/// About a regular expression.
pub(crate) const OF_PATTERN: &str = "=~ takes a regular expression for the whole text, such as 'get.*'; put \\\\ before signs that \
     stand for themselves, or use CONTAINS";
