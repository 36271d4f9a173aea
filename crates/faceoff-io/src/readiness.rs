//! Sockets by readiness: epoll says which socket can go on, and the operation is done at once.
//!
//! This module decides how the kernel is entered: level-triggered epoll with one registration for
//! each connection and no change of it for each request, one `recv` for each readiness, and a
//! write that is tried at once. That makes two system calls for an exchange, plus a share of the
//! wait. It leaves to its user what the bytes mean, when to connect again and when to give up.
//!
//! The user sees operations and their completions. A slot holds one socket at a time; whatever
//! concerns an earlier socket of the slot is never reported for a later one.

mod sending;

use std::borrow::Cow;
use std::collections::VecDeque;
use std::io;
use std::mem;
use std::net::SocketAddr;

use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::sockopt::{set_tcp_nodelay, socket_error};
use rustix::net::{
    AddressFamily, RecvFlags, SocketFlags, SocketType, connect, ipproto, recv, socket_with,
};

use crate::timer::Timer;

/// The name of this backend in records and reports.
pub const BACKEND: &str = "epoll";

/// One read takes at most this much. Large enough that a long body needs few reads, small enough
/// that the buffer stays in the second-level cache; a short answer touches only its first lines.
const READ_BUFFER: usize = 64 * 1024;

/// One wait takes at most this many events. Larger batches make no measurable difference, and the
/// array stays at 3 KiB.
const EVENTS: usize = 256;

/// How often a socket whose data fills the buffer is read again before the others get their turn.
const READS_IN_A_ROW: usize = 4;

/// Which of the sockets. A slot is a place, not a connection: its socket changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Slot(pub u32);

/// What happened to a slot's socket.
#[derive(Debug)]
pub enum Event<'a> {
    /// The connection is established.
    Connected,
    /// Bytes arrived. They are valid during the call only.
    Received {
        /// The bytes, in order.
        bytes: &'a [u8],
        /// The peer is known to send nothing after these bytes; [`Event::Closed`] follows unless
        /// the slot is closed first. It is a hint: `false` promises nothing.
        ending: bool,
    },
    /// The peer sends no more. The slot is empty now.
    Closed,
    /// The socket failed, before or after it was connected. The slot is empty now.
    Failed(io::Error),
}

/// The sockets of one thread.
///
/// Bytes to send are borrowed for `'b`, which outlives the sockets, so nothing is copied and a
/// send that the kernel takes only in part can go on later. Bytes that do not live as long can be
/// sent too; of those, what the kernel does not take at once is copied.
pub struct Sockets<'b> {
    epoll: OwnedFd,
    timer: Timer,
    slots: Vec<Entry<'b>>,
    ready: Vec<epoll::Event>,
    buffer: Vec<u8>,
    /// Operations that failed at once, to be reported by the next turn.
    refused: VecDeque<(Slot, Generation, io::Error)>,
}

/// Counts the sockets that a slot has held, so that an event can be told from one of its
/// predecessor's. It wraps after four billion connections of one slot.
type Generation = u32;

struct Entry<'b> {
    generation: Generation,
    state: State<'b>,
}

enum State<'b> {
    Empty,
    /// A connect or send failed at once; the report waits in `refused`.
    Refused,
    Connecting(OwnedFd),
    Connected {
        fd: OwnedFd,
        unsent: Cow<'b, [u8]>,
    },
}

impl<'b> Sockets<'b> {
    /// Room for `slots` sockets, all empty.
    ///
    /// # Errors
    ///
    /// If the kernel gives no epoll instance.
    pub fn new(slots: u32) -> io::Result<Self> {
        let empty = || Entry {
            generation: 0,
            state: State::Empty,
        };
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let timer = Timer::new()?;
        // Edge-triggered: going off once is one event, and nothing has to be read.
        let once = epoll::EventFlags::IN | epoll::EventFlags::ET;
        epoll::add(&epoll, &timer, epoll::EventData::new_u64(TIMER), once)?;
        Ok(Self {
            epoll,
            timer,
            slots: (0..slots).map(|_| empty()).collect(),
            ready: Vec::with_capacity(EVENTS),
            buffer: vec![0; READ_BUFFER],
            refused: VecDeque::with_capacity(slots as usize),
        })
    }

