//! The order of slices: balanced, mirrored, shuffled (method: randomised complete blocks).
//!
//! Each block has every contender once. Blocks come in pairs of an order and its mirror, next to
//! each other, so that a linear drift of the machine cancels exactly; the pairs are shuffled and
//! the contenders relabelled by the seed, so that no contender is favoured by its place in the
//! file. For up to five contenders whole base sets balance position and first-order carry-over
//! too (Williams 1949); for more they would be too long, and the pairs are random.

use faceoff_record::{Depth, Nanos};
use rand::SeedableRng as _;
use rand::seq::SliceRandom as _;
use rand_chacha::ChaCha8Rng;

/// The stream of the seed from which orders are drawn; contracts use others.
const STREAM: u64 = 100;

/// How many blocks of `contenders` fit into `time`, in steps that keep the order balanced.
///
/// At least two, even where the time is too short: one block says nothing about its own noise.
pub(crate) fn blocks_that_fit(contenders: usize, time: Nanos, block: Nanos) -> usize {
    let fitting = usize::try_from(time.0 / block.0.max(1)).unwrap_or(usize::MAX);
    let step = base_set(contenders).map_or(2, |base| base.len());
    // Where not even one whole base set fits, mirrored pairs still cancel a drift.
    let step = if fitting < step { 2 } else { step };
    (fitting / step * step).clamp(2, 1_000)
}

/// The fewest blocks with which the exact sign-flip test can reach its level for each pair.
pub(crate) fn firm(contenders: usize, blocks: usize, depth: Depth) -> bool {
    let least = match contenders {
        0..=2 => 6,
        3 => 7,
        4 => 8,
        5 => 9,
        _ => 10,
    };
    depth == Depth::Standard && blocks >= least
}

/// The order of `blocks` blocks: for each the contenders' numbers, from 0.
pub(crate) fn order(contenders: usize, blocks: usize, seed: u64) -> Vec<Vec<usize>> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(STREAM);
    let mut ordered = Vec::new();
    while ordered.len() < blocks {
        let mut pairs = match base_set(contenders) {
            Some(base) if blocks - ordered.len() >= base.len() => mirrored_pairs(base),
            _ => vec![random_pair(contenders, &mut rng)],
        };
        let mut labels: Vec<usize> = (0..contenders).collect();
        labels.shuffle(&mut rng);
        pairs.shuffle(&mut rng);
        for mut pair in pairs {
            pair.shuffle(&mut rng);
            ordered.extend(pair.map(|row| relabel(&row, &labels)));
        }
    }
    ordered.truncate(blocks);
    ordered
}

/// The rows that together balance position and neighbours, or nothing where they are too many.
fn base_set(contenders: usize) -> Option<Vec<Vec<usize>>> {
    match contenders {
        0 | 1 => None,
        // For three, all six permutations.
        2..=5 => Some(williams(contenders)),
        _ => None,
    }
}

/// A Williams square: its first row is 0, 1, k-1, 2, k-2, ...; row r adds r to it, modulo k. For
/// an odd number the square is followed by its mirror.
fn williams(contenders: usize) -> Vec<Vec<usize>> {
    let mut first = vec![0];
    let (mut low, mut high) = (1, contenders - 1);
    while first.len() < contenders {
        first.push(low);
        low += 1;
        if first.len() < contenders {
            first.push(high);
            high -= 1;
        }
    }
    let row = |shift: usize| first.iter().map(move |i| (i + shift) % contenders);
    let mut rows: Vec<Vec<usize>> = (0..contenders).map(|shift| row(shift).collect()).collect();
    if contenders % 2 == 1 {
        let mirrors: Vec<_> = rows.iter().map(|row| mirror(row)).collect();
        rows.extend(mirrors);
    }
    rows
}

/// Each row with its mirror, each once; a set that is closed under mirroring has no others.
fn mirrored_pairs(rows: Vec<Vec<usize>>) -> Vec<[Vec<usize>; 2]> {
    let mut pairs: Vec<[Vec<usize>; 2]> = Vec::new();
    for row in rows {
        if !pairs.iter().flatten().any(|seen| *seen == row) {
            let mirrored = mirror(&row);
            pairs.push([row, mirrored]);
        }
    }
    pairs
}

fn random_pair(contenders: usize, rng: &mut ChaCha8Rng) -> [Vec<usize>; 2] {
    let mut row: Vec<usize> = (0..contenders).collect();
    row.shuffle(rng);
    let mirrored = mirror(&row);
    [row, mirrored]
}

fn mirror(row: &[usize]) -> Vec<usize> {
    row.iter().rev().copied().collect()
}

