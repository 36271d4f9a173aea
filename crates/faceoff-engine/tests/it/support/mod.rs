//! What the tests have in common: servers that follow a script, and orders to load them.

pub(crate) mod order;
pub(crate) mod peer;
pub(crate) mod raw;
pub(crate) mod server;

pub(crate) use order::{get, load, load_only, order, tls_order};
pub(crate) use peer::{Peer, Tls};
pub(crate) use raw::Raw;
pub(crate) use server::{Server, Then, answer, unheard_port};
