//! A minimal HTTP/1.1 client with one persistent connection.

use anyhow::{Context, bail};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A persistent connection.
pub(crate) struct Connection {
    stream: TcpStream,
    /// The response that is being read.
    buffer: Vec<u8>,
}

/// A response, as received.
#[derive(Debug)]
pub(crate) struct Reply<'a> {
    /// The status code.
    pub(crate) status: u16,
    head: &'a [u8],
    /// The body; if it is chunked, it still contains the chunk sizes.
    pub(crate) body: &'a [u8],
}

impl Reply<'_> {
    /// Returns the value of a header; case is ignored.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        header(self.head, name)
    }
}

impl Connection {
    /// Connects to a server.
    pub(crate) async fn open(address: &str) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, buffer: Vec::with_capacity(16 * 1024) })
    }

    /// Sends a request and reads the whole response.
    pub(crate) async fn exchange(&mut self, request: &[u8]) -> anyhow::Result<Reply<'_>> {
        self.stream.write_all(request).await?;
        self.buffer.clear();
        let head_end = loop {
            self.read_more().await?;
            if let Some(at) = self.buffer.windows(4).position(|part| part == b"\r\n\r\n") {
                break at + 4;
            }
        };
        let head = self.buffer.get(..head_end).unwrap_or_default();
        match header(head, "content-length") {
            Some(length) => self.read_until(head_end + length.parse::<usize>()?).await?,
            None if header(head, "transfer-encoding") == Some("chunked") => {
                self.read_chunks(head_end).await?;
            }
            None if status(head) == Some(204) => {}
            None => bail!("an answer of unknown length: {}", String::from_utf8_lossy(head)),
        }
        let (head, body) = self.buffer.split_at(head_end);
        let status = status(head).context("an answer without status")?;
        Ok(Reply { status, head, body })
    }

    async fn read_chunks(&mut self, mut at: usize) -> anyhow::Result<()> {
        loop {
            let rest = self.buffer.get(at..).unwrap_or_default();
            let Some(line) = rest.windows(2).position(|part| part == b"\r\n") else {
                self.read_more().await?;
                continue;
            };
            let size = std::str::from_utf8(rest.get(..line).unwrap_or_default())?;
            let size = usize::from_str_radix(size, 16).context("a chunk without size")?;
            // The line with the size, the chunk, and the line end after it.
            at += line + 2 + size + 2;
            self.read_until(at).await?;
            if size == 0 {
                return Ok(());
            }
        }
    }

    async fn read_until(&mut self, length: usize) -> anyhow::Result<()> {
        while self.buffer.len() < length {
            self.read_more().await?;
        }
        Ok(())
    }

    async fn read_more(&mut self) -> anyhow::Result<()> {
        if self.stream.read_buf(&mut self.buffer).await? == 0 {
            bail!("the server closed the connection");
        }
        Ok(())
    }
}

fn status(head: &[u8]) -> Option<u16> {
    std::str::from_utf8(head.get(9..12)?).ok()?.parse().ok()
}

fn header<'a>(head: &'a [u8], name: &str) -> Option<&'a str> {
    let head = std::str::from_utf8(head).ok()?;
    let lines = head.split("\r\n").skip(1);
    let mut pairs = lines.filter_map(|line| line.split_once(": "));
    pairs.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
}