    /// Begins to connect an empty slot; [`Event::Connected`] or [`Event::Failed`] follows. A slot
    /// that holds a socket is closed first.
    pub fn connect(&mut self, slot: Slot, address: SocketAddr) {
        self.close(slot);
        let outcome = self.begin_connect(slot, address);
        let Some(entry) = self.slots.get_mut(slot.0 as usize) else {
            debug_assert!(false, "there is no {slot:?}");
            return;
        };
        match outcome {
            Ok(fd) => entry.state = State::Connecting(fd),
            Err(error) => self.refuse(slot, error),
        }
    }

    fn begin_connect(&self, slot: Slot, address: SocketAddr) -> Result<OwnedFd, Errno> {
        let family = match address {
            SocketAddr::V4(_) => AddressFamily::INET,
            SocketAddr::V6(_) => AddressFamily::INET6,
        };
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let fd = socket_with(family, SocketType::STREAM, flags, Some(ipproto::TCP))?;
        // A request is one write; waiting for more to send with it would only delay it.
        set_tcp_nodelay(&fd, true)?;
        match connect(&fd, &address) {
            Ok(()) | Err(Errno::INPROGRESS | Errno::INTR) => {}
            Err(error) => return Err(error),
        }
        // Registered after connect, since an unconnected socket would report a hang-up at once.
        let generation = self.generation(slot);
        epoll::add(
            &self.epoll,
            &fd,
            token(slot, generation),
            epoll::EventFlags::OUT,
        )?;
        Ok(fd)
    }

    /// Closes the slot's socket, if it holds one. Nothing more is reported of it.
    pub fn close(&mut self, slot: Slot) {
        if let Some(entry) = self.slots.get_mut(slot.0 as usize) {
            entry.state = State::Empty;
            entry.generation = entry.generation.wrapping_add(1);
        }
    }

    /// Waits until something happened, or until an instant of the monotonic clock (for ever
    /// without one), and reports each event to `handler`, which may use the sockets meanwhile.
    /// Says whether the instant may have come; it may also say so too early, never too late.
    ///
    /// # Errors
    ///
    /// If the kernel refuses to wait. What happens to one socket is an event, not an error.
    pub fn turn(
        &mut self,
        until: Option<u64>,
        handler: &mut impl FnMut(&mut Self, Slot, Event<'_>),
    ) -> io::Result<bool> {
        if let Some(instant) = until {
            self.timer.wake_by(instant)?;
        }
        let only_look = Timespec::default();
        let wait = (!self.refused.is_empty()).then_some(&only_look);
        let mut ready = mem::take(&mut self.ready);
        ready.clear();
        match epoll::wait(&self.epoll, spare_capacity(&mut ready), wait) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => {
                self.ready = ready;
                return Err(error.into());
            }
        }

        // Those that fail during this turn are for the next one, so that a handler which tries
        // again at once cannot keep the turn from ending.
        for _ in 0..self.refused.len() {
            if let Some((slot, generation, error)) = self.refused.pop_front()
                && self.is_current(slot, generation)
            {
                self.close(slot);
                handler(self, slot, Event::Failed(error));
            }
        }
        let mut may_have_come = false;
        for event in &ready {
            if event.data.u64() == TIMER {
                self.timer.went_off();
                may_have_come = true;
                continue;
            }
            let (slot, generation) = from_token(event.data);
            if self.is_current(slot, generation) {
                self.go_on(slot, event.flags, handler);
            }
        }
        self.ready = ready;
        Ok(may_have_come)
    }

