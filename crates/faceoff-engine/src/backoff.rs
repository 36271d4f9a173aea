//! How long a connection rests before it is opened again.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use faceoff_record::Nanos;

use crate::stop::NEVER;

/// The first rest. A server that is only just restarting is found again soon.
const FIRST: Nanos = Nanos::from_millis(1);

/// The longest rest: a dead server costs ten attempts a second and connection.
const LONGEST: Nanos = Nanos::from_millis(100);

/// The rest after so many connections in a row that came to nothing: twice as long each time.
pub(crate) fn rest_after(fruitless: u32) -> Nanos {
    let doublings = fruitless.saturating_sub(1).min(16);
    Nanos(FIRST.0 << doublings).min(LONGEST)
}

/// The connections that rest, each at most once.
#[derive(Debug)]
pub(crate) struct Resting(BinaryHeap<Reverse<(Nanos, u32)>>);

impl Resting {
    pub(crate) fn new(connections: u32) -> Self {
        Self(BinaryHeap::with_capacity(connections as usize))
    }

    pub(crate) fn push(&mut self, connection: u32, until: Nanos) {
        self.0.push(Reverse((until, connection)));
    }

    /// When the next one has rested enough.
    #[inline]
    pub(crate) fn next(&self) -> Nanos {
        self.0.peek().map_or(NEVER, |Reverse((until, _))| *until)
    }

    /// A connection that has rested enough.
    pub(crate) fn pop(&mut self, now: Nanos) -> Option<u32> {
        if now < self.next() {
            return None;
        }
        self.0.pop().map(|Reverse((_, connection))| connection)
    }
}

#[cfg(test)]
mod tests {
    use super::{Nanos, Resting, rest_after};

    #[test]
    fn the_rest_doubles_from_one_millisecond_to_a_hundred() {
        let millis: Vec<u64> = (1..=9).map(|n| rest_after(n).0 / 1_000_000).collect();
        assert_eq!(millis, [1, 2, 4, 8, 16, 32, 64, 100, 100]);
        assert_eq!(rest_after(u32::MAX), Nanos::from_millis(100));
    }

    #[test]
    fn connections_come_back_in_the_order_of_their_instants() {
        let mut resting = Resting::new(3);
        for (connection, until) in [(0, 30), (1, 10), (2, 20)] {
            resting.push(connection, Nanos(until));
        }
        assert_eq!(resting.pop(Nanos(9)), None);
        assert_eq!(resting.pop(Nanos(25)), Some(1));
        assert_eq!(resting.pop(Nanos(25)), Some(2));
        assert_eq!(resting.pop(Nanos(25)), None);
        assert_eq!(resting.next(), Nanos(30));
    }
}
