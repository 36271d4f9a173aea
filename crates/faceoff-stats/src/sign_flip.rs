//! The sign-flip test: an exact check beside the t interval.

use crate::LogSample;

/// Up to here all `2^n` sign patterns are tried.
const EXACT_TO: usize = 20;

/// Beyond, this many patterns are drawn.
const DRAWS: u32 = 100_000;

/// A constant, so that a stored run gives the same figures whenever it is analysed again.
const SEED: u64 = 0x5eed_0f51_6ef1_1b00;

/// Sums that differ by less than this share of the sum of all magnitudes count as equal: what
/// rounding may add up to over 2^20 steps, and far below any difference in the data.
const TIE: f64 = 1e-9;

/// The two-sided p-value of "no difference": the share of sign patterns whose sum is at least as
/// far from zero as the one found, `#{s : |sum s_b d_b| >= |sum d_b|} / 2^n`.
///
/// The order within a block is random, so without a difference each sign is as likely as its
/// opposite, whatever the distribution. Exact to 20 blocks; beyond, from 100 000 random patterns
/// with the one found counted among them (Phipson and Smyth 2010), so that it is never zero.
#[must_use]
pub fn sign_flip_p(sample: &LogSample) -> f64 {
    let values = sample.logs();
    let magnitude: f64 = values.iter().map(|value| value.abs()).sum();
    let found = values.iter().sum::<f64>().abs() - TIE * magnitude;
    if values.len() <= EXACT_TO {
        exact(values, found)
    } else {
        drawn(values, found)
    }
}

/// The smallest p-value that `n` blocks can give: all on one side.
pub(crate) fn smallest_p(n: usize) -> f64 {
    let exact = 0.5_f64.powi(i32::try_from(n).unwrap_or(i32::MAX) - 1);
    if n <= EXACT_TO {
        exact
    } else {
        exact.max(1.0 / f64::from(DRAWS + 1))
    }
}

/// Goes through the patterns in Gray-code order, in which each differs from the one before by one
/// sign. A pattern and its opposite are equally far from zero, so the first sign is never flipped.
fn exact(values: &[f64], found: f64) -> f64 {
    let Some((_, free)) = values.split_first() else {
        return 1.0;
    };
    let mut flipped = vec![false; free.len()];
    let mut sum: f64 = values.iter().sum();
    let patterns = 1_u64 << free.len();
    let mut as_far = u64::from(sum.abs() >= found);
    for step in 1..patterns {
        let place = step.trailing_zeros() as usize;
        if let (Some(value), Some(flipped)) = (free.get(place), flipped.get_mut(place)) {
            sum += if *flipped { 2.0 * value } else { -2.0 * value };
            *flipped = !*flipped;
        }
        as_far += u64::from(sum.abs() >= found);
    }
    as_far as f64 / patterns as f64
}

fn drawn(values: &[f64], found: f64) -> f64 {
    let mut random = SplitMix(SEED);
    let as_far = (0..DRAWS)
        .filter(|_| {
            let sum: f64 = values
                .chunks(64)
                .map(|chunk| signed_sum(chunk, random.next()))
                .sum();
            sum.abs() >= found
        })
        .count();
    (as_far + 1) as f64 / f64::from(DRAWS + 1)
}

/// The sum of at most 64 values, each negative where its bit is set.
fn signed_sum(values: &[f64], bits: u64) -> f64 {
    let signed = values.iter().enumerate();
    signed
        .map(|(place, value)| {
            if bits >> place & 1 == 1 {
                -value
            } else {
                *value
            }
        })
        .sum()
}

/// SplitMix64 (Steele, Lea, Flood 2014): signs need no better generator, and its ten lines never
/// change under a stored result.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::{SplitMix, drawn, exact, sign_flip_p, smallest_p};
    use crate::LogSample;

    fn p(values: &[f64]) -> f64 {
        sign_flip_p(&LogSample::from_logs(values.to_vec()).unwrap())
    }

    #[test]
    fn small_samples_give_the_known_p_values() {
        let cases: [(&[f64], f64); 5] = [
            (&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 0.031_25),
            (&[0.5, -0.2, 0.9, 1.1, 0.3, 0.7], 0.062_5),
            (&[0.5, -0.2, 0.9, 1.1, 0.3, 0.7, -0.4, 0.6], 0.062_5),
            (&[0.0, 0.0, 0.0], 1.0),
            (&[1.0, -1.0], 1.0),
        ];
        for (values, expected) in cases {
            assert_eq!(p(values), expected, "{values:?}");
            let opposite: Vec<f64> = values.iter().map(|value| -value).collect();
            assert_eq!(p(&opposite), expected, "{values:?} swapped");
        }
    }

    #[test]
    fn twenty_values_on_one_side_are_counted_exactly() {
        let values: Vec<f64> = (1..=20).map(f64::from).collect();
        assert_eq!(p(&values), smallest_p(20));
    }

    #[test]
    fn drawn_patterns_agree_with_all_patterns_and_are_the_same_each_time() {
        let values: Vec<f64> = (0..14).map(|i| 0.4 + (f64::from(i) * 1.7).sin()).collect();
        let found = values.iter().sum::<f64>().abs() - 1e-9;
        let (all, some) = (exact(&values, found), drawn(&values, found));
        assert!(
            (all - some).abs() < 4.0 * (all / 1e5).sqrt(),
            "{all} and {some}"
        );
        assert_eq!(some, drawn(&values, found));
    }

    #[test]
    fn many_blocks_never_give_a_p_value_of_zero() {
        let p = p(&[1.0; 70]);
        assert_eq!(p, 1.0 / 100_001.0);
        assert_eq!(smallest_p(70), p);
    }

    #[test]
    fn the_fewest_blocks_that_reach_the_level_are_the_published_ones() {
        for (contenders, blocks) in [(2, 6), (3, 7), (4, 8), (5, 9), (6, 10)] {
            let alpha = 0.05 / f64::from(contenders * (contenders - 1) / 2);
            let fewest = (2..).find(|&n| smallest_p(n) <= alpha);
            assert_eq!(fewest, Some(blocks), "{contenders} contenders");
        }
    }

    #[test]
    fn the_generator_is_the_published_one() {
        let mut random = SplitMix(1_234_567);
        let expected = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973];
        assert_eq!([random.next(), random.next()], expected);
    }
}
