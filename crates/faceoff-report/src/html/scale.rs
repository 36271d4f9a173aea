//! From a value to a place in a chart, and where its ticks are.

use crate::text::fixed;

/// Left free at the ends of a scale, in percent of its length: half a mark.
const MARGIN: f64 = 3.0;

/// An interval of a few values can reach to nothing and to infinity; a scale that held it would
/// show nothing else. It goes this much further than the estimates at most.
pub(super) const REACH: f64 = 8.0;

/// A scale along one side of a chart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    kind: Kind,
    low: f64,
    high: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    FromZero,
    Log,
}

/// A labelled place on a scale.
#[derive(Debug, PartialEq)]
pub(super) struct Tick {
    pub(super) value: f64,
    pub(super) label: String,
}

impl Scale {
    /// For lengths, which mean something only if they begin at zero.
    pub(super) fn from_zero(high: f64) -> Self {
        let high = if high > 0.0 { high } else { 1.0 };
        let (kind, low) = (Kind::FromZero, 0.0);
        Self { kind, low, high }
    }

    /// For ratios: equal ratios are equally far apart. Holds all `values` above zero, and the
    /// `ends` of their intervals as far as they are within reach.
    pub(super) fn log(
        values: impl Iterator<Item = f64> + Clone,
        ends: impl Iterator<Item = f64>,
    ) -> Self {
        let range = |values: &mut dyn Iterator<Item = f64>| {
            let values = values.filter(|value| value.is_finite() && *value > 0.0);
            values.fold((f64::INFINITY, 0.0_f64), |(low, high), value| {
                (low.min(value), high.max(value))
            })
        };
        let (low, high) = range(&mut values.clone());
        let within = ends.map(|end| end.clamp(low / REACH, high * REACH));
        let (low, high) = range(&mut values.chain(within));
        let kind = Kind::Log;
        // Below this, a scale would need more digits than figures have.
        if high / low > 1.0001 {
            Self { kind, low, high }
        } else if low.is_finite() {
            let (low, high) = (low / 2.0, low * 2.0);
            Self { kind, low, high }
        } else {
            let (low, high) = (0.5, 2.0);
            Self { kind, low, high }
        }
    }

    /// Where a value lies, in percent of the length. One beyond an end lies at it.
    pub(super) fn at(&self, value: f64) -> f64 {
        match self.kind {
            Kind::FromZero => (value / self.high).clamp(0.0, 1.0) * (100.0 - MARGIN),
            Kind::Log if value > 0.0 => {
                let share = (value / self.low).ln() / (self.high / self.low).ln();
                MARGIN + share.clamp(0.0, 1.0) * (100.0 - 2.0 * MARGIN)
            }
            Kind::Log => MARGIN,
        }
    }

    /// Whether a value lies on it.
    pub(super) fn holds(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }

    /// At most that many round values on it.
    pub(super) fn ticks(&self, most: usize) -> Vec<Tick> {
        if self.kind == Kind::Log && self.high / self.low >= 4.0 {
            self.round_decades(most)
        } else {
            self.multiples(most)
        }
    }

    /// 1, 2 and 5 of each decade; fewer of them where there are too many.
    fn round_decades(&self, most: usize) -> Vec<Tick> {
        let [first, last] = [self.low, self.high].map(|end| end.log10().floor());
        let places: [&[f64]; 3] = [&[1.0, 2.0, 5.0], &[1.0, 3.0], &[1.0]];
        for (every, digits) in (1_u16..).flat_map(|every| places.map(|digits| (every, digits))) {
            // Only whole decades can be left out.
            if every > 1 && digits.len() > 1 {
                continue;
            }
            let mut ticks = Vec::new();
            let mut decade = first - first.rem_euclid(f64::from(every));
            while decade <= last {
                let values = digits.iter().map(|digit| digit * 10_f64.powf(decade));
                ticks.extend(values.filter(|&value| self.holds(value)));
                decade += f64::from(every);
            }
            if ticks.len() <= most {
                return ticks.into_iter().map(|value| tick(value, value)).collect();
            }
        }
        Vec::new()
    }

