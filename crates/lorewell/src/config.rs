//! Configuration: flags and environment, then lorewell.toml, then defaults.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use etcetera::AppStrategy;
use lore_app::knowledge::code::CodeSettings;
use lore_app::pages::live;
use lore_net::Secret;
use lore_remote::{kanka, openai, web, world_anvil};
use lore_tools::{Registry, Selection, Toolset};
use serde::Deserialize;

use crate::cli::{Options, Serve};

/// The name of the store's file in the data directory.
const STORE_FILE: &str = "lorewell.sqlite";
/// Where copies of repositories are kept in the data directory.
const COPIES: &str = "repositories";
/// Where `serve` listens unless told otherwise.
const HTTP_ADDR: &str = "127.0.0.1:8081";

/// The settings in force.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// Directory that holds the store.
    pub(crate) data: PathBuf,
    /// World to work in, if named.
    pub(crate) world: Option<String>,
    /// Tools to offer.
    pub(crate) selection: Selection,
    /// Where embeddings come from, if not from the built-in table.
    pub(crate) embeddings: Option<openai::Config>,
    /// The language model that reads pages, if there is one.
    pub(crate) llm: Option<openai::Config>,
    /// The `[federation]` table.
    pub(crate) federation: FederationFile,
    /// The folder of notes.
    pub(crate) vault: Option<PathBuf>,
    /// Another KOI API that answers the knowledge tools.
    pub(crate) koi_endpoint: Option<String>,
    /// The token it is shown.
    pub(crate) koi_token: Option<Secret>,
    /// What may be read besides public pages.
    pub(crate) web: web::Allowed,
    /// The `[code]` table.
    pub(crate) code: CodeFile,
    /// World Anvil, if it answers the atlas tools.
    pub(crate) world_anvil: Option<world_anvil::Config>,
    /// The campaign on Kanka that a world mirrors, if any.
    pub(crate) kanka: Option<KankaSettings>,
    /// The `[http]` table.
    http: HttpFile,
}

/// A campaign on Kanka.
#[derive(Debug, Clone)]
pub(crate) struct KankaSettings {
    /// Where it is.
    pub(crate) remote: kanka::Config,
    /// Where it is mirrored to.
    pub(crate) mirror: live::Config,
}

/// How `serve` shall behave.
#[derive(Debug, Clone)]
pub(crate) struct HttpSettings {
    pub(crate) addr: String,
    pub(crate) allow_remote: bool,
    pub(crate) allow_hosts: Vec<String>,
    pub(crate) allow_origins: Vec<String>,
    pub(crate) strict: bool,
    pub(crate) limits: lore_http::Limits,
    pub(crate) kanka_per_minute: Option<u32>,
    pub(crate) koi_addr: Option<String>,
}

impl Settings {
    /// Reads the configuration file and lets flags and environment override it.
    pub(crate) fn load(options: Options) -> anyhow::Result<Self> {
        let file = FileConfig::read(options.config.as_deref())?;
        let data = options.data.or(file.data).map_or_else(default_data_dir, Ok)?;
        let list = |flag: Option<Vec<String>>, file: Option<Vec<String>>| {
            flag.or(file).unwrap_or_default()
        };
        let toolsets = list(options.toolsets, file.toolsets);
        let tools = list(options.tools, file.tools);
        let excluded = list(options.exclude_tools, file.exclude_tools);
        let selection = Selection::new()
            .with_toolsets(toolsets.iter().map(String::as_str))?
            .with_tools(tools.iter().map(String::as_str))
            .without_tools(excluded.iter().map(String::as_str))
            .read_only(options.read_only.or(file.read_only).unwrap_or(false));
        if !(tools.is_empty() && excluded.is_empty()) {
            know_the_tools(&selection)?;
        }
        let world_anvil = file.world_anvil.with_environment().checked()?;
        // Whoever has World Anvil wants its tools, unless they chose others.
        let selection = match &world_anvil {
            Some(_) => selection.with_usual(Toolset::Atlas),
            None => selection,
        };
        let embeddings = file.embeddings.with_environment("EMBEDDINGS").checked("embeddings")?;
        let llm = file.llm.with_environment("LLM").checked("llm")?;
        let kanka = file.kanka.with_environment()?.checked()?;
        // The campaign is the world to work in, unless another is named.
        let mirror = kanka.as_ref().map(|kanka| kanka.mirror.world.clone());
        let world = options.world.or(file.world).or(mirror);
        let (federation, http, code) = (file.federation, file.http, file.code.checked()?);
        // The contract's own names, as its other servers have them.
        let vault = variable("VAULT_PATH").map(PathBuf::from).or(file.vault);
        let koi_endpoint = variable("KOI_API_ENDPOINT").or(file.koi_endpoint);
        let koi_token = variable("KOI_API_TOKEN").map(Secret::new).or(file.koi_token);
        let web = file.web.with_environment()?;
        Ok(Self {
            data,
            world,
            selection,
            embeddings,
            llm,
            federation,
            vault,
            koi_endpoint,
            koi_token,
            web,
            code,
            world_anvil,
            kanka,
            http,
        })
    }

