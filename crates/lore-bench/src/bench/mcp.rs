//! MCP over HTTP: sessions, and calls with and without them.

use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde_json::Value;
use tokio::task::JoinSet;

use crate::load::Tally;
use crate::message::{self, SESSION_REVISION, STATELESS_REVISION, Template, Tool};
use crate::wire::Connection;

/// How calls are made over HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// In a session; answers are event streams.
    Session,
    /// Stateless; answers are JSON.
    Stateless,
    /// With a session's headers, for a server without sessions.
    Plain,
}

/// A connection that is ready to call one tool.
pub(crate) struct Caller {
    connection: Connection,
    template: Template,
    session: Option<String>,
    address: String,
    sent: u32,
}

impl Caller {
    /// Connects, opens a session if the mode needs one, and checks a first call.
    pub(crate) async fn open(address: &str, mode: Mode, tool: Tool) -> anyhow::Result<Self> {
        let mut connection = Connection::open(address).await?;
        let session = match mode {
            Mode::Session => Some(open_session(&mut connection, address).await?),
            Mode::Stateless | Mode::Plain => None,
        };
        let template = Template::new(call(address, mode, tool, session.as_deref()))?;
        let mut caller =
            Self { connection, template, session, address: address.to_owned(), sent: 0 };
        caller.check(mode).await?;
        Ok(caller)
    }

    /// Connects for one stateless request that is sent repeatedly.
    pub(crate) async fn open_for(
        address: &str,
        method: &str,
        name: &str,
        params: Value,
    ) -> anyhow::Result<Self> {
        let connection = Connection::open(address).await?;
        let template = Template::new(stateless_post(address, method, name, params))?;
        Ok(Self { connection, template, session: None, address: address.to_owned(), sent: 0 })
    }

    async fn check(&mut self, mode: Mode) -> anyhow::Result<()> {
        self.sent += 1;
        let reply = self.connection.exchange(self.template.numbered(self.sent)).await?;
        let body = String::from_utf8_lossy(reply.body);
        let kind = reply.header("content-type").unwrap_or_default();
        let expected = match mode {
            Mode::Session => kind.starts_with("text/event-stream") && answers(&body),
            Mode::Stateless => kind.starts_with("application/json") && answers(&body),
            Mode::Plain => reply.status == 200,
        };
        if !expected {
            bail!("a call in mode {mode:?} was answered with {} {kind} {body}", reply.status);
        }
        Ok(())
    }

    /// Makes one call after another for the duration of `window`. Answers shorter than `least`
    /// bytes are failures.
    pub(crate) async fn run(&mut self, least: usize, window: Duration) -> anyhow::Result<Tally> {
        let mut tally = Tally::start();
        let mut sent = Instant::now();
        loop {
            self.sent = self.sent.wrapping_add(1);
            let reply = self.connection.exchange(self.template.numbered(self.sent)).await?;
            if reply.status != 200 || reply.body.len() < least {
                bail!("a bad answer: {} {}", reply.status, String::from_utf8_lossy(reply.body));
            }
            sent = tally.note(sent);
            if tally.is_over(sent, window) {
                return Ok(tally);
            }
        }
    }

    /// Closes the session, if there is one.
    pub(crate) async fn close(mut self) -> anyhow::Result<()> {
        let Some(session) = &self.session else { return Ok(()) };
        let request = format!(
            "DELETE /mcp HTTP/1.1\r\nhost: {}\r\nmcp-session-id: {session}\r\n\r\n",
            self.address
        );
        self.connection.exchange(request.as_bytes()).await?;
        Ok(())
    }
}

fn answers(body: &str) -> bool {
    body.contains("\"structuredContent\":") && body.contains("\"isError\":false")
}

/// Runs all callers concurrently.
pub(crate) async fn run_all(
    callers: Vec<Caller>,
    least: usize,
    window: Duration,
) -> anyhow::Result<(Vec<Caller>, Tally)> {
    let mut running = JoinSet::new();
    for mut caller in callers {
        running.spawn(async move {
            let tally = caller.run(least, window).await?;
            anyhow::Ok((caller, tally))
        });
    }
    let mut callers = Vec::new();
    let mut total = Tally::start();
    while let Some(done) = running.join_next().await {
        let (caller, tally) = done??;
        callers.push(caller);
        total.merge(tally);
    }
    Ok((callers, total))
}

/// Opens a session and returns its id.
pub(crate) async fn open_session(
    connection: &mut Connection,
    address: &str,
) -> anyhow::Result<String> {
    let request = post(address, &[], &message::initialize());
    let reply = connection.exchange(request.as_bytes()).await?;
    let session = reply.header("mcp-session-id").map(str::to_owned);
    let session = session.with_context(|| {
        format!("initialize failed: {} {}", reply.status, String::from_utf8_lossy(reply.body))
    })?;
    let headers = [("mcp-session-id", session.as_str())];
    let request = post(address, &headers, &message::initialized());
    let reply = connection.exchange(request.as_bytes()).await?;
    if reply.status != 202 {
        bail!("initialized was answered with {}", reply.status);
    }
    Ok(session)
}

fn call(address: &str, mode: Mode, tool: Tool, session: Option<&str>) -> String {
    let body = tool.call(mode == Mode::Stateless);
    let headers = match mode {
        Mode::Session | Mode::Plain => vec![
            ("mcp-protocol-version", SESSION_REVISION),
            ("mcp-session-id", session.unwrap_or("00000000-0000-0000-0000-000000000000")),
        ],
        Mode::Stateless => vec![
            ("mcp-protocol-version", STATELESS_REVISION),
            ("mcp-method", "tools/call"),
            ("mcp-name", tool.name()),
        ],
    };
    post(address, &headers, &body)
}

/// Sends one stateless request and returns its result.
pub(crate) async fn ask(
    address: &str,
    method: &str,
    name: &str,
    params: Value,
) -> anyhow::Result<Value> {
    let mut connection = Connection::open(address).await?;
    let request = stateless_post(address, method, name, params);
    let reply = connection.exchange(request.as_bytes()).await?;
    let mut answer: Value = serde_json::from_slice(reply.body)
        .with_context(|| String::from_utf8_lossy(reply.body).into_owned())?;
    let result = answer.get_mut("result").map(Value::take);
    result
        .filter(|result| result.get("isError") != Some(&Value::Bool(true)))
        .with_context(|| format!("{method} {name} was answered with {answer}"))
}

fn stateless_post(address: &str, method: &str, name: &str, params: Value) -> String {
    let headers =
        [("mcp-protocol-version", STATELESS_REVISION), ("mcp-method", method), ("mcp-name", name)];
    post(address, &headers, &message::request(method, params, true))
}

fn post(address: &str, headers: &[(&str, &str)], body: &str) -> String {
    let headers: String =
        headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    format!(
        "POST /mcp HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
         accept: application/json, text/event-stream\r\n{headers}content-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// Checks the health endpoint of the server.
pub(crate) async fn health(address: &str) -> anyhow::Result<()> {
    let mut connection = Connection::open(address).await?;
    let request = format!("GET /mcp/health HTTP/1.1\r\nhost: {address}\r\n\r\n");
    let reply = connection.exchange(request.as_bytes()).await?;
    if reply.status != 200 {
        bail!("health was answered with {}", reply.status);
    }
    Ok(())
}
