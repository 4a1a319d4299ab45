//! Recognises prose in place of a value, such as `required`. A value counts as prose only if all of
//! it is, because a password may begin with any word.

use super::looks::{UNITS, bare, is_term};

/// Whether a whole value is prose about the value: `required`, `not set`, `see 1Password`.
pub(super) fn is_prose(value: &str) -> bool {
    let mut words = value.split_whitespace().map(bare).peekable();
    let Some(first) = words.next() else { return false };
    let word = first.as_str();
    let goes_on = words.peek().is_some();
    let begins = DESCRIBING.contains(&word) || is_term(word) || goes_on && LEADS.contains(&word);
    let mut can_be = begins;
    while can_be && let Some(word) = words.next() {
        can_be = can_be_prose(&word, words.peek().map_or("", String::as_str));
    }
    can_be
}

/// Whether a word connects others in a sentence, which is rare in passwords.
pub(super) fn is_joining(word: &str) -> bool {
    let word = bare(word);
    JOINING.contains(&word.as_str()) || LEADS.contains(&word.as_str())
}

/// Whether a word can be part of prose about a value, given the next word.
fn can_be_prose(word: &str, next: &str) -> bool {
    let is_count = word.len() <= 3 && word.parse::<u16>().is_ok() && UNITS.contains(&next);
    let known = |of: &[&str]| of.contains(&word);
    let listed = known(&DESCRIBING) || known(&LEADS) || known(&JOINING) || known(&ABOUT);
    word.is_empty() || is_count || listed || UNITS.contains(&word) || is_term(word)
}

/// Words that describe a value in its place.
const DESCRIBING: [&str; 48] = [
    "changed",
    "confidential",
    "default",
    "disabled",
    "empty",
    "enabled",
    "encrypted",
    "expired",
    "false",
    "fehlt",
    "forgotten",
    "generated",
    "hashed",
    "hidden",
    "incorrect",
    "invalid",
    "leer",
    "mandatory",
    "masked",
    "missing",
    "n/a",
    "needed",
    "none",
    "null",
    "omitted",
    "optional",
    "pending",
    "plaintext",
    "prompt",
    "protected",
    "provided",
    "random",
    "redacted",
    "removed",
    "required",
    "reset",
    "stored",
    "string",
    "todo",
    "true",
    "unbekannt",
    "unchanged",
    "undefined",
    "unknown",
    "unset",
    "varchar",
    "wrong",
    "erforderlich",
];

/// Words that begin a sentence about a value.
const LEADS: [&str; 18] = [
    "ask", "cannot", "does", "is", "ist", "kept", "may", "must", "needs", "never", "not", "only",
    "password", "same", "see", "should", "siehe", "too",
];

/// Words that connect others.
const JOINING: [&str; 43] = [
    "a", "after", "an", "and", "are", "as", "at", "be", "been", "before", "but", "by", "do",
    "every", "for", "from", "has", "have", "if", "in", "it", "its", "least", "most", "of", "on",
    "or", "over", "since", "than", "that", "the", "then", "there", "to", "under", "until", "was",
    "were", "when", "which", "will", "with",
];

/// Further words that are used about values and where they are.
const ABOUT: [&str; 45] = [
    "above",
    "admin",
    "below",
    "bitwarden",
    "blank",
    "common",
    "contain",
    "docs",
    "documentation",
    "entry",
    "env",
    "environment",
    "field",
    "file",
    "keepass",
    "key",
    "keyboard",
    "keychain",
    "lastpass",
    "long",
    "longer",
    "manager",
    "match",
    "maximum",
    "minimum",
    "note",
    "notes",
    "readme",
    "safe",
    "secret",
    "secrets",
    "server",
    "set",
    "short",
    "shorter",
    "store",
    "team",
    "use",
    "used",
    "user",
    "value",
    "variable",
    "vault",
    "weak",
    "wiki",
];
