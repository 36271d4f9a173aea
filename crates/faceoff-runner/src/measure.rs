//! One load of one verified contender, and what both sides consumed meanwhile.

use std::time::Duration;

use faceoff_record::{
    Figure, LoadOrder, LoadOutcome, Nanos, ResourceUsage, TreeUsage, Violation, Workload,
};

use crate::cancel::Cancelled;
use crate::contender::{Contender, Verified};
use crate::generator::{Generator, GeneratorError};
use crate::host::{StealMeter, now};
use crate::keep::{Exit, KeeperError};
use crate::lab::Lab;
use crate::verify;

/// How many whole answers of each load are checked.
const KEEP_EXCHANGES: u32 = 16;

/// Two readings this far apart that are equal show that the contender is idle again.
const SETTLE_STEP: Duration = Duration::from_millis(5);

/// How long it may take to become idle after a load.
const SETTLE_STEPS: u32 = 10;

/// What one load gave.
pub(crate) struct Measured {
    pub(crate) outcome: LoadOutcome,
    pub(crate) usage: Figure<ResourceUsage>,
    pub(crate) steal: Figure<f64>,
    pub(crate) checked_under_load: u32,
}

/// Why a load gave nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum MeasureError {
    /// The user asked to end.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The generator gave no outcome.
    #[error(transparent)]
    Generator(#[from] GeneratorError),
    /// The contender's keeper is gone.
    #[error(transparent)]
    Keeper(#[from] KeeperError),
    /// The contender died.
    #[error("it ended with {exit} under load; {tail}")]
    Died {
        /// How.
        exit: Exit,
        /// The end of its log.
        tail: String,
    },
    /// A kept answer breaks the contract.
    #[error("an answer under load is wrong: {}", .0.problem)]
    Wrong(Box<Violation>),
}

impl MeasureError {
    /// Whether the user asked to end.
    pub(crate) const fn is_cancelled(&self) -> bool {
        matches!(
            self,
            Self::Cancelled(_) | Self::Generator(GeneratorError::Cancelled(_))
        )
    }
}

/// Loads a contender once, with this warm-up and window.
pub(crate) fn measure(
    contender: &mut Contender<Verified>,
    workload: &Workload,
    warm_up: Nanos,
    window: Nanos,
    lab: &Lab,
) -> Result<Measured, MeasureError> {
    let mut timing = workload.timing;
    (timing.warm_up, timing.window) = (warm_up, window);
    let order = LoadOrder {
        target: contender.target(),
        load: workload.load,
        connection_use: workload.connection_use,
        timing,
        requests: workload.contract.requests.clone(),
        keep_exchanges: KEEP_EXCHANGES,
        cores: lab.cores.generator.clone(),
    };
    let before = contender.usage()?;
    let steal = StealMeter::start(&lab.cores.contender);
    let mut generator = Generator::start(&lab.programs.generate, &order)?;
    let (window_from, window_to) = generator.loading(&lab.cancel)?;
    sleep_until(window_from, lab)?;
    let opening = contender.usage()?;
    sleep_until(window_to, lab)?;
    let closing = contender.usage()?;
    let outcome = generator.outcome(&lab.cancel)?;
    let steal = steal.share();
    if let Some(exit) = contender.exit()? {
        let tail = contender.log_tail();
        return Err(MeasureError::Died { exit, tail });
    }
    let after = settled(contender, lab)?;
    let checked_under_load =
        verify::kept(&outcome.kept, &workload.contract).map_err(MeasureError::Wrong)?;
    let usage = match (before, opening, closing, after) {
        (Some(before), Some(opening), Some(closing), Some(after)) => Figure::Known(
            Readings {
                before,
                opening,
                closing,
                after,
            }
            .usage(contender, &outcome)?,
        ),
        _ => Figure::absent("it was running already, so its processes are not known"),
    };
    Ok(Measured {
        outcome,
        usage,
        steal,
        checked_under_load,
    })
}

/// Sleeps until an instant of the monotonic clock.
fn sleep_until(instant: Nanos, lab: &Lab) -> Result<(), Cancelled> {
    lab.cancel.sleep(instant.since(now()).into())
}

/// The usage once it no longer grows: a reading of an idle process is exact, that of a busy one
/// as old as the last clock tick.
fn settled(
    contender: &mut Contender<Verified>,
    lab: &Lab,
) -> Result<Option<TreeUsage>, MeasureError> {
    let mut last = contender.usage()?;
    for _ in 0..SETTLE_STEPS {
        lab.cancel.sleep(SETTLE_STEP)?;
        let next = contender.usage()?;
        let idle = match (&last, &next) {
            (Some(last), Some(next)) => last.cpu == next.cpu,
            _ => true,
        };
        last = next;
        if idle {
            break;
        }
    }
    Ok(last)
}

/// The four readings of one load.
struct Readings {
    /// Idle, before the load.
    before: TreeUsage,
    /// About when the window began.
    opening: TreeUsage,
    /// About when it ended.
    closing: TreeUsage,
    /// Idle again.
    after: TreeUsage,
}

impl Readings {
    fn usage(
        &self,
        contender: &mut Contender<Verified>,
        outcome: &LoadOutcome,
    ) -> Result<ResourceUsage, KeeperError> {
        let memory = contender.memory()?;
        let (memory_after_bytes, memory_peak_bytes) = memory.map_or_else(
            || (Figure::absent("not read"), Figure::absent("not read")),
            |memory| (memory.pss_bytes, memory.peak_bytes),
        );
        let cpu_per_second = self.cpu_per_second();
        Ok(ResourceUsage {
            cpu_per_second,
            cpu_us_per_request: per_request(cpu_per_second, outcome),
            load_cpu: self.after.cpu - self.before.cpu,
            load_cpu_by_stat: self.after.cpu_by_stat - self.before.cpu_by_stat,
            memory_after_bytes,
            memory_peak_bytes,
            processes: self.after.processes,
        })
    }

    /// By the instants of the readings themselves: they lie close to the window's ends, and how
    /// close does not matter to a rate.
    fn cpu_per_second(&self) -> f64 {
        let time = (self.closing.read_at - self.opening.read_at).as_secs_f64();
        if time > 0.0 {
            (self.closing.cpu - self.opening.cpu).as_secs_f64() / time
        } else {
            0.0
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
fn per_request(cpu_per_second: f64, outcome: &LoadOutcome) -> Figure<f64> {
    let seconds = outcome.window.as_secs_f64();
    if outcome.counts.good == 0 || seconds <= 0.0 {
        return Figure::absent("no answer was right");
    }
    let per_second = outcome.counts.good as f64 / seconds;
    Figure::Known(cpu_per_second / per_second * 1e6)
}
