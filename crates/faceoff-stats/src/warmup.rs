//! When a contender was warm, from the answers of its pilot.

use crate::order::median;

/// Fewer tenths of a second than this show no course.
const SHORTEST: usize = 6;

/// Warm is what reaches this share of the later rate: above it, what is still missing is within
/// the ordinary spread of tenths of a second.
const WARM: f64 = 0.95;

/// The index of the first tenth of a second in which the pilot answered at 95 % of the median rate
/// of its second half or more. Nothing where that cannot be said: the pilot was shorter than 0.6 s,
/// its second half was mostly without answers, or the rate was first reached in the second half
/// ("not warmed in the pilot").
///
/// Why no rule on the coefficient of variation: a virtual machine often has two speeds, half as
/// much again apart, and changes between them at any time. A warm server then spreads by 13 to
/// 17 % for good, so "spread below 5 %" would wait until the end of every pilot, for every
/// contender. The median of the second half is the rate of whichever speed prevailed, and a single
/// bad tenth moves nothing. A change to the faster speed half-way makes the warm-up longer than it
/// need be; one to the slower speed can shorten it, but only to where that speed was reached.
#[must_use]
pub fn steady_after(tenths: &[u32]) -> Option<usize> {
    if tenths.len() < SHORTEST {
        return None;
    }
    let (first, second) = tenths.split_at(tenths.len() / 2);
    let later = median(second.iter().map(|&count| f64::from(count)))?;
    let warm = |&count: &u32| f64::from(count) >= WARM * later;
    (later > 0.0).then(|| first.iter().position(warm))?
}

#[cfg(test)]
mod tests {
    use super::steady_after;

    #[test]
    fn the_pilot_is_steady_from_its_first_tenth_at_the_later_rate() {
        let cases: [(&str, Vec<u32>, Option<usize>); 9] = [
            ("steady from the start", vec![100; 20], Some(0)),
            ("a step", [vec![50; 4], vec![100; 16]].concat(), Some(4)),
            (
                "a ramp",
                (1..=20).map(|i| 100.min(i * 20)).collect(),
                Some(4),
            ),
            (
                "one bad tenth late",
                [vec![100; 15], vec![3], vec![100; 4]].concat(),
                Some(0),
            ),
            (
                "a second half with two speeds",
                [24, 16].repeat(10),
                Some(0),
            ),
            (
                "warm only in the second half",
                [vec![10; 12], vec![100; 8]].concat(),
                None,
            ),
            ("rising to the end", (1..=20).collect(), None),
            ("too short", vec![100; 5], None),
            ("no answers", vec![0; 20], None),
        ];
        for (name, tenths, expected) in cases {
            assert_eq!(steady_after(&tenths), expected, "{name}");
        }
        assert_eq!(steady_after(&[]), None);
    }
}
