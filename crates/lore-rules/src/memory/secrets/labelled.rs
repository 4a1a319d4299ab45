//! Secrets that are recognised by what precedes them: a label or a command.

use super::labels::{Label, PASS, Sign, is_blank, sign};
use super::looks::{
    is_contrived, is_literal, is_long, is_odd, is_placeholder, is_text, looks_random,
};
use super::prose::{is_joining, is_prose};
use super::{Hit, is_token, is_word, near, run};

/// The commands with a password as an argument.
const COMMANDS: [&str; 6] =
    ["sshpass -p", "curl ", "mysql ", "mysqldump ", "mysqladmin ", "mariadb "];

/// Matches commands with a password as an argument: `sshpass -p …`, `curl -u name:…`, `mysql -p…`.
pub(super) fn command(rest: &str) -> Option<Hit> {
    if !COMMANDS.iter().any(|command| rest.starts_with(command)) {
        return None;
    }
    let line = looked_at(rest).lines().next()?;
    let secret = if line.starts_with("sshpass -p") {
        line.get("sshpass -p".len()..)?.trim_start()
    } else if line.starts_with("curl ") {
        let login = ["-u ", "--user "].iter().find_map(|flag| Some(line.split_once(flag)?.1))?;
        let login = login.trim_start().trim_start_matches(['"', '\'']);
        let name = run(login, |c| !c.is_whitespace() && c != ':');
        login.get(name..)?.strip_prefix(':')?
    } else {
        line.split_once(" -p")?.1
    };
    let secret = secret.trim_start_matches(['"', '\'']);
    let kept = line.len() - secret.len();
    let secret = rest.get(kept..)?;
    let length = plain(secret);
    is_literal(secret.get(..length)?, "").then_some(Hit { kind: "password", kept, length })
}

/// Matches `label = value` and other ways to state a value.
pub(super) fn assignment(rest: &str, before: &str) -> Option<Hit> {
    if let Some(after) = rest.strip_prefix("sig=") {
        return signature(rest, after);
    }
    let label = Label::at(rest)?;
    let after = rest.get(label.length..)?;
    let unquoted = after.trim_start_matches(['"', '\'', '`', '*']);
    // As in `<add key="Password" value="…"/>`.
    let unquoted =
        unquoted.strip_prefix(" value").filter(|_| after != unquoted).unwrap_or(unquoted);
    let (sign, value) = sign(unquoted)?;
    let told = unmarked(value).trim_start_matches(is_blank);
    let value = Value::of(looked_at(told))?;
    let given = Given {
        label,
        // A line of its own is a setting, such as `passphrase: three words of it`.
        is_setting: begins_line(before),
        // A quoted label is a key in JSON.
        is_key: after.starts_with(['"', '\'']),
        is_ones_own: is_ones_own(before),
    };
    let kind = if label.is_password { "password" } else { "secret" };
    let mut length = given.secret(sign, &value)?;
    let kept = rest.len() - told.len() + value.opening;
    if length == value.rest.len() {
        // It may go on after what was looked at.
        length += plain(rest.get(kept + length..)?);
    }
    Some(Hit { kind, kept, length })
}

/// Matches an XML element that is named like a label: `<password>…</password>`.
pub(super) fn element(rest: &str, before: &str) -> Option<Hit> {
    let label = Label::at(rest).filter(|_| before.ends_with('<'))?;
    let value = looked_at(rest.get(label.length..)?.strip_prefix('>')?);
    let (value, end) = value.split_at_checked(value.find('<')?)?;
    let is_closed = end
        .strip_prefix("</")
        .is_some_and(|end| end.starts_with(rest.get(..label.length).unwrap_or_default()));
    let kind = if label.is_password { "password" } else { "secret" };
    let hit = Hit { kind, kept: label.length + 1, length: value.len() };
    (is_closed && is_text(value)).then_some(hit)
}

/// Returns the part of a text in which a value is looked for: 8 KB, more than a private key takes.
fn looked_at(text: &str) -> &str {
    const MOST: usize = 8_192;
    text.get(..text.floor_char_boundary(MOST)).unwrap_or(text)
}

/// Whether only list markers precede on the line.
fn begins_line(before: &str) -> bool {
    let mut line = before.chars().rev().take_while(|c| *c != '\n');
    line.all(|c| c.is_whitespace() || matches!(c, '-' | '*' | '+' | '>' | '•' | '`'))
}

/// Removes the end of an emphasised label: `**password:** value`.
fn unmarked(value: &str) -> &str {
    value.strip_prefix("**").filter(|value| value.starts_with(' ')).unwrap_or(value)
}

