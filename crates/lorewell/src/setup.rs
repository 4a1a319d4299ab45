//! Assembles the application from the settings.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use lore_app::App;
use lore_app::access::{Doorkeeper, Identity};
use lore_app::knowledge::Notes;
use lore_app::knowledge::code::Code;
use lore_app::pages::live::{self, Campaign};
use lore_core::{Effects, Error, Viewer};
use lore_mcp::{Scope, ServerParts};
use lore_net::Network;
use lore_remote::chat::OpenAiChat;
use lore_remote::embeddings::OpenAiEmbeddings;
use lore_remote::kanka::KankaCampaign;
use lore_remote::koi::KoiApi;
use lore_remote::web::GuardedWeb;
use lore_remote::world_anvil::WorldAnvil;
use lore_sqlite::SqliteStore;
use lore_store::StoreError;
use lore_tools::Registry;

use crate::background::Background;
use crate::config::{KankaSettings, Settings};
use crate::output;
use crate::output::advised;

/// Opens the store and builds the application with everything that is configured. A Kanka campaign
/// that has no world yet is asked whether it exists.
pub(crate) async fn open_app(settings: &Settings) -> anyhow::Result<Arc<App>> {
    let (app, faults) = open(settings, Unmirrored::Ask).await?;
    match faults.into_iter().next() {
        Some(fault) => Err(fault),
        None => Ok(app),
    }
}

/// Like [`open_app`], for commands that may need a service: leaves out those that cannot be used,
/// with a warning.
pub(crate) async fn open_with_what_works(settings: &Settings) -> anyhow::Result<Arc<App>> {
    let (app, faults) = open(settings, Unmirrored::Ask).await?;
    warn_of(&faults);
    Ok(app)
}

/// Like [`open_with_what_works`], for commands that need no service: sends nothing.
pub(crate) async fn open_without_services(settings: &Settings) -> anyhow::Result<Arc<App>> {
    let (app, faults) = open_as_far_as_possible(settings).await?;
    warn_of(&faults);
    Ok(app)
}

fn warn_of(faults: &[anyhow::Error]) {
    for fault in faults {
        output::aside(format!("lorewell: {}\n  going on without it", output::chain(fault)));
    }
}

/// Like [`open_app`], but sends nothing, leaves out services with an invalid configuration, and
/// returns their errors.
pub(crate) async fn open_as_far_as_possible(
    settings: &Settings,
) -> anyhow::Result<(Arc<App>, Vec<anyhow::Error>)> {
    open(settings, Unmirrored::LeaveOut).await
}

/// What to do about a Kanka campaign that no world mirrors yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Unmirrored {
    /// Create its world if the campaign answers.
    Ask,
    /// Do not open it.
    LeaveOut,
}

async fn open(
    settings: &Settings,
    unmirrored: Unmirrored,
) -> anyhow::Result<(Arc<App>, Vec<anyhow::Error>)> {
    check_directory(settings).map_err(advised)?;
    let effects = Effects::system();
    let file = settings.store_file();
    let store = lore_sqlite::check_log(&file)
        .and_then(|()| SqliteStore::open(&file, lore_sqlite::Options::default(), &effects))
        .map_err(|error| Unopened { file, error })?;
    let mut app = App::new(Arc::new(store), effects.clone());
    app.web = Some(Arc::new(GuardedWeb::new(effects.clone(), settings.web.clone())));
    app.code = Arc::new(Code::new(settings.code()));
    if let Some(folder) = &settings.vault {
        app.notes = Arc::new(Notes::at(folder.clone(), settings.world.clone()));
    }
    let mut faults = connect_services(&mut app, settings);
    let app = Arc::new(app);
    if let Some(kanka) = &settings.kanka {
        faults.extend(open_campaign(&app, kanka, unmirrored).await.err());
    }
    Ok((app, faults))
}

