//! What went wrong, named after what the caller can do.

use std::io;

use lore_core::Error;

/// Why a note was not read, written or listed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VaultError {
    /// The path leads out of the folder, or could. Nothing was touched.
    #[error("Path traversal rejected: \"{path}\" resolves outside vault root")]
    Traversal {
        /// The path as it was given, shortened.
        path: String,
    },
    /// The path is no good name for a note. Nothing was touched.
    #[error("\"{path}\" {problem}")]
    BadName {
        /// The path as it was given, shortened.
        path: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// There is no such note.
    #[error("File not found: {path}")]
    NoteNotFound {
        /// The path.
        path: String,
    },
    /// There is no such folder.
    #[error("Folder not found: {path}")]
    FolderNotFound {
        /// The path.
        path: String,
    },
    /// Something is there, but it is no note: a link, a folder, a device.
    #[error("\"{path}\" is not a plain note of this vault")]
    NotANote {
        /// The path.
        path: String,
    },
    /// The note is larger than [`crate::LARGEST_NOTE`], or the folder has too many.
    #[error("\"{path}\" is larger than allowed")]
    TooLarge {
        /// The path.
        path: String,
    },
    /// The disk does not do it right now.
    #[error("the vault is not available: {reason}")]
    Unavailable {
        /// The kind of fault, without paths of this machine.
        reason: String,
    },
}

impl VaultError {
    pub(crate) fn io(error: &io::Error) -> Self {
        Self::Unavailable { reason: error.kind().to_string() }
    }
}

impl From<VaultError> for Error {
    fn from(error: VaultError) -> Self {
        let text = error.to_string();
        match error {
            VaultError::Traversal { .. }
            | VaultError::BadName { .. }
            | VaultError::NotANote { .. } => {
                let text = format!("is refused: {text}");
                Self::invalid("path", text, "give a path inside the vault, such as People/Ada.md")
            }
            VaultError::NoteNotFound { path } | VaultError::FolderNotFound { path } => {
                Self::NotFound { what: path, hint: "list the vault's notes first".into() }
            }
            VaultError::TooLarge { path } => {
                Self::TooLarge { what: path, limit: format!("{} bytes", crate::LARGEST_NOTE) }
            }
            VaultError::Unavailable { .. } => Self::Unavailable { what: "the vault".into() },
        }
    }
}
