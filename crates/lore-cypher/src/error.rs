//! What can go wrong with a question, named after what the asker can do.

use std::fmt;
use std::time::Duration;

/// Why a question was not answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CypherError {
    /// The text has to be changed: it is not Cypher, or it cannot mean anything.
    #[error("{problem}: {message}{}{}", at(position), after(hint))]
    Invalid {
        /// The kind of mistake.
        problem: Problem,
        /// What is wrong, in a sentence.
        message: String,
        /// Where it is wrong.
        position: Option<Position>,
        /// What would be right.
        hint: Option<String>,
    },
    /// The text asks for something this engine does not do, such as writing.
    #[error("{message}{}", at(position))]
    Refused {
        /// What was refused and what to do instead.
        message: String,
        /// Where it was asked for.
        position: Option<Position>,
    },
    /// A value turned out to be of the wrong kind or out of range.
    #[error("{message}{}{}", at(position), after(hint))]
    Failed {
        /// What turned out, in a sentence.
        message: String,
        /// What was computed there.
        position: Option<Position>,
        /// What would be right.
        hint: Option<String>,
    },
    /// The answer would cost more than allowed: ask for less.
    #[error("the query was stopped: {0}")]
    OverBudget(Budget),
    /// Somebody took the question back.
    #[error("the query was cancelled")]
    Cancelled,
}

/// The kinds of mistakes in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// Not Cypher.
    Syntax,
    /// A name nobody introduced.
    UndefinedVariable,
    /// A name that stands for something else already.
    VariableClash,
    /// A value of a kind that cannot be used there.
    Type,
    /// Aggregation where it cannot be, or of what is not grouped.
    Aggregation,
    /// A function that does not exist, or the wrong number of arguments.
    Function,
    /// Two columns of one name, a column without one, or unions that do not fit.
    Columns,
    /// A number that does not fit.
    Number,
    /// A clause that cannot stand there.
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

/// A place in the text of a query, both counted from one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The character in the line.
    pub column: usize,
}

impl Position {
    /// Where a byte of a text is.
    pub(crate) fn of(text: &str, byte: usize) -> Self {
        let before = text.get(..byte).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            line: before.matches('\n').count() + 1,
            column: before.get(line_start..).unwrap_or_default().chars().count() + 1,
        }
    }
}

/// What a query ran out of.
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
    /// Bytes held at once.
    #[error("more than {0} bytes of intermediate results; return or collect less")]
    Memory(u64),
    /// Time.
    #[error(
        "longer than {0:?}; name a label or a property, shorten variable-length paths, or work on \
         shorter texts and lists"
    )]
    Time(Duration),
    /// Length or nesting of the text itself.
    #[error("the text is longer or more deeply nested than allowed ({0})")]
    Text(u64),
}

/// For results of this crate.
pub type Result<T> = std::result::Result<T, CypherError>;

/// A failure while running.
pub(crate) fn failed<T>(message: impl Into<String>) -> Result<T> {
    Err(CypherError::failure(message))
}

impl CypherError {
    /// A failure while running, before anybody told where.
    pub(crate) fn failure(message: impl Into<String>) -> Self {
        Self::Failed { message: message.into(), position: None, hint: None }
    }

    /// Says what would be right, before anybody told where.
    pub(crate) fn with_hint(mut self, advice: &str) -> Self {
        if let Self::Failed { hint: hint @ None, .. } = &mut self {
            *hint = Some(advice.to_owned());
        }
        self
    }

    /// Says where something failed, unless that was said already by what is inside of it.
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
