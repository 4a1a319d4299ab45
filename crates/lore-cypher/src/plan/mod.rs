//! The query plan: variables are slots, clauses are stages.
//!
//! Every variable, including internal ones, has a slot in one frame. A plan cannot write: there is
//! no stage and no expression for it.

mod parts;

use std::sync::Arc;

use crate::functions::{Aggregate, Function};
use crate::graph::{KeyId, LabelId, TypeId};
use crate::value::Value;

/// An index into the frame.
pub(crate) type Slot = usize;

/// A whole query: one part, or several joined by `UNION`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Query {
    pub(crate) columns: Vec<Arc<str>>,
    pub(crate) parts: Vec<Part>,
    pub(crate) union: Union,
}

/// Whether `UNION` keeps equal rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Union {
    All,
    Distinct,
}

/// One part of a union: its stages, and the slots of its columns.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Part {
    pub(crate) stages: Vec<Stage>,
    pub(crate) outputs: Vec<Slot>,
}

/// A clause.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Stage {
    Match(Match),
    Unwind { list: Expr, slot: Slot, place: Place },
    Project(Box<Project>),
}

impl Stage {
    /// The position of the clause in the text.
    pub(crate) fn place(&self) -> Place {
        match self {
            Self::Match(found) => found.place,
            Self::Unwind { place, .. } => *place,
            Self::Project(project) => project.place,
        }
    }
}

/// `MATCH` and `OPTIONAL MATCH`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Match {
    pub(crate) steps: Vec<Step>,
    /// The slots that become null if nothing matches; `None` if the row is dropped then.
    pub(crate) optional: Option<Vec<Slot>>,
    pub(crate) place: Place,
}

/// A step in matching a pattern.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    /// Iterates over nodes.
    Scan { slot: Slot, source: Source, labels: LabelTest },
    /// Checks that the value of a bound slot is a node with these labels.
    Check { slot: Slot, labels: LabelTest },
    /// Follows one relationship.
    Expand(Expand),
    /// Follows a variable number of relationships.
    Walk(Box<Walk>),
    /// Finds shortest paths between two bound nodes.
    Shortest(Box<Shortest>),
    /// Builds a path from what was matched.
    Path { slot: Slot, parts: Vec<PathPart> },
    /// Keeps rows that satisfy a condition.
    Filter(Expr),
}

/// The source of a scan's nodes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Source {
    All,
    Label(LabelId),
    /// Nodes whose indexed property equals a value.
    Index {
        key: KeyId,
        value: Expr,
    },
    /// Nodes whose indexed property is in a list.
    IndexIn {
        key: KeyId,
        list: Expr,
    },
    /// No nodes, because the label does not occur.
    Nothing,
}

/// A test on labels or types. A name that does not occur in the graph matches nothing.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum LabelTest {
    Any,
    Is(Option<LabelId>),
    All(Vec<LabelTest>),
    OneOf(Vec<LabelTest>),
    Not(Box<LabelTest>),
}

/// The relationship types a pattern allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Types {
    Any,
    OneOf(Vec<TypeId>),
}

/// The direction in which a relationship is followed from the node at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Out,
    In,
    Both,
}

impl Direction {
    /// The direction seen from the other end.
    pub(crate) fn turned(self) -> Self {
        match self {
            Self::Out => Self::In,
            Self::In => Self::Out,
            Self::Both => Self::Both,
        }
    }
}

/// A step along one relationship.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Expand {
    pub(crate) from: Slot,
    pub(crate) to: Slot,
    pub(crate) relationship: Slot,
    pub(crate) direction: Direction,
    pub(crate) types: Types,
    /// Whether the near end is bound. It must be, unless the relationship is.
    pub(crate) origin: Binding,
    pub(crate) target: Binding,
    pub(crate) origin_labels: LabelTest,
    pub(crate) labels: LabelTest,
    /// Whether the relationship is bound.
    pub(crate) binding: Binding,
    /// Other relationships of the same clause, which this one must differ from.
    pub(crate) unlike: Vec<Slot>,
    pub(crate) found: Found,
}

/// What is needed of the matches of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// Each match.
    Each,
    /// Only their number, because nothing reads them.
    Number,
}

/// Whether a variable of a pattern is searched for or already bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Binding {
    New,
    Bound,
}

/// A step along a variable number of relationships.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Walk {
    pub(crate) hop: Expand,
    pub(crate) min: u32,
    pub(crate) max: u32,
    pub(crate) properties: Vec<(Arc<str>, Expr)>,
    pub(crate) manner: Manner,
    /// Whether the relationships are needed afterwards.
    pub(crate) way: Way,
    /// Whether the walk goes from the right of the pattern to its left.
    pub(crate) orientation: Orientation,
}

/// What a walk enumerates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// Every path, with each relationship at most once per path.
    EveryWay,
    /// Every reachable node once, if different paths to it make no difference to the result.
    EveryNode,
}

/// Whether the relationships of a walk are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Kept,
    Forgotten,
}

/// The end of the written pattern at which a walk starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Orientation {
    AsWritten,
    Reversed,
}

