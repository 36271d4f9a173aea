//! Whole exchanges, kept for checking.
//!
//! This module decides which: the window is cut into as many equal parts as exchanges are wanted,
//! and in each the first request that is sent is kept with its answer. While none is being kept,
//! it costs one comparison for each request.

use std::ops::Range;

use faceoff_record::{Answer, Body, Exchange, Header, Nanos, Request};

use crate::http1;
use crate::send::Prepared;
use crate::stop::NEVER;

/// An answer with a longer body is not kept at all: half an answer could only be misjudged.
const BODY_LIMIT: usize = 1024 * 1024;

/// Keeps exchanges of one worker.
#[derive(Debug)]
pub(crate) struct Keeper {
    /// When the others are due, the last first.
    later: Vec<Nanos>,
    /// When the next is due.
    due: Nanos,
    active: Option<Active>,
    kept: Vec<Active>,
}

/// An exchange that is kept.
#[derive(Debug)]
struct Active {
    connection: u32,
    request: usize,
    sent: Nanos,
    status: u16,
    head: Vec<u8>,
    body: Vec<u8>,
}

/// An exchange and when its request was sent.
pub(crate) type Kept = (Nanos, Exchange);

impl Keeper {
    /// Keeps nothing.
    pub(crate) const fn idle() -> Self {
        Self {
            later: Vec::new(),
            due: NEVER,
            active: None,
            kept: Vec::new(),
        }
    }

    /// Of the window's `parts`, worker number `worker` of `workers` keeps the exchanges of its share.
    pub(crate) fn new(window: Range<Nanos>, parts: u32, worker: u32, workers: u32) -> Self {
        let length = u128::from(window.end.since(window.start).0);
        let mut later: Vec<Nanos> = (worker..parts)
            .step_by(workers.max(1) as usize)
            .map(|part| {
                let offset = length * u128::from(part) / u128::from(parts);
                window.start + Nanos(u64::try_from(offset).unwrap_or(u64::MAX))
            })
            .rev()
            .collect();
        let due = later.pop().unwrap_or(NEVER);
        Self {
            kept: Vec::with_capacity(later.len() + 1),
            later,
            due,
            ..Self::idle()
        }
    }

    /// A request was sent: keeps it if one is due.
    #[inline]
    pub(crate) fn sent(&mut self, connection: u32, request: usize, sent: Nanos) {
        if sent >= self.due && self.active.is_none() {
            self.active = Some(Active {
                connection,
                request,
                sent,
                status: 0,
                head: Vec::new(),
                body: Vec::new(),
            });
        }
    }

    #[inline]
    pub(crate) fn head(&mut self, connection: u32, status: u16, raw: &[u8]) {
        if let Some(active) = self.active_on(connection) {
            active.status = status;
            active.head.extend_from_slice(raw);
        }
    }

    #[inline]
    pub(crate) fn body(&mut self, connection: u32, bytes: &[u8]) {
        if let Some(active) = self.active_on(connection) {
            // One byte above the limit is enough to know that it is exceeded.
            let room = (BODY_LIMIT + 1).saturating_sub(active.body.len());
            let taken = bytes.get(..room).unwrap_or(bytes);
            active.body.extend_from_slice(taken);
        }
    }

    /// The connection's answer is complete.
    #[inline]
    pub(crate) fn complete(&mut self, connection: u32) {
        if self.active_on(connection).is_some()
            && let Some(active) = self.active.take()
        {
            if active.body.len() <= BODY_LIMIT {
                self.kept.push(active);
            }
            self.due = self.later.pop().unwrap_or(NEVER);
        }
    }

    /// The connection's answer will not be complete; another request takes its place.
    pub(crate) fn abandon(&mut self, connection: u32) {
        if self.active_on(connection).is_some() {
            self.active = None;
        }
    }

    /// What was kept, in the order of sending.
    pub(crate) fn into_kept(self, requests: &[Prepared<'_>]) -> Vec<Kept> {
        let exchange = |active: Active| {
            let request: &Request = requests.get(active.request)?.request;
            let answer = Answer {
                status: active.status,
                headers: http1::fields_of(&active.head)
                    .into_iter()
                    .map(|(name, value)| Header { name, value })
                    .collect(),
                body: Body(active.body),
            };
            let request = request.clone();
            Some((active.sent, Exchange { request, answer }))
        };
        self.kept.into_iter().filter_map(exchange).collect()
    }

    #[inline]
    fn active_on(&mut self, connection: u32) -> Option<&mut Active> {
        self.active
            .as_mut()
            .filter(|active| active.connection == connection)
    }
}

#[cfg(test)]
mod tests {
    use super::{BODY_LIMIT, Keeper, Nanos};

    const WINDOW: std::ops::Range<Nanos> = Nanos(1_000)..Nanos(2_000);

    fn sent_instants(keeper: &Keeper) -> Vec<u64> {
        keeper.kept.iter().map(|kept| kept.sent.0).collect()
    }

    fn exchange(keeper: &mut Keeper, connection: u32, sent: u64) {
        keeper.sent(connection, 0, Nanos(sent));
        keeper.head(connection, 200, b"");
        keeper.complete(connection);
    }

    #[test]
    fn the_first_request_of_each_part_of_the_window_is_kept() {
        let mut keeper = Keeper::new(WINDOW, 4, 0, 1);
        for sent in (900..2_000).step_by(30) {
            exchange(&mut keeper, 0, sent);
        }
        assert_eq!(sent_instants(&keeper), [1_020, 1_260, 1_500, 1_770]);
    }

    #[test]
    fn workers_share_the_parts_among_them() {
        let mut instants: Vec<u64> = (0..3)
            .flat_map(|worker| {
                let mut keeper = Keeper::new(WINDOW, 7, worker, 3);
                (1_000..2_000).for_each(|sent| exchange(&mut keeper, 0, sent));
                sent_instants(&keeper)
            })
            .collect();
        instants.sort_unstable();
        assert_eq!(instants, [1_000, 1_142, 1_285, 1_428, 1_571, 1_714, 1_857]);
    }

    #[test]
    fn none_is_kept_where_none_is_wanted() {
        let mut keeper = Keeper::new(WINDOW, 0, 0, 1);
        exchange(&mut keeper, 0, 1_500);
        assert_eq!(sent_instants(&keeper), [0_u64; 0]);
    }

    #[test]
    fn a_failed_exchange_makes_room_for_the_next_one() {
        let mut keeper = Keeper::new(WINDOW, 1, 0, 1);
        keeper.sent(0, 0, Nanos(1_001));
        exchange(&mut keeper, 1, 1_002);
        assert_eq!(sent_instants(&keeper), [0_u64; 0], "the other one is busy");
        keeper.abandon(0);
        exchange(&mut keeper, 1, 1_003);
        assert_eq!(sent_instants(&keeper), [1_003]);
    }

    #[test]
    fn a_body_above_the_limit_is_not_kept_by_halves() {
        for (length, kept) in [(BODY_LIMIT, 1), (BODY_LIMIT + 1, 0)] {
            let mut keeper = Keeper::new(WINDOW, 1, 0, 1);
            keeper.sent(0, 0, Nanos(1_000));
            for _ in 0..length {
                keeper.body(0, b"x");
            }
            keeper.complete(0);
            assert_eq!(keeper.kept.len(), kept);
        }
    }
}
