//! The functions with their names, arguments and results.
//!
//! The list is closed: nothing else can be called, so no call can write, read files or reach the
//! network.

use crate::types::{Accepts, Type};

/// A function of the values of one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Function {
    Abs,
    Acos,
    Asin,
    Atan,
    Atan2,
    Ceil,
    Coalesce,
    Cos,
    Cot,
    Degrees,
    E,
    ElementId,
    EndNode,
    Exists,
    Exp,
    Floor,
    Haversin,
    Head,
    Id,
    IsEmpty,
    IsNan,
    Keys,
    LTrim,
    Labels,
    Last,
    Left,
    Length,
    Log,
    Log10,
    Nodes,
    NullIf,
    Pi,
    Properties,
    RTrim,
    Radians,
    Rand,
    Range,
    Relationships,
    Replace,
    Reverse,
    Right,
    Round,
    Sign,
    Sin,
    Size,
    Split,
    Sqrt,
    StartNode,
    Substring,
    Tail,
    Tan,
    ToBoolean,
    ToBooleanOrNull,
    ToFloat,
    ToFloatOrNull,
    ToInteger,
    ToIntegerOrNull,
    ToLower,
    ToString,
    ToStringOrNull,
    ToUpper,
    Trim,
    Type,
    ValueType,
    Temporal(TemporalFunction),
    Truncate(TemporalFunction),
    Between(Measure),
    FromEpoch,
    FromEpochMillis,
}

/// The unit of the time between two moments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Measure {
    /// Whole months, then whole days, and the rest in seconds.
    Parts,
    Months,
    Days,
    Seconds,
}

/// A function that creates dates, times and durations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TemporalFunction {
    Date,
    Time,
    LocalTime,
    DateTime,
    LocalDateTime,
    Duration,
}

/// A function that aggregates rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Aggregate {
    Count,
    Sum,
    Avg,
    Min,
    Max,
    Collect,
    PercentileCont,
    PercentileDisc,
    StDev,
    StDevP,
}

/// The signature of a function.
#[derive(Debug)]
pub(crate) struct Spec {
    names: &'static [&'static str],
    pub(crate) function: Function,
    pub(crate) least: usize,
    pub(crate) most: usize,
    /// The accepted types of each argument; the last entry also applies to all further arguments.
    pub(crate) accepts: &'static [&'static [Accepts]],
    pub(crate) result: ResultType,
}

/// The result type of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ResultType {
    Unknown,
    Bool,
    Int,
    Float,
    String,
    List,
    Nodes,
    Relationships,
    Map,
    Node,
    Moment,
    Duration,
    /// The type of the first argument.
    Same,
    /// The type of the elements of the first argument.
    Element,
}

impl ResultType {
    /// The type, given the type of the first argument.
    pub(crate) fn of(self, first: &Type) -> Type {
        match self {
            Self::Unknown => Type::Any,
            Self::Bool => Type::Bool,
            Self::Int => Type::Int,
            Self::Float => Type::Float,
            Self::String => Type::String,
            Self::List => Type::list(),
            Self::Nodes => Type::List(Box::new(Type::Node)),
            Self::Relationships => Type::List(Box::new(Type::Relationship)),
            Self::Map => Type::Map,
            Self::Node => Type::Node,
            Self::Moment => Type::Moment,
            Self::Duration => Type::Duration,
            Self::Same => first.clone(),
            Self::Element => first.element(),
        }
    }
}

/// Looks up a function, ignoring case.
pub(crate) fn function(name: &str) -> Option<&'static Spec> {
    let called = |known: &str| known.eq_ignore_ascii_case(name);
    TABLE.iter().find(|spec| spec.names.iter().any(|known| called(known)))
}

/// Looks up an aggregating function with the number of its arguments.
pub(crate) fn aggregate(name: &str) -> Option<(Aggregate, usize)> {
    Some(match name.to_lowercase().as_str() {
        "count" => (Aggregate::Count, 1),
        "sum" => (Aggregate::Sum, 1),
        "avg" => (Aggregate::Avg, 1),
        "min" => (Aggregate::Min, 1),
        "max" => (Aggregate::Max, 1),
        "collect" => (Aggregate::Collect, 1),
        "percentilecont" => (Aggregate::PercentileCont, 2),
        "percentiledisc" => (Aggregate::PercentileDisc, 2),
        "stdev" => (Aggregate::StDev, 1),
        "stdevp" => (Aggregate::StDevP, 1),
        _ => return None,
    })
}

