//! A latency histogram that is stored without loss.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use hdrhistogram::Histogram as Hdr;
use hdrhistogram::serialization::{Deserializer, Serializer as _, V2DeflateSerializer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Nanos;

/// The largest recordable latency: no single request is waited for longer than a minute.
const HIGHEST: u64 = 60_000_000_000;

/// Three significant digits: a quantile is off by 0.1 % at most, for 221 kB a histogram.
const DIGITS: u8 = 3;

/// Latencies in nanoseconds, from 1 ns to 60 s with three significant digits (an HDR histogram).
///
/// Stored as text: HdrHistogram's V2 format, deflated, in base64, which every HdrHistogram tool
/// reads. Histograms are merged, never averaged.
#[derive(Clone, Debug, PartialEq, JsonSchema)]
#[schemars(with = "String")]
pub struct Histogram(Hdr<u64>);

/// Why a stored histogram could not be read.
#[derive(Debug, thiserror::Error)]
pub enum HistogramError {
    /// The text is not base64.
    #[error("a stored histogram is not base64")]
    Base64(#[from] base64::DecodeError),
    /// The bytes are not an HdrHistogram.
    #[error("a stored histogram is not in HdrHistogram's V2 format: {0}")]
    Format(String),
}

impl Histogram {
    /// An empty one.
    #[must_use]
    pub fn new() -> Self {
        let hdr = Hdr::new_with_bounds(1, HIGHEST, DIGITS);
        // The bounds are constants of this file and satisfy the library's rules; a test holds it.
        Self(hdr.unwrap_or_else(|_| unreachable!("1 ns to 60 s with 3 digits is a valid range")))
    }

    /// Counts one latency. What lies above 60 s is counted as 60 s.
    pub fn record(&mut self, latency: Nanos) {
        self.0.saturating_record(latency.0.max(1));
    }

    /// Adds all that `other` counted.
    pub fn merge(&mut self, other: &Self) {
        // Both have the bounds of this file, so nothing can fall outside.
        let added = self.0.add(&other.0);
        debug_assert!(added.is_ok(), "histograms of equal bounds always add up");
    }

    /// How many latencies were counted.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// The latency that a share `q` (from 0 to 1) of the requests did not exceed, or nothing where
    /// nothing was counted. It is the highest value of its bucket: at most 0.1 % too high.
    #[must_use]
    pub fn quantile(&self, q: f64) -> Option<Nanos> {
        (!self.0.is_empty()).then(|| Nanos(self.0.value_at_quantile(q)))
    }

    /// The mean, or nothing where nothing was counted.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (!self.0.is_empty()).then(|| self.0.mean())
    }

    /// The smallest and the largest latency, each to its bucket.
    #[must_use]
    pub fn range(&self) -> Option<(Nanos, Nanos)> {
        (!self.0.is_empty()).then(|| (Nanos(self.0.min()), Nanos(self.0.max())))
    }

    fn to_text(&self) -> Result<String, String> {
        let mut bytes = Vec::new();
        V2DeflateSerializer::new()
            .serialize(&self.0, &mut bytes)
            .map_err(|error| error.to_string())?;
        Ok(BASE64.encode(bytes))
    }

    fn from_text(text: &str) -> Result<Self, HistogramError> {
        let bytes = BASE64.decode(text)?;
        let hdr: Hdr<u64> = Deserializer::new()
            .deserialize(&mut bytes.as_slice())
            .map_err(|error| HistogramError::Format(error.to_string()))?;
        Ok(Self(hdr))
    }
}

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

impl Serialize for Histogram {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = self.to_text().map_err(serde::ser::Error::custom)?;
        serializer.serialize_str(&text)
    }
}

impl<'de> Deserialize<'de> for Histogram {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::from_text(&text).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::{Histogram, Nanos};

    #[test]
    fn a_stored_histogram_reads_back_with_every_quantile_equal() {
        let mut histogram = Histogram::new();
        for value in (1..40_000_u64).map(|i| i * i) {
            histogram.record(Nanos(value));
        }
        let stored = serde_json::to_string(&histogram).unwrap();
        let read: Histogram = serde_json::from_str(&stored).unwrap();
        for q in [0.0, 0.1, 0.5, 0.9, 0.99, 0.999, 1.0] {
            assert_eq!(read.quantile(q), histogram.quantile(q), "quantile {q}");
        }
        assert_eq!(read.count(), 39_999);
    }

    #[test]
    fn merging_differs_from_averaging_percentiles() {
        let fill = |fast: u64, slow: u64| {
            let mut histogram = Histogram::new();
            (0..fast).for_each(|_| histogram.record(Nanos::from_millis(1)));
            (0..slow).for_each(|_| histogram.record(Nanos::from_millis(100)));
            histogram
        };
        let mut merged = fill(1_000, 0);
        merged.merge(&fill(900, 100));
        let millis = |q| merged.quantile(q).unwrap().as_millis_f64().round() as u64;
        assert_eq!((millis(0.95), millis(0.99)), (1, 100));
    }

    #[test]
    fn what_exceeds_a_minute_is_counted_as_a_minute() {
        let mut histogram = Histogram::new();
        histogram.record(Nanos::from_secs(100));
        assert_eq!(histogram.count(), 1);
        assert!(histogram.quantile(1.0).unwrap() >= Nanos::from_secs(60));
    }
}
