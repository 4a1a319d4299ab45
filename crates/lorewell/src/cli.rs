//! The command line.

use std::path::PathBuf;

use clap::{Args, FromArgMatches, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

/// One world to remember, for agents and game tables.
///
/// Without a command, Lorewell speaks MCP over stdin and stdout: that is how
/// Claude, Cursor and other clients start it. `lorewell serve` offers the same
/// over HTTP, and `lorewell connect CLIENT` writes the client's configuration.
///
/// Everything is kept in one file in the data directory. Nothing is sent
/// anywhere unless you configure a service.
#[derive(Debug, Parser)]
#[command(name = "lorewell", version, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) options: Options,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

/// Options of every command.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Options {
    /// Directory that holds the store [default: the platform's data directory]
    #[arg(long, global = true, value_name = "DIR", env = "LOREWELL_DATA")]
    pub(crate) data: Option<PathBuf>,

    /// Configuration file [default: lorewell.toml in the platform's configuration directory]
    #[arg(long, global = true, value_name = "FILE", env = "LOREWELL_CONFIG")]
    pub(crate) config: Option<PathBuf>,

    /// World to work in [default: the one chosen with `lorewell world use`]
    #[arg(long, global = true, value_name = "NAME", env = "LOREWELL_WORLD")]
    pub(crate) world: Option<String>,

    /// Toolsets to offer, comma-separated: play, memory, pages, knowledge, atlas, atlas-write, `default`, `all`
    #[arg(
        long,
        global = true,
        value_name = "LIST",
        env = "LOREWELL_TOOLSETS",
        value_delimiter = ','
    )]
    pub(crate) toolsets: Option<Vec<String>>,

    /// Single tools to offer, comma-separated; without --toolsets, only these
    #[arg(long, global = true, value_name = "LIST", env = "LOREWELL_TOOLS", value_delimiter = ',')]
    pub(crate) tools: Option<Vec<String>>,

    /// Tools not to offer, comma-separated; takes precedence over everything else
    #[arg(
        long,
        global = true,
        value_name = "LIST",
        env = "LOREWELL_EXCLUDE_TOOLS",
        value_delimiter = ','
    )]
    pub(crate) exclude_tools: Option<Vec<String>>,

    /// Offer only tools that do not write
    #[arg(
        long,
        global = true,
        env = "LOREWELL_READ_ONLY",
        num_args = 0..=1,
        default_missing_value = "true",
        require_equals = true,
        value_parser = clap::builder::BoolishValueParser::new(),
        value_name = "BOOL"
    )]
    pub(crate) read_only: Option<bool>,

    /// Log more to stderr; repeat for even more (or set LOREWELL_LOG)
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve one MCP client over stdin and stdout (the default)
    Stdio,
    /// Serve MCP over HTTP
    Serve(Serve),
    /// Call a tool and print its answer as JSON
    Call(Call),
    /// List the tools that are on, and how many bytes of descriptions a model has to read
    Tools(Tools),
    /// Print a resource as JSON; without a URI, list the resources that are on
    Read {
        /// URI of the resource, such as campaigns://list
        uri: Option<String>,
    },
    /// Print the configuration that connects a client, or install it
    Connect(Connect),
    /// Create a small sample world that shows every toolset, and switch to it
    Demo {
        /// Name of the world
        #[arg(long, default_value = "Saltmere")]
        name: String,
    },
    /// List, create, rename and choose worlds
    #[command(subcommand)]
    World(World),
    /// Create, list and revoke bearer tokens for the HTTP server
    #[command(subcommand)]
    Token(Token),
    /// Manage the KOI-net node: its peers and what it shares
    #[command(subcommand)]
    Federation(Federation),
    /// Scan source repositories into the world, as documents and as a graph to query
    Scan(Scan),
    /// Check the store and the installation, and explain how to repair what is wrong
    Doctor(Doctor),
    /// Write a consistent copy of the store, also while a server runs
    Backup {
        /// File to write; must not exist
        file: PathBuf,
    },
    /// Replace the store with a backup; the old store is kept beside it
    Restore {
        /// Backup to restore
        file: PathBuf,
    },
    /// Index the vault (the notes folder); a running server does so by itself
    Index,
    /// Bring the copy of a live service up to date; an interrupted sync resumes when run again
    #[command(subcommand)]
    Sync(Sync),
    /// Import memory or a world from elsewhere; an interrupted import resumes when run again
    #[command(subcommand)]
    Import(Import),
    /// Export memory to files
    #[command(subcommand)]
    Export(Export),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

