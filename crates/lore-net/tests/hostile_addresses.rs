//! Hundreds of URLs that must not be connected to. Two listeners on all addresses of this machine
//! count connections, and a lying name server counts queries.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod harness;

use std::collections::BTreeSet;
use std::sync::Arc;

use harness::{Names, Server, html, network};
use lore_net::{Limits, NetError, Refusal};

/// `{p}` is the port of the listeners, which the configuration allows.
const LITERALS: &[&str] = &[
    // this machine, in every spelling
    "127.0.0.1:{p}",
    "127.0.0.1:{p}/x?y#z",
    "127.1:{p}",
    "127.0.1:{p}",
    "127.000.000.001:{p}",
    "0177.0.0.1:{p}",
    "0177.0.0.01:{p}",
    "00000177.1:{p}",
    "017700000001:{p}",
    "0x7f.0.0.1:{p}",
    "0x7F.1:{p}",
    "0x7f000001:{p}",
    "0x7f.0x0.0x0.0x1:{p}",
    "2130706433:{p}",
    "2130706434:{p}",
    "127.0.0.1.:{p}",
    "127.1.:{p}",
    "127.0.0.2:{p}",
    "127.255.255.254:{p}",
    "127.127.127.127:{p}",
    "１２７.０.０.１:{p}",
    "127。0。0。1:{p}",
    "127．0．0．1:{p}",
    "①②⑦.⓪.⓪.①:{p}",
    "1%32%37.0.0.1:{p}",
    "%31%32%37%2e%30%2e%30%2e%31:{p}",
    "0:{p}",
    "0.0.0.0:{p}",
    "0.0.0.1:{p}",
    "00.00.00.00:{p}",
    "0x0:{p}",
    "0x0.0x0:{p}",
    "0.:{p}",
    "0.255.255.255:{p}",
    "127.0.0.1:0{p}",
    "\t127.0.0.1:{p}",
    "127.0.0.1\n:{p}",
    "127.0.0.1:{p}\\@example.org",
    // private and special ranges, first and last address
    "10.0.0.0:{p}",
    "10.0.0.1:{p}",
    "10.255.255.255:{p}",
    "012.0.0.1:{p}",
    "0xa.0.0.1:{p}",
    "167772161:{p}",
    "100.64.0.0:{p}",
    "100.100.100.200:{p}",
    "100.127.255.255:{p}",
    "168.63.129.16:{p}",
    "169.254.0.0:{p}",
    "169.254.169.254",
    "169.254.169.254:{p}",
    "169.254.170.2:{p}",
    "169.254.255.255:{p}",
    "0xa9fea9fe:{p}",
    "2852039166:{p}",
    "0251.0376.0251.0376:{p}",
    "0251.254.169.254:{p}",
    "169.16689662:{p}",
    "172.16.0.0:{p}",
    "172.16.0.1:{p}",
    "172.31.255.255:{p}",
    "192.0.0.0:{p}",
    "192.0.0.170:{p}",
    "192.0.0.192:{p}",
    "192.0.2.1:{p}",
    "192.31.196.1:{p}",
    "192.52.193.1:{p}",
    "192.88.99.1:{p}",
    "192.168.0.0:{p}",
    "192.168.0.1:{p}",
    "192.168.1.1:{p}",
    "192.168.255.255:{p}",
    "192.168.257:{p}",
    "3232235777:{p}",
    "192.175.48.1:{p}",
    "198.18.0.0:{p}",
    "198.19.255.255:{p}",
    "198.51.100.1:{p}",
    "203.0.113.1:{p}",
    "224.0.0.1:{p}",
    "239.255.255.255:{p}",
    "240.0.0.1:{p}",
    "255.255.255.255:{p}",
    "4294967295:{p}",
    "0xffffffff:{p}",
    // the same inside IPv6
    "[::1]:{p}",
    "[::]:{p}",
    "[0:0:0:0:0:0:0:1]:{p}",
    "[0000::0001]:{p}",
    "[::0.0.0.1]:{p}",
    "[::127.0.0.1]:{p}",
    "[::7f00:1]:{p}",
    "[::ffff:127.0.0.1]:{p}",
    "[::ffff:7f00:1]:{p}",
    "[::FFFF:7F00:0001]:{p}",
    "[0:0:0:0:0:ffff:127.0.0.1]:{p}",
    "[::ffff:0.0.0.0]:{p}",
    "[::ffff:10.0.0.1]:{p}",
    "[::ffff:a00:1]:{p}",
    "[::ffff:169.254.169.254]:{p}",
    "[::ffff:a9fe:a9fe]:{p}",
    "[::ffff:192.168.1.1]:{p}",
    "[::ffff:172.16.0.1]:{p}",
    "[::ffff:0:127.0.0.1]:{p}",
    "[64:ff9b::127.0.0.1]:{p}",
    "[64:ff9b::7f00:1]:{p}",
    "[64:ff9b::a9fe:a9fe]:{p}",
    "[64:ff9b::c0a8:101]:{p}",
    "[64:ff9b:1::7f00:1]:{p}",
    "[64:ff9b:1::1]:{p}",
    "[2002:7f00:1::]:{p}",
    "[2002:a00:1::1]:{p}",
    "[2002:c0a8:101::]:{p}",
    "[2002:a9fe:a9fe::]:{p}",
    "[2001::1]:{p}",
    "[2001:0:7f00:1::]:{p}",
    "[2001:0:4136:e378:8000:63bf:80ff:fffe]:{p}",
    "[2001:10::1]:{p}",
    "[2001:20::1]:{p}",
    "[2001:2::1]:{p}",
    "[2001:db8::1]:{p}",
    "[2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff]:{p}",
    "[2620:4f:8000::1]:{p}",
    "[3fff::1]:{p}",
    "[100::1]:{p}",
    "[100:0:0:1::1]:{p}",
    "[fc00::1]:{p}",
    "[fd00::1]:{p}",
    "[fd00:ec2::254]:{p}",
    "[fdff:ffff::1]:{p}",
    "[fe80::1]:{p}",
    "[febf::1]:{p}",
    "[fec0::1]:{p}",
    "[ff00::1]:{p}",
    "[ff02::1]:{p}",
    "[ff05::2]:{p}",
    "[5f00::1]:{p}",
    "[4000::1]:{p}",
    "[fe80::1%25eth0]:{p}",
    "[fe80::1%eth0]:{p}",
    "[::1%25lo]:{p}",
    "[::1%lo]:{p}",
    // names of this machine and of networks
    "localhost:{p}",
    "LOCALHOST:{p}",
    "LocalHost:{p}",
    "localhost.:{p}",
    "ｌｏｃａｌｈｏｓｔ:{p}",
    "loc%61lhost:{p}",
    "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:{p}",
    "loc\u{ad}alhost:{p}",
    "a.localhost:{p}",
    "a.b.localhost.:{p}",
    "localhost.localdomain:{p}",
    "localhost6:{p}",
    "ip6-localhost:{p}",
    "ip6-loopback:{p}",
    "broadcasthost:{p}",
    "printer.local:{p}",
    "router.lan:{p}",
    "nas.home:{p}",
    "wiki.corp:{p}",
    "wiki.intranet:{p}",
    "db.private:{p}",
    "db.internal:{p}",
    "metadata:{p}",
    "metadata.google.internal",
    "metadata.google.internal:{p}",
    "metadata.google.internal.:{p}",
    "metadata.aws",
    "Metadata.Goog.:{p}",
    "instance-data:{p}",
    "kubernetes.default.svc.cluster.local:{p}",
    "host.docker.internal:{p}",
    "gateway.docker.internal:{p}",
    "1.0.0.127.in-addr.arpa:{p}",
    "router.home.arpa:{p}",
    "hidden.onion:{p}",
    "name.alt:{p}",
    "intranet:{p}",
    "db:{p}",
    "a:{p}",
    // look like IP addresses, but are not
    "127.0.0.1.1:{p}",
    "127.0.0.256:{p}",
    "256.256.256.256:{p}",
    "0x:{p}",
    "08.0.0.1:{p}",
    "1.2.3.4.5:{p}",
    "4294967296:{p}",
    "[::1:{p}",
    "[127.0.0.1]:{p}",
    "[::g]:{p}",
    "[1]:{p}",
    "exa mple.org:{p}",
    "exam%00ple.org:{p}",
    "ex<ample>.org:{p}",
    "example.org:99999",
    ":{p}",
    "",
];

