//! A client for one server over stdio, with one call at a time.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, bail};
use serde_json::{Value, json};

/// A server with its own data directory.
pub(crate) struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    calls: u64,
}

impl Client {
    /// Starts a server on the data directory `data` and opens a session.
    pub(crate) fn open(program: &Path, data: &Path) -> anyhow::Result<Self> {
        let mut child = Command::new(program)
            .args(["--toolsets", "memory", "--data"])
            .arg(data)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("{} does not start", program.display()))?;
        let input = child.stdin.take().context("no stdin")?;
        let output = BufReader::new(child.stdout.take().context("no stdout")?);
        let mut client = Self { child, input, output, calls: 0 };
        client.ask(
            "initialize",
            &json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": { "name": "lore-eval", "version": "1" },
            }),
        )?;
        client.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(client)
    }

    /// Calls a tool and returns its answer, which must not be an error.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> anyhow::Result<Value> {
        let params = json!({ "name": tool, "arguments": arguments });
        let result = self.ask("tools/call", &params)?;
        let answer = result.get("structuredContent").cloned().unwrap_or_default();
        if result.get("isError") == Some(&Value::Bool(true)) || answer.get("error").is_some() {
            bail!("{tool} failed: {result}");
        }
        Ok(answer)
    }

    /// Returns the CPU time the server has used, in seconds.
    pub(crate) fn cpu_seconds(&self) -> anyhow::Result<f64> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        // Fields 14 and 15, counted from after the name, which may contain spaces.
        let (_, rest) = stat.rsplit_once(')').context("an odd /proc/…/stat")?;
        let mut ticks = rest.split_whitespace().skip(11).map(str::parse::<f64>);
        let (user, system) = (ticks.next(), ticks.next());
        Ok((user.context("no user time")?? + system.context("no system time")??) / 100.0)
    }

    fn ask(&mut self, method: &str, params: &Value) -> anyhow::Result<Value> {
        self.calls += 1;
        let id = self.calls;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                bail!("the server left: {:?}", self.child.try_wait());
            }
            let mut message: Value = serde_json::from_str(&line)?;
            if message.get("id").and_then(Value::as_u64) != Some(id) {
                continue;
            }
            return match message.get_mut("result") {
                Some(result) => Ok(result.take()),
                None => bail!("{method} failed: {message}"),
            };
        }
    }

    fn send(&mut self, message: &Value) -> anyhow::Result<()> {
        self.input.write_all(format!("{message}\n").as_bytes())?;
        Ok(())
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