    /// How code is scanned and asked.
    pub(crate) fn code(&self) -> CodeSettings {
        let mut settings = CodeSettings {
            copies: Some(self.data.join(COPIES)),
            paths: self.code.paths.clone(),
            ..CodeSettings::default()
        };
        if let Some(seconds) = self.code.interval_seconds {
            settings.interval = Some(Duration::from_secs(seconds)).filter(|wait| !wait.is_zero());
        }
        settings.query.rows = self.code.max_rows.unwrap_or(settings.query.rows);
        if let Some(seconds) = self.code.max_seconds {
            settings.query.time = Duration::from_secs(seconds);
        }
        settings
    }

    /// The store's file.
    pub(crate) fn store_file(&self) -> PathBuf {
        self.data.join(STORE_FILE)
    }

    /// The settings of `serve`, with its flags applied.
    pub(crate) fn http(&self, flags: &Serve) -> HttpSettings {
        let file = self.http.clone();
        let mut limits = lore_http::Limits::default();
        if let Some(rate) = flags.rate_limit.or(file.rate_limit) {
            (limits.per_second, limits.local_per_second) = (rate, rate);
        }
        limits.sessions = flags.max_sessions.or(file.max_sessions).unwrap_or(limits.sessions);
        let joined = |mut from_file: Vec<String>, flags: &[String]| {
            from_file.extend_from_slice(flags);
            from_file
        };
        HttpSettings {
            addr: flags.http_addr.clone().or(file.addr).unwrap_or_else(|| HTTP_ADDR.into()),
            allow_remote: flags.allow_remote || file.allow_remote,
            allow_hosts: joined(file.allow_hosts, &flags.allow_host),
            allow_origins: joined(file.allow_origins, &flags.allow_origin),
            strict: flags.strict_http || file.strict,
            limits,
            kanka_per_minute: flags.kanka_rate_limit.or(file.kanka_rate_limit),
            koi_addr: flags.koi_addr.clone().or(file.koi_addr),
        }
    }
}

/// Fails when a tool is named that does not exist: it would be missing without a word, or on.
fn know_the_tools(selection: &Selection) -> anyhow::Result<()> {
    let registry = Registry::standard();
    let unknown: Vec<&str> = selection.unknown_tools(&registry).collect();
    if unknown.is_empty() {
        return Ok(());
    }
    anyhow::bail!("no such tool: {}\n  try: `lorewell tools --toolsets all`", unknown.join(", "))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct FileConfig {
    data: Option<PathBuf>,
    world: Option<String>,
    toolsets: Option<Vec<String>>,
    tools: Option<Vec<String>>,
    exclude_tools: Option<Vec<String>>,
    read_only: Option<bool>,
    embeddings: ModelFile,
    llm: ModelFile,
    federation: FederationFile,
    vault: Option<PathBuf>,
    koi_endpoint: Option<String>,
    koi_token: Option<Secret>,
    web: WebFile,
    code: CodeFile,
    world_anvil: WorldAnvilFile,
    kanka: KankaFile,
    http: HttpFile,
}

/// The `[code]` table.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct CodeFile {
    /// How long after a scan the next one is due; 0 is never.
    interval_seconds: Option<u64>,
    /// Folders that others than the person at the machine may have scanned.
    paths: Vec<PathBuf>,
    /// Most rows of an answer to `code_query`.
    max_rows: Option<u64>,
    /// How long a question may take.
    max_seconds: Option<u64>,
}

impl CodeFile {
    /// Nothing could be asked with none of these.
    fn checked(self) -> anyhow::Result<Self> {
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
struct WorldAnvilFile {
    url: Option<String>,
    app_key: Option<Secret>,
    token: Option<Secret>,
}

impl WorldAnvilFile {
    /// No flags for these: a key on a command line is a key in everybody's process list.
    fn with_environment(self) -> Self {
        Self {
            url: variable("WORLD_ANVIL_URL").or(self.url),
            app_key: variable("WORLD_ANVIL_APP_KEY").map(Secret::new).or(self.app_key),
            token: variable("WORLD_ANVIL_TOKEN").map(Secret::new).or(self.token),
        }
    }

    fn checked(self) -> anyhow::Result<Option<world_anvil::Config>> {
        match (self.app_key, self.token) {
            (Some(app_key), Some(token)) => {
                let url = self.url.unwrap_or_else(|| world_anvil::URL.to_owned());
                Ok(Some(world_anvil::Config { url, app_key, token }))
            }
            (None, None) => Ok(None),
            _ => bail!("World Anvil needs both: set WORLD_ANVIL_APP_KEY and WORLD_ANVIL_TOKEN"),
        }
    }
}

/// The `[kanka]` table.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct KankaFile {
    token: Option<Secret>,
    campaign: Option<i64>,
    url: Option<String>,
    world: Option<String>,
    refresh: Option<u64>,
    timeout: Option<u64>,
}

impl KankaFile {
    /// Seconds between looks for changes unless said otherwise.
    const REFRESH: u64 = 300;
    /// Seconds an answer may take unless said otherwise.
    const TIMEOUT: u64 = 20;

