//! Secrets that are recognised by their own form.

use super::services::{COMMON, DISTINCT, Form, HEADERS, SHORTEST};
use super::{Hit, is_token, is_word, near, run};

/// Returns the credential at the start of a text if its form alone identifies it.
pub(super) fn known_by_form(rest: &str) -> Option<Hit> {
    private_key(rest)
        .or_else(|| HEADERS.iter().find_map(|form| form.at(rest)))
        .or_else(|| of_service(rest))
        .or_else(|| json_web_token(rest))
        .or_else(|| bot_token(rest))
        .or_else(|| webhook(rest))
}

/// Returns the key of a well-known service at the start of a text.
pub(super) fn of_service(rest: &str) -> Option<Hit> {
    let beginning = rest.get(..rest.floor_char_boundary(SHORTEST))?;
    if beginning.len() < SHORTEST || !beginning.chars().all(is_token) {
        return None;
    }
    let distinct = || DISTINCT.iter().find_map(|form| form.at(rest));
    let common = || COMMON.iter().find_map(|form| form.close_at(rest));
    distinct().or_else(common).or_else(|| in_pieces(rest))
}

/// Recognises keys by their structure: tokens of Discord bots, SendGrid, Terraform and Azure.
fn in_pieces(rest: &str) -> Option<Hit> {
    let has = |at: usize, mark: &str| rest.get(at..).is_some_and(|rest| rest.starts_with(mark));
    let is_likely =
        rest.starts_with(DISCORD) || has(14, ".atlasv1.") || has(4, "Q~") || has(0, "SG.");
    let near = is_likely.then(|| near(rest))?;
    let length = run(near, |c| is_word(c) || matches!(c, '.' | '~'));
    if length == near.len() && near.len() < rest.len() {
        return None;
    }
    let word = rest.get(..length)?.trim_end_matches('.');
    let pieces: Vec<&str> = word.split('.').collect();
    let kind = match pieces.as_slice() {
        [id, stamp, key] if is_discord(id, stamp, key) => "bot token",
        ["SG", id, key] if id.len() == 22 && key.len() == 43 => "SendGrid key",
        [id, "atlasv1", key] if id.len() == 14 && key.len() >= 60 => "Terraform token",
        _ if is_azure(word) => "Azure secret",
        _ => return None,
    };
    Some(Hit { kind, kept: 0, length: word.len() })
}

fn is_discord(id: &str, stamp: &str, key: &str) -> bool {
    let plain = id.chars().all(|c| c.is_ascii_alphanumeric());
    let lengths = (23..=28).contains(&id.len()) && stamp.len() == 6 && key.len() >= 27;
    plain && lengths && id.starts_with(DISCORD)
}

/// The letters that tokens of Discord bots begin with.
const DISCORD: [char; 3] = ['M', 'N', 'O'];

/// Whether a word is three characters, a digit, `Q~` and some thirty more.
fn is_azure(word: &str) -> bool {
    let marked = word
        .get(3..6)
        .is_some_and(|mark| mark.starts_with(|c: char| c.is_ascii_digit()) && mark.ends_with("Q~"));
    marked && (37..=40).contains(&word.len())
}

impl Form {
    /// Matches a key with a distinct prefix.
    fn at(&self, rest: &str) -> Option<Hit> {
        let (start, body) = self.parts(rest)?;
        // Keys are random, so they contain a digit or are one unbroken run. A long name in words
        // has no digit, or its words are separated.
        let digits = body.contains(|c: char| c.is_ascii_digit());
        let unbroken = !body.contains(['-', '_', '.', '/']) || is_mixed(body);
        let is_name = is_slug(body);
        let random = match start.ends_with(' ') {
            // After the name of a header, words with a number can also be a key.
            true => digits,
            false => digits && !is_name || unbroken,
        };
        random.then(|| Hit { kind: self.kind, kept: 0, length: self.length(start, rest) })
    }

    /// Matches a key whose prefix also occurs in names.
    fn close_at(&self, rest: &str) -> Option<Hit> {
        let (start, body) = self.parts(rest)?;
        let digits = body.chars().filter(char::is_ascii_digit).count();
        let scattered = digits > 2 && body.chars().zip(body.chars().skip(1)).any(is_digit_first);
        let length = scattered.then(|| self.length(start, rest))?;
        let ends = !rest.get(length..)?.starts_with(is_word);
        ends.then_some(Hit { kind: self.kind, kept: 0, length })
    }

    /// Returns the prefix and the beginning of what follows, if that is long enough.
    fn parts<'a>(&self, rest: &'a str) -> Option<(&'static str, &'a str)> {
        let start = self.starts.iter().find(|start| rest.starts_with(**start))?;
        let body = self.body_of(near(rest.get(start.len()..)?));
        (body.len() >= self.least).then_some((*start, body))
    }

    /// Returns the length of a key with its prefix.
    fn length(&self, start: &str, rest: &str) -> usize {
        start.len() + self.body_of(rest.get(start.len()..).unwrap_or_default()).len()
    }

    fn body_of<'a>(&self, text: &'a str) -> &'a str {
        // A dot may also end a sentence.
        text.get(..run(text, self.body)).unwrap_or_default().trim_end_matches('.')
    }
}

