//! The errors of a query, distinguished by what the caller can do about them.

use std::fmt;
use std::time::Duration;

/// Why a query failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CypherError {
    /// The text has to be changed: it is not Cypher, or it has no meaning.
    #[error("{problem}: {message}{}{}", at(position), after(hint))]
    Invalid {
        /// The kind of mistake.
        problem: Problem,
        /// What is wrong, in a sentence.
        message: String,
        /// The position of the mistake.
        position: Option<Position>,
        /// What would be correct.
        hint: Option<String>,
    },
    /// The text asks for something this engine does not support, such as writing.
    #[error("{message}{}", at(position))]
    Refused {
        /// What was refused and what to do instead.
        message: String,
        /// The position of what was refused.
        position: Option<Position>,
    },
    /// A value had the wrong type or was out of range at run time.
    #[error("{message}{}{}", at(position), after(hint))]
    Failed {
        /// What happened, in a sentence.
        message: String,
        /// The position of the expression that failed.
        position: Option<Position>,
        /// What would be correct.
        hint: Option<String>,
    },
    /// The query exceeded a limit: ask for less.
    #[error("the query was stopped: {0}")]
    OverBudget(Budget),
    /// The caller cancelled the query.
    #[error("the query was cancelled")]
    Cancelled,
}

/// The kinds of mistakes in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// Not Cypher.
    Syntax,
    /// An unknown name.
    UndefinedVariable,
    /// A name that is already used for something else.
    VariableClash,
    /// A value of a type that is not allowed there.
    Type,
    /// Aggregation where it is not allowed, or an expression that is not grouped.
    Aggregation,
    /// A function that does not exist, or the wrong number of arguments.
    Function,
    /// Two columns with the same name, a column without one, or unions with different columns.
    Columns,
    /// A number that is out of range.
    Number,
    /// A clause that is not allowed there.
    Clause,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Syntax => "syntax error",
            Self::UndefinedVariable => "undefined variable",
            Self::VariableClash => "clashing variable",
            Self::Type => "wrong type",
            Self::Aggregation => "misplaced aggregation",
            Self::Function => "wrong function call",
            Self::Columns => "wrong columns",
            Self::Number => "number out of range",
            Self::Clause => "misplaced clause",
        })
    }
}

/// A position in the text of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The line, starting at 1.
    pub line: usize,
    /// The character in the line, starting at 1.
    pub column: usize,
}

impl Position {
    /// Converts a byte offset in a text.
    pub(crate) fn of(text: &str, byte: usize) -> Self {
        let before = text.get(..byte).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            line: before.matches('\n').count() + 1,
            column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
        }
    }
}

/// The limit that a query exceeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Budget {
    /// Rows of the answer.
    #[error("more than {0} rows; add LIMIT, or count instead of listing")]
    Rows(u64),
    /// Steps through the graph and through lists.
    #[error(
        "more than {0} steps through the graph; name a label or a property, shorten \
         variable-length paths, or connect the parts of the pattern"
    )]
    Steps(u64),
    /// Bytes in use at once.
    #[error("more than {0} bytes of intermediate results; return or collect less")]
    Memory(u64),
    /// Time.
    #[error(
        "longer than {0:?}; name a label or a property, shorten variable-length paths, or work on \
         shorter texts and lists"
    )]
    Time(Duration),
    /// Length or nesting depth of the text.
    #[error("the text is longer or more deeply nested than allowed ({0})")]
    Text(u64),
}

/// The result type of this crate.
pub type Result<T> = std::result::Result<T, CypherError>;

/// Returns an error at run time.
pub(crate) fn failed<T>(message: impl Into<String>) -> Result<T> {
    Err(CypherError::failure(message))
}

impl CypherError {
    /// Creates an error at run time, still without a position.
    pub(crate) fn failure(message: impl Into<String>) -> Self {
        Self::Failed { message: message.into(), position: None, hint: None }
    }

    /// Adds a hint, unless there is one.
    pub(crate) fn with_hint(mut self, advice: &str) -> Self {
        if let Self::Failed { hint: hint @ None, .. } = &mut self {
            *hint = Some(advice.to_owned());
        }
        self
    }

    /// Adds a position, and a hint if there is none, unless an inner expression has already set the
    /// position.
    pub(crate) fn at(mut self, there: impl FnOnce() -> (Position, Option<String>)) -> Self {
        if let Self::Failed { position: position @ None, hint, .. } = &mut self {
            let (found, advice) = there();
            *position = Some(found);
            *hint = hint.take().or(advice);
        }
        self
    }
}

fn at(position: &Option<Position>) -> String {
    position.map_or_else(String::new, |position| {
        format!(" (line {}, column {})", position.line, position.column)
    })
}

fn after(hint: &Option<String>) -> String {
    hint.as_ref().map_or_else(String::new, |hint| format!("; {hint}"))
}
