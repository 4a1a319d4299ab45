//! Recognises passwords in sentences that say more between the label and the value: `password for
//! the guest network is …`, `password was changed to …`, `user admin / …`.
//!
//! So far from its label, a value counts only if it looks like a password by itself.

use super::labelled::{PASSWORD_LEAST, plain};
use super::labels::Label;
use super::looks::{is_contrived, looks_random};
use super::{Hit, near, run};

/// Matches a password label, words that say what it is for or that it changed, and a password.
pub(super) fn described(rest: &str) -> Option<Hit> {
    let label = Label::at(rest).filter(|label| label.is_password)?;
    let line = near(rest.get(label.length..)?).lines().next()?;
    let kept = label.length + value_in(line)?;
    password_at(rest, kept)
}

/// Matches a name and a password with a slash between them, after a word such as `user`.
pub(super) fn login(rest: &str) -> Option<Hit> {
    let is_login = |login: &&str| {
        rest.get(..login.len()).is_some_and(|word| word.eq_ignore_ascii_case(login))
            && !rest.get(login.len()..).is_some_and(|rest| rest.starts_with(char::is_alphabetic))
    };
    let word = LOGINS.iter().find(|login| is_login(login))?.len();
    let line = near(rest).lines().next()?;
    let slash = line.find(" / ")?;
    let name = line.get(word..slash)?.trim_start_matches(':').trim();
    let is_name = !name.is_empty() && !name.contains(char::is_whitespace);
    let hit = password_at(rest, slash + " / ".len()).filter(|_| is_name)?;
    is_contrived(rest.get(hit.kept..hit.kept + hit.length)?).then_some(hit)
}

/// Returns where the value begins in what follows a label on its line.
fn value_in(line: &str) -> Option<usize> {
    let mut before = "";
    for (count, (start, word)) in words(line).enumerate() {
        let end = start + word.len();
        let follows = || Some(end + line.get(end..)?.find(|c: char| !c.is_whitespace())?);
        let lower = word.to_lowercase();
        match lower.as_str() {
            "to" | "into" if CHANGED.contains(&before) => return follows(),
            "is" | "=" if count > 0 => return follows(),
            _ if word.ends_with(':') && count > 0 => return follows(),
            _ if word.ends_with(['.', ',', ';', '!', '?']) || count >= WORDS_MOST => return None,
            _ if count == 0 && !leads(&lower) => return None,
            _ => before = CHANGED.into_iter().find(|verb| *verb == lower).unwrap_or_default(),
        }
    }
    None
}

/// Whether the first word after a label leads to its value.
fn leads(word: &str) -> bool {
    FOR_WHAT.contains(&word) || AUXILIARIES.contains(&word) || CHANGED.contains(&word)
}

/// Returns the password that begins at a position, which may follow a quote.
fn password_at(text: &str, at: usize) -> Option<Hit> {
    let value = text.get(at..)?;
    let quotes = run(value, |c| matches!(c, '"' | '\'' | '`' | '“' | '„'));
    let value = value.get(quotes..)?;
    let single = value.get(..plain(value))?;
    let is_password = looks_random(single, PASSWORD_LEAST) || is_contrived(single);
    is_password.then_some(Hit { kind: "password", kept: at + quotes, length: single.len() })
}

/// The words of a line with their positions.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    line.split_whitespace().map(|word| (word.as_ptr() as usize - line.as_ptr() as usize, word))
}

/// How many words may stand between a label and what introduces its value.
const WORDS_MOST: usize = 8;
/// Prepositions after a label that say what the password is for.
const FOR_WHAT: [&str; 8] = ["for", "to", "of", "on", "at", "in", "für", "zum"];
/// Verbs that say that a password is new.
const CHANGED: [&str; 7] = ["changed", "set", "reset", "updated", "rotated", "switched", "renamed"];
/// What may stand before such a verb.
const AUXILIARIES: [&str; 6] = ["was", "is", "has", "got", "were", "will"];
/// Words before a login name.
const LOGINS: [&str; 5] = ["user", "username", "login", "account", "benutzer"];

#[cfg(test)]
mod tests {
    fn mask(text: &str) -> String {
        super::super::mask(text, |_| false).text
    }

    #[test]
    fn a_password_is_known_behind_what_it_is_for() {
        for (text, wanted) in [
            (
                "the wifi password for the guest net is Gr4nd-Piano-88",
                "the wifi password for the guest net is [masked password]",
            ),
            ("password for db: Xy7!kk29", "password for db: [masked password]"),
            (
                "the root password was changed to Hunter-2-Oak, I think",
                "the root password was changed to [masked password], I think",
            ),
            (
                "Password has been reset to \"Tr0ub4dor&3\"",
                "Password has been reset to \"[masked password]\"",
            ),
            ("login with user admin / Tr0ub4dor&3", "login with user admin / [masked password]"),
        ] {
            assert_eq!(mask(text), wanted);
        }
    }

    #[test]
    fn sentences_about_passwords_stay() {
        for text in [
            "The password for the gate is told by the old ferryman.",
            "The passphrase to the vault is \"speak, friend\"",
            "A password for each of the 12 servers is kept in 1Password",
            "The password of the guild was changed to something nobody remembers",
            "password for the portal: ask Hanneke",
            "The password policy for admins is ISO27001",
            "the user guide / chapter 4b",
            "Each user has 3 / 4 of the quota",
        ] {
            assert_eq!(mask(text), text);
        }
    }
}