/// The usual spelling of a function's name.
pub(crate) fn name(function: Function) -> &'static str {
    let spec = TABLE.iter().find(|spec| spec.function == function);
    spec.and_then(|spec| spec.names.first()).copied().unwrap_or_default()
}

/// Describes the arguments of a function in order, optional ones in brackets.
pub(crate) fn taken_by(function: Function) -> String {
    const SHOWN: usize = 4;
    let Some(spec) = TABLE.iter().find(|spec| spec.function == function) else {
        return String::new();
    };
    let one = |number: usize| {
        let accepted = spec.accepts.get(number).or(spec.accepts.last());
        let names = accepted.into_iter().copied().flatten().map(|accepts| accepts.name());
        names.collect::<Vec<_>>().join(" or ")
    };
    let all = (0..spec.most.min(SHOWN)).map(|number| match number {
        0 => one(number),
        number if number < spec.least => format!(", then {}", one(number)),
        number => format!(" [, then {}]", one(number)),
    });
    all.collect()
}

/// A function whose name starts with the same four letters, for hints.
pub(crate) fn similar(name: &str) -> Option<&'static str> {
    let names = TABLE.iter().flat_map(|spec| spec.names).copied();
    let beginning = |name: &str| name.to_lowercase().chars().take(4).collect::<String>();
    let wanted = beginning(name);
    names.chain(["count", "collect"]).find(|known| beginning(known).starts_with(&wanted))
}

const ANY: &[Accepts] = &[Accepts::Anything];
const NUMBER: &[Accepts] = &[Accepts::Number];
const TEXT: &[Accepts] = &[Accepts::String];
const LIST: &[Accepts] = &[Accepts::List];
const PATH: &[Accepts] = &[Accepts::Path];
const NODE: &[Accepts] = &[Accepts::Node];
const RELATIONSHIP: &[Accepts] = &[Accepts::Relationship];
const ELEMENT: &[Accepts] = &[Accepts::Node, Accepts::Relationship];
const PROPERTIED: &[Accepts] = &[Accepts::Node, Accepts::Relationship, Accepts::Map];
const SIZED: &[Accepts] = &[Accepts::List, Accepts::String];
const EMPTIABLE: &[Accepts] = &[Accepts::List, Accepts::String, Accepts::Map];
const INTEGER: &[Accepts] = &[Accepts::Int];
const TEMPORAL: &[Accepts] = &[Accepts::Temporal];
const MAP: &[Accepts] = &[Accepts::Map];
const TO_BOOLEAN: &[Accepts] = &[Accepts::Bool, Accepts::String, Accepts::Int];
const TO_NUMBER: &[Accepts] = &[Accepts::Number, Accepts::String, Accepts::Bool];
const TO_FLOAT: &[Accepts] = &[Accepts::Number, Accepts::String];
const TO_STRING: &[Accepts] = &[Accepts::Number, Accepts::String, Accepts::Bool, Accepts::Temporal];

const fn spec(
    names: &'static [&'static str],
    function: Function,
    arguments: (usize, usize),
    accepts: &'static [&'static [Accepts]],
    result: ResultType,
) -> Spec {
    Spec { names, function, least: arguments.0, most: arguments.1, accepts, result }
}

const fn maths(names: &'static [&'static str], function: Function) -> Spec {
    spec(names, function, (1, 1), &[NUMBER], ResultType::Float)
}

const fn moment(
    names: &'static [&'static str],
    function: TemporalFunction,
    arguments: (usize, usize),
) -> Spec {
    spec(names, Function::Temporal(function), arguments, &[ANY], ResultType::Moment)
}

const fn truncation(names: &'static [&'static str], function: TemporalFunction) -> Spec {
    spec(names, Function::Truncate(function), (1, 3), &[TEXT, TEMPORAL, MAP], ResultType::Moment)
}

const fn distance(names: &'static [&'static str], measure: Measure) -> Spec {
    spec(names, Function::Between(measure), (2, 2), &[TEMPORAL], ResultType::Duration)
}

