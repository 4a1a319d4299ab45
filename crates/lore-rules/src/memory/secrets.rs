//! Masks keys, tokens and passwords in a text before it is stored.
//!
//! Credentials are recognised by their form, not by whether they work. Each one is replaced by its
//! kind, and the secret itself does not occur in the result. Ordinary prose must stay as it is,
//! such as a riddle whose password is told at the table.

mod broken;
mod described;
mod forms;
mod labelled;
mod labels;
mod looks;
mod prose;
mod services;

use broken::over_lines;
use described::{described, login, token};
use forms::{address_with_password, known_by_form};
use labelled::{assignment, command, element};
use services::AWS_KEY;

/// A text with its secrets masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Masked {
    /// The text, with each secret replaced by its kind in brackets.
    pub text: String,
    /// The kinds of the secrets found, in order.
    pub found: Vec<&'static str>,
}

/// Masks everything in `text` that looks like a credential. `is_unseen` says whether a character is
/// invisible: a credential is recognised even with such characters between its letters.
pub fn mask(text: &str, is_unseen: fn(char) -> bool) -> Masked {
    let mut secrets = secrets_of(text);
    if text.contains(is_unseen) {
        // Both readings count, because a zero-width space can also separate two words.
        let shown = Shown::of(text, is_unseen);
        secrets.extend(secrets_of(&shown.text).into_iter().map(|secret| shown.origin(secret)));
    }
    replaced(text, &joined(secrets))
}

/// The byte range of a secret in a text.
#[derive(Debug, Clone, Copy)]
struct Secret {
    kind: &'static str,
    start: usize,
    end: usize,
}

/// A text without its invisible characters.
struct Shown {
    text: String,
    /// The original position of each of its bytes.
    places: Vec<usize>,
}

impl Shown {
    fn of(text: &str, is_unseen: fn(char) -> bool) -> Self {
        let mut shown = Self { text: String::with_capacity(text.len()), places: Vec::new() };
        for (at, letter) in text.char_indices().filter(|(_, letter)| !is_unseen(*letter)) {
            shown.text.push(letter);
            shown.places.extend(at..at + letter.len_utf8());
        }
        shown
    }

    /// Maps a secret back to the original text, including invisible characters between its letters.
    fn origin(&self, secret: Secret) -> Secret {
        let place = |at: usize| self.places.get(at).copied().unwrap_or_default();
        let end = place(secret.end.saturating_sub(1)) + 1;
        Secret { start: place(secret.start), end, ..secret }
    }
}

/// Sorts secrets by position and merges those that overlap.
fn joined(mut secrets: Vec<Secret>) -> Vec<Secret> {
    secrets.sort_by_key(|secret| (secret.start, std::cmp::Reverse(secret.end)));
    let mut joined: Vec<Secret> = Vec::with_capacity(secrets.len());
    for secret in secrets {
        match joined.last_mut().filter(|last| secret.start < last.end) {
            Some(last) => last.end = last.end.max(secret.end),
            None => joined.push(secret),
        }
    }
    joined
}

fn replaced(text: &str, secrets: &[Secret]) -> Masked {
    let mut masked = Masked { text: String::with_capacity(text.len()), found: Vec::new() };
    let mut from = 0;
    for secret in secrets {
        masked.text.push_str(text.get(from..secret.start).unwrap_or_default());
        masked.text.push_str("[masked ");
        masked.text.push_str(secret.kind);
        masked.text.push(']');
        masked.found.push(secret.kind);
        from = secret.end;
    }
    masked.text.push_str(text.get(from..).unwrap_or_default());
    masked
}

fn secrets_of(text: &str) -> Vec<Secret> {
    let recognised = joined(recognised(text).into_iter().chain(over_lines(text)).collect());
    match recognised.iter().any(|secret| secret.kind == AWS_KEY) {
        true => with_aws_secrets(text, recognised),
        false => recognised,
    }
}

