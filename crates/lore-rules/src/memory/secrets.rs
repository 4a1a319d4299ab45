//! Takes keys, tokens and passwords out of a text before it is kept.
//!
//! Finds what looks like a credential by its form, not by whether it works. What it finds is
//! replaced by its kind; the secret itself appears nowhere in the result. Ordinary prose, such
//! as a riddle whose password is told at the table, stays as it is.

/// A text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Masked {
    /// The text, with each secret replaced by its kind in brackets.
    pub text: String,
    /// The kinds that were found, in order.
    pub found: Vec<&'static str>,
}

/// Replaces everything in `text` that looks like a credential.
pub fn mask(text: &str) -> Masked {
    let mut masked = Masked { text: String::with_capacity(text.len()), found: Vec::new() };
    let mut rest = text;
    let mut previous = None;
    while let Some(next) = rest.chars().next() {
        let (kept, after) = match secret_at(rest, previous) {
            Some(hit) => {
                let (kept, tail) = rest.split_at_checked(hit.kept).unwrap_or((rest, ""));
                masked.text.push_str(kept);
                masked.text.push_str("[masked ");
                masked.text.push_str(hit.kind);
                masked.text.push(']');
                masked.found.push(hit.kind);
                tail.split_at_checked(hit.length).unwrap_or((tail, ""))
            }
            None => {
                masked.text.push(next);
                rest.split_at_checked(next.len_utf8()).unwrap_or((rest, ""))
            }
        };
        previous = kept.chars().next_back();
        rest = after;
    }
    masked
}

/// A secret near the start of a text.
struct Hit {
    kind: &'static str,
    /// Bytes before the secret that stay, such as `password=`.
    kept: usize,
    /// Bytes of the secret.
    length: usize,
}

/// Credentials that are known by how they start.
struct Form {
    kind: &'static str,
    starts: &'static [&'static str],
    body: fn(char) -> bool,
    least: usize,
}

const FORMS: [Form; 10] = [
    Form { kind: "AWS key", starts: &["AKIA", "ASIA"], body: is_capital_or_digit, least: 16 },
    Form {
        kind: "GitHub token",
        starts: &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
        body: is_word,
        least: 22,
    },
    Form { kind: "GitLab token", starts: &["glpat-"], body: is_word, least: 20 },
    Form { kind: "API key", starts: &["sk-", "sk_live_", "rk_live_"], body: is_word, least: 16 },
    Form {
        kind: "Slack token",
        starts: &["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-"],
        body: is_word,
        least: 10,
    },
    Form { kind: "Google key", starts: &["AIza"], body: is_word, least: 35 },
    Form { kind: "npm token", starts: &["npm_"], body: is_word, least: 36 },
    Form { kind: "Hugging Face token", starts: &["hf_"], body: is_word, least: 30 },
    Form { kind: "Lorewell token", starts: &["lw_"], body: is_word, least: 60 },
    Form { kind: "bearer token", starts: &["Bearer ", "bearer "], body: is_token, least: 20 },
];

fn secret_at(rest: &str, previous: Option<char>) -> Option<Hit> {
    if previous.is_some_and(is_word) {
        return address_with_password(rest);
    }
    private_key(rest)
        .or_else(|| FORMS.iter().find_map(|form| form.at(rest)))
        .or_else(|| json_web_token(rest))
        .or_else(|| assignment(rest))
}

impl Form {
    fn at(&self, rest: &str) -> Option<Hit> {
        let (start, body) =
            self.starts.iter().find_map(|start| Some((start, rest.strip_prefix(start)?)))?;
        let length = run(body, self.body);
        let body = body.get(..length)?;
        // Keys are random: a long name in words has no digit.
        let random = length >= self.least && body.contains(|c: char| c.is_ascii_digit());
        random.then_some(Hit { kind: self.kind, kept: 0, length: start.len() + length })
    }
}

fn private_key(rest: &str) -> Option<Hit> {
    let label = rest.strip_prefix("-----BEGIN ")?;
    let label = label.get(..label.find("-----")?)?;
    if !label.contains("PRIVATE KEY") {
        return None;
    }
    let end = format!("-----END {label}-----");
    // A key that is cut off is still a key.
    let length = rest.find(&end).map_or(rest.len(), |at| at + end.len());
    Some(Hit { kind: "private key", kept: 0, length })
}

