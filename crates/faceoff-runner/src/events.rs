//! What happens during a run, for whoever draws progress.

use faceoff_record::{ContenderName, Nanos, Plan, SliceId, Violation, WorkloadName};

/// Something happened. Events carry data; how they look is up to the program.
#[derive(Clone, Debug)]
pub enum Event {
    /// The run begins.
    Planned(Box<Plan>),
    /// A contender is being built.
    Building {
        /// Which.
        contender: ContenderName,
        /// The latest line of the build's output.
        line: String,
    },
    /// A contender is built.
    Built {
        /// Which.
        contender: ContenderName,
        /// How long it took.
        took: Nanos,
        /// Whether nothing had changed, so that nothing was done.
        unchanged: bool,
    },
    /// A contender is started and checked against a contract.
    Verifying {
        /// Which.
        contender: ContenderName,
        /// The contract's workload.
        workload: WorkloadName,
    },
    /// A contender keeps a contract.
    Verified {
        /// Which.
        contender: ContenderName,
        /// The contract's workload.
        workload: WorkloadName,
        /// How many answers were checked.
        answers: u32,
    },
    /// A contender is out: of one workload, or of all.
    Out {
        /// Which.
        contender: ContenderName,
        /// The workload, if only one.
        workload: Option<WorkloadName>,
        /// Why.
        reason: String,
        /// The broken rule, where one was broken.
        violation: Option<Box<Violation>>,
    },
    /// The order of slices is fixed.
    Scheduled {
        /// The workload.
        workload: WorkloadName,
        /// How many blocks.
        blocks: u32,
        /// How many slices.
        slices: u32,
        /// How long they will take.
        expected: Nanos,
        /// Whether each slice gets a fresh launch.
        fresh_launches: bool,
    },
    /// A slice begins.
    Slice {
        /// Which.
        slice: SliceId,
        /// How many slices of this workload are done.
        done: u32,
        /// How many there are.
        total: u32,
        /// How long the rest will take.
        left: Nanos,
    },
    /// A slice gave a sample.
    Measured {
        /// Which.
        slice: SliceId,
        /// Right answers per second.
        throughput: f64,
    },
    /// A slice gave none.
    SliceFailed {
        /// Which.
        slice: SliceId,
        /// Why.
        reason: String,
    },
}

/// Where events go.
pub type Listener<'a> = dyn FnMut(Event) + 'a;
