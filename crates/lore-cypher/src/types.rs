//! The static types of expressions.

/// The type of an expression, as far as it is known before the query runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Type {
    /// Known only when it runs.
    Any,
    Null,
    Bool,
    Int,
    Float,
    String,
    List(Box<Type>),
    Map,
    Node,
    Relationship,
    Path,
    /// A date or a time.
    Moment,
    Duration,
}

impl Type {
    /// A list of anything.
    pub(crate) fn list() -> Self {
        Self::List(Box::new(Self::Any))
    }

    /// The type of the elements, if it is a list.
    pub(crate) fn element(&self) -> Self {
        match self {
            Self::List(element) => (**element).clone(),
            _ => Self::Any,
        }
    }

    /// The type that covers both.
    pub(crate) fn join(self, other: Self) -> Self {
        match (self, other) {
            (left, right) if left == right => left,
            (Self::Null, known) | (known, Self::Null) => known,
            (Self::List(left), Self::List(right)) => Self::List(Box::new(left.join(*right))),
            _ => Self::Any,
        }
    }

    /// Whether a value of this type may be one of those accepted.
    pub(crate) fn may_be(&self, accepted: &[Accepts]) -> bool {
        accepted.iter().any(|accepts| accepts.holds(self))
    }

    /// Its name in messages.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Self::Any => "any value",
            Self::Null => "null",
            Self::Bool => "a boolean",
            Self::Int => "an integer",
            Self::Float => "a float",
            Self::String => "a string",
            Self::List(_) => "a list",
            Self::Map => "a map",
            Self::Node => "a node",
            Self::Relationship => "a relationship",
            Self::Path => "a path",
            Self::Moment => "a date or time",
            Self::Duration => "a duration",
        }
    }
}

/// What an operator or a function accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Accepts {
    Anything,
    Bool,
    Int,
    Number,
    String,
    List,
    Map,
    Node,
    Relationship,
    Path,
    Temporal,
}

impl Accepts {
    fn holds(self, given: &Type) -> bool {
        match (self, given) {
            (_, Type::Any | Type::Null) | (Self::Anything, _) => true,
            (Self::Bool, given) => *given == Type::Bool,
            (Self::Int, given) => *given == Type::Int,
            (Self::Number, given) => matches!(given, Type::Int | Type::Float),
            (Self::String, given) => *given == Type::String,
            (Self::List, given) => matches!(given, Type::List(_)),
            (Self::Map, given) => *given == Type::Map,
            (Self::Node, given) => *given == Type::Node,
            (Self::Relationship, given) => *given == Type::Relationship,
            (Self::Path, given) => *given == Type::Path,
            (Self::Temporal, given) => matches!(given, Type::Moment | Type::Duration),
        }
    }

    /// Its name in messages.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Anything => "anything",
            Self::Bool => "a boolean",
            Self::Int => "an integer",
            Self::Number => "a number",
            Self::String => "a string",
            Self::List => "a list",
            Self::Map => "a map",
            Self::Node => "a node",
            Self::Relationship => "a relationship",
            Self::Path => "a path",
            Self::Temporal => "a date, time or duration",
        }
    }
}
