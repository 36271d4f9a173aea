//! Ctrl-C and other requests to end.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

/// Tells whether the user asked to end. Cheap to clone and to ask.
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<AtomicBool>);

/// The user asked to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("interrupted")]
pub struct Cancelled;

/// How long any wait may go on before it looks whether it should end.
const ATTENTION: Duration = Duration::from_millis(20);

impl Cancel {
    /// Listens to `SIGINT`, `SIGTERM` and `SIGHUP` from now on.
    ///
    /// # Errors
    ///
    /// The system refuses a signal handler.
    pub fn on_signals() -> io::Result<Self> {
        let cancel = Self::default();
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            signal_hook::flag::register(signal, Arc::clone(&cancel.0))?;
        }
        Ok(cancel)
    }

    /// Asks to end.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// An error as soon as somebody asked to end.
    ///
    /// # Errors
    ///
    /// Somebody asked to end.
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.0.load(Ordering::Relaxed) {
            Err(Cancelled)
        } else {
            Ok(())
        }
    }

    /// Does `work` beside this thread. As soon as somebody asks to end, `give_up` is called, which
    /// must make the work come to its end.
    pub(crate) fn during<T: Send>(
        &self,
        work: impl FnOnce() -> T + Send,
        mut give_up: impl FnMut(),
    ) -> Result<T, Cancelled> {
        std::thread::scope(|scope| {
            let (sender, result) = mpsc::channel();
            scope.spawn(move || sender.send(work()));
            loop {
                match result.recv_timeout(ATTENTION) {
                    Ok(result) => return self.check().map(|()| result),
                    Err(RecvTimeoutError::Timeout) => {
                        if self.check().is_err() {
                            give_up();
                        }
                    }
                    // The work panicked; leaving the scope passes that on.
                    Err(RecvTimeoutError::Disconnected) => return Err(Cancelled),
                }
            }
        })
    }

    /// Sleeps for this long, or until somebody asks to end.
    pub(crate) fn sleep(&self, duration: Duration) -> Result<(), Cancelled> {
        let until = Instant::now() + duration;
        loop {
            self.check()?;
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(());
            }
            std::thread::sleep(left.min(ATTENTION));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::{Cancel, Cancelled};

    #[test]
    fn work_is_given_up_when_somebody_asks_to_end() {
        let cancel = Cancel::default();
        assert_eq!(cancel.during(|| 7, || ()), Ok(7));
        cancel.cancel();
        let (stop, stopped) = mpsc::channel::<()>();
        let mut stop = Some(stop);
        let ended = cancel.during(move || stopped.recv().is_err(), || drop(stop.take()));
        assert_eq!(ended, Err(Cancelled));
    }

    #[test]
    fn waiting_ends_when_somebody_asks_to_end() {
        let cancel = Cancel::default();
        cancel.cancel();
        assert_eq!(cancel.sleep(Duration::from_secs(3_600)), Err(Cancelled));
    }
}
