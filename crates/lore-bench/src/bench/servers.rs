//! Starts the servers that are compared.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use anyhow::{Context, bail};
use serde_json::Value;
use tempfile::TempDir;

use crate::message::Tool;
use crate::pipes::Piped;

/// A server that is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Lorewell itself.
    Lorewell,
    /// rmcp, the MCP library Lorewell is built on, by itself.
    Rmcp,
    /// axum, the HTTP server below that, by itself.
    Axum,
}

impl Kind {
    pub(crate) fn label(self) -> &'static str {
        match self {
            Self::Lorewell => "lorewell",
            Self::Rmcp => "bare rmcp",
            Self::Axum => "bare axum",
        }
    }
}

/// The programs, and a temporary directory for their files.
pub(crate) struct Bench {
    lorewell: PathBuf,
    peer: PathBuf,
    scratch: TempDir,
    /// The minimum size of an answer of each tool, in bytes.
    least: HashMap<&'static str, usize>,
}

impl Bench {
    /// Uses the given programs, or those next to this one.
    pub(crate) fn new(lorewell: Option<PathBuf>, peer: Option<PathBuf>) -> anyhow::Result<Self> {
        let scratch = tempfile::tempdir()?;
        let mut bench = Self {
            lorewell: located(lorewell, "lorewell")?,
            peer: located(peer, "bench-peer")?,
            scratch,
            least: HashMap::new(),
        };
        bench.learn_answers()?;
        Ok(bench)
    }

    /// Asks Lorewell once, so that the peers can give the same answers. This also creates the
    /// store.
    fn learn_answers(&mut self) -> anyhow::Result<()> {
        let mut lorewell = Piped::open(self.stdio(Kind::Lorewell, &[])?)?;
        let mut answers = serde_json::Map::new();
        for tool in Tool::ALL {
            let answer = lorewell.ask(&tool.call(false))?;
            let found =
                answer.pointer("/result/structuredContent").filter(|found| found.is_object());
            let found = found.with_context(|| format!("no answer to learn from: {answer}"))?;
            // The answer occurs once as text and once as structured content, inside the protocol's
            // envelope.
            self.least.insert(tool.name(), 2 * found.to_string().len());
            answers.insert(tool.name().into(), found.clone());
        }
        std::fs::write(self.answers(), Value::Object(answers).to_string())?;
        Ok(())
    }

    /// Returns the minimum size in bytes of a correct answer of `kind` to `tool`.
    pub(crate) fn least(&self, kind: Kind, tool: Tool) -> usize {
        match kind {
            Kind::Axum => tool.call(false).len(),
            Kind::Lorewell | Kind::Rmcp => self.least.get(tool.name()).copied().unwrap_or(0),
        }
    }

    /// Returns the command for a server over pipes, on the existing store.
    pub(crate) fn stdio(&self, kind: Kind, flags: &[&str]) -> anyhow::Result<Command> {
        match kind {
            Kind::Lorewell => Ok(self.lorewell_on(&self.scratch.path().join("store"), flags)),
            Kind::Rmcp => Ok(self.peer("rmcp-stdio")),
            Kind::Axum => bail!("axum does not speak over pipes"),
        }
    }

    /// Returns the command for Lorewell over pipes on a new store.
    pub(crate) fn stdio_fresh(&self, number: usize) -> Command {
        self.lorewell_on(&self.scratch.path().join(format!("fresh-{number}")), &[])
    }

    /// Returns the directory for the files of a server called `name`.
    pub(crate) fn place(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    /// Starts a server over HTTP on a free port.
    pub(crate) fn http(&self, kind: Kind, flags: &[&str]) -> anyhow::Result<HttpServer> {
        HttpServer::start(match kind {
            Kind::Lorewell => {
                let mut command = self.lorewell_on(&self.scratch.path().join("store"), flags);
                command.args(["serve", "--http-addr", "127.0.0.1:0"]);
                command
            }
            Kind::Rmcp => self.peer("rmcp-http"),
            Kind::Axum => self.peer("axum"),
        })
    }

    fn answers(&self) -> PathBuf {
        self.scratch.path().join("answers.json")
    }

    /// Returns the command for Lorewell on the store in `place`: over pipes, unless `words` contain
    /// another subcommand.
    pub(crate) fn lorewell_on(&self, place: &Path, words: &[&str]) -> Command {
        let mut command = self.bare(&self.lorewell);
        command.arg("--data").arg(place).args(words);
        command
    }

    fn peer(&self, server: &str) -> Command {
        let mut command = self.bare(&self.peer);
        command.arg(server).arg("--answers").arg(self.answers());
        command
    }

    /// Clears the environment, so that no user's configuration affects the measurement.
    fn bare(&self, program: &Path) -> Command {
        let mut command = Command::new(program);
        command.env_clear().env("HOME", self.scratch.path());
        command
    }
}

fn located(given: Option<PathBuf>, name: &str) -> anyhow::Result<PathBuf> {
    let beside = || std::env::current_exe().ok().map(|exe| exe.with_file_name(name));
    let path = given.or_else(beside).filter(|path| path.is_file());
    path.with_context(|| format!("{name} is not built: run `cargo xtask bench mcp`"))
}

/// An HTTP server that runs until it is dropped.
pub(crate) struct HttpServer {
    child: Child,
    /// The address it listens on.
    pub(crate) address: String,
    /// Kept open, because the server may still write to it.
    _output: BufReader<ChildStdout>,
}

impl HttpServer {
    /// Starts a server that prints its address.
    pub(crate) fn start(mut command: Command) -> anyhow::Result<Self> {
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("{command:?} does not start"))?;
        let mut output = BufReader::new(child.stdout.take().context("no stdout")?);
        let mut line = String::new();
        output.read_line(&mut line)?;
        let address = line.split_once("http://").and_then(|(_, rest)| rest.split('/').next());
        let address = address.map(str::to_owned);
        let Some(address) = address else {
            let _ = child.kill();
            bail!("{command:?} did not say where it listens: {line:?}");
        };
        Ok(Self { child, address, _output: output })
    }

    /// The process id.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
