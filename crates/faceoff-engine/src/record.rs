//! What is counted.
//!
//! One worker's figures: each request ends in exactly one class, and each class is counted in the
//! phase in which it ended. Merging, after the end, is addition.

use std::collections::BTreeMap;

use faceoff_record::{FailedExchange, Failure, Histogram, Nanos, Request, WindowCounts};

use crate::stop::Phase;

/// Right answers are counted in steps of this length.
const TENTH: Nanos = Nanos::from_millis(100);

/// How many classes of failure there are; the last one is `WrongBody`.
const CLASSES: usize = Failure::WrongBody as usize + 1;

const ALL_CLASSES: [Failure; CLASSES] = [
    Failure::ConnectRefused,
    Failure::ConnectTimeout,
    Failure::ConnectOther,
    Failure::TlsFailed,
    Failure::Reset,
    Failure::ClosedEarly,
    Failure::Timeout,
    Failure::Malformed,
    Failure::WrongStatus,
    Failure::WrongBody,
];

/// The figures of one worker, and after merging those of all.
#[derive(Debug)]
pub(crate) struct Record {
    before: Tally,
    window: Tally,
    after: Tally,
    /// Of the right answers in the window.
    pub(crate) service: Histogram,
    /// Right answers in each tenth of a second from the start to the end of the window.
    pub(crate) tenths: Vec<u32>,
    started: Nanos,
    pub(crate) reopened: u64,
    first_failures: [Option<(Nanos, FailedExchange)>; CLASSES],
}

/// What happened in one stretch of the load.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Tally {
    sent: u64,
    good: u64,
    failed: [u64; CLASSES],
    bytes_in: u64,
    bytes_out: u64,
}

impl Record {
    /// With nothing in it.
    pub(crate) fn new() -> Self {
        Self {
            before: Tally::default(),
            window: Tally::default(),
            after: Tally::default(),
            service: Histogram::new(),
            tenths: Vec::new(),
            started: Nanos::ZERO,
            reopened: 0,
            first_failures: [const { None }; CLASSES],
        }
    }

    /// The load starts now, and its window ends then.
    pub(crate) fn start(&mut self, started: Nanos, window_to: Nanos) {
        self.started = started;
        let tenths = window_to.since(started).0.div_ceil(TENTH.0);
        self.tenths = vec![0; usize::try_from(tenths).unwrap_or_default()];
    }

    #[inline]
    pub(crate) fn sent(&mut self, phase: Phase, bytes: usize) {
        let tally = self.tally(phase);
        tally.sent += 1;
        tally.bytes_out += bytes as u64;
    }

    /// Bytes were sent that are no request: those of a handshake.
    pub(crate) fn sent_beside(&mut self, phase: Phase, bytes: usize) {
        self.tally(phase).bytes_out += bytes as u64;
    }

    #[inline]
    pub(crate) fn received(&mut self, phase: Phase, bytes: usize) {
        self.tally(phase).bytes_in += bytes as u64;
    }

    /// A right answer was complete at `done`, `service` after its request was sent.
    #[inline]
    pub(crate) fn good(&mut self, phase: Phase, done: Nanos, service: Nanos) {
        self.tally(phase).good += 1;
        if phase == Phase::Window {
            self.service.record(service);
        }
        let tenth = usize::try_from(done.since(self.started).0 / TENTH.0);
        if phase <= Phase::Window
            && let Some(count) = tenth.ok().and_then(|tenth| self.tenths.get_mut(tenth))
        {
            *count += 1;
        }
    }

    /// A request that was counted as sent has failed.
    pub(crate) fn failed(
        &mut self,
        phase: Phase,
        failure: Failure,
        now: Nanos,
        request: Option<&Request>,
        detail: impl FnOnce() -> String,
    ) {
        if let Some(count) = self.tally(phase).failed.get_mut(failure as usize) {
            *count += 1;
        }
        if let Some(first @ None) = self.first_failures.get_mut(failure as usize)
            && let Some(request) = request
        {
            let exchange = FailedExchange {
                failure,
                request: request.clone(),
                detail: detail(),
            };
            *first = Some((now, exchange));
        }
    }

    /// A connection could not be made: the request that it was made for has failed unsent, and
    /// counts as sent so that every attempt is in the balance.
    pub(crate) fn failed_unsent(
        &mut self,
        phase: Phase,
        failure: Failure,
        now: Nanos,
        request: Option<&Request>,
        detail: impl FnOnce() -> String,
    ) {
        self.tally(phase).sent += 1;
        self.failed(phase, failure, now, request, detail);
    }

    /// Whether no failure of this class has been described yet.
    pub(crate) fn lacks(&self, failure: Failure) -> bool {
        matches!(self.first_failures.get(failure as usize), Some(None))
    }

