//! Who completed which block of a workload.

use std::collections::{BTreeMap, BTreeSet};

use faceoff_record::{
    ContenderName, Nanos, Record, Sample, SliceFailure, SliceId, WorkloadName, WorkloadSchedule,
};

/// What one workload gave, by contender and block.
pub(crate) struct Blocks<'a> {
    /// The contenders that were loaded at all, in the order of the plan.
    pub(crate) courses: Vec<Course<'a>>,
    /// The mean time from the beginning of a block to that of the next, where two are known.
    pub(crate) block_time: Option<Nanos>,
}

/// One contender's way through the blocks of a workload.
#[derive(Clone, Debug)]
pub(crate) struct Course<'a> {
    /// The contender.
    pub(crate) contender: &'a ContenderName,
    /// Its sample of each block that gave one.
    pub(crate) samples: BTreeMap<u32, &'a Sample>,
    /// How many blocks it was loaded in, or should have been before the run ended.
    pub(crate) attempted: u32,
    /// In how many of them it gave no right answer.
    pub(crate) failed: u32,
    /// Why the first slice without a sample gave none, where that was said.
    pub(crate) first_failure: Option<&'a str>,
}

impl<'a> Course<'a> {
    /// Its right answers per second in each block that had any.
    pub(crate) fn throughputs(&self) -> impl Iterator<Item = (u32, f64)> {
        let all = self
            .samples
            .iter()
            .map(|(block, sample)| (*block, sample.throughput()));
        all.filter(|(_, throughput)| *throughput > 0.0)
    }

    /// The blocks in which both gave right answers, with the throughput of each.
    pub(crate) fn in_common(&self, other: &Self) -> Vec<(u32, f64, f64)> {
        let others: BTreeMap<u32, f64> = other.throughputs().collect();
        let both = |(block, own)| others.get(&block).map(|other| (block, own, *other));
        self.throughputs().filter_map(both).collect()
    }

    /// Whether it failed in more than one block of six: too often to leave those blocks out, since
    /// what makes it fail may well be what makes it slow.
    pub(crate) const fn failed_too_often(&self) -> bool {
        self.failed.saturating_mul(6) > self.attempted
    }
}

impl<'a> Blocks<'a> {
    /// Sorts what the record holds about one workload.
    pub(crate) fn of(record: &'a Record, workload: &WorkloadName) -> Self {
        let samples: Vec<&Sample> = record
            .samples
            .iter()
            .filter(|sample| sample.slice.workload == *workload)
            .collect();
        let failures: Vec<&SliceFailure> = record
            .failures
            .iter()
            .filter(|failure| failure.slice.workload == *workload)
            .collect();
        let schedule = record
            .schedules
            .iter()
            .find(|schedule| schedule.workload == *workload);
        let slices = samples.iter().map(|sample| &sample.slice);
        let slices: Vec<&SliceId> = slices
            .chain(failures.iter().map(|failure| &failure.slice))
            .collect();
        let attempted = attempted(schedule, &slices);

        let course = |contender: &'a ContenderName| {
            let attempted = attempted.get(contender)?;
            let own = samples
                .iter()
                .filter(|sample| sample.slice.contender == *contender);
            let samples: BTreeMap<u32, &Sample> =
                own.map(|sample| (sample.slice.block, *sample)).collect();
            let answered = |block: &&u32| {
                samples
                    .get(*block)
                    .is_some_and(|sample| sample.throughput() > 0.0)
            };
            let answered = attempted.iter().filter(answered).count();
            let mut own = failures
                .iter()
                .filter(|failure| failure.slice.contender == *contender);
            Some(Course {
                contender,
                attempted: clipped(attempted.len()),
                failed: clipped(attempted.len() - answered),
                first_failure: own.next().map(|failure| failure.reason.as_str()),
                samples,
            })
        };
        let contenders = record
            .plan
            .contenders
            .iter()
            .map(|contender| &contender.name);
        Self {
            courses: contenders.filter_map(course).collect(),
            block_time: block_time(&samples),
        }
    }

    /// How many blocks were complete for at least two contenders.
    pub(crate) fn comparable(&self) -> u32 {
        let mut complete: BTreeMap<u32, u32> = BTreeMap::new();
        for (block, _) in self.courses.iter().flat_map(Course::throughputs) {
            *complete.entry(block).or_default() += 1;
        }
        clipped(
            complete
                .values()
                .filter(|&&contenders| contenders >= 2)
                .count(),
        )
    }
}

/// The blocks in which each contender was loaded or should have been. Slices run in the order of
/// the schedule, so whatever is scheduled up to the last slice on record was attempted; what comes
/// after it was cut off by the end of the run, which is nobody's failure.
fn attempted<'a>(
    schedule: Option<&'a WorkloadSchedule>,
    slices: &[&'a SliceId],
) -> BTreeMap<&'a ContenderName, BTreeSet<u32>> {
    let mut attempted: BTreeMap<&ContenderName, BTreeSet<u32>> = BTreeMap::new();
    for slice in slices {
        attempted
            .entry(&slice.contender)
            .or_default()
            .insert(slice.block);
    }
    let last = slices
        .iter()
        .map(|slice| (slice.block, slice.position))
        .max();
    let scheduled = schedule
        .into_iter()
        .flat_map(|schedule| (0..).zip(&schedule.blocks));
    for (block, order) in scheduled {
        for (position, contender) in (0..).zip(order) {
            if Some((block, position)) <= last {
                attempted.entry(contender).or_default().insert(block);
            }
        }
    }
    attempted
}

/// From the beginning of the first block on record to that of the last, divided by their distance.
fn block_time(samples: &[&Sample]) -> Option<Nanos> {
    let mut began: BTreeMap<u32, Nanos> = BTreeMap::new();
    for sample in samples {
        let started = sample.outcome.started;
        let first = began.entry(sample.slice.block).or_insert(started);
        *first = started.min(*first);
    }
    let (first, from) = began.first_key_value()?;
    let (last, to) = began.last_key_value()?;
    let each = to.since(*from).0.checked_div(u64::from(last - first))?;
    (each > 0).then_some(Nanos(each))
}

/// A count as the analysis stores it. No run has 2^32 blocks.
fn clipped(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
