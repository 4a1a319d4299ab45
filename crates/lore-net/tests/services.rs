//! Configured services: secrets go to them only, and retries do no harm.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod harness;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use harness::{Names, Server, html, network, page, redirect_to};
use lore_net::{Api, Endpoint, Limits, NetError, Refusal, Retry, Secret};
use serde_json::json;

const CANARY: &str = "canary-token-1234";

fn api(server: &Server) -> Api {
    let endpoint =
        Endpoint::new(&server.url("/1.0/")).unwrap().bearer(&Secret::new(CANARY)).unwrap();
    network(&Arc::new(Names::default()), &[], &[]).api(endpoint).unwrap()
}

fn quick() -> Retry {
    Retry { first_wait: Duration::from_millis(2), ..Retry::standard() }
}

/// Starts a server that fails `times` times with `failure`, then succeeds.
async fn shaky(failure: Vec<u8>, times: usize) -> Server {
    let asked = AtomicUsize::new(0);
    Server::start("127.0.0.1", move |_| {
        if asked.fetch_add(1, Ordering::SeqCst) < times { failure.clone() } else { html("fine") }
    })
    .await
}

#[tokio::test]
async fn calls_carry_path_query_body_and_secret() {
    let server = Server::start("127.0.0.1", |_| page("201 Created", &[], r#"{"id":7}"#)).await;
    let call = api(&server).post(["campaigns", "1", "a b/c"]).query("q", "x&y");
    let answer = call.json(&json!({"name": "Mill"})).send().await.unwrap();
    assert_eq!(answer.json::<serde_json::Value>().unwrap(), json!({"id": 7}));
    let request = &server.requests()[0];
    assert!(request.starts_with("POST /1.0/campaigns/1/a%20b%2Fc?q=x%26y HTTP/1.1"), "{request}");
    assert!(request.contains(&format!("authorization: Bearer {CANARY}")));
    assert!(request.contains("content-type: application/json"));
    assert!(request.ends_with(r#"{"name":"Mill"}"#));
}

#[tokio::test]
async fn a_secret_is_not_carried_to_another_host_or_port() {
    let other = Server::start("127.0.0.1", |_| html("give")).await;
    let elsewhere = [
        other.url("/"),
        other.url("/").replace("127.0.0.1", "localhost"),
        format!("http://127.0.0.2:{}/", other.address.port()),
        format!("//127.0.0.1:{}/1.0/", other.address.port()),
        "https://example.org/".to_owned(),
        "http://169.254.169.254/".to_owned(),
        "file:///etc/passwd".to_owned(),
    ];
    for target in elsewhere {
        let to = target.clone();
        let server = Server::start("127.0.0.1", move |_| redirect_to(&to)).await;
        let outcome = api(&server).get(["x"]).send().await;
        let expected = matches!(outcome, Err(NetError::Moved { .. } | NetError::Refused(_)));
        assert!(expected, "{target} gave {outcome:?}");
        assert_eq!(server.connections(), 1, "{target}");
    }
    assert_eq!(other.connections(), 0);
}

#[tokio::test]
async fn a_redirect_within_the_service_is_followed_by_readers_only() {
    let server = Server::start("127.0.0.1", |request| {
        if request.contains("/1.0/x ") { redirect_to("/1.0/x/") } else { html("fine") }
    })
    .await;
    assert_eq!(api(&server).get(["x"]).send().await.unwrap().text(), "fine");
    assert!(server.requests().iter().all(|request| request.contains(CANARY)));
    let write = api(&server).post(["x"]).json(&json!({})).send().await;
    assert!(matches!(write, Err(NetError::Moved { .. })), "{write:?}");
}

#[tokio::test]
async fn a_secret_does_not_travel_in_clear_text_over_the_internet() {
    let endpoint = Endpoint::new("http://api.example.org/").unwrap();
    let endpoint = endpoint.bearer(&Secret::new(CANARY)).unwrap();
    let names = Arc::new(Names::answering_everything_with(&["8.8.8.8"]));
    let api = network(&names, &[], &[]).api(endpoint).unwrap();
    let outcome = api.get(["x"]).send().await;
    assert_eq!(outcome.unwrap_err(), NetError::Refused(Refusal::Cleartext));
    assert_eq!(names.questions(), 0);
}

#[tokio::test]
async fn a_public_service_whose_name_leads_inside_is_not_called() {
    let hidden = Server::start("127.0.0.1", |_| html("secret")).await;
    let base = format!("https://api.example.org:{}/", hidden.address.port());
    let names = Arc::new(Names::answering_everything_with(&["127.0.0.1"]));
    let network = network(&names, &[], &[]);
    let public = network.api(Endpoint::new(&base).unwrap()).unwrap();
    let outcome = public.get(["x"]).retry(quick()).send().await;
    assert_eq!(outcome.unwrap_err(), NetError::Refused(Refusal::NotPublic));
    assert_eq!(hidden.connections(), 0);

    let plain = Endpoint::new(&base.replace("https", "http")).unwrap().on_private_network();
    assert_eq!(network.api(plain).unwrap().get(["x"]).send().await.unwrap().text(), "secret");
}

#[tokio::test]
async fn the_clouds_metadata_is_nobodys_service() {
    for base in ["http://169.254.169.254/", "http://100.100.100.200/", "http://[fd00:ec2::254]/"] {
        let network = network(&Arc::new(Names::default()), &[], &[]);
        let endpoint = Endpoint::new(base).unwrap().on_private_network();
        let outcome = network.api(endpoint).unwrap().get(["x"]).send().await;
        assert_eq!(outcome.unwrap_err(), NetError::Refused(Refusal::NotPublic), "{base}");
    }
}

#[tokio::test]
async fn reading_is_repeated_until_it_works() {
    let server = shaky(page("503 Service Unavailable", &[], "later"), 2).await;
    let answer = api(&server).get(["x"]).retry(quick()).send().await.unwrap();
    assert_eq!((answer.status(), server.connections()), (200, 3));
}

#[tokio::test]
async fn patience_ends_and_the_last_answer_is_given_back() {
    let server = shaky(page("503 Service Unavailable", &[], "later"), 99).await;
    let answer = api(&server).get(["x"]).retry(quick()).send().await.unwrap();
    assert_eq!((answer.status(), answer.text().as_str(), server.connections()), (503, "later", 3));
}

#[tokio::test]
async fn a_write_that_may_have_happened_is_sent_once() {
    for failure in [page("503 Service Unavailable", &[], ""), Vec::new()] {
        let server = shaky(failure, 99).await;
        let _ = api(&server).post(["x"]).json(&json!({})).retry(quick()).send().await;
        assert_eq!(server.connections(), 1);
        let _ = api(&server).post(["x"]).json(&json!({})).repeatable().retry(quick()).send().await;
        assert_eq!(server.connections(), 4);
    }
}

#[tokio::test]
async fn a_service_that_asks_for_patience_gets_it_within_reason() {
    let soon = shaky(page("429 Too Many Requests", &["retry-after: 0"], "[]"), 1).await;
    let answer = api(&soon).post(["x"]).json(&json!({})).retry(quick()).send().await.unwrap();
    assert_eq!((answer.status(), soon.connections()), (200, 2));

    let late = shaky(
        page("429 Too Many Requests", &["retry-after: 3600", "x-ratelimit-remaining: 0"], "[]"),
        99,
    )
    .await;
    let answer = api(&late).get(["x"]).retry(quick()).send().await.unwrap();
    assert_eq!((answer.status(), late.connections()), (429, 1));
    assert_eq!(answer.rate_limit().retry_after, Some(Duration::from_secs(3600)));
    assert_eq!(answer.rate_limit().remaining, Some(0));
}

#[tokio::test]
async fn bad_statuses_are_answers_with_their_bodies() {
    for status in
        ["401 Unauthorized", "403 Forbidden", "404 Not Found", "422 Unprocessable", "500 Oh"]
    {
        let server =
            Server::start("127.0.0.1", move |_| page(status, &[], r#"{"error":"why"}"#)).await;
        let answer = api(&server).get(["x"]).send().await.unwrap();
        assert_eq!(answer.text(), r#"{"error":"why"}"#, "{status}");
        assert_eq!(server.connections(), 1, "{status}");
    }
}

#[tokio::test]
async fn who_has_waited_enough_waits_for_no_further_attempt() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/", silent.local_addr().unwrap());
    let endpoint = Endpoint::new(&base).unwrap().on_private_network();
    let api = network(&Arc::new(Names::default()), &[], &[]).api(endpoint).unwrap();
    let late = Duration::from_millis(100);
    for (patience, attempts) in [(late, 1), (Duration::from_secs(30), 3)] {
        let limits = Limits { total: late, ..Limits::service() };
        let retry = Retry { patience, ..quick() };
        let outcome = api.get(["x"]).limits(limits).retry(retry).send().await;
        assert!(matches!(outcome, Err(NetError::TimedOut { .. })), "{outcome:?}");
        let mut asked = 0;
        while tokio::time::timeout(late, silent.accept()).await.is_ok() {
            asked += 1;
        }
        assert_eq!(asked, attempts);
    }
}

#[tokio::test]
async fn no_error_shows_the_secret() {
    let silent = Server::start("127.0.0.1", |_| Vec::new()).await;
    let outcome = api(&silent).get(["x"]).retry(Retry::never()).send().await;
    let error = outcome.unwrap_err();
    assert!(!format!("{error} {error:?}").contains(CANARY));
}
