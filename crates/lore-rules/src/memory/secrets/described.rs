//! Recognises passwords in sentences that say more between the label and the value: `password for
//! the guest network is …`, `changed the password to …`, `user admin / …`, `token …`.
//!
//! So far from its label, a value counts only if it looks like a password by itself.

use super::forms::{is_slug, known_by_form};
use super::labelled::{PASSWORD_LEAST, plain};
use super::labels::{IS, Label, STILL};
use super::looks::{is_contrived, is_strong, looks_random};
use super::{Hit, is_word, near, run};

/// Matches a password label, words that say what it is for or that it changed, and a password.
pub(super) fn described(rest: &str, before: &str) -> Option<Hit> {
    let label = Label::at(rest).filter(|label| label.is_password)?;
    let line = near(rest.get(label.length..)?).lines().next()?;
    if let Some(at) = value_in(line) {
        return password_at(rest, label.length + at);
    }
    // `and password …`, or `changed the password to …`.
    let (start, word) = words(line).next().filter(|(start, _)| *start > 0)?;
    let is_new = || ["to", "auf", "a", "à"].contains(&word) && is_changed(before);
    let at = if is_new() { words(line).nth(1)?.0 } else { start };
    let hit = password_at(rest, label.length + at)?;
    let value = rest.get(hit.kept..hit.kept + hit.length)?;
    (is_new() || is_strong(value)).then_some(hit)
}

/// Whether the words before a label say that its value is another now.
fn is_changed(before: &str) -> bool {
    const NEAR: usize = 60;
    let before = before.get(before.ceil_char_boundary(before.len().saturating_sub(NEAR))..);
    let line = before.and_then(|before| before.rsplit('\n').next()).unwrap_or_default();
    line.split_whitespace().any(|word| {
        let word = word.to_lowercase();
        CHANGED.contains(&word.as_str()) || CHANGING.contains(&word.as_str())
    })
}

/// Matches a label such as `token` that is directly followed by a key. What the key is for is told
/// by its own form, if that is known.
pub(super) fn token(rest: &str) -> Option<Hit> {
    const LEAST: usize = 32;
    let label = Label::at(rest).filter(|label| !label.is_password)?;
    let value = rest.get(label.length..)?.strip_prefix(' ')?;
    if known_by_form(value).is_some() {
        return None;
    }
    let value = value.get(..run(value, is_word))?;
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let hit = Hit { kind: "secret", kept: label.length + 1, length: value.len() };
    (value.len() >= LEAST && digits > 2 && looks_random(value, LEAST) && !is_slug(value))
        .then_some(hit)
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
    is_strong(rest.get(hit.kept..hit.kept + hit.length)?).then_some(hit)
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
            "=" if count > 0 => return follows(),
            _ if count > 0 && IS.contains(&lower.as_str()) => {
                let next = follows()?;
                let (_, still) = words(line.get(next..)?).next()?;
                let is_still = STILL.contains(&still.trim_end_matches(':').to_lowercase().as_str());
                let (after, _) = words(line.get(next..)?).nth(usize::from(is_still))?;
                return Some(next + after);
            }
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
    let beginning = near(value);
    let single = beginning.get(..plain(beginning))?;
    let is_password = looks_random(single, PASSWORD_LEAST) || is_contrived(single);
    let is_whole = single.len() < beginning.len();
    let length = || if is_whole { single.len() } else { plain(value) };
    is_password.then(|| Hit { kind: "password", kept: at + quotes, length: length() })
}

/// The words of a line with their positions.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    line.split_whitespace().map(|word| (word.as_ptr() as usize - line.as_ptr() as usize, word))
}

/// How many words may stand between a label and what introduces its value.
const WORDS_MOST: usize = 8;
/// Prepositions after a label that say what the password is for.
const FOR_WHAT: [&str; 24] = [
    "for", "to", "of", "on", "at", "in", "für", "zum", "zur", "von", "vom", "del", "de", "du",
    "da", "do", "di", "para", "pour", "per", "voor", "van", "от", "для",
];
/// Verbs that say that a password is new.
const CHANGED: [&str; 7] = ["changed", "set", "reset", "updated", "rotated", "switched", "renamed"];
/// What may stand before such a verb.
const AUXILIARIES: [&str; 6] = ["was", "is", "has", "got", "were", "will"];
/// Words before a login name.
const LOGINS: [&str; 9] = [
    "user",
    "username",
    "login",
    "account",
    "benutzer",
    "credentials",
    "creds",
    "logindaten",
    "zugangsdaten",
];
/// Further forms of these verbs, before a label.
const CHANGING: [&str; 9] =
    ["change", "update", "rotate", "switch", "geändert", "gesetzt", "ändere", "cambiado", "changé"];

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
            ("credentials: admin / Tiger99x", "credentials: admin / [masked password]"),
            ("user: admin, pass: Tiger99x", "user: admin, pass: [masked password]"),
            ("<password>Tiger99x</password>", "<password>[masked password]</password>"),
            (
                "<add key=\"Password\" value=\"Tiger99x\"/>",
                "<add key=\"Password\" value=\"[masked password]\"/>",
            ),
            (
                "Login with user admin and password Tiger99x",
                "Login with user admin and password [masked password]",
            ),
            ("I changed the password to tiger99x", "I changed the password to [masked password]"),
            (
                "Das Passwort für den NAS ist Tiger99x",
                "Das Passwort für den NAS ist [masked password]",
            ),
            (
                "Das neue Passwort für das WLAN lautet jetzt Tiger99x",
                "Das neue Passwort für das WLAN lautet jetzt [masked password]",
            ),
            (
                "la contraseña del servidor es ahora Tiger99x",
                "la contraseña del servidor es ahora [masked password]",
            ),
            (
                "le mot de passe du wifi est maintenant Tiger99x",
                "le mot de passe du wifi est maintenant [masked password]",
            ),
            ("Пароль: Зима2024!", "Пароль: [masked password]"),
            ("Пароль от сервера: Qwerty12345", "Пароль от сервера: [masked password]"),
            (
                "cloudflare token a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0",
                "cloudflare token [masked secret]",
            ),
            (
                "twilio auth token 0a1b2c3d4e5f60718293a4b5c6d7e8f9",
                "twilio auth token [masked secret]",
            ),
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
            "the password is required",
            "The password ISO27001 asks for must be long",
            "Send the password to server2 by hand",
            "I changed the password to something longer",
            "set the password to expire every 30 days",
            "second pass: 12 files, first pass = compute_all",
            "a <password> is asked for, see <token>",
            "Das Passwort für den NAS ist bekannt",
            "La contraseña del servidor es la misma de 2023",
            "the token get_the_token_of_the_second_server_2024_again is a function",
            "the token 12 was lost",
        ] {
            assert_eq!(mask(text), text);
        }
    }
}
