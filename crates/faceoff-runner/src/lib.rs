//! Carries out a comparison on this machine: from a suite to a record.
//!
//! Reading order: [`config`] turns a file into a plan; [`host`] knows the machine; [`run`] carries
//! the plan out, by way of the life of a contender (`contender`, under a `keep` process), its
//! contract (`verify`), the order of slices (`schedule`) and one load (`measure`, by a
//! `generator` process); `store` keeps what comes of it. What happens is told as [`Event`]s;
//! this crate prints nothing.

mod cancel;
pub mod config;
mod contender;
mod events;
mod generator;
pub mod host;
mod keep;
mod lab;
mod measure;
mod run;
mod schedule;
mod store;
#[cfg(test)]
mod testing;
mod verify;

pub use cancel::{Cancel, Cancelled};
pub use events::{Event, Listener};
pub use generator::end_with_parent;
pub use keep::keep;
pub use lab::Programs;
pub use run::{Finished, Options, build_memory, check, run};
pub use store::{StoreError, read};
pub use verify::{RuleFilter, rule_names};
