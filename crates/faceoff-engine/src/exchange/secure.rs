//! What TLS adds to the life of a connection: the handshake before it, the closure alert after it.
//!
//! This module decides which session event means what for the exchange. A connection counts as
//! made when its handshake is complete, so a handshake that fails is a failed attempt to connect,
//! and handshakes share the patience of connecting. A closure alert is the end of the connection.
//! Without one, an answer that only the end of the connection completes is cut off, as far as
//! anyone can tell (RFC 9112, section 9.8); answers with a length need no alert.

use std::{io, mem};

use faceoff_io::{Event, Slot, Sockets, clock};
use faceoff_record::{Failure, Nanos};

use super::answer::Sent;
use super::{Exchanges, State};
use crate::tls::{Sessions, Standing};

/// The sessions of one worker, and room for what they say.
#[derive(Debug)]
pub(super) struct Secure {
    pub(super) sessions: Sessions,
    plain: Vec<u8>,
}

impl Secure {
    pub(super) fn new(sessions: Sessions) -> Self {
        Self {
            sessions,
            plain: Vec::new(),
        }
    }

    /// Sends a request. The time that it takes to encrypt it is the generator's, so the clock is
    /// read after that.
    #[inline(never)]
    pub(super) fn send(&mut self, sockets: &mut Sockets<'_>, slot: Slot, request: &[u8]) -> Sent {
        let encrypted = self.sessions.encrypt(slot.0, request);
        let at = Nanos(clock::now());
        sockets.send_copy(slot, encrypted);
        Sent {
            at,
            bytes: encrypted.len(),
        }
    }
}

impl<'o> Exchanges<'o> {
    /// Something happened to a socket that carries a session.
    // Never inlined, here and above: this code must not stand in the midst of the plain path.
    #[inline(never)]
    pub(super) fn on_secure_event(
        &mut self,
        sockets: &mut Sockets<'o>,
        slot: Slot,
        event: Event<'_>,
        now: Nanos,
    ) {
        match event {
            Event::Received { bytes, ending } => {
                self.record.received(self.stop.phase(), bytes.len());
                self.received_encrypted(sockets, slot, bytes, ending, now);
            }
            Event::Connected => self.begin_session(sockets, slot, now),
            Event::Closed => self.closed_without_alert(sockets, slot, now),
            Event::Failed(error) if self.is_in_handshake(slot) => {
                self.handshake_failed(sockets, slot, now, || error.to_string());
            }
            Event::Failed(error) => self.failed(sockets, slot, now, &error),
        }
    }

    /// Whether the slot is connected as far as TCP is concerned, and not yet by TLS.
    pub(super) fn is_in_handshake(&self, slot: Slot) -> bool {
        self.state(slot) == State::Connecting && self.has_session(slot)
    }

    /// Says goodbye to a server that is to be left in peace.
    pub(super) fn take_leave(&mut self, sockets: &mut Sockets<'o>, slot: Slot) {
        if let Some(secure) = &mut self.secure {
            secure.sessions.take_leave(slot.0);
            self.send_what_is_due(sockets, slot);
        }
    }

    fn begin_session(&mut self, sockets: &mut Sockets<'o>, slot: Slot, now: Nanos) {
        let Some(secure) = &mut self.secure else {
            return;
        };
        match secure.sessions.begin(slot.0) {
            Ok(()) => self.send_what_is_due(sockets, slot),
            Err(error) => {
                sockets.close(slot);
                self.handshake_failed(sockets, slot, now, || error.to_string());
            }
        }
    }

    fn received_encrypted(
        &mut self,
        sockets: &mut Sockets<'o>,
        slot: Slot,
        bytes: &[u8],
        ending: bool,
        now: Nanos,
    ) {
        let Some(secure) = &mut self.secure else {
            return;
        };
        // Taken out while it is read, since an answer may be followed by the next request at once.
        let mut plain = mem::take(&mut secure.plain);
        let standing = secure.sessions.read(slot.0, bytes, &mut plain);
        // Of the handshake, or the alert that says what the other side did wrong.
        self.send_what_is_due(sockets, slot);
        if !matches!(standing, Standing::InHandshake | Standing::Broken(_))
            && self.state(slot) == State::Connecting
        {
            self.connected(sockets, slot);
        }
        if !plain.is_empty() {
            let ending = ending || matches!(standing, Standing::Closed | Standing::Broken(_));
            self.received(sockets, slot, &plain, ending, now);
            plain.clear();
        }
        if let Some(secure) = &mut self.secure {
            secure.plain = plain;
        }
        // If the answer has ended the connection, there is nothing left to end.
        if self.has_session(slot) {
            match standing {
                Standing::InHandshake | Standing::Open => {}
                Standing::Closed => {
                    sockets.close(slot);
                    self.closed(sockets, slot, now);
                }
                Standing::Broken(error) => {
                    sockets.close(slot);
                    self.broken(sockets, slot, now, &error);
                }
            }
        }
    }

    /// The server sends no more, and has not said so within the session.
    fn closed_without_alert(&mut self, sockets: &mut Sockets<'o>, slot: Slot, now: Nanos) {
        let Some(connection) = self.connections.get(slot.0 as usize) else {
            return;
        };
        match connection.state {
            State::Connecting => {
                self.handshake_failed(sockets, slot, now, || "closed by the server".to_owned());
            }
            State::Awaiting if connection.parser.ends() => {
                self.fail(sockets, slot, now, Failure::ClosedEarly, |received| {
                    format!(
                        "closed by the server after {received} bytes of the answer, whose end only \
                         a closure alert (close_notify) of TLS could have marked"
                    )
                });
            }
            State::Vacant | State::Idle | State::Awaiting | State::Closing | State::Resting => {
                self.closed(sockets, slot, now);
            }
        }
    }

    /// The session cannot go on.
    #[cold]
    fn broken(&mut self, sockets: &mut Sockets<'o>, slot: Slot, now: Nanos, error: &io::Error) {
        match self.state(slot) {
            State::Connecting => {
                self.handshake_failed(sockets, slot, now, || error.to_string());
            }
            State::Awaiting => {
                self.fail(sockets, slot, now, Failure::TlsFailed, |received| {
                    format!("{error}, after {received} bytes of the answer")
                });
            }
            State::Vacant | State::Idle | State::Closing | State::Resting => {
                self.ended(sockets, slot, now);
            }
        }
    }

    fn handshake_failed(
        &mut self,
        sockets: &mut Sockets<'o>,
        slot: Slot,
        now: Nanos,
        reason: impl FnOnce() -> String,
    ) {
        self.connect_failed(sockets, slot, now, Failure::TlsFailed, || {
            format!("{}, in the handshake", reason())
        });
    }

    /// Sends what the session has to say beside requests.
    fn send_what_is_due(&mut self, sockets: &mut Sockets<'o>, slot: Slot) {
        let Some(secure) = &mut self.secure else {
            return;
        };
        let due = secure.sessions.due(slot.0);
        if !due.is_empty() {
            self.record.sent_beside(self.stop.phase(), due.len());
            sockets.send_copy(slot, due);
        }
    }

    fn has_session(&self, slot: Slot) -> bool {
        let secure = self.secure.as_ref();
        secure.is_some_and(|secure| secure.sessions.has(slot.0))
    }
}
