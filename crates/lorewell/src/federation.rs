//! Putting the KOI-net node together: its configuration, its key file, its way out.

use std::io::{self, Write};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, bail};
use lore_app::App;
use lore_app::federation::{
    self, Approve, Config, DOCUMENT_TYPE, ENTITY_TYPE, Federation, KeyFile, NodeKind, Quotas, Wants,
};
use lore_net::Network;
use lore_remote::koi_net::{HttpCarrier, Whereabouts};

use crate::background::Background;
use crate::config::{FederationApproval, FederationKind, Settings};
use crate::output::advised;
use crate::setup;

/// The key's file in the data directory.
const KEY_FILE: &str = "koi-net.pem";
/// The variable with the key file's password, as other KOI-net nodes call it.
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

/// What makes the node this one.
pub(crate) fn config(
    app: &App,
    settings: &Settings,
    address: Option<SocketAddr>,
) -> anyhow::Result<Config> {
    let file = &settings.federation;
    let password = std::env::var(PASSWORD).ok().filter(|password| !password.is_empty());
    let key_file = PrivateFile(settings.data.join(KEY_FILE));
    let entropy = app.effects.entropy.as_ref();
    let key = federation::load_or_make_key(&key_file, password.as_deref(), entropy);
    let wants = file.wants.clone().unwrap_or_default();
    if let Some(bad) = wants.iter().find(|kind| !federation::is_rid_type(kind)) {
        bail!("federation.wants: {bad:?} is no RID type such as orn:koi-net.practice");
    }
    let here =
        || format!("http://{}/koi-net", address.map_or("localhost".into(), |a| a.to_string()));
    Ok(Config {
        key: key.map_err(advised)?,
        name: file.name.clone().unwrap_or_else(|| "lorewell".to_owned()),
        settings: federation::Settings {
            kind: match file.kind {
                FederationKind::Full => NodeKind::Full,
                FederationKind::Partial => NodeKind::Partial,
            },
            base_url: Some(file.base_url.clone().unwrap_or_else(here)),
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

/// The way to other nodes.
pub(crate) fn carrier(app: &App, settings: &Settings) -> anyhow::Result<HttpCarrier> {
    let network = Network::new(app.effects.clone(), lore_net::Options::default())
        .context("other nodes cannot be called")?;
    let whereabouts = match settings.federation.private_network {
        true => Whereabouts::PrivateNetwork,
        false => Whereabouts::Public,
    };
    Ok(HttpCarrier::new(network, whereabouts))
}

/// A file that only its owner reads.
struct PrivateFile(PathBuf);

impl KeyFile for PrivateFile {
    fn read(&self) -> io::Result<Option<String>> {
        match std::fs::read_to_string(&self.0) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Temporary files are made with mode 0600; one is put in place whole and never
    /// over a key that somebody else made meanwhile.
    fn write(&self, pem: &str) -> io::Result<()> {
        let folder = self.0.parent().unwrap_or(std::path::Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(pem.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist_noclobber(&self.0).map_err(|failed| failed.error)?;
        std::fs::File::open(folder)?.sync_all()
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
        let mode = std::fs::metadata(&file.0).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        assert!(file.write("other").is_err(), "a key is never overwritten");
    }
}
