//! Takes keys, tokens and passwords out of a text before it is kept.
//!
//! Finds what looks like a credential by its form, not by whether it works. What it finds is
//! replaced by its kind; the secret itself appears nowhere in the result. Ordinary prose, such
//! as a riddle whose password is told at the table, stays as it is.

mod told;

use told::{assignment, command};

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
    let masked = mask_what_is_telling(text);
    match masked.found.contains(&AWS_KEY) {
        true => mask_beside_aws_key(masked),
        false => masked,
    }
}

/// An AWS key comes with a secret of 40 letters that nothing else tells from an id.
fn mask_beside_aws_key(mut masked: Masked) -> Masked {
    let secrets: Vec<String> = masked
        .text
        .split(|c| !is_base64(c))
        .filter(|run| is_aws_secret(run))
        .map(str::to_owned)
        .collect();
    for secret in secrets {
        masked.text = masked.text.replace(&secret, "[masked AWS secret]");
        masked.found.push("AWS secret");
    }
    masked
}

fn is_aws_secret(run: &str) -> bool {
    let has = |of: fn(&char) -> bool| run.chars().any(|c| of(&c));
    run.len() == 40
        && has(char::is_ascii_uppercase)
        && has(char::is_ascii_lowercase)
        && has(char::is_ascii_digit)
}

fn mask_what_is_telling(text: &str) -> Masked {
    let mut masked = Masked { text: String::with_capacity(text.len()), found: Vec::new() };
    let mut rest = text;
    while let Some(next) = rest.chars().next() {
        let before = text.get(..text.len() - rest.len()).unwrap_or_default();
        let (_, after) = match secret_at(rest, before) {
            Some(hit) => {
                let (kept, tail) = rest.split_at_checked(hit.kept).unwrap_or((rest, ""));
                // What stays may hold another one, such as a header before a login.
                let before = mask_what_is_telling(kept);
                masked.text.push_str(&before.text);
                masked.found.extend(before.found);
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

const AWS_KEY: &str = "AWS key";

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

fn secret_at(rest: &str, before: &str) -> Option<Hit> {
    if before.ends_with(is_word) {
        return address_with_password(rest);
    }
    private_key(rest)
        .or_else(|| FORMS.iter().find_map(|form| form.at(rest)))
        .or_else(|| json_web_token(rest))
        .or_else(|| bot_token(rest))
        .or_else(|| webhook(rest))
        .or_else(|| command(rest))
        .or_else(|| assignment(rest, before))
}

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

fn is_base64(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=')
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