/// Whether a body is a name of words and numbers, such as `learn-1-5-0-release-notes`.
pub(super) fn is_slug(body: &str) -> bool {
    let is_piece = |piece: &str| {
        let letters = run(piece, |c| c.is_ascii_alphabetic());
        let (word, number) = piece.split_at_checked(letters).unwrap_or_default();
        let is_small = word.chars().skip(1).all(|c| c.is_ascii_lowercase());
        let is_number = number.chars().all(|c| c.is_ascii_digit());
        // A word may end in a version, and a number may be a date.
        let most = if word.is_empty() { 8 } else { 2 };
        is_small && is_number && word.len() <= 20 && number.len() <= most
    };
    body.contains(['-', '_', '.']) && body.split(['-', '_', '.']).all(is_piece)
}

/// Whether a digit is followed by a letter.
fn is_digit_first((one, next): (char, char)) -> bool {
    one.is_ascii_digit() && next.is_ascii_alphabetic()
}

/// Whether a body mixes case within words, as ordinary words do not.
fn is_mixed(body: &str) -> bool {
    let inside = |(one, next): (char, char)| one.is_ascii_lowercase() && next.is_ascii_uppercase();
    body.chars().zip(body.chars().skip(1)).filter(|near| inside(*near)).count() > 1
}

fn private_key(rest: &str) -> Option<Hit> {
    if rest.starts_with("PuTTY-User-Key-File-") {
        let end = rest.find("Private-MAC:").and_then(|at| Some(at + rest.get(at..)?.find('\n')?));
        let length = end.unwrap_or(rest.trim_end().len());
        return Some(Hit { kind: "private key", kept: 0, length });
    }
    let label = rest.strip_prefix("-----BEGIN ")?;
    let label = label.get(..label.find("-----")?)?;
    if !label.contains("PRIVATE KEY") {
        return None;
    }
    let end = format!("-----END {label}-----");
    // A key that is cut off still counts.
    let length = rest.find(&end).map_or(rest.len(), |at| at + end.len());
    Some(Hit { kind: "private key", kept: 0, length })
}

fn json_web_token(rest: &str) -> Option<Hit> {
    if !rest.starts_with("eyJ") {
        return None;
    }
    let head = run(rest, is_word) + 1;
    let claims = head + run(rest.get(head..)?, is_word) + 1;
    let length = claims + run(rest.get(claims..)?, is_word);
    let are_joined = [head, claims].iter().all(|at| rest.get(at - 1..*at) == Some("."));
    let complete = rest.get(head..)?.starts_with("eyJ") && length >= claims + 8;
    (are_joined && complete).then_some(Hit { kind: "JSON web token", kept: 0, length })
}

/// A Telegram bot token: the number of the bot, a colon and 35 characters.
fn bot_token(rest: &str) -> Option<Hit> {
    let digits = run(rest, |c| c.is_ascii_digit());
    let secret = rest.get(digits..)?.strip_prefix(':')?;
    let length = run(secret, is_word);
    let complete = (8..=10).contains(&digits) && secret.starts_with("AA") && length >= 33;
    complete.then_some(Hit { kind: "bot token", kept: 0, length: digits + 1 + length })
}

/// Webhook URLs, to which anybody who knows them can post.
const WEBHOOKS: [&str; 3] = [
    "https://hooks.slack.com/services/",
    "https://discord.com/api/webhooks/",
    "https://discordapp.com/api/webhooks/",
];

fn webhook(rest: &str) -> Option<Hit> {
    let start = WEBHOOKS.into_iter().find(|start| rest.starts_with(start))?;
    let length = run(rest.get(start.len()..)?, is_token);
    (length >= 20).then_some(Hit { kind: "webhook", kept: start.len(), length })
}

/// Matches the password in `scheme://user:password@host`, from the colon after the scheme.
pub(super) fn address_with_password(rest: &str) -> Option<Hit> {
    let authority = rest.strip_prefix("://")?;
    let authority = authority
        .get(..run(authority, |c| !c.is_whitespace() && !matches!(c, '/' | '"' | '\'')))?;
    let (credentials, _) = authority.rsplit_once('@')?;
    let (user, password) = credentials.split_once(':')?;
    let kept = "://".len() + user.len() + ":".len();
    (!password.is_empty()).then_some(Hit { kind: "password", kept, length: password.len() })
}

#[cfg(test)]
mod tests {
    use super::super::{Masked, mask};

    /// Characters as they occur in keys.
    const LETTERS: &str = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4y5Z6a1B2c3D4e5F6g7H8";
    const HEX: &str = "0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8f9";

    fn masked(text: &str) -> Masked {
        mask(text, |_| false)
    }