static TABLE: &[Spec] = &[
    spec(&["abs"], Function::Abs, (1, 1), &[NUMBER], ResultType::Same),
    maths(&["acos"], Function::Acos),
    maths(&["asin"], Function::Asin),
    maths(&["atan"], Function::Atan),
    spec(&["atan2"], Function::Atan2, (2, 2), &[NUMBER], ResultType::Float),
    maths(&["ceil", "ceiling"], Function::Ceil),
    spec(&["coalesce"], Function::Coalesce, (1, usize::MAX), &[ANY], ResultType::Unknown),
    maths(&["cos"], Function::Cos),
    maths(&["cot"], Function::Cot),
    maths(&["degrees"], Function::Degrees),
    spec(&["e"], Function::E, (0, 0), &[], ResultType::Float),
    spec(&["elementId"], Function::ElementId, (1, 1), &[ELEMENT], ResultType::String),
    spec(&["endNode"], Function::EndNode, (1, 1), &[RELATIONSHIP], ResultType::Node),
    spec(&["exists"], Function::Exists, (1, 1), &[ANY], ResultType::Bool),
    maths(&["exp"], Function::Exp),
    maths(&["floor"], Function::Floor),
    maths(&["haversin"], Function::Haversin),
    spec(&["head"], Function::Head, (1, 1), &[LIST], ResultType::Element),
    spec(&["id"], Function::Id, (1, 1), &[ELEMENT], ResultType::Int),
    spec(&["isEmpty"], Function::IsEmpty, (1, 1), &[EMPTIABLE], ResultType::Bool),
    spec(&["isNaN"], Function::IsNan, (1, 1), &[NUMBER], ResultType::Bool),
    spec(&["keys"], Function::Keys, (1, 1), &[PROPERTIED], ResultType::List),
    spec(&["labels"], Function::Labels, (1, 1), &[NODE], ResultType::List),
    spec(&["last"], Function::Last, (1, 1), &[LIST], ResultType::Element),
    spec(&["left"], Function::Left, (2, 2), &[TEXT, INTEGER], ResultType::String),
    spec(&["length"], Function::Length, (1, 1), &[PATH], ResultType::Int),
    maths(&["log", "ln"], Function::Log),
    maths(&["log10"], Function::Log10),
    spec(&["lTrim"], Function::LTrim, (1, 1), &[TEXT], ResultType::String),
    spec(&["nodes"], Function::Nodes, (1, 1), &[PATH], ResultType::Nodes),
    spec(&["nullIf"], Function::NullIf, (2, 2), &[ANY], ResultType::Unknown),
    spec(&["pi"], Function::Pi, (0, 0), &[], ResultType::Float),
    spec(&["properties"], Function::Properties, (1, 1), &[PROPERTIED], ResultType::Map),
    maths(&["radians"], Function::Radians),
    spec(&["rand"], Function::Rand, (0, 0), &[], ResultType::Float),
    // Type errors are reported at run time, as the TCK expects.
    spec(&["range"], Function::Range, (2, 3), &[ANY], ResultType::List),
    spec(
        &["relationships", "rels"],
        Function::Relationships,
        (1, 1),
        &[PATH],
        ResultType::Relationships,
    ),
    spec(&["replace"], Function::Replace, (3, 3), &[TEXT], ResultType::String),
    spec(&["reverse"], Function::Reverse, (1, 1), &[SIZED], ResultType::Same),
    spec(&["right"], Function::Right, (2, 2), &[TEXT, INTEGER], ResultType::String),
    spec(&["round"], Function::Round, (1, 2), &[NUMBER], ResultType::Float),
    spec(&["rTrim"], Function::RTrim, (1, 1), &[TEXT], ResultType::String),
    spec(&["sign"], Function::Sign, (1, 1), &[NUMBER], ResultType::Int),
    maths(&["sin"], Function::Sin),
    spec(
        &["size", "char_length", "character_length"],
        Function::Size,
        (1, 1),
        &[SIZED],
        ResultType::Int,
    ),
    spec(&["split"], Function::Split, (2, 2), &[TEXT], ResultType::List),
    maths(&["sqrt"], Function::Sqrt),
    spec(&["startNode"], Function::StartNode, (1, 1), &[RELATIONSHIP], ResultType::Node),
    spec(&["substring"], Function::Substring, (2, 3), &[TEXT, INTEGER], ResultType::String),
    spec(&["tail"], Function::Tail, (1, 1), &[LIST], ResultType::Same),
    maths(&["tan"], Function::Tan),
    spec(&["toBoolean"], Function::ToBoolean, (1, 1), &[TO_BOOLEAN], ResultType::Bool),
    spec(&["toBooleanOrNull"], Function::ToBooleanOrNull, (1, 1), &[ANY], ResultType::Bool),
    spec(&["toFloat"], Function::ToFloat, (1, 1), &[TO_FLOAT], ResultType::Float),
    spec(&["toFloatOrNull"], Function::ToFloatOrNull, (1, 1), &[ANY], ResultType::Float),
    spec(&["toInteger", "toInt"], Function::ToInteger, (1, 1), &[TO_NUMBER], ResultType::Int),
    spec(&["toIntegerOrNull"], Function::ToIntegerOrNull, (1, 1), &[ANY], ResultType::Int),
    spec(&["toLower", "lower"], Function::ToLower, (1, 1), &[TEXT], ResultType::String),
    spec(&["toString"], Function::ToString, (1, 1), &[TO_STRING], ResultType::String),
    spec(&["toStringOrNull"], Function::ToStringOrNull, (1, 1), &[ANY], ResultType::String),
    spec(&["toUpper", "upper"], Function::ToUpper, (1, 1), &[TEXT], ResultType::String),
    spec(&["trim", "bTrim"], Function::Trim, (1, 1), &[TEXT], ResultType::String),
    spec(&["type"], Function::Type, (1, 1), &[RELATIONSHIP], ResultType::String),
    spec(&["valueType"], Function::ValueType, (1, 1), &[ANY], ResultType::String),
    moment(
        &["date", "date.transaction", "date.statement", "date.realtime"],
        TemporalFunction::Date,
        (0, 1),
    ),
    moment(
        &["time", "time.transaction", "time.statement", "time.realtime"],
        TemporalFunction::Time,
        (0, 1),
    ),
    moment(
        &["localtime", "localtime.transaction", "localtime.statement", "localtime.realtime"],
        TemporalFunction::LocalTime,
        (0, 1),
    ),
    moment(
        &["datetime", "datetime.transaction", "datetime.statement", "datetime.realtime"],
        TemporalFunction::DateTime,
        (0, 1),
    ),
    moment(
        &[
            "localdatetime",
            "localdatetime.transaction",
            "localdatetime.statement",
            "localdatetime.realtime",
        ],
        TemporalFunction::LocalDateTime,
        (0, 1),
    ),
    spec(
        &["duration"],
        Function::Temporal(TemporalFunction::Duration),
        (1, 1),
        &[ANY],
        ResultType::Duration,
    ),
    truncation(&["date.truncate"], TemporalFunction::Date),
    truncation(&["time.truncate"], TemporalFunction::Time),
    truncation(&["localtime.truncate"], TemporalFunction::LocalTime),
    truncation(&["datetime.truncate"], TemporalFunction::DateTime),
    truncation(&["localdatetime.truncate"], TemporalFunction::LocalDateTime),
    distance(&["duration.between"], Measure::Parts),
    distance(&["duration.inMonths"], Measure::Months),
    distance(&["duration.inDays"], Measure::Days),
    distance(&["duration.inSeconds"], Measure::Seconds),
    spec(&["datetime.fromEpoch"], Function::FromEpoch, (2, 2), &[INTEGER], ResultType::Moment),
    spec(
        &["datetime.fromEpochMillis"],
        Function::FromEpochMillis,
        (1, 1),
        &[INTEGER],
        ResultType::Moment,
    ),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique_in_whatever_case() {
        let mut seen = BTreeSet::new();
        for name in TABLE.iter().flat_map(|spec| spec.names) {
            assert!(seen.insert(name.to_lowercase()), "{name} is there twice");
        }
    }

    #[test]
    fn advice_says_what_comes_after_what() {
        assert_eq!(taken_by(Function::ToUpper), "a string");
        assert_eq!(taken_by(Function::Size), "a list or a string");
        assert_eq!(taken_by(Function::Atan2), "a number, then a number");
        let parts = "a string, then an integer [, then an integer]";
        assert_eq!(taken_by(Function::Substring), parts);
    }
}
