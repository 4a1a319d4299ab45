//! Builds server entries in the formats of the clients.

use serde_json::{Map, Value, json};

use super::clients::Spec;
use super::server::Server;

/// A server's entry in a client's file; the order of its fields is kept.
pub(super) type Entry = Map<String, Value>;

/// The format in which a client describes a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// `command` and `args`, or `url`.
    Plain,
    /// Like `Plain`, with a `type` of `stdio` or `http`.
    Typed,
    /// Like `Plain`, with a `transport` for URLs.
    Transport,
    /// Only `command` and `args`; URLs go through the `mcp-remote` bridge.
    Bridged,
    /// A single list as `command`, a `type` of `local` or `remote`, and `enabled`.
    OpenCode,
}

/// An entry and the keys under which it belongs.
pub(super) struct Placed {
    pub(super) keys: &'static [&'static str],
    pub(super) entry: Entry,
}

/// Builds the entry of `server`, and decides where it belongs in a file that contains `document`.
pub(super) fn placed(spec: &Spec, server: &Server, document: &Value) -> Placed {
    let mut entry = entry(spec.shape, server);
    if spec.shape == Shape::OpenCode && is_second_opencode(document) {
        entry.shift_remove("enabled");
        return Placed { keys: &["mcp", "servers"], entry };
    }
    Placed { keys: spec.keys, entry }
}

fn entry(shape: Shape, server: &Server) -> Entry {
    match server {
        Server::Stdio { command, args } => started(shape, command, args),
        Server::Http { url } => connected(shape, url),
    }
}

fn started(shape: Shape, command: &str, args: &[String]) -> Entry {
    match shape {
        Shape::Plain | Shape::Transport | Shape::Bridged => {
            fields([("command", json!(command)), ("args", json!(args))])
        }
        Shape::Typed => {
            fields([("type", json!("stdio")), ("command", json!(command)), ("args", json!(args))])
        }
        Shape::OpenCode => {
            let words: Vec<_> =
                [command].into_iter().chain(args.iter().map(String::as_str)).collect();
            fields([("type", json!("local")), ("command", json!(words)), ("enabled", json!(true))])
        }
    }
}

fn connected(shape: Shape, url: &str) -> Entry {
    match shape {
        Shape::Plain => fields([("url", json!(url))]),
        Shape::Typed => fields([("type", json!("http")), ("url", json!(url))]),
        Shape::Transport => fields([("url", json!(url)), ("transport", json!("streamable-http"))]),
        Shape::Bridged => fields([("command", json!("npx")), ("args", json!(bridge(url)))]),
        Shape::OpenCode => {
            fields([("type", json!("remote")), ("url", json!(url)), ("enabled", json!(true))])
        }
    }
}

/// The arguments that make `mcp-remote` offer `url` over stdio.
fn bridge(url: &str) -> Vec<&str> {
    let local = ["http://localhost", "http://127.0.0.1"].into_iter().any(|start| {
        url.strip_prefix(start).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/']))
    });
    let mut words = vec!["-y", "mcp-remote", url];
    if !local && url.starts_with("http:") {
        // The bridge refuses plain HTTP to other machines without this flag.
        words.push("--allow-http");
    }
    words
}

/// Whether an OpenCode file uses the second format (`mcp.servers`, no `enabled`).
///
/// OpenCode 2 still reads the first format but warns against mixing them, so an entry follows the
/// format of the file.
fn is_second_opencode(document: &Value) -> bool {
    // A server of the first format may itself be named `servers`; that one has a type.
    let servers = document.pointer("/mcp/servers").and_then(Value::as_object);
    servers.is_some_and(|servers| !servers.get("type").is_some_and(Value::is_string))
}

fn fields<const N: usize>(fields: [(&str, Value); N]) -> Entry {
    fields.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::Client;
    use crate::commands::connect::clients;

    fn server() -> Server {
        Server::Http { url: "http://h/mcp".into() }
    }

    #[test]
    fn plain_http_to_other_machines_is_said_to_the_bridge() {
        assert_eq!(bridge("http://127.0.0.1:8081/mcp").len(), 3);
        assert_eq!(bridge("http://localhost/mcp").len(), 3);
        assert_eq!(bridge("https://lore.example/mcp").len(), 3);
        assert_eq!(bridge("http://localhost.example/mcp").last(), Some(&"--allow-http"));
    }

    #[test]
    fn opencode_follows_the_format_of_the_file() {
        let spec = clients::spec(Client::Opencode);
        let first = placed(spec, &server(), &json!({ "mcp": { "other": { "type": "local" } } }));
        assert_eq!(first.keys, ["mcp"]);
        assert_eq!(first.entry.get("enabled"), Some(&json!(true)));
        let second = placed(spec, &server(), &json!({ "mcp": { "servers": {} } }));
        assert_eq!(second.keys, ["mcp", "servers"]);
        assert_eq!(second.entry.get("enabled"), None);
    }

    #[test]
    fn an_opencode_server_called_servers_is_no_second_format() {
        let spec = clients::spec(Client::Opencode);
        let document = json!({ "mcp": { "servers": { "type": "remote", "url": "http://x" } } });
        assert_eq!(placed(spec, &server(), &document).keys, ["mcp"]);
    }
}
