//! The node's key and its file.

use std::io;

use lore_core::{Entropy, Error, Result};
use lore_koinet::KeyPair;

/// Storage of the node's key. Implementations must keep others from reading it.
pub trait KeyFile: Send + Sync {
    /// Returns the content of the file; `None` if there is no file.
    fn read(&self) -> io::Result<Option<String>>;

    /// Creates the file durably, readable by its owner only. Must never overwrite another key.
    fn write(&self, pem: &str) -> io::Result<()>;

    /// Replaces the file by another form of the same key: atomically, durably, and readable by its
    /// owner only.
    fn replace(&self, pem: &str) -> io::Result<()>;
}

/// Loads the node's key, or generates and stores one if there is none. With a password, the file is
/// encrypted, even if it was not before.
pub fn load_or_make_key(
    file: &dyn KeyFile,
    password: Option<&str>,
    entropy: &dyn Entropy,
) -> Result<KeyPair> {
    if let Some(pem) = file.read().map_err(unreadable)? {
        let key = KeyPair::from_pem(&pem, password).map_err(unusable)?;
        if password.is_some() && !KeyPair::is_encrypted(&pem) {
            let sealed = key.to_pem(password, entropy).map_err(unusable)?;
            file.replace(&sealed).map_err(unreadable)?;
            tracing::info!("the federation's key file is encrypted from now on");
        }
        return Ok(key);
    }
    let key = KeyPair::generate(entropy);
    let pem = key.to_pem(password, entropy).map_err(unusable)?;
    file.write(&pem).map_err(unreadable)?;
    Ok(key)
}

/// Fails if there is a key that cannot be used. Never creates or changes anything.
pub fn check_key(file: &dyn KeyFile, password: Option<&str>) -> Result<()> {
    match file.read().map_err(unreadable)? {
        Some(pem) => KeyPair::from_pem(&pem, password).map(drop).map_err(unusable),
        None => Ok(()),
    }
}

fn unreadable(error: io::Error) -> Error {
    Error::Precondition {
        message: format!("the key file of the federation cannot be read ({})", error.kind()),
        hint: "let this user read koi-net.pem in the data directory, and write to that".into(),
    }
}

fn unusable(error: lore_koinet::KeyError) -> Error {
    Error::Precondition {
        message: format!("the federation's key cannot be used: {error}"),
        hint: "set PRIV_KEY_PASSWORD to the file's password, or restore the file from a backup"
            .into(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use lore_core::effects::FixedEntropy;

    use super::*;

    #[derive(Default)]
    struct Pocket(Mutex<Option<String>>);

    impl KeyFile for Pocket {
        fn read(&self) -> io::Result<Option<String>> {
            Ok(self.0.lock().unwrap().clone())
        }

        fn write(&self, pem: &str) -> io::Result<()> {
            assert!(self.0.lock().unwrap().replace(pem.to_owned()).is_none());
            Ok(())
        }

        fn replace(&self, pem: &str) -> io::Result<()> {
            assert!(self.0.lock().unwrap().replace(pem.to_owned()).is_some());
            Ok(())
        }
    }

    #[test]
    fn a_password_that_comes_later_encrypts_the_key() {
        let (file, entropy) = (Pocket::default(), FixedEntropy::new(8));
        let key = load_or_make_key(&file, None, &entropy).unwrap();
        assert!(!KeyPair::is_encrypted(&file.read().unwrap().unwrap()));
        let same = load_or_make_key(&file, Some("open sesame"), &entropy).unwrap();
        let sealed = file.read().unwrap().unwrap();
        assert!(KeyPair::is_encrypted(&sealed));
        assert_eq!(same.public(), key.public());
        load_or_make_key(&file, Some("open sesame"), &entropy).unwrap();
        assert_eq!(file.read().unwrap().unwrap(), sealed, "what is encrypted stays as it is");
        assert!(load_or_make_key(&file, None, &entropy).is_err());
    }
}
