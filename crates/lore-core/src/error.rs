//! The error that every use case returns, and the single table of what each error means on every
//! surface.
//!
//! A variant is named after what the caller can do about it. Messages never contain secrets,
//! because they reach language models and logs. Input that a message repeats is shortened and
//! cleaned of hidden characters.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::time::Duration;

use crate::texts;

/// Result of use cases.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a use case failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An input is missing or wrong: correct `field`.
    #[error("{} {}", named(field), short(problem))]
    Invalid {
        /// The input's path, such as `dice[2].sides`.
        field: String,
        /// What is wrong with it, continuing a sentence that starts with the field.
        problem: String,
        /// What to send instead.
        hint: String,
    },
    /// The item does not exist, or this viewer may not know that it does.
    #[error("{} was not found", named(what))]
    NotFound {
        /// What was asked for.
        what: String,
        /// Where to look for it.
        hint: String,
    },
    /// Somebody else changed the item first: read it again, then retry.
    #[error("{} was changed by somebody else", named(what))]
    Conflict {
        /// What changed.
        what: String,
    },
    /// The request is valid, but not in the current state of the world.
    #[error("{}", short(message))]
    Precondition {
        /// What prevents it.
        message: String,
        /// What to do first.
        hint: String,
    },
    /// The viewer's role does not allow it.
    #[error("{}", short(action))]
    Forbidden {
        /// What was refused.
        action: String,
        /// How to get permission.
        hint: String,
    },
    /// The request is larger than allowed.
    #[error("{} is larger than {limit}", named(what))]
    TooLarge {
        /// What is too large.
        what: String,
        /// The limit, with its unit.
        limit: String,
    },
    /// Too many requests: wait, then retry.
    #[error("too many requests to {to}")]
    Throttled {
        /// The receiver of too many requests.
        to: &'static str,
        /// How long to wait.
        retry_after: Duration,
    },
    /// The server cannot do it right now: wait, then retry.
    #[error("{} is not available right now", named(what))]
    Unavailable {
        /// What is busy or down.
        what: String,
    },
    /// The caller cancelled the request.
    #[error("the request was cancelled")]
    Cancelled,
    /// The stored data is damaged.
    #[error("the stored data is damaged: {what}")]
    Corrupt {
        /// What was found.
        what: String,
    },
    /// A bug in Lorewell. Details are in the log, not here.
    #[error("an internal error happened while working on this: {what}")]
    Bug {
        /// Which part failed, in a few words.
        what: String,
    },
}

impl Error {
    /// Creates an [`Error::Invalid`]. `problem` continues a sentence that starts with the field.
    pub fn invalid(
        field: impl Into<String>,
        problem: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self::Invalid { field: field.into(), problem: problem.into(), hint: hint.into() }
    }

    /// Creates an [`Error::NotFound`].
    pub fn not_found(what: impl Into<String>, hint: impl Into<String>) -> Self {
        Self::NotFound { what: what.into(), hint: hint.into() }
    }

    /// The error's stable code.
    pub fn code(&self) -> Code {
        match self {
            Self::Invalid { .. } => Code::Invalid,
            Self::NotFound { .. } => Code::NotFound,
            Self::Conflict { .. } => Code::Conflict,
            Self::Precondition { .. } => Code::Precondition,
            Self::Forbidden { .. } => Code::Forbidden,
            Self::TooLarge { .. } => Code::TooLarge,
            Self::Throttled { .. } => Code::Throttled,
            Self::Unavailable { .. } => Code::Unavailable,
            Self::Cancelled => Code::Cancelled,
            Self::Corrupt { .. } => Code::Corrupt,
            Self::Bug { .. } => Code::Bug,
        }
    }

    /// What to try next: the error's own hint, or its code's general advice.
    pub fn hint(&self) -> String {
        match self {
            Self::Invalid { hint, .. }
            | Self::NotFound { hint, .. }
            | Self::Precondition { hint, .. }
            | Self::Forbidden { hint, .. } => short(hint).into_owned(),
            Self::Throttled { retry_after, .. } => {
                format!("wait {} s, then send the same request again", retry_after.as_secs().max(1))
            }
            _ => self.code().meaning().advice.to_owned(),
        }
    }
}

