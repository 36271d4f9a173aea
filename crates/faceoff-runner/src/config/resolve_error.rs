//! Why a suite cannot be carried out here.

use faceoff_record::{LeftOut, Nanos};

/// Why a suite cannot be carried out here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// The command line names a contender or workload that the suite does not have.
    #[error("the suite has no {kind} `{name}`{}", did_you_mean(.nearest, .known))]
    Unknown {
        /// `contender` or `workload`.
        kind: &'static str,
        /// The name.
        name: String,
        /// The nearest name that the suite has.
        nearest: Option<String>,
        /// All names that the suite has.
        known: Vec<String>,
    },
    /// Two contenders have one name.
    #[error("two contenders are named `{name}`; give each its own `name`")]
    SameName {
        /// The name.
        name: String,
    },
    /// A workload's contract cannot be made.
    #[error("workload `{workload}`: {problem}")]
    Contract {
        /// The workload.
        workload: String,
        /// What is wrong.
        problem: String,
    },
    /// A contender offers a workload that nobody knows.
    #[error("contender `{contender}` offers none of the workloads of this suite ({workloads})")]
    OffersNothing {
        /// The contender.
        contender: String,
        /// The suite's workloads.
        workloads: String,
    },
    /// A service cannot be had here.
    #[error("service `{service}` {reason}, and the contenders need it")]
    ServiceNeeds {
        /// The service.
        service: String,
        /// What it needs.
        reason: String,
    },
    /// A service that runs already.
    #[error(
        "service `{service}` has a `url`; one that runs already needs no table: write its address \
         into the contenders' `env`"
    )]
    ServiceRuns {
        /// The service.
        service: String,
    },
    /// A running contender is not on this machine.
    #[error(
        "contender `{contender}`: {url} is not an address of this machine; \
         Faceoff loads only 127.0.0.0/8, ::1 and localhost"
    )]
    NotHere {
        /// The contender.
        contender: String,
        /// Its address.
        url: String,
    },
    /// No contender is left.
    #[error("no contender can run here:{}", left_out_list(.0))]
    NobodyLeft(Vec<LeftOut>),
    /// More contenders than a comparison has.
    #[error("{count} contenders are too many for one comparison; choose up to 12 with --contender")]
    TooMany {
        /// How many.
        count: usize,
    },
    /// The machine has one processor.
    #[error(
        "this program may use only one processor; a comparison needs one for the contender and \
         one for the generator, else they take time from each other"
    )]
    OneProcessor,
    /// No processor is left for the generator.
    #[error(
        "{asked} processors for the contender leave none for the generator; lower --server-cores \
         or `server-cores`"
    )]
    ServerCores {
        /// The processors asked for.
        asked: usize,
    },
    /// More connections than open files.
    #[error(
        "{connections} connections need more open files than the limit of {limit}; \
         raise it with `ulimit -n {}` or lower `connections`", *.connections as u64 + 64
    )]
    TooManyConnections {
        /// The connections.
        connections: u32,
        /// The limit.
        limit: u64,
    },
    /// The time is too short to conclude anything.
    #[error(
        "--time {time} is too short: a comparison of {contenders} contenders needs at least {least}"
    )]
    TooShort {
        /// The time asked for.
        time: Nanos,
        /// How many contenders.
        contenders: usize,
        /// The least time.
        least: Nanos,
    },
}

fn did_you_mean(nearest: &Option<String>, known: &[String]) -> String {
    match nearest {
        Some(name) => format!("; did you mean `{name}`?"),
        None => format!("; it has {}", known.join(", ")),
    }
}

fn left_out_list(left_out: &[LeftOut]) -> String {
    left_out
        .iter()
        .map(|out| format!("\n  {}: {}", out.contender, out.reason))
        .collect()
}
