//! What a run could show, and how much longer it would have to be.

use crate::student;

/// Chance with which a difference of the detectable size is found.
const POWER: f64 = 0.8;

/// The smallest difference, on the log scale, that `n` blocks whose log-ratios spread by `s` show
/// at level `alpha` in four runs of five: `(t(1 - alpha/2, n - 1) + t(0.8, n - 1)) s / sqrt(n)`,
/// the usual approximation to the noncentral t distribution. As a ratio it is its exponential.
///
/// Nothing for fewer than two blocks.
#[must_use]
pub fn detectable_difference(s: f64, n: usize, alpha: f64) -> Option<f64> {
    let freedom = n.checked_sub(1).filter(|&freedom| freedom > 0)?;
    let t = student::quantile(1.0 - alpha / 2.0, freedom) + student::quantile(POWER, freedom);
    let difference = t * s / (n as f64).sqrt();
    difference.is_finite().then_some(difference)
}

/// How many blocks in all give a half-width of `w` on the log scale, after `n0` blocks whose
/// log-ratios spread by `s`: `max(n0, ceil((t(1 - alpha/2, n0 - 1) s / w)^2))`.
///
/// The second of Stein's two stages (Stein 1945): the interval `mean of all N +- w` then covers
/// with at least `1 - alpha` for normal data, whatever their true spread. Nothing for fewer than
/// two blocks or a width that is not positive.
#[must_use]
pub fn stein_blocks(s: f64, n0: usize, w: f64, alpha: f64) -> Option<u64> {
    let freedom = n0.checked_sub(1).filter(|&freedom| freedom > 0)?;
    let needed = (student::quantile(1.0 - alpha / 2.0, freedom) * s / w)
        .powi(2)
        .ceil();
    // The cast saturates; nobody waits for 2^64 blocks anyway.
    (w > 0.0 && needed.is_finite()).then(|| (needed as u64).max(n0 as u64))
}

#[cfg(test)]
mod tests {
    use super::{detectable_difference, stein_blocks};

    #[test]
    fn the_detectable_difference_follows_the_table() {
        // In units of s, for one pair and for three, by the number of blocks.
        let table = [
            (6, 1.425, 1.818),
            (8, 1.153, 1.423),
            (12, 0.888, 1.067),
            (16, 0.749, 0.890),
            (18, 0.701, 0.829),
            (24, 0.597, 0.702),
            (26, 0.572, 0.671),
        ];
        for (n, one, three) in table {
            for (pairs, expected) in [(1.0, one), (3.0, three)] {
                let found = detectable_difference(1.0, n, 0.05 / pairs).unwrap();
                assert!(
                    (found - expected).abs() < 6e-4,
                    "n {n}, {pairs} pairs: {found}"
                );
            }
        }
    }

    #[test]
    fn stein_asks_for_the_known_number_of_blocks() {
        assert_eq!(stein_blocks(5.0, 10, 0.98, 0.05), Some(134));
        assert_eq!(
            stein_blocks(0.001, 10, 0.98, 0.05),
            Some(10),
            "never fewer than there are"
        );
    }

    #[test]
    fn without_a_spread_to_go_by_nothing_is_forecast() {
        assert_eq!(detectable_difference(1.0, 1, 0.05), None);
        assert_eq!(detectable_difference(f64::NAN, 9, 0.05), None);
        assert_eq!(stein_blocks(1.0, 1, 0.02, 0.05), None);
        assert_eq!(stein_blocks(1.0, 9, 0.0, 0.05), None);
        assert_eq!(stein_blocks(1.0, 9, -1.0, 0.05), None);
    }
}
