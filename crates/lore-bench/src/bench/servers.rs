//! Starting the servers that are compared.

use std::collections::HashMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use anyhow::{Context, bail};
use serde_json::Value;
use tempfile::TempDir;

use crate::message::Tool;
use crate::pipes::Piped;

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The product.
    Lorewell,
    /// The library it is built on, by itself.
    Rmcp,
    /// The HTTP server below that, by itself.
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

/// Where the programs are, and a place for their files.
pub(crate) struct Bench {
    lorewell: PathBuf,
    peer: PathBuf,
    scratch: TempDir,
    /// Bytes that an answer of each tool has at least.
    least: HashMap<&'static str, usize>,
}

impl Bench {
    /// Uses the programs given, or those beside this one.
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

    /// Asks Lorewell once, so that the peers can answer the same. It also makes the store.
    fn learn_answers(&mut self) -> anyhow::Result<()> {
        let mut lorewell = Piped::open(self.stdio(Kind::Lorewell, &[])?)?;
        let mut answers = serde_json::Map::new();
        for tool in Tool::ALL {
            let answer = lorewell.ask(&tool.call(false))?;
            let found =
                answer.pointer("/result/structuredContent").filter(|found| found.is_object());
            let found = found.with_context(|| format!("no answer to learn from: {answer}"))?;
            // Once as text and once as structure, within the protocol's frame.
            self.least.insert(tool.name(), 2 * found.to_string().len());
            answers.insert(tool.name().into(), found.clone());
        }
        std::fs::write(self.answers(), Value::Object(answers).to_string())?;
        Ok(())
    }

    /// Bytes that a good answer of `kind` to `tool` has at least.
    pub(crate) fn least(&self, kind: Kind, tool: Tool) -> usize {
        match kind {
            Kind::Axum => tool.call(false).len(),
            Kind::Lorewell | Kind::Rmcp => self.least.get(tool.name()).copied().unwrap_or(0),
        }
    }

    /// A server over pipes, on the store that is there.
    pub(crate) fn stdio(&self, kind: Kind, flags: &[&str]) -> anyhow::Result<Command> {
        match kind {
            Kind::Lorewell => Ok(self.lorewell_on(&self.scratch.path().join("store"), flags)),
            Kind::Rmcp => Ok(self.peer("rmcp-stdio")),
            Kind::Axum => bail!("axum does not speak over pipes"),
        }
    }

    /// Lorewell over pipes on a store that is not there yet.
    pub(crate) fn stdio_fresh(&self, number: usize) -> Command {
        self.lorewell_on(&self.scratch.path().join(format!("fresh-{number}")), &[])
    }

    /// A place for the files of a server called `name`.
    pub(crate) fn place(&self, name: &str) -> PathBuf {
        self.scratch.path().join(name)
    }

    /// A server over HTTP on a free port.
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

    /// Lorewell on the store in `place`: over pipes, unless the words name another command.
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

    /// Without the environment, so that nobody's configuration is measured.
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

/// A server that runs until it is dropped.
pub(crate) struct HttpServer {
    child: Child,
    /// Where it listens.
    pub(crate) address: String,
    /// Kept open: a server may have more to say.
    _output: BufReader<ChildStdout>,
}

impl HttpServer {
    /// Starts a server that says where it listens.
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

    /// The process.
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