/// Names that look public but resolve to this machine, as rebinding services offer.
const LYING_NAMES: &[&str] = &[
    "127.0.0.1.nip.io",
    "app.127-0-0-1.sslip.io",
    "localtest.me",
    "lvh.me",
    "vcap.me",
    "spoofed.example.org",
    "xn--lcalhost-x1a.example",
    "7f000001.rbndr.example",
    "a.b.c.example",
    "metadata.example.com",
    "localhost.example.com",
    "127.0.0.1.example.com",
    "10.example.net",
    "example.org.",
    "EXAMPLE.ORG",
    "bücher.example",
    "example。org",
];

const SCHEMES: &[&str] = &[
    "file:///etc/passwd",
    "file://localhost/etc/passwd",
    "FILE:///etc/passwd",
    "ftp://example.org/",
    "ftps://example.org/",
    "sftp://example.org/",
    "gopher://127.0.0.1:{p}/_x",
    "dict://127.0.0.1:{p}/info",
    "ldap://127.0.0.1:{p}/",
    "tftp://127.0.0.1/x",
    "ws://example.org/",
    "wss://example.org/",
    "data:text/html,x",
    "javascript:alert(1)",
    "blob:http://example.org/x",
    "about:blank",
    "view-source:http://example.org",
    "unix:/var/run/docker.sock",
    "http+unix://%2Fvar%2Frun%2Fdocker.sock/",
    "jar:http://example.org!/",
    "netdoc:///etc/passwd",
    "mailto:a@example.org",
    "httpx://example.org",
    "//example.org/",
    "/etc/passwd",
    "example.org",
    "localhost:{p}/x",
    "C:\\Windows\\win.ini",
    "\\\\server\\share",
    "",
];

