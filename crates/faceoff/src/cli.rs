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
  faceoff vs './a' './b' --path / compare two servers of yours, in any folder
  faceoff report --html           the newest run again, as a page
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
    /// Compare servers given by their start commands, in any folder
    #[command(after_help = "Examples:
  faceoff vs 'node server.js' './server --port {port}' --path /api/values/5
  faceoff vs old='./old {port}' new='./new {port}' --path '/users/{id:1..500}' --quick
  faceoff vs 'python3 -m http.server {port} --bind 127.0.0.1' 'node server.js' --path /
  faceoff vs a='./a' b='./b' --method POST --header 'content-type: application/json' \\
             --body '{{\"n\":{id}}}' --expect '{{\"twice\":true}}' --expect-status 200

Without --expect any success is right, and bodies that differ are warned of. In paths
and bodies {{ and }} are braces.")]
    Vs(Box<VsArguments>),
    /// Show a stored run again, in any format
    #[command(after_help = "Examples:
  faceoff report                                   the newest run, as it was shown
  faceoff report runs/20260301T100000Z-demo --html --out report.html
  faceoff report --markdown | gh pr comment --body-file -
  faceoff report --csv > table.csv")]
    Report(ReportArguments),
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
    /// Print a script that completes Faceoff's options in a shell
    #[command(after_help = "Examples:
  faceoff completions bash > ~/.local/share/bash-completion/completions/faceoff
  faceoff completions fish > ~/.config/fish/completions/faceoff.fish")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write the man pages, one for each command
    #[command(after_help = "Example:
  faceoff man ~/.local/share/man/man1 && man faceoff-run")]
    Man {
        /// The folder to write them to; it is made if it does not exist
        folder: PathBuf,
    },
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
    #[command(flatten)]
    pub(crate) only: Only,
    #[command(flatten)]
    pub(crate) measuring: Measuring,
    /// Build the contenders even if nothing changed
    #[arg(long)]
    pub(crate) rebuild: bool,
}

/// How long is measured, and where the result goes.
#[derive(Debug, Args)]
pub(crate) struct Measuring {
    /// Take a minute a workload instead of three to five; verdicts are then exploratory
    #[arg(long)]
    pub(crate) quick: bool,
    /// The longest time for the measurement of one workload, builds apart, such as 90s or 10m
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub(crate) time: Option<Nanos>,
    /// Fixes the order of slices and the ids in requests [default: drawn and printed]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) seed: Option<u64>,
    /// The folder to keep the result in; it must not exist yet [default: a new one under runs/]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `faceoff vs`.
#[derive(Debug, Args)]
pub(crate) struct VsArguments {
    /// The start commands, each in quotes, perhaps with a name: 'mine=./server --port {port}'
    ///
    /// A command is run without a shell, in this folder, and must stay in the foreground. It gets a
    /// free port as {port} and in the variable PORT; it listens on 127.0.0.1 or ::1.
    #[arg(value_name = "[NAME=]COMMAND", required = true)]
    pub(crate) commands: Vec<String>,
    /// Path and query to ask for; may hold variables such as {id} or {id:1..500}
    #[arg(long, default_value = "/")]
    pub(crate) path: String,
    /// The method
    #[arg(long, default_value = "GET")]
    pub(crate) method: String,
    /// A header field to send (repeat it for several)
    #[arg(long, value_name = "NAME: VALUE")]
    pub(crate) header: Vec<String>,
    /// The body to send; may hold variables
    #[arg(long)]
    pub(crate) body: Option<String>,
    /// The body of a right answer, byte for byte; may hold variables [default: any]
    #[arg(long, value_name = "BODY")]
    pub(crate) expect: Option<String>,
    /// The status of a right answer (repeat it for several) [default: any success]
    #[arg(long, value_name = "CODE")]
    pub(crate) expect_status: Vec<u16>,
    /// Refuse servers whose first answer has another body than that of the first server
    #[arg(long)]
    pub(crate) same_body: bool,
    /// The port of servers that cannot be told one
    #[arg(long, value_name = "PORT")]
    pub(crate) port: Option<u16>,
    /// Speak HTTPS; certificates are not verified, since the servers are on this machine
    #[arg(long)]
    pub(crate) https: bool,
    /// Connections kept busy
    #[arg(long, value_name = "NUMBER", default_value_t = 125, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub(crate) connections: u32,
    /// Processors for the server under load [default: half of them]
    #[arg(long, value_name = "NUMBER")]
    pub(crate) server_cores: Option<usize>,
    /// How long a server may take until it answers
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "30s")]
    pub(crate) ready_within: Nanos,
    #[command(flatten)]
    pub(crate) measuring: Measuring,
}

/// `faceoff report`.
#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// The folder of a run [default: the newest under runs/]
    #[arg(value_name = "RUN")]
    pub(crate) run: Option<PathBuf>,
    /// Write HTML: one file that opens offline
    #[arg(long, group = "format")]
    pub(crate) html: bool,
    /// Write Markdown, for a pull request
    #[arg(long, group = "format")]
    pub(crate) markdown: bool,
    /// Write CSV: a row for each contender and workload
    #[arg(long, group = "format")]
    pub(crate) csv: bool,
    /// Write CSV: a row for each slice
    #[arg(long, group = "format")]
    pub(crate) csv_slices: bool,
    /// Write JSON
    #[arg(long, group = "format")]
    pub(crate) json: bool,
    /// Write to this file instead of the standard output; it must not exist yet
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
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
