//! A TCP proxy in front of an HTTP server that counts requests.
//!
//! Bytes are passed on unchanged. A request is recognised by the end of its first line, which does
//! not occur in any body that the benchmark sends.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// The end of the first line of a request.
const MARK: &[u8] = b" HTTP/1.1\r\n";

/// The proxy, which runs until the program ends.
pub(crate) struct Counted {
    /// The address of the proxy.
    pub(crate) address: String,
    requests: Arc<AtomicU64>,
}

impl Counted {
    /// Starts a proxy for the server at an address.
    pub(crate) fn way_to(server: &str) -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?.to_string();
        let requests = Arc::new(AtomicU64::new(0));
        let (server, counter) = (server.to_owned(), Arc::clone(&requests));
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                // If a connection fails, the client repeats the request, which is counted then.
                let _ = join(client, &server, &counter);
            }
        });
        Ok(Self { address, requests })
    }

    /// The number of requests passed on so far.
    pub(crate) fn requests(&self) -> u64 {
        self.requests.load(Ordering::SeqCst)
    }
}

fn join(client: TcpStream, server: &str, counter: &Arc<AtomicU64>) -> anyhow::Result<()> {
    let upstream = TcpStream::connect(server)?;
    for stream in [&client, &upstream] {
        stream.set_nodelay(true)?;
    }
    let (back_from, back_to) = (upstream.try_clone()?, client.try_clone()?);
    let counter = Arc::clone(counter);
    thread::spawn(move || {
        pass(client, upstream, |marks| counter.fetch_add(marks, Ordering::SeqCst))
    });
    thread::spawn(move || pass(back_from, back_to, |_| 0));
    Ok(())
}

/// Passes bytes on until one side closes. Calls `tell` with the number of request lines in each
/// part before the part is sent on.
fn pass(mut from: TcpStream, mut to: TcpStream, tell: impl Fn(u64) -> u64) {
    let mut chunk = vec![0; 64 * 1024];
    let mut tail: Vec<u8> = Vec::new();
    while let Ok(read @ 1..) = from.read(&mut chunk) {
        let part = chunk.get(..read).unwrap_or_default();
        tail.extend_from_slice(part);
        tell(tail.windows(MARK.len()).filter(|window| *window == MARK).count() as u64);
        tail.drain(..tail.len().saturating_sub(MARK.len() - 1));
        if to.write_all(part).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
    let _ = from.shutdown(Shutdown::Both);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_counted_however_they_are_cut() {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let way = Counted::way_to(&server.local_addr().unwrap().to_string()).unwrap();
        let mut client = TcpStream::connect(&way.address).unwrap();
        let (mut end, _) = server.accept().unwrap();
        let mut arrived = Vec::new();
        for part in
            ["GET /a HT", "TP/1.1\r\n\r\nPUT", " /b HTTP/1.1\r\n", "\r\nGET /c HTTP/1.1\r\n\r\n"]
        {
            client.write_all(part.as_bytes()).unwrap();
            let mut piece = vec![0; part.len()];
            end.read_exact(&mut piece).unwrap();
            arrived.extend(piece);
        }
        assert!(arrived.ends_with(b"GET /c HTTP/1.1\r\n\r\n"));
        assert_eq!(way.requests(), 3);
    }
}
