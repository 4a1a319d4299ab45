//! Pages that redirect elsewhere, and names that change their addresses. The visible server is on
//! 127.0.0.2 and allowed by an exception; the hidden one on 127.0.0.1 must never be reached.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod harness;

use std::sync::Arc;

use harness::{Names, Server, html, network, page, redirect_to};
use lore_net::{Limits, NetError, Refusal, Web};

#[tokio::test]
async fn a_name_without_addresses_is_unresolved_for_everybody() {
    let names = Arc::new(Names::default().with("empty.example", &[&[]]));
    let web = network(&names, &[], &[]).web();
    for host in ["unknown.example", "empty.example"] {
        let url = format!("https://{host}/");
        let expected = NetError::Unresolved { host: host.to_owned() };
        assert_eq!(web.get(&url, &Limits::page()).await.unwrap_err(), expected, "{host}");
        assert_eq!(web.addresses(&url).await.unwrap_err(), expected, "{host}");
    }
}

/// A visible and a hidden server on the same port, and a client for pages.
struct Stage {
    visible: Server,
    hidden: Server,
    web: Web,
}

async fn stage(
    names: Names,
    script: impl Fn(&str, u16) -> Vec<u8> + Send + Sync + 'static,
) -> Stage {
    let hidden = Server::start("127.0.0.1", |_| html("secret")).await;
    let port = hidden.address.port();
    let address = format!("127.0.0.2:{port}").parse().unwrap();
    let visible = Server::start_at(address, move |request| script(request, port)).await;
    let web = network(&Arc::new(names), &[visible.address], &[]).web();
    Stage { visible, hidden, web }
}

/// Fetches `/`, which redirects to `target`; `{p}` in it is the port.
async fn read_redirect(target: &'static str) -> Result<String, NetError> {
    let names = Names::answering_everything_with(&["127.0.0.1"]);
    let stage = stage(names, move |request, port| {
        if request.starts_with("GET / ") {
            redirect_to(&target.replace("{p}", &port.to_string()))
        } else {
            html("arrived")
        }
    })
    .await;
    let outcome = stage.web.get(&stage.visible.url("/"), &Limits::page()).await;
    assert_eq!(stage.hidden.connections(), 0, "{target} reached the hidden server");
    outcome.map(|answer| answer.text())
}

#[tokio::test]
async fn redirects_are_tested_like_first_addresses() {
    let targets = [
        "http://127.0.0.1:{p}/",
        "//127.0.0.1:{p}/",
        "http://2130706433:{p}/",
        "http://0x7f.1:{p}/",
        "http://[::1]:{p}/",
        "http://[::ffff:127.0.0.1]:{p}/",
        "http://localhost:{p}/",
        "http://0:{p}/",
        "https://127.0.0.1:{p}/",
        "http://named.example:{p}/",
        "http://169.254.169.254/latest/meta-data/",
        "file:///etc/passwd",
        "gopher://127.0.0.1:{p}/",
        "javascript:alert(1)",
        "data:text/html,x",
        "http://u:p@127.0.0.2:{p}/",
        "http://127.0.0.2:22/",
        "\\\\127.0.0.1:{p}/",
    ];
    for target in targets {
        let outcome = read_redirect(target).await;
        assert!(matches!(outcome, Err(NetError::Refused(_))), "{target} gave {outcome:?}");
    }
}

#[tokio::test]
async fn harmless_redirects_are_followed() {
    for target in [
        "/next",
        "next?x=1",
        "http:127.0.0.1:{p}/",
        "http://127.0.0.2:{p}/next",
        "//127.0.0.2:{p}/next",
    ] {
        assert_eq!(read_redirect(target).await.as_deref(), Ok("arrived"), "{target}");
    }
}

#[tokio::test]
async fn chains_end_after_five() {
    let hops = |last: usize| {
        stage(Names::default(), move |request, _| {
            let hop: usize = request[6..].split(' ').next().unwrap().parse().unwrap();
            if hop == last { html("end") } else { redirect_to(&format!("/h{}", hop + 1)) }
        })
    };
    let five = hops(5).await;
    let read = five.web.get(&five.visible.url("/h0"), &Limits::page()).await.unwrap();
    assert_eq!((read.text().as_str(), read.url()), ("end", five.visible.url("/h5").as_str()));
    let six = hops(6).await;
    let outcome = six.web.get(&six.visible.url("/h0"), &Limits::page()).await;
    assert!(matches!(outcome, Err(NetError::TooManyRedirects { .. })), "{outcome:?}");
    assert_eq!(six.visible.connections(), 6);
}

#[tokio::test]
async fn loops_end_and_refresh_tags_are_only_text() {
    let circle = stage(Names::default(), |_, _| redirect_to("/")).await;
    let outcome = circle.web.get(&circle.visible.url("/"), &Limits::page()).await;
    assert!(matches!(outcome, Err(NetError::TooManyRedirects { .. })), "{outcome:?}");

    let refresh = stage(Names::default(), |_, port| {
        let tag = format!("<meta http-equiv=refresh content='0;url=http://127.0.0.1:{port}/'>");
        page(
            "200 OK",
            &["content-type: text/html", &format!("refresh: 0;url=http://127.0.0.1:{port}/")],
            &tag,
        )
    })
    .await;
    assert!(refresh.web.get(&refresh.visible.url("/"), &Limits::page()).await.is_ok());
    assert_eq!(refresh.hidden.connections(), 0);
}

#[tokio::test]
async fn a_name_that_changes_its_mind_is_not_followed_inside() {
    let scripts: [&[&[&str]]; 12] = [
        &[&["127.0.0.2"], &["127.0.0.1"]],
        &[&["127.0.0.2"], &["127.0.0.2", "127.0.0.1"]],
        &[&["127.0.0.2"], &["127.0.0.1", "127.0.0.2"]],
        &[&["127.0.0.2"], &["::1"]],
        &[&["127.0.0.2"], &["::ffff:127.0.0.1"]],
        &[&["127.0.0.2"], &["0.0.0.0"]],
        &[&["127.0.0.2"], &["10.0.0.1"]],
        &[&["127.0.0.2"], &["169.254.169.254"]],
        &[&["127.0.0.2"], &["fd00::1"]],
        &[&["127.0.0.2"], &["64:ff9b::7f00:1"]],
        &[&["127.0.0.2"], &["127.0.0.1"], &["127.0.0.2"]],
        &[&["127.0.0.1"], &["127.0.0.2"]],
    ];
    for script in scripts {
        for _ in 0..10 {
            let names = Names::default().with("moving.example", script);
            let stage = stage(names, |_, _| redirect_to("/again")).await;
            let url = format!("http://moving.example:{}/", stage.visible.address.port());
            let outcome = stage.web.get(&url, &Limits::page()).await;
            assert_eq!(outcome.unwrap_err(), NetError::Refused(Refusal::NotPublic), "{script:?}");
            assert_eq!(stage.hidden.connections(), 0, "{script:?}");
        }
    }
}

#[tokio::test]
async fn the_address_tested_is_the_address_connected_to() {
    let names = Names::default().with("steady.example", &[&["127.0.0.2"], &["127.0.0.1"]]);
    let stage = stage(names, |_, _| html("fine")).await;
    let url = format!("http://steady.example:{}/", stage.visible.address.port());
    assert_eq!(stage.web.get(&url, &Limits::page()).await.unwrap().text(), "fine");
    assert!(stage.visible.requests()[0].contains("host: steady.example:"));
}
