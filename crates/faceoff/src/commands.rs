//! What each command does: read, resolve, carry out, show.

pub(crate) mod check;
pub(crate) mod internal;
pub(crate) mod list;
pub(crate) mod manual;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod vs;

use std::ffi::OsString;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};
use faceoff_record::{Ending, Plan};
use faceoff_runner::Programs;
use faceoff_runner::config::{Choices, SuiteFile, resolve};
use faceoff_runner::host::Host;

use crate::exit::Exit;
use crate::faults::{Unresolved, Usage};

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

/// The suite of this folder.
fn suite_here() -> Result<PathBuf> {
    let path = PathBuf::from("faceoff.toml");
    if !path.exists() {
        let text = "there is no faceoff.toml here; run Faceoff where one is, or name a suite";
        bail!(Usage(text.to_owned()));
    }
    Ok(path)
}

/// The command line for the record; what is not text is shown as near to it as can be.
fn command_line() -> Vec<String> {
    std::env::args_os()
        .map(|word| word.to_string_lossy().into_owned())
        .collect()
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

/// Writes a result aside and renames it; never over a file that is there.
fn write_new(path: &Path, text: &str) -> Result<()> {
    let context = || format!("cannot write {}", path.display());
    if path.exists() {
        bail!("{} exists already; nothing is overwritten", path.display());
    }
    let mut aside = path.as_os_str().to_owned();
    aside.push(".part");
    std::fs::write(&aside, text).with_context(context)?;
    std::fs::rename(&aside, path).with_context(context)
}

/// How a run's ending alone makes the program exit.
fn exit_of(ending: &Ending) -> Result<Exit> {
    match ending {
        Ending::Complete | Ending::Unfinished => Ok(Exit::Good),
        Ending::Interrupted => Ok(Exit::Interrupted),
        Ending::Failed { reason } => Err(anyhow::anyhow!("{reason}")),
    }
}
