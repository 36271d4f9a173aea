//! A figure that may not be had.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A figure, or the reason why this machine or this contender cannot give it.
///
/// A missing figure is never zero and never a sentinel: whoever prints it must say why it is
/// missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Figure<T> {
    /// The figure was measured.
    Known(T),
    /// The figure cannot be had.
    Absent {
        /// Why, as the end of the sentence "not measured: ...".
        reason: String,
    },
}

impl<T> Figure<T> {
    /// A figure that cannot be had.
    #[must_use]
    pub fn absent(reason: impl Into<String>) -> Self {
        Self::Absent {
            reason: reason.into(),
        }
    }

    /// The figure, if it was measured.
    pub const fn known(&self) -> Option<&T> {
        match self {
            Self::Known(value) => Some(value),
            Self::Absent { .. } => None,
        }
    }

    /// Why it is missing, if it is.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Known(_) => None,
            Self::Absent { reason } => Some(reason),
        }
    }

    /// The same figure in other terms.
    pub fn map<U>(&self, convert: impl FnOnce(&T) -> U) -> Figure<U> {
        match self {
            Self::Known(value) => Figure::Known(convert(value)),
            Self::Absent { reason } => Figure::absent(reason.clone()),
        }
    }
}
