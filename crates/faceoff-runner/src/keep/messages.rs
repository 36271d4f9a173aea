//! What runner and keeper say to each other.

use std::collections::BTreeMap;
use std::fmt;
use std::net::SocketAddr;
use std::path::PathBuf;

use faceoff_record::{Figure, Nanos, TreeUsage};
use nix::sys::signal::Signal;
use serde::{Deserialize, Serialize};

/// What the keeper starts: the first line it reads.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LaunchOrder {
    /// The command, program first.
    pub(crate) command: Vec<String>,
    /// The folder it runs in.
    pub(crate) folder: PathBuf,
    /// Environment variables beyond the inherited ones.
    pub(crate) env: BTreeMap<String, String>,
    /// Where its output goes, appended.
    pub(crate) log: PathBuf,
    /// The processors it may use.
    pub(crate) cores: Vec<u32>,
    /// The processors the keeper stays on.
    pub(crate) keeper_cores: Vec<u32>,
}

/// What the runner asks.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Request {
    /// Does the first process still run?
    Status,
    /// What has the tree consumed?
    Usage,
    /// How much memory has it?
    Memory,
    /// Where does it listen?
    Listening,
    /// End it.
    Stop,
}

/// What the keeper answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Reply {
    /// The contender was started: the instant just before, and its process group.
    Started { at: Nanos, group: i32 },
    /// It could not be started.
    CannotStart { reason: String },
    /// How its first process ended, if it has.
    Status(Option<Exit>),
    /// What the tree has consumed.
    Usage(TreeUsage),
    /// How much memory it has.
    Memory(TreeMemory),
    /// Where it listens.
    Listening(Vec<SocketAddr>),
    /// It is gone.
    Stopped(Stopped),
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Exit {
    /// With this exit code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

impl fmt::Display for Exit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "exit code {code}"),
            Self::Signal(number) => match Signal::try_from(*number) {
                Ok(signal) => write!(f, "signal {signal}"),
                Err(_) => write!(f, "signal {number}"),
            },
        }
    }
}

/// The memory of a process tree.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TreeMemory {
    /// Sum of the proportional set sizes, in bytes.
    pub(crate) pss_bytes: Figure<u64>,
    /// Sum of each process's peak resident size, in bytes.
    pub(crate) peak_bytes: Figure<u64>,
}

/// How a contender's life ended.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Stopped {
    /// It did not end on `SIGTERM` and was killed.
    pub(crate) forced: bool,
    /// How it had ended before it was asked to, if it had.
    pub(crate) died_before: Option<Exit>,
    /// From the request to its end.
    pub(crate) took: Nanos,
}