/// Adds AWS secrets: 40 characters that look like any id, so they are masked only in texts that
/// contain an AWS key.
fn with_aws_secrets(text: &str, recognised: Vec<Secret>) -> Vec<Secret> {
    let mut runs = Vec::new();
    let mut at = 0;
    for part in text.split_inclusive(|c| !is_base64(c)) {
        let run = part.trim_end_matches(|c| !is_base64(c));
        if is_aws_secret(run) {
            runs.push(Secret { kind: "AWS secret", start: at, end: at + run.len() });
        }
        at += part.len();
    }
    joined(recognised.into_iter().chain(runs).collect())
}

fn is_aws_secret(run: &str) -> bool {
    let has = |of: fn(&char) -> bool| run.chars().any(|c| of(&c));
    run.len() == 40
        && has(char::is_ascii_uppercase)
        && has(char::is_ascii_lowercase)
        && has(char::is_ascii_digit)
}

/// Returns the secrets that are recognised by their own form or by what precedes them.
fn recognised(text: &str) -> Vec<Secret> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some((before, rest)) = text.split_at_checked(at).filter(|(_, rest)| !rest.is_empty())
    {
        let Some(hit) = secret_at(rest, before).filter(|hit| hit.length > 0) else {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        };
        // The part that is kept may contain another secret, such as a header before a login.
        let kept = recognised(rest.get(..hit.kept).unwrap_or_default());
        let moved = |one: Secret| Secret { start: at + one.start, end: at + one.end, ..one };
        found.extend(kept.into_iter().map(moved));
        let start = at + hit.kept;
        found.push(Secret { kind: hit.kind, start, end: start + hit.length });
        at = start + hit.length;
    }
    found
}

/// A secret found at or shortly after the start of a text.
struct Hit {
    kind: &'static str,
    /// The number of bytes before the secret that are kept, such as `password=`.
    kept: usize,
    /// The length of the secret in bytes.
    length: usize,
}

fn secret_at(rest: &str, before: &str) -> Option<Hit> {
    if before.ends_with(is_word) {
        return address_with_password(rest);
    }
    known_by_form(rest)
        .or_else(|| command(rest))
        .or_else(|| element(rest, before))
        .or_else(|| assignment(rest, before))
        .or_else(|| described(rest, before))
        .or_else(|| token(rest))
        .or_else(|| login(rest))
}

/// Returns the beginning of a text, in which anything that is looked for from its start must lie. A
/// search that ran to the end of the text from each of its positions would take hours for a long
/// one.
fn near(text: &str) -> &str {
    const NEAR: usize = 1_024;
    text.get(..text.floor_char_boundary(NEAR)).unwrap_or(text)
}

