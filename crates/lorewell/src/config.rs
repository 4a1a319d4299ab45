//! Configuration: flags and environment, then lorewell.toml (`config/file.rs`), then defaults.

mod environment;
mod file;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::bail;
use etcetera::AppStrategy;
use lore_app::knowledge::code::CodeSettings;
use lore_app::pages::live;
use lore_net::Secret;
use lore_remote::{kanka, openai, web, world_anvil};
use lore_tools::{Registry, Selection, Toolset};

use crate::cli::{Options, Serve};
use crate::output;
use file::{CodeFile, FileConfig, HttpFile, KankaFile, variable};

pub(crate) use environment::as_file;
pub(crate) use file::{FederationApproval, FederationFile, FederationKind};

/// The file name of the store in the data directory.
const STORE_FILE: &str = "lorewell.sqlite";
/// The folder for clones of repositories in the data directory.
const COPIES: &str = "repositories";
/// The default address of `serve`.
const HTTP_ADDR: &str = "127.0.0.1:8081";

/// The effective settings.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    /// The configuration file that was read, if any.
    pub(crate) config: Option<PathBuf>,
    /// The directory that contains the store.
    pub(crate) data: PathBuf,
    /// The world to work in, if named.
    pub(crate) world: Option<String>,
    /// The tools to offer.
    pub(crate) selection: Selection,
    /// The embedding service, if one replaces the built-in table.
    pub(crate) embeddings: Option<openai::Config>,
    /// The language model that reads pages, if any.
    pub(crate) llm: Option<openai::Config>,
    /// The `[federation]` table.
    pub(crate) federation: FederationFile,
    /// The notes folder.
    pub(crate) vault: Option<PathBuf>,
    /// The address of another KOI API that shall answer the knowledge tools.
    pub(crate) koi_endpoint: Option<String>,
    /// The token for that API.
    pub(crate) koi_token: Option<Secret>,
    /// What may be fetched besides public web pages.
    pub(crate) web: web::Allowed,
    /// The `[code]` table.
    pub(crate) code: CodeFile,
    /// The World Anvil account that answers the atlas tools, if any.
    pub(crate) world_anvil: Option<world_anvil::Config>,
    /// The Kanka campaign that a world mirrors, if any.
    pub(crate) kanka: Option<KankaSettings>,
    /// The `[http]` table.
    http: HttpFile,
}

/// The settings of a Kanka campaign.
#[derive(Debug, Clone)]
pub(crate) struct KankaSettings {
    /// How to reach it.
    pub(crate) remote: kanka::Config,
    /// The world that mirrors it.
    pub(crate) mirror: live::Config,
}

/// The settings of `serve`.
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
    /// Reads the configuration file; flags and environment override it.
    pub(crate) fn load(options: Options) -> anyhow::Result<Self> {
        let (settings, faults) = Self::as_far_as_possible(options)?;
        match faults.all().next() {
            Some(fault) => Err(fault),
            None => Ok(settings),
        }
    }

    /// Like [`Settings::load`], for commands that need no service: a service with invalid settings
    /// is left out, with a warning.
    pub(crate) fn without_faulty_services(options: Options) -> anyhow::Result<Self> {
        let (settings, faults) = Self::as_far_as_possible(options)?;
        if let Some(fault) = faults.basic.into_iter().next() {
            return Err(fault);
        }
        for fault in &faults.of_services {
            output::aside(format!("lorewell: {}\n  going on without it", output::chain(fault)));
        }
        Ok(settings)
    }

    /// Like [`Settings::load`], but leaves out the invalid parts and returns their errors.
    pub(crate) fn as_far_as_possible(options: Options) -> anyhow::Result<(Self, Faults)> {
        let mut faults = Faults::default();
        let config = FileConfig::place(options.config.as_deref());
        let file = faults.note(FileConfig::read(config.as_deref()));
        let data = options.data.clone().or(file.data.clone()).map_or_else(default_data_dir, Ok)?;
        let selection = faults.note(selection(&options, &file));
        let world_anvil = faults.note_service(file.world_anvil.with_environment().checked());
        // A World Anvil account switches its tools on, unless others were chosen.
        let selection = match &world_anvil {
            Some(_) => selection.with_usual(Toolset::Atlas),
            None => selection,
        };
        let embeddings = file.embeddings.with_environment("EMBEDDINGS").checked("embeddings");
        let llm = file.llm.with_environment("LLM").checked("llm");
        let (embeddings, llm) = (faults.note_service(embeddings), faults.note_service(llm));
        let kanka = file.kanka.with_environment().and_then(KankaFile::checked);
        let kanka = faults.note_service(kanka);
        // The world of the campaign is the current one, unless another is named.
        let mirror = kanka.as_ref().map(|kanka| kanka.mirror.world.clone());
        let world = options.world.or(file.world).or(mirror);
        let (federation, http) = (file.federation, file.http);
        let (code, web) =
            (faults.note(file.code.checked()), faults.note_service(file.web.with_environment()));
        // These names have no prefix because other servers with the same contract use them.
        let vault = variable("VAULT_PATH").map(PathBuf::from).or(file.vault);
        let koi_endpoint = variable("KOI_API_ENDPOINT").or(file.koi_endpoint);
        let koi_token = variable("KOI_API_TOKEN").map(Secret::new).or(file.koi_token);
        let settings = Self {
            config,
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
        };
        Ok((settings, faults))
    }

    /// The settings for scanning and querying source code.
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

    /// The path of the store's file.
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

