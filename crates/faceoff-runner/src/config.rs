//! From a file to a plan, in two stages: what was written, then what it means here.
//!
//! [`read_suite`] checks a suite by itself and reports all its mistakes at once. [`resolve`] fixes
//! every path, port, processor, default and seed for this machine; the rest of the program sees
//! only the resulting plan.

mod contract;
mod file;
mod given;
mod port;
mod problem;
mod reader;
mod resolve;
mod resolve_error;
mod sections;
mod syntax;
mod template;
mod values;

pub use file::{
    ContenderFile, LoadFile, StartFile, SuiteFile, WorkloadFile, all_contenders, read_contender,
    read_suite,
};
pub use given::{Given, GivenError, given_suite};
pub(crate) use port::fill_port;
pub use problem::{ConfigError, FaultyFile, Problem};
pub use reader::parse_duration;
pub use resolve::{Choices, resolve};
pub use resolve_error::ResolveError;
pub use values::{KNOWN_WORKLOADS, KnownWorkload};