/// Returns how many bytes at the start of `text` consist of matching characters.
fn run(text: &str, of: impl Fn(char) -> bool) -> usize {
    text.find(|c| !of(c)).unwrap_or(text.len())
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

fn is_base64(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=')
}

fn is_token(c: char) -> bool {
    is_word(c) || matches!(c, '.' | '~' | '+' | '/' | '=')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mask(text: &str) -> Masked {
        super::mask(text, |c| matches!(c, '\u{200b}' | '\u{200d}' | '\u{2060}'))
    }

    fn kinds(text: &str) -> Vec<&'static str> {
        mask(text).found
    }

    #[test]
    fn keys_are_known_by_their_form() {
        let letters = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
        let cases = [
            (format!("key {}IOSFODNN7EXAMPLE in use", "AKIA"), "AWS key"),
            (format!("ghp_{letters}"), "GitHub token"),
            (format!("token ghp_{letters}"), "GitHub token"),
            (format!("use sk-ant-api03-{letters} here"), "API key"),
            (format!("sk-proj-{letters}"), "API key"),
            (format!("Authorization: Bearer {letters}"), "bearer token"),
            (format!("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.{letters}"), "JSON web token"),
        ];
        for (text, kind) in cases {
            let masked = mask(&text);
            assert_eq!(masked.found, [kind], "{text}");
            assert!(masked.text.contains(&format!("[masked {kind}]")), "{}", masked.text);
            assert!(!masked.text.contains("3D4e5F6") && !masked.text.contains("IOSFOD"));
        }
    }

    #[test]
    fn keys_without_a_digit_are_known_when_they_are_no_words() {
        assert_eq!(kinds("glpat-abcdefghijklmnopqrst"), ["GitLab token"]);
        assert_eq!(kinds("hf_abcdefghijklmnopqrstuvwxyzABCDEFGH"), ["Hugging Face token"]);
        assert!(kinds("glpat-is-how-they-all-begin-there").is_empty());
    }

    #[test]
    fn what_stands_beside_an_aws_key_is_its_secret() {
        let secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
        let pair = format!("{}IOSFODNN7EXAMPLE / {secret}, prod", "AKIA");
        assert_eq!(mask(&pair).text, "[masked AWS key] / [masked AWS secret], prod");
        assert_eq!(kinds(&pair), ["AWS key", "AWS secret"]);
        assert!(kinds(secret).is_empty());
    }

    #[test]
    fn a_private_key_goes_as_a_whole_even_when_cut_off() {
        let label = "RSA PRIVATE KEY";
        let whole = format!("see -----BEGIN {label}-----\nMIIE\n-----END {label}----- there");
        assert_eq!(mask(&whole).text, "see [masked private key] there");
        assert_eq!(mask(&format!("-----BEGIN {label}-----\nMIIE")).text, "[masked private key]");
        assert!(kinds("-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----").is_empty());
    }

    #[test]
    fn values_of_telling_names_are_masked_and_their_names_kept() {
        assert_eq!(mask("password=hunter2 and more").text, "password=[masked password] and more");
        assert_eq!(mask("DB_PASSWORD='s3cr3t!'").text, "DB_PASSWORD='[masked password]'");
        assert_eq!(mask("\"api_key\": \"ab12cd34ef\"").text, "\"api_key\": \"[masked secret]\"");
        assert_eq!(mask("postgres://app:pa55@db/x").text, "postgres://app:[masked password]@db/x");
    }

    #[test]
    fn keys_of_many_services_are_known() {
        let letters = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4y5Z6a1B2c3D4e5F6";
        let hex = "0123456789abcdef".repeat(4);
        let cases = [
            (format!("SG.{}.{}", &letters[..22], &letters[..43]), "SendGrid key"),
            (format!("123456789:AA{}", &letters[..33]), "bot token"),
            (format!("pypi-AgEIcHlwaS5vcmc{letters}"), "PyPI token"),
            (format!("dop_v1_{hex}"), "DigitalOcean token"),
            (format!("xapp-1-A0{letters}"), "Slack token"),
            (format!("hvs.{}", &letters[..24]), "Vault token"),
            (format!("shpat_{}", &hex[..32]), "Shopify token"),
            (format!("ya29.{}", &letters[..40]), "Google token"),
            (format!("figd_{}", &letters[..40]), "Figma token"),
            (format!("r8_{}", &letters[..37]), "Replicate token"),
            (format!("AGE-SECRET-KEY-1{}", hex.to_uppercase()), "age key"),
            (format!("Authorization: Basic {letters}=="), "basic login"),
            (format!("AccountKey={letters}==;x"), "secret"),
            (format!("\"private_key_id\": \"{}\"", &letters[..40]), "secret"),
            (format!("https://x/?sv=1&sig={}%3D", &letters[..43]), "signature"),
            (format!("https://hooks.slack.com/services/T01/B02/{}", &letters[..24]), "webhook"),
            (format!("https://discord.com/api/webhooks/12/{letters}"), "webhook"),
        ];
        for (text, kind) in cases {
            let masked = mask(&text);
            assert_eq!(masked.found, [kind], "{text}");
            assert!(!masked.text.contains("c3D4e5F6"), "{}", masked.text);
            assert_eq!(mask(&masked.text).text, masked.text);
        }
    }

    #[test]
    fn passwords_are_known_in_whatever_way_they_are_told() {
        for text in [
            "The admin password is Tr0ub4dor&3",
            "my password is: Tr0ub4dor&3",
            "pw: Tr0ub4dor&3",
            "pwd=Tr0ub4dor3",
            "Passwort: Tr0ub4dor3",
            "password: correcthorse",
            "note {\"password\":\"correcthorse\"}",
            "user: me\npassphrase: blue horse battery 7",
            "sshpass -p Tr0ub4dor ssh x",
            "curl -s -u admin:Tr0ub4dor https://x",
            "password: ub4dor",
            "my password is ub4dor",
            "PASSWORD=Tr0ub4dor&3",
            "DB_PASS=Tr0!ub4dor#zz",
            "password: P@ss Tr0ub4dor!long",
            "my password is: \"correct horse battery staple\"",
            "the wifi password: redhorse",
            "mysql -u root -pTr0ub4dor shop",
            "mysqldump -pTr0ub4dor --all-databases",
            "PASSWORD='Tr0&ub4dor (of, mine)'",
            "note to all: password: P@ss Tr0ub4dor!long",
            "password: P@ss Tr0ub4dor!long and then on to port 22",
            "the wifi password is P@ss Tr0ub4dor!long",
            "password=P@ss Tr0!ub4dor",
            "our wifi password: blue h0rse here",
            "db:\n  password: Tr0ub4dor",
            "- **Password:** correcthorse",
            "password: `correct horse`",
            "admin password: reset to ub4dor77",
        ] {
            let masked = mask(text);
            assert_eq!(masked.found, ["password"], "{text}");
            assert!(!masked.text.contains("ub4dor") && !masked.text.contains("horse"));
            assert!(!masked.text.contains("&3") && !masked.text.contains("zz"), "{}", masked.text);
            assert_eq!(mask(&masked.text).text, masked.text);
        }
    }

    #[test]
    fn a_value_goes_as_a_whole_and_what_follows_it_stays() {
        for (text, wanted) in [
            (
                "secret_key = 'django-insecure-abc123$%^&*()def456'",
                "secret_key = '[masked secret]'",
            ),
            ("https://x/?password=ab&3cd&user=me", "https://x/?password=[masked password]&user=me"),
            ("Host=db;Password=ab;3cd;User=me", "Host=db;Password=[masked password];User=me"),
            ("connect(password=hunter2).run()", "connect(password=[masked password]).run()"),
            ("{password=hunter2, user=me}", "{password=[masked password], user=me}"),
        ] {
            assert_eq!(mask(text).text, wanted);
            assert_eq!(mask(wanted).text, wanted);
        }
    }

    #[test]
    fn a_password_may_begin_with_any_word() {
        for value in [
            "see you later alligator 9",
            "true love waits 77",
            "string theory 4 ever!",
            "not my circus 12",
            "none of your business 99",
            "required reading 42 Zx!",
            "invalid horse battery 9",
            "wrong horse battery staple",
            "empty fridge blues",
            "a \\\" b c secret",
        ] {
            for name in ["password: ", "PASSWORD=", "{\"password\": "] {
                let masked = mask(&format!("{name}\"{value}\"")).text;
                assert_eq!(masked, format!("{name}\"[masked password]\""));
            }
        }
        assert_eq!(mask("password: 'it''s a secret x'").text, "password: '[masked password]'");
        for value in ["see you later alligator", "none of your business 99", "true love waits"] {
            assert_eq!(mask(&format!("passphrase: {value}")).text, "passphrase: [masked password]");
        }
    }

    #[test]
    fn a_password_with_blanks_goes_up_to_where_a_sentence_begins() {
        for (text, wanted) in [
            ("password: Tr0ub4dor &3 horse", "password: [masked password]"),
            ("password=hunter2 blue sky", "password=[masked password]"),
            ("password: correct horse battery staple 42", "password: [masked password]"),
            ("wifi password: blue Whale 42 jumps", "wifi password: [masked password]"),
            ("Password = my secret phrase 99!", "Password = [masked password]"),
            ("password: blue wHale jumps", "password: [masked password]"),
            ("password=hunter2 user=me", "password=[masked password] user=me"),
            ("password=hunter2 # of the old one", "password=[masked password] # of the old one"),
            ("password: hunter2x for the vault", "password: [masked password] for the vault"),
            ("password: hunter2x, old one", "password: [masked password], old one"),
        ] {
            assert_eq!(mask(text).text, wanted);
            assert_eq!(mask(wanted).text, wanted);
        }
    }

    #[test]
    fn prose_and_placeholders_stay() {
        for text in [
            "The admin password is stored in the vault",
            "root password: kept in the vault, third shelf",
            "\"token\": \"3 coins of gold\"",
            "first_pass = compute_all",
            "mysql -u root -p shop",
            "password = \"${DB_PASSWORD}\"",
            "The password: swordfish, whispered at the gate",
            "token: three coins",
            "password=$DB_PASSWORD",
            "password=get_password()",
            "password=None",
            "password = os.environ['DB_PASSWORD']",
            "password = settings.DB_PASSWORD",
            "the password is swordfish",
            "Basic understanding of ropes",
            "pwd=/home/me",
            "curl -u $LOGIN https://x",
            "config: sig = design",
            "sk-learn-is-a-very-long-package-name",
            "the tokens = many",
            "password: required",
            "Password: Required.",
            "password: optional",
            "password: see 1Password",
            "password: see 1Password, vault Team",
            "my password: see 1Password",
            "the password is required",
            "password is 1Password-managed",
            "password=required",
            "password: 12-character minimum",
            "password: at least 8chars",
            "passphrase: required for the key of the server",
            "passphrase: see the note under the keyboard",
            "{\"password\": \"must be at least 8 characters\"}",
            "{\"password\": \"string\", \"token\": \"optional\"}",
            "wifi password: unknown",
            "password: \"required\"",
            "password: \"not set\"",
            "{\"password\": \"Password is too short\"}",
            "password: changed on 12 May",
            "my password: expires every 30 days, ask Maria",
            "password: rotated by hand",
            "password: sha256-hashed",
            "token: optional",
            "https://example.org/a:b@c",
            "",
        ] {
            assert_eq!(mask(text).text, text, "{:?}", kinds(text));
        }
    }

    #[test]
    fn what_cannot_be_seen_hides_no_secret() {
        let letters = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
        let (start, end) = letters.split_at(9);
        for (text, wanted) in [
            (format!("key ghp_{start}\u{200b}{end} here"), "key [masked GitHub token] here"),
            (format!("gh\u{2060}p_{start}\u{200b}\u{200d}{end}"), "[masked GitHub token]"),
            (format!("see\u{200b}ghp_{letters}"), "see\u{200b}[masked GitHub token]"),
            ("pass\u{200b}word=hunter2 or x".into(), "pass\u{200b}word=[masked password] or x"),
            (
                "a\u{200b}b \u{1F468}\u{200d}\u{1F469}".into(),
                "a\u{200b}b \u{1F468}\u{200d}\u{1F469}",
            ),
        ] {
            let masked = mask(&text).text;
            assert_eq!(masked, wanted);
            assert_eq!(mask(&masked).text, wanted);
        }
    }

    #[test]
    fn any_text_can_be_masked_and_masking_twice_changes_nothing() {
        for text in ["ä://ö:ü@", "password=ééééé", "Bearer ", "eyJ", "-----BEGIN ", "\u{1F600}=x"]
        {
            let once = mask(text).text;
            assert_eq!(mask(&once).text, once);
        }
    }
}
