//! Runs the generator: a process of its own that takes a load order and gives an outcome.

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use faceoff_record::{GeneratorNotice, LoadOrder, LoadOutcome, Nanos};
use nix::sys::signal::Signal;
use nix::unistd::getppid;

use crate::cancel::{Cancel, Cancelled};

/// What the generator may take beyond its order: to start, to connect, to say the outcome.
const SLACK: Duration = Duration::from_secs(10);

/// How long one look at the generator's output waits.
const ATTENTION: Duration = Duration::from_millis(20);

/// Why a load gave no outcome.
#[derive(Debug, thiserror::Error)]
pub(crate) enum GeneratorError {
    /// The user asked to end.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The process could not be started.
    #[error("cannot start the generator process: {0}")]
    CannotStart(#[source] std::io::Error),
    /// The load could not be carried out.
    #[error("the generator could not carry out the load: {0}")]
    Failed(String),
    /// The process ended or went on without an outcome.
    #[error("the generator process gave no outcome ({0})")]
    Lost(String),
}

/// A generator at work. Dropping it kills the process.
pub(crate) struct Generator {
    process: Child,
    /// Each line of its output, or what is wrong with one.
    notices: Receiver<Result<GeneratorNotice, String>>,
    deadline: Instant,
}

impl Generator {
    /// Starts a generator by `program` and gives it its order.
    pub(crate) fn start(program: &[OsString], order: &LoadOrder) -> Result<Self, GeneratorError> {
        let lost = |reason: &str| GeneratorError::Lost(reason.to_owned());
        let (name, arguments) = program.split_first().ok_or_else(|| lost("no program"))?;
        let mut process = Command::new(name)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // Out of the terminal's reach: Ctrl-C is the runner's to handle.
            .process_group(0)
            .spawn()
            .map_err(GeneratorError::CannotStart)?;
        let (input, output) = (process.stdin.take(), process.stdout.take());
        let timing = order.timing;
        let whole = timing.timeout + timing.warm_up + timing.window + timing.grace;
        let (sender, notices) = mpsc::channel();
        let generator = Self {
            process,
            notices,
            deadline: Instant::now() + Duration::from(whole) + SLACK,
        };
        let mut input = input.ok_or_else(|| lost("it has no pipes"))?;
        let output = output.ok_or_else(|| lost("it has no pipes"))?;
        let mut line = serde_json::to_vec(order).map_err(|error| lost(&error.to_string()))?;
        line.push(b'\n');
        input
            .write_all(&line)
            .map_err(|error| lost(&error.to_string()))?;
        std::thread::spawn(move || read_notices(output, &sender));
        Ok(generator)
    }

    /// Waits until the load runs; gives the instants between which the window lies.
    pub(crate) fn loading(&mut self, cancel: &Cancel) -> Result<(Nanos, Nanos), GeneratorError> {
        match self.next(cancel)? {
            GeneratorNotice::Loading {
                window_from,
                window_to,
            } => Ok((window_from, window_to)),
            GeneratorNotice::Failed { reason } => Err(GeneratorError::Failed(reason)),
            GeneratorNotice::Done(_) => Err(GeneratorError::Lost("it never loaded".to_owned())),
        }
    }

    /// Waits for the outcome.
    pub(crate) fn outcome(mut self, cancel: &Cancel) -> Result<LoadOutcome, GeneratorError> {
        match self.next(cancel)? {
            GeneratorNotice::Done(outcome) => Ok(outcome),
            GeneratorNotice::Failed { reason } => Err(GeneratorError::Failed(reason)),
            GeneratorNotice::Loading { .. } => {
                Err(GeneratorError::Lost("it loaded twice".to_owned()))
            }
        }
    }

    fn next(&mut self, cancel: &Cancel) -> Result<GeneratorNotice, GeneratorError> {
        loop {
            cancel.check()?;
            match self.notices.recv_timeout(ATTENTION) {
                Ok(Ok(notice)) => return Ok(notice),
                Ok(Err(reason)) => return Err(GeneratorError::Lost(reason)),
                Err(RecvTimeoutError::Timeout) if Instant::now() < self.deadline => {}
                Err(RecvTimeoutError::Timeout) => {
                    return Err(GeneratorError::Lost("it did not end in time".to_owned()));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(GeneratorError::Lost("it ended".to_owned()));
                }
            }
        }
    }
}

impl Drop for Generator {
    fn drop(&mut self) {
        // After the outcome it is ending anyway; before, nobody wants the rest.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Hands on each notice; a line that is none ends the reading.
fn read_notices(output: ChildStdout, sender: &mpsc::Sender<Result<GeneratorNotice, String>>) {
    for line in BufReader::new(output).lines() {
        let notice = line
            .map_err(|error| error.to_string())
            .and_then(|line| serde_json::from_str(&line).map_err(|error| error.to_string()))
            .map_err(|error| format!("it said something else: {error}"));
        let is_last = notice.is_err();
        if sender.send(notice).is_err() || is_last {
            return;
        }
    }
}

/// Makes this process end as soon as the one that started it does: for the generator, whose load
/// must not outlive the run.
///
/// # Errors
///
/// The system refuses, or the parent is gone already.
pub fn end_with_parent() -> std::io::Result<()> {
    let parent = getppid();
    nix::sys::prctl::set_pdeathsig(Signal::SIGKILL)?;
    if getppid() != parent {
        return Err(std::io::Error::other("the parent process is gone"));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
