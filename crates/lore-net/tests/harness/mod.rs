//! A web server that counts connections, and a lying name server.

#![allow(dead_code, unreachable_pub, reason = "each test file uses its part of the harness")]

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use lore_core::Effects;
use lore_net::{Network, Options, Resolver};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Returns the answer to a request.
type Script = dyn Fn(&str) -> Vec<u8> + Send + Sync;

/// A server on this machine. It records the head and body of each request.
pub struct Server {
    pub address: SocketAddr,
    connections: Arc<AtomicUsize>,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub async fn start(ip: &str, script: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static) -> Self {
        Self::start_at(SocketAddr::new(ip.parse().unwrap(), 0), script).await
    }

    pub async fn start_at(
        address: SocketAddr,
        script: impl Fn(&str) -> Vec<u8> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let server = Self {
            address: listener.local_addr().unwrap(),
            connections: Arc::default(),
            requests: Arc::default(),
        };
        let (connections, requests) = (server.connections.clone(), server.requests.clone());
        let script: Arc<Script> = Arc::new(script);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                connections.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(serve(stream, script.clone(), requests.clone()));
            }
        });
        server
    }

    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

async fn serve(mut stream: TcpStream, script: Arc<Script>, requests: Arc<Mutex<Vec<String>>>) {
    let mut request = Vec::new();
    let mut buffer = [0_u8; 4096];
    loop {
        let text = String::from_utf8_lossy(&request).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n")
            && body.len() >= content_length(head)
        {
            requests.lock().unwrap().push(text.clone());
            let _ = stream.write_all(&script(&text)).await;
            let _ = stream.shutdown().await;
            return;
        }
        match stream.read(&mut buffer).await {
            Ok(read) if read > 0 => request.extend_from_slice(&buffer[..read]),
            _ => return,
        }
    }
}

fn content_length(head: &str) -> usize {
    let mut lines = head.lines().filter_map(|line| line.split_once(": "));
    let length = lines.find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    length.map_or(0, |(_, value)| value.trim().parse().unwrap())
}

/// Returns a complete answer with a body.
pub fn page(status: &str, headers: &[&str], body: &str) -> Vec<u8> {
    let mut head = format!("HTTP/1.1 {status}\r\nconnection: close\r\n");
    for header in headers {
        head.push_str(header);
        head.push_str("\r\n");
    }
    format!("{head}content-length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

pub fn html(body: &str) -> Vec<u8> {
    page("200 OK", &["content-type: text/html"], body)
}

pub fn redirect_to(target: &str) -> Vec<u8> {
    page("302 Found", &[&format!("location: {target}")], "")
}

/// A name server that answers each name from a list, one entry per query; the last entry is
/// repeated. Without a list and without a common answer, the lookup fails. It counts the queries.
#[derive(Default)]
pub struct Names {
    script: BTreeMap<String, Vec<Vec<IpAddr>>>,
    fallback: Vec<IpAddr>,
    asked: Mutex<BTreeMap<String, usize>>,
}

impl Names {
    pub fn answering_everything_with(addresses: &[&str]) -> Self {
        Self { fallback: parse(addresses), ..Self::default() }
    }

    pub fn with(mut self, name: &str, answers: &[&[&str]]) -> Self {
        self.script.insert(name.into(), answers.iter().map(|line| parse(line)).collect());
        self
    }

    pub fn questions(&self) -> usize {
        self.asked.lock().unwrap().values().sum()
    }
}

#[async_trait]
impl Resolver for Names {
    async fn addresses(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        let mut asked = self.asked.lock().unwrap();
        let count = asked.entry(host.to_owned()).or_insert(0);
        *count += 1;
        let Some(answers) = self.script.get(host) else {
            return match self.fallback.is_empty() {
                true => Err(io::ErrorKind::NotFound.into()),
                false => Ok(self.fallback.clone()),
            };
        };
        Ok(answers[(*count - 1).min(answers.len() - 1)].clone())
    }
}

fn parse(addresses: &[&str]) -> Vec<IpAddr> {
    addresses.iter().map(|address| address.parse().unwrap()).collect()
}

/// Creates a network with a lying name server, and exceptions for the servers of a test.
pub fn network(names: &Arc<Names>, reachable: &[SocketAddr], ports: &[u16]) -> Network {
    let options = Options {
        ports: ports.to_vec(),
        reachable: reachable.to_vec(),
        resolver: names.clone(),
        ..Options::default()
    };
    Network::new(Effects::system(), options).unwrap()
}
