//! Faceoff says which HTTP server is faster, by how much and how sure it is.

mod cli;
mod commands;
mod exit;
mod faults;
mod progress;

use std::process::ExitCode;

use clap::Parser as _;

use cli::{Cli, Command};

fn main() -> ExitCode {
    let cli = Cli::parse();
    let ended = match cli.command {
        None => commands::run::run(&[], &cli.run),
        Some(Command::Run(arguments)) => commands::run::run(&arguments.suites, &arguments.options),
        Some(Command::Vs(arguments)) => commands::vs::vs(&arguments),
        Some(Command::Report(arguments)) => commands::report::report(&arguments),
        Some(Command::Check(arguments)) => commands::check::check(&arguments),
        Some(Command::List(arguments)) => commands::list::list(&arguments),
        Some(Command::Completions { shell }) => commands::manual::completions(shell),
        Some(Command::Man { folder }) => commands::manual::man(&folder),
        Some(Command::Keep) => commands::internal::keep(),
        Some(Command::Generate) => commands::internal::generate(),
    };
    ended.unwrap_or_else(|error| faults::report(&error)).into()
}
