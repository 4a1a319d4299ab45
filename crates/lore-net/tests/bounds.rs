//! Answers that are too large, too slow, of the wrong type, or not valid at all.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod harness;

use std::net::SocketAddr;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use harness::{Names, Server, html, network, page};
use lore_net::{Answer, Limits, NetError};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

const SMALL: usize = 64 * 1024;

async fn read(address: SocketAddr) -> Result<Answer, NetError> {
    // More than a busy machine needs. The duration matters to one test only.
    read_within(address, Duration::from_secs(30)).await
}

async fn read_within(address: SocketAddr, total: Duration) -> Result<Answer, NetError> {
    let web = network(&Arc::new(Names::default()), &[address], &[]).web();
    let limits = Limits { bytes: SMALL, total, ..Limits::page() };
    web.get(&format!("http://{address}/"), &limits).await
}

/// Starts a server that sends `head` and then `piece` over and over.
async fn endless(head: &'static str, piece: Vec<u8>, pause: Duration) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let piece = piece.clone();
            tokio::spawn(async move {
                // Read the request first: an early answer would be an error of its own.
                let mut request = [0_u8; 1024];
                let _ = stream.read(&mut request).await?;
                stream.write_all(head.as_bytes()).await?;
                loop {
                    stream.write_all(&piece).await?;
                    tokio::time::sleep(pause).await;
                }
                #[expect(unreachable_code, reason = "tells the compiler the error type")]
                Ok::<_, std::io::Error>(())
            });
        }
    });
    address
}

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n";

#[tokio::test]
async fn a_body_without_end_is_cut_at_the_limit() {
    let plain = endless(
        "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n",
        vec![b'x'; 9000],
        Duration::ZERO,
    );
    let chunked = endless(
        "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n",
        b"a\r\n0123456789\r\n".repeat(500),
        Duration::ZERO,
    );
    for address in [plain.await, chunked.await] {
        let outcome = read(address).await.unwrap_err();
        assert_eq!(outcome, NetError::TooLarge { host: "127.0.0.1".into(), limit: SMALL });
    }
}

#[tokio::test]
async fn a_large_promise_and_a_body_at_the_limit_are_told_apart() {
    let exact = Server::start("127.0.0.1", |_| html(&"x".repeat(SMALL))).await;
    assert_eq!(read(exact.address).await.unwrap().bytes().len(), SMALL);
    let more = Server::start("127.0.0.1", |_| html(&"x".repeat(SMALL + 1))).await;
    assert!(matches!(read(more.address).await, Err(NetError::TooLarge { .. })));
}

#[tokio::test]
async fn compressed_bytes_count_as_what_they_become() {
    let bomb = Server::start("127.0.0.1", |_| {
        let body = gzip_of_zeros(4_000);
        assert!(body.len() < SMALL / 8);
        let head = format!("{OK}content-encoding: gzip\r\ncontent-length: {}\r\n\r\n", body.len());
        [head.into_bytes(), body].concat()
    })
    .await;
    let outcome = read(bomb.address).await;
    assert!(matches!(outcome, Err(NetError::TooLarge { .. })), "{outcome:?}");
}

#[tokio::test]
async fn slowness_ends_in_time() {
    let drip = endless(
        "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n\r\n",
        vec![b'x'],
        Duration::from_millis(50),
    )
    .await;
    let headers =
        endless("HTTP/1.1 200 OK\r\n", b"x: y\r\n".to_vec(), Duration::from_millis(50)).await;
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    for address in [drip, headers, silent.local_addr().unwrap()] {
        let outcome = read_within(address, Duration::from_millis(700)).await;
        assert!(matches!(outcome, Err(NetError::TimedOut { .. })), "{outcome:?}");
    }
}

