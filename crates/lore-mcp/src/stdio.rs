//! MCP over standard input and output.
//!
//! Standard output carries protocol messages and nothing else. As over HTTP, input that is not a
//! message is answered with a JSON-RPC error.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;

use bytes::Bytes;
use rmcp::ErrorData;
use rmcp::ServiceExt;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ErrorCode, RequestId, ServerJsonRpcMessage,
};
use rmcp::service::{RoleServer, RxJsonRpcMessage, ServerInitializeError, TxJsonRpcMessage};
use rmcp::transport::{Transport, stdio_pipes};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

use crate::letters;
use crate::listening::Screened;
use crate::rpc::{self, Fault};
use crate::server::McpServer;

/// The longest message accepted, in bytes; the limit is the same as over HTTP.
const LINE_MAX: usize = 4 * 1024 * 1024;

/// Serves one client until it closes the pipe.
pub async fn serve_stdio(server: McpServer) -> io::Result<()> {
    let (reader, writer) = stdio_pipes();
    match Screened(server).serve(Lines::between(reader, writer)).await {
        Ok(running) => running.waiting().await.map(|_| ()).map_err(io::Error::other),
        // A client that disconnects before it sends anything is not an error.
        Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
        Err(error) => Err(io::Error::other(error)),
    }
}

/// The transport: one message per line, in both directions.
struct Lines<R, W> {
    reader: BufReader<R>,
    /// The line read so far. A read may be cancelled half-way and resumed.
    line: Vec<u8>,
    /// Whether the rest of an over-long line is being discarded.
    skipping: bool,
    writer: Arc<Mutex<Option<W>>>,
    /// The refusal being written. Waiting for it may be cancelled, writing it is not.
    refusing: Option<JoinHandle<io::Result<()>>>,
    /// The ids of the requests being answered.
    asked: Asked,
}

/// Request ids in use. Of two requests with the same id, only one would get an answer.
type Asked = Arc<parking_lot::Mutex<HashSet<RequestId>>>;

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let writer = Arc::clone(&self.writer);
        if let Some(id) = answered(&message) {
            self.asked.lock().remove(id);
        }
        async move { write(&writer, &message).await }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(writing) = &mut self.refusing {
                let written = writing.await;
                self.refusing = None;
                written.ok()?.ok()?;
            }
            let decoded = match self.next_line().await? {
                Ok(line) if line.iter().all(u8::is_ascii_whitespace) => continue,
                Ok(line) => decode(line).and_then(|message| noted(&self.asked, message)),
                Err(fault) => Err(fault),
            };
            match decoded {
                Ok(message) => return Some(message),
                Err(fault) => {
                    let writer = Arc::clone(&self.writer);
                    let refuse = async move { write(&writer, &refusal(fault)).await };
                    self.refusing = Some(tokio::spawn(refuse));
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        if let Some(writing) = self.refusing.take() {
            writing.await.map_err(io::Error::other)??;
        }
        self.writer.lock().await.take();
        Ok(())
    }
}

impl<R: AsyncRead + Unpin, W> Lines<R, W> {
    fn between(reader: R, writer: W) -> Self {
        Self {
            reader: BufReader::new(reader),
            line: Vec::new(),
            skipping: false,
            writer: Arc::new(Mutex::new(Some(writer))),
            refusing: None,
            asked: Asked::default(),
        }
    }

    /// The next complete line, or a fault when it is too long; `None` at the end of the input.
    async fn next_line(&mut self) -> Option<Result<Bytes, Fault>> {
        loop {
            let available = self.reader.fill_buf().await.ok()?;
            if available.is_empty() {
                // Some clients send their last message without a newline.
                return (!self.line.is_empty()).then(|| self.finish_line());
            }
            let newline = available.iter().position(|byte| *byte == b'\n');
            let (taken, used) = match newline {
                Some(at) => (available.get(..at)?, at + 1),
                None => (available, available.len()),
            };
            let fits = self.line.len() + taken.len() <= LINE_MAX;
            if fits && !self.skipping {
                self.line.extend_from_slice(taken);
            } else {
                self.skipping = true;
                self.line.clear();
            }
            self.reader.consume(used);
            if newline.is_some() {
                return Some(self.finish_line());
            }
        }
    }

