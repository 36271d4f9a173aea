//! Sending: at once as far as the kernel takes the bytes, the rest when it takes more.

use std::borrow::Cow;

use rustix::event::epoll;
use rustix::fd::OwnedFd;
use rustix::io::Errno;
use rustix::net::{SendFlags, send};

use super::{Entry, Slot, Sockets, State, WHILE_NOT_SENDING, token};

/// Interest of a connected socket with bytes left to send.
const WHILE_SENDING: epoll::EventFlags = WHILE_NOT_SENDING.union(epoll::EventFlags::OUT);

impl<'b> Sockets<'b> {
    /// Sends `bytes` over a connected slot: at once as far as the kernel takes them, the rest when
    /// it takes more. A failure is reported as [`Event::Failed`](super::Event::Failed). One send at
    /// a time: the next is allowed when [`Self::is_sending`] says no.
    pub fn send(&mut self, slot: Slot, bytes: &'b [u8]) {
        debug_assert!(!self.is_sending(slot), "{slot:?} is still sending");
        self.send_now(slot, bytes, Cow::Borrowed);
    }

    /// Like [`Self::send`], for bytes that live no longer than the call. While earlier bytes wait
    /// to be taken, these are put behind them.
    pub fn send_copy(&mut self, slot: Slot, bytes: &[u8]) {
        if let Some(entry) = self.slots.get_mut(slot.0 as usize)
            && let State::Connected { unsent, .. } = &mut entry.state
            && !unsent.is_empty()
        {
            unsent.to_mut().extend_from_slice(bytes);
            return;
        }
        self.send_now(slot, bytes, |rest| Cow::Owned(rest.to_vec()));
    }

    /// Whether bytes given to be sent have not yet been taken by the kernel.
    #[must_use]
    #[inline]
    pub fn is_sending(&self, slot: Slot) -> bool {
        matches!(
            self.slots.get(slot.0 as usize),
            Some(Entry { state: State::Connected { unsent, .. }, .. }) if !unsent.is_empty()
        )
    }

    /// Sends what the kernel takes now; `hold` makes the rest outlive the call.
    #[inline]
    fn send_now<'s>(
        &mut self,
        slot: Slot,
        bytes: &'s [u8],
        hold: impl FnOnce(&'s [u8]) -> Cow<'b, [u8]>,
    ) {
        let Some(entry) = self.slots.get_mut(slot.0 as usize) else {
            debug_assert!(false, "there is no {slot:?}");
            return;
        };
        let State::Connected { fd, unsent } = &mut entry.state else {
            // The socket failed a moment ago, and its report is under way.
            return;
        };
        match send_some(fd, bytes) {
            Ok([]) => {}
            Ok(rest) => {
                *unsent = hold(rest);
                let token = token(slot, entry.generation);
                if let Err(error) = epoll::modify(&self.epoll, &*fd, token, WHILE_SENDING) {
                    self.refuse(slot, error);
                }
            }
            Err(error) => self.refuse(slot, error),
        }
    }

    /// The kernel takes more.
    pub(super) fn send_rest(&mut self, slot: Slot) {
        let Some(entry) = self.slots.get_mut(slot.0 as usize) else {
            return;
        };
        let State::Connected { fd, unsent } = &mut entry.state else {
            return;
        };
        let token = token(slot, entry.generation);
        let outcome = match unsent {
            Cow::Borrowed(bytes) => send_some(fd, bytes).map(|rest| *bytes = rest),
            Cow::Owned(bytes) => send_some(fd, bytes).map(<[u8]>::len).map(|left| {
                bytes.drain(..bytes.len() - left);
            }),
        };
        let outcome = outcome.and_then(|()| {
            if unsent.is_empty() {
                // Without the room that a long send may have needed.
                *unsent = Cow::Borrowed(&[]);
                epoll::modify(&self.epoll, &*fd, token, WHILE_NOT_SENDING)?;
            }
            Ok(())
        });
        if let Err(error) = outcome {
            self.refuse(slot, error);
        }
    }
}

/// Sends what the kernel takes now and gives back the rest.
#[inline]
fn send_some<'b>(fd: &OwnedFd, bytes: &'b [u8]) -> Result<&'b [u8], Errno> {
    loop {
        // Without NOSIGNAL a peer that has gone would end the process.
        match send(fd, bytes, SendFlags::NOSIGNAL) {
            Ok(sent) => return Ok(bytes.get(sent..).unwrap_or_default()),
            Err(Errno::AGAIN) => return Ok(bytes),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error),
        }
    }
}