#[tokio::test]
async fn endless_headers_are_not_kept() {
    let address = endless(
        "HTTP/1.1 200 OK\r\n",
        b"x: yyyyyyyyyyyyyyyyyyyyyy\r\n".repeat(400),
        Duration::ZERO,
    )
    .await;
    let outcome = read(address).await;
    assert!(
        matches!(outcome, Err(NetError::Broken { .. } | NetError::Unreachable { .. })),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn only_readable_kinds_are_read() {
    for (header, allowed) in [
        ("content-type: text/html; charset=utf-8", true),
        ("content-type: TEXT/Plain", true),
        ("content-type: application/xhtml+xml", true),
        ("x-nothing: said", true),
        ("content-type: image/png", false),
        ("content-type: application/octet-stream", false),
        ("content-type: application/pdf", false),
        ("content-type: video/mp4", false),
        ("content-type: text/htmlx", false),
    ] {
        let server = Server::start("127.0.0.1", move |_| page("200 OK", &[header], "x")).await;
        let outcome = read(server.address).await;
        assert_eq!(outcome.is_ok(), allowed, "{header}");
        assert!(allowed || matches!(outcome, Err(NetError::WrongType { .. })));
    }
}

#[tokio::test]
async fn failures_of_pages_have_a_status_and_no_body() {
    let server = Server::start("127.0.0.1", |_| page("404 Not Found", &[], "inner details")).await;
    let answer = read(server.address).await.unwrap();
    assert_eq!((answer.status(), answer.is_success(), answer.bytes().len()), (404, false, 0));
}

#[tokio::test]
async fn what_is_not_http_is_an_error() {
    let garbage = Server::start("127.0.0.1", |_| b"SSH-2.0-OpenSSH_9.2\r\n".to_vec()).await;
    assert!(matches!(read(garbage.address).await, Err(NetError::Broken { .. })));
    let short = Server::start("127.0.0.1", |_| {
        b"HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 100\r\n\r\nonly this"
            .to_vec()
    })
    .await;
    assert!(matches!(read(short.address).await, Err(NetError::Broken { .. })));
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    assert!(matches!(read(closed).await, Err(NetError::Unreachable { .. })));
}

#[tokio::test]
async fn pages_learn_nothing_about_us() {
    let server = Server::start("127.0.0.1", |_| html("x")).await;
    read(server.address).await.unwrap();
    let request = server.requests()[0].to_lowercase();
    let names: Vec<_> =
        request.lines().skip(1).filter_map(|line| Some(line.split_once(':')?.0)).collect();
    assert_eq!(names, ["accept", "user-agent", "accept-encoding", "host"]);
}

/// The child process is this test program again, running one test in an environment with proxies.
#[tokio::test]
async fn proxies_of_the_environment_are_not_asked() {
    let proxy = Server::start("127.0.0.1", |_| html("through the proxy")).await;
    let target = Server::start("127.0.0.1", |_| html("direct")).await;
    let address = format!("http://{}", proxy.address);
    let child = tokio::task::spawn_blocking(move || {
        let mut command = Command::new(std::env::current_exe().unwrap());
        for name in ["http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"] {
            command.env(name, &address);
        }
        command.env("LORE_NET_TARGET", target.address.to_string());
        let output = command.args(["--exact", "a_child_reads_a_page"]).output().unwrap();
        (output.status.success(), target.connections())
    });
    assert_eq!(child.await.unwrap(), (true, 1));
    assert_eq!(proxy.connections(), 0);
}

#[tokio::test]
async fn a_child_reads_a_page() {
    let Ok(target) = std::env::var("LORE_NET_TARGET") else { return };
    assert_eq!(read(target.parse().unwrap()).await.unwrap().text(), "direct");
}

/// Returns a gzip stream of one literal zero and `runs` copies of 258 zeros, each of which takes
/// thirteen bits.
fn gzip_of_zeros(runs: usize) -> Vec<u8> {
    let mut bits: Vec<bool> = Vec::new();
    let mut push = |code: &str| bits.extend(code.bytes().map(|bit| bit == b'1'));
    push("110"); // last block, fixed codes (least significant bit first)
    push("00110000"); // the byte 0
    for _ in 0..runs {
        push("1100010100000"); // 258 bytes from one byte back
    }
    push("0000000"); // end of block
    let byte = |chunk: &[bool]| {
        chunk.iter().enumerate().fold(0_u8, |byte, (place, bit)| byte | (u8::from(*bit) << place))
    };
    let mut bytes = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
    bytes.extend(bits.chunks(8).map(byte));
    bytes
}
