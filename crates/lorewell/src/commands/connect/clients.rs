//! Describes what each client expects. All knowledge of particular clients is in this file.

use super::edit::Syntax;
use super::entry::Shape;
use super::machine::Place;
use super::ways::{self, Way};
use crate::cli::Client;

/// The description of a client.
pub(super) struct Spec {
    /// The client's name for people.
    pub(super) title: &'static str,
    /// Where its configuration file is.
    pub(super) place: Place,
    /// The syntax of that file.
    pub(super) syntax: Syntax,
    /// The keys that lead to the servers in the file.
    pub(super) keys: &'static [&'static str],
    /// The format of a server entry.
    pub(super) shape: Shape,
    /// The `$schema` of a newly created file.
    pub(super) schema: Option<&'static str>,
    /// Other ways to add the server.
    pub(super) ways: &'static [Way],
    /// How an HTTP entry sends a token that is not stored in the file.
    pub(super) token: Token,
    /// A note for when the client starts the server itself.
    pub(super) stdio_note: Option<&'static str>,
    /// A note for when the client connects to a running server.
    pub(super) http_note: Option<&'static str>,
    /// How to make the client read its file again.
    pub(super) apply: &'static str,
}

/// How an entry takes a token from the environment.
pub(super) struct Token {
    /// The variable, including its value if that is not just the token.
    pub(super) variable: &'static str,
    /// The field that the entry needs.
    pub(super) field: &'static str,
}

/// The description of a client.
pub(super) fn spec(client: Client) -> &'static Spec {
    match client {
        Client::ClaudeDesktop => &CLAUDE_DESKTOP,
        Client::ClaudeCode => &CLAUDE_CODE,
        Client::Cursor => &CURSOR,
        Client::Vscode => &VSCODE,
        Client::Opencode => &OPENCODE,
        Client::Codex => &CODEX,
        Client::Nanoclaw => &NANOCLAW,
        Client::Openclaw => &OPENCLAW,
    }
}

const CLAUDE_DESKTOP: Spec = Spec {
    title: "Claude Desktop",
    place: Place::AppConfig { folder: "Claude", file: "claude_desktop_config.json" },
    syntax: Syntax::Json,
    keys: &["mcpServers"],
    shape: Shape::Bridged,
    schema: None,
    ways: &[],
    // The argument contains no space, because Claude Desktop on Windows would split it there.
    token: Token {
        variable: r#"LOREWELL_AUTH="Bearer TOKEN""#,
        field: r#"at the end of "args": "--header", "Authorization:${LOREWELL_AUTH}""#,
    },
    stdio_note: None,
    http_note: Some(
        "Claude Desktop starts the servers of this file itself and cannot open a URL from it, so \
         the entry goes through mcp-remote, which needs Node.js. Without --http it needs neither. \
         (Settings > Connectors takes URLs, but only public ones.)",
    ),
    apply: "Quit Claude Desktop and start it again.",
};

const CLAUDE_CODE: Spec = Spec {
    title: "Claude Code",
    place: Place::Project(&[".mcp.json"]),
    syntax: Syntax::Json,
    keys: &["mcpServers"],
    shape: Shape::Typed,
    schema: None,
    ways: &[Way { label: "For all your projects instead", make: ways::claude }],
    token: token(r#""headers": { "Authorization": "Bearer ${LOREWELL_TOKEN}" }"#),
    stdio_note: None,
    http_note: None,
    apply: "Start Claude Code in this directory and allow the server when it asks; /mcp shows it.",
};

const CURSOR: Spec = Spec {
    title: "Cursor",
    place: Place::Home { folder: ".cursor", variable: None, file: "mcp.json" },
    syntax: Syntax::Json,
    keys: &["mcpServers"],
    shape: Shape::Plain,
    schema: None,
    ways: &[Way { label: "With one click instead", make: ways::cursor_link }],
    token: token(r#""headers": { "Authorization": "Bearer ${env:LOREWELL_TOKEN}" }"#),
    stdio_note: None,
    http_note: None,
    apply: "Switch the server on under Settings > MCP, or restart Cursor.",
};

const VSCODE: Spec = Spec {
    title: "VS Code",
    place: Place::Project(&[".vscode/mcp.json"]),
    syntax: Syntax::Json,
    keys: &["servers"],
    shape: Shape::Typed,
    schema: None,
    ways: &[
        Way { label: "For all your workspaces instead", make: ways::vscode },
        Way { label: "Or with one click", make: ways::vscode_link },
    ],
    token: token(r#""headers": { "Authorization": "Bearer ${env:LOREWELL_TOKEN}" }"#),
    stdio_note: None,
    http_note: None,
    apply: "Run `MCP: List Servers` in VS Code and start the server.",
};

const OPENCODE: Spec = Spec {
    title: "OpenCode",
    place: Place::Project(&["opencode.jsonc", "opencode.json"]),
    syntax: Syntax::Json,
    keys: &["mcp"],
    shape: Shape::OpenCode,
    schema: Some("https://opencode.ai/config.json"),
    ways: &[],
    token: token(r#""headers": { "Authorization": "Bearer {env:LOREWELL_TOKEN}" }"#),
    stdio_note: None,
    http_note: None,
    apply: "Restart OpenCode in this directory.",
};

const CODEX: Spec = Spec {
    title: "Codex",
    place: Place::Home { folder: ".codex", variable: Some("CODEX_HOME"), file: "config.toml" },
    syntax: Syntax::Toml,
    keys: &["mcp_servers"],
    shape: Shape::Plain,
    schema: None,
    ways: &[Way { label: "Or with Codex itself", make: ways::codex }],
    token: token(r#"bearer_token_env_var = "LOREWELL_TOKEN""#),
    stdio_note: None,
    http_note: None,
    apply: "Restart Codex; /mcp shows the server.",
};

const NANOCLAW: Spec = Spec {
    title: "NanoClaw",
    place: Place::Project(&[".mcp.json"]),
    syntax: Syntax::Json,
    keys: &["mcpServers"],
    shape: Shape::Typed,
    schema: None,
    ways: &[Way { label: "From NanoClaw 2 on, better for one agent group", make: ways::nanoclaw }],
    token: token(r#""headers": { "Authorization": "Bearer ${LOREWELL_TOKEN}" }"#),
    stdio_note: Some(
        "NanoClaw runs its agents in containers: the program and its data must be mounted there \
         under the same paths. A running server (--http) is simpler.",
    ),
    http_note: Some(
        "NanoClaw runs its agents in containers, where 127.0.0.1 is the container itself: use \
         --http http://host.docker.internal:8081/mcp, and start the server with --allow-host \
         host.docker.internal.",
    ),
    apply: "The file belongs in the folder of the agent group; then restart the group.",
};

const OPENCLAW: Spec = Spec {
    title: "OpenClaw",
    place: Place::Home {
        folder: ".openclaw",
        variable: Some("OPENCLAW_STATE_DIR"),
        file: "openclaw.json",
    },
    syntax: Syntax::Json5,
    keys: &["mcp", "servers"],
    shape: Shape::Transport,
    schema: None,
    ways: &[Way { label: "Or with OpenClaw itself", make: ways::openclaw }],
    token: token(r#""headers": { "Authorization": "Bearer ${LOREWELL_TOKEN}" }"#),
    stdio_note: None,
    http_note: None,
    apply: "Check with `openclaw mcp doctor --probe`.",
};

/// The usual case: the variable `LOREWELL_TOKEN` contains just the token.
const fn token(field: &'static str) -> Token {
    Token { variable: "LOREWELL_TOKEN", field }
}
