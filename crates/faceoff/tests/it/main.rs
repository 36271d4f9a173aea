//! The program as its users meet it: real suites, real processes, servers that misbehave on purpose.
//!
//! Each test has a [place](harness::Place) of its own. Those that load something do it alone, since
//! what runs beside a measurement is in it; the others run side by side.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod harness;

mod answering;
mod builds;
mod command_line;
mod interruptions;
mod launches;
mod output;
mod results;
mod running_already;
mod services;
mod starting;
mod suites;
mod under_load;
mod versus;
