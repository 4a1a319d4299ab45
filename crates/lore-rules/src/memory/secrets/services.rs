//! The prefixes of keys and tokens of well-known services.

use super::{is_base64, is_token, is_word};

/// The form of credentials that are recognised by their prefix.
pub(super) struct Form {
    pub(super) kind: &'static str,
    pub(super) starts: &'static [&'static str],
    /// The characters that may follow the prefix.
    pub(super) body: fn(char) -> bool,
    /// The minimum number of bytes after the prefix.
    pub(super) least: usize,
}

const fn form(
    kind: &'static str,
    starts: &'static [&'static str],
    body: fn(char) -> bool,
    least: usize,
) -> Form {
    Form { kind, starts, body, least }
}

/// The kind of an AWS key, which comes with a secret that has no form of its own.
pub(super) const AWS_KEY: &str = "AWS key";

/// A lower bound for the length of a service's key in bytes, including its prefix.
pub(super) const SHORTEST: usize = 14;

/// Credentials in HTTP headers.
pub(super) static HEADERS: [Form; 2] = [
    form("basic login", &["Basic ", "basic "], is_token, 12),
    form("bearer token", &["Bearer ", "bearer "], is_token, 20),
];

/// Prefixes that occur nowhere else. The rest may contain words.
pub(super) static DISTINCT: [Form; 84] = [
    form(AWS_KEY, &["AKIA", "ASIA", "ABIA", "ACCA"], is_capital_or_digit, 16),
    form(AWS_KEY, &["ABSK"], is_base64, 100),
    form("GitHub token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"], is_word, 22),
    form(
        "GitLab token",
        &[
            "glpat-",
            "gldt-",
            "glrt-",
            "glrtr-",
            "glcbt-",
            "glptt-",
            "glft-",
            "glimt-",
            "glagent-",
            "gloas-",
            "glsoat-",
            "glffct-",
            "GR1348941",
        ],
        is_dotted,
        20,
    ),
    form(
        "API key",
        &["sk-", "sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_"],
        is_word,
        16,
    ),
    form("webhook secret", &["whsec_"], is_base64, 20),
    form(
        "Slack token",
        &["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxc-", "xoxd-", "xoxe-", "xoxe.", "xapp-"],
        is_dotted,
        10,
    ),
    form("SendGrid key", &["SG."], is_token, 60),
    form("Brevo key", &["xkeysib-", "xsmtpsib-"], is_word, 40),
    form("PyPI token", &["pypi-"], is_word, 50),
    form("npm token", &["npm_"], is_word, 36),
    form("RubyGems key", &["rubygems_"], is_word, 40),
    form("Clojars token", &["CLOJARS_"], is_word, 40),
    form("Docker token", &["dckr_pat_", "dckr_oat_"], is_word, 20),
    form("DigitalOcean token", &["dop_v1_", "doo_v1_", "dor_v1_"], is_word, 60),
    form("Vault token", &["hvs.", "hvb.", "hvr."], is_word, 20),
    form("Shopify token", &["shpat_", "shpss_", "shpca_", "shppa_"], is_word, 32),
    form("age key", &["AGE-SECRET-KEY-1"], is_capital_or_digit, 50),
    form("Google key", &["AIza"], is_word, 35),
    form("Google token", &["ya29."], is_dotted, 20),
    form("Google secret", &["GOCSPX-"], is_word, 20),
    form("Google token", &["1//0"], is_word, 40),
    form("Facebook token", &["EAA"], is_plain, 60),
    form("Figma token", &["figd_", "figdr_", "figo_"], is_word, 20),
    form("Replicate token", &["r8_"], is_word, 30),
    form("Hugging Face token", &["hf_", "api_org_"], is_word, 30),
    form("Lorewell token", &["lw_"], is_word, 60),
    form("Tailscale key", &["tskey-"], is_word, 16),
    form("Linear key", &["lin_api_", "lin_oauth_"], is_word, 20),
    form("Postman key", &["PMAK-", "PMAT-"], is_word, 24),
    form("Groq key", &["gsk_"], is_word, 20),
    form("xAI key", &["xai-"], is_word, 20),
    form("Perplexity key", &["pplx-"], is_word, 20),
    form("Cerebras key", &["csk-"], is_word, 20),
    form("Together key", &["tgp_v1_"], is_word, 20),
    form("LangSmith key", &["lsv2_pt_", "lsv2_sk_"], is_word, 20),
    form("Tavily key", &["tvly-"], is_word, 20),
    form("Pinecone key", &["pcsk_"], is_word, 20),
    form("NVIDIA key", &["nvapi-"], is_word, 20),
    form("Jina key", &["jina_"], is_word, 30),
    form("Apify token", &["apify_api_"], is_word, 20),
    form("RunPod key", &["rpa_"], is_capital_or_digit, 30),
    form("Weights & Biases key", &["wandb_v1_"], is_word, 20),
    form("Supabase key", &["sbp_", "sb_secret_"], is_word, 20),
    form("Neon key", &["napi_"], is_word, 40),
    form("PlanetScale token", &["pscale_tkn_", "pscale_oauth_", "pscale_pw_"], is_dotted, 20),
    form("Fly token", &["fm1_", "fm2_", "fo1_"], is_base64, 40),
    form("Netlify token", &["nfp_", "nfc_"], is_word, 30),
    form("Heroku key", &["HRKU-"], is_word, 30),
    form("Deno token", &["ddp_", "ddo_"], is_word, 30),
    form("Pulumi token", &["pul-"], is_hex, 40),
    form(
        "Doppler token",
        &["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."],
        is_dotted,
        30,
    ),
    form("1Password token", &["ops_eyJ"], is_base64, 60),
    form("Sentry token", &["sntrys_", "sntryu_"], is_token, 40),
    form("New Relic key", &["NRAK-", "NRII-", "NRRA-", "NRJS-"], is_word, 19),
    form("Grafana token", &["glsa_", "glc_"], is_token, 30),
    form("Dynatrace token", &["dt0c01.", "dt0s01.", "dt0s02.", "dt0s16."], is_dotted, 40),
    form("PostHog key", &["phx_"], is_word, 30),
    form("Sourcegraph token", &["sgp_", "slk_"], is_word, 40),
    form("Mapbox token", &["sk.eyJ"], is_dotted, 60),
    form("Notion token", &["ntn_"], is_word, 40),
    form("Atlassian token", &["ATATT3", "ATCTT3", "ATBB", "ATTA"], is_token, 24),
    form("Contentful token", &["CFPAT-"], is_word, 40),
    form("Typeform token", &["tfp_"], is_dotted, 40),
    form("ReadMe key", &["rdme_"], is_word, 60),
    form("Duffel token", &["duffel_live_", "duffel_test_"], is_word, 40),
    form("EasyPost key", &["EZAK", "EZTK"], is_plain, 50),
    form("Flutterwave key", &["FLWSECK-", "FLWSECK_TEST-"], is_word, 12),
    form("Square token", &["sq0atp-", "sq0csp-", "EAAAE", "EAAAl"], is_word, 22),
    form("Shippo token", &["shippo_live_", "shippo_test_"], is_word, 40),
    form(
        "Plaid token",
        &["access-production-", "access-sandbox-", "access-development-"],
        is_word,
        32,
    ),
    form("Cloud key", &["LTAI", "AKID"], is_plain, 17),
    form("CircleCI token", &["CCIPAT_", "CCIPRJ_"], is_word, 30),
    form("Buildkite token", &["bkua_", "bkat_"], is_word, 36),
    form("SonarQube token", &["squ_", "sqp_", "sqa_"], is_word, 40),
    form("JFrog key", &["AKCp", "cmVmdGtu"], is_plain, 50),
    form("OpenShift token", &["sha256~"], is_word, 40),
    form("Dropbox token", &["sl.u.", "sl.B"], is_word, 100),
    form("Lichess token", &["lip_"], is_word, 20),
    form("WakaTime key", &["waka_"], is_word, 36),
    form("Matrix token", &["syt_"], is_word, 30),
    form("Stytch secret", &["secret-live-", "secret-test-"], is_word, 30),
    form("Databricks token", &["dapi"], is_hex, 32),
    form("Browserbase key", &["bb_live_"], is_word, 20),
];

