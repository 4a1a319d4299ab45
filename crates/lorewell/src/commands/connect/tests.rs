//! Tests every client's configuration, printed and written, by parsing it as the client does.

use std::fs;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use serde_json::{Value, json};

use super::edit::{Syntax, merged};
use super::machine::{Machine, Os};
use super::server::Server;
use super::{Plan, checked_name, clients, json_file};
use crate::cli::{Client, Connect, Options};

/// Contains characters that need escaping.
const COMMAND: &str = r#"C:\Program Files\it's "Lore"\lorewell.exe"#;
const DATA: &str = r"D:\my data\ünï";
const URL: &str = "http://127.0.0.1:8081/mcp";

fn stdio() -> Server {
    Server::Stdio { command: COMMAND.into(), args: vec!["--data".into(), DATA.into()] }
}

fn http() -> Server {
    Server::Http { url: URL.into() }
}

fn plan(client: Client, server: Server, file: &Path) -> Plan {
    let spec = clients::spec(client);
    let (name, file, config) = ("lore".into(), file.to_path_buf(), "lorewell.toml".into());
    Plan { spec, name, server, file, config, ignored: false }
}

/// Parses a configuration as the client does, into JSON.
fn read(client: Client, text: &str) -> Value {
    match clients::spec(client).syntax {
        // Parsed strictly, so that a printed configuration works for every reader.
        Syntax::Json | Syntax::Json5 => serde_json::from_str(text).unwrap(),
        Syntax::Toml => serde_json::to_value(text.parse::<toml::Table>().unwrap()).unwrap(),
    }
}

fn printed(client: Client, server: Server) -> Value {
    let plan = plan(client, server, Path::new("/nowhere"));
    read(client, &merged(plan.spec.syntax, "", &plan.wanted("")).unwrap().unwrap())
}

#[test]
fn a_program_is_described_as_each_client_expects() {
    let plain = json!({ "command": COMMAND, "args": ["--data", DATA] });
    let typed = json!({ "type": "stdio", "command": COMMAND, "args": ["--data", DATA] });
    let local = json!({ "type": "local", "command": [COMMAND, "--data", DATA], "enabled": true });
    let schema = "https://opencode.ai/config.json";
    let expected = [
        (Client::ClaudeDesktop, json!({ "mcpServers": { "lore": plain } })),
        (Client::ClaudeCode, json!({ "mcpServers": { "lore": typed } })),
        (Client::Cursor, json!({ "mcpServers": { "lore": plain } })),
        (Client::Vscode, json!({ "servers": { "lore": typed } })),
        (Client::Opencode, json!({ "$schema": schema, "mcp": { "lore": local } })),
        (Client::Codex, json!({ "mcp_servers": { "lore": plain } })),
        (Client::Nanoclaw, json!({ "mcpServers": { "lore": typed } })),
        (Client::Openclaw, json!({ "mcp": { "servers": { "lore": plain } } })),
    ];
    assert_eq!(expected.len(), Client::value_variants().len());
    for (client, expected) in expected {
        assert_eq!(printed(client, stdio()), expected, "{client:?}");
    }
}

#[test]
fn a_url_is_described_as_each_client_expects() {
    let bridged = json!({ "command": "npx", "args": ["-y", "mcp-remote", URL] });
    let typed = json!({ "type": "http", "url": URL });
    let remote = json!({ "type": "remote", "url": URL, "enabled": true });
    let streamed = json!({ "url": URL, "transport": "streamable-http" });
    let schema = "https://opencode.ai/config.json";
    let expected = [
        (Client::ClaudeDesktop, json!({ "mcpServers": { "lore": bridged } })),
        (Client::ClaudeCode, json!({ "mcpServers": { "lore": typed } })),
        (Client::Cursor, json!({ "mcpServers": { "lore": { "url": URL } } })),
        (Client::Vscode, json!({ "servers": { "lore": typed } })),
        (Client::Opencode, json!({ "$schema": schema, "mcp": { "lore": remote } })),
        (Client::Codex, json!({ "mcp_servers": { "lore": { "url": URL } } })),
        (Client::Nanoclaw, json!({ "mcpServers": { "lore": typed } })),
        (Client::Openclaw, json!({ "mcp": { "servers": { "lore": streamed } } })),
    ];
    assert_eq!(expected.len(), Client::value_variants().len());
    for (client, expected) in expected {
        assert_eq!(printed(client, http()), expected, "{client:?}");
    }
}

