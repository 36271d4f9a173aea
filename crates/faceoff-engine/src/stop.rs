//! When load and measuring begin and end.

use faceoff_record::{Nanos, Timing};

/// The instants of one load, the same for all its workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Timeline {
    pub(crate) started: Nanos,
    pub(crate) window_from: Nanos,
    pub(crate) window_to: Nanos,
    /// When requests that are still in flight are abandoned.
    pub(crate) end: Nanos,
}

impl Timeline {
    pub(crate) fn new(started: Nanos, timing: &Timing) -> Self {
        let window_from = started + timing.warm_up;
        let window_to = window_from + timing.window;
        Self {
            started,
            window_from,
            window_to,
            end: window_to + timing.grace,
        }
    }
}

/// The stretches of one load, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    /// Connections are opened; nothing is sent.
    Opening,
    /// Requests are sent, answers are not yet measured.
    WarmUp,
    /// Answers that complete now are measured.
    Window,
    /// No new requests; those in flight may complete.
    Grace,
    /// What is still in flight is abandoned.
    Over,
}

/// Follows the timeline. Whoever reads the clock tells it the time; it reads no clock itself.
#[derive(Debug)]
pub(crate) struct Stop {
    phase: Phase,
    /// When the next phase begins.
    boundary: Nanos,
    timeline: Option<Timeline>,
}

/// After every instant.
pub(crate) const NEVER: Nanos = Nanos(u64::MAX);

impl Stop {
    /// Before the start is known.
    pub(crate) const fn new() -> Self {
        Self {
            phase: Phase::Opening,
            boundary: NEVER,
            timeline: None,
        }
    }

    /// The load begins now, by this timeline.
    pub(crate) const fn start(&mut self, timeline: Timeline) {
        self.timeline = Some(timeline);
        self.phase = Phase::WarmUp;
        self.boundary = timeline.window_from;
    }

    #[inline]
    pub(crate) const fn phase(&self) -> Phase {
        self.phase
    }

    /// Whether requests are sent in this phase.
    #[inline]
    pub(crate) const fn may_send(&self) -> bool {
        matches!(self.phase, Phase::WarmUp | Phase::Window)
    }

    /// When the next phase begins.
    #[inline]
    pub(crate) const fn boundary(&self) -> Nanos {
        self.boundary
    }

    /// Begins the next phase if it is time for it, and says which. To be called until it says
    /// nothing, since a phase may be empty or slept through.
    #[inline]
    pub(crate) fn advance(&mut self, now: Nanos) -> Option<Phase> {
        if now < self.boundary {
            return None;
        }
        let timeline = self.timeline?;
        (self.phase, self.boundary) = match self.phase {
            Phase::Opening | Phase::WarmUp => (Phase::Window, timeline.window_to),
            Phase::Window => (Phase::Grace, timeline.end),
            Phase::Grace | Phase::Over => (Phase::Over, NEVER),
        };
        Some(self.phase)
    }
}

#[cfg(test)]
mod tests {
    use super::{NEVER, Nanos, Phase, Stop, Timeline, Timing};

    fn timing(warm_up: u64, window: u64, grace: u64) -> Timing {
        Timing {
            warm_up: Nanos(warm_up),
            window: Nanos(window),
            grace: Nanos(grace),
            timeout: Nanos(1),
        }
    }

    fn phases_at(stop: &mut Stop, now: u64) -> Vec<Phase> {
        std::iter::from_fn(|| stop.advance(Nanos(now))).collect()
    }

    #[test]
    fn each_phase_begins_at_its_instant_and_not_before() {
        let mut stop = Stop::new();
        assert_eq!(phases_at(&mut stop, 5_000), []);
        stop.start(Timeline::new(Nanos(1_000), &timing(10, 100, 20)));
        assert_eq!(stop.phase(), Phase::WarmUp);
        assert_eq!(phases_at(&mut stop, 1_009), []);
        assert_eq!(phases_at(&mut stop, 1_010), [Phase::Window]);
        assert_eq!(phases_at(&mut stop, 1_109), []);
        assert_eq!(phases_at(&mut stop, 1_110), [Phase::Grace]);
        assert!(!stop.may_send());
        assert_eq!(phases_at(&mut stop, 1_130), [Phase::Over]);
        assert_eq!(stop.boundary(), NEVER);
    }

    #[test]
    fn phases_that_were_slept_through_still_happen_in_order() {
        let mut stop = Stop::new();
        stop.start(Timeline::new(Nanos(0), &timing(0, 100, 0)));
        assert_eq!(
            phases_at(&mut stop, 100),
            [Phase::Window, Phase::Grace, Phase::Over]
        );
    }
}
