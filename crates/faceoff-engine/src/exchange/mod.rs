//! The life of each connection: connect, send, wait for the whole answer, and again.
//!
//! This module decides what each event of a socket means for the connection's request, and
//! whether the connection is used again, opened again at once, or left to rest. It leaves to the
//! other parts when to send (`pace`), until when (`stop`), what the answer says (`http1`,
//! `check`), and what to count (`record`). It never sends a request twice.
//!
//! Each reading of the clock belongs to one event: the end of an answer is read right after the
//! bytes that complete it arrived, the sending of a request right before it is written. With TLS
//! these are the encrypted bytes.

mod answer;
mod connect;
mod secure;

use std::net::SocketAddr;

use faceoff_io::{Event, Slot, Sockets, clock};
use faceoff_record::{ConnectionUse, LoadOrder, Nanos};

use crate::backoff::Resting;
use crate::check::Verdict;
use crate::health::{Consumed, Meter};
use crate::http1::Parser;
use crate::keep::{Keeper, Kept};
use crate::pace::ClosedLoop;
use crate::queue::Queue;
use crate::record::Record;
use crate::send::Prepared;
use crate::stop::{Phase, Stop, Timeline};
use crate::tls::Sessions;
use crate::worker::Share;
use secure::Secure;

/// How long a server that has announced to close its connection may take to do so, before it is
/// closed from this side. Servers close within microseconds; whoever closes first keeps the port
/// occupied for a minute, and that should not be the side which has to open thousands.
const CLOSE_WAIT: Nanos = Nanos::from_millis(10);

/// The connections of one worker and what they have in common.
#[derive(Debug)]
pub(crate) struct Exchanges<'o> {
    address: SocketAddr,
    connection_use: ConnectionUse,
    timeout: Nanos,
    keep_exchanges: u32,
    share: Share,
    requests: &'o [Prepared<'o>],
    connections: Vec<Connection>,
    /// Nothing where the requests go over plain TCP.
    secure: Option<Secure>,
    pace: ClosedLoop,
    stop: Stop,
    record: Record,
    keeper: Keeper,
    meter: Meter,
    /// Who is being connected or waits for an answer, and may time out.
    patient: Queue,
    /// Whose server should close now.
    closing: Queue,
    resting: Resting,
    connecting: u32,
    awaiting: u32,
}

#[derive(Debug)]
struct Connection {
    state: State,
    /// Which request is under way, and when it was sent.
    request: usize,
    sent: Nanos,
    /// How many bytes of its answer arrived.
    received: u64,
    parser: Parser,
    verdict: Verdict,
    /// Whether this slot was ever connected.
    was_open: bool,
    /// Whether the present connection has given a complete answer.
    answered: bool,
    /// How many connections in a row came to nothing.
    fruitless: u32,
    /// Whether a right answer was complete in the window.
    used: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Without a socket.
    Vacant,
    /// Being connected, the TLS handshake included.
    Connecting,
    /// Connected, with nothing under way.
    Idle,
    /// A request is under way.
    Awaiting,
    /// The answer is complete, and the server is to close.
    Closing,
    /// Without a socket until it has rested.
    Resting,
}

/// What one worker's share of the load gave.
#[derive(Debug)]
pub(crate) struct Yield {
    pub(crate) record: Record,
    pub(crate) kept: Vec<Kept>,
    pub(crate) consumed: Consumed,
    pub(crate) opened: u32,
    pub(crate) used: u32,
    pub(crate) in_flight: u64,
    pub(crate) oldest_in_flight: Option<Nanos>,
}

