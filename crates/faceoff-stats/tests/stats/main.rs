//! Records in, analyses out: what the statistics say of built and of simulated runs.

#![allow(
    clippy::unwrap_used,
    reason = "a test fails by panicking, in its helpers too"
)]

mod bench;
mod doubts;
mod simulations;
mod verdicts;
