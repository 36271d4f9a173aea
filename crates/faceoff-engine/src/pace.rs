//! When a connection sends, and which request.

/// The closed loop: a connection that is free sends at once, the requests in their order.
///
/// Connections begin spread over the list, so that they do not all ask the same thing at once.
#[derive(Debug)]
pub(crate) struct ClosedLoop {
    requests: usize,
    /// Which request each connection of this worker sends next.
    next: Vec<usize>,
}

impl ClosedLoop {
    /// For a worker's `count` connections, which are those from number `first` on of the load's
    /// `total`, over a list of `requests` requests.
    pub(crate) fn new(first: u32, count: u32, total: u32, requests: usize) -> Self {
        let start = |connection: u32| {
            // A product of a 32-bit number and a list's length, so it fits 128 bits.
            let position = u128::from(connection) * requests as u128 / u128::from(total.max(1));
            usize::try_from(position).map_or(0, |position| position % requests.max(1))
        };
        Self {
            requests,
            next: (first..first.saturating_add(count)).map(start).collect(),
        }
    }

    /// The request that this connection sends when it is free.
    pub(crate) fn upcoming(&self, connection: usize) -> usize {
        self.next.get(connection).copied().unwrap_or_default()
    }

    /// The request that this free connection sends now.
    #[inline]
    pub(crate) fn next(&mut self, connection: usize) -> usize {
        let Some(next) = self.next.get_mut(connection) else {
            return 0;
        };
        let request = *next;
        *next = if request + 1 < self.requests {
            request + 1
        } else {
            0
        };
        request
    }
}

#[cfg(test)]
mod tests {
    use super::ClosedLoop;

    #[test]
    fn a_connection_sends_all_requests_in_order_and_begins_again() {
        let mut pace = ClosedLoop::new(0, 1, 1, 3);
        let sent: Vec<usize> = (0..7).map(|_| pace.next(0)).collect();
        assert_eq!(sent, [0, 1, 2, 0, 1, 2, 0]);
    }

    #[test]
    fn connections_begin_spread_over_the_list_whoever_owns_them() {
        let firsts = |first, count| {
            let mut pace = ClosedLoop::new(first, count, 5, 10);
            (0..count as usize)
                .map(|connection| pace.next(connection))
                .collect::<Vec<_>>()
        };
        assert_eq!(firsts(0, 5), [0, 2, 4, 6, 8]);
        assert_eq!([firsts(0, 3), firsts(3, 2)].concat(), firsts(0, 5));
    }

    #[test]
    fn more_connections_than_requests_still_begin_on_all_requests() {
        let mut pace = ClosedLoop::new(0, 6, 6, 3);
        let firsts: Vec<usize> = (0..6).map(|connection| pace.next(connection)).collect();
        assert_eq!(firsts, [0, 0, 1, 1, 2, 2]);
    }
}