    fn finish_line(&mut self) -> Result<Bytes, Fault> {
        let line = std::mem::take(&mut self.line);
        if std::mem::take(&mut self.skipping) {
            let text = format!("the message is larger than {LINE_MAX} bytes: send less at a time");
            return Err(Fault::new(-32600, text));
        }
        Ok(Bytes::from(line))
    }
}

fn decode(line: Bytes) -> Result<ClientJsonRpcMessage, Fault> {
    let line = letters::whole(line);
    let glimpse = rpc::glimpse(&line)?;
    let mended = rpc::mend(&glimpse, line);
    serde_json::from_slice(&mended).map_err(|error| Fault {
        id: glimpse.id.unwrap_or_default(),
        ..Fault::new(-32600, format!("this is not an MCP message: {error}"))
    })
}

/// Records that a request is being answered, and rejects a second one with the same id.
fn noted(asked: &Asked, message: ClientJsonRpcMessage) -> Result<ClientJsonRpcMessage, Fault> {
    match &message {
        ClientJsonRpcMessage::Request(request) if !asked.lock().insert(request.id.clone()) => {
            let id = serde_json::to_value(&request.id).unwrap_or_default();
            let text = "another request with this id is being answered: give each its own";
            return Err(Fault { id, ..Fault::new(-32600, text) });
        }
        ClientJsonRpcMessage::Notification(notification) => {
            if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                && let Some(id) = &cancelled.params.request_id
            {
                asked.lock().remove(id);
            }
        }
        _ => {}
    }
    Ok(message)
}

/// The id of the request that a message answers.
fn answered(message: &ServerJsonRpcMessage) -> Option<&RequestId> {
    match message {
        ServerJsonRpcMessage::Response(response) => Some(&response.id),
        ServerJsonRpcMessage::Error(error) => error.id.as_ref(),
        _ => None,
    }
}

fn refusal(fault: Fault) -> ServerJsonRpcMessage {
    let id = serde_json::from_value::<RequestId>(fault.id).ok();
    let data = fault.data.map(|data| *data);
    ServerJsonRpcMessage::error(ErrorData::new(ErrorCode(fault.code), fault.message, data), id)
}

async fn write(
    writer: &Mutex<Option<impl AsyncWrite + Unpin>>,
    message: &ServerJsonRpcMessage,
) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut guard = writer.lock().await;
    let writer = guard.as_mut().ok_or(io::ErrorKind::NotConnected)?;
    writer.write_all(&line).await?;
    writer.flush().await
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::io::{AsyncReadExt, duplex};
    use tokio::time::timeout;

    use super::*;

    /// rmcp drops the future of `receive` whenever it has something to send.
    #[tokio::test]
    async fn a_refusal_is_written_whole_even_if_nobody_waits_for_it() {
        let (mut client, server_reads) = duplex(1024);
        // The pipe is too narrow for a refusal, so writing one takes until the client reads.
        let (server_writes, mut answers) = duplex(8);
        let mut lines = Lines::between(server_reads, server_writes);
        client
            .write_all(b"no message\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n")
            .await
            .unwrap();
        assert!(timeout(Duration::from_millis(50), lines.receive()).await.is_err());
        let heard = tokio::spawn(async move {
            let mut heard = Vec::new();
            while !heard.ends_with(b"\n") {
                heard.push(answers.read_u8().await.unwrap());
            }
            heard
        });
        let next = lines.receive().await;
        assert!(matches!(next, Some(ClientJsonRpcMessage::Request(_))), "{next:?}");
        let refusal: serde_json::Value = serde_json::from_slice(&heard.await.unwrap()).unwrap();
        assert_eq!(refusal["error"]["code"], -32700);
    }
}
