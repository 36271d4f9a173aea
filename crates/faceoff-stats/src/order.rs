//! Medians and their order-statistic intervals.

use statrs::distribution::{Binomial, DiscreteCDF};

/// The ranks, from 1, of the two values of a sorted sample of `n` that enclose the true median
/// with at least this probability; nothing where even the extremes do not.
///
/// The values at ranks `r` and `n + 1 - r` enclose the median with probability
/// `1 - 2 P(Binomial(n, 1/2) < r)`, whatever the distribution (the sign test turned round). The
/// largest `r` that reaches the level gives the narrowest such interval.
pub(crate) fn median_ranks(n: usize, level: f64) -> Option<(usize, usize)> {
    let heads = Binomial::new(0.5, n as u64).ok()?;
    let coverage = |rank: usize| 1.0 - 2.0 * heads.cdf(rank as u64 - 1);
    let rank = (1..=n / 2)
        .take_while(|&rank| coverage(rank) >= level)
        .last()?;
    Some((rank, n + 1 - rank))
}

/// The median of finite values, in any order; nothing of nothing.
pub(crate) fn median(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let mut sorted: Vec<f64> = values.into_iter().collect();
    sorted.sort_by(f64::total_cmp);
    median_of_sorted(&sorted)
}

/// The median of a sorted list: for an even number, the mean of the middle two.
pub(crate) fn median_of_sorted(sorted: &[f64]) -> Option<f64> {
    let upper = sorted.get(sorted.len() / 2)?;
    let lower = sorted.get(sorted.len().saturating_sub(1) / 2)?;
    Some((lower + upper) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::{median, median_ranks};

    #[test]
    fn order_statistic_ranks_are_the_known_ones() {
        let cases = [
            (12, 0.95, Some((3, 10))), // 96.1 %
            (18, 0.95, Some((5, 14))), // 96.9 %
            (6, 0.95, Some((1, 6))),   // 96.9 %
            (5, 0.95, None),           // 93.8 % at best
            (10, 0.95, Some((2, 9))),  // 97.9 %
            (100, 0.95, Some((40, 61))),
            (12, 1.0 - 0.05 / 3.0, Some((2, 11))),
            (1, 0.95, None),
            (0, 0.95, None),
        ];
        for (n, level, expected) in cases {
            assert_eq!(median_ranks(n, level), expected, "{n} values at {level}");
        }
    }

    #[test]
    fn large_samples_have_ranks_near_the_normal_approximation() {
        let (low, high) = median_ranks(10_000, 0.95).unwrap();
        assert_eq!((low, high), (4902, 5099));
    }

    #[test]
    fn the_median_of_an_even_number_is_the_mean_of_the_middle_two() {
        let cases: [(&[f64], Option<f64>); 4] = [
            (&[], None),
            (&[3.0], Some(3.0)),
            (&[9.0, 1.0], Some(5.0)),
            (&[5.0, 1.0, 2.0], Some(2.0)),
        ];
        for (values, expected) in cases {
            assert_eq!(median(values.iter().copied()), expected, "{values:?}");
        }
    }
}
