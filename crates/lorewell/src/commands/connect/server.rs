//! The server that a client shall reach: a program to start, or a URL.

use std::path::Path;

use anyhow::{Context, bail};

use crate::cli::Options;

/// How a client reaches Lorewell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Server {
    /// The client starts the program and talks to it over stdin and stdout.
    Stdio { command: String, args: Vec<String> },
    /// The client talks to a running server.
    Http { url: String },
}

impl Server {
    /// The program `command`, with the options of this invocation.
    pub(super) fn stdio(command: &Path, options: &Options) -> anyhow::Result<Self> {
        Ok(Self::Stdio { command: text(command)?, args: arguments(options)? })
    }

    /// The server at `url`; fails if the URL is invalid or contains a password.
    pub(super) fn http(url: &str) -> anyhow::Result<Self> {
        let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
        let Some(host) = rest.and_then(|rest| rest.split(['/', '?', '#']).next()) else {
            bail!("{url:?} is not the URL of a server: use http://HOST:PORT/mcp");
        };
        if host.contains('@') {
            bail!(
                "the URL holds a password, which would end up in a file: leave it out and send a \
                 token by header instead"
            );
        }
        if host.is_empty() || url.chars().any(|c| c.is_whitespace() || c.is_control()) {
            bail!("{url:?} is not the URL of a server: use http://HOST:PORT/mcp");
        }
        Ok(Self::Http { url: url.to_owned() })
    }
}

/// The options of this invocation that a server needs, as command-line arguments.
///
/// Values from the environment are included, because a client started from a desktop does not have
/// the environment of this shell.
pub(super) fn arguments(options: &Options) -> anyhow::Result<Vec<String>> {
    let path = |path: &Option<_>| path.as_deref().map(absolute).transpose();
    let list = |list: &Option<Vec<String>>| list.as_ref().map(|list| list.join(","));
    let values = [
        ("--data", path(&options.data)?),
        ("--config", path(&options.config)?),
        ("--world", options.world.clone()),
        ("--toolsets", list(&options.toolsets)),
        ("--tools", list(&options.tools)),
        ("--exclude-tools", list(&options.exclude_tools)),
    ];
    let given = values.into_iter().filter_map(|(flag, value)| Some(pair(flag, value?)));
    Ok(given.flatten().chain(options.read_only.map(read_only)).collect())
}

/// Joins a flag and its value. A value that looks like a flag must be attached with `=`.
fn pair(flag: &str, value: String) -> Vec<String> {
    if value.starts_with('-') {
        return vec![format!("{flag}={value}")];
    }
    vec![flag.to_owned(), value]
}

fn read_only(on: bool) -> String {
    // An explicit "no" matters too: it overrides the configuration file.
    if on { "--read-only".into() } else { "--read-only=false".into() }
}

/// Makes a path absolute, because a client starts the server in a directory of its own choice.
fn absolute(path: &Path) -> anyhow::Result<String> {
    text(&std::path::absolute(path)?)
}

fn text(path: &Path) -> anyhow::Result<String> {
    let text = path.to_str().with_context(|| {
        format!("{} is not Unicode and fits into no configuration file", path.display())
    })?;
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use clap::Parser;

    use super::*;
    use crate::cli::Cli;

    #[test]
    fn options_become_arguments() {
        let options = Options {
            data: Some(PathBuf::from("/srv/my data")),
            world: Some("-dash".into()),
            toolsets: Some(vec!["play".into(), "memory".into()]),
            exclude_tools: Some(vec!["forget".into()]),
            read_only: Some(true),
            verbose: 3,
            ..Options::default()
        };
        let data = absolute(Path::new("/srv/my data")).unwrap();
        let expected = [
            "--data",
            data.as_str(),
            "--world=-dash",
            "--toolsets",
            "play,memory",
            "--exclude-tools",
            "forget",
            "--read-only",
        ];
        assert_eq!(arguments(&options).unwrap(), expected);
    }

    #[test]
    fn arguments_are_understood_again() {
        let given = Options {
            data: Some(PathBuf::from("relative")),
            config: Some(PathBuf::from("it's \"mine\".toml")),
            world: Some("-dash".into()),
            tools: Some(vec!["a".into(), "b".into()]),
            read_only: Some(false),
            ..Options::default()
        };
        let words = arguments(&given).unwrap();
        let cli = Cli::try_parse_from(["lorewell".to_owned()].into_iter().chain(words)).unwrap();
        assert!(cli.command.is_none(), "without a command it speaks over its pipes");
        assert!(cli.options.data.is_some_and(|path| path.is_absolute()));
        assert_eq!(cli.options.world, given.world);
        assert_eq!(cli.options.tools, given.tools);
        assert_eq!(cli.options.read_only, Some(false));
    }

    #[test]
    fn only_web_addresses_without_secrets_are_urls() {
        for good in ["http://127.0.0.1:8081/mcp", "https://lore.example/mcp?world=a@b"] {
            assert_eq!(Server::http(good).unwrap(), Server::Http { url: good.into() });
        }
        for bad in ["", "mcp", "ftp://x/", "http:///mcp", "http://a b/", "https://me:pw@host/mcp"] {
            assert!(Server::http(bad).is_err(), "{bad}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_path_that_is_not_unicode_is_refused() {
        use std::os::unix::ffi::OsStrExt;
        let path = Path::new(std::ffi::OsStr::from_bytes(b"/srv/\xff"));
        let error = Server::stdio(path, &Options::default()).unwrap_err();
        assert!(error.to_string().contains("not Unicode"));
    }
}
