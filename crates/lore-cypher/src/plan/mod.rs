//! What a query means, ready to run: names are slots, clauses are stages.
//!
//! Every variable, also the invisible ones, has a slot of one frame. A plan holds
//! nothing that writes: there is no stage and no expression for it.

mod parts;

use std::sync::Arc;

use crate::functions::{Aggregate, Function};
use crate::graph::{KeyId, LabelId, TypeId};
use crate::value::Value;

/// A place in the frame.
pub(crate) type Slot = usize;

/// A whole query: parts joined by `UNION`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Query {
    pub(crate) columns: Vec<Arc<str>>,
    pub(crate) parts: Vec<Part>,
    pub(crate) union: Union,
}

/// What `UNION` does with equal rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Union {
    All,
    Distinct,
}

/// One part of a union: stages, and the slots of its columns.
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
    /// Where the clause is written.
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
    /// The slots that become null when nothing matches; none when that ends the row.
    pub(crate) optional: Option<Vec<Slot>>,
    pub(crate) place: Place,
}

/// A step in matching a pattern.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    /// Tries nodes.
    Scan { slot: Slot, source: Source, labels: LabelTest },
    /// Makes sure that a value from before is a node with these labels.
    Check { slot: Slot, labels: LabelTest },
    /// Goes along one relationship.
    Expand(Expand),
    /// Goes along several.
    Walk(Box<Walk>),
    /// Finds shortest paths between two bound nodes.
    Shortest(Box<Shortest>),
    /// Makes a path of what was matched.
    Path { slot: Slot, parts: Vec<PathPart> },
    /// Keeps what satisfies a condition.
    Filter(Expr),
}

/// Where a scan takes its nodes from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Source {
    All,
    Label(LabelId),
    /// Nodes whose indexed property equals a value.
    Index {
        key: KeyId,
        value: Expr,
    },
    /// Nodes whose indexed property is one of a list.
    IndexIn {
        key: KeyId,
        list: Expr,
    },
    /// A label nobody has.
    Nothing,
}

/// A test on labels or types; an unknown name holds for nobody.
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

/// Which way a relationship is followed from the node at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Direction {
    Out,
    In,
    Both,
}

impl Direction {
    /// The same relationship seen from its other end.
    pub(crate) fn turned(self) -> Self {
        match self {
            Self::Out => Self::In,
            Self::In => Self::Out,
            Self::Both => Self::Both,
        }
    }
}

/// One relationship.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Expand {
    pub(crate) from: Slot,
    pub(crate) to: Slot,
    pub(crate) relationship: Slot,
    pub(crate) direction: Direction,
    pub(crate) types: Types,
    /// Whether the near end is given; only a known relationship can do without.
    pub(crate) origin: Target,
    pub(crate) target: Target,
    pub(crate) origin_labels: LabelTest,
    pub(crate) labels: LabelTest,
    /// Whether the relationship is known from an earlier clause.
    pub(crate) known: Known,
    /// Relationships of the same clause, which this one must not be.
    pub(crate) unlike: Vec<Slot>,
    pub(crate) found: Found,
}

/// What matters of what a hop finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Found {
    /// Each on its own.
    Each,
    /// Only how many there are: nobody looks at them.
    Number,
}

/// Whether an end is looked for or given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    New,
    Bound,
}

/// Whether a relationship variable is looked for or given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Known {
    No,
    Yes,
}

/// A variable number of relationships.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Walk {
    pub(crate) hop: Expand,
    pub(crate) min: u32,
    pub(crate) max: u32,
    pub(crate) properties: Vec<(Arc<str>, Expr)>,
    pub(crate) manner: Manner,
    /// Whether anybody looks at the relationships that were walked.
    pub(crate) way: Way,
    /// Whether the walk goes from the pattern's right to its left.
    pub(crate) orientation: Orientation,
}

/// What a walk has to find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Manner {
    /// Every way, each relationship at most once in it.
    EveryWay,
    /// Every node once, because nothing else can be told apart afterwards.
    EveryNode,
}

/// Whether the relationships of a walk are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    Kept,
    Forgotten,
}

/// Which end of the written pattern a walk starts from.
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

/// How many shortest paths are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    One,
    All,
}

/// A part of a named path, in written order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathPart {
    Node(Slot),
    /// One relationship, or the list of a walk.
    Relationships(Slot),
}

/// `WITH` and `RETURN`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Project {
    /// What is computed before rows are grouped.
    pub(crate) items: Vec<(Slot, Expr)>,
    pub(crate) grouping: Option<Grouping>,
    pub(crate) distinct: Distinct,
    pub(crate) order: Vec<Sort>,
    pub(crate) skip: Option<Expr>,
    pub(crate) limit: Option<Expr>,
    pub(crate) filter: Option<Expr>,
    /// The slots that live on.
    pub(crate) outputs: Vec<Slot>,
    /// Slots from before that the filter reads.
    pub(crate) carried: Vec<Slot>,
    pub(crate) place: Place,
}

/// Whether equal rows are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Distinct {
    Yes,
    No,
}

/// Aggregation: the items are the keys.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Grouping {
    pub(crate) aggregates: Vec<(Slot, Aggregation)>,
    /// What is computed from keys and aggregates.
    pub(crate) results: Vec<(Slot, Expr)>,
}

/// An aggregating call.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Aggregation {
    pub(crate) function: Aggregate,
    pub(crate) distinct: Distinct,
    /// None for `count(*)`.
    pub(crate) argument: Option<Expr>,
    /// The percentile.
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

/// Which way rows are sorted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SortDirection {
    Ascending,
    Descending,
}

/// Where unknown values go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Nulls {
    First,
    Last,
}

/// Where something is written, by its first byte. It makes no difference to what it means.
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
    /// `a < b <= c`: every neighbouring pair.
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
    /// Only while a projection is being understood; never run.
    Aggregate(Box<Aggregation>),
}

/// Whether a map projection takes all properties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Everything {
    Yes,
    No,
}

/// What a nested query is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Subquery {
    Exists,
    Count,
    Collect,
}

/// `=`, `<` and so on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// Operators on numbers; `Add` also joins texts and lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Power,
}

/// Tests on texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextTest {
    StartsWith,
    EndsWith,
    Contains,
    Matches,
}

/// `all`, `any`, `none`, `single`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Quantifier {
    All,
    Any,
    None,
    Single,
}
