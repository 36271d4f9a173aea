//! The resolved suite: everything is fixed, and the rest of the program sees only this.

use std::collections::BTreeMap;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    ConnectionUse, ContenderName, Expectation, Load, Nanos, PlannedRequest, Request, Timing,
    WorkloadName,
};

/// A resolved suite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Plan {
    /// The suite's name.
    pub suite: String,
    /// Fixes the order of slices, the ids in requests, and all else that is drawn.
    pub seed: u64,
    /// How thorough the run is.
    pub depth: Depth,
    /// The longest time that the measurement of one workload may take, builds apart.
    #[serde(rename = "time_per_workload_ns")]
    pub time_per_workload: Nanos,
    /// Ratios nearer to 1 than this do not matter: 0.02 is 2 %.
    pub zone: f64,
    /// Which processor does what.
    pub cores: CorePlan,
    /// The contenders that take part.
    pub contenders: Vec<Contender>,
    /// The workloads.
    pub workloads: Vec<Workload>,
    /// Servers that contenders need beside them, started before them and never counted.
    pub services: Vec<Service>,
    /// Contenders of the suite that do not take part, each with its reason.
    pub left_out: Vec<LeftOut>,
}

/// How thorough a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Depth {
    /// The default.
    Standard,
    /// Within a minute; its verdicts are exploratory.
    Quick,
}

/// Which processor does what. The three sets share none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CorePlan {
    /// The processors of the contender under load.
    pub contender: Vec<u32>,
    /// The processors of the generator.
    pub generator: Vec<u32>,
    /// The processors of runner and services; empty where they share the generator's.
    pub rest: Vec<u32>,
}

impl CorePlan {
    /// The processors on which runner and services stay.
    #[must_use]
    pub fn runner(&self) -> &[u32] {
        if self.rest.is_empty() {
            &self.generator
        } else {
            &self.rest
        }
    }
}

/// A contender that does not take part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// Which.
    pub contender: ContenderName,
    /// Its language.
    pub language: String,
    /// Why, for example `needs dotnet 10`.
    pub reason: String,
}

/// A server that contenders need beside them, for example an upstream or a database. It runs on
/// the processors that no contender uses, and its CPU time and memory count for nobody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Service {
    /// Its name.
    pub name: String,
    /// How it is built and started.
    pub managed: Managed,
    /// The path that answers with success when it is ready; nothing where an accepted connection
    /// is enough.
    pub ready: Option<String>,
    /// The environment variable in which contenders get its address, `http://127.0.0.1:port`.
    pub address_in: Option<String>,
}

/// What its author did to make a contender fast.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Class {
    /// What its framework's documentation shows.
    #[default]
    Standard,
    /// The same framework, tuned.
    Tuned,
    /// Below the framework.
    Bare,
}

/// How a contender is spoken to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scheme {
    /// HTTP/1.1 over plain TCP.
    #[default]
    Http,
    /// HTTP/1.1 over TLS.
    Https,
}

/// A server that takes part.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Contender {
    /// Its name.
    pub name: ContenderName,
    /// The language it is written in.
    pub language: String,
    /// The framework, if it uses one.
    pub framework: Option<String>,
    /// The framework's version.
    pub version: Option<String>,
    /// Its class.
    pub class: Class,
    /// The workloads it offers; empty means all of the suite.
    pub workloads: Vec<WorkloadName>,
    /// How it is spoken to.
    #[serde(default)]
    pub scheme: Scheme,
    /// How it comes to run.
    pub start: Start,
}

/// How a contender comes to run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// Built, started and stopped by us.
    Managed(Managed),
    /// Already running; loaded, not managed, so without resource figures.
    Running {
        /// Its address: `http://host:port` or `https://host:port`.
        url: String,
    },
}

/// How a contender is built and started.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Managed {
    /// The folder in which its commands run.
    pub folder: PathBuf,
    /// How it is built, if it must be.
    pub build: Option<Build>,
    /// The command that starts it, program first; `{port}` stands for the port.
    pub command: Vec<String>,
    /// Environment variables for both commands.
    pub env: BTreeMap<String, String>,
    /// Where it listens.
    pub port: PortChoice,
    /// How long it may take to answer.
    #[serde(rename = "ready_within_ns")]
    pub ready_within: Nanos,
    /// Globs of its hand-written source, for the count of lines.
    pub source: Vec<String>,
}

/// How a contender is built.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Build {
    /// The command, program first.
    pub command: Vec<String>,
    /// Files outside its folder that the build depends on, as paths from the folder.
    pub inputs: Vec<String>,
    /// The toolchains it needs with their versions here; part of what decides whether a build is
    /// still good.
    pub toolchains: BTreeMap<String, String>,
}

/// Where a contender listens.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PortChoice {
    /// A free port, another one at each launch.
    Fresh,
    /// A port that the contender cannot change.
    Fixed(u16),
}

/// What is asked, and what a right answer is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Workload {
    /// Its name.
    pub name: WorkloadName,
    /// The load model.
    pub load: Load,
    /// How long each connection is used.
    pub connection_use: ConnectionUse,
    /// The stretches of a slice; the warm-up may be lengthened by the pilot.
    pub timing: Timing,
    /// The contract.
    pub contract: Contract,
}

/// What a contender must answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Contract {
    /// The requests of the load, drawn by the seed.
    pub requests: Vec<PlannedRequest>,
    /// Requests of the same kind with other ids, sent at every launch before the load.
    pub launch_requests: Vec<PlannedRequest>,
    /// What else must hold, tried once for each contender.
    pub probes: Vec<Probe>,
    /// Whether every contender's first body must be that of the first contender.
    #[serde(default)]
    pub same_body: bool,
}

/// One rule of a contract, as the request that tries it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Probe {
    /// The rule's name, for example `near-miss`.
    pub rule: String,
    /// Why the rule is there, as a sentence.
    pub reason: String,
    /// The request.
    pub request: Request,
    /// The right answer.
    pub expect: Expectation,
}