/// Options of `serve`.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Serve {
    /// Address to listen on [default: 127.0.0.1:8081]
    #[arg(long, value_name = "HOST:PORT", env = "LOREWELL_HTTP_ADDR")]
    pub(crate) http_addr: Option<String>,

    /// Also serve the KOI API on an address of its own, such as 127.0.0.1:8351
    #[arg(long, value_name = "HOST:PORT", env = "LOREWELL_KOI_ADDR")]
    pub(crate) koi_addr: Option<String>,

    /// Allow an address that other machines can reach; needs a token
    #[arg(long)]
    pub(crate) allow_remote: bool,

    /// Additional Host names to answer to (may be repeated)
    #[arg(long, value_name = "HOST")]
    pub(crate) allow_host: Vec<String>,

    /// Additional browser origins to answer to, such as https://app.example (may be repeated)
    #[arg(long, value_name = "ORIGIN")]
    pub(crate) allow_origin: Vec<String>,

    /// No leniency for simple clients: no cookie, no sessions opened on first use
    #[arg(long)]
    pub(crate) strict_http: bool,

    /// Requests per second for each token, or for all local users if there are no tokens; bursts
    /// may be twice as large; 0 is no limit [default: 100 for each token]
    #[arg(long, value_name = "N")]
    pub(crate) rate_limit: Option<u32>,

    /// Requests per minute for each user of Kanka's API; Kanka itself has such a limit [default: none]
    #[arg(long, value_name = "N")]
    pub(crate) kanka_rate_limit: Option<u32>,

    /// Maximum number of open MCP sessions [default: 1000]
    #[arg(long, value_name = "N")]
    pub(crate) max_sessions: Option<usize>,

    /// Also run a KOI-net node, as configured in the [federation] table of lorewell.toml
    #[arg(long)]
    pub(crate) federation: bool,
}

impl Serve {
    /// The options of `serve` as the environment alone sets them.
    pub(crate) fn from_environment() -> Result<Self, clap::Error> {
        let bare = clap::Command::new("serve").no_binary_name(true);
        let said = Self::augment_args(bare).try_get_matches_from(Vec::<String>::new())?;
        Self::from_arg_matches(&said)
    }
}

/// Options of `call`.
#[derive(Debug, Args)]
pub(crate) struct Call {
    /// Name of the tool
    pub(crate) tool: String,
    /// Arguments as a JSON object; `-` reads them from stdin
    #[arg(default_value = "{}")]
    pub(crate) arguments: String,
}

/// Options of `tools`.
#[derive(Debug, Args)]
pub(crate) struct Tools {
    /// Show one tool in full
    pub(crate) tool: Option<String>,
    /// Print as JSON: what a client receives, plus toolset, role and example
    #[arg(long)]
    pub(crate) json: bool,
}

/// Options of `connect`.
#[derive(Debug, Args)]
pub(crate) struct Connect {
    /// The client to connect
    pub(crate) client: Client,
    /// Merge the configuration into the client's file, keeping a backup
    #[arg(long)]
    pub(crate) write: bool,
    /// Connect to a running server at this URL instead of starting one for the client
    #[arg(long, value_name = "URL", num_args = 0..=1, default_missing_value = "http://127.0.0.1:8081/mcp")]
    pub(crate) http: Option<String>,
    /// Name under which the client lists the server
    #[arg(long, default_value = "lorewell")]
    pub(crate) name: String,
    /// File to write instead of the client's usual one
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

/// Clients that `connect` supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Client {
    /// Claude Desktop
    ClaudeDesktop,
    /// Claude Code (.mcp.json of the project)
    ClaudeCode,
    /// Cursor
    Cursor,
    /// Visual Studio Code
    Vscode,
    /// OpenCode (opencode.jsonc)
    Opencode,
    /// Codex (config.toml)
    Codex,
    /// NanoClaw (.mcp.json)
    Nanoclaw,
    /// OpenClaw (openclaw.json)
    Openclaw,
}

/// Commands of `sync`.
#[derive(Debug, Subcommand)]
pub(crate) enum Sync {
    /// The campaign given by KANKA_TOKEN and KANKA_CAMPAIGN_ID, or by [kanka]
    Kanka {
        /// If something was changed both here and on Kanka, take Kanka's version
        #[arg(long)]
        theirs: bool,
    },
    /// Copy a world of World Anvil into this world
    WorldAnvil {
        /// Id of the world [default: the account's first]
        world_id: Option<String>,
    },
}

