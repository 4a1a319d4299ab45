//! Secrets from the configuration, which cannot be printed by accident.

use std::fmt;

/// A token or key. It cannot be displayed: its only use is in the headers of requests to the
/// service it belongs to.
#[derive(Clone, serde::Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// Wraps a secret.
    pub fn new(secret: impl Into<String>) -> Self {
        Self(secret.into())
    }

    /// Removes the secret from a text written by others. Very short secrets are not removed,
    /// because they would occur in any text.
    pub fn hidden_in(&self, text: &str) -> String {
        const SHORTEST: usize = 8;
        if self.0.len() < SHORTEST { text.to_owned() } else { text.replace(&self.0, "…") }
    }

    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_does_not_show_itself() {
        assert_eq!(format!("{:?}", Secret::new("hush")), "Secret(…)");
    }

    #[test]
    fn a_secret_does_not_show_in_what_others_say() {
        let told = Secret::new("hush-hush-hush").hidden_in("no \"hush-hush-hush\" here");
        assert_eq!(told, "no \"…\" here");
        assert_eq!(Secret::new("o").hidden_in("no"), "no");
    }
}
