//! Ways to add the server without editing a file: a client's own command, or a link.

use data_encoding::BASE64;
use serde_json::{Map, Value};

use super::entry::Entry;
use super::machine::Os;
use super::server::Server;
use super::shell;

/// A way to add the server.
pub(super) struct Way {
    pub(super) label: &'static str,
    pub(super) make: fn(&Ask<'_>) -> String,
}

/// The server to add.
pub(super) struct Ask<'a> {
    pub(super) name: &'a str,
    pub(super) server: &'a Server,
    pub(super) entry: &'a Entry,
    pub(super) os: Os,
}

pub(super) fn claude(ask: &Ask<'_>) -> String {
    let add = ["claude", "mcp", "add", "--scope", "user"];
    match ask.server {
        Server::Stdio { .. } => ask.line(&add, &[ask.name, "--"], &ask.program()),
        Server::Http { url } => ask.line(&add, &["--transport", "http", ask.name, url], &[]),
    }
}

pub(super) fn codex(ask: &Ask<'_>) -> String {
    let add = ["codex", "mcp", "add", ask.name];
    match ask.server {
        Server::Stdio { .. } => ask.line(&add, &["--"], &ask.program()),
        Server::Http { url } => ask.line(&add, &["--url", url], &[]),
    }
}

pub(super) fn vscode(ask: &Ask<'_>) -> String {
    ask.line(&["code", "--add-mcp"], &[&ask.named()], &[])
}

pub(super) fn vscode_link(ask: &Ask<'_>) -> String {
    format!("vscode:mcp/install?{}", shell::percent(&ask.named()))
}

pub(super) fn cursor_link(ask: &Ask<'_>) -> String {
    let config = shell::percent(&BASE64.encode(ask.json().as_bytes()));
    let name = ask.name;
    format!("cursor://anysphere.cursor-deeplink/mcp/install?name={name}&config={config}")
}

pub(super) fn openclaw(ask: &Ask<'_>) -> String {
    ask.line(&["openclaw", "mcp", "set", ask.name], &[&ask.json()], &[])
}

pub(super) fn nanoclaw(ask: &Ask<'_>) -> String {
    // The user has to fill in the id of the group.
    let add = ["ncl", "groups", "config", "add-mcp-server", "--id", "GROUP", "--name", ask.name];
    match ask.server {
        Server::Stdio { command, args } => {
            let args = Value::from(args.as_slice()).to_string();
            ask.line(&add, &["--command", command, "--args", &args], &[])
        }
        Server::Http { url } => ask.line(&add, &["--url", url], &[]),
    }
}

impl Ask<'_> {
    fn line(&self, start: &[&str], middle: &[&str], end: &[&str]) -> String {
        shell::line(self.os, [start, middle, end].concat())
    }

    /// The program and its arguments; empty for a URL.
    fn program(&self) -> Vec<&str> {
        match self.server {
            Server::Stdio { command, args } => {
                [command].into_iter().chain(args).map(String::as_str).collect()
            }
            Server::Http { .. } => Vec::new(),
        }
    }

    fn json(&self) -> String {
        Value::Object(self.entry.clone()).to_string()
    }

    /// The entry as JSON, including its name.
    fn named(&self) -> String {
        let name = ("name".to_owned(), Value::from(self.name));
        let fields = self.entry.iter().map(|(key, value)| (key.clone(), value.clone()));
        Value::Object(std::iter::once(name).chain(fields).collect::<Map<_, _>>()).to_string()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::cli::Client;
    use crate::commands::connect::{clients, entry};

    fn ways(client: Client, server: &Server) -> Vec<String> {
        let spec = clients::spec(client);
        let entry = entry::placed(spec, server, &Value::Null).entry;
        let ask = Ask { name: "lore", server, entry: &entry, os: Os::Linux };
        spec.ways.iter().map(|way| (way.make)(&ask)).collect()
    }

    fn stdio() -> Server {
        Server::Stdio { command: "/opt/my lore".into(), args: vec!["--world".into(), "Ash".into()] }
    }

    fn http() -> Server {
        Server::Http { url: "http://h:1/mcp".into() }
    }

    #[test]
    fn commands_start_the_program() {
        let claude = "claude mcp add --scope user lore -- '/opt/my lore' --world Ash";
        assert_eq!(ways(Client::ClaudeCode, &stdio()), [claude]);
        let codex = "codex mcp add lore -- '/opt/my lore' --world Ash";
        assert_eq!(ways(Client::Codex, &stdio()), [codex]);
        let openclaw =
            r#"openclaw mcp set lore '{"command":"/opt/my lore","args":["--world","Ash"]}'"#;
        assert_eq!(ways(Client::Openclaw, &stdio()), [openclaw]);
        let nanoclaw = "ncl groups config add-mcp-server --id GROUP --name lore \
                        --command '/opt/my lore' --args '[\"--world\",\"Ash\"]'";
        assert_eq!(ways(Client::Nanoclaw, &stdio()), [nanoclaw]);
    }

    #[test]
    fn commands_connect_to_a_server() {
        let claude = "claude mcp add --scope user --transport http lore http://h:1/mcp";
        assert_eq!(ways(Client::ClaudeCode, &http()), [claude]);
        assert_eq!(ways(Client::Codex, &http()), ["codex mcp add lore --url http://h:1/mcp"]);
        let code = r#"code --add-mcp '{"name":"lore","type":"http","url":"http://h:1/mcp"}'"#;
        assert_eq!(ways(Client::Vscode, &http())[0], code);
    }

    #[test]
    fn the_link_of_cursor_holds_the_entry() {
        let link = ways(Client::Cursor, &stdio()).remove(0);
        let start = "cursor://anysphere.cursor-deeplink/mcp/install?name=lore&config=";
        let config = link.strip_prefix(start).unwrap().replace("%3D", "=").replace("%2B", "+");
        let entry: Value =
            serde_json::from_slice(&BASE64.decode(config.replace("%2F", "/").as_bytes()).unwrap())
                .unwrap();
        assert_eq!(entry, json!({ "command": "/opt/my lore", "args": ["--world", "Ash"] }));
    }
}
