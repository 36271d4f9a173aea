//! What each command does: read, resolve, carry out, show.

pub(crate) mod check;
pub(crate) mod internal;
pub(crate) mod list;
pub(crate) mod run;

use std::ffi::OsString;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::Write as _;

use anyhow::{Context as _, Result};
use faceoff_record::{Ending, Plan};
use faceoff_runner::Programs;
use faceoff_runner::config::{Choices, SuiteFile, resolve};
use faceoff_runner::host::Host;

use crate::exit::Exit;
use crate::faults::Unresolved;

/// The width of what is not shown on a terminal.
const WIDTH: usize = 100;

/// Our own processes are this very program with a hidden command.
fn programs() -> Result<Programs> {
    let program = std::env::current_exe().context("cannot find this program's own file")?;
    let command = |name: &str| vec![program.clone().into_os_string(), OsString::from(name)];
    Ok(Programs {
        keep: command("keep"),
        generate: command("generate"),
    })
}

fn plan(suite: &SuiteFile, choices: &Choices, host: &Host) -> Result<Plan> {
    resolve(suite, choices, host).map_err(|errors| Unresolved(errors).into())
}

/// A seed that is short enough to be typed again, and exact in every JSON reader.
fn draw_seed() -> u64 {
    RandomState::new().build_hasher().finish() % 1_000_000_000
}

/// The width to fit into.
fn width() -> usize {
    match console::Term::stdout().size_checked() {
        Some((_, columns)) if console::user_attended() => usize::from(columns).max(40),
        _ => WIDTH,
    }
}

/// Prints a result on the standard output. A reader that has seen enough (`| head`) is no error.
fn show(text: &str) -> Result<()> {
    let mut output = std::io::stdout().lock();
    match writeln!(output, "{text}").and_then(|()| output.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(error).context("cannot print the result")
        }
        _ => Ok(()),
    }
}

/// How a run's ending alone makes the program exit.
fn exit_of(ending: &Ending) -> Result<Exit> {
    match ending {
        Ending::Complete | Ending::Unfinished => Ok(Exit::Good),
        Ending::Interrupted => Ok(Exit::Interrupted),
        Ending::Failed { reason } => Err(anyhow::anyhow!("{reason}")),
    }
}
