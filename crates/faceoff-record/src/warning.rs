//! Doubts about a result, which travel with it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{ContenderName, WorkloadName};

/// How much a doubt weighs.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing; the verdict stands.
    Note,
    /// The figures may be biased; the verdict says so.
    Warning,
    /// The verdict is withheld.
    Void,
}

/// What kind of doubt, for programs that read the record.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum WarningCode {
    /// The generator was, or may have been, the limit (method: V1).
    GeneratorLimit,
    /// The generator waited for a processor (V3).
    GeneratorWaited,
    /// A hypervisor took processors away (V4).
    StolenTime,
    /// Others used the machine (V5).
    BusyMachine,
    /// The two sources of CPU time disagree (V10).
    CpuSourcesDiffer,
    /// Answers failed or were wrong under load (V12).
    Failures,
    /// The server closed connections that it should have kept (V13).
    ConnectionsReopened,
    /// Fewer connections than asked for got answers.
    ConnectionsUnused,
    /// Contenders answer the same request with different bodies.
    BodiesDiffer,
    /// Contenders differ in protocol version or in how they keep connections.
    ConnectionsDiffer,
    /// Answers differ in size between contenders (V14).
    SizesDiffer,
    /// A header that a proper server sends is missing.
    HeaderMissing,
    /// An idle contender used CPU time while another was measured.
    IdleNotIdle,
    /// The contender had to be killed because it did not end on SIGTERM.
    StoppedByForce,
    /// A contender's slice gave no sample.
    SliceFailed,
    /// The machine or its limits are not as they should be.
    Machine,
    /// The run is too short for a firm conclusion.
    Exploratory,
    /// All slices shared one launch of each contender.
    OneLaunch,
}

/// A doubt about a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Warning {
    /// The kind.
    pub code: WarningCode,
    /// The weight.
    pub severity: Severity,
    /// The workload it concerns, if only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workload: Option<WorkloadName>,
    /// The contender it concerns, if only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contender: Option<ContenderName>,
    /// What was seen and how it can bias the result, as a sentence.
    pub text: String,
}
