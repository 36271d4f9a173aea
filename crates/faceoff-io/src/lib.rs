//! The ways to reach the kernel: sockets, clocks, and what a thread may ask for itself.
//!
//! The crate decides how bytes get in and out of a process cheaply and how instants are read. It
//! leaves to its users what the bytes mean: it knows no HTTP, and nothing of load or contenders.
//!
//! There is one backend, [`Sockets`], which asks the kernel for readiness (epoll) and then reads
//! and writes at once. Its interface speaks of completed operations, not of readiness, so that a
//! backend in which the kernel itself completes operations can take its place under the same
//! user.

pub mod clock;
mod limits;
mod readiness;
pub mod thread;
mod timer;

pub use limits::allow_open_files;
pub use readiness::{BACKEND, Event, Slot, Sockets};
