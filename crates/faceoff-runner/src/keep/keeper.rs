//! The runner's end of the line to one keeper.

use std::ffi::OsString;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::SocketAddr;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use faceoff_record::{Nanos, TreeUsage};
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use super::messages::{Exit, LaunchOrder, Reply, Request, Stopped, TreeMemory};

/// A contender's process tree under its keeper. Dropping it kills the tree and waits for that.
pub(crate) struct Keeper {
    process: Child,
    /// Closing it is the order to kill; taken by `drop`.
    requests: Option<ChildStdin>,
    replies: BufReader<ChildStdout>,
    /// The instant just before the contender was started.
    pub(crate) started: Nanos,
    /// The contender's process group; nothing before it was started.
    group: Option<Pid>,
}

/// Why a contender could not be started or asked.
#[derive(Debug, thiserror::Error)]
pub(crate) enum KeeperError {
    /// The keeper itself could not be started.
    #[error("cannot start the keeper process: {0}")]
    NoKeeper(#[source] std::io::Error),
    /// The contender could not be started.
    #[error("{0}")]
    CannotStart(String),
    /// The keeper is gone or does not speak sense.
    #[error("the keeper process is gone ({0})")]
    Lost(String),
}

impl Keeper {
    /// Starts a keeper by `program`, and under it what `order` says.
    pub(crate) fn launch(program: &[OsString], order: &LaunchOrder) -> Result<Self, KeeperError> {
        let lost = || KeeperError::Lost("it has no pipes".to_owned());
        let (name, arguments) = program.split_first().ok_or_else(lost)?;
        let mut process = Command::new(name)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // Out of the terminal's reach: Ctrl-C is the runner's to handle.
            .process_group(0)
            .spawn()
            .map_err(KeeperError::NoKeeper)?;
        let (requests, replies) = (process.stdin.take(), process.stdout.take());
        let mut keeper = Self {
            process,
            requests,
            replies: BufReader::new(replies.ok_or_else(lost)?),
            started: Nanos::ZERO,
            group: None,
        };
        match keeper.exchange(order)? {
            Reply::Started { at, group } => {
                keeper.started = at;
                keeper.group = Some(Pid::from_raw(group));
            }
            Reply::CannotStart { reason } => return Err(KeeperError::CannotStart(reason)),
            other => return Err(unexpected(&other)),
        }
        Ok(keeper)
    }

    /// How the contender's first process ended, if it has.
    pub(crate) fn exit(&mut self) -> Result<Option<Exit>, KeeperError> {
        match self.exchange(&Request::Status)? {
            Reply::Status(exit) => Ok(exit),
            other => Err(unexpected(&other)),
        }
    }

    /// What the tree has consumed since its launch.
    pub(crate) fn usage(&mut self) -> Result<TreeUsage, KeeperError> {
        match self.exchange(&Request::Usage)? {
            Reply::Usage(usage) => Ok(usage),
            other => Err(unexpected(&other)),
        }
    }

    /// How much memory it has.
    pub(crate) fn memory(&mut self) -> Result<TreeMemory, KeeperError> {
        match self.exchange(&Request::Memory)? {
            Reply::Memory(memory) => Ok(memory),
            other => Err(unexpected(&other)),
        }
    }

    /// Where it accepts connections.
    pub(crate) fn listening(&mut self) -> Result<Vec<SocketAddr>, KeeperError> {
        match self.exchange(&Request::Listening)? {
            Reply::Listening(addresses) => Ok(addresses),
            other => Err(unexpected(&other)),
        }
    }

    /// Ends it: `SIGTERM`, and `SIGKILL` after two seconds.
    pub(crate) fn stop(mut self) -> Result<Stopped, KeeperError> {
        match self.exchange(&Request::Stop)? {
            Reply::Stopped(stopped) => Ok(stopped),
            other => Err(unexpected(&other)),
        }
    }

    fn exchange(&mut self, message: &impl serde::Serialize) -> Result<Reply, KeeperError> {
        let lost = |error: std::io::Error| KeeperError::Lost(error.to_string());
        let mut line = serde_json::to_vec(message).map_err(|e| KeeperError::Lost(e.to_string()))?;
        line.push(b'\n');
        let requests = self.requests.as_mut();
        let requests =
            requests.ok_or_else(|| KeeperError::Lost("its pipe is closed".to_owned()))?;
        requests.write_all(&line).map_err(lost)?;
        let mut reply = String::new();
        if self.replies.read_line(&mut reply).map_err(lost)? == 0 {
            return Err(KeeperError::Lost("it ended".to_owned()));
        }
        serde_json::from_str(&reply).map_err(|error| KeeperError::Lost(error.to_string()))
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        // The keeper kills the tree when its input ends, then ends itself.
        self.requests = None;
        let ended = self.process.wait();
        // A keeper that was killed itself, for want of memory perhaps, has not done so.
        if !ended.is_ok_and(|status| status.success())
            && let Some(group) = self.group
        {
            let _ = killpg(group, Signal::SIGKILL);
        }
    }
}

fn unexpected(reply: &Reply) -> KeeperError {
    KeeperError::Lost(format!("it answered {reply:?}"))
}
