//! What the exit codes mean. Every command uses the same.

use std::process::ExitCode;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Good. "Undecided" and "equal" are good results.
    Good,
    /// It could not be done, or not all of it.
    Failed,
    /// The command line or a file says something that makes no sense.
    Usage,
    /// A contender failed verification.
    Refused,
    /// The figures are shown and the verdict is withheld.
    Void,
    /// The user asked to end.
    Interrupted,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Good => 0,
            Exit::Failed => 1,
            Exit::Usage => 2,
            Exit::Refused => 3,
            Exit::Void => 4,
            Exit::Interrupted => 130,
        })
    }
}
