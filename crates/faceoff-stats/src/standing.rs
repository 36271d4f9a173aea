//! In what condition a contender's samples are: whether the generator was the limit, and how many
//! requests failed.

use std::collections::BTreeMap;

use faceoff_record::{Failure, Sample};

use crate::blocks::Course;
use crate::order::median;
use crate::wording::{counted, percent};

/// Above this share of its processors the generator has nothing left to give.
const GENERATOR_FULL: f64 = 0.95;

/// Below this share of its own processors the contender could have given more.
const SERVER_FREE: f64 = 0.90;

/// Above this share of failed requests a contender's figures are not those of its work.
const FAILING: f64 = 0.001;

/// A contender's way through the blocks, and what must be known to trust it.
pub(crate) struct Standing<'a> {
    /// Its samples.
    pub(crate) course: Course<'a>,
    /// How busy both sides were.
    pub(crate) load: LoadBalance,
    /// Right and failed answers over all windows.
    pub(crate) answers: Answers,
}

/// How busy both sides were while a contender was loaded; medians over its samples, so that a
/// single disturbed slice decides nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LoadBalance {
    /// The share of the generator's processors that it kept busy.
    pub(crate) generator: f64,
    /// The share of the contender's own processors that it kept busy, where that can be seen.
    pub(crate) server: Option<f64>,
}

impl LoadBalance {
    fn of(samples: &BTreeMap<u32, &Sample>, contender_cores: usize) -> Self {
        let generator = samples.values().filter_map(|sample| {
            let health = &sample.outcome.generator;
            let capacity = generator_capacity(sample);
            (capacity > 0.0).then(|| health.cpu.as_secs_f64() / capacity)
        });
        let used = samples.values().filter_map(|sample| sample.usage.known());
        let server = median(used.map(|usage| usage.cpu_per_second))
            .filter(|_| contender_cores > 0)
            .map(|cores_used| cores_used / contender_cores as f64);
        Self {
            generator: median(generator).unwrap_or_default(),
            server,
        }
    }

    /// Whether the generator was the limit (method: V1). A contender whose processors cannot be
    /// seen gets no benefit of the doubt: its figure may be the generator's.
    pub(crate) fn generator_limited(&self) -> bool {
        self.generator > GENERATOR_FULL && self.server.is_none_or(|server| server < SERVER_FREE)
    }
}

/// The processor time that the generator could have used in the window, in seconds.
pub(crate) fn generator_capacity(sample: &Sample) -> f64 {
    sample.outcome.window.as_secs_f64() * f64::from(sample.outcome.generator.threads)
}

/// Right answers over all windows, and failures over all loads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Answers {
    /// Right ones.
    pub(crate) good: u64,
    /// Failures by class.
    pub(crate) failed: BTreeMap<Failure, u64>,
    /// Requests that failed in the warm-up or after the window, and those that were never
    /// answered: a request that hangs ends in no window, and must not vanish for that.
    pub(crate) outside: u64,
}

impl Answers {
    fn of(samples: &BTreeMap<u32, &Sample>) -> Self {
        let mut answers = Self::default();
        for outcome in samples.values().map(|sample| &sample.outcome) {
            let counts = &outcome.counts;
            let in_window: u64 = counts.failed.values().sum();
            answers.outside += outcome.failed.saturating_sub(in_window) + outcome.in_flight_at_end;
            answers.good += counts.good;
            for (class, count) in &counts.failed {
                *answers.failed.entry(*class).or_default() += count;
            }
        }
        answers
    }

    /// Failed requests of all classes, those outside the windows included.
    pub(crate) fn failures(&self) -> u64 {
        self.failed.values().sum::<u64>() + self.outside
    }

    /// The share of requests that failed; none of none.
    pub(crate) fn share_failed(&self) -> f64 {
        let all = self.good + self.failures();
        if all == 0 {
            0.0
        } else {
            self.failures() as f64 / all as f64
        }
    }

    /// Whether too many failed for a verdict (method: V12).
    pub(crate) fn failing(&self) -> bool {
        self.share_failed() > FAILING
    }

    /// The classes in words: `30 timed out, 7 connection reset`.
    pub(crate) fn classes(&self) -> String {
        let classes = self.failed.iter().filter(|(_, count)| **count > 0);
        let outside = (self.outside > 0).then(|| format!("{} outside the window", self.outside));
        let words: Vec<String> = classes
            .map(|(class, count)| format!("{count} {class}"))
            .chain(outside)
            .collect();
        words.join(", ")
    }
}

impl<'a> Standing<'a> {
    /// Looks through a contender's samples.
    pub(crate) fn of(course: Course<'a>, contender_cores: usize) -> Self {
        Self {
            load: LoadBalance::of(&course.samples, contender_cores),
            answers: Answers::of(&course.samples),
            course,
        }
    }

    /// Why no verdict can be given on any of its pairs, as ends of the sentence "no verdict: ...".
    pub(crate) fn disqualified(&self) -> Vec<String> {
        let Course {
            contender,
            attempted,
            failed,
            ..
        } = &self.course;
        let mut reasons = Vec::new();
        if self.course.failed_too_often() {
            let blocks = counted(u64::from(*attempted), "block");
            reasons.push(format!("{contender} failed in {failed} of {blocks}"));
        }
        if self.answers.failing() {
            let share = percent(self.answers.share_failed());
            let classes = self.answers.classes();
            reasons.push(format!(
                "{share} of {contender}'s requests failed ({classes})"
            ));
        }
        reasons
    }
}
