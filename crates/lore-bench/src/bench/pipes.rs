//! A client over pipes: blocking, one thread, several requests in flight.

use std::io::{Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde_json::Value;

use crate::load::Tally;
use crate::message::{self, Template};

/// A server that communicates over its standard input and output.
pub(crate) struct Piped {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
    /// Received bytes that are not processed yet: the start of a line.
    pending: Vec<u8>,
    chunk: Vec<u8>,
    sent: u32,
}

impl Piped {
    /// Starts a server.
    pub(crate) fn spawn(mut command: Command) -> anyhow::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().with_context(|| format!("{command:?} does not start"))?;
        let input = child.stdin.take().context("no stdin")?;
        let output = child.stdout.take().context("no stdout")?;
        let chunk = vec![0; 64 * 1024];
        Ok(Self { child, input, output, pending: Vec::new(), chunk, sent: 0 })
    }

    /// Starts a server and initialises the session.
    pub(crate) fn open(command: Command) -> anyhow::Result<Self> {
        let mut piped = Self::spawn(command)?;
        piped.first_answer()?;
        piped.write_line(&message::initialized())?;
        Ok(piped)
    }

    /// Sends `initialize` and waits for the answer.
    pub(crate) fn first_answer(&mut self) -> anyhow::Result<()> {
        let answer = self.ask(&message::initialize())?;
        answer.get("result").with_context(|| format!("initialize failed: {answer}"))?;
        Ok(())
    }

    /// The process id.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends one request and returns the answer.
    pub(crate) fn ask(&mut self, request: &str) -> anyhow::Result<Value> {
        self.write_line(request)?;
        self.answer()
    }

    /// Sends several requests at once, each with its own id. The answers may come in any order and
    /// are only checked for errors.
    pub(crate) fn ask_all(&mut self, requests: &[String]) -> anyhow::Result<()> {
        let mut out = Vec::new();
        for (number, request) in (0..).zip(requests) {
            out.extend_from_slice(Template::new(request.clone())?.numbered(number));
            out.push(b'\n');
        }
        self.input.write_all(&out)?;
        for _ in requests {
            let answer = self.answer()?;
            if answer.get("error").is_some()
                || answer.pointer("/result/isError") == Some(&true.into())
            {
                bail!("a request failed: {answer}");
            }
        }
        Ok(())
    }

    /// Returns the next answer; other messages of the server are skipped.
    fn answer(&mut self) -> anyhow::Result<Value> {
        loop {
            if let Some(end) = self.pending.iter().position(|byte| *byte == b'\n') {
                let line: Vec<u8> = self.pending.drain(..=end).collect();
                let message: Value = serde_json::from_slice(&line)?;
                if message.get("id").is_some() {
                    return Ok(message);
                }
                continue;
            }
            self.read_more()?;
        }
    }

    /// Keeps `depth` requests in flight for the duration of `window`. Answers shorter than `least`
    /// bytes are failures.
    pub(crate) fn pump(
        &mut self,
        template: &mut Template,
        depth: u32,
        least: usize,
        window: Duration,
    ) -> anyhow::Result<Tally> {
        let mut tally = Tally::start();
        let mut out = Vec::new();
        let mut slots = vec![Instant::now(); usize::try_from(depth)?];
        for slot in 0..depth {
            self.queue(template, depth, slot, &mut out);
        }
        let mut under_way = depth;
        while under_way > 0 {
            self.input.write_all(&out)?;
            out.clear();
            self.read_more()?;
            let mut lines = Vec::new();
            std::mem::swap(&mut lines, &mut self.pending);
            let mut rest = lines.as_slice();
            while let Some(end) = rest.iter().position(|byte| *byte == b'\n') {
                let (line, tail) = rest.split_at(end + 1);
                rest = tail;
                let slot = slot_of(line, depth, least)?;
                let since = slots.get_mut(usize::try_from(slot)?).context("an unknown slot")?;
                let now = tally.note(*since);
                *since = now;
                if tally.is_over(now, window) {
                    under_way -= 1;
                } else {
                    self.queue(template, depth, slot, &mut out);
                }
            }
            self.pending = rest.to_vec();
        }
        Ok(tally)
    }

    /// The id encodes the slot, because answers may arrive in any order.
    fn queue(&mut self, template: &mut Template, depth: u32, slot: u32, out: &mut Vec<u8>) {
        self.sent = self.sent.wrapping_add(1) % 1_000_000;
        out.extend_from_slice(template.numbered(self.sent * depth + slot));
        out.push(b'\n');
    }

    fn write_line(&mut self, line: &str) -> anyhow::Result<()> {
        self.input.write_all(format!("{line}\n").as_bytes())?;
        Ok(())
    }

    fn read_more(&mut self) -> anyhow::Result<()> {
        let read = self.output.read(&mut self.chunk)?;
        if read == 0 {
            bail!("the server left: {:?}", self.child.try_wait());
        }
        self.pending.extend(self.chunk.iter().take(read));
        Ok(())
    }
}

impl Drop for Piped {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn slot_of(line: &[u8], depth: u32, least: usize) -> anyhow::Result<u32> {
    let number = message::number_in(line).filter(|_| line.len() >= least);
    let number = number.with_context(|| format!("a bad answer: {}", String::from_utf8_lossy(line)));
    Ok(number? % depth)
}