/// `shortestPath` and `allShortestPaths`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Shortest {
    pub(crate) hop: Expand,
    pub(crate) min: u32,
    pub(crate) max: u32,
    pub(crate) properties: Vec<(Arc<str>, Expr)>,
    pub(crate) wanted: Wanted,
}

/// How many shortest paths are needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    One,
    All,
}

/// A part of a named path, in the written order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathPart {
    Node(Slot),
    /// One relationship, or the list of relationships of a walk.
    Relationships(Slot),
}

/// `WITH` and `RETURN`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Project {
    /// Expressions that are evaluated before grouping.
    pub(crate) items: Vec<(Slot, Expr)>,
    pub(crate) grouping: Option<Grouping>,
    pub(crate) distinct: Distinct,
    pub(crate) order: Vec<Sort>,
    pub(crate) skip: Option<Expr>,
    pub(crate) limit: Option<Expr>,
    pub(crate) filter: Option<Expr>,
    /// The slots that later stages can read.
    pub(crate) outputs: Vec<Slot>,
    /// Slots from before that the filter reads.
    pub(crate) carried: Vec<Slot>,
    pub(crate) place: Place,
}

/// Whether equal rows are removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Distinct {
    Yes,
    No,
}

/// Aggregation. The items of the projection are the grouping keys.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Grouping {
    pub(crate) aggregates: Vec<(Slot, Aggregation)>,
    /// Expressions over keys and aggregates.
    pub(crate) results: Vec<(Slot, Expr)>,
}

/// A call of an aggregating function.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Aggregation {
    pub(crate) function: Aggregate,
    pub(crate) distinct: Distinct,
    /// `None` for `count(*)`.
    pub(crate) argument: Option<Expr>,
    /// The percentile of `percentileCont` and `percentileDisc`.
    pub(crate) parameter: Option<Expr>,
    pub(crate) place: Place,
}

/// A sort key.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sort {
    pub(crate) key: Expr,
    pub(crate) direction: SortDirection,
    pub(crate) nulls: Nulls,
}

/// The direction of a sort key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SortDirection {
    Ascending,
    Descending,
}

/// Where null is sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nulls {
    First,
    Last,
}

/// A position in the text, as a byte offset. It is ignored when comparing expressions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place(pub(crate) usize);

impl PartialEq for Place {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// An expression.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Expr {
    Const(Value),
    Parameter(Arc<str>, Place),
    Slot(Slot),
    Property {
        base: Box<Expr>,
        name: Arc<str>,
        key: Option<KeyId>,
        place: Place,
    },
    HasLabels {
        base: Box<Expr>,
        test: LabelTest,
        types: Vec<Arc<str>>,
        place: Place,
    },
    Index(Box<(Expr, Expr)>, Place),
    Slice {
        base: Box<Expr>,
        from: Option<Box<Expr>>,
        to: Option<Box<Expr>>,
        place: Place,
    },
    List(Vec<Expr>),
    Map(Vec<(Arc<str>, Expr)>),
    Projection {
        base: Box<Expr>,
        all: Everything,
        entries: Vec<(Arc<str>, Expr)>,
    },
    Not(Box<Expr>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    Xor(Box<(Expr, Expr)>),
    Negate(Box<Expr>, Place),
    /// `a < b <= c`: compares each adjacent pair.
    Compare {
        first: Box<Expr>,
        rest: Vec<(Comparison, Expr)>,
    },
    Arithmetic(Arithmetic, Box<(Expr, Expr)>, Place),
    Text(TextTest, Box<(Expr, Expr)>, Place),
    In(Box<(Expr, Expr)>, Place),
    IsNull(Box<Expr>),
    Call(Function, Vec<Expr>, Place),
    Case {
        operand: Option<Box<Expr>>,
        arms: Vec<(Vec<Expr>, Expr)>,
        otherwise: Box<Expr>,
    },
    ListComprehension {
        slot: Slot,
        list: Box<Expr>,
        filter: Option<Box<Expr>>,
        map: Box<Expr>,
        place: Place,
    },
    Quantified {
        quantifier: Quantifier,
        slot: Slot,
        list: Box<Expr>,
        test: Box<Expr>,
        place: Place,
    },
    Reduce {
        sum: Slot,
        start: Box<Expr>,
        slot: Slot,
        list: Box<Expr>,
        next: Box<Expr>,
        place: Place,
    },
    Exists(Box<Match>),
    PatternComprehension {
        pattern: Box<Match>,
        map: Box<Expr>,
    },
    Subquery(Subquery, Box<Query>),
    /// Only exists while a projection is lowered; never evaluated.
    Aggregate(Box<Aggregation>),
}

/// Whether a map projection includes all properties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Everything {
    Yes,
    No,
}

/// The kind of a subquery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subquery {
    Exists,
    Count,
    Collect,
}

/// A comparison operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// An arithmetic operator. `Add` also concatenates strings and lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Power,
}

/// A test on strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextTest {
    StartsWith,
    EndsWith,
    Contains,
    Matches,
}

/// `all`, `any`, `none` or `single`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quantifier {
    All,
    Any,
    None,
    Single,
}
