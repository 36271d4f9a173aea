//! What every format shows: the public JSON as types.
//!
//! These are the only figures a renderer may use. A figure that could not be had is null, and
//! `absent` beside it says why; it is never zero.

use std::collections::BTreeMap;

use faceoff_record::{
    Class, ConnectionUse, ContenderName, Depth, Ending, Environment, Launches, Load, Severity,
    WarningCode, WorkloadName,
};
use faceoff_stats::Qualifier;
use serde::Serialize;

/// The version of the public JSON. It grows by one when a program that reads the old version would
/// misread the new one, not when a key is added.
pub const VIEW_FORMAT: u32 = 1;

/// Why figures are missing: key of the figure, reason. A key with a dot names a part of a figure,
/// for example `service_ms.p999`.
pub type Absent = BTreeMap<String, String>;

/// A run with its verdicts, ready to be shown.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct View {
    /// See [`VIEW_FORMAT`].
    pub format: u32,
    /// The version of Faceoff that made the run.
    pub faceoff: String,
    /// The command line that made it, program first.
    pub command: Vec<String>,
    /// When it began, in UTC (RFC 3339).
    pub started: String,
    /// The suite's name.
    pub suite: String,
    /// What all random choices were drawn from.
    pub seed: u64,
    /// How thorough it was.
    pub depth: Depth,
    /// Ratios nearer to 1 than this do not matter: 0.02 is 2 %.
    pub zone: f64,
    /// How it ended.
    pub ending: Ending,
    /// Whether a verdict was withheld anywhere.
    pub void: bool,
    /// The machine.
    pub environment: EnvironmentView,
    /// One for each workload of the plan, in its order.
    pub workloads: Vec<WorkloadView>,
    /// Doubts about the result, the gravest first.
    pub warnings: Vec<WarningView>,
}

/// The machine, and who had which part of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EnvironmentView {
    /// What was found out about the machine.
    #[serde(flatten)]
    pub machine: Environment,
    /// The processors of the contender under load.
    pub contender_cores: Vec<u32>,
    /// The processors of the generator.
    pub generator_cores: Vec<u32>,
    /// The processors of runner and services; empty where they share the generator's.
    pub rest_cores: Vec<u32>,
    /// How the generator reached the kernel; several if it differed between slices, none if there
    /// was no sample.
    pub generator_backends: Vec<String>,
}

/// One workload.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorkloadView {
    /// Its name.
    pub name: WorkloadName,
    /// The load model with its data.
    pub load: Load,
    /// How long each connection was used.
    pub connection_use: ConnectionUse,
    /// How launches and slices relate; null where no block was planned.
    pub launches: Option<Launches>,
    /// Blocks that were planned.
    pub blocks_planned: u32,
    /// Blocks that at least two contenders completed.
    pub blocks: u32,
    /// Slices that gave no sample.
    pub slices_failed: u32,
    /// Length of all measured windows together, in seconds.
    pub measured_seconds: f64,
    /// Those with samples, best first; then the others in the order of the plan; then those that
    /// were left out.
    pub contenders: Vec<ContenderView>,
    /// Each pair of those with samples once.
    pub pairs: Vec<PairView>,
}

/// Where a contender stands on one workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It gave samples.
    Measured,
    /// It gives the right answers, and there is no sample of it.
    NotMeasured,
    /// The run ended before its answers were checked.
    NotChecked,
    /// Its answers were wrong, or it could not be asked.
    Refused,
    /// It does not offer this workload.
    NotOffered,
    /// It does not take part.
    LeftOut,
}

/// One contender on one workload.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ContenderView {
    /// Its name.
    pub name: ContenderName,
    /// The language it is written in.
    pub language: String,
    /// The framework, if it uses one.
    pub framework: Option<String>,
    /// The framework's version.
    pub version: Option<String>,
    /// Its class.
    pub class: Option<Class>,
    /// How it came to run.
    pub launch: Option<LaunchView>,
    /// Where it stands.
    pub standing: Standing,
    /// Whether its answers were checked and right.
    pub verified: bool,
    /// Why it was not verified, or why there is no sample of it.
    pub reason: Option<String>,
    /// How many samples it gave.
    pub samples: u32,
    /// Best and worst rank that the simultaneous intervals leave open, from 1.
    pub rank: Option<[u32; 2]>,
    /// Contenders that share a letter are not separated.
    pub letters: Option<String>,
    /// Right answers per second.
    pub throughput: Option<Throughput>,
    /// Throughput of the first over that of this one.
    pub first_over_this: Option<RatioView>,
    /// Response time at a common rate; only an open load has it.
    pub latency_ms: Option<Latency>,
    /// Service time under closed load; not latency at a rate.
    pub service_ms: Option<ServiceTime>,
    /// CPU time per right answer, in microseconds; median.
    pub cpu_us_per_request: Option<f64>,
    /// Proportional set size of the process tree after the load, in bytes; median.
    pub memory_after_bytes: Option<u64>,
    /// Largest peak of resident memory, in bytes.
    pub memory_peak_bytes: Option<u64>,
    /// From just before the start to the end of the first right answer, in milliseconds; median.
    pub startup_ms: Option<f64>,
    /// Order-statistic interval of the start-up time, in milliseconds.
    pub startup_interval_ms: Option<[f64; 2]>,
    /// Hand-written lines of code, without blanks and comments.
    pub lines_of_code: Option<u64>,
    /// Bytes received per right answer, heads and framing included; median.
    pub bytes_per_response: Option<f64>,
    /// Right answers over all windows.
    pub good: Option<u64>,
    /// Failed requests over all windows.
    pub errors: Option<u64>,
    /// Seconds to complete 1,000,000 requests at this throughput.
    pub seconds_per_million: Option<f64>,
    /// Received per second at this throughput, in megabytes of 1,000,000 bytes.
    pub megabytes_per_second: Option<f64>,
    /// How busy the contender kept its processors, in percent; median.
    pub server_busy_percent: Option<f64>,
    /// How busy the generator kept its own, in percent; median.
    pub generator_busy_percent: Option<f64>,
    /// Whether the generator was the limit: the true throughput may be higher.
    pub generator_limited: Option<bool>,
    /// Right answers per second of each sample.
    pub slices: Vec<SliceView>,
    /// Why a figure is null.
    pub absent: Absent,
}