/// Commands of `import`.
#[derive(Debug, Subcommand)]
pub(crate) enum Import {
    /// Conversations, notes, graphs and databases of other memory servers
    Memory {
        /// Format of the source
        format: ImportFormat,
        /// File or folder to read
        path: PathBuf,
    },
    /// A world that World Anvil exported
    WorldAnvil {
        /// The .zip file of the export, or the folder it was unpacked to
        path: PathBuf,
    },
}

/// What `import memory` reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ImportFormat {
    /// Session files of Claude Code: a .jsonl file, or a folder of them
    ClaudeCode,
    /// conversations.json of a ChatGPT export
    Chatgpt,
    /// A folder of Markdown notes
    Markdown,
    /// JSON lines of the reference memory server, or of `export memory jsonl`
    Jsonl,
    /// A Kairn workspace: its folder or its kairn.db
    Kairn,
}

/// Commands of `export`.
#[derive(Debug, Subcommand)]
pub(crate) enum Export {
    /// Everything you see in the world
    Memory {
        /// Format to write
        format: ExportFormat,
        /// File or folder to write
        path: PathBuf,
        /// Allow writing notes into a folder that holds other files
        #[arg(long)]
        force: bool,
    },
}

/// What `export memory` writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ExportFormat {
    /// A folder with one note per item
    Markdown,
    /// JSON lines, which the reference memory server can read as well
    Jsonl,
}

/// Commands of `world`.
#[derive(Debug, Subcommand)]
pub(crate) enum World {
    /// List your worlds; the current one is marked
    List,
    /// Create a world
    Create {
        /// Name of the world
        name: String,
        /// Also switch to it
        #[arg(long = "use")]
        choose: bool,
    },
    /// Choose the world to use if none is named
    Use {
        /// Name of the world
        name: String,
    },
    /// Rename a world
    Rename {
        /// Present name of the world
        name: String,
        /// New name
        new_name: String,
    },
}

/// Commands of `token`.
#[derive(Debug, Subcommand)]
pub(crate) enum Token {
    /// Create a token; it is shown only once
    Create {
        /// Role of the bearer: owner, gm, player or reader
        #[arg(long)]
        role: String,
        /// Name of the bearer; one name may have several tokens
        #[arg(long)]
        name: String,
    },
    /// List the tokens of all your worlds
    List,
    /// Revoke a token
    Revoke {
        /// Number of the token, from `token list`
        id: i64,
    },
}

/// Commands of `federation`. A running server carries them out within seconds.
#[derive(Debug, Subcommand)]
pub(crate) enum Federation {
    /// Print the node's identity, peers, queue and policy as JSON, as last stored
    Status,
    /// List the known nodes
    Peers,
    /// Connect to another node, and approve what it subscribes to
    Connect {
        /// Address of the node, such as https://node.example/koi-net; or its RID if it has no
        /// address and calls this node
        node: String,
        /// RID of the node, needed if the node does not report it
        #[arg(long)]
        rid: Option<String>,
    },
    /// Share something with subscribers; without arguments, list what is shared
    Share {
        /// An item by name or id, a document by title or RID, `kind:KIND`, `tag:TAG` or
        /// `everything`
        what: Option<String>,
        /// Stop sharing it
        #[arg(long, requires = "what", conflicts_with = "open")]
        stop: bool,
        /// Make the notes, pages and documents it covers visible to every member of the world
        #[arg(long, requires = "what")]
        open: bool,
    },
    /// Drop a node with everything that came from it, and refuse its messages
    Forget {
        /// RID or name of the node
        peer: String,
    },
}

/// Options of `scan`.
#[derive(Debug, Args)]
pub(crate) struct Scan {
    /// Folder, or address such as https://github.com/owner/name, to add and scan; without it, all
    /// added repositories are scanned
    pub(crate) source: Option<String>,
    /// Name of the repository [default: taken from the source]
    #[arg(long, requires = "source")]
    pub(crate) name: Option<String>,
    /// Branch to scan [default: the repository's default branch]
    #[arg(long, requires = "source")]
    pub(crate) branch: Option<String>,
    /// List the added repositories
    #[arg(long, conflicts_with = "source")]
    pub(crate) list: bool,
    /// Remove a repository and everything that was read from it
    #[arg(long, value_name = "NAME", conflicts_with_all = ["source", "list"])]
    pub(crate) remove: Option<String>,
}

/// Options of `doctor`.
#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// Print as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// First rebuild derived data, such as the search index
    #[arg(long)]
    pub(crate) rebuild: bool,
    /// First accept damaged entries with their present content, so that they can be read and
    /// changed again; restoring a good backup is better
    #[arg(long)]
    pub(crate) accept: bool,
}
