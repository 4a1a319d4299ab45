//! The node's key and its file.

use std::io;

use lore_core::{Entropy, Error, Result};
use lore_koinet::KeyPair;

/// Where the key is kept. Whoever holds the disk sees to it that nobody else reads it.
pub trait KeyFile: Send + Sync {
    /// What the file holds; `None` when there is none.
    fn read(&self) -> io::Result<Option<String>>;

    /// Writes the file, readable by its owner only, and durably.
    fn write(&self, pem: &str) -> io::Result<()>;
}

/// The node's key; made and kept when there is none. With a password, the file is
/// encrypted.
pub fn load_or_make_key(
    file: &dyn KeyFile,
    password: Option<&str>,
    entropy: &dyn Entropy,
) -> Result<KeyPair> {
    let unreadable = |error: io::Error| Error::Unavailable {
        what: format!("the key file of the federation ({})", error.kind()),
    };
    if let Some(pem) = file.read().map_err(unreadable)? {
        return KeyPair::from_pem(&pem, password).map_err(unusable);
    }
    let key = KeyPair::generate(entropy);
    let pem = key.to_pem(password, entropy).map_err(unusable)?;
    file.write(&pem).map_err(unreadable)?;
    Ok(key)
}

fn unusable(error: lore_koinet::KeyError) -> Error {
    Error::Precondition {
        message: format!("the federation's key cannot be used: {error}"),
        hint: "set PRIV_KEY_PASSWORD to the file's password, or restore the file from a backup"
            .into(),
    }
}
