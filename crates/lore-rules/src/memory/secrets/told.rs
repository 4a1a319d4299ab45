//! Secrets that are known by what stands before them: a name, or a command.

use super::{Hit, is_token, is_word, run};

/// Commands that are given a password: `sshpass -p …`, `curl -u name:…`, `mysql -p…`.
pub(super) fn command(rest: &str) -> Option<Hit> {
    let line = rest.lines().next()?;
    let secret = if line.starts_with("sshpass -p") {
        line.get("sshpass -p".len()..)?.trim_start()
    } else if line.starts_with("curl ") {
        let login = ["-u ", "--user "].iter().find_map(|flag| Some(line.split_once(flag)?.1))?;
        let login = login.trim_start().trim_start_matches(['"', '\'']);
        let name = run(login, |c| !c.is_whitespace() && c != ':');
        login.get(name..)?.strip_prefix(':')?
    } else if ["mysql", "mysqldump", "mysqladmin", "mariadb"].contains(&line.split(' ').next()?) {
        line.split_once(" -p")?.1
    } else {
        return None;
    };
    let secret = secret.trim_start_matches(['"', '\'']);
    let length = plain(secret);
    let kept = line.len() - secret.len();
    is_literal(secret.get(..length)?, "").then_some(Hit { kind: "password", kept, length })
}

/// Names whose value is a secret.
const NAMES: [&str; 22] = [
    "aws_secret_access_key",
    "secret_access_key",
    "client_secret",
    "access_token",
    "auth_token",
    "private_key_id",
    "private_key",
    "secret_key",
    "sharedaccesskey",
    "accountkey",
    "passphrase",
    "password",
    "passwort",
    "kennwort",
    "api_key",
    "apikey",
    "passwd",
    "secret",
    "token",
    "_pass",
    "pwd",
    "pw",
];

/// `name = value`, and other ways of saying it.
pub(super) fn assignment(rest: &str, before: &str) -> Option<Hit> {
    let written = run(rest, is_word);
    let name = rest.get(..written)?.to_ascii_lowercase().replace('-', "_");
    let after = rest.get(written..)?;
    if name == "sig" {
        return signature(rest, after);
    }
    let known = NAMES.into_iter().find(|known| name.ends_with(known))?;
    let (sign, value) = sign(after.trim_start_matches(['"', '\'']))?;
    let value = Value::of(value.trim_start_matches([' ', '\t']))?;
    let given = Given {
        known,
        // A line of its own is a setting, as `passphrase: three words of it`.
        is_setting: before.is_empty() || before.ends_with('\n'),
        // So is a name in quotes: it is a key of JSON.
        is_key: after.starts_with(['"', '\'']),
        is_ones_own: is_ones_own(before),
    };
    let kind = if is_password(known) { "password" } else { "secret" };
    let length = given.secret(sign, &value)?;
    Some(Hit { kind, kept: rest.len() - value.rest.len(), length })
}

/// What stands where a value is expected.
struct Value<'a> {
    /// Everything from its first letter on.
    rest: &'a str,
    /// The value itself, if it ends where it seems to.
    single: &'a str,
    /// What is left of its line.
    line: &'a str,
    is_quoted: bool,
}

impl<'a> Value<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''));
        let rest = quote.map_or(text, |_| text.get(1..).unwrap_or_default());
        let line = rest.lines().next().unwrap_or_default().trim_end();
        let quoted = quote.and_then(|quote| line.get(..line.find(quote)?));
        let single = quoted.or_else(|| rest.get(..plain(rest)))?;
        Some(Self { rest, single, line, is_quoted: quoted.is_some() })
    }

    /// How long the line is up to the last of its words that nobody would say, if it has few.
    fn up_to_random(&self) -> Option<usize> {
        const FEW: usize = 4;
        let mut words = self.line.split_whitespace();
        let random = words.clone().rfind(|word| looks_random(word, PASSWORD_LEAST))?;
        let end = self.line.rfind(random)? + random.len();
        words.nth(FEW).is_none().then_some(end)
    }
}

/// What is known of a value from what stands around it.
struct Given {
    known: &'static str,
    is_setting: bool,
    is_key: bool,
    is_ones_own: bool,
}

