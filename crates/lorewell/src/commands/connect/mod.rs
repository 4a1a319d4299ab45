//! `lorewell connect`: prints or installs the configuration that connects a client.
//!
//! The table in [`clients`] says what each client expects; everything else follows from it. No
//! tokens are written: the user is told how to send one from an environment variable.

mod advice;
mod choice;
mod clients;
mod edit;
mod entry;
mod install;
mod json_file;
mod machine;
mod server;
mod shell;
#[cfg(test)]
mod tests;
mod toml_file;
mod ways;

use std::path::PathBuf;

use anyhow::{Context, bail};

use self::clients::Spec;
use self::edit::Wanted;
use self::install::Outcome;
use self::machine::{Machine, Os};
use self::server::Server;
use self::ways::Ask;
use crate::cli::{Connect, Options};
use crate::config::default_config_file;
use crate::output;

/// Prints the configuration of a client, or merges it into the client's file.
pub(crate) async fn run(options: &Options, connect: &Connect) -> anyhow::Result<()> {
    if connect.http.is_none() {
        choice::check(options).await?;
    }
    let machine = Machine::here()?;
    let plan = Plan::new(options, connect, &machine)?;
    if connect.write { plan.install() } else { plan.print(machine.os) }
}

/// Builds a command line for the shell of this system.
pub(super) fn command_line<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    shell::line(Os::here(), words)
}

/// What to connect, and the file that configures it.
struct Plan {
    spec: &'static Spec,
    name: String,
    server: Server,
    file: PathBuf,
    /// The configuration file that the server will read.
    config: String,
    /// Whether options were given that a running server cannot receive through its client.
    ignored: bool,
}

impl Plan {
    fn new(options: &Options, connect: &Connect, machine: &Machine) -> anyhow::Result<Self> {
        let spec = clients::spec(connect.client);
        let server = match &connect.http {
            Some(url) => Server::http(url)?,
            None => Server::stdio(&std::env::current_exe()?, options)?,
        };
        let file = match &connect.file {
            Some(file) => std::path::absolute(file)?,
            None => machine.file(&spec.place)?,
        };
        let config = match &options.config {
            Some(file) => Some(std::path::absolute(file)?),
            None => default_config_file(),
        };
        let config = config.map_or_else(|| "lorewell.toml".into(), |it| it.display().to_string());
        let ignored = connect.http.is_some() && !server::arguments(options)?.is_empty();
        Ok(Self { spec, name: checked_name(&connect.name)?, server, file, config, ignored })
    }

    fn print(&self, os: Os) -> anyhow::Result<()> {
        // The current contents of the file may decide the format of the entry.
        let current = std::fs::read_to_string(&self.file).unwrap_or_default();
        let wanted = self.wanted(&current);
        let snippet = edit::merged(self.spec.syntax, "", &wanted)?.unwrap_or_default();
        eprintln!("{}", advice::before(self.spec, &self.file));
        output::line(snippet.trim_end());
        let ask = Ask { name: &self.name, server: &self.server, entry: &wanted.entry, os };
        for line in advice::ways(self.spec, &ask) {
            eprintln!("{line}");
        }
        self.advise();
        Ok(())
    }

    fn install(&self) -> anyhow::Result<()> {
        let outcome = install::install(&self.file, |current| {
            edit::merged(self.spec.syntax, current, &self.wanted(current))
                .with_context(|| format!("{} was left as it is", self.file.display()))
        })?;
        output::line(outcome.report(&self.name, &self.file));
        if outcome != Outcome::Unchanged {
            self.advise();
        }
        Ok(())
    }

    fn advise(&self) {
        for line in advice::after(self.spec, &self.server, &self.config, self.ignored) {
            eprintln!("{line}");
        }
    }

    fn wanted(&self, current: &str) -> Wanted<'_> {
        let document = json_file::document(self.spec.syntax, current);
        let placed = entry::placed(self.spec, &self.server, &document);
        Wanted {
            name: &self.name,
            keys: placed.keys,
            entry: placed.entry,
            schema: self.spec.schema,
        }
    }
}

/// Checks a server name. Clients build tool names from it, so only characters that all of them
/// accept are allowed.
fn checked_name(name: &str) -> anyhow::Result<String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if name.is_empty() || name.len() > 64 || !name.chars().all(fits) {
        bail!("{name:?} is not a name for a server: use 1 to 64 of A-Z, a-z, 0-9, _ and -");
    }
    Ok(name.to_owned())
}
