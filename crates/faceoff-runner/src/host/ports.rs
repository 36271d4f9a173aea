//! Free ports for contenders.

use std::net::{Ipv4Addr, Ipv6Addr, TcpListener};
use std::ops::Range;

use rand::RngExt as _;

/// Hands out free ports, each at most once: outside the range from which the kernel takes ports
/// of outgoing connections, so that no connection of the load can occupy one, and never the port
/// of an earlier launch, whose connections may still linger.
pub(crate) struct PortPool {
    range: Range<u16>,
    used: Vec<u16>,
}

/// Below this, well-known services have their ports.
const LOWEST: u16 = 10_000;

impl PortPool {
    pub(crate) fn new() -> Self {
        let (low, high) = ephemeral_range().unwrap_or((32_768, 60_999));
        let below = LOWEST..low.max(LOWEST);
        let above = high.saturating_add(1).max(LOWEST)..u16::MAX;
        let range = if below.len() >= above.len() {
            below
        } else {
            above
        };
        Self {
            range,
            used: Vec::new(),
        }
    }

    /// A port that nobody listens on, on either loopback address.
    pub(crate) fn free(&mut self) -> Option<u16> {
        if self.range.is_empty() {
            return None;
        }
        let mut rng = rand::rng();
        // Enough tries to find a free one even where nine of ten are taken.
        for _ in 0..1_000 {
            let port = rng.random_range(self.range.clone());
            if !self.used.contains(&port) && is_free(port) {
                self.used.push(port);
                return Some(port);
            }
        }
        None
    }
}

/// Whether nobody listens on this port.
pub(crate) fn is_free(port: u16) -> bool {
    // A machine without IPv6 refuses the second for another reason, which says nothing.
    let taken = std::io::ErrorKind::AddrInUse;
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok()
        && TcpListener::bind((Ipv6Addr::LOCALHOST, port))
            .map_or_else(|e| e.kind() != taken, |_| true)
}

/// The ports that the kernel hands out by itself, first and last.
pub(super) fn ephemeral_range() -> Option<(u16, u16)> {
    let text = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").ok()?;
    let mut numbers = text.split_whitespace().map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::{PortPool, ephemeral_range, is_free};

    #[test]
    fn ports_are_free_distinct_and_not_ephemeral() {
        let mut pool = PortPool::new();
        let ports: Vec<u16> = (0..50).map(|_| pool.free().unwrap()).collect();
        let mut distinct = ports.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), ports.len());
        let (low, high) = ephemeral_range().unwrap();
        assert!(ports.iter().all(|port| !(low..=high).contains(port)));
    }

    #[test]
    fn a_port_with_a_listener_is_not_free() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        assert!(!is_free(listener.local_addr().unwrap().port()));
    }
}
