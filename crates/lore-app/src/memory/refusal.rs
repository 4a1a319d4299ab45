//! Errors of the memory toolset, in the words of its contract.

use lore_core::Error;
use lore_core::error::{named, short};
use lore_store::StoreError;

/// Result of a memory use case.
pub type Reply<T> = std::result::Result<T, Refusal>;

/// Why a memory use case failed. The messages are part of the contract.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A required input is missing or blank.
    #[error("{field} is required for {action}")]
    Required {
        /// The name of the input.
        field: &'static str,
        /// The action that needs it.
        action: &'static str,
    },
    /// Nothing has this id or name.
    #[error("{what} not found: {}", named(id))]
    NotFound {
        /// What was looked for, capitalised.
        what: &'static str,
        /// The id as it was given.
        id: String,
    },
    /// The request cannot be fulfilled as it is.
    #[error("{}", short(message))]
    Refused {
        /// What is wrong.
        message: String,
        /// What to do instead.
        hint: String,
    },
    /// An error that is not specific to memory, or the caller may not write at all.
    #[error(transparent)]
    Failed(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        match error {
            // Only this one thing is forbidden to the caller, so it is reported as a refusal.
            Error::Forbidden { action, hint } => Self::Refused { message: action, hint },
            error => Self::Failed(error),
        }
    }
}

impl Refusal {
    /// Creates a [`Refusal::Refused`].
    pub fn refused(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Refused { message: message.into(), hint: hint.into() }
    }

    /// Creates a [`Refusal::NotFound`].
    pub fn not_found(what: &'static str, id: &str) -> Self {
        Self::NotFound { what, id: id.trim().to_owned() }
    }

    /// Returns what to try next.
    pub fn hint(&self) -> String {
        match self {
            Self::Required { field, .. } => format!("call again with {field}"),
            Self::NotFound { .. } => {
                "look for the id with kn_intel recall, kn_graph query or a list action".to_owned()
            }
            Self::Refused { hint, .. } => short(hint).into_owned(),
            Self::Failed(error) => error.hint(),
        }
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Self {
        Error::from(error).into()
    }
}

/// Returns a required text, trimmed. Fails if it is missing or blank.
pub(super) fn required<'a>(
    field: &'static str,
    action: &'static str,
    given: Option<&'a str>,
) -> Reply<&'a str> {
    let given = given.map(str::trim).filter(|text| !text.is_empty());
    given.ok_or(Refusal::Required { field, action })
}
