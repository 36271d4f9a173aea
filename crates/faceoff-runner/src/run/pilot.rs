//! Before the first block of a workload: each contender is started, checked against the full
//! contract and loaded once, to fix what its slices need.

use faceoff_record::{
    Depth, Launches, Nanos, Pilot, PortChoice, Start, Workload, WorkloadSchedule,
};
use faceoff_stats::steady_after;

use super::setback::Setback;
use super::{Halt, Run, elapsed};
use crate::contender::{Built, Contender};
use crate::events::Event;
use crate::host::now;
use crate::measure::measure;
use crate::schedule;
use crate::verify::RuleFilter;

/// A contender that starts and warms up within this gets a fresh launch for each slice; the luck
/// of one launch (address layout, hash seeds, thread placement) then becomes noise inside the
/// interval instead of a hidden bias.
const QUICK_STARTER: Nanos = Nanos::from_millis(1_200);

/// What a slice costs beyond what its pilot showed: the generator's start, two processes' worth
/// of bookkeeping, one write to disk.
const SLICE_OVERHEAD: Nanos = Nanos::from_millis(30);

/// The share of the remaining time that is planned; the rest is for slices that take longer.
const PLANNED_SHARE: f64 = 0.95;

/// A contender that takes part in a workload, and what its pilot showed.
pub(super) struct Entrant<'c> {
    pub(super) contender: &'c Contender<Built>,
    pub(super) pilot: Pilot,
    /// What one fresh launch costs, load apart: start, check, stop.
    launch: Nanos,
}

impl Run<'_, '_> {
    /// Pilots of all contenders; those that are refused are noted and left out.
    pub(super) fn pilots<'c>(
        &mut self,
        workload: &Workload,
        contenders: &[&'c Contender<Built>],
    ) -> Result<Vec<Entrant<'c>>, Halt> {
        let mut entrants = Vec::new();
        for contender in contenders {
            match self.pilot(workload, contender) {
                Ok(entrant) => entrants.push(entrant),
                Err(Setback::Halt(halt)) => return Err(halt),
                Err(Setback::Refused(refusal)) => self.refuse(workload, contender, refusal),
            }
        }
        self.compare_answers(workload, contenders);
        entrants.retain(|entrant| self.takes_part(&entrant.pilot.contender, workload));
        Ok(entrants)
    }

    fn pilot<'c>(
        &mut self,
        workload: &Workload,
        contender: &'c Contender<Built>,
    ) -> Result<Entrant<'c>, Setback> {
        let mut entrant = self.pilot_once(workload, contender)?;
        if needs(&entrant) > QUICK_STARTER {
            // A slow stretch of the machine is not a slow contender: the better of two counts.
            let again = self.pilot_once(workload, contender)?;
            if needs(&again) < needs(&entrant) {
                entrant = again;
            }
        }
        Ok(entrant)
    }

    fn pilot_once<'c>(
        &mut self,
        workload: &Workload,
        contender: &'c Contender<Built>,
    ) -> Result<Entrant<'c>, Setback> {
        let began = now();
        let mut verified = self.conformance(workload, contender, &RuleFilter::default())?;
        let window = match self.depth() {
            Depth::Standard => Nanos::from_secs(2),
            Depth::Quick => Nanos::from_secs(1),
        };
        let before_load = elapsed(began);
        let measured = measure(&mut verified, workload, Nanos::ZERO, window, &self.lab)?;
        let stopping = now();
        let start_up = verified.start_up().clone();
        self.stop(verified)?;
        // What never became steady needs at least the whole pilot.
        let steady_after = match steady_after(&measured.outcome.tenths) {
            Some(tenths) => Nanos::from_millis(100 * tenths as u64),
            None => window,
        };
        Ok(Entrant {
            contender,
            launch: before_load + elapsed(stopping),
            pilot: Pilot {
                contender: contender.plan().name.clone(),
                start_up,
                steady_after,
                warm_up: workload.timing.warm_up.max(steady_after),
            },
        })
    }

    /// Fixes launches, warm-up and the order of all slices, and notes them in the record.
    pub(super) fn schedule(
        &mut self,
        workload: &Workload,
        entrants: &[Entrant<'_>],
        deadline: Nanos,
    ) -> Order {
        let slow = entrants
            .iter()
            .any(|entrant| needs(entrant) > QUICK_STARTER);
        // Two that need one port cannot live at the same time, however slowly they start.
        let launches = if slow && !share_a_port(entrants) {
            Launches::Shared
        } else {
            Launches::Fresh
        };
        let warm_up = |entrant: &Entrant<'_>| match launches {
            Launches::Fresh => entrant.pilot.warm_up,
            Launches::Shared => workload.timing.warm_up,
        };
        let slice = |entrant: &Entrant<'_>| {
            let launch = match launches {
                Launches::Fresh => entrant.launch,
                Launches::Shared => Nanos::ZERO,
            };
            launch + warm_up(entrant) + workload.timing.window + SLICE_OVERHEAD
        };
        let block = entrants
            .iter()
            .map(slice)
            .fold(Nanos::ZERO, |sum, slice| sum + slice);
        let once = match launches {
            Launches::Fresh => Nanos::ZERO,
            Launches::Shared => entrants
                .iter()
                .map(|entrant| entrant.launch + shared_warm_up(entrant))
                .fold(Nanos::ZERO, |sum, launch| sum + launch),
        };
        let left = deadline.since(now()).since(once);
        let blocks = schedule::blocks_that_fit(entrants.len(), share(left, PLANNED_SHARE), block);
        let numbers = schedule::order(entrants.len(), blocks, self.record.plan.seed);
        let name_of = |number: &usize| entrants.get(*number).map(|e| e.pilot.contender.clone());
        let exploratory = !schedule::firm(entrants.len(), blocks, self.depth());
        self.record.schedules.push(WorkloadSchedule {
            workload: workload.name.clone(),
            launches,
            pilots: entrants
                .iter()
                .map(|entrant| Pilot {
                    warm_up: warm_up(entrant),
                    ..entrant.pilot.clone()
                })
                .collect(),
            blocks: numbers
                .iter()
                .map(|row| row.iter().filter_map(name_of).collect())
                .collect(),
            exploratory,
        });
        let slices = numbers.iter().map(Vec::len).sum::<usize>();
        self.tell(Event::Scheduled {
            workload: workload.name.clone(),
            blocks: u32::try_from(blocks).unwrap_or(u32::MAX),
            slices: u32::try_from(slices).unwrap_or(u32::MAX),
            expected: once + Nanos(block.0.saturating_mul(blocks as u64)),
            fresh_launches: launches == Launches::Fresh,
        });
        Order {
            launches,
            warm_ups: entrants.iter().map(warm_up).collect(),
            blocks: numbers,
            block_time: block,
        }
    }
}