impl Given {
    /// How many bytes of the value are a secret, if it is one.
    fn secret(&self, sign: Sign, value: &Value<'_>) -> Option<usize> {
        let single = value.single;
        let is_random = looks_random(single, least(self.known));
        let is_password = is_password(self.known);
        let is_whole = value.line.trim_end_matches('.') == single;
        let is_secret = match sign {
            // A pass is also what a program makes over its data.
            Sign::Equals if self.known == "_pass" => {
                is_random || value.is_quoted && is_text(single)
            }
            Sign::Equals if value.is_quoted => is_text(single) && single != self.known,
            Sign::Equals => is_literal(single, self.known),
            Sign::Colon if is_password && self.is_setting && !value.is_quoted => {
                if self.known == "passphrase" && is_long(value.line) {
                    return Some(value.line.len());
                }
                if let Some(length) = value.up_to_random() {
                    return Some(length);
                }
                is_random || is_whole && is_long(single)
            }
            Sign::Colon if is_password && (self.is_key || self.is_setting) => is_text(single),
            // Of a password of somebody's or something's own the word may be a usual one.
            Sign::Colon if is_password && self.is_ones_own => {
                is_random || (value.is_quoted || is_whole) && is_text(single)
            }
            Sign::Colon | Sign::Is => is_random,
        };
        is_secret.then_some(single.len())
    }
}

/// Words before `password` that tell it from one that is whispered at a gate.
const OWN: [&str; 28] = [
    "my", "our", "wifi", "wi-fi", "wlan", "router", "admin", "root", "sudo", "login", "account",
    "email", "mail", "server", "db", "database", "ssh", "vpn", "ftp", "smtp", "imap", "mysql",
    "postgres", "redis", "github", "google", "bank", "laptop",
];

/// Whether one of the few words before a name says whose or what it is for.
fn is_ones_own(before: &str) -> bool {
    let line = before.rsplit('\n').next().unwrap_or_default();
    let words = line.rsplit(|c: char| !c.is_alphanumeric() && c != '-').filter(|w| !w.is_empty());
    words.take(3).any(|word| OWN.contains(&word.to_lowercase().as_str()))
}

/// What stands between a name and its value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Equals,
    Colon,
    /// As people say it.
    Is,
}

fn sign(after: &str) -> Option<(Sign, &str)> {
    let after = after.trim_start_matches([' ', '\t']);
    let signs = [
        ("=", Sign::Equals),
        (":", Sign::Colon),
        ("is:", Sign::Colon),
        ("is ", Sign::Is),
        ("ist ", Sign::Is),
    ];
    signs.into_iter().find_map(|(text, sign)| Some((sign, after.strip_prefix(text)?)))
}

/// The signature of a shared address: `sig=` and many letters.
fn signature(rest: &str, after: &str) -> Option<Hit> {
    let value = after.strip_prefix('=')?;
    let length = run(value, |c| is_token(c) || c == '%');
    let secret = length >= 40 && looks_random(value.get(..length)?, SECRET_LEAST);
    secret.then_some(Hit { kind: "signature", kept: rest.len() - value.len(), length })
}

/// How long a value without quotes is: up to a blank, to the next name, as in `a=1&b=2`, or to
/// what closes a call.
fn plain(value: &str) -> usize {
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

fn is_password(name: &str) -> bool {
    let name = name.trim_start_matches('_');
    name.starts_with("pass") || name.starts_with("pw") || name == "kennwort"
}

fn is_long(value: &str) -> bool {
    value.chars().count() >= 8 && !value.starts_with(['$', '<', '{', '[', '*'])
}

/// Whether a value is written out, and not a place where one is to be put or is taken from.
fn is_literal(value: &str, name: &str) -> bool {
    let place = value.starts_with(['(', '=', '/', '~']);
    let code = value.contains(['(', '[']) || value.contains('.') && value_names(value, name);
    is_text(value) && !place && !code && !value.eq_ignore_ascii_case(name)
}

/// Whether a value in quotes is one, and not a place where one is to be put.
fn is_text(value: &str) -> bool {
    let placeholder = value.starts_with(['$', '<', '{', '[', '*']);
    let word = value.to_ascii_lowercase();
    let nothing = ["none", "null", "true", "false", "undefined"].contains(&word.as_str());
    value.chars().count() >= 4 && !placeholder && !nothing
}

/// Whether a value ends in the name it is given to, as `settings.DB_PASSWORD` does.
fn value_names(value: &str, name: &str) -> bool {
    !name.is_empty() && value.to_ascii_lowercase().ends_with(name)
}

/// The fewest letters of a secret, where only its looks tell.
const SECRET_LEAST: usize = 8;
/// People choose short passwords.
const PASSWORD_LEAST: usize = 6;

fn least(name: &str) -> usize {
    if is_password(name) { PASSWORD_LEAST } else { SECRET_LEAST }
}

/// Behind a colon often stands prose; only what nobody would say is a secret there.
fn looks_random(value: &str, least: usize) -> bool {
    let digit = value.contains(|c: char| c.is_ascii_digit());
    let letter = value.contains(|c: char| c.is_ascii_alphabetic());
    let word = !value.contains(char::is_whitespace);
    let placeholder = value.starts_with(['$', '<', '{', '[']);
    value.chars().count() >= least && digit && letter && word && !placeholder
}
