//! Builds the KOI-net node: its configuration, its key file and its HTTP client.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail};
use lore_app::App;
use lore_app::federation::{
    self, Approve, Config, DOCUMENT_TYPE, ENTITY_TYPE, Federation, KeyFile, NodeKind, Quotas, Wants,
};
use lore_net::{Endpoint, Network};
use lore_remote::koi_net::{HttpCarrier, Whereabouts};
use tempfile::NamedTempFile;

use crate::background::Background;
use crate::config::{FederationApproval, FederationKind, Settings};
use crate::output::advised;
use crate::setup;

/// The file name of the private key in the data directory.
const KEY_FILE: &str = "koi-net.pem";
/// The variable with the password of the key file; other KOI-net nodes use the same name.
const PASSWORD: &str = "PRIV_KEY_PASSWORD";

/// Starts the node beside the server that listens at `address`.
pub(crate) async fn start(
    app: &Arc<App>,
    settings: &Settings,
    address: SocketAddr,
    background: &Background,
) -> anyhow::Result<Arc<Federation>> {
    let viewer = setup::local_viewer(app, settings).await?;
    let config = config(app, settings, Some(address))?;
    let carrier = Arc::new(carrier(app, settings)?);
    let node = Federation::open(Arc::clone(app), viewer, config, carrier).await.map_err(advised)?;
    let _ = app.federation.set(Arc::clone(&node));
    background.spawn(Arc::clone(&node).run());
    Ok(node)
}

/// Builds the node's configuration; creates the key if there is none.
pub(crate) fn config(
    app: &App,
    settings: &Settings,
    address: Option<SocketAddr>,
) -> anyhow::Result<Config> {
    let file = &settings.federation;
    let key_file = PrivateFile(settings.data.join(KEY_FILE));
    let entropy = app.effects.entropy.as_ref();
    let key = federation::load_or_make_key(&key_file, password().as_deref(), entropy);
    let wants = file.wants.clone().unwrap_or_default();
    check_wants(&wants)?;
    let base_url = match &file.base_url {
        Some(url) => reachable_at(url)?,
        None => {
            format!("http://{}/koi-net", address.map_or("localhost".into(), |a| a.to_string()))
        }
    };
    Ok(Config {
        key: key.map_err(advised)?,
        name: file.name.clone().unwrap_or_else(|| "lorewell".to_owned()),
        settings: federation::Settings {
            kind: match file.kind {
                FederationKind::Full => NodeKind::Full,
                FederationKind::Partial => NodeKind::Partial,
            },
            base_url: Some(base_url),
            provides: [ENTITY_TYPE, DOCUMENT_TYPE].map(str::to_owned).to_vec(),
            wants: if file.wants.is_some() { Wants::Types(wants) } else { Wants::Connected },
            approve: match file.approve {
                FederationApproval::Connected => Approve::Connected,
                FederationApproval::Anyone => Approve::Anyone,
            },
            quotas: Quotas::default(),
        },
    })
}

/// The problems with the node's key and settings. Creates no key.
pub(crate) fn faults(settings: &Settings) -> Vec<anyhow::Error> {
    let file = &settings.federation;
    let key_file = PrivateFile(settings.data.join(KEY_FILE));
    let key = federation::check_key(&key_file, password().as_deref()).map_err(advised);
    let wants = check_wants(file.wants.as_deref().unwrap_or_default());
    let address = file.base_url.as_deref().map_or(Ok(()), |url| reachable_at(url).map(drop));
    [key, wants, address].into_iter().filter_map(Result::err).collect()
}

fn password() -> Option<String> {
    std::env::var(PASSWORD).ok().filter(|password| !password.is_empty())
}

fn check_wants(wants: &[String]) -> anyhow::Result<()> {
    match wants.iter().find(|kind| !federation::is_rid_type(kind)) {
        None => Ok(()),
        Some(bad) => bail!(
            "federation.wants: {bad:?} is no RID type\n  try: one such as orn:koi-net.practice"
        ),
    }
}

/// Whether a node was ever started here.
pub(crate) fn has_key(settings: &Settings) -> bool {
    settings.data.join(KEY_FILE).exists()
}