    /// Does what the slot's socket has become ready for.
    #[inline]
    fn go_on(
        &mut self,
        slot: Slot,
        flags: epoll::EventFlags,
        handler: &mut impl FnMut(&mut Self, Slot, Event<'_>),
    ) {
        match self.slots.get(slot.0 as usize).map(|entry| &entry.state) {
            Some(State::Connecting(_)) => self.finish_connect(slot, flags, handler),
            Some(State::Connected { .. }) => {
                let generation = self.generation(slot);
                if flags.contains(epoll::EventFlags::OUT) {
                    self.send_rest(slot);
                }
                if flags.intersects(READABLE) && self.is_current(slot, generation) {
                    self.read(slot, flags, handler);
                }
            }
            Some(State::Empty | State::Refused) | None => {}
        }
    }

    fn finish_connect(
        &mut self,
        slot: Slot,
        flags: epoll::EventFlags,
        handler: &mut impl FnMut(&mut Self, Slot, Event<'_>),
    ) {
        let Some(entry) = self.slots.get_mut(slot.0 as usize) else {
            return;
        };
        let State::Connecting(fd) = mem::replace(&mut entry.state, State::Empty) else {
            return;
        };
        // The kernel flags every error, so that a connection without one needs no question.
        let failed = if flags.intersects(epoll::EventFlags::ERR | epoll::EventFlags::HUP) {
            socket_error(&fd).and_then(|outcome| outcome)
        } else {
            Ok(())
        };
        let token = token(slot, entry.generation);
        let outcome =
            failed.and_then(|()| epoll::modify(&self.epoll, &fd, token, WHILE_NOT_SENDING));
        match outcome {
            Ok(()) => {
                let unsent = Cow::Borrowed(&[][..]);
                entry.state = State::Connected { fd, unsent };
                handler(self, slot, Event::Connected);
            }
            Err(error) => {
                self.close(slot);
                handler(self, slot, Event::Failed(error.into()));
            }
        }
    }

    /// Reads once, and again only while the data fills the buffer.
    fn read(
        &mut self,
        slot: Slot,
        flags: epoll::EventFlags,
        handler: &mut impl FnMut(&mut Self, Slot, Event<'_>),
    ) {
        let generation = self.generation(slot);
        // Taken out while the handler sees its bytes, so that the handler may use the sockets.
        let mut buffer = mem::take(&mut self.buffer);
        for _ in 0..READS_IN_A_ROW {
            let Some(Entry {
                state: State::Connected { fd, .. },
                ..
            }) = self.slots.get(slot.0 as usize)
            else {
                break;
            };
            match recv(fd, buffer.as_mut_slice(), RecvFlags::empty()) {
                Ok((0, _)) => {
                    self.close(slot);
                    handler(self, slot, Event::Closed);
                    break;
                }
                Ok((length, _)) => {
                    let drained = length < buffer.len();
                    let ending = drained && flags.contains(epoll::EventFlags::RDHUP);
                    // `recv` returns no more than the length it was given.
                    let bytes = buffer.get(..length).unwrap_or_default();
                    handler(self, slot, Event::Received { bytes, ending });
                    if drained || !self.is_current(slot, generation) {
                        break;
                    }
                }
                Err(Errno::AGAIN) => break,
                Err(Errno::INTR) => {}
                Err(error) => {
                    self.close(slot);
                    handler(self, slot, Event::Failed(error.into()));
                    break;
                }
            }
        }
        self.buffer = buffer;
    }

    /// Gives the socket up at once and reports why in the next turn.
    fn refuse(&mut self, slot: Slot, error: Errno) {
        if let Some(entry) = self.slots.get_mut(slot.0 as usize) {
            entry.state = State::Refused;
            self.refused
                .push_back((slot, entry.generation, error.into()));
        }
    }

    fn generation(&self, slot: Slot) -> Generation {
        self.slots
            .get(slot.0 as usize)
            .map_or(0, |entry| entry.generation)
    }

    fn is_current(&self, slot: Slot, generation: Generation) -> bool {
        self.slots
            .get(slot.0 as usize)
            .is_some_and(|entry| entry.generation == generation)
    }
}

/// Interest of a connected socket with nothing left to send.
const WHILE_NOT_SENDING: epoll::EventFlags = epoll::EventFlags::IN.union(epoll::EventFlags::RDHUP);

/// Whatever makes a read return something: data, the end, or the error.
const READABLE: epoll::EventFlags = WHILE_NOT_SENDING
    .union(epoll::EventFlags::ERR)
    .union(epoll::EventFlags::HUP);

/// What epoll gives back when the timer goes off. No slot has this number.
const TIMER: u64 = u64::MAX;

/// The slot and its generation, in what epoll gives back with each event.
const fn token(slot: Slot, generation: Generation) -> epoll::EventData {
    epoll::EventData::new_u64(((generation as u64) << 32) | slot.0 as u64)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "each half of the token is 32 bits wide"
)]
fn from_token(data: epoll::EventData) -> (Slot, Generation) {
    let token = data.u64();
    (Slot(token as u32), (token >> 32) as u32)
}
