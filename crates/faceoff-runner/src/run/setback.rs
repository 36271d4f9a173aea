//! Why a step gave no result: the run ends, or only this contender is out.

use faceoff_record::Violation;

use super::Halt;
use crate::cancel::Cancelled;
use crate::contender::{LaunchError, Unverified};
use crate::measure::MeasureError;

/// A step without a result.
pub(super) enum Setback {
    /// The run goes no further.
    Halt(Halt),
    /// The contender is out, of this slice or of this workload; the others go on.
    Refused(Refusal),
}

/// Why a contender is out.
pub(super) struct Refusal {
    /// Why, as a sentence.
    pub(super) reason: String,
    /// The broken rule, where one was broken.
    pub(super) violation: Option<Box<Violation>>,
}

impl Setback {
    /// The contender is out for this reason.
    pub(super) fn refused(reason: impl Into<String>) -> Self {
        Self::Refused(Refusal {
            reason: reason.into(),
            violation: None,
        })
    }
}

impl From<Halt> for Setback {
    fn from(halt: Halt) -> Self {
        Self::Halt(halt)
    }
}

impl From<Box<Violation>> for Setback {
    fn from(violation: Box<Violation>) -> Self {
        Self::Refused(Refusal {
            reason: format!(
                "breaks the rule `{}`: {}",
                violation.rule, violation.problem
            ),
            violation: Some(violation),
        })
    }
}

impl From<Unverified> for Setback {
    fn from(error: Unverified) -> Self {
        match error {
            Unverified::Cancelled(cancelled) => Self::Halt(cancelled.into()),
            Unverified::Broken(violation) => violation.into(),
        }
    }
}

impl From<LaunchError> for Setback {
    fn from(error: LaunchError) -> Self {
        match error {
            LaunchError::Cancelled(cancelled) => Self::Halt(cancelled.into()),
            LaunchError::Wrong(violation) => violation.into(),
            other => Self::refused(other.to_string()),
        }
    }
}

impl From<MeasureError> for Setback {
    fn from(error: MeasureError) -> Self {
        match error {
            MeasureError::Wrong(violation) => violation.into(),
            error if error.is_cancelled() => Self::Halt(Cancelled.into()),
            error => Self::refused(error.to_string()),
        }
    }
}
