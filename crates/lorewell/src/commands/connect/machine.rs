//! Finds the clients' configuration files on this machine.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Context;

/// Operating systems that differ in file locations and shell quoting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Os {
    Linux,
    Mac,
    Windows,
}

/// Where a client looks for its file.
#[derive(Debug, Clone, Copy)]
pub(super) enum Place {
    /// In the platform's configuration directory.
    AppConfig { folder: &'static str, file: &'static str },
    /// In a folder of the home directory, which an environment variable may override.
    Home { folder: &'static str, variable: Option<&'static str>, file: &'static str },
    /// In the current directory: the first of these that exists, or else the first one.
    Project(&'static [&'static str]),
}

/// The facts about a machine that matter here; tests build their own.
#[derive(Debug, Clone)]
pub(super) struct Machine {
    pub(super) os: Os,
    pub(super) home: PathBuf,
    pub(super) current: PathBuf,
    pub(super) variable: fn(&str) -> Option<OsString>,
}

impl Machine {
    /// Describes the machine this program runs on.
    pub(super) fn here() -> anyhow::Result<Self> {
        Ok(Self {
            os: Os::here(),
            home: etcetera::home_dir().context("your home directory is unknown: set HOME")?,
            current: std::env::current_dir().context("the current directory is gone")?,
            variable: |name| std::env::var_os(name),
        })
    }

    /// The path of a client's file.
    pub(super) fn file(&self, place: &Place) -> anyhow::Result<PathBuf> {
        let path = match *place {
            Place::AppConfig { folder, file } => self.app_config().join(folder).join(file),
            Place::Home { folder, variable, file } => {
                let moved = variable.and_then(|name| self.directory(name));
                moved.unwrap_or_else(|| self.home.join(folder)).join(file)
            }
            Place::Project(names) => self.first_of(names).context("a client without a file")?,
        };
        Ok(path)
    }

    fn app_config(&self) -> PathBuf {
        match self.os {
            Os::Linux => {
                self.directory("XDG_CONFIG_HOME").unwrap_or_else(|| self.home.join(".config"))
            }
            Os::Mac => self.home.join("Library").join("Application Support"),
            Os::Windows => self
                .directory("APPDATA")
                .unwrap_or_else(|| self.home.join("AppData").join("Roaming")),
        }
    }

    /// A directory named by a variable. Relative paths are ignored, because their meaning depends
    /// on the program that reads them.
    fn directory(&self, variable: &str) -> Option<PathBuf> {
        (self.variable)(variable).map(PathBuf::from).filter(|path| path.is_absolute())
    }

    fn first_of(&self, names: &[&str]) -> Option<PathBuf> {
        let paths = || names.iter().map(|name| self.current.join(Path::new(name)));
        paths().find(|path| path.exists()).or_else(|| paths().next())
    }
}

impl Os {
    pub(super) fn here() -> Self {
        if cfg!(windows) {
            Self::Windows
        } else if cfg!(target_os = "macos") {
            Self::Mac
        } else {
            Self::Linux
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Client;
    use crate::commands::connect::clients;

    fn machine(os: Os) -> Machine {
        Machine {
            os,
            home: PathBuf::from("/home/me"),
            current: PathBuf::from("/nowhere/project"),
            variable: |_| None,
        }
    }

    fn file(machine: &Machine, client: Client) -> String {
        let path = machine.file(&clients::spec(client).place).unwrap();
        path.to_string_lossy().replace('\\', "/")
    }

    #[test]
    fn files_are_where_the_clients_look() {
        let linux = machine(Os::Linux);
        let expected = [
            (Client::ClaudeDesktop, "/home/me/.config/Claude/claude_desktop_config.json"),
            (Client::ClaudeCode, "/nowhere/project/.mcp.json"),
            (Client::Cursor, "/home/me/.cursor/mcp.json"),
            (Client::Vscode, "/nowhere/project/.vscode/mcp.json"),
            (Client::Opencode, "/nowhere/project/opencode.jsonc"),
            (Client::Codex, "/home/me/.codex/config.toml"),
            (Client::Nanoclaw, "/nowhere/project/.mcp.json"),
            (Client::Openclaw, "/home/me/.openclaw/openclaw.json"),
        ];
        for (client, path) in expected {
            assert_eq!(file(&linux, client), path);
        }
    }

    #[test]
    fn claude_desktop_moves_with_the_platform() {
        assert_eq!(
            file(&machine(Os::Mac), Client::ClaudeDesktop),
            "/home/me/Library/Application Support/Claude/claude_desktop_config.json"
        );
        assert_eq!(
            file(&machine(Os::Windows), Client::ClaudeDesktop),
            "/home/me/AppData/Roaming/Claude/claude_desktop_config.json"
        );
    }

    #[test]
    #[cfg(unix)]
    fn variables_move_folders_but_relative_ones_do_not() {
        let mut moved = machine(Os::Linux);
        moved.variable = |name| match name {
            "CODEX_HOME" => Some("/srv/codex".into()),
            "XDG_CONFIG_HOME" => Some("relative".into()),
            _ => None,
        };
        assert_eq!(file(&moved, Client::Codex), "/srv/codex/config.toml");
        assert!(file(&moved, Client::ClaudeDesktop).starts_with("/home/me/.config/"));
    }

    #[test]
    fn an_existing_opencode_json_is_used() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("opencode.json"), "{}").unwrap();
        let mut here = machine(Os::Linux);
        here.current = folder.path().to_path_buf();
        assert!(file(&here, Client::Opencode).ends_with("/opencode.json"));
        std::fs::write(folder.path().join("opencode.jsonc"), "{}").unwrap();
        assert!(file(&here, Client::Opencode).ends_with("/opencode.jsonc"));
    }
}
