//! What a value looks like: a random credential, a placeholder, or prose.

use super::prose::is_prose;
use super::run;

/// Technical terms that contain a digit.
const TERMS: [&str; 25] = [
    "1password",
    "2fa",
    "a11y",
    "aes128",
    "aes256",
    "argon2",
    "argon2id",
    "base32",
    "base64",
    "base64url",
    "e2e",
    "ec2",
    "ed25519",
    "i18n",
    "ipv4",
    "ipv6",
    "k8s",
    "md5",
    "oauth2",
    "pbkdf2",
    "sha1",
    "sha256",
    "sha512",
    "utf8",
    "x509",
];

/// Units that follow a count: `12-character`, `8chars`.
pub(super) const UNITS: [&str; 18] = [
    "bit",
    "bits",
    "bytes",
    "char",
    "character",
    "characters",
    "chars",
    "day",
    "days",
    "digit",
    "digits",
    "hours",
    "letter",
    "letters",
    "minutes",
    "months",
    "word",
    "words",
];

/// Returns a word in lower case without surrounding punctuation.
pub(super) fn bare(word: &str) -> String {
    word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase()
}

/// Whether a word looks like a password: with symbols or digits between its letters.
pub(super) fn is_contrived(word: &str) -> bool {
    let is_address = word.split_once('@').is_some_and(|(_, host)| host.contains('.'));
    let letters: Vec<char> = word.chars().collect();
    let between = |of: fn(char) -> bool, beside: fn(char) -> bool| {
        letters.windows(3).any(|near| match near {
            [before, it, after] => of(*it) && beside(*before) && beside(*after),
            _ => false,
        })
    };
    let sign = |c: char| matches!(c, '@' | '!' | '#' | '$' | '%' | '^' | '*');
    let odd = between(sign, char::is_alphanumeric)
        || between(|c| c.is_ascii_digit(), char::is_alphabetic);
    letters.len() >= 4 && odd && !is_address && !is_placeholder(word) && !is_term(word)
}

/// Whether a word can only be a password, even where a sentence may go on: it is contrived, or mixes
/// small letters, capitals and digits.
pub(super) fn is_strong(word: &str) -> bool {
    let has = |of: fn(char) -> bool| word.contains(of);
    let is_mixed = has(char::is_lowercase) && has(char::is_uppercase) && has(char::is_numeric);
    is_contrived(word) || is_mixed && is_long(word) && !is_term(word)
}

/// Whether a word is unlikely in a sentence: with a digit, a symbol or an inner capital.
pub(super) fn is_odd(word: &str) -> bool {
    let word = word.trim_end_matches(['.', ',', ';', '!', '?']);
    let sign = |c: char| c.is_ascii_digit() || matches!(c, '@' | '!' | '#' | '$' | '%' | '^' | '&');
    let is_small = word.starts_with(char::is_lowercase);
    let odd = word.contains(sign) || is_small && word.contains(char::is_uppercase);
    odd && word != "&" && !is_term(word)
}

/// Whether a value looks random. After a colon there is often prose, so only such values count
/// there.
pub(super) fn looks_random(value: &str, least: usize) -> bool {
    let digit = value.contains(|c: char| c.is_ascii_digit());
    let letter = value.contains(char::is_alphabetic);
    let word = !value.contains(char::is_whitespace) && !value.contains("://");
    let long = value.chars().count() >= least;
    long && digit && letter && word && !is_placeholder(value) && !is_term(value)
}

pub(super) fn is_term(word: &str) -> bool {
    let word = bare(word);
    let name = word.split('-').next().unwrap_or_default();
    let digits = run(&word, |c| c.is_ascii_digit());
    let counted = word.get(digits..).unwrap_or_default().trim_start_matches(['-', '+']);
    TERMS.contains(&name) || digits > 0 && UNITS.contains(&counted)
}

/// Whether a value is a placeholder, such as `<password>` or `$PASSWORD`.
pub(super) fn is_placeholder(value: &str) -> bool {
    value.starts_with(['$', '<', '{', '[', '*'])
}

pub(super) fn is_long(value: &str) -> bool {
    value.chars().count() >= 8 && !is_placeholder(value)
}

/// Whether a value is a literal, and not a placeholder or an expression that yields one.
pub(super) fn is_literal(value: &str, name: &str) -> bool {
    let place = value.starts_with(['(', '=', '/', '~']);
    let code = value.contains(['(', '[']) || value.contains('.') && value_names(value, name);
    is_text(value) && !place && !code && !value.eq_ignore_ascii_case(name)
}

/// Whether a quoted value is a literal, and not a placeholder.
pub(super) fn is_text(value: &str) -> bool {
    value.chars().count() >= 4 && !is_placeholder(value) && !is_prose(value)
}

/// Whether a value ends with the name it is assigned to, such as `settings.DB_PASSWORD`.
fn value_names(value: &str, name: &str) -> bool {
    !name.is_empty() && value.to_ascii_lowercase().ends_with(name)
}
