//! The configuration file: its tables, and the environment variables that override them.
//!
//! Keys and tokens have no flags, because a command line is visible in the process list.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use lore_app::pages::live;
use lore_net::Secret;
use lore_remote::{kanka, openai, web, world_anvil};
use serde::Deserialize;

use super::{KankaSettings, default_config_file};

/// The whole file. Missing settings get defaults.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct FileConfig {
    pub(super) data: Option<PathBuf>,
    pub(super) world: Option<String>,
    pub(super) toolsets: Option<Vec<String>>,
    pub(super) tools: Option<Vec<String>>,
    pub(super) exclude_tools: Option<Vec<String>>,
    pub(super) read_only: Option<bool>,
    pub(super) embeddings: ModelFile,
    pub(super) llm: ModelFile,
    pub(super) federation: FederationFile,
    pub(super) vault: Option<PathBuf>,
    pub(super) koi_endpoint: Option<String>,
    pub(super) koi_token: Option<Secret>,
    pub(super) web: WebFile,
    pub(super) code: CodeFile,
    pub(super) world_anvil: WorldAnvilFile,
    pub(super) kanka: KankaFile,
    pub(super) http: HttpFile,
}

impl FileConfig {
    /// The path of the file: `named`, which must exist, or the default path if that exists.
    pub(super) fn place(named: Option<&Path>) -> Option<PathBuf> {
        let usual = || default_config_file().filter(|path| path.exists());
        named.map(Path::to_owned).or_else(usual)
    }

    /// Reads the file at a path; without a path, returns the defaults.
    pub(super) fn read(path: Option<&Path>) -> anyhow::Result<Self> {
        let Some(path) = path else { return Ok(Self::default()) };
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("the configuration {} cannot be read", path.display()))?;
        toml::from_str(&text)
            .with_context(|| format!("the configuration {} is wrong", path.display()))
    }
}

/// The `[code]` table.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct CodeFile {
    /// Seconds between two scans of a repository; 0 disables them.
    pub(super) interval_seconds: Option<u64>,
    /// Folders that users other than the local one may have scanned.
    pub(super) paths: Vec<PathBuf>,
    /// The most rows in an answer to `code_query`.
    pub(super) max_rows: Option<u64>,
    /// The most seconds that a query may take.
    pub(super) max_seconds: Option<u64>,
}

impl CodeFile {
    /// Fails if a limit is 0, since then no query could be answered.
    pub(super) fn checked(self) -> anyhow::Result<Self> {
        for (name, most) in [("max_rows", self.max_rows), ("max_seconds", self.max_seconds)] {
            if most == Some(0) {
                bail!("code.{name} is 0: no question could be answered; give 1 or more, or none");
            }
        }
        Ok(self)
    }
}

/// The `[world_anvil]` table.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct WorldAnvilFile {
    url: Option<String>,
    app_key: Option<Secret>,
    token: Option<Secret>,
}

impl WorldAnvilFile {
    /// Applies the environment, which overrides the file.
    pub(super) fn with_environment(self) -> Self {
        Self {
            url: variable("WORLD_ANVIL_URL").or(self.url),
            app_key: variable("WORLD_ANVIL_APP_KEY").map(Secret::new).or(self.app_key),
            token: variable("WORLD_ANVIL_TOKEN").map(Secret::new).or(self.token),
        }
    }

    /// Validates the table; `None` if it is empty.
    pub(super) fn checked(self) -> anyhow::Result<Option<world_anvil::Config>> {
        match (self.app_key, self.token) {
            (Some(app_key), Some(token)) => {
                let url = self.url.unwrap_or_else(|| world_anvil::URL.to_owned());
                Ok(Some(world_anvil::Config { url, app_key, token }))
            }
            (None, None) => Ok(None),
            (Some(_), None) => bail!(half("WORLD_ANVIL_APP_KEY", "WORLD_ANVIL_TOKEN")),
            (None, Some(_)) => bail!(half("WORLD_ANVIL_TOKEN", "WORLD_ANVIL_APP_KEY")),
        }
    }
}

/// The `[kanka]` table.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct KankaFile {
    token: Option<Secret>,
    campaign: Option<i64>,
    url: Option<String>,
    world: Option<String>,
    refresh: Option<u64>,
    timeout: Option<u64>,
}

impl KankaFile {
    /// Default for the seconds between two checks for changes.
    const REFRESH: u64 = 300;
    /// Default for the seconds that an answer may take.
    const TIMEOUT: u64 = 20;

    /// Applies the environment, which overrides the file.
    pub(super) fn with_environment(self) -> anyhow::Result<Self> {
        let number = |name: &str| match variable(name).map(|text| text.trim().parse::<i64>()) {
            None => Ok(None),
            Some(Ok(number)) if number >= 0 => Ok(Some(number)),
            Some(_) => bail!("{name} is not a number\n  try: {name}=123 or no {name} at all"),
        };
        let refresh = number("KANKA_REFRESH")?.map(i64::unsigned_abs);
        let timeout = number("KANKA_TIMEOUT")?.map(i64::unsigned_abs);
        Ok(Self {
            token: variable("KANKA_TOKEN").map(Secret::new).or(self.token),
            campaign: number("KANKA_CAMPAIGN_ID")?.or(self.campaign),
            url: variable("KANKA_API_BASE").or(self.url),
            world: self.world,
            refresh: refresh.or(self.refresh),
            timeout: timeout.or(self.timeout),
        })
    }

