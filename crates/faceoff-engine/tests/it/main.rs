//! The engine against real servers on free ports, most of them misbehaving.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a test fails by panicking"
)]

mod support;

mod accounting;
mod connections;
mod failures;
mod framing;
mod handshakes;
mod kept;
mod orders;
mod secure;