impl<'o> Exchanges<'o> {
    /// A worker's share of the order's connections. To be called on the worker's thread.
    pub(crate) fn new(
        order: &LoadOrder,
        requests: &'o [Prepared<'o>],
        sessions: Option<Sessions>,
        share: Share,
    ) -> Self {
        let connections = share.connections;
        Self {
            address: order.target.address,
            connection_use: order.connection_use,
            timeout: order.timing.timeout,
            keep_exchanges: order.keep_exchanges,
            share,
            requests,
            connections: (0..connections).map(|_| Connection::new()).collect(),
            secure: sessions.map(Secure::new),
            pace: ClosedLoop::new(
                share.first,
                connections,
                order.load.connections(),
                requests.len(),
            ),
            stop: Stop::new(),
            record: Record::new(),
            keeper: Keeper::idle(),
            meter: Meter::of_this_thread(),
            patient: Queue::new(connections),
            closing: Queue::new(connections),
            resting: Resting::new(connections),
            connecting: 0,
            awaiting: 0,
        }
    }

    /// How many connections are being made.
    pub(crate) const fn connecting(&self) -> u32 {
        self.connecting
    }

    /// How many connections are established and idle.
    pub(crate) fn idle(&self) -> u32 {
        self.count(|connection| connection.state == State::Idle)
    }

    /// The load begins: all that are connected send their first request.
    pub(crate) fn start(&mut self, sockets: &mut Sockets<'o>, timeline: Timeline, now: Nanos) {
        let window = timeline.window_from..timeline.window_to;
        self.record.start(timeline.started, timeline.window_to);
        self.keeper = Keeper::new(
            window,
            self.keep_exchanges,
            self.share.worker,
            self.share.workers,
        );
        self.stop.start(timeline);
        for slot in (0..self.share.connections).map(Slot) {
            match self.state(slot) {
                State::Idle => self.send(sockets, slot),
                State::Vacant => self.reopen(sockets, slot, now),
                State::Connecting | State::Awaiting | State::Closing | State::Resting => {}
            }
        }
    }

    /// Takes note of the time: phases begin and end.
    #[inline]
    pub(crate) fn advance(&mut self, now: Nanos) {
        loop {
            let boundary = self.stop.boundary();
            let Some(phase) = self.stop.advance(now) else {
                break;
            };
            match phase {
                Phase::Window => self.meter.begin(now.since(boundary)),
                Phase::Grace => self.meter.end(),
                Phase::Opening | Phase::WarmUp | Phase::Over => {}
            }
        }
    }

    /// Whether there is nothing more to wait for.
    pub(crate) const fn is_over(&self) -> bool {
        match self.stop.phase() {
            Phase::Over => true,
            Phase::Grace => self.awaiting == 0,
            Phase::Opening | Phase::WarmUp | Phase::Window => false,
        }
    }

    /// When something is to be done even if no event comes.
    #[inline]
    pub(crate) fn wake_at(&self) -> Nanos {
        let mut at = self.stop.boundary().min(self.resting.next());
        if let Some((_, since)) = self.patient.oldest() {
            at = at.min(since + self.timeout);
        }
        if let Some((_, since)) = self.closing.oldest() {
            at = at.min(since + CLOSE_WAIT);
        }
        at
    }

    /// Something happened to a socket.
    #[inline]
    pub(crate) fn on_event(&mut self, sockets: &mut Sockets<'o>, slot: Slot, event: Event<'_>) {
        let now = Nanos(clock::now());
        self.advance(now);
        if self.secure.is_some() {
            self.on_secure_event(sockets, slot, event, now);
            return;
        }
        match event {
            Event::Received { bytes, ending } => {
                self.record.received(self.stop.phase(), bytes.len());
                self.received(sockets, slot, bytes, ending, now);
            }
            Event::Connected => self.connected(sockets, slot),
            Event::Closed => self.closed(sockets, slot, now),
            Event::Failed(error) => self.failed(sockets, slot, now, &error),
        }
    }

    /// The load is over: what it gave.
    pub(crate) fn finish(self, opened: u32, now: Nanos) -> Yield {
        let awaiting = |connection: &&Connection| connection.state == State::Awaiting;
        let oldest = self.connections.iter().filter(awaiting);
        Yield {
            opened,
            used: self.count(|connection| connection.used),
            in_flight: u64::from(self.awaiting),
            oldest_in_flight: oldest.map(|connection| now.since(connection.sent)).max(),
            consumed: self.meter.consumed(),
            record: self.record,
            kept: self.keeper.into_kept(self.requests),
        }
    }

    fn state(&self, slot: Slot) -> State {
        self.connections
            .get(slot.0 as usize)
            .map_or(State::Vacant, |connection| connection.state)
    }

    fn set_state(&mut self, slot: Slot, state: State) {
        if let Some(connection) = self.connections.get_mut(slot.0 as usize) {
            connection.state = state;
        }
    }

    fn count(&self, which: impl Fn(&Connection) -> bool) -> u32 {
        // A worker has at most as many connections as it was given in 32 bits.
        let count = self
            .connections
            .iter()
            .filter(|connection| which(connection));
        u32::try_from(count.count()).unwrap_or(u32::MAX)
    }
}

impl Connection {
    fn new() -> Self {
        Self {
            state: State::Vacant,
            request: 0,
            sent: Nanos::ZERO,
            received: 0,
            parser: Parser::new(),
            verdict: Verdict::default(),
            was_open: false,
            answered: false,
            fruitless: 0,
            used: false,
        }
    }
}