/// Why the store cannot be opened.
#[derive(Debug)]
pub(crate) struct Unopened {
    file: PathBuf,
    error: StoreError,
}

impl Unopened {
    /// What is wrong.
    pub(crate) fn problem(&self) -> String {
        format!("the store {} cannot be opened\n  because: {}", self.file.display(), self.error)
    }

    /// What to do about it.
    pub(crate) fn remedy(&self) -> &'static str {
        remedy(&self.error)
    }
}

impl std::error::Error for Unopened {}

impl fmt::Display for Unopened {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}\n  try: {}", self.problem(), self.remedy())
    }
}

/// What to do about a store that cannot be opened or checked.
pub(crate) fn remedy(error: &StoreError) -> &'static str {
    match error {
        StoreError::NewerSchema { .. } => {
            "update lorewell: it was written by a newer one; if that cannot be, its header is \
             damaged: restore a backup with `lorewell restore FILE`"
        }
        StoreError::Foreign(_) => {
            "if it was your store, its beginning is damaged or gone: restore a backup with \
             `lorewell restore FILE`; otherwise point --data at another directory"
        }
        StoreError::Disk(_) => "make room on the disk or mend it, then look again",
        StoreError::ReadOnly => {
            "the store itself may be whole: let this user write to the file and to its directory \
             (chmod u+w, as their owner), or mount the disk for writing"
        }
        StoreError::Denied(_) => {
            "the store itself may be whole: run as the user whom the file and its directory belong \
             to, or let this one read and write both (chown or chmod, as their owner)"
        }
        StoreError::Busy => "wait until the program that holds the store is done",
        _ => "restore a backup with `lorewell restore FILE`, or move the file away to start afresh",
    }
}

/// Fails if the data directory is a file; if it is the store's file, the hint names its directory.
pub(crate) fn check_directory(settings: &Settings) -> Result<(), Error> {
    let data = &settings.data;
    if !data.is_file() {
        return Ok(());
    }
    let hint = match data.parent().filter(|_| settings.store_file().file_name() == data.file_name())
    {
        Some(parent) => format!("use --data {}", parent.join("").display()),
        None => "name the directory that holds lorewell.sqlite, or a new one".into(),
    };
    Err(Error::invalid("--data", format!("is the file {}, not a directory", data.display()), hint))
}

/// Opens the world that mirrors a Kanka campaign. Sends something to Kanka only if there is no such
/// world yet.
async fn open_campaign(
    app: &Arc<App>,
    kanka: &KankaSettings,
    unmirrored: Unmirrored,
) -> anyhow::Result<()> {
    let network = Network::new(app.effects.clone(), lore_net::Options::default())?;
    let remote = Arc::new(KankaCampaign::new(&network, &kanka.remote).map_err(advised)?);
    let campaign = match Campaign::open(app, kanka.mirror.clone(), remote.clone()).await {
        Err(Error::NotFound { .. }) if unmirrored == Unmirrored::LeaveOut => return Ok(()),
        Err(Error::NotFound { .. }) => Campaign::begin(app, kanka.mirror.clone(), remote).await,
        opened => opened,
    };
    let _ = app.kanka.set(Arc::new(campaign.map_err(advised)?));
    Ok(())
}

