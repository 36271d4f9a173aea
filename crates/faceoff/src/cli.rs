//! The command line: what may be asked, and the help that teaches it.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use faceoff_record::Nanos;
use faceoff_runner::config::parse_duration;

/// Says which HTTP server is faster on this machine, by how much and how sure it is.
///
/// Without a command it runs the suite ./faceoff.toml: it builds and starts the contenders, proves
/// that they give the same right answers, loads them in interleaved slices, and says which is
/// faster, by what ratio and within what interval.
#[derive(Debug, Parser)]
#[command(
    version,
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  faceoff                         run ./faceoff.toml, about 3 minutes a workload
  faceoff --quick                 the same within a minute, for a first impression
  faceoff check                   build, start and verify the contenders, without load
  faceoff list                    what there is, what can run here, and why not

Exit codes: 0 good (also: undecided, equal); 1 could not do it; 2 usage;
3 a contender failed verification; 4 void; 130 interrupted."
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) run: RunOptions,
}

/// What Faceoff can do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Compare contenders over workloads
    #[command(after_help = "Examples:
  faceoff run                                   the suite ./faceoff.toml
  faceoff run suites/mine.toml --time 10m       more time: narrower intervals
  faceoff run --contender axum,hyper --quick    only these two, within a minute
  faceoff run --seed 42 --json > result.json    the same order and ids again, for a program

The result is kept in a new folder under runs/: record.json, samples.jsonl (a line
for each slice, written at once) and log/ (the contenders' output).")]
    Run(RunArguments),
    /// Build, start and verify contenders, without load
    #[command(after_help = "Examples:
  faceoff check                       the contenders of ./faceoff.toml
  faceoff check --all                 every contender under ./contenders, every workload
  faceoff check --contender axum --rule near-miss
                                      one rule of one contender, to see it fail alone")]
    Check(CheckArguments),
    /// List suites, workloads and contenders, and what can run here
    #[command(after_help = "Example:
  faceoff list --json | jq '.contenders[] | select(.cannot_run)'")]
    List(ListArguments),
    /// Hold a contender's processes (used by Faceoff itself)
    #[command(hide = true)]
    Keep,
    /// Generate one load (used by Faceoff itself)
    #[command(hide = true)]
    Generate,
}

/// `faceoff run`.
#[derive(Debug, Args)]
pub(crate) struct RunArguments {
    /// The suites to run, one after the other [default: ./faceoff.toml]
    #[arg(value_name = "SUITE")]
    pub(crate) suites: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) options: RunOptions,
}

/// How a suite is run.
#[derive(Debug, Args)]
pub(crate) struct RunOptions {
    /// Take a minute a workload instead of three to five; verdicts are then exploratory
    #[arg(long)]
    pub(crate) quick: bool,
    #[command(flatten)]
    pub(crate) only: Only,
    /// The longest time for the measurement of one workload, builds apart, such as 90s or 10m
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) time: Option<Nanos>,
    /// Fixes the order of slices and the ids in requests [default: drawn and printed]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
    /// The folder to keep the result in; it must not exist yet [default: a new one under runs/]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
    /// Build the contenders even if nothing changed
    #[arg(long)]
    pub(crate) rebuild: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Which part of a suite.
#[derive(Debug, Args)]
pub(crate) struct Only {
    /// Only these contenders (repeat it, or separate names by commas)
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) contender: Vec<String>,
    /// Only these workloads
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) workload: Vec<String>,
}

/// `faceoff check`.
#[derive(Debug, Args)]
pub(crate) struct CheckArguments {
    /// The suite whose contenders are checked [default: ./faceoff.toml]
    #[arg(value_name = "SUITE", conflicts_with = "all")]
    pub(crate) suite: Option<PathBuf>,
    /// Check every contender under ./contenders on every workload it offers
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) only: Only,
    /// Try only these rules of the contracts
    #[arg(long, value_name = "RULE", value_delimiter = ',')]
    pub(crate) rule: Vec<String>,
    /// Fixes the ids in requests [default: drawn and printed]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
    /// Build the contenders even if nothing changed
    #[arg(long)]
    pub(crate) rebuild: bool,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `faceoff list`.
#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    /// Print the list as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
