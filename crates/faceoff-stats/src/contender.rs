//! What is said of one contender: medians over its samples, merged histograms, start-up time.

use faceoff_record::{Figure, Histogram, Nanos, ResourceUsage, Sample};

use crate::log_sample::LogSample;
use crate::order::{median, median_ranks};
use crate::standing::Standing;
use crate::{ContenderAnalysis, Interval, StartUp};

/// Error of the intervals that stand for one contender alone.
const ALPHA: f64 = 0.05;

/// Quantiles worth printing, each with the share of answers above it in thousandths.
const QUANTILES: [(f64, u64); 4] = [(0.5, 500), (0.9, 100), (0.99, 10), (0.999, 1)];

/// A quantile with fewer answers above it is a matter of chance.
const ANSWERS_ABOVE: u64 = 10;

/// Says what is to be said of one contender, rank and letters apart.
pub(crate) fn describe(standing: &Standing<'_>) -> ContenderAnalysis {
    let course = &standing.course;
    let samples: Vec<&Sample> = course.samples.values().copied().collect();
    let mut absent = Vec::new();
    let mut figure = |name: &str, values: Vec<Figure<f64>>| {
        let found = median(values.iter().filter_map(Figure::known).copied());
        if found.is_none() {
            let reason = values
                .iter()
                .find_map(Figure::reason)
                .unwrap_or("there was no sample");
            absent.push((name.to_owned(), reason.to_owned()));
        }
        found
    };
    let used = |read: fn(&ResourceUsage) -> Figure<f64>| -> Vec<Figure<f64>> {
        samples
            .iter()
            .map(|sample| of_usage(sample, read))
            .collect()
    };
    let bytes = |sample: &&Sample| match sample.bytes_per_answer() {
        Some(bytes) => Figure::Known(bytes),
        None => Figure::absent("no answer was right"),
    };

    let cpu_us_per_request = figure(
        "cpu_us_per_request",
        used(|usage| usage.cpu_us_per_request.clone()),
    );
    let memory_after_bytes = figure(
        "memory_after_bytes",
        used(|usage| usage.memory_after_bytes.map(|&b| b as f64)),
    );
    // Asked for its reason only: the figure itself is the largest one.
    figure(
        "memory_peak_bytes",
        used(|usage| usage.memory_peak_bytes.map(|&b| b as f64)),
    );
    figure(
        "server_busy",
        used(|usage| Figure::Known(usage.cpu_per_second)),
    );
    figure(
        "start_up",
        samples
            .iter()
            .map(|s| s.start_up.map(|nanos| nanos.0 as f64))
            .collect(),
    );
    let bytes_per_answer = figure("bytes_per_answer", samples.iter().map(bytes).collect());

    let usages = samples.iter().filter_map(|sample| sample.usage.known());
    let peaks = usages.filter_map(|usage| usage.memory_peak_bytes.known().copied());
    let service = merged(&samples);
    let quantiles = quantiles(&service);
    absent.extend(too_few_answers(&service, &quantiles));

    ContenderAnalysis {
        contender: course.contender.clone(),
        samples: u32::try_from(samples.len()).unwrap_or(u32::MAX),
        rank: (1, 1),
        letters: String::new(),
        throughput: throughput(course.throughputs().map(|(_, value)| value)),
        slices: course
            .samples
            .iter()
            .map(|(block, s)| (*block, s.throughput()))
            .collect(),
        cpu_us_per_request,
        memory_after_bytes,
        memory_peak_bytes: peaks.max(),
        start_up: start_up(
            samples
                .iter()
                .filter_map(|sample| sample.start_up.known().copied()),
        ),
        bytes_per_answer,
        service: quantiles,
        failed: standing.answers.failures(),
        good: standing.answers.good,
        server_busy: standing.load.server,
        generator_busy: standing.load.generator,
        generator_limited: standing.load.generator_limited(),
        absent,
    }
}

/// A figure of a sample's usage; where the whole usage is missing, with the reason for that.
fn of_usage(sample: &Sample, read: fn(&ResourceUsage) -> Figure<f64>) -> Figure<f64> {
    match &sample.usage {
        Figure::Known(usage) => read(usage),
        Figure::Absent { reason } => Figure::absent(reason.clone()),
    }
}

/// The geometric mean of the slices that had right answers, with its t interval. Zero where none
/// had any; without width where only one had.
fn throughput(values: impl Iterator<Item = f64>) -> Interval {
    let values: Vec<f64> = values.collect();
    let only = values.first().copied().unwrap_or_default();
    LogSample::of(values).map_or(
        Interval {
            value: only,
            low: only,
            high: only,
        },
        |sample| sample.t_interval(ALPHA),
    )
}

