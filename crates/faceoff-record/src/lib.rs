//! The data everyone agrees on: what a run stores, and what Faceoff's own processes send each other.
//!
//! Plain values with their units in the type or in the name. This crate decides nothing, and knows
//! no file, clock, process or socket; whoever fills these types in says where a figure came from.
//!
//! Reading order: names and units, then the [plan](Plan) (what is to be done), the
//! [load order and outcome](LoadOrder) (what one load of one address is and gave), the
//! [usage](TreeUsage) of a process tree, the [sample](Sample) (what one slice gave), and the
//! [record](Record) that holds them all.

mod environment;
mod figure;
mod histogram;
mod http;
mod load;
mod names;
mod plan;
mod run;
mod sample;
mod units;
mod usage;
mod warning;

pub use environment::{Environment, Toolchain};
pub use figure::Figure;
pub use histogram::{Histogram, HistogramError};
pub use http::{Answer, Body, Exchange, Expectation, Header, PlannedRequest, Request};
pub use load::{
    ConnectionCounts, ConnectionUse, FailedExchange, Failure, GeneratorHealth, GeneratorNotice,
    Load, LoadOrder, LoadOutcome, Target, Timing, Transport, WindowCounts,
};
pub use names::{ContenderName, WorkloadName};
pub use plan::{
    Build, Class, Contender, Contract, CorePlan, Depth, LeftOut, Managed, Plan, PortChoice, Probe,
    Scheme, Service, Start, Workload,
};
pub use run::{
    BuildFacts, Conformance, ContenderFacts, Ending, FirstAnswer, Launches, Pilot, Record,
    SliceLine, Violation, WorkloadSchedule,
};
pub use sample::{Sample, SliceFailure, SliceId};
pub use units::Nanos;
pub use usage::{ResourceUsage, TreeUsage};
pub use warning::{Severity, Warning, WarningCode};

/// The version of the stored format. It grows by one when a stored file of the old version could
/// be misread, not when a field is added.
pub const FORMAT: u32 = 1;
