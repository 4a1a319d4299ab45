//! The commands, one file each, and code that several of them share.

mod archive;
mod backup;
mod call;
mod completions;
mod connect;
mod demo;
mod doctor;
mod exchange;
mod federation;
mod index;
mod read;
mod scan;
mod serve;
mod signal;
mod stdio;
mod sync;
mod token;
mod tools;
mod world;

use std::process::ExitCode;

use crate::background::Background;
use crate::cli::{Command, Options};
use crate::config::Settings;

/// Runs a command.
pub(crate) async fn run(
    options: Options,
    command: Command,
    background: &Background,
) -> anyhow::Result<ExitCode> {
    match command {
        Command::Completions { shell } => completions::run(shell)?,
        Command::Connect(connect) => connect::run(&options, &connect).await?,
        Command::Stdio => stdio::run(&Settings::load(options)?, background).await?,
        Command::Serve(flags) => {
            serve::run(&Settings::load(options)?, &flags, background).await?;
        }
        Command::Call(call) => {
            return call::run(&Settings::without_faulty_services(options)?, call).await;
        }
        Command::Read { uri } => {
            read::run(&Settings::without_faulty_services(options)?, uri.as_deref()).await?;
        }
        Command::Tools(show) => tools::run(&Settings::without_faulty_services(options)?, &show)?,
        Command::Demo { name } => {
            let again = demo::Again::of(&options);
            demo::run(&Settings::without_faulty_services(options)?, &name, &again).await?;
        }
        Command::World(command) => {
            world::run(&Settings::without_faulty_services(options)?, command).await?
        }
        Command::Token(command) => {
            token::run(&Settings::without_faulty_services(options)?, command).await?;
        }
        Command::Federation(command) => {
            federation::run(&Settings::load(options)?, command).await?;
        }
        Command::Scan(scan) => scan::run(&Settings::load(options)?, &scan).await?,
        Command::Doctor(show) => {
            let (settings, faults) = Settings::as_far_as_possible(options)?;
            return doctor::run(&settings, faults, &show).await;
        }
        Command::Backup { file } => {
            backup::backup(&Settings::without_faulty_services(options)?, &file).await?
        }
        Command::Index => index::run(&Settings::load(options)?).await?,
        Command::Sync(command) => sync::run(&Settings::load(options)?, &command).await?,
        Command::Import(command) => exchange::import(&Settings::load(options)?, command).await?,
        Command::Export(command) => {
            exchange::export(&Settings::without_faulty_services(options)?, command).await?;
        }
        Command::Restore { file } => {
            backup::restore(&Settings::without_faulty_services(options)?, &file)?
        }
    }
    Ok(ExitCode::SUCCESS)
}
