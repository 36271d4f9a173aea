//! The stored result of a run.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    ContenderName, Environment, Figure, Nanos, Plan, Request, Sample, SliceFailure, Warning,
    WorkloadName,
};

/// A run: what was planned, where, what was found, and how it ended.
///
/// Samples and slice failures are stored apart, a [line](SliceLine) each, as they come; so that a
/// crash loses one slice at most.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    /// The version of the format, see [`crate::FORMAT`].
    pub format: u32,
    /// The version of Faceoff that made it.
    pub faceoff: String,
    /// The command line that made it, program first.
    pub command: Vec<String>,
    /// When the run began, in UTC (RFC 3339).
    pub started: String,
    /// What was planned.
    pub plan: Plan,
    /// The machine.
    pub environment: Environment,
    /// What was found out about each contender.
    pub contenders: Vec<ContenderFacts>,
    /// The order of slices of each workload, fixed before its first block.
    pub schedules: Vec<WorkloadSchedule>,
    /// The samples.
    #[serde(skip)]
    pub samples: Vec<Sample>,
    /// Slices that gave none.
    #[serde(skip)]
    pub failures: Vec<SliceFailure>,
    /// Doubts found while measuring.
    pub warnings: Vec<Warning>,
    /// How the run ended.
    pub ending: Ending,
}

/// One line of the file of samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(
    clippy::large_enum_variant,
    reason = "a value a slice; a box would only make it harder to build"
)]
pub enum SliceLine {
    /// A slice that gave a sample.
    Sample(Sample),
    /// A slice that gave none.
    Failed(SliceFailure),
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Ending {
    /// It has not ended, or it was killed before it could say so.
    Unfinished,
    /// As planned.
    Complete,
    /// By the user (Ctrl-C or a signal); what was measured until then is kept.
    Interrupted,
    /// By an error.
    Failed {
        /// Which.
        reason: String,
    },
}

/// What was found out about a contender.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ContenderFacts {
    /// Which.
    pub contender: ContenderName,
    /// How its build went; absent where it was not built, with the reason.
    pub build: Figure<BuildFacts>,
    /// Lines of code, without blanks and comments, of its source globs.
    pub lines_of_code: Figure<u64>,
    /// Whether it keeps the contract of each workload.
    pub conformance: Vec<Conformance>,
}

/// What was built.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BuildFacts {
    /// SHA-256 over its files, commands and toolchain versions.
    pub inputs_sha256: String,
    /// SHA-256 of the program that the start command runs, where that is a file.
    pub program_sha256: Option<String>,
    /// How long the build took; zero where nothing had changed.
    #[serde(rename = "took_ns")]
    pub took: Nanos,
    /// Whether it was skipped because nothing had changed.
    pub unchanged: bool,
}

/// Whether a contender keeps the contract of one workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "result", rename_all = "snake_case")]
pub enum Conformance {
    /// It does.
    Verified {
        /// The workload.
        workload: WorkloadName,
        /// How many answers were checked.
        checked: u32,
        /// Flags that are no failures, for example a missing `Date`.
        flags: Vec<String>,
        /// Its first answer, for comparison with those of the others; nothing where none was
        /// asked for.
        #[serde(default)]
        first: Option<FirstAnswer>,
    },
    /// It does not, or could not be asked.
    Refused {
        /// The workload.
        workload: WorkloadName,
        /// Why.
        reason: String,
        /// The broken rule, where one was broken.
        violation: Option<Violation>,
    },
    /// It does not offer this workload.
    NotOffered {
        /// The workload.
        workload: WorkloadName,
    },
}

/// What a contender's first answer was like.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FirstAnswer {
    /// The protocol of the status line, for example `HTTP/1.1`.
    pub protocol: String,
    /// Whether the connection may be used again after it.
    pub keeps_connection: bool,
    /// The status code.
    pub status: u16,
    /// The media type, without parameters.
    pub media_type: Option<String>,
    /// The length of the body, in bytes.
    pub body_bytes: u64,
    /// SHA-256 of the body.
    pub body_sha256: String,
}

impl Conformance {
    /// The workload it speaks of.
    #[must_use]
    pub const fn workload(&self) -> &WorkloadName {
        match self {
            Self::Verified { workload, .. }
            | Self::Refused { workload, .. }
            | Self::NotOffered { workload } => workload,
        }
    }
}

/// A broken rule, with all that is needed to see it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Violation {
    /// The rule's name.
    pub rule: String,
    /// Why the rule is there.
    pub reason: String,
    /// The exact request.
    pub request: Request,
    /// What came back, as text: status line, headers, and the beginning of the body.
    pub answer: String,
    /// What was wrong with it.
    pub problem: String,
}

/// The order of slices of one workload, and what was fixed with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WorkloadSchedule {
    /// The workload.
    pub workload: WorkloadName,
    /// How launches and slices relate.
    pub launches: Launches,
    /// What the pilot found for each contender that takes part.
    pub pilots: Vec<Pilot>,
    /// Each block's contenders in their order.
    pub blocks: Vec<Vec<ContenderName>>,
    /// Whether there are so few blocks, or so little time in each, that verdicts are exploratory.
    pub exploratory: bool,
}

/// How launches and slices relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Launches {
    /// A fresh launch for each slice.
    Fresh,
    /// One launch of each contender for the whole workload, because one of them starts slowly;
    /// verdicts then hold for these processes only.
    Shared,
}

/// What the pilot found about a contender, before the first block.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Pilot {
    /// Which contender.
    pub contender: ContenderName,
    /// Its start-up time; absent for one that was running already.
    pub start_up: Figure<Nanos>,
    /// How long it needed under load until its throughput was steady.
    #[serde(rename = "steady_after_ns")]
    pub steady_after: Nanos,
    /// The warm-up that each of its slices gets.
    #[serde(rename = "warm_up_ns")]
    pub warm_up: Nanos,
}
