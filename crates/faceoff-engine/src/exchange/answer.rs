//! One request and its answer: sent, read, judged, counted.

use faceoff_io::{Slot, Sockets, clock};
use faceoff_record::{ConnectionUse, Expectation, Failure, Nanos};

use super::{Exchanges, State};
use crate::check::Verdict;
use crate::http1::{self, Progress};
use crate::keep::Keeper;
use crate::record::Record;
use crate::stop::Phase;

/// A request that was given to the kernel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sent {
    /// Right before it was written.
    pub(super) at: Nanos,
    /// How many bytes it had on the wire.
    pub(super) bytes: usize,
}

/// What becomes of a connection after a complete answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// It carries the next request.
    Reuse,
    /// The server is to close it.
    AwaitClose,
    /// The server has closed it.
    Reopen,
}

impl<'o> Exchanges<'o> {
    pub(super) fn send(&mut self, sockets: &mut Sockets<'o>, slot: Slot) {
        let now = Nanos(clock::now());
        self.advance(now);
        let Some(connection) = self.connections.get_mut(slot.0 as usize) else {
            return;
        };
        if !self.stop.may_send() {
            connection.state = State::Idle;
            self.patient.remove(slot.0);
            return;
        }
        let number = self.pace.next(slot.0 as usize);
        let Some(request) = self.requests.get(number) else {
            return;
        };
        let sent = match &mut self.secure {
            None => {
                sockets.send(slot, &request.bytes);
                Sent {
                    at: now,
                    bytes: request.bytes.len(),
                }
            }
            Some(secure) => secure.send(sockets, slot, &request.bytes),
        };
        connection.state = State::Awaiting;
        connection.request = number;
        connection.sent = sent.at;
        connection.received = 0;
        connection.parser.expect(request.asked);
        connection.verdict.reset();
        self.awaiting += 1;
        self.patient.push(slot.0, sent.at);
        self.record.sent(self.stop.phase(), sent.bytes);
        self.keeper.sent(slot.0, number, sent.at);
    }

    /// Bytes of an answer arrived.
    // Always: its second caller, for TLS, must not make it a call of its own in the plain path.
    #[inline(always)]
    pub(super) fn received(
        &mut self,
        sockets: &mut Sockets<'o>,
        slot: Slot,
        bytes: &[u8],
        ending: bool,
        now: Nanos,
    ) {
        let Some(connection) = self.connections.get_mut(slot.0 as usize) else {
            return;
        };
        match connection.state {
            State::Awaiting => {}
            State::Idle => {
                // Nobody asked for these bytes, so they cannot be an answer to what comes next.
                sockets.close(slot);
                self.ended(sockets, slot, now);
                return;
            }
            State::Vacant | State::Connecting | State::Closing | State::Resting => return,
        }
        connection.received += bytes.len() as u64;
        let Some(request) = self.requests.get(connection.request) else {
            return;
        };
        let mut reading = Reading {
            connection: slot.0,
            expect: request.expect,
            verdict: &mut connection.verdict,
            keeper: &mut self.keeper,
            record: &self.record,
        };
        match connection.parser.feed(bytes, &mut reading) {
            Ok(Progress::More) => {}
            Ok(Progress::Complete { used, reusable }) if used == bytes.len() => {
                let next = if ending {
                    sockets.close(slot);
                    Next::Reopen
                } else if reusable
                    && self.connection_use == ConnectionUse::KeepAlive
                    && !sockets.is_sending(slot)
                {
                    Next::Reuse
                } else {
                    Next::AwaitClose
                };
                self.complete(sockets, slot, now, next);
            }
            Ok(Progress::Complete { used, .. }) => {
                let surplus = bytes.len() - used;
                self.fail(sockets, slot, now, Failure::Malformed, |_| {
                    format!("{surplus} bytes follow the complete answer")
                });
            }
            Err(error) => self.fail(sockets, slot, now, Failure::Malformed, |received| {
                format!("{error} (within the first {received} bytes)")
            }),
        }
    }

    /// The answer is complete.
    #[inline]
    pub(super) fn complete(
        &mut self,
        sockets: &mut Sockets<'o>,
        slot: Slot,
        now: Nanos,
        next: Next,
    ) {
        let Some(connection) = self.connections.get_mut(slot.0 as usize) else {
            return;
        };
        let Some(request) = self.requests.get(connection.request) else {
            return;
        };
        let phase = self.stop.phase();
        let wanted = |failure| self.record.lacks(failure);
        match connection.verdict.end(request.expect, wanted) {
            None => {
                self.record.good(phase, now, now.since(connection.sent));
                connection.used |= phase == Phase::Window;
            }
            Some(failure) => {
                let detail = || connection.verdict.detail().to_owned();
                self.record
                    .failed(phase, failure, now, Some(request.request), detail);
            }
        }
        self.keeper.complete(slot.0);
        self.awaiting = self.awaiting.saturating_sub(1);
        connection.answered = true;
        connection.fruitless = 0;
        match next {
            Next::Reuse => self.send(sockets, slot),
            Next::AwaitClose => {
                connection.state = State::Closing;
                self.patient.remove(slot.0);
                self.closing.push(slot.0, now);
            }
            Next::Reopen => {
                self.patient.remove(slot.0);
                self.ended(sockets, slot, now);
            }
        }
    }

    /// The request under way has failed, and its connection with it. `detail` is given how many
    /// bytes of the answer arrived.
    #[cold]
    pub(super) fn fail(
        &mut self,
        sockets: &mut Sockets<'o>,
        slot: Slot,
        now: Nanos,
        failure: Failure,
        detail: impl FnOnce(u64) -> String,
    ) {
        let Some(connection) = self.connections.get(slot.0 as usize) else {
            return;
        };
        let received = connection.received;
        let request = self.requests.get(connection.request);
        self.record.failed(
            self.stop.phase(),
            failure,
            now,
            request.map(|prepared| prepared.request),
            || detail(received),
        );
        self.keeper.abandon(slot.0);
        self.awaiting = self.awaiting.saturating_sub(1);
        self.patient.remove(slot.0);
        sockets.close(slot);
        self.ended(sockets, slot, now);
    }
}

/// Judges an answer, and keeps it where it is wanted, while it is read.
struct Reading<'a> {
    connection: u32,
    expect: &'a Expectation,
    verdict: &'a mut Verdict,
    keeper: &'a mut Keeper,
    record: &'a Record,
}

impl http1::Sink for Reading<'_> {
    #[inline]
    fn head(&mut self, status: u16, raw: &[u8]) {
        let wanted = |failure| self.record.lacks(failure);
        self.verdict.head(self.expect, status, raw, wanted);
        self.keeper.head(self.connection, status, raw);
    }

    #[inline]
    fn body(&mut self, bytes: &[u8]) {
        let wanted = |failure| self.record.lacks(failure);
        self.verdict.body(self.expect, bytes, wanted);
        self.keeper.body(self.connection, bytes);
    }
}
