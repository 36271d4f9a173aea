//! The way to a connection, and what follows its end.

use std::io;

use faceoff_io::{Slot, Sockets};
use faceoff_record::{Failure, Nanos};

use super::answer::Next;
use super::{CLOSE_WAIT, Exchanges, State};
use crate::backoff::rest_after;
use crate::stop::Phase;

impl<'o> Exchanges<'o> {
    /// Begins to connect.
    pub(crate) fn open(&mut self, sockets: &mut Sockets<'o>, slot: Slot, now: Nanos) {
        if let Some(connection) = self.connections.get_mut(slot.0 as usize) {
            connection.state = State::Connecting;
            self.connecting += 1;
            self.patient.push(slot.0, now);
            sockets.connect(slot, self.address);
        }
    }

    /// Does what is due by now: the next phase, time-outs, late closes, new attempts.
    pub(crate) fn expire(&mut self, sockets: &mut Sockets<'o>, now: Nanos) {
        self.advance(now);
        if self.stop.phase() == Phase::Over {
            return;
        }
        while let Some((connection, since)) = self.patient.oldest()
            && now >= since + self.timeout
        {
            let slot = Slot(connection);
            match self.state(slot) {
                State::Awaiting => {
                    let timeout = self.timeout;
                    self.fail(sockets, slot, now, Failure::Timeout, |received| {
                        format!("no complete answer within {timeout}, {received} bytes of it")
                    });
                }
                State::Connecting => {
                    sockets.close(slot);
                    let timeout = self.timeout;
                    let missing = if self.is_in_handshake(slot) {
                        "TLS handshake"
                    } else {
                        "connection"
                    };
                    self.connect_failed(sockets, slot, now, Failure::ConnectTimeout, || {
                        format!("no {missing} within {timeout}")
                    });
                }
                State::Vacant | State::Idle | State::Closing | State::Resting => {
                    self.patient.remove(connection);
                }
            }
        }
        while let Some((connection, since)) = self.closing.oldest()
            && now >= since + CLOSE_WAIT
        {
            let slot = Slot(connection);
            self.take_leave(sockets, slot);
            sockets.close(slot);
            self.ended(sockets, slot, now);
        }
        while let Some(connection) = self.resting.pop(now) {
            let slot = Slot(connection);
            if self.stop.may_send() {
                self.open(sockets, slot, now);
            } else {
                self.set_state(slot, State::Vacant);
            }
        }
    }

    pub(super) fn connected(&mut self, sockets: &mut Sockets<'o>, slot: Slot) {
        let Some(connection) = self.connections.get_mut(slot.0 as usize) else {
            return;
        };
        self.connecting = self.connecting.saturating_sub(1);
        self.patient.remove(slot.0);
        self.record.reopened += u64::from(connection.was_open);
        connection.was_open = true;
        connection.answered = false;
        connection.state = State::Idle;
        if self.stop.may_send() {
            self.send(sockets, slot);
        }
    }

    pub(super) fn closed(&mut self, sockets: &mut Sockets<'o>, slot: Slot, now: Nanos) {
        let Some(connection) = self.connections.get(slot.0 as usize) else {
            return;
        };
        match connection.state {
            State::Awaiting if connection.parser.ends() => {
                self.complete(sockets, slot, now, Next::Reopen);
            }
            State::Awaiting => self.fail(sockets, slot, now, Failure::ClosedEarly, |received| {
                format!("closed by the server after {received} bytes of the answer")
            }),
            // Between answers the server may close as it likes.
            State::Vacant | State::Connecting | State::Idle | State::Closing | State::Resting => {
                self.ended(sockets, slot, now)
            }
        }
    }

    pub(super) fn failed(
        &mut self,
        sockets: &mut Sockets<'o>,
        slot: Slot,
        now: Nanos,
        error: &io::Error,
    ) {
        match self.state(slot) {
            State::Connecting => {
                let failure = match error.kind() {
                    io::ErrorKind::ConnectionRefused => Failure::ConnectRefused,
                    io::ErrorKind::TimedOut => Failure::ConnectTimeout,
                    _ => Failure::ConnectOther,
                };
                self.connect_failed(sockets, slot, now, failure, || error.to_string());
            }
            State::Awaiting => {
                let failure = match error.kind() {
                    io::ErrorKind::TimedOut => Failure::Timeout,
                    _ => Failure::Reset,
                };
                self.fail(sockets, slot, now, failure, |received| {
                    format!("{error}, after {received} bytes of the answer")
                });
            }
            State::Vacant | State::Idle | State::Closing | State::Resting => {
                self.ended(sockets, slot, now);
            }
        }
    }

    /// The connection could not be made, and its slot is empty again.
    #[cold]
    pub(super) fn connect_failed(
        &mut self,
        sockets: &mut Sockets<'o>,
        slot: Slot,
        now: Nanos,
        failure: Failure,
        detail: impl FnOnce() -> String,
    ) {
        self.connecting = self.connecting.saturating_sub(1);
        self.patient.remove(slot.0);
        // After the window no request is waiting for this connection any more.
        if self.stop.phase() <= Phase::Window {
            let upcoming = self.pace.upcoming(slot.0 as usize);
            let request = self.requests.get(upcoming);
            self.record.failed_unsent(
                self.stop.phase(),
                failure,
                now,
                request.map(|prepared| prepared.request),
                detail,
            );
        }
        if let Some(connection) = self.connections.get_mut(slot.0 as usize) {
            connection.answered = false;
        }
        self.ended(sockets, slot, now);
    }

    /// The connection is no more. While the load goes on it is opened again: at once if it had
    /// given an answer, else after a rest, so that a dead server is not hammered.
    pub(super) fn ended(&mut self, sockets: &mut Sockets<'o>, slot: Slot, now: Nanos) {
        let Some(connection) = self.connections.get_mut(slot.0 as usize) else {
            return;
        };
        self.closing.remove(slot.0);
        if let Some(secure) = &mut self.secure {
            secure.sessions.end(slot.0);
        }
        connection.state = State::Vacant;
        if !connection.answered {
            connection.fruitless = connection.fruitless.saturating_add(1);
        }
        if self.stop.may_send() {
            self.reopen(sockets, slot, now);
        }
    }

    pub(super) fn reopen(&mut self, sockets: &mut Sockets<'o>, slot: Slot, now: Nanos) {
        let Some(connection) = self.connections.get_mut(slot.0 as usize) else {
            return;
        };
        if connection.fruitless == 0 {
            self.open(sockets, slot, now);
        } else {
            connection.state = State::Resting;
            self.resting
                .push(slot.0, now + rest_after(connection.fruitless));
        }
    }
}