/// The errors of the configuration, part by part.
#[derive(Default)]
pub(crate) struct Faults {
    /// Errors of the file itself, and of settings that every command depends on.
    basic: Vec<anyhow::Error>,
    /// Errors of the settings of services.
    of_services: Vec<anyhow::Error>,
}

impl Faults {
    /// All errors.
    pub(crate) fn all(self) -> impl Iterator<Item = anyhow::Error> {
        self.basic.into_iter().chain(self.of_services)
    }

    /// Returns the part, or records its error and returns the default.
    fn note<T: Default>(&mut self, part: anyhow::Result<T>) -> T {
        noted(&mut self.basic, part)
    }

    /// Like [`Faults::note`], for a service.
    fn note_service<T: Default>(&mut self, part: anyhow::Result<T>) -> T {
        noted(&mut self.of_services, part)
    }
}

fn noted<T: Default>(faults: &mut Vec<anyhow::Error>, part: anyhow::Result<T>) -> T {
    part.unwrap_or_else(|fault| {
        faults.push(fault);
        T::default()
    })
}

/// The selected tools.
fn selection(options: &Options, file: &FileConfig) -> anyhow::Result<Selection> {
    let list = |flag: &Option<Vec<String>>, file: &Option<Vec<String>>| {
        flag.clone().or(file.clone()).unwrap_or_default()
    };
    let toolsets = list(&options.toolsets, &file.toolsets);
    let tools = list(&options.tools, &file.tools);
    let excluded = list(&options.exclude_tools, &file.exclude_tools);
    let mut selection = Selection::new()
        .with_toolsets(toolsets.iter().map(String::as_str))?
        .with_tools(tools.iter().map(String::as_str))
        .without_tools(excluded.iter().map(String::as_str));
    if options.read_only.or(file.read_only).unwrap_or(false) {
        selection = selection.reading_only();
    }
    if !(tools.is_empty() && excluded.is_empty()) {
        know_the_tools(&selection)?;
    }
    Ok(selection)
}

/// Fails if the options select toolsets or tools that do not exist.
pub(crate) fn check_selection(options: &Options) -> anyhow::Result<()> {
    selection(options, &FileConfig::default()).map(drop)
}

/// Fails when the selection names an unknown tool. Otherwise a misspelt tool would silently be
/// missing, or a misspelt exclusion would leave a tool on.
fn know_the_tools(selection: &Selection) -> anyhow::Result<()> {
    let registry = Registry::standard();
    let unknown: Vec<&str> = selection.unknown_tools(&registry).collect();
    if unknown.is_empty() {
        return Ok(());
    }
    anyhow::bail!("no such tool: {}\n  try: `lorewell tools --toolsets all`", unknown.join(", "))
}

fn default_data_dir() -> anyhow::Result<PathBuf> {
    match strategy() {
        Some(strategy) => Ok(strategy.data_dir()),
        None => bail!("there is no home directory to keep data in: use --data DIR"),
    }
}

/// The default path of the configuration file.
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
