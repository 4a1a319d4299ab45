//! Secrets that are known by their own form.

use super::{Hit, is_token, is_word, run};

/// A credential at the start of a text that needs nothing beside it to be known.
pub(super) fn known_by_form(rest: &str) -> Option<Hit> {
    private_key(rest)
        .or_else(|| FORMS.iter().find_map(|form| form.at(rest)))
        .or_else(|| json_web_token(rest))
        .or_else(|| bot_token(rest))
        .or_else(|| webhook(rest))
}

/// Credentials that are known by how they start.
struct Form {
    kind: &'static str,
    starts: &'static [&'static str],
    body: fn(char) -> bool,
    least: usize,
}

/// What comes with a secret that has no form of its own.
pub(super) const AWS_KEY: &str = "AWS key";

const FORMS: [Form; 20] = [
    Form { kind: AWS_KEY, starts: &["AKIA", "ASIA"], body: is_capital_or_digit, least: 16 },
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
        starts: &["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xapp-"],
        body: is_word,
        least: 10,
    },
    Form { kind: "SendGrid key", starts: &["SG."], body: is_token, least: 60 },
    Form { kind: "PyPI token", starts: &["pypi-"], body: is_word, least: 50 },
    Form { kind: "DigitalOcean token", starts: &["dop_v1_"], body: is_word, least: 60 },
    Form { kind: "Vault token", starts: &["hvs."], body: is_word, least: 20 },
    Form {
        kind: "Shopify token",
        starts: &["shpat_", "shpss_", "shpca_"],
        body: is_word,
        least: 32,
    },
    Form { kind: "age key", starts: &["AGE-SECRET-KEY-1"], body: is_capital_or_digit, least: 50 },
    Form { kind: "basic login", starts: &["Basic ", "basic "], body: is_token, least: 12 },
    Form { kind: "Google key", starts: &["AIza"], body: is_word, least: 35 },
    Form { kind: "Google token", starts: &["ya29."], body: is_word, least: 20 },
    Form { kind: "Figma token", starts: &["figd_"], body: is_word, least: 20 },
    Form { kind: "Replicate token", starts: &["r8_"], body: is_word, least: 30 },
    Form { kind: "npm token", starts: &["npm_"], body: is_word, least: 36 },
    Form { kind: "Hugging Face token", starts: &["hf_"], body: is_word, least: 30 },
    Form { kind: "Lorewell token", starts: &["lw_"], body: is_word, least: 60 },
    Form { kind: "bearer token", starts: &["Bearer ", "bearer "], body: is_token, least: 20 },
];

impl Form {
    fn at(&self, rest: &str) -> Option<Hit> {
        let (start, body) =
            self.starts.iter().find_map(|start| Some((start, rest.strip_prefix(start)?)))?;
        let length = run(body, self.body);
        let body = body.get(..length)?;
        // Keys are random: a long name in words has no digit, or its words are set apart.
        let digits = body.contains(|c: char| c.is_ascii_digit());
        let unbroken = !start.ends_with(' ') && !body.contains(['-', '_', '.', '/']);
        let random = length >= self.least && (digits || unbroken);
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

/// A bot's token on Telegram: its number, a colon and 35 letters.
fn bot_token(rest: &str) -> Option<Hit> {
    let digits = run(rest, |c| c.is_ascii_digit());
    let secret = rest.get(digits..)?.strip_prefix(':')?;
    let length = run(secret, is_word);
    let complete = (8..=10).contains(&digits) && secret.starts_with("AA") && length >= 33;
    complete.then_some(Hit { kind: "bot token", kept: 0, length: digits + 1 + length })
}

/// Addresses to which whoever knows them may post.
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

/// `scheme://user:password@host`, seen from the colon after the scheme.
pub(super) fn address_with_password(rest: &str) -> Option<Hit> {
    let authority = rest.strip_prefix("://")?;
    let authority = authority
        .get(..run(authority, |c| !c.is_whitespace() && !matches!(c, '/' | '"' | '\'')))?;
    let (credentials, _) = authority.rsplit_once('@')?;
    let (user, password) = credentials.split_once(':')?;
    let kept = "://".len() + user.len() + ":".len();
    (!password.is_empty()).then_some(Hit { kind: "password", kept, length: password.len() })
}

fn is_capital_or_digit(c: char) -> bool {
    c.is_ascii_uppercase() || c.is_ascii_digit()
}
