//! Which connections have waited longest, at a constant cost for each change.

use faceoff_record::Nanos;

/// Connections in the order in which they began to wait, each at most once.
///
/// All that wait in one queue have the same patience, so the first to time out is always the
/// first in the queue, and looking there costs the same for one connection and for thousands. Any
/// member can leave at any time: the queue is a list linked by connection numbers.
#[derive(Debug)]
pub(crate) struct Queue {
    links: Vec<Link>,
    first: Option<u32>,
    last: Option<u32>,
}

#[derive(Clone, Copy, Debug)]
enum Link {
    Absent,
    Waiting {
        since: Nanos,
        before: Option<u32>,
        after: Option<u32>,
    },
}

impl Queue {
    /// For connections numbered from 0.
    pub(crate) fn new(connections: u32) -> Self {
        Self {
            links: vec![Link::Absent; connections as usize],
            first: None,
            last: None,
        }
    }

    /// The connection begins to wait; `since` is no earlier than that of the last one.
    #[inline]
    pub(crate) fn push(&mut self, connection: u32, since: Nanos) {
        self.remove(connection);
        let Some(link) = self.links.get_mut(connection as usize) else {
            return;
        };
        *link = Link::Waiting {
            since,
            before: self.last,
            after: None,
        };
        match self.last {
            Some(last) => self.link(last, |_, after| *after = Some(connection)),
            None => self.first = Some(connection),
        }
        self.last = Some(connection);
    }

    /// The connection waits no more. Nothing happens if it does not wait.
    #[inline]
    pub(crate) fn remove(&mut self, connection: u32) {
        let Some(link) = self.links.get_mut(connection as usize) else {
            return;
        };
        let Link::Waiting { before, after, .. } = *link else {
            return;
        };
        *link = Link::Absent;
        match before {
            Some(before) => self.link(before, |_, next| *next = after),
            None => self.first = after,
        }
        match after {
            Some(after) => self.link(after, |previous, _| *previous = before),
            None => self.last = before,
        }
    }

    /// Who has waited longest, and since when.
    #[inline]
    pub(crate) fn oldest(&self) -> Option<(u32, Nanos)> {
        let first = self.first?;
        match self.links.get(first as usize)? {
            Link::Waiting { since, .. } => Some((first, *since)),
            Link::Absent => None,
        }
    }

    #[inline]
    fn link(&mut self, connection: u32, set: impl FnOnce(&mut Option<u32>, &mut Option<u32>)) {
        if let Some(Link::Waiting { before, after, .. }) = self.links.get_mut(connection as usize) {
            set(before, after);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Nanos, Queue};

    proptest! {
        #[test]
        fn it_behaves_like_a_plain_list(steps in prop::collection::vec((0..8_u32, any::<bool>()), 0..200)) {
            let mut queue = Queue::new(8);
            let mut list: Vec<(u32, Nanos)> = Vec::new();
            for (now, (connection, waits)) in (0..).map(Nanos).zip(steps) {
                list.retain(|(member, _)| *member != connection);
                if waits {
                    queue.push(connection, now);
                    list.push((connection, now));
                } else {
                    queue.remove(connection);
                }
                prop_assert_eq!(queue.oldest(), list.first().copied());
            }
            while let Some((connection, _)) = queue.oldest() {
                prop_assert_eq!(list.remove(0).0, connection);
                queue.remove(connection);
            }
            prop_assert!(list.is_empty());
        }
    }
}