    /// Validates the table; `None` if it is empty.
    pub(super) fn checked(self) -> anyhow::Result<Option<KankaSettings>> {
        let (token, campaign) = match (self.token, self.campaign) {
            (Some(token), Some(campaign)) if campaign > 0 => (token, campaign),
            (None, None) => return Ok(None),
            (Some(_), Some(_)) => bail!(
                "KANKA_CAMPAIGN_ID is not the number of a campaign\n  try: the number in the address of \
                 your campaign on Kanka"
            ),
            (Some(_), None) => bail!(half("KANKA_TOKEN", "KANKA_CAMPAIGN_ID")),
            (None, Some(_)) => bail!(half("KANKA_CAMPAIGN_ID", "KANKA_TOKEN")),
        };
        let refresh = self.refresh.unwrap_or(Self::REFRESH);
        Ok(Some(KankaSettings {
            remote: kanka::Config {
                url: self.url.unwrap_or_else(|| kanka::KANKA.to_owned()),
                token,
                campaign,
                patience: Duration::from_secs(self.timeout.unwrap_or(Self::TIMEOUT).max(1)),
            },
            mirror: live::Config {
                campaign,
                world: self.world.unwrap_or_else(|| format!("Kanka campaign {campaign}")),
                refresh: (refresh > 0).then(|| Duration::from_secs(refresh)),
            },
        }))
    }
}

/// The `[web]` table.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct WebFile {
    ports: Vec<u16>,
    reachable: Vec<SocketAddr>,
}

impl WebFile {
    /// Adds the addresses from the environment to those of the file.
    pub(super) fn with_environment(mut self) -> anyhow::Result<web::Allowed> {
        if let Some(list) = variable("LOREWELL_WEB_REACHABLE") {
            for address in list.split(',').map(str::trim).filter(|part| !part.is_empty()) {
                self.reachable.push(address.parse().with_context(|| {
                    format!("LOREWELL_WEB_REACHABLE: {address:?} is not IP:PORT")
                })?);
            }
        }
        Ok(web::Allowed { ports: self.ports, reachable: self.reachable })
    }
}

/// The `[federation]` table.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct FederationFile {
    /// Whether to run a KOI-net node whenever `serve` runs.
    pub(crate) enabled: bool,
    /// The node's name.
    pub(crate) name: Option<String>,
    /// Whether other nodes can call this one (a full node) or not (a partial node).
    pub(crate) kind: FederationKind,
    /// The URL at which others can call it.
    pub(crate) base_url: Option<String>,
    /// RID types to subscribe to at any node; without it, all that connected nodes provide.
    pub(crate) wants: Option<Vec<String>>,
    /// Whose subscriptions are approved.
    pub(crate) approve: FederationApproval,
    /// Whether other nodes are on this machine or in its private network.
    pub(crate) private_network: bool,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FederationKind {
    #[default]
    Full,
    Partial,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum FederationApproval {
    #[default]
    Connected,
    Anyone,
}

/// The `[embeddings]` and `[llm]` tables.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct ModelFile {
    url: Option<String>,
    model: Option<String>,
    key: Option<Secret>,
}

impl ModelFile {
    /// Applies the environment, which overrides the file.
    pub(super) fn with_environment(self, name: &str) -> Self {
        let variable = |what: &str| variable(&format!("LOREWELL_{name}_{what}"));
        Self {
            url: variable("URL").or(self.url),
            model: variable("MODEL").or(self.model),
            key: variable("KEY").map(Secret::new).or(self.key),
        }
    }

    /// Validates the table; `None` if it is empty.
    pub(super) fn checked(self, table: &str) -> anyhow::Result<Option<openai::Config>> {
        match (self.url, self.model) {
            (Some(url), Some(model)) => Ok(Some(openai::Config { url, model, key: self.key })),
            (None, None) => Ok(None),
            _ => bail!("{table} needs both: set {table}.url and {table}.model"),
        }
    }
}

/// The `[http]` table.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct HttpFile {
    pub(super) addr: Option<String>,
    pub(super) koi_addr: Option<String>,
    pub(super) allow_remote: bool,
    pub(super) allow_hosts: Vec<String>,
    pub(super) allow_origins: Vec<String>,
    pub(super) strict: bool,
    pub(super) rate_limit: Option<u32>,
    pub(super) kanka_rate_limit: Option<u32>,
    pub(super) max_sessions: Option<usize>,
}

/// The message when only one of two variables is set that need each other.
fn half(there: &str, missing: &str) -> String {
    format!(
        "{there} is set, and {missing} is not\n  try: set both, or unset {there} (or take it out of \
         lorewell.toml)"
    )
}

/// Reads an environment variable; an empty one counts as missing.
pub(super) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_keys_are_shown() {
        let error = toml::from_str::<FileConfig>("[http]\nadress = 'x'").unwrap_err();
        assert!(error.to_string().contains("adress"), "{error}");
    }
}
