//! What a thread may ask for itself: a processor of its own, exact timers, and how long it had to
//! wait for a processor.

use std::fs::File;
use std::io;
use std::num::NonZeroU64;
use std::os::unix::fs::FileExt as _;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity, set_current_timer_slack};

/// Binds the calling thread to one processor.
///
/// # Errors
///
/// If this process may not run on that processor, or there is none of that number.
pub fn pin_to(core: u32) -> io::Result<()> {
    let core = core as usize;
    if core >= CpuSet::MAX_CPU {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    }
    let mut set = CpuSet::new();
    set.set(core);
    Ok(sched_setaffinity(None, &set)?)
}

/// The processors on which the calling thread may run, in ascending order.
///
/// # Errors
///
/// If the kernel does not tell.
pub fn allowed_cores() -> io::Result<Vec<u32>> {
    let set = sched_getaffinity(None)?;
    Ok((0_u32..)
        .take(CpuSet::MAX_CPU)
        .filter(|core| set.is_set(*core as usize))
        .collect())
}

/// Asks that the calling thread's timers are not delayed for the sake of batching. Usually the
/// kernel may delay them by 50 us, which would be an error of that size in every planned instant.
///
/// # Errors
///
/// If the kernel refuses.
pub fn ask_for_exact_timers() -> io::Result<()> {
    Ok(set_current_timer_slack(NonZeroU64::new(1))?)
}

/// How long the calling thread, ready to run, waited for a processor.
#[derive(Debug)]
pub struct RunQueueWait(File);

impl RunQueueWait {
    /// Of the thread that calls this; nothing where the kernel has no such figures.
    #[must_use]
    pub fn of_this_thread() -> Option<Self> {
        File::open("/proc/thread-self/schedstat").ok().map(Self)
    }

    /// The time waited since the thread began, in nanoseconds; nothing where the kernel does not
    /// keep the figure, or has not counted anything of this thread yet, which it does at the next
    /// clock tick.
    #[must_use]
    pub fn so_far(&self) -> Option<u64> {
        let mut text = [0; 96];
        let length = self.0.read_at(&mut text, 0).ok()?;
        let mut fields = str::from_utf8(text.get(..length)?)
            .ok()?
            .split_ascii_whitespace();
        let ran: u64 = fields.next()?.parse().ok()?;
        let waited = fields.next()?.parse().ok()?;
        // A kernel that does not keep these figures prints zeros.
        (ran > 0).then_some(waited)
    }
}

#[cfg(test)]
mod tests {
    use super::{RunQueueWait, allowed_cores, ask_for_exact_timers, pin_to};

    #[test]
    fn a_pinned_thread_may_run_on_its_processor_only() {
        std::thread::spawn(|| {
            let core = *allowed_cores().unwrap().last().unwrap();
            pin_to(core).unwrap();
            assert_eq!(allowed_cores().unwrap(), [core]);
        })
        .join()
        .unwrap();
    }

    #[test]
    fn pinning_to_a_processor_that_cannot_exist_is_an_error() {
        assert!(pin_to(u32::MAX).is_err());
    }

    #[test]
    fn exact_timers_can_be_asked_for_without_privilege() {
        ask_for_exact_timers().unwrap();
    }

    #[test]
    fn the_time_waited_for_a_processor_only_grows() {
        let Some(wait) = RunQueueWait::of_this_thread() else {
            return;
        };
        let before = wait.so_far();
        assert!(wait.so_far() >= before);
    }
}