fn relabel(row: &[usize], labels: &[usize]) -> Vec<usize> {
    row.iter().filter_map(|i| labels.get(*i).copied()).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use faceoff_record::{Depth, Nanos};
    use proptest::prelude::*;

    use super::{base_set, blocks_that_fit, firm, mirror, order};

    #[test]
    fn every_contender_stands_equally_often_in_each_position() {
        for contenders in 2..=5 {
            let blocks = blocks_that_fit(contenders, Nanos::from_secs(200), Nanos::from_secs(5));
            let order = order(contenders, blocks, 7);
            let mut counts = BTreeMap::new();
            for block in &order {
                for (position, contender) in block.iter().enumerate() {
                    *counts.entry((position, *contender)).or_insert(0) += 1;
                }
            }
            let expected = blocks / contenders;
            assert_eq!(
                counts.len(),
                contenders * contenders,
                "{contenders} contenders"
            );
            assert!(
                counts.values().all(|count| *count == expected),
                "{counts:?}"
            );
        }
    }

    #[test]
    fn of_three_each_ordered_pair_of_neighbours_comes_twice_in_six_blocks() {
        let mut counts = BTreeMap::new();
        for block in order(3, 6, 11) {
            for pair in block.windows(2) {
                *counts.entry((pair[0], pair[1])).or_insert(0) += 1;
            }
        }
        assert_eq!(counts.len(), 6);
        assert!(counts.values().all(|count| *count == 2), "{counts:?}");
    }

    #[test]
    fn a_linear_drift_cancels_exactly() {
        for contenders in 2..=12 {
            for seed in 0..20 {
                let blocks = if contenders < 6 { 60 } else { 10 };
                let mut sums = vec![0_usize; contenders];
                let slices = order(contenders, blocks, seed);
                for (time, contender) in slices.iter().flatten().enumerate() {
                    sums[*contender] += time;
                }
                assert!(
                    sums.iter().all(|sum| *sum == sums[0]),
                    "{contenders}: {sums:?}"
                );
            }
        }
    }

    #[test]
    fn the_first_contender_is_uniform_over_seeds() {
        let (contenders, seeds) = (3_usize, 6_000_u64);
        let mut counts = vec![0_u64; contenders];
        for seed in 0..seeds {
            counts[order(contenders, 6, seed)[0][0]] += 1;
        }
        let expected = seeds as f64 / contenders as f64;
        let chi_square: f64 = counts
            .iter()
            .map(|count| (*count as f64 - expected).powi(2) / expected)
            .sum();
        // The 1 % point of chi-square with two degrees of freedom.
        assert!(chi_square < 9.21, "{counts:?}");
    }

    #[test]
    fn one_seed_gives_one_order_and_another_seed_another() {
        assert_eq!(order(4, 20, 1), order(4, 20, 1));
        assert_ne!(order(4, 20, 1), order(4, 20, 2));
    }

    #[test]
    fn the_number_of_blocks_keeps_the_balance_and_the_time() {
        // Contenders, seconds, seconds a block, blocks.
        let cases = [
            (2, 60, 2, 30),
            (3, 60, 3, 18),
            (4, 60, 4, 12),
            (5, 100, 5, 20),
            (6, 100, 10, 10),
            (6, 110, 10, 10),
            (3, 12, 3, 4),
            (4, 1, 4, 2),
        ];
        for (contenders, time, block, expected) in cases {
            let found =
                blocks_that_fit(contenders, Nanos::from_secs(time), Nanos::from_secs(block));
            assert_eq!(found, expected, "{contenders} contenders, {time} s");
        }
    }

    #[test]
    fn a_quick_or_short_run_is_not_firm() {
        assert!(firm(2, 6, Depth::Standard) && !firm(2, 4, Depth::Standard));
        assert!(firm(6, 10, Depth::Standard) && !firm(6, 10, Depth::Quick));
    }
    proptest! {
        #[test]
        fn every_order_is_made_of_mirrored_pairs_of_whole_blocks(
            contenders in 1..=12_usize, pairs in 1..=30_usize, seed: u64,
        ) {
            let order = order(contenders, 2 * pairs, seed);
            prop_assert_eq!(order.len(), 2 * pairs);
            for pair in order.chunks(2) {
                let mut sorted = pair[0].clone();
                sorted.sort_unstable();
                prop_assert!(sorted.into_iter().eq(0..contenders), "{:?}", pair);
                prop_assert_eq!(&mirror(&pair[0]), &pair[1]);
            }
        }

        #[test]
        fn whole_base_sets_balance_places_and_neighbours(
            contenders in 2..=5_usize, sets in 1..=5_usize, seed: u64,
        ) {
            let blocks = sets * base_set(contenders).unwrap().len();
            let (mut places, mut neighbours) = (BTreeMap::new(), BTreeMap::new());
            for block in order(contenders, blocks, seed) {
                for (place, contender) in block.iter().enumerate() {
                    *places.entry((place, *contender)).or_insert(0) += 1;
                }
                for pair in block.windows(2) {
                    *neighbours.entry((pair[0], pair[1])).or_insert(0) += 1;
                }
            }
            let k = contenders;
            prop_assert_eq!(places.len(), k * k);
            prop_assert_eq!(neighbours.len(), k * (k - 1));
            // Each block has k places, and k - 1 of the k (k - 1) pairs of neighbours.
            prop_assert!(places.values().chain(neighbours.values()).all(|n| *n == blocks / k));
        }

        #[test]
        fn the_blocks_fit_unless_not_even_two_do(
            contenders in 1..=12_usize, time in 0..4_000_u64, block in 1..100_u64,
        ) {
            let found = blocks_that_fit(contenders, Nanos::from_secs(time), Nanos::from_secs(block));
            prop_assert!(found >= 2 && found.is_multiple_of(2));
            prop_assert!(found == 2 || found as u64 * block <= time);
            // What does not fit any more is less than one further step.
            let step = base_set(contenders).map_or(2, |base| base.len().max(2));
            prop_assert!((found + step) as u64 * block > time || found == 1_000);
        }
    }
}