/// Connects the configured services and returns the errors of those that cannot be connected. If
/// none is configured, no network client is created.
fn connect_services(app: &mut App, settings: &Settings) -> Vec<anyhow::Error> {
    let models = [&settings.embeddings, &settings.llm];
    let (koi, anvil) = (&settings.koi_endpoint, &settings.world_anvil);
    if models.iter().all(|model| model.is_none()) && koi.is_none() && anvil.is_none() {
        return Vec::new();
    }
    let network = match Network::new(app.effects.clone(), lore_net::Options::default()) {
        Ok(network) => network,
        Err(error) => return vec![error.into()],
    };
    let mut faults = Vec::new();
    let mut note = |error: Error| faults.push(advised(error));
    let live = anvil.as_ref().map(|config| WorldAnvil::new(&network, &app.effects, config));
    app.anvil = connected(live, &mut note).map(|live| Arc::new(live) as _);
    let token = settings.koi_token.as_ref();
    let api = koi.as_ref().map(|url| KoiApi::new(&network, url, token));
    app.elsewhere = connected(api, &mut note).map(|api| Arc::new(api) as _);
    let embedder = settings.embeddings.as_ref();
    let embedder = embedder.map(|config| OpenAiEmbeddings::new(&network, config));
    app.embedder = connected(embedder, &mut note).map(|embedder| Arc::new(embedder) as _);
    let model = settings.llm.as_ref().map(|config| OpenAiChat::new(&network, config));
    app.model = connected(model, &mut note).map(|model| Arc::new(model) as _);
    faults
}

/// The service, if it is configured and valid.
fn connected<T>(configured: Option<Result<T, Error>>, note: &mut impl FnMut(Error)) -> Option<T> {
    configured.and_then(|result| result.map_err(&mut *note).ok())
}

/// Starts the background tasks. On a read-only server, those that change worlds are not started.
pub(crate) fn start_background(app: &Arc<App>, settings: &Settings, background: &Background) {
    background.spawn(lore_app::sessions::keep_purged(Arc::clone(app)));
    background.spawn(make_search_ready(Arc::clone(app), settings.world.clone()));
    if settings.selection.is_read_only() {
        return;
    }
    background.spawn(lore_app::memory::access::keep_counted(Arc::clone(app)));
    if app.embedder.is_some() {
        background.spawn(lore_app::search::keep_embedded(Arc::clone(app)));
    }
    if app.kanka.get().is_some() {
        background.spawn(live::keep_mirrored(Arc::clone(app)));
    }
    background.spawn(lore_app::knowledge::keep_watching(Arc::clone(app)));
    background.spawn(lore_app::knowledge::keep_vault(Arc::clone(app), settings.world.clone()));
    background.spawn(lore_app::knowledge::code::keep_scanned(Arc::clone(app)));
}

/// Prepares search for the world that is likely to be asked about first.
async fn make_search_ready(app: Arc<App>, world: Option<String>) {
    // If the named world does not exist, the caller's own call reports it.
    let Ok(viewer) = lore_app::access::enter(&app, Identity::LOCAL, world.as_deref()).await else {
        return;
    };
    lore_app::search::make_ready(Arc::clone(&app), viewer).await;
    // A world that mirrors a campaign will be asked for its pages.
    if app.kanka.get().is_some_and(|campaign| campaign.world() == viewer.world) {
        lore_app::pages::make_ready(&app, &viewer).await;
    }
}

/// Fails when the named world does not exist, since every call would fail.
pub(crate) async fn know_the_world(app: &App, settings: &Settings) -> anyhow::Result<()> {
    if settings.world.is_some() {
        let entered = lore_app::access::enter(app, Identity::LOCAL, settings.world.as_deref());
        entered.await.map_err(advised)?;
    }
    Ok(())
}

/// Builds what all connections share.
pub(crate) fn server_parts(app: Arc<App>) -> Arc<ServerParts> {
    let doorkeeper = Arc::new(Doorkeeper::new(Arc::clone(&app)));
    Arc::new(ServerParts::new(app, doorkeeper, Arc::new(Registry::standard())))
}

/// The scope of the local user.
pub(crate) fn local_scope(settings: &Settings) -> Scope {
    Scope {
        identity: Identity::LOCAL,
        world: settings.world.clone(),
        selection: Arc::new(settings.selection.clone()),
    }
}

/// The local user's view of the world that they named or chose.
pub(crate) async fn local_viewer(app: &App, settings: &Settings) -> anyhow::Result<Viewer> {
    let viewer = lore_app::access::enter(app, Identity::LOCAL, settings.world.as_deref()).await;
    viewer.map_err(advised)
}