    /// Multiples of the smallest round step that makes few enough of them.
    fn multiples(&self, most: usize) -> Vec<Tick> {
        let span = self.high - self.low;
        let mut decade = 10_f64.powf(span.log10().floor() - 2.0);
        loop {
            for digit in [1.0, 2.0, 5.0] {
                let step = digit * decade;
                let first = (self.low / step).ceil();
                let last = (self.high / step).floor();
                let number = last - first + 1.0;
                #[expect(clippy::cast_precision_loss, reason = "a handful")]
                if number <= most as f64 {
                    let mut ticks = Vec::new();
                    let mut index = first;
                    while index <= last {
                        ticks.push(tick(index * step, step));
                        index += 1.0;
                    }
                    return ticks;
                }
            }
            decade *= 10.0;
        }
    }
}

/// A tick with the decimals that its step has.
fn tick(value: f64, step: f64) -> Tick {
    let mut decimals = 0;
    // Nothing that is shown is finer than a thousandth of a per mille.
    while decimals < 6 && step * 10_f64.powi(decimals) < 0.999 {
        decimals += 1;
    }
    let decimals = usize::try_from(decimals).unwrap_or(0);
    let label = fixed(value, decimals);
    Tick { value, label }
}

#[cfg(test)]
mod tests {
    use super::{REACH, Scale};

    fn log(low: f64, high: f64) -> Scale {
        Scale::log([low, high].into_iter(), std::iter::empty())
    }

    fn labels(scale: Scale) -> Vec<String> {
        let ticks = scale.ticks(6).into_iter();
        ticks.map(|tick| tick.label).collect()
    }

    #[test]
    fn ticks_are_round_and_few() {
        let cases: [(Scale, &[&str]); 8] = [
            (
                Scale::from_zero(0.0),
                &["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"],
            ),
            (Scale::from_zero(99.0), &["0", "20", "40", "60", "80"]),
            (
                Scale::from_zero(53_141.0),
                &["0", "10,000", "20,000", "30,000", "40,000", "50,000"],
            ),
            (log(0.98, 1.04), &["0.98", "1.00", "1.02", "1.04"]),
            (log(0.9, 2.2), &["1.0", "1.5", "2.0"]),
            (log(0.9, 6.0), &["1", "2", "5"]),
            (log(0.04, 70.0), &["0.1", "0.3", "1", "3", "10", "30"]),
            (
                log(0.000_1, 1e6),
                &["0.0001", "0.01", "1", "100", "10,000", "1,000,000"],
            ),
        ];
        for (scale, expected) in cases {
            assert_eq!(labels(scale), expected, "{scale:?}");
        }
    }

    #[test]
    fn equal_ratios_are_equally_far_apart() {
        let scale = log(1.0, 16.0);
        let places = [1.0, 2.0, 4.0, 8.0, 16.0].map(|value| scale.at(value));
        for pair in places.windows(2) {
            assert!((pair[1] - pair[0] - 23.5).abs() < 1e-9, "{places:?}");
        }
    }

    #[test]
    fn an_endless_interval_does_not_push_the_estimates_together() {
        let scale = Scale::log([1.0, 2.0].into_iter(), [0.0, 1e300].into_iter());
        assert!(scale.holds(2.0 * REACH) && !scale.holds(2.1 * REACH));
        assert!((scale.at(0.0) - 3.0).abs() < 1e-9);
        assert!((scale.at(1e300) - 97.0).abs() < 1e-9);
    }

    #[test]
    fn without_values_there_is_still_a_scale() {
        let none = Scale::log(std::iter::empty(), std::iter::empty());
        assert!((none.at(1.0) - 50.0).abs() < 1e-9);
        let one = log(7.0, 7.0);
        assert!((one.at(7.0) - 50.0).abs() < 1e-9);
    }
}