/// Shortens input that an answer repeats: the caller recognises it by its beginning.
pub fn echoed(mut given: String) -> String {
    /// The most characters that are repeated.
    const ECHO: usize = 500;
    if let Some((end, _)) = given.char_indices().nth(ECHO) {
        given.truncate(end);
        given.push('…');
    }
    given
}

/// The name of a thing or field that an error is about, as the caller gave it: [`short`], and at
/// most a few lines long, even if it has many short words.
pub fn named(what: &str) -> Cow<'_, str> {
    /// The most characters of a name.
    const NAMED: usize = 300;
    first_of(short(what), NAMED)
}

/// Shortens a message that repeats input: quoted parts and very long words keep only their
/// beginning, the whole is limited to about a page, and hidden characters are left out.
pub fn short(message: &str) -> Cow<'_, str> {
    /// Messages up to this size are not changed, in bytes.
    const PLAIN: usize = 240;
    /// The most characters of a quoted part.
    const QUOTED: usize = 80;
    /// The most characters of a word, which may be a URL or a path.
    const WORD: usize = 200;
    /// The most characters of the whole message.
    const WHOLE: usize = 2_000;
    let message = texts::cleaned(message);
    if message.len() <= PLAIN {
        return message;
    }
    let mut told = String::new();
    let (mut quote, mut escaped, mut since) = (None, false, 0_usize);
    for letter in message.chars() {
        let ends = quote.map_or(letter.is_whitespace(), |open| open == letter) && !escaped;
        let begins = quote.is_none() && matches!(letter, '"' | '`');
        escaped = quote == Some('"') && letter == '\\' && !escaped;
        if ends || begins {
            quote = begins.then_some(letter);
            since = 0;
            told.push(letter);
            continue;
        }
        since += 1;
        match since.cmp(&(if quote.is_some() { QUOTED } else { WORD } + 1)) {
            Ordering::Less => told.push(letter),
            Ordering::Equal => told.push('…'),
            Ordering::Greater => {}
        }
    }
    first_of(Cow::Owned(told), WHOLE)
}

/// The first `most` characters of a text.
fn first_of(text: Cow<'_, str>, most: usize) -> Cow<'_, str> {
    match text.char_indices().nth(most).and_then(|(end, _)| text.get(..end)) {
        Some(beginning) => Cow::Owned(format!("{beginning}…")),
        None => text,
    }
}

/// Stable error codes, as they appear in structured results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    /// See [`Error::Invalid`].
    Invalid,
    /// See [`Error::NotFound`].
    NotFound,
    /// See [`Error::Conflict`].
    Conflict,
    /// See [`Error::Precondition`].
    Precondition,
    /// See [`Error::Forbidden`].
    Forbidden,
    /// See [`Error::TooLarge`].
    TooLarge,
    /// See [`Error::Throttled`].
    Throttled,
    /// See [`Error::Unavailable`].
    Unavailable,
    /// See [`Error::Cancelled`].
    Cancelled,
    /// See [`Error::Corrupt`].
    Corrupt,
    /// See [`Error::Bug`].
    Bug,
}

/// What a code means on each surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Meaning {
    /// The code's name in structured results.
    pub name: &'static str,
    /// The HTTP status, where the error is the whole answer.
    pub http: u16,
    /// The JSON-RPC code, where the error is not the result of a tool call.
    pub json_rpc: i32,
    /// Whether sending the same request again can succeed.
    pub retry: bool,
    /// What the caller should do.
    pub advice: &'static str,
}

impl Code {
    /// Every code, in the order of docs/errors.md.
    pub const ALL: [Self; 11] = [
        Self::Invalid,
        Self::NotFound,
        Self::Conflict,
        Self::Precondition,
        Self::Forbidden,
        Self::TooLarge,
        Self::Throttled,
        Self::Unavailable,
        Self::Cancelled,
        Self::Corrupt,
        Self::Bug,
    ];

