//! What the tests have in common: servers that follow a script, and orders to load them.

pub(crate) mod order;
pub(crate) mod server;

pub(crate) use order::{get, load, load_only, order};
pub(crate) use server::{Server, Then, answer, unheard_port};
