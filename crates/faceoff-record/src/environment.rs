//! The machine a run was made on.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What must be known about a machine to repeat a run, or to distrust it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Environment {
    /// The kernel's release, for example `6.12.0`.
    pub kernel: String,
    /// The distribution, from `/etc/os-release`.
    pub system: String,
    /// The processor's own name.
    pub processor: String,
    /// The processors this program may use.
    pub cores: Vec<u32>,
    /// The memory of the machine, in bytes.
    pub memory_bytes: u64,
    /// The frequency governor, where the machine has one.
    pub governor: Option<String>,
    /// The kernel's clock source.
    pub clock_source: Option<String>,
    /// The limit on open files.
    pub open_files: u64,
    /// Ports that the kernel hands out by itself, first and last.
    pub ephemeral_ports: Option<(u16, u16)>,
    /// The toolchains found, with their versions.
    pub toolchains: Vec<Toolchain>,
}

/// A toolchain that builds or runs contenders.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Toolchain {
    /// The name used in `needs`, for example `go`.
    pub name: String,
    /// Its version, for example `1.26.0`.
    pub version: String,
}