    /// The single table of meanings; docs/errors.md is generated from it.
    pub const fn meaning(self) -> Meaning {
        const fn row(
            name: &'static str,
            http: u16,
            json_rpc: i32,
            retry: bool,
            advice: &'static str,
        ) -> Meaning {
            Meaning { name, http, json_rpc, retry, advice }
        }
        match self {
            Self::Invalid => row(
                "INVALID_ARGUMENT",
                400,
                -32602,
                false,
                "correct the named field and call again",
            ),
            Self::NotFound => {
                row("NOT_FOUND", 404, -32002, false, "check the id or search for it by name")
            }
            Self::Conflict => {
                row("CONFLICT", 409, -32600, true, "read it again, then repeat the change")
            }
            Self::Precondition => {
                row("FAILED_PRECONDITION", 409, -32600, false, "do what the hint says first")
            }
            Self::Forbidden => {
                row("PERMISSION_DENIED", 403, -32600, false, "ask the world's owner for the right")
            }
            Self::TooLarge => {
                row("TOO_LARGE", 413, -32600, false, "send less, or in several calls")
            }
            Self::Throttled => {
                row("RESOURCE_EXHAUSTED", 429, -32600, true, "wait as long as the answer says")
            }
            Self::Unavailable => row("UNAVAILABLE", 503, -32603, true, "wait a moment and retry"),
            Self::Cancelled => row(
                "CANCELLED",
                499,
                -32600,
                true,
                "nothing was changed, except for the items of a list that were finished before",
            ),
            Self::Corrupt => {
                row("DATA_LOSS", 500, -32603, false, "run `lorewell doctor` and restore a backup")
            }
            Self::Bug => row("INTERNAL", 500, -32603, false, "report it with the request id"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_its_own_name() {
        let mut names: Vec<_> = Code::ALL.iter().map(|code| code.meaning().name).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Code::ALL.len());
    }

    #[test]
    fn what_a_caller_sent_is_told_again_in_short() {
        let (long, list) = ("x".repeat(4_000_000), "[1, 2], ".repeat(100_000));
        for told in [
            Error::invalid("gm_mode", format!("is {long:?}, not a mode"), "use HUMAN"),
            Error::invalid(long.clone(), format!("is {long}, a word"), format!("not {long:?}")),
            Error::not_found(format!("the page `{long}` of {:?}", long), "look elsewhere"),
            Error::Precondition { message: list.clone(), hint: list },
        ] {
            assert!(told.to_string().len() < 2_500 && told.hint().len() < 2_500);
        }
        let told = Error::not_found(format!("context {}", "a ".repeat(5_000)), "look elsewhere");
        assert!(told.to_string().len() < 400, "{told}");
        let told = Error::invalid("gm_mode", format!("is {long:?}, not a mode"), "use HUMAN");
        let wanted = format!("gm_mode is \"{}…\", not a mode", "x".repeat(80));
        assert_eq!(told.to_string(), wanted);
        let quotes = format!("is {:?}, not a mode", "a \"b\" c\\".repeat(40));
        assert!(short(&quotes).ends_with("…\", not a mode"), "{}", short(&quotes));
        let words = "use one of the words that are listed here; ".repeat(20);
        assert_eq!(short(&words), words);
    }

    #[test]
    fn errors_hide_nothing() {
        let hidden = "a\u{202e}b\u{e0041}";
        for told in [
            Error::invalid(hidden, format!("is {hidden}"), hidden),
            Error::not_found(hidden, hidden),
            Error::Precondition { message: hidden.into(), hint: hidden.into() },
            Error::Forbidden { action: hidden.into(), hint: hidden.into() },
            Error::TooLarge { what: hidden.into(), limit: "1".into() },
        ] {
            let (told, hint) = (told.to_string(), told.hint());
            assert!(told.contains("ab") && !hint.contains(hidden), "{told:?} {hint:?}");
        }
    }

    #[test]
    fn answers_repeat_the_beginning_of_what_was_asked() {
        assert_eq!(echoed("who is Ada?".into()), "who is Ada?");
        let told = echoed("é".repeat(100_000));
        assert!(told.ends_with("é…") && told.chars().count() == 501);
    }

    #[test]
    fn an_invalid_field_is_named_first() {
        let error = Error::invalid("dice[2].sides", "is 0", "use 1 to 1000000");
        assert_eq!(error.to_string(), "dice[2].sides is 0");
        assert_eq!(error.hint(), "use 1 to 1000000");
    }
}