const CREDENTIALS_AND_PORTS: &[&str] = &[
    "http://user@example.org/",
    "http://user:secret@example.org/",
    "http://:secret@example.org/",
    "http://example.org@127.0.0.1:{p}/",
    "http://example.org:80@127.0.0.1:{p}/",
    "http://127.0.0.1:{p}@example.org/",
    "http://example.org#@127.0.0.1:{p}/@example.org:22/",
    "http://example.org:22/",
    "http://example.org:25/",
    "http://example.org:6379/",
    "https://example.org:3306/",
    "http://example.org:8080/",
    "http://example.org:0/",
    "http://example.org:1/",
    "http://example.org:65535/",
];

#[tokio::test]
async fn no_hostile_address_is_connected_to() {
    let four = Server::start("0.0.0.0", |_| html("secret")).await;
    let port = four.address.port();
    let six = Server::start_at(format!("[::1]:{port}").parse().unwrap(), |_| html("secret")).await;
    let names = Arc::new(Names::answering_everything_with(&["127.0.0.1", "::1"]));
    let web = network(&names, &[], &[port]).web();

    let mut seen = BTreeSet::new();
    for url in hostile_urls(port) {
        let outcome = web.get(&url, &Limits::page()).await;
        assert!(matches!(outcome, Err(NetError::Refused(_))), "{url:?} gave {outcome:?}");
        seen.insert(url);
    }
    assert!(seen.len() >= 400, "only {} addresses", seen.len());
    assert_eq!((four.connections(), six.connections()), (0, 0));
}

#[tokio::test]
async fn addresses_and_local_names_are_refused_without_a_question() {
    let names = Arc::new(Names::answering_everything_with(&["127.0.0.1"]));
    let web = network(&names, &[], &[8000]).web();
    for host in LITERALS {
        let url = format!("http://{}/", host.replace("{p}", "8000"));
        assert!(web.get(&url, &Limits::page()).await.is_err(), "{url:?}");
    }
    assert_eq!(names.questions(), 0);
}

#[tokio::test]
async fn names_are_asked_once_and_every_address_must_be_public() {
    let bad = [
        &["127.0.0.1"][..],
        &["8.8.8.8", "127.0.0.1"],
        &["10.0.0.1", "8.8.8.8"],
        &["2606:4700::1111", "::1"],
        &["::ffff:10.0.0.1"],
        &["169.254.169.254"],
        &["0.0.0.0"],
        &["fd00::1"],
        &["fe80::1"],
        &["64:ff9b::7f00:1"],
        &["8.8.8.8", "8.8.4.4", "192.168.0.1"],
    ];
    for answer in bad {
        let names = Arc::new(Names::answering_everything_with(answer));
        let web = network(&names, &[], &[]).web();
        let outcome = web.get("http://mixed.example/", &Limits::page()).await;
        assert_eq!(outcome.unwrap_err(), NetError::Refused(Refusal::NotPublic), "{answer:?}");
        assert_eq!(names.questions(), 1);
        // Programs that connect by themselves do not get the addresses either.
        let told = web.addresses("https://mixed.example/").await;
        assert_eq!(told.unwrap_err(), NetError::Refused(Refusal::NotPublic), "{answer:?}");
    }
}

#[tokio::test]
async fn what_is_refused_is_explained_without_telling_where_it_led() {
    let names = Arc::new(Names::answering_everything_with(&["10.11.12.13"]));
    let web = network(&names, &[], &[]).web();
    let error = web.get("http://inside.example/path?key=value", &Limits::page()).await.unwrap_err();
    assert_eq!(error.to_string(), "the address does not lead to the public internet");
    assert!(!format!("{error:?}").contains("10.11"));
}

fn hostile_urls(port: u16) -> Vec<String> {
    let schemes = ["http", "https"];
    let hosts = LITERALS.iter().map(|host| (*host).to_owned());
    let names = LYING_NAMES.iter().map(|name| format!("{name}:{{p}}"));
    let hosts: Vec<String> = hosts.chain(names).collect();
    let with_scheme = schemes
        .iter()
        .flat_map(|scheme| hosts.iter().map(move |host| format!("{scheme}://{host}")));
    let whole = SCHEMES.iter().chain(CREDENTIALS_AND_PORTS).map(|url| (*url).to_owned());
    with_scheme.chain(whole).map(|url| url.replace("{p}", &port.to_string())).collect()
}