fn machine() -> Machine {
    Machine {
        os: Os::Linux,
        home: PathBuf::from("/home/me"),
        current: PathBuf::from("/nowhere"),
        variable: |_| None,
    }
}

#[test]
fn writing_twice_changes_nothing_the_second_time() {
    for &client in Client::value_variants() {
        for server in [stdio(), http()] {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("config");
            let plan = plan(client, server, &file);
            plan.install().unwrap();
            let first = fs::read_to_string(&file).unwrap();
            plan.install().unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), first);
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no backup: {client:?}");
        }
    }
}

#[test]
fn switching_back_and_forth_restores_the_file() {
    for &client in Client::value_variants() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config");
        plan(client, stdio(), &file).install().unwrap();
        let first = read(client, &fs::read_to_string(&file).unwrap());
        plan(client, http(), &file).install().unwrap();
        assert_ne!(read(client, &fs::read_to_string(&file).unwrap()), first);
        plan(client, stdio(), &file).install().unwrap();
        assert_eq!(read(client, &fs::read_to_string(&file).unwrap()), first, "{client:?}");
    }
}

#[test]
fn a_broken_file_is_left_as_it_is() {
    for &client in Client::value_variants() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("config");
        fs::write(&file, "{ \"mcpServers\": [[ = ").unwrap();
        let error = plan(client, stdio(), &file).install().unwrap_err();
        let told = crate::output::chain(&error);
        assert!(told.contains("was left as it is") && told.contains("not valid"), "{told}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "{ \"mcpServers\": [[ = ");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

#[test]
fn a_file_of_the_second_opencode_stays_one() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("opencode.jsonc");
    fs::write(&file, "{\n  \"mcp\": {\n    \"servers\": {}, // mine\n  },\n}\n").unwrap();
    let plan = plan(Client::Opencode, http(), &file);
    plan.install().unwrap();
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("// mine"));
    let expected = json!({ "servers": { "lore": { "type": "remote", "url": URL } } });
    assert_eq!(json_file::document(Syntax::Json, &text)["mcp"], expected);
}

#[test]
fn a_mark_in_front_of_the_text_stays() {
    let plan = plan(Client::Cursor, http(), Path::new("/nowhere"));
    let text = "\u{feff}{\n  \"a\": 1\n}\n";
    let merged = merged(plan.spec.syntax, text, &plan.wanted(text)).unwrap().unwrap();
    assert!(merged.starts_with("\u{feff}{"));
}

#[test]
fn names_are_what_all_clients_accept() {
    for good in ["lorewell", "a", "A-b_9", &"x".repeat(64)] {
        assert_eq!(checked_name(good).unwrap(), good);
    }
    for bad in ["", "a b", "a.b", "ä", "a\"", &"x".repeat(65)] {
        assert!(checked_name(bad).is_err(), "{bad}");
    }
}

#[test]
fn a_plan_starts_this_program_with_absolute_paths() {
    let connect = Connect {
        client: Client::Codex,
        write: false,
        http: None,
        name: "lorewell".into(),
        file: Some(PathBuf::from("config.toml")),
    };
    let options = Options { data: Some(PathBuf::from("data")), ..Options::default() };
    let plan = Plan::new(&options, &connect, &machine()).unwrap();
    assert!(plan.file.is_absolute());
    let Server::Stdio { command, args } = plan.server else { panic!("a program was expected") };
    assert!(Path::new(&command).is_absolute());
    assert!(args.iter().skip(1).all(|path| Path::new(path).is_absolute()));
}

#[test]
fn no_client_is_told_to_write_a_token_down() {
    for &client in Client::value_variants() {
        let token = &clients::spec(client).token;
        assert!(token.variable.starts_with("LOREWELL_"));
        assert!(token.field.contains("LOREWELL_"), "{client:?}");
    }
}