    /// No flags for these: a token on a command line is a token in everybody's process list.
    fn with_environment(self) -> anyhow::Result<Self> {
        let number = |name: &str| match variable(name).map(|text| text.trim().parse::<i64>()) {
            None => Ok(None),
            Some(Ok(number)) if number >= 0 => Ok(Some(number)),
            Some(_) => bail!("{name} is no number"),
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

    fn checked(self) -> anyhow::Result<Option<KankaSettings>> {
        let (token, campaign) = match (self.token, self.campaign) {
            (Some(token), Some(campaign)) if campaign > 0 => (token, campaign),
            (None, None) => return Ok(None),
            _ => bail!("Kanka needs both: set KANKA_TOKEN and KANKA_CAMPAIGN_ID"),
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
struct WebFile {
    ports: Vec<u16>,
    reachable: Vec<SocketAddr>,
}

impl WebFile {
    fn with_environment(mut self) -> anyhow::Result<web::Allowed> {
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
    /// Be a KOI-net node whenever `serve` runs.
    pub(crate) enabled: bool,
    /// What the node calls itself.
    pub(crate) name: Option<String>,
    /// Whether others can call it.
    pub(crate) kind: FederationKind,
    /// Where others can call it.
    pub(crate) base_url: Option<String>,
    /// RID types to subscribe to at any node; else all that connected nodes provide.
    pub(crate) wants: Option<Vec<String>>,
    /// Whose subscriptions are approved.
    pub(crate) approve: FederationApproval,
    /// Other nodes live on this machine or its network.
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
struct ModelFile {
    url: Option<String>,
    model: Option<String>,
    key: Option<Secret>,
}

impl ModelFile {
    /// No flags for these: a key on a command line is a key in everybody's process list.
    fn with_environment(self, name: &str) -> Self {
        let variable = |what: &str| variable(&format!("LOREWELL_{name}_{what}"));
        Self {
            url: variable("URL").or(self.url),
            model: variable("MODEL").or(self.model),
            key: variable("KEY").map(Secret::new).or(self.key),
        }
    }

    fn checked(self, table: &str) -> anyhow::Result<Option<openai::Config>> {
        match (self.url, self.model) {
            (Some(url), Some(model)) => Ok(Some(openai::Config { url, model, key: self.key })),
            (None, None) => Ok(None),
            _ => bail!("{table} needs both: set {table}.url and {table}.model"),
        }
    }
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct HttpFile {
    addr: Option<String>,
    koi_addr: Option<String>,
    allow_remote: bool,
    allow_hosts: Vec<String>,
    allow_origins: Vec<String>,
    strict: bool,
    rate_limit: Option<u32>,
    kanka_rate_limit: Option<u32>,
    max_sessions: Option<usize>,
}

impl FileConfig {
    /// Reads `named`, which must exist, or the usual file, which need not.
    fn read(named: Option<&Path>) -> anyhow::Result<Self> {
        let path = match named {
            Some(path) => path.to_owned(),
            None => match default_config_file() {
                Some(path) if path.exists() => path,
                _ => return Ok(Self::default()),
            },
        };
        let text = std::fs::read_to_string(&path)
            .with_context(|| format!("the configuration {} cannot be read", path.display()))?;
        toml::from_str(&text)
            .with_context(|| format!("the configuration {} is wrong", path.display()))
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn default_data_dir() -> anyhow::Result<PathBuf> {
    match strategy() {
        Some(strategy) => Ok(strategy.data_dir()),
        None => bail!("there is no home directory to keep data in: use --data DIR"),
    }
}

/// The usual configuration file.
pub(crate) fn default_config_file() -> Option<PathBuf> {
    Some(strategy()?.config_dir().join("lorewell.toml"))
}

fn strategy() -> Option<impl AppStrategy> {
    etcetera::choose_app_strategy(etcetera::AppStrategyArgs {
        top_level_domain: "dev".into(),
        author: "lorewell".into(),
        app_name: "lorewell".into(),
    })
    .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_keys_are_shown() {
        let error = toml::from_str::<FileConfig>("[http]\nadress = 'x'").unwrap_err();
        assert!(error.to_string().contains("adress"), "{error}");
    }

    #[test]
    fn flags_win_over_the_file() {
        let dir = tempfile::tempdir().unwrap();
        let config = dir.path().join("lorewell.toml");
        std::fs::write(&config, "world = 'A'\n[http]\naddr = '127.0.0.1:1'\nstrict = true\n")
            .unwrap();
        let options = Options {
            config: Some(config),
            data: Some(dir.path().to_owned()),
            world: Some("B".into()),
            ..Options::default()
        };
        let settings = Settings::load(options).unwrap();
        assert_eq!(settings.world.as_deref(), Some("B"));
        let http = settings.http(&Serve::default());
        assert_eq!((http.addr.as_str(), http.strict), ("127.0.0.1:1", true));
        let flags = Serve { http_addr: Some("127.0.0.1:2".into()), ..Serve::default() };
        assert_eq!(settings.http(&flags).addr, "127.0.0.1:2");
    }
}