/// How a contender came to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LaunchView {
    /// Started by us, with this command, program first.
    Command(Vec<String>),
    /// Already running at this address.
    Url(String),
}

/// Right answers per second.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Throughput {
    /// Geometric mean over the samples.
    pub value: f64,
    /// Lower end of the 95 % interval; null where fewer than two samples had right answers.
    pub low: Option<f64>,
    /// Upper end of the 95 % interval; null where fewer than two samples had right answers.
    pub high: Option<f64>,
    /// Half the width of the interval on the log scale, in percent; null like its ends.
    pub plus_minus_percent: Option<f64>,
}

/// A ratio of throughputs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RatioView {
    /// The estimate.
    pub value: f64,
    /// Lower end of its interval; null where there are too few blocks.
    pub low: Option<f64>,
    /// Upper end of its interval; null where there are too few blocks.
    pub high: Option<f64>,
}

/// Response time at a common rate, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Latency {
    /// The offered rate, in requests per second.
    pub rate: f64,
    /// Median.
    pub p50: Option<f64>,
    /// 99 % of the requests took no longer.
    pub p99: Option<f64>,
}

/// From the first byte written to the last byte read of right answers, in milliseconds. A
/// percentile with fewer than ten answers above it is null.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ServiceTime {
    /// Median.
    pub p50: Option<f64>,
    /// 90 % of the answers took no longer.
    pub p90: Option<f64>,
    /// 99 % of the answers took no longer.
    pub p99: Option<f64>,
    /// 99.9 % of the answers took no longer.
    pub p999: Option<f64>,
}

/// One sample.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SliceView {
    /// Its block, from 0.
    pub block: u32,
    /// Right answers per second.
    pub per_second: f64,
}

/// What a run says about a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum VerdictView {
    /// `a` is faster than `b`.
    Faster,
    /// `a` is slower than `b`. Not in a run, where `a` is the one with the higher estimate; a
    /// comparison of two runs, where `a` is the old one, has it.
    Slower,
    /// They are equal within the zone.
    Equal,
    /// The run cannot tell.
    Undecided,
    /// Withheld.
    Void,
}

/// Two contenders compared.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairView {
    /// The one with the higher estimate.
    pub a: ContenderName,
    /// The other one.
    pub b: ContenderName,
    /// What is compared.
    pub metric: Metric,
    /// How many blocks both completed.
    pub blocks: u32,
    /// `a` over `b`: geometric mean of the paired ratios.
    pub ratio: Option<f64>,
    /// Lower end of its simultaneous interval.
    pub low: Option<f64>,
    /// Upper end of its simultaneous interval.
    pub high: Option<f64>,
    /// Median of the paired ratios, with its order-statistic interval.
    pub median: Option<RatioView>,
    /// p-value of the exact sign-flip test.
    pub sign_flip_p: Option<f64>,
    /// What follows.
    pub verdict: VerdictView,
    /// Why it is withheld.
    pub verdict_reason: Option<String>,
    /// Restrictions of the verdict.
    pub qualifiers: Vec<Qualifier>,
    /// The verdict as a sentence.
    pub sentence: String,
    /// Each block's ratio.
    pub ratios: Vec<BlockRatio>,
    /// Why a figure is null.
    pub absent: Absent,
}

/// What a pair is compared by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Right answers per second.
    Throughput,
}

/// The ratio of one block.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct BlockRatio {
    /// The block, from 0.
    pub block: u32,
    /// Throughput of `a` over that of `b`.
    pub ratio: f64,
}

/// A doubt about the result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WarningView {
    /// The kind.
    pub code: WarningCode,
    /// The weight.
    pub severity: Severity,
    /// What was seen and how it can bias the result.
    pub text: String,
    /// The workload it concerns, if only one.
    pub workload: Option<WorkloadName>,
    /// The contender it concerns, if only one.
    pub contender: Option<ContenderName>,
}