/// What was fixed before the first block, by the entrants' numbers.
pub(super) struct Order {
    pub(super) launches: Launches,
    /// Each entrant's warm-up.
    pub(super) warm_ups: Vec<Nanos>,
    /// Each block's entrants in their order.
    pub(super) blocks: Vec<Vec<usize>>,
    /// How long one block should take.
    pub(super) block_time: Nanos,
}

/// Whether two contenders have the same fixed port.
fn share_a_port(entrants: &[Entrant<'_>]) -> bool {
    let ports: Vec<u16> = entrants
        .iter()
        .filter_map(|entrant| match &entrant.contender.plan().start {
            Start::Managed(managed) => match managed.port {
                PortChoice::Fixed(port) => Some(port),
                PortChoice::Fresh => None,
            },
            Start::Running { .. } => None,
        })
        .collect();
    (1..)
        .zip(&ports)
        .any(|(next, port)| ports.iter().skip(next).any(|other| other == port))
}

/// How long a contender needs from its start until it is steady.
fn needs(entrant: &Entrant<'_>) -> Nanos {
    let start_up = entrant.pilot.start_up.known().copied().unwrap_or_default();
    start_up + entrant.pilot.steady_after
}

/// The load that a contender gets once before the first block where launches are shared: twice
/// what its pilot needed, so that what is measured lies well behind the climb.
pub(super) fn shared_warm_up(entrant: &Entrant<'_>) -> Nanos {
    let twice = entrant.pilot.steady_after + entrant.pilot.steady_after;
    twice.clamp(Nanos::from_secs(1), Nanos::from_secs(10))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a share of a run's time: positive and exact to the microsecond"
)]
fn share(time: Nanos, share: f64) -> Nanos {
    Nanos((time.0 as f64 * share) as u64)
}
