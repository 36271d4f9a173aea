//! What one slice gave.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ContenderName, Figure, LoadOutcome, Nanos, ResourceUsage, WorkloadName};

/// Which slice: one contender's turn in one block of one workload.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct SliceId {
    /// The workload.
    pub workload: WorkloadName,
    /// The contender.
    pub contender: ContenderName,
    /// The block, from 0.
    pub block: u32,
    /// The place within the block, from 0.
    pub position: u32,
}

/// What one slice gave. It cannot be built without its outcome (and in it the generator's
/// health) and without resource usage, or the reason why there is none.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sample {
    /// Which slice.
    #[serde(flatten)]
    pub slice: SliceId,
    /// From just before the process was started to the end of its first right answer; absent for
    /// contenders that were running already or whose launch served an earlier slice.
    pub start_up: Figure<Nanos>,
    /// What the load gave.
    pub outcome: LoadOutcome,
    /// What the contender consumed.
    pub usage: Figure<ResourceUsage>,
    /// The share of the contender's processors that a hypervisor took away during the load
    /// (0.05 is 5 %).
    pub steal: Figure<f64>,
    /// How many answers kept from the load were checked against the contract, all of them right.
    pub checked_under_load: u32,
}

impl Sample {
    /// Right answers per second in the window.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
    pub fn throughput(&self) -> f64 {
        let seconds = self.outcome.window.as_secs_f64();
        if seconds > 0.0 {
            self.outcome.counts.good as f64 / seconds
        } else {
            0.0
        }
    }

    /// Bytes received per completed answer in the window, heads and framing included; nothing
    /// where no answer was right.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
    pub fn bytes_per_answer(&self) -> Option<f64> {
        let counts = &self.outcome.counts;
        (counts.good > 0).then(|| counts.bytes_in as f64 / counts.good as f64)
    }
}

/// A slice that gave no sample.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SliceFailure {
    /// Which slice.
    #[serde(flatten)]
    pub slice: SliceId,
    /// What went wrong, with the end of the contender's log where that helps.
    pub reason: String,
}
