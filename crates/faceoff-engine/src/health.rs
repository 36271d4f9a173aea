//! What a worker's thread consumed in the window: its CPU time, and how long it had to wait for
//! its processor.

use faceoff_io::clock;
use faceoff_io::thread::RunQueueWait;
use faceoff_record::Nanos;

/// What one thread consumed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Consumed {
    pub(crate) cpu: Nanos,
    pub(crate) run_queue_wait: Option<Nanos>,
}

/// Measures the calling thread between two instants.
#[derive(Debug)]
pub(crate) struct Meter {
    run_queue: Option<RunQueueWait>,
    begin: Consumed,
    end: Consumed,
    /// How late the window's beginning was noticed.
    late: Nanos,
}

impl Meter {
    /// Of the thread that calls this.
    pub(crate) fn of_this_thread() -> Self {
        Self {
            run_queue: RunQueueWait::of_this_thread(),
            begin: Consumed::default(),
            end: Consumed::default(),
            late: Nanos::ZERO,
        }
    }

    /// The window has begun, `late` ago. A thread that is asleep wakes within microseconds, so
    /// what exceeds that is time it waited for its processor, and this reading, coming after it,
    /// would not show it.
    pub(crate) fn begin(&mut self, late: Nanos) {
        self.begin = self.read();
        self.late = late;
    }

    /// The window ends.
    pub(crate) fn end(&mut self) {
        self.end = self.read();
    }

    /// What was consumed between the two.
    pub(crate) fn consumed(&self) -> Consumed {
        let waits = self.end.run_queue_wait.zip(self.begin.run_queue_wait);
        Consumed {
            cpu: self.end.cpu.since(self.begin.cpu),
            run_queue_wait: waits.map(|(end, begin)| end.since(begin) + self.late),
        }
    }

    fn read(&self) -> Consumed {
        Consumed {
            cpu: Nanos(clock::thread_cpu()),
            run_queue_wait: self
                .run_queue
                .as_ref()
                .and_then(RunQueueWait::so_far)
                .map(Nanos),
        }
    }
}
