//! Why memory did not do something, in the words of its contract.

use lore_core::Error;
use lore_core::error::short;
use lore_store::StoreError;

/// Shorthand for results of memory.
pub type Reply<T> = std::result::Result<T, Refusal>;

/// Why a use case of memory did not happen. The texts are part of the contract.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// An input is missing or blank: give it.
    #[error("{field} is required for {action}")]
    Required {
        /// The input.
        field: &'static str,
        /// The action that needs it.
        action: &'static str,
    },
    /// There is no such thing: look for its id.
    #[error("{what} not found: {}", short(id))]
    NotFound {
        /// What was looked for, capitalised.
        what: &'static str,
        /// The id as it was given.
        id: String,
    },
    /// The request cannot be fulfilled as it is: do what the hint says.
    #[error("{}", short(message))]
    Refused {
        /// What stands in the way.
        message: String,
        /// What to send instead.
        hint: String,
    },
    /// Something that is not about memory went wrong, or the caller may do nothing of the kind.
    #[error(transparent)]
    Failed(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        match error {
            // Of this thing the caller may not; of another they may.
            Error::Forbidden { action, hint } => Self::Refused { message: action, hint },
            error => Self::Failed(error),
        }
    }
}

impl Refusal {
    /// The request cannot be fulfilled as it is.
    pub fn refused(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::Refused { message: message.into(), hint: hint.into() }
    }

    /// There is no such thing.
    pub fn not_found(what: &'static str, id: &str) -> Self {
        Self::NotFound { what, id: id.trim().to_owned() }
    }

    /// What to try next.
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

/// Checks that a required text is there.
pub(super) fn required<'a>(
    field: &'static str,
    action: &'static str,
    given: Option<&'a str>,
) -> Reply<&'a str> {
    let given = given.map(str::trim).filter(|text| !text.is_empty());
    given.ok_or(Refusal::Required { field, action })
}
