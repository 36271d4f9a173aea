//! The blocks of a workload: one slice of each contender, close together in time.

use faceoff_record::{
    Figure, Launches, Nanos, Sample, Severity, SliceFailure, SliceId, SliceLine, Warning,
    WarningCode, Workload,
};

use super::pilot::{Entrant, Order, shared_warm_up};
use super::setback::Setback;
use super::{Halt, Run, elapsed};
use crate::contender::{Contender, Verified};
use crate::events::Event;
use crate::host::now;
use crate::measure::{Measured, measure};

/// A contender whose slices failed this often gets no more of them: each may cost the time until
/// a launch is given up.
const MOST_FAILURES: usize = 3;

/// Idle contenders that use more than this share of a processor disturb the one that is measured.
const IDLE_SHARE: f64 = 0.01;

/// The contenders' present launches, by the entrants' numbers; all empty where each slice has its
/// own.
type Lives = Vec<Option<Contender<Verified>>>;

impl Run<'_, '_> {
    /// Carries out the blocks in their order, within the time.
    pub(super) fn blocks(
        &mut self,
        workload: &Workload,
        entrants: &[Entrant<'_>],
        order: &Order,
        deadline: Nanos,
    ) -> Result<(), Halt> {
        let mut lives = match order.launches {
            Launches::Fresh => entrants.iter().map(|_| None).collect(),
            Launches::Shared => self.launch_all(workload, entrants)?,
        };
        let began = now();
        let total: usize = order.blocks.iter().map(Vec::len).sum();
        let mut done = 0_usize;
        for (number, block) in order.blocks.iter().enumerate() {
            // Fixed before and independent of every outcome: the time that was announced.
            if number >= 2 && now() + order.block_time > deadline {
                self.note_cut_short(workload, number, order.blocks.len());
                break;
            }
            for (position, entrant_number) in block.iter().enumerate() {
                self.lab.cancel.check()?;
                let Some(entrant) = entrants.get(*entrant_number) else {
                    continue;
                };
                let slice = SliceId {
                    workload: workload.name.clone(),
                    contender: entrant.pilot.contender.clone(),
                    block: u32::try_from(number).unwrap_or(u32::MAX),
                    position: u32::try_from(position).unwrap_or(u32::MAX),
                };
                let left = time_left(began, done, total, order);
                self.tell(Event::Slice {
                    slice: slice.clone(),
                    done: u32::try_from(done).unwrap_or(u32::MAX),
                    total: u32::try_from(total).unwrap_or(u32::MAX),
                    left,
                });
                let warm_up = order
                    .warm_ups
                    .get(*entrant_number)
                    .copied()
                    .unwrap_or_default();
                self.slice(
                    workload,
                    entrant,
                    *entrant_number,
                    slice,
                    warm_up,
                    &mut lives,
                )?;
                done += 1;
            }
        }
        for life in lives.into_iter().flatten() {
            self.stop(life)?;
        }
        Ok(())
    }

    /// One slice, whose result is on disk when this returns.
    fn slice(
        &mut self,
        workload: &Workload,
        entrant: &Entrant<'_>,
        number: usize,
        slice: SliceId,
        warm_up: Nanos,
        lives: &mut Lives,
    ) -> Result<(), Halt> {
        let lost = |failure: &&SliceFailure| {
            failure.slice.contender == slice.contender && failure.slice.workload == slice.workload
        };
        let result = if self.record.failures.iter().filter(lost).count() >= MOST_FAILURES {
            Err(Setback::refused("not tried: too many of its slices failed"))
        } else if lives.iter().any(Option::is_some) {
            self.shared_slice(workload, number, warm_up, lives)
        } else {
            self.fresh_slice(workload, entrant, warm_up)
        };
        match result {
            Ok((start_up, measured)) => self.keep_sample(slice, start_up, measured),
            Err(Setback::Halt(halt)) => Err(halt),
            Err(Setback::Refused(refusal)) => self.keep_failure(slice, refusal.reason),
        }
    }

    /// A slice with a launch of its own.
    fn fresh_slice(
        &mut self,
        workload: &Workload,
        entrant: &Entrant<'_>,
        warm_up: Nanos,
    ) -> Result<(Figure<Nanos>, Measured), Setback> {
        let ready = entrant
            .contender
            .launch(&mut self.lab, &workload.contract)?;
        let mut verified = ready.verify_launch(&workload.contract, &self.lab.cancel)?;
        let measured = measure(
            &mut verified,
            workload,
            warm_up,
            workload.timing.window,
            &self.lab,
        )?;
        let start_up = verified.start_up().clone();
        self.stop(verified)?;
        Ok((start_up, measured))
    }

    /// A slice of a contender that lives through all blocks, with the others idle beside it.
    fn shared_slice(
        &mut self,
        workload: &Workload,
        number: usize,
        warm_up: Nanos,
        lives: &mut Lives,
    ) -> Result<(Figure<Nanos>, Measured), Setback> {
        let idle_before = idle_cpu(lives, number);
        let began = now();
        let Some(Some(life)) = lives.get_mut(number) else {
            return Err(Setback::refused("its launch for all slices had failed"));
        };
        let measured = measure(life, workload, warm_up, workload.timing.window, &self.lab)?;
        let start_up = Figure::absent("the launch served several slices");
        let time = elapsed(began).as_secs_f64();
        for (other, before, after) in pair_up(&idle_before, &idle_cpu(lives, number)) {
            let share = (after - before).as_secs_f64() / time.max(1e-9);
            if share > IDLE_SHARE
                && let Some(Some(idle)) = lives.get(other)
            {
                let name = idle.plan().name.clone();
                let text = format!(
                    "{name} used {:.0} % of a processor while another contender was measured, \
                     which slows that one.",
                    share * 100.0
                );
                let (code, severity) = (WarningCode::IdleNotIdle, Severity::Warning);
                self.doubt(code, severity, &name, Some(&workload.name), text);
            }
        }
        Ok((start_up, measured))
    }

    /// Launches, checks and warms every contender once.
    fn launch_all(&mut self, workload: &Workload, entrants: &[Entrant<'_>]) -> Result<Lives, Halt> {
        let mut lives = Vec::new();
        for entrant in entrants {
            lives.push(match self.launch_one(workload, entrant) {
                Ok(life) => Some(life),
                Err(Setback::Halt(halt)) => return Err(halt),
                // Its slices will say so, one by one.
                Err(Setback::Refused(_)) => None,
            });
        }
        Ok(lives)
    }

    fn launch_one(
        &mut self,
        workload: &Workload,
        entrant: &Entrant<'_>,
    ) -> Result<Contender<Verified>, Setback> {
        let ready = entrant
            .contender
            .launch(&mut self.lab, &workload.contract)?;
        let mut life = ready.verify_launch(&workload.contract, &self.lab.cancel)?;
        let warm_up = shared_warm_up(entrant);
        measure(&mut life, workload, Nanos::ZERO, warm_up, &self.lab)?;
        Ok(life)
    }

    fn keep_sample(
        &mut self,
        slice: SliceId,
        start_up: Figure<Nanos>,
        measured: Measured,
    ) -> Result<(), Halt> {
        let sample = Sample {
            slice,
            start_up,
            outcome: measured.outcome,
            usage: measured.usage,
            steal: measured.steal,
            checked_under_load: measured.checked_under_load,
        };
        let line = SliceLine::Sample(sample);
        self.store.append(&line)?;
        if let SliceLine::Sample(sample) = line {
            self.tell(Event::Measured {
                slice: sample.slice.clone(),
                throughput: sample.throughput(),
            });
            self.record.samples.push(sample);
        }
        Ok(())
    }

    fn keep_failure(&mut self, slice: SliceId, reason: String) -> Result<(), Halt> {
        let failure = SliceFailure { slice, reason };
        self.store.append(&SliceLine::Failed(failure.clone()))?;
        self.tell(Event::SliceFailed {
            slice: failure.slice.clone(),
            reason: failure.reason.clone(),
        });
        self.record.failures.push(failure);
        Ok(())
    }

    /// Ends a contender, and notes it if that took force.
    pub(super) fn stop(&mut self, contender: Contender<Verified>) -> Result<(), Halt> {
        let name = contender.plan().name.clone();
        // A keeper that is gone has taken its contender with it; there is nothing left to stop.
        if contender.stop().unwrap_or(false) {
            let text = format!(
                "{name} did not end within 2 s of SIGTERM and was killed; this costs time between \
                 slices and does not bias the ratio."
            );
            self.doubt(
                WarningCode::StoppedByForce,
                Severity::Note,
                &name,
                None,
                text,
            );
        }
        self.lab.cancel.check()?;
        Ok(())
    }

    fn note_cut_short(&mut self, workload: &Workload, done: usize, planned: usize) {
        self.record.warnings.push(Warning {
            code: WarningCode::Machine,
            severity: Severity::Note,
            workload: Some(workload.name.clone()),
            contender: None,
            text: format!(
                "Only {done} of {planned} planned blocks fitted into the announced time: slices \
                 took longer than their pilots. The order of the others is as planned."
            ),
        });
    }
}

/// How long the rest takes, by the slices so far; by the pilots before there are any.
fn time_left(began: Nanos, done: usize, total: usize, order: &Order) -> Nanos {
    let blocks = order.blocks.len().max(1) as u64;
    let rest = (total - done) as u64;
    match (elapsed(began).0).checked_div(done as u64) {
        Some(each) => Nanos(each * rest),
        None => Nanos(order.block_time.0 * blocks / (total.max(1) as u64) * rest),
    }
}

/// The CPU time so far of all contenders but one, each with its number.
fn idle_cpu(lives: &mut Lives, but: usize) -> Vec<(usize, Nanos)> {
    let others = lives
        .iter_mut()
        .enumerate()
        .filter(|(number, _)| *number != but);
    others
        .filter_map(|(number, life)| {
            let usage = life.as_mut()?.usage().ok()??;
            Some((number, usage.cpu))
        })
        .collect()
}

/// Readings before and after of those that have both.
fn pair_up(before: &[(usize, Nanos)], after: &[(usize, Nanos)]) -> Vec<(usize, Nanos, Nanos)> {
    before
        .iter()
        .filter_map(|(number, cpu)| {
            let (_, later) = after.iter().find(|(other, _)| other == number)?;
            Some((*number, *cpu, *later))
        })
        .collect()
}
