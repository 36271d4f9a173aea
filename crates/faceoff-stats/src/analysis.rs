//! What an analysis says: plain data for whoever prints it.

use faceoff_record::{ContenderName, Nanos, Severity, Warning, WorkloadName};
use serde::{Deserialize, Serialize};

/// The analysis of a whole record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Analysis {
    /// One for each workload of the plan.
    pub workloads: Vec<WorkloadAnalysis>,
    /// Doubts about the result: those of the record and those the analysis adds.
    pub warnings: Vec<Warning>,
}

impl Analysis {
    /// Whether a verdict was withheld anywhere.
    #[must_use]
    pub fn is_void(&self) -> bool {
        let pairs = self.workloads.iter().flat_map(|workload| &workload.pairs);
        pairs
            .into_iter()
            .any(|pair| matches!(pair.verdict, Verdict::Void { .. }))
            || self.warnings.iter().any(|w| w.severity == Severity::Void)
    }
}

/// The analysis of one workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkloadAnalysis {
    /// The workload.
    pub workload: WorkloadName,
    /// How many blocks were complete for at least two contenders.
    pub blocks: u32,
    /// The contenders that gave samples, in the order of their throughput, best first.
    pub contenders: Vec<ContenderAnalysis>,
    /// Each pair of them once: `a` is the one with the higher estimate.
    pub pairs: Vec<PairAnalysis>,
}

/// What is said of one contender on one workload. Medians are over its samples; a figure that no
/// sample gave is `None` and [`absent`](Self::absent) says why.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ContenderAnalysis {
    /// The contender.
    pub contender: ContenderName,
    /// How many samples it gave.
    pub samples: u32,
    /// Best and worst rank that the simultaneous intervals leave open, from 1.
    pub rank: (u32, u32),
    /// Contenders that share a letter are not separated.
    pub letters: String,
    /// Right answers per second: geometric mean over its samples with its 95 % t interval.
    pub throughput: Interval,
    /// Each sample's right answers per second, as (block, value).
    pub slices: Vec<(u32, f64)>,
    /// CPU time per right answer in microseconds, median.
    pub cpu_us_per_request: Option<f64>,
    /// Proportional set size after the load in bytes, median.
    pub memory_after_bytes: Option<f64>,
    /// Largest peak of resident memory in bytes.
    pub memory_peak_bytes: Option<u64>,
    /// Start-up time: median with its order-statistic interval.
    pub start_up: Option<StartUp>,
    /// Bytes received per right answer, median.
    pub bytes_per_answer: Option<f64>,
    /// Service time under closed load from the merged histograms: (quantile, value); only
    /// quantiles with at least ten answers above them.
    pub service: Vec<(f64, Nanos)>,
    /// Failed requests over all its windows.
    pub failed: u64,
    /// Right answers over all its windows.
    pub good: u64,
    /// Median share of the contender's processors that it kept busy (1.0 is all of them).
    pub server_busy: Option<f64>,
    /// Median share of the generator's processors that the generator kept busy.
    pub generator_busy: f64,
    /// Whether the generator was the limit (method V1: it used over 95 % of its processors while
    /// the contender used under 90 % of its own).
    pub generator_limited: bool,
    /// Why a figure is `None`, for each that is: (figure's name, reason).
    pub absent: Vec<(String, String)>,
}

/// A median start-up time with its order-statistic interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StartUp {
    /// The median.
    pub median: Nanos,
    /// The lower and upper order statistic, where there are enough launches for an interval.
    pub interval: Option<(Nanos, Nanos)>,
}

/// An estimate with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The estimate.
    pub value: f64,
    /// The lower end; equal to the upper one and the value where one sample gives no interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The comparison of two contenders by throughput.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairAnalysis {
    /// The contender with the higher estimate.
    pub a: ContenderName,
    /// The other one.
    pub b: ContenderName,
    /// How many blocks both completed.
    pub blocks: u32,
    /// Throughput of `a` over that of `b`: geometric mean of the paired ratios with its
    /// simultaneous t interval; `None` with fewer than two blocks.
    pub ratio: Option<Interval>,
    /// Beside it, the median of the paired ratios with its order-statistic interval; the interval
    /// is the pair (low, high) with the stated confidence, `None` with too few blocks.
    pub median: Option<MedianRatio>,
    /// The p-value of the exact sign-flip test; `None` with too few blocks.
    pub sign_flip_p: Option<f64>,
    /// Each block's ratio, as (block, ratio).
    pub ratios: Vec<(u32, f64)>,
    /// What follows.
    pub verdict: Verdict,
    /// Restrictions of the verdict.
    pub qualifiers: Vec<Qualifier>,
    /// The verdict as a sentence, figures included.
    pub sentence: String,
}

/// The median of the paired ratios.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MedianRatio {
    /// The median.
    pub value: f64,
    /// Order-statistic interval at the pair's simultaneous level, where the blocks suffice.
    pub interval: Option<(f64, f64)>,
}

/// What a run says about a pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    /// `a` is faster than `b`.
    Faster,
    /// They are equal within the zone.
    Equal,
    /// The run cannot tell.
    Undecided,
    /// Withheld.
    Void {
        /// Why.
        reason: String,
    },
}

/// A restriction of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Qualifier {
    /// The true ratio is at least the one found, because the generator limited the faster one.
    LowerBound,
    /// A few blocks drive it: interval and sign-flip test, or mean and median, disagree.
    Fragile,
    /// Faster, perhaps by too little to matter; or equal within the zone though surely not 1.
    Negligible,
    /// All slices shared one launch of each contender.
    TheseProcessesOnly,
    /// The run was short.
    Exploratory,
}