    /// Adds another worker's figures.
    pub(crate) fn merge(&mut self, other: Self) {
        self.before.add(&other.before);
        self.window.add(&other.window);
        self.after.add(&other.after);
        self.service.merge(&other.service);
        if self.tenths.len() < other.tenths.len() {
            self.tenths.resize(other.tenths.len(), 0);
        }
        for (sum, count) in self.tenths.iter_mut().zip(&other.tenths) {
            *sum += count;
        }
        self.reopened += other.reopened;
        for (first, candidate) in self.first_failures.iter_mut().zip(other.first_failures) {
            let earlier = match (&first, &candidate) {
                (_, None) => false,
                (None, Some(_)) => true,
                (Some((known, _)), Some((at, _))) => at < known,
            };
            if earlier {
                *first = candidate;
            }
        }
    }

    /// What completed inside the window.
    pub(crate) fn window_counts(&self) -> WindowCounts {
        let counted = ALL_CLASSES.into_iter().zip(self.window.failed);
        WindowCounts {
            good: self.window.good,
            failed: counted
                .filter(|(_, count)| *count > 0)
                .collect::<BTreeMap<_, _>>(),
            bytes_in: self.window.bytes_in,
            bytes_out: self.window.bytes_out,
        }
    }

    /// Over the whole load: requests sent, right answers, failures.
    pub(crate) fn totals(&self) -> (u64, u64, u64) {
        let phases = [&self.before, &self.window, &self.after];
        phases
            .iter()
            .fold((0, 0, 0), |(sent, good, failed), tally| {
                let tally_failed: u64 = tally.failed.iter().sum();
                (sent + tally.sent, good + tally.good, failed + tally_failed)
            })
    }

    /// The first failure of each class, in the order of the classes.
    pub(crate) fn take_first_failures(&mut self) -> Vec<FailedExchange> {
        self.first_failures
            .iter_mut()
            .filter_map(Option::take)
            .map(|(_, exchange)| exchange)
            .collect()
    }

    #[inline]
    const fn tally(&mut self, phase: Phase) -> &mut Tally {
        match phase {
            Phase::Opening | Phase::WarmUp => &mut self.before,
            Phase::Window => &mut self.window,
            Phase::Grace | Phase::Over => &mut self.after,
        }
    }
}

impl Tally {
    fn add(&mut self, other: &Self) {
        self.sent += other.sent;
        self.good += other.good;
        self.bytes_in += other.bytes_in;
        self.bytes_out += other.bytes_out;
        for (sum, count) in self.failed.iter_mut().zip(other.failed) {
            *sum += count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ALL_CLASSES, Failure, Nanos, Phase, Record, Request};

    #[test]
    fn each_class_is_counted_in_its_own_place() {
        for (index, class) in ALL_CLASSES.into_iter().enumerate() {
            assert_eq!(class as usize, index, "{class}");
        }
    }

    #[test]
    fn only_the_window_counts_and_the_balance_holds_over_all_phases() {
        let mut record = Record::new();
        record.start(Nanos(0), Nanos::from_millis(250));
        for (phase, done) in [
            (Phase::WarmUp, 10),
            (Phase::Window, 120),
            (Phase::Grace, 260),
        ] {
            record.sent(phase, 100);
            record.good(phase, Nanos::from_millis(done), Nanos(5_000));
            record.sent(phase, 100);
            record.failed(phase, Failure::Reset, Nanos(0), None, String::new);
        }
        assert_eq!(record.totals(), (6, 3, 3));
        let window = record.window_counts();
        assert_eq!((window.good, window.bytes_out), (1, 200));
        assert_eq!(
            window.failed.into_iter().collect::<Vec<_>>(),
            [(Failure::Reset, 1)]
        );
        assert_eq!(record.service.count(), 1);
        assert_eq!(record.tenths, [1, 1, 0]);
    }

    #[test]
    fn merging_adds_and_keeps_the_earliest_failure_of_each_class() {
        let request = Request::new("GET", "/");
        let failing_at = |at: u64, class: Failure| {
            let mut record = Record::new();
            record.start(Nanos(0), Nanos::from_millis(100));
            record.failed_unsent(Phase::Window, class, Nanos(at), Some(&request), || {
                format!("at {at}")
            });
            record
        };
        let mut merged = failing_at(30, Failure::Reset);
        merged.merge(failing_at(20, Failure::Reset));
        merged.merge(failing_at(40, Failure::Reset));
        merged.merge(failing_at(50, Failure::Timeout));
        assert_eq!(merged.totals(), (4, 0, 4));
        let firsts: Vec<String> = merged
            .take_first_failures()
            .into_iter()
            .map(|failed| format!("{}: {}", failed.failure, failed.detail))
            .collect();
        assert_eq!(firsts, ["connection reset: at 20", "timed out: at 50"]);
    }
}