/// The service times of all slices in one histogram: percentiles are never averaged.
fn merged(samples: &[&Sample]) -> Histogram {
    let mut all = Histogram::new();
    for sample in samples {
        all.merge(&sample.outcome.service);
    }
    all
}

/// The quantiles `q` of `n` answers with `n (1 - q) >= 10`, in whole numbers so that 100 answers
/// are enough for the 90th percentile.
fn quantiles(histogram: &Histogram) -> Vec<(f64, Nanos)> {
    let count = histogram.count();
    let enough = |above: u64| count.saturating_mul(above) >= 1_000 * ANSWERS_ABOVE;
    let allowed = QUANTILES.into_iter().filter(|&(_, above)| enough(above));
    allowed
        .filter_map(|(q, _)| Some((q, histogram.quantile(q)?)))
        .collect()
}

/// Why some of the quantiles are missing.
fn too_few_answers(histogram: &Histogram, found: &[(f64, Nanos)]) -> Option<(String, String)> {
    let missing = QUANTILES.iter().skip(found.len());
    let names: Vec<String> = missing.map(|(q, _)| format!("p{}", q * 100.0)).collect();
    (!names.is_empty()).then(|| {
        let reason = format!(
            "{} right answers are too few for {}",
            histogram.count(),
            names.join(", ")
        );
        ("service".to_owned(), reason)
    })
}

/// The median of the start-up times with its order-statistic interval of at least 95 %: the 3rd
/// and 10th of 12, the 5th and 14th of 18.
fn start_up(times: impl Iterator<Item = Nanos>) -> Option<StartUp> {
    let mut sorted: Vec<Nanos> = times.collect();
    sorted.sort_unstable();
    let upper = sorted.get(sorted.len() / 2)?;
    let lower = sorted.get(sorted.len().saturating_sub(1) / 2)?;
    let interval = median_ranks(sorted.len(), 1.0 - ALPHA)
        .and_then(|(low, high)| Some((*sorted.get(low - 1)?, *sorted.get(high - 1)?)));
    Some(StartUp {
        median: Nanos(lower.0.midpoint(upper.0)),
        interval,
    })
}

#[cfg(test)]
mod tests {
    use faceoff_record::{Histogram, Nanos};

    use super::{quantiles, start_up, throughput, too_few_answers};

    #[test]
    fn start_up_is_the_median_with_the_known_order_statistics() {
        for (n, median, interval) in [
            (0, None, None),
            (1, Some(1), None),
            (12, Some(6), Some((3, 10))),
            (18, Some(9), Some((5, 14))),
        ] {
            // Milliseconds 1 to n, so that the value tells the rank; given in reverse.
            let found = start_up((1..=n).rev().map(Nanos::from_millis));
            assert_eq!(
                found.map(|s| s.median.0 / 1_000_000),
                median,
                "{n} launches"
            );
            let interval = interval.map(|(x, y)| (Nanos::from_millis(x), Nanos::from_millis(y)));
            assert_eq!(found.and_then(|s| s.interval), interval, "{n} launches");
        }
    }

    #[test]
    fn quantiles_need_ten_answers_above_them() {
        let cases: [(u64, &[f64], Option<&str>); 6] = [
            (
                19,
                &[],
                Some("19 right answers are too few for p50, p90, p99, p99.9"),
            ),
            (
                20,
                &[0.5],
                Some("20 right answers are too few for p90, p99, p99.9"),
            ),
            (
                100,
                &[0.5, 0.9],
                Some("100 right answers are too few for p99, p99.9"),
            ),
            (
                1_000,
                &[0.5, 0.9, 0.99],
                Some("1000 right answers are too few for p99.9"),
            ),
            (
                9_999,
                &[0.5, 0.9, 0.99],
                Some("9999 right answers are too few for p99.9"),
            ),
            (10_000, &[0.5, 0.9, 0.99, 0.999], None),
        ];
        for (count, expected, reason) in cases {
            let mut histogram = Histogram::new();
            (1..=count).for_each(|i| histogram.record(Nanos(i * 1_000)));
            let found = quantiles(&histogram);
            let allowed: Vec<f64> = found.iter().map(|(q, _)| *q).collect();
            assert_eq!(allowed, expected, "{count} answers");
            let missing = too_few_answers(&histogram, &found);
            assert_eq!(missing.map(|(_, reason)| reason).as_deref(), reason);
        }
    }

    #[test]
    fn throughput_is_a_geometric_mean_and_has_no_width_without_a_second_value() {
        for (values, expected) in [(&[][..], 0.0), (&[7.0], 7.0), (&[100.0, 400.0], 200.0)] {
            let found = throughput(values.iter().copied());
            assert!((found.value - expected).abs() < 1e-9, "{values:?}");
            assert_eq!(found.low < found.high, values.len() > 1);
        }
    }
}