    #[test]
    fn keys_of_well_known_services_are_known_by_their_starts() {
        for (start, length) in [
            ("dckr_pat_", 27),
            ("GOCSPX-", 28),
            ("whsec_", 32),
            ("tskey-auth-", 30),
            ("lin_api_", 40),
            ("PMAK-", 59),
            ("gsk_", 52),
            ("xai-", 64),
            ("pplx-", 48),
            ("glrt-", 20),
            ("xoxe-1-", 40),
            ("sk_test_", 24),
            ("rubygems_", 48),
            ("nvapi-", 64),
            ("sntrys_", 64),
            ("glsa_", 41),
            ("ATATT3xFfGF0", 60),
            ("ntn_", 46),
            ("re_", 33),
            ("lsv2_pt_", 43),
            ("tvly-", 32),
            ("pcsk_", 60),
            ("sbp_", 40),
            ("NRAK-", 27),
            ("sq0csp-", 43),
            ("CCIPAT_", 62),
            ("hvb.", 60),
        ] {
            let text = format!("the key is {start}{}, as told", &LETTERS[..length]);
            let masked = masked(&text);
            assert_eq!(masked.found.len(), 1, "{text}");
            assert!(!masked.text.contains("B2c3D4"), "{}", masked.text);
            assert!(masked.text.ends_with("], as told"), "{}", masked.text);
        }
        for (start, length) in [("dapi", 32), ("key-", 32), ("pul-", 40), ("SK", 32), ("fc-", 32)] {
            let text = format!("{start}{}", &HEX[..length]);
            assert_eq!(masked(&text).found.len(), 1, "{text}");
        }
        assert_eq!(masked("client_secret: \"GOCSPX-abcdEFGHijklMNOP-qrst_UVWXyz\"").found.len(), 1);
    }

    #[test]
    fn keys_are_known_by_what_stands_within_them() {
        let discord = format!("M{}.{}.{}", &LETTERS[..23], &LETTERS[..6], &LETTERS[..27]);
        let terraform = format!("{}.atlasv1.{}", &LETTERS[..14], &LETTERS[..60]);
        let azure = format!("abc8Q~{}", &LETTERS[..34]);
        let letters = "abcdefghijklmnopqrstuvwxyz".repeat(2);
        let mail = format!("SG.{}.{}", &letters[..22], &letters[..43]);
        let face = format!("EAAC{}", &LETTERS[..60]);
        let refresh = format!("1//0{}", &LETTERS[..60]);
        for key in [discord, terraform, azure, mail, face, refresh] {
            assert_eq!(masked(&format!("use {key} here.")).found.len(), 1, "{key}");
        }
    }

    #[test]
    fn a_private_key_of_putty_is_masked_as_a_whole() {
        let key = "PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nPrivate-Lines: 1\nAAAA\n";
        let whole = format!("see\n{key}Private-MAC: 0a1b2c\nthere");
        assert_eq!(masked(&whole).text, "see\n[masked private key]\nthere");
        assert_eq!(masked(key).text, "[masked private key]\n");
    }

    #[test]
    fn a_key_over_the_end_of_a_line_is_one() {
        let key = format!("ghp_{}", &LETTERS[..36]);
        for cut in [6, 12, 22, 30] {
            let (one, two) = key.split_at(cut);
            for broken in ["\n", "\r\n", "\n    "] {
                let text = format!("token {one}{broken}{two} and on");
                assert_eq!(masked(&text).text, "token [masked GitHub token] and on", "{text}");
            }
        }
        let key = format!("xai-{LETTERS}");
        let text = format!("{}\n{}\n{}\nNext line", &key[..12], &key[12..40], &key[40..]);
        assert_eq!(masked(&text).text, "[masked xAI key]\nNext line");
        let whole = format!("ghp_{}\nThe next line stays", &LETTERS[..36]);
        assert_eq!(masked(&whole).text, "[masked GitHub token]\nThe next line stays");
        let prose = "all of them begin with glpat-\nor with something else that is longer-than-20";
        assert_eq!(masked(prose).text, prose);
    }

    #[test]
    fn names_that_begin_as_keys_do_stay() {
        for text in [
            "re_export_everything_that_is_there_twice_2",
            "the crate pa-very-long-name-of-a-package-with-numbers-1-2-3",
            "patterns.of.many.words.that.are.longer.than.seventy.letters.in.all.of.them.12",
            "as-long-as-there-is-water-in-the-well-2",
            "key-value-store-with-a-long-name-and-2-parts",
            "cioccolata calda",
            "SKELETONS and SKIRMISHES of 1812",
            "api-gateway-of-the-second-generation-v2",
            "glc_and_gsk_are_two_words_here",
            "secret_santa_of_the_whole_office_in_2024",
            "sdk-3f2a-release",
            "commit 0a1b2c3d4e5f60718293a4b5c6d7e8f90a1b2c3d",
            "xai-explained-in-simple-words-for-all",
            "Bearer getAccessTokenFromTheStore",
            "sk-learn-1-5-0-release-notes",
            "sk-bratislava-2024-meetup",
            "sk-Bratislava-v2-meetup",
            "hf_hub_download_timeout_seconds_2",
            "xoxb-20240512-notes-of-the-call.md",
        ] {
            assert_eq!(masked(text).text, text);
        }
    }
}