fn json_web_token(rest: &str) -> Option<Hit> {
    if !rest.starts_with("eyJ") {
        return None;
    }
    let length = run(rest, |c| is_word(c) || c == '.');
    let parts: Vec<_> = rest.get(..length)?.split('.').collect();
    let [_, claims, signature] = parts.as_slice() else { return None };
    let complete = claims.starts_with("eyJ") && signature.len() >= 8;
    complete.then_some(Hit { kind: "JSON web token", kept: 0, length })
}

/// Names whose value is a secret.
const NAMES: [&str; 14] = [
    "aws_secret_access_key",
    "secret_access_key",
    "client_secret",
    "access_token",
    "auth_token",
    "private_key",
    "secret_key",
    "passphrase",
    "password",
    "api_key",
    "apikey",
    "passwd",
    "secret",
    "token",
];

fn assignment(rest: &str) -> Option<Hit> {
    let written = run(rest, is_word);
    let name = rest.get(..written)?.to_ascii_lowercase().replace('-', "_");
    let known = NAMES.into_iter().find(|known| name.ends_with(known))?;
    let after = rest.get(written..)?.trim_start_matches(['"', '\'']);
    let spaced = after.trim_start_matches([' ', '\t']);
    let (sign, value) =
        spaced.strip_prefix(['=', ':']).map(|value| (spaced.chars().next(), value))?;
    let value = value.trim_start_matches([' ', '\t']).trim_start_matches(['"', '\'']);
    let kept = rest.len() - value.len();
    let length = run(value, |c| {
        !c.is_whitespace() && !matches!(c, '"' | '\'' | ',' | ';' | '&' | ')' | '}')
    });
    let value = value.get(..length)?;
    let secret = match sign {
        Some('=') => is_literal(value, known),
        _ => looks_random(value),
    };
    let kind = if known.starts_with("pass") { "password" } else { "secret" };
    secret.then_some(Hit { kind, kept, length })
}

/// Whether a value is written out, and not a place where one is to be put.
fn is_literal(value: &str, name: &str) -> bool {
    let placeholder = value.starts_with(['$', '<', '{', '[', '*', '(', '=']) || value.contains('(');
    let word = value.to_ascii_lowercase();
    let nothing = ["none", "null", "true", "false", "undefined"].contains(&word.as_str());
    value.chars().count() >= 4 && !placeholder && !nothing && word != name
}

/// Behind a colon often stands prose; only what nobody would say is a secret there.
fn looks_random(value: &str) -> bool {
    let digit = value.contains(|c: char| c.is_ascii_digit());
    let letter = value.contains(|c: char| c.is_ascii_alphabetic());
    value.chars().count() >= 8 && digit && letter && !value.starts_with(['$', '<', '{', '['])
}

/// `scheme://user:password@host`, seen from the colon after the scheme.
fn address_with_password(rest: &str) -> Option<Hit> {
    let authority = rest.strip_prefix("://")?;
    let authority = authority
        .get(..run(authority, |c| !c.is_whitespace() && !matches!(c, '/' | '"' | '\'')))?;
    let (credentials, _) = authority.rsplit_once('@')?;
    let (user, password) = credentials.split_once(':')?;
    let kept = "://".len() + user.len() + ":".len();
    (!password.is_empty()).then_some(Hit { kind: "password", kept, length: password.len() })
}

/// How many bytes at the start of `text` are of one sort.
fn run(text: &str, of: impl Fn(char) -> bool) -> usize {
    text.find(|c| !of(c)).unwrap_or(text.len())
}

fn is_capital_or_digit(c: char) -> bool {
    c.is_ascii_uppercase() || c.is_ascii_digit()
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

fn is_token(c: char) -> bool {
    is_word(c) || matches!(c, '.' | '~' | '+' | '/' | '=')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<&'static str> {
        mask(text).found
    }

    #[test]
    fn keys_are_known_by_their_form() {
        let letters = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
        let cases = [
            (format!("key {}IOSFODNN7EXAMPLE in use", "AKIA"), "AWS key"),
            (format!("ghp_{letters}"), "GitHub token"),
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
    fn prose_and_placeholders_stay() {
        for text in [
            "The password: swordfish, whispered at the gate",
            "token: three coins",
            "password=$DB_PASSWORD",
            "password=get_password()",
            "password=None",
            "sk-learn-is-a-very-long-package-name",
            "the tokens = many",
            "https://example.org/a:b@c",
            "",
        ] {
            assert_eq!(mask(text).text, text, "{:?}", kinds(text));
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
