//! What a contender's process tree consumed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Figure, Nanos};

/// One reading of a contender's process tree: running totals since its launch, and present sizes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TreeUsage {
    /// When it was read, on the monotonic clock.
    #[serde(rename = "read_at_ns")]
    pub read_at: Nanos,
    /// CPU time of all processes of the tree, ended ones included, by the process CPU clocks.
    #[serde(rename = "cpu_ns")]
    pub cpu: Nanos,
    /// The same by `/proc/PID/stat`, in steps of a clock tick (10 ms): the second source.
    #[serde(rename = "cpu_by_stat_ns")]
    pub cpu_by_stat: Nanos,
    /// How many processes are alive.
    pub processes: u32,
}

/// What a contender consumed in one slice.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResourceUsage {
    /// CPU time per second of the window (1.0 is one processor kept busy).
    pub cpu_per_second: f64,
    /// CPU time per right answer in the window, in microseconds; absent where none was right.
    pub cpu_us_per_request: Figure<f64>,
    /// CPU time over the whole load by the process clocks, and by `/proc/PID/stat`: the two
    /// sources, for comparison.
    #[serde(rename = "load_cpu_ns")]
    pub load_cpu: Nanos,
    /// See `load_cpu`.
    #[serde(rename = "load_cpu_by_stat_ns")]
    pub load_cpu_by_stat: Nanos,
    /// Proportional set size of the whole tree right after the load, in bytes.
    pub memory_after_bytes: Figure<u64>,
    /// The peak resident size: the sum of each process's own peak, in bytes. With several
    /// processes it may exceed the peak of the sum.
    pub memory_peak_bytes: Figure<u64>,
    /// How many processes the contender had right after the load.
    pub processes: u32,
}
