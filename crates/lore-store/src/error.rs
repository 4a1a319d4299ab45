//! Store errors, grouped by what the caller can do about them.

use lore_core::Error;

/// Result of store calls.
pub type StoreResult<T> = Result<T, StoreError>;

/// Why a store call failed. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The item does not exist, is deleted, or is hidden from this viewer.
    #[error("{0} was not found")]
    NotFound(String),
    /// A precondition of the batch no longer holds: read again and retry.
    #[error("{0} changed meanwhile")]
    Conflict(String),
    /// A name or id is taken.
    #[error("{0} exists already")]
    Exists(String),
    /// The viewer's role does not allow it.
    #[error("the role {role} may not {action}")]
    Forbidden {
        /// The viewer's role.
        role: lore_core::Role,
        /// What was refused.
        action: String,
    },
    /// The item is kept elsewhere and must be changed there.
    #[error("{message}; {hint}")]
    Kept {
        /// What is kept where.
        message: String,
        /// How to change it.
        hint: String,
    },
    /// The batch is malformed, such as an edge whose weight is not a finite number.
    #[error("{0}")]
    Invalid(String),
    /// The write queue is full or a lock is held: wait and retry.
    #[error("the store is busy")]
    Busy,
    /// The file was written by a newer program: update this one.
    #[error("the store has schema {found}, this program knows up to {known}")]
    NewerSchema {
        /// The schema found.
        found: i64,
        /// The newest schema known.
        known: i64,
    },
    /// The file or database is not a Lorewell store: choose another path. It was not touched.
    #[error("{0} is not a Lorewell store")]
    Foreign(String),
    /// The data is damaged: run the doctor, restore a backup.
    #[error("the store is damaged: {0}")]
    Corrupt(String),
    /// The disk is full, read-only or broken: fix that and retry. Nothing was acknowledged.
    #[error("the disk {0}")]
    Disk(String),
    /// The file cannot be written: give this user write access, or make the disk writable.
    #[error("the file or its disk is read-only")]
    ReadOnly,
    /// This user may not open the file, which may be intact: give them access.
    #[error("this user may not open {0}")]
    Denied(String),
    /// The engine failed. Nothing was acknowledged.
    #[error("the store failed: {0}")]
    Failed(String),
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::NotFound(what) => {
                Self::not_found(what, "check the id or search for it by name")
            }
            StoreError::Conflict(what) => Self::Conflict { what },
            StoreError::Exists(what) => Self::Precondition {
                message: format!("{what} exists already"),
                hint: "choose another name, or use the existing one".into(),
            },
            StoreError::Forbidden { role, action } => Self::Forbidden {
                action: format!("the role {role} may not {action}"),
                hint: "ask the world's owner for a token with more rights".into(),
            },
            StoreError::Kept { message, hint } => Self::Precondition { message, hint },
            StoreError::Invalid(what) => {
                Self::invalid("batch", what, "correct the request and call again")
            }
            StoreError::Busy => Self::Unavailable { what: "the store".into() },
            StoreError::Corrupt(what) => Self::Corrupt { what },
            StoreError::NewerSchema { found, known } => Self::Precondition {
                message: format!("the store has schema {found}, this program knows up to {known}"),
                hint: "update lorewell, or point --data at another directory".into(),
            },
            StoreError::Foreign(what) => Self::Precondition {
                message: format!("{what} is not a Lorewell store"),
                hint: "point --data at another directory, or, if it was one, restore a backup of \
                       it; nothing was changed"
                    .into(),
            },
            StoreError::Disk(what) => Self::Precondition {
                message: format!("nothing was changed: the disk {what}"),
                hint: "make room on the disk that holds the store or mend it, then call again; \
                       `lorewell doctor` looks whether all is well"
                    .into(),
            },
            StoreError::ReadOnly => Self::Precondition {
                message: "nothing was changed: the store's file or its disk is read-only".into(),
                hint: "let this user write to the file and its directory; `lorewell doctor` looks \
                       whether all is well"
                    .into(),
            },
            StoreError::Denied(what) => Self::Precondition {
                message: format!("this user may not open {what}"),
                hint: "run as its owner, or let this user read and write it".into(),
            },
            StoreError::Failed(what) => Self::Bug { what: format!("the store failed: {what}") },
        }
    }
}
