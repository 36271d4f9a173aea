//! Time that a hypervisor takes away from processors.

use faceoff_record::Figure;
use procfs::{CurrentSI as _, KernelStats};

/// Measures the share of some processors' time that was stolen between two instants.
pub(crate) struct StealMeter {
    cores: Vec<u32>,
    before: Option<Ticks>,
}

#[derive(Clone, Copy)]
struct Ticks {
    steal: u64,
    total: u64,
}

impl StealMeter {
    /// Starts measuring these processors.
    pub(crate) fn start(cores: &[u32]) -> Self {
        Self {
            before: read(cores),
            cores: cores.to_vec(),
        }
    }

    /// The share of their time stolen since then (0.05 is 5 %).
    #[expect(clippy::cast_precision_loss, reason = "ticks of a few seconds")]
    pub(crate) fn share(&self) -> Figure<f64> {
        let (Some(before), Some(after)) = (self.before, read(&self.cores)) else {
            return Figure::absent("the kernel does not count stolen time");
        };
        let total = after.total.saturating_sub(before.total);
        if total == 0 {
            return Figure::absent("the load was shorter than a clock tick");
        }
        Figure::Known(after.steal.saturating_sub(before.steal) as f64 / total as f64)
    }
}

fn read(cores: &[u32]) -> Option<Ticks> {
    let stats = KernelStats::current().ok()?;
    let mut ticks = Ticks { steal: 0, total: 0 };
    for core in cores {
        let time = stats.cpu_time.get(*core as usize)?;
        let steal = time.steal?;
        ticks.steal += steal;
        ticks.total += time.user
            + time.nice
            + time.system
            + time.idle
            + time.iowait.unwrap_or(0)
            + time.irq.unwrap_or(0)
            + time.softirq.unwrap_or(0)
            + steal;
    }
    Some(ticks)
}