/// Validates the URL that other nodes are told. If it has no path, `/koi-net` is appended.
fn reachable_at(url: &str) -> anyhow::Result<String> {
    let url = url.trim().trim_end_matches('/');
    if !federation::is_address(url) || Endpoint::new(url).is_err() {
        bail!(
            "federation.base_url: {url:?} is not an address\n  try: one such as \
             https://lore.example.org/koi-net"
        );
    }
    let has_path = url.split_once("://").is_some_and(|(_, rest)| rest.contains('/'));
    Ok(if has_path { url.to_owned() } else { format!("{url}/koi-net") })
}

/// Creates the HTTP client for calls to other nodes.
pub(crate) fn carrier(app: &App, settings: &Settings) -> anyhow::Result<HttpCarrier> {
    let network = Network::new(app.effects.clone(), lore_net::Options::default())
        .context("other nodes cannot be called")?;
    let whereabouts = match settings.federation.private_network {
        true => Whereabouts::PrivateNetwork,
        false => Whereabouts::Public,
    };
    Ok(HttpCarrier::new(network, whereabouts))
}

/// A file that only its owner may read.
struct PrivateFile(PathBuf);

impl KeyFile for PrivateFile {
    fn read(&self) -> io::Result<Option<String>> {
        match std::fs::read_to_string(&self.0) {
            Ok(text) => {
                self.close_to_others()?;
                Ok(Some(text))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Writes the key atomically, and fails rather than replace a key that another process wrote
    /// meanwhile.
    fn write(&self, pem: &str) -> io::Result<()> {
        self.written(pem)?.persist_noclobber(&self.0).map_err(|failed| failed.error)?;
        self.sync_folder()
    }

    fn replace(&self, pem: &str) -> io::Result<()> {
        self.written(pem)?.persist(&self.0).map_err(|failed| failed.error)?;
        self.sync_folder()
    }
}

impl PrivateFile {
    fn folder(&self) -> &Path {
        self.0.parent().unwrap_or(Path::new("."))
    }

    /// Writes to a temporary file beside it; those are created with mode 0600.
    fn written(&self, pem: &str) -> io::Result<NamedTempFile> {
        let mut file = NamedTempFile::new_in(self.folder())?;
        file.write_all(pem.as_bytes())?;
        file.as_file().sync_all()?;
        Ok(file)
    }

    fn sync_folder(&self) -> io::Result<()> {
        std::fs::File::open(self.folder())?.sync_all()
    }

    /// Removes access for others, which copied files often have.
    #[cfg(unix)]
    fn close_to_others(&self) -> io::Result<()> {
        use std::os::unix::fs::PermissionsExt;
        // The target of a link is not ours to change.
        let found = std::fs::symlink_metadata(&self.0)?;
        let mode = found.permissions().mode();
        if found.is_symlink() || mode & 0o077 == 0 {
            return Ok(());
        }
        tracing::warn!("others could read the federation's key file; it is closed to them now");
        std::fs::set_permissions(&self.0, std::fs::Permissions::from_mode(0o600))
    }

    #[cfg(not(unix))]
    fn close_to_others(&self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn the_key_is_for_its_owner_only() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = PrivateFile(folder.path().join(KEY_FILE));
        assert_eq!(file.read().unwrap(), None);
        file.write("secret").unwrap();
        assert_eq!(file.read().unwrap().as_deref(), Some("secret"));
        let mode = || std::fs::metadata(&file.0).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(), 0o600);
        assert!(file.write("other").is_err(), "a key is never overwritten");
        std::fs::set_permissions(&file.0, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(file.read().unwrap().as_deref(), Some("secret"));
        assert_eq!(mode(), 0o600, "what was opened to others is closed");
        file.replace("the same, encrypted").unwrap();
        assert_eq!(file.read().unwrap().as_deref(), Some("the same, encrypted"));
        assert_eq!(mode(), 0o600);
    }

    #[test]
    fn addresses_of_the_configuration_are_addresses() {
        for bad in ["junk", "ftp://x/koi-net", "http://", "http:///koi-net", "http://a b/", ""] {
            let problem = reachable_at(bad).unwrap_err().to_string();
            assert!(problem.contains("federation.base_url"), "{bad}: {problem}");
        }
        for (given, told) in [
            ("https://lore.example.org", "https://lore.example.org/koi-net"),
            ("https://lore.example.org/koi-net/", "https://lore.example.org/koi-net"),
            ("http://127.0.0.1:8081/a/b", "http://127.0.0.1:8081/a/b"),
        ] {
            assert_eq!(reachable_at(given).unwrap(), told);
        }
    }
}
