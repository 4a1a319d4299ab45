//! Errors, named after what the caller can do.

use std::io;

use lore_core::Error;

/// Why a note could not be read, written or listed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VaultError {
    /// The path leads out of the folder, or could. Nothing was touched.
    #[error("Path traversal rejected: \"{path}\" resolves outside vault root")]
    Traversal {
        /// The path as given, shortened.
        path: String,
    },
    /// The path is not a valid name for a note. Nothing was touched.
    #[error("\"{path}\" {problem}")]
    BadName {
        /// The path as given, shortened.
        path: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The note does not exist.
    #[error("File not found: {path}")]
    NoteNotFound {
        /// The path.
        path: String,
    },
    /// The folder does not exist.
    #[error("Folder not found: {path}")]
    FolderNotFound {
        /// The path.
        path: String,
    },
    /// Something exists there, but it is not a note: a link, a folder, a device.
    #[error("\"{path}\" is not a plain note of this vault")]
    NotANote {
        /// The path.
        path: String,
    },
    /// This program may not open it.
    #[error("\"{path}\" may not be opened by the user who runs this program")]
    Denied {
        /// The path.
        path: String,
    },
    /// The new text is larger than [`crate::LARGEST_NOTE`].
    #[error("\"{path}\" is larger than allowed")]
    TooLarge {
        /// The path.
        path: String,
    },
    /// The note in the vault is larger than [`crate::LARGEST_NOTE`].
    #[error("\"{path}\" has more than {} bytes, so it is not read", crate::LARGEST_NOTE)]
    Giant {
        /// The path.
        path: String,
    },
    /// The note is neither UTF-8 nor UTF-16, and writing would lose what cannot be read in it.
    #[error("\"{path}\" is neither UTF-8 nor UTF-16, so what it says now would be lost")]
    UnknownEncoding {
        /// The path.
        path: String,
    },
    /// The vault has too many notes to list them.
    #[error("the vault has more than {most} notes")]
    TooManyNotes {
        /// The largest number.
        most: usize,
    },
    /// The operating system reported an error.
    #[error("the vault is not available: {reason}")]
    Unavailable {
        /// The kind of error, without paths of this machine.
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
            VaultError::Denied { .. } => {
                let hint = "let that user read and write it (chmod or chown, as its owner)".into();
                Self::Precondition { message: text, hint }
            }
            VaultError::NoteNotFound { path } | VaultError::FolderNotFound { path } => {
                Self::NotFound { what: path, hint: "list the vault's notes first".into() }
            }
            VaultError::TooLarge { path } => {
                Self::TooLarge { what: path, limit: format!("{} bytes", crate::LARGEST_NOTE) }
            }
            VaultError::Giant { .. } => Self::invalid(
                "path",
                format!("is refused: {text}"),
                "divide it into several notes in an editor",
            ),
            VaultError::UnknownEncoding { .. } => Self::Precondition {
                message: text,
                hint: "open it in an editor and save it as UTF-8, or write it to another path"
                    .into(),
            },
            VaultError::TooManyNotes { most } => {
                Self::TooLarge { what: "the vault".into(), limit: format!("{most} notes") }
            }
            VaultError::Unavailable { .. } => Self::Unavailable { what: "the vault".into() },
        }
    }
}
