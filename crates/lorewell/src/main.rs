//! Lorewell: one world to remember, for agents and game tables.
//!
//! This crate is the composition root: it reads the configuration, opens the store, assembles the
//! parts and starts a server or a command. No other crate knows which storage engine is used.

mod background;
mod bar;
mod cli;
mod commands;
mod config;
mod federation;
mod output;
mod setup;
mod turn;

use std::io::IsTerminal;
use std::process::ExitCode;

use clap::Parser;

use crate::background::Background;
use crate::cli::{Cli, Command};

// Costs less CPU per request than the system allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Log directives for libraries that would log user data. rmcp logs every message, refusal and
/// disconnect; the others log pages, headers and requests.
const TELLS_ALL: [&str; 8] = [
    "rmcp=off",
    "html5ever=warn",
    "markup5ever=warn",
    "selectors=warn",
    "hyper=info",
    "hyper_util=info",
    "h2=info",
    "reqwest=info",
];

fn main() -> ExitCode {
    let cli = Cli::parse();
    start_logging(cli.options.verbose);
    match run(cli) {
        Ok(_) if output::was_lost() => {
            eprintln!("lorewell: what was to be printed could not be written");
            ExitCode::FAILURE
        }
        Ok(code) => code,
        Err(error) => {
            eprintln!("lorewell: {}", output::chain(&error));
            ExitCode::FAILURE
        }
    }
}

fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    let command = cli.command.unwrap_or(Command::Stdio);
    let (serving, background) = (runtime_for(&command)?, Background::start()?);
    let outcome = serving.block_on(commands::run(cli.options, command, &background));
    // Work on a thread of its own, which cannot be cancelled, must not keep the program from ending.
    serving.shutdown_timeout(background::PATIENCE);
    background.stop();
    outcome
}

/// Creates the runtime. A single thread serves one client over pipes fastest; the HTTP server uses
/// all cores.
fn runtime_for(command: &Command) -> std::io::Result<tokio::runtime::Runtime> {
    let mut builder = match command {
        Command::Serve(_) => tokio::runtime::Builder::new_multi_thread(),
        _ => tokio::runtime::Builder::new_current_thread(),
    };
    builder.enable_all().build()
}

/// Starts logging to stderr, since stdout belongs to the protocol. No log level reveals what users
/// write and read.
fn start_logging(verbose: u8) {
    let default = match verbose {
        0 => "warn",
        1 => "info",
        2 => "debug",
        _ => "trace",
    };
    let filter = tracing_subscriber::EnvFilter::try_from_env("LOREWELL_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new(default));
    let quiet = TELLS_ALL.iter().filter_map(|directive| directive.parse().ok());
    let filter = quiet.fold(filter, tracing_subscriber::EnvFilter::add_directive);
    let colours = std::io::stderr().is_terminal();
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_ansi(colours);
    lines.with_writer(std::io::stderr).init();
}