/// Prefixes that also occur in names, so the rest has to look random and to end with the word.
pub(super) static COMMON: [Form; 18] = [
    form("API key", &["sk_", "api-", "sdk-", "key-"], is_hex_or_dash, 32),
    form("Twilio key", &["SK"], is_hex, 32),
    form("Resend key", &["re_"], is_word, 30),
    form("Firecrawl key", &["fc-"], is_hex, 30),
    form("Voyage key", &["pa-"], is_word, 40),
    form("Modal key", &["ak-", "as-"], is_plain, 20),
    form("Fireworks key", &["fw_"], is_plain, 20),
    form("E2B key", &["e2b_"], is_hex, 40),
    form("Mem0 key", &["m0-"], is_plain, 40),
    form("Vercel token", &["vcp_", "vci_", "vca_", "vcr_", "vck_"], is_plain, 24),
    form("Render key", &["rnd_"], is_plain, 28),
    form("ntfy token", &["tk_"], is_plain, 29),
    form("Adafruit key", &["aio_"], is_plain, 28),
    form("Notion token", &["secret_"], is_plain, 43),
    form("crates.io token", &["cio"], is_plain, 32),
    form("NuGet key", &["oy2"], is_plain, 43),
    form("Airtable token", &["pat"], is_dotted, 70),
    form("Brave key", &["BSA"], is_word, 28),
];

fn is_capital_or_digit(c: char) -> bool {
    c.is_ascii_uppercase() || c.is_ascii_digit()
}

fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric()
}

fn is_hex(c: char) -> bool {
    c.is_ascii_digit() || matches!(c, 'a'..='f')
}

fn is_hex_or_dash(c: char) -> bool {
    is_hex(c) || c == '-'
}

fn is_dotted(c: char) -> bool {
    is_word(c) || c == '.'
}
