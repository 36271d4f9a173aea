//! Units that are types, so that a millisecond is never taken for a nanosecond.

use std::fmt;
use std::ops::{Add, AddAssign, Sub};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A length of time, or an instant of the monotonic clock, in nanoseconds.
///
/// Instants are those of `CLOCK_MONOTONIC`, which all processes of one machine share, so that the
/// runner, the keeper and the generator can compare theirs.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
)]
#[serde(transparent)]
pub struct Nanos(pub u64);

impl Nanos {
    /// Nothing at all.
    pub const ZERO: Self = Self(0);

    /// From whole milliseconds.
    #[must_use]
    pub const fn from_millis(millis: u64) -> Self {
        Self(millis * 1_000_000)
    }

    /// From whole seconds.
    #[must_use]
    pub const fn from_secs(seconds: u64) -> Self {
        Self(seconds * 1_000_000_000)
    }

    /// In seconds. Exact up to 2^53 ns (104 days).
    #[must_use]
    #[expect(
        clippy::cast_precision_loss,
        reason = "exact up to 104 days, which no run reaches"
    )]
    pub const fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }

    /// In milliseconds.
    #[must_use]
    pub const fn as_millis_f64(self) -> f64 {
        self.as_secs_f64() * 1e3
    }

    /// The time from `earlier` to `self`, zero where `earlier` is the later one.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Self {
        Self(self.0.saturating_sub(earlier.0))
    }
}

impl From<Duration> for Nanos {
    fn from(duration: Duration) -> Self {
        Self(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
    }
}

impl From<Nanos> for Duration {
    fn from(nanos: Nanos) -> Self {
        Self::from_nanos(nanos.0)
    }
}

impl Add for Nanos {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Nanos {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Nanos {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self.since(other)
    }
}

impl fmt::Display for Nanos {
    /// With the unit that keeps the figure short: `873 ns`, `45.2 us`, `3.10 ms`, `2.45 s`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = self.as_secs_f64();
        let (value, unit) = match self.0 {
            0..1_000 => return write!(f, "{} ns", self.0),
            1_000..1_000_000 => (seconds * 1e6, "us"),
            1_000_000..1_000_000_000 => (seconds * 1e3, "ms"),
            _ => (seconds, "s"),
        };
        let decimals = if value < 10.0 {
            2
        } else {
            usize::from(value < 100.0)
        };
        write!(f, "{value:.decimals$} {unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::Nanos;

    #[test]
    fn durations_print_with_three_digits_and_a_fitting_unit() {
        let cases = [
            (873, "873 ns"),
            (45_200, "45.2 us"),
            (3_100_000, "3.10 ms"),
            (187_000_000, "187 ms"),
            (2_450_000_000, "2.45 s"),
        ];
        for (nanos, text) in cases {
            assert_eq!(Nanos(nanos).to_string(), text);
        }
    }
}
