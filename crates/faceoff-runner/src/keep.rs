//! The keeper: a process of its own under which one contender lives.
//!
//! The keeper is a child subreaper, so every descendant of the contender, however it detaches
//! itself, remains a descendant of the keeper; and it kills them all when its standard input
//! closes. So even a `SIGKILL` of the runner leaves nothing behind, and the CPU time of the
//! contender is that of the keeper's descendants, dead ones included. Between requests it sleeps
//! in `read`, so it costs nothing while a load is measured.
//!
//! It decides nothing: what is started, asked and stopped comes from the runner, one JSON object
//! a line, each answered by one line.

mod keeper;
mod messages;
mod tree;

use std::fs::OpenOptions;
use std::io::{self, BufRead, Write};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

pub(crate) use keeper::{Keeper, KeeperError};
pub(crate) use messages::{Exit, LaunchOrder, Stopped, TreeMemory};

use crate::host::{now, pin_to};
use messages::{Reply, Request};

/// How long a contender may take to end on `SIGTERM`.
const TERM_PATIENCE: Duration = Duration::from_secs(2);

/// Serves one runner: reads a launch order, starts the contender, answers requests, and when
/// `input` ends kills all that is left.
///
/// # Errors
///
/// The runner is gone or speaks another protocol; everything started is killed all the same.
pub fn keep(input: impl BufRead, output: impl Write) -> io::Result<()> {
    nix::sys::prctl::set_child_subreaper(true)?;
    let served = serve(input, output);
    tree::kill_all();
    served
}

fn serve(input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    let mut lines = input.lines();
    let Some(first) = lines.next() else {
        return Ok(());
    };
    let order: LaunchOrder = serde_json::from_str(&first?)?;
    let mut kept = match launch(&order) {
        Ok((kept, at)) => {
            let group = kept.pid.as_raw();
            reply(&mut output, &Reply::Started { at, group })?;
            kept
        }
        Err(reason) => return reply(&mut output, &Reply::CannotStart { reason }),
    };
    for line in lines {
        let answer = match serde_json::from_str(&line?)? {
            Request::Status => Reply::Status(kept.exit()),
            Request::Usage => {
                kept.exit();
                Reply::Usage(tree::usage())
            }
            Request::Memory => Reply::Memory(tree::memory()),
            Request::Listening => Reply::Listening(tree::listening()),
            Request::Stop => Reply::Stopped(kept.stop()),
        };
        reply(&mut output, &answer)?;
    }
    Ok(())
}

fn reply(output: &mut impl Write, reply: &Reply) -> io::Result<()> {
    serde_json::to_writer(&mut *output, reply)?;
    output.write_all(b"\n")?;
    output.flush()
}

/// The contender's first process, which is also the leader of its process group.
struct Kept {
    pid: Pid,
    exit: Option<Exit>,
}

fn launch(order: &LaunchOrder) -> Result<(Kept, faceoff_record::Nanos), String> {
    let (program, arguments) = order.command.split_first().ok_or("the command is empty")?;
    let log = || {
        let opened = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&order.log);
        opened.map_err(|error| format!("cannot write the log {}: {error}", order.log.display()))
    };
    // Looked at first, since a spawn tells a missing folder as a missing program.
    std::fs::read_dir(&order.folder).map_err(|error| {
        format!(
            "cannot enter the folder {}: {error}",
            order.folder.display()
        )
    })?;
    let mut command = Command::new(located(program, order));
    command
        .args(arguments)
        .current_dir(&order.folder)
        .envs(&order.env)
        .stdin(Stdio::null())
        .stdout(log()?)
        .stderr(log()?)
        .process_group(0);
    let pin = |cores: &[u32]| {
        pin_to(cores).map_err(|error| format!("cannot use processors {cores:?}: {error}"))
    };
    // The child inherits the processors that hold at the moment of the spawn.
    pin(&order.cores)?;
    let at = now();
    let spawned = command.spawn();
    pin(&order.keeper_cores)?;
    let child = spawned.map_err(|error| {
        format!(
            "cannot start `{program}` in {}: {error}",
            order.folder.display()
        )
    })?;
    let pid = i32::try_from(child.id()).map_err(|error| error.to_string())?;
    let pid = Pid::from_raw(pid);
    Ok((Kept { pid, exit: None }, at))
}

/// A program given by a relative path is one of the contender's folder; a bare name is looked up
/// in `PATH`.
fn located(program: &str, order: &LaunchOrder) -> PathBuf {
    if program.contains('/') {
        order.folder.join(program)
    } else {
        PathBuf::from(program)
    }
}

impl Kept {
    /// How the first process ended, if it has. Reaps whatever else has ended.
    fn exit(&mut self) -> Option<Exit> {
        for (pid, exit) in tree::reap() {
            if pid == self.pid {
                self.exit = Some(exit);
            }
        }
        self.exit
    }

    /// Asks the whole process group to end, and kills after two seconds what has not.
    fn stop(&mut self) -> Stopped {
        let already = self.exit();
        let started = Instant::now();
        if already.is_none() {
            // The group may be gone at this instant; then there is nothing to ask.
            let _ = killpg(self.pid, Signal::SIGTERM);
            while self.exit().is_none() && started.elapsed() < TERM_PATIENCE {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        let forced = self.exit().is_none();
        let took = started.elapsed().into();
        tree::kill_all();
        Stopped {
            forced,
            died_before: already,
            took,
        }
    }
}

#[cfg(test)]
mod tests;