/// The text at the position where a value is expected.
struct Value<'a> {
    /// The length of the opening quote.
    opening: usize,
    /// The text from the first character of the value on, as far as it is looked at.
    rest: &'a str,
    /// The value, if it ends at its closing quote or where an unquoted value usually ends.
    single: &'a str,
    /// The rest of its line.
    line: &'a str,
    is_quoted: bool,
}

impl<'a> Value<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let closing = text.chars().next().and_then(closing);
        let opening = closing.and(text.chars().next()).map_or(0, char::len_utf8);
        let rest = text.get(opening..)?;
        let line = rest.lines().next().unwrap_or_default().trim_end();
        let quoted = closing.and_then(|closing| line.get(..quoted(line, closing)?));
        let single = quoted.or_else(|| rest.get(..plain(rest)))?;
        Some(Self { opening, rest, single, line, is_quoted: quoted.is_some() })
    }

    /// Returns the length of the line up to its last word that satisfies `of`, if the line has few
    /// words.
    fn up_to(&self, of: fn(&str) -> bool) -> Option<usize> {
        const FEW: usize = 4;
        let mut words = self.line.split_whitespace();
        if words.clone().nth(FEW).is_some() {
            return None;
        }
        let last = words.rfind(|word| of(word))?;
        Some(self.line.rfind(last)? + last.trim_end_matches([',', ';', '.']).len())
    }

    /// Returns the length of the line if it can only be a password of several words.
    fn phrase(&self) -> Option<usize> {
        const MOST: usize = 6;
        let words: Vec<&str> = self.line.split_whitespace().take(MOST + 1).collect();
        let is_other = |word: &&str| {
            let is_code = word.contains(['(', ')', '[', ']', '{', '}', '"', '\'', '<', '>', '`']);
            let is_prose = word.ends_with([',', ';', ':', '.']) || is_joining(word);
            is_code || is_prose || ends_value(word)
        };
        let is_one = (2..=MOST).contains(&words.len()) && words.iter().any(|word| is_odd(word));
        (is_one && !words.iter().any(is_other)).then_some(self.line.len())
    }

    /// Returns the length of the value with the following words that belong to it.
    fn with_rest(&self, belongs: fn(&str) -> bool) -> usize {
        let mut end = self.single.len();
        while let Some(rest) = self.line.get(end..).filter(|rest| rest.starts_with(' ')) {
            let word = rest.trim_start();
            let word = word.get(..plain(word)).unwrap_or_default();
            if !belongs(word) || ends_value(word) {
                break;
            }
            end = self.line.len() - rest.trim_start().len() + word.len();
        }
        end
    }
}

/// Whether a word after an unquoted value on its own line continues it, rather than a sentence.
fn goes_on(word: &str) -> bool {
    !is_joining(word)
}

/// Whether a word after a value cannot be part of it: another setting, or a comment.
fn ends_value(word: &str) -> bool {
    is_named(word)
        || word.is_empty()
        || ["#", "//", "-", "(", "|", "+", "="].iter().any(|sign| word.starts_with(sign))
}

/// Returns the end of a quoted text, which may contain escaped or doubled quotes.
fn quoted(line: &str, closing: char) -> Option<usize> {
    let mut letters = line.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let next = letters.peek().map(|(_, next)| *next);
        match letter {
            '\\' => _ = letters.next(),
            '\'' if closing == letter && next == Some(letter) => _ = letters.next(),
            _ if letter == closing => return Some(at),
            _ => {}
        }
    }
    line.find(closing)
}

/// Returns the quote that closes a quoted text.
fn closing(opening: char) -> Option<char> {
    match opening {
        '"' | '\'' | '`' => Some(opening),
        '“' => Some('”'),
        '„' => Some('“'),
        _ => None,
    }
}

/// The context of a value.
struct Given {
    label: Label,
    is_setting: bool,
    is_key: bool,
    is_ones_own: bool,
}

impl Given {
    /// Returns how many bytes of the value are a secret, if it is one.
    fn secret(&self, sign: Sign, value: &Value<'_>) -> Option<usize> {
        let told = if value.is_quoted { value.single } else { value.line };
        if is_placeholder(told) || is_prose(told) {
            return None;
        }
        if !self.label.is_password || value.is_quoted {
            return self.is_secret(sign, value).then_some(value.single.len());
        }
        if let Some(length) = self.several_words(sign, value) {
            return Some(length);
        }
        let is_alone = self.is_setting && !self.label.is_prose_unknown;
        let belongs: fn(&str) -> bool = if is_alone { goes_on } else { is_contrived };
        let is_contrived = sign != Sign::Equals && is_contrived(value.single);
        let is_secret = is_contrived || self.is_secret(sign, value);
        is_secret.then(|| value.with_rest(belongs))
    }

