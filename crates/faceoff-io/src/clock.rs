//! Instants and CPU time, in nanoseconds.

use rustix::time::{ClockId, Timespec, clock_gettime};

/// The monotonic clock (`CLOCK_MONOTONIC`), which all processes of this machine share. It costs
/// about 23 ns, so it can be read for every event.
#[must_use]
#[inline]
pub fn now() -> u64 {
    nanoseconds(clock_gettime(ClockId::Monotonic))
}

/// How much CPU time the calling thread has used.
#[must_use]
pub fn thread_cpu() -> u64 {
    nanoseconds(clock_gettime(ClockId::ThreadCPUTime))
}

/// Both clocks begin at zero and count up, so neither field is ever negative.
#[inline]
const fn nanoseconds(time: Timespec) -> u64 {
    time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_nsec.unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::{now, thread_cpu};

    #[test]
    fn the_monotonic_clock_never_goes_back() {
        let mut last = now();
        for _ in 0..10_000 {
            let next = now();
            assert!(next >= last);
            last = next;
        }
    }

    #[test]
    fn work_uses_cpu_time_of_the_thread_that_does_it() {
        let before = thread_cpu();
        let from = now();
        // The monotonic clock is only the work here: reading it until the CPU clock has moved.
        while thread_cpu() == before {
            assert!(now() >= from);
        }
        assert!(thread_cpu() > before);
    }
}