    /// Returns the length of a password that contains spaces, if the line cannot be anything else.
    fn several_words(&self, sign: Sign, value: &Value<'_>) -> Option<usize> {
        if self.label.is_prose_unknown {
            return None;
        }
        let is_phrase =
            self.is_setting && sign != Sign::Is || self.is_ones_own && sign == Sign::Colon;
        if let Some(length) = value.phrase().filter(|_| is_phrase) {
            return Some(length);
        }
        if sign != Sign::Colon {
            return None;
        }
        if self.is_setting {
            let phrase = self.label.known == "passphrase" && is_long(value.line);
            let random = || value.up_to(|word| looks_random(word, PASSWORD_LEAST));
            return if phrase { Some(value.line.len()) } else { random() };
        }
        if self.is_ones_own { value.up_to(is_contrived) } else { None }
    }

    fn least(&self) -> usize {
        if self.label.is_password { PASSWORD_LEAST } else { SECRET_LEAST }
    }

    fn is_secret(&self, sign: Sign, value: &Value<'_>) -> bool {
        let single = value.single;
        let is_random = looks_random(single, self.least());
        let is_password = self.label.is_password;
        if self.label.is_prose_unknown && sign != Sign::Equals {
            return is_random || is_password && is_contrived(single);
        }
        let is_whole = value.line.trim_end_matches('.') == single;
        match sign {
            // `pass` also means one run of a program over its data.
            Sign::Equals if ["_pass", PASS].contains(&self.label.known) => {
                is_random || value.is_quoted && is_text(single)
            }
            Sign::Equals if value.is_quoted => is_text(single) && single != self.label.known,
            Sign::Equals => is_literal(single, self.label.known),
            Sign::Colon if is_password && self.is_setting && !value.is_quoted => {
                is_random || is_whole && is_long(single)
            }
            Sign::Colon if is_password && (self.is_key || self.is_setting) => is_text(single),
            // If the label says whose password it is, or what for, it may be an ordinary word.
            Sign::Colon if is_password && self.is_ones_own => {
                is_random || (value.is_quoted || is_whole) && is_text(single)
            }
            Sign::Colon | Sign::Is => is_random,
        }
    }
}

/// Words before `password` that distinguish a real one from one that is whispered at a gate.
const OWN: [&str; 28] = [
    "my", "our", "wifi", "wi-fi", "wlan", "router", "admin", "root", "sudo", "login", "account",
    "email", "mail", "server", "db", "database", "ssh", "vpn", "ftp", "smtp", "imap", "mysql",
    "postgres", "redis", "github", "google", "bank", "laptop",
];

/// Whether one of the last few words before a label says whose password it is, or what for.
fn is_ones_own(before: &str) -> bool {
    const NEAR: usize = 200;
    let before = before.get(before.ceil_char_boundary(before.len().saturating_sub(NEAR))..);
    let line = before.and_then(|before| before.rsplit('\n').next()).unwrap_or_default();
    let words = line.rsplit(|c: char| !c.is_alphanumeric() && c != '-').filter(|w| !w.is_empty());
    words.take(3).any(|word| OWN.contains(&word.to_lowercase().as_str()))
}

/// Matches the signature in a pre-signed URL: `sig=` and many characters.
fn signature(rest: &str, value: &str) -> Option<Hit> {
    let is_part = |c| is_token(c) || c == '%';
    let beginning = run(near(value), is_part);
    let secret = beginning >= 40 && looks_random(value.get(..beginning)?, SECRET_LEAST);
    let kept = rest.len() - value.len();
    secret.then(|| Hit { kind: "signature", kept, length: run(value, is_part) })
}

/// Returns the length of an unquoted value: up to white space or a quote, to the next label, as in
/// `a=1&b=2`, or to the end of a call.
pub(super) fn plain(value: &str) -> usize {
    let word = run(value, |c| !c.is_whitespace() && !matches!(c, '"' | '\''));
    let word = value.get(..word).unwrap_or_default();
    let ends = |(at, sign): (usize, char)| {
        let next = word.get(at + sign.len_utf8()..).unwrap_or_default();
        match sign {
            '&' | ',' | ';' => is_named(next),
            ')' | '}' => !next.starts_with(|c: char| c.is_alphanumeric()),
            _ => false,
        }
    };
    let end = word.char_indices().find(|at| ends(*at)).map_or(word.len(), |(at, _)| at);
    word.get(..end).unwrap_or(word).trim_end_matches([',', ';', '&', '.']).len()
}

fn is_named(text: &str) -> bool {
    let name = run(text, is_word);
    name > 0 && text.get(name..).is_some_and(|after| after.starts_with(['=', ':']))
}

/// The minimum length of a secret that is recognised by its looks alone.
const SECRET_LEAST: usize = 8;
/// The same for passwords, because people choose short ones.
pub(super) const PASSWORD_LEAST: usize = 6;
