//! How often the statistics are right, on simulated data with fixed seeds.

use faceoff_stats::{Interval, LogSample, Verdict, stein_blocks};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng as _};

use crate::bench::Bench;

/// Draws with a fixed seed; ChaCha gives the same draws in every version.
struct Draws(ChaCha8Rng);

impl Draws {
    fn new(seed: u64) -> Self {
        Self(ChaCha8Rng::seed_from_u64(seed))
    }

    /// Uniform on 0 to 1, never 0.
    fn uniform(&mut self) -> f64 {
        ((self.0.next_u64() >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
    }

    /// Standard normal (Box and Muller).
    fn normal(&mut self) -> f64 {
        let angle = std::f64::consts::TAU * self.uniform();
        (-2.0 * self.uniform().ln()).sqrt() * angle.cos()
    }

    fn chance(&mut self, p: f64) -> bool {
        self.uniform() < p
    }
}

/// Throughputs of several contenders over some blocks: block effects of 10 %, noise of 2 %.
fn blocks(draws: &mut Draws, count: usize, ratios: &[f64]) -> Vec<Vec<f64>> {
    let block = |_| {
        let weather = 0.1 * draws.normal();
        let mut slice = |ratio: &f64| ratio * (weather + 0.02 * draws.normal()).exp();
        ratios.iter().map(&mut slice).collect()
    };
    (0..count).map(block).collect()
}

fn holds(interval: Interval, truth: f64) -> bool {
    interval.low <= truth && truth <= interval.high
}

/// Welch's interval on the log scale, as if the blocks were unknown; only its width is needed.
fn unpaired_width(blocks: &[Vec<f64>]) -> f64 {
    let variance = |place: usize| {
        let values = blocks.iter().map(|block| block[place]);
        LogSample::of(values).unwrap().sd().powi(2) / blocks.len() as f64
    };
    2.0 * 2.07 * (variance(0) + variance(1)).sqrt()
}

#[test]
fn intervals_cover_the_truth_as_often_as_they_say_and_pairing_narrows_them() {
    let mut draws = Draws::new(1);
    let (mut covered, mut paired, mut unpaired) = (0, 0.0, 0.0);
    for _ in 0..2_000 {
        let blocks = blocks(&mut draws, 12, &[1.1, 1.0]);
        let sample = LogSample::paired(blocks.iter().map(|b| (b[0], b[1]))).unwrap();
        let interval = sample.t_interval(0.05);
        covered += u32::from(holds(interval, 1.1));
        paired += (interval.high / interval.low).ln();
        unpaired += unpaired_width(&blocks);
    }
    let share = f64::from(covered) / 2_000.0;
    assert!((0.935..=0.965).contains(&share), "covered {share}");
    assert!(unpaired > 3.0 * paired, "{unpaired} against {paired}");
}

#[test]
fn four_identical_contenders_are_rarely_told_apart() {
    let mut draws = Draws::new(2);
    let pairs = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)];
    let mut false_claims = 0;
    for _ in 0..2_000 {
        let blocks = blocks(&mut draws, 12, &[1.0; 4]);
        let claims = |(x, y): (usize, usize)| {
            let sample = LogSample::paired(blocks.iter().map(|b| (b[x], b[y]))).unwrap();
            !holds(sample.t_interval(0.05 / 6.0), 1.0)
        };
        false_claims += u32::from(pairs.into_iter().any(claims));
    }
    assert!(
        f64::from(false_claims) <= 0.065 * 2_000.0,
        "{false_claims} of 2000"
    );
}

/// How many of 200 runs of 12 blocks, with this true ratio and this spread of the log-ratios, get
/// the verdict.
fn verdicts(seed: u64, ratio: f64, spread: f64, verdict: &Verdict) -> usize {
    let mut draws = Draws::new(seed);
    let each = spread / 2.0_f64.sqrt();
    let mut run = || {
        let throughput = |name: &str, _| {
            let own = if name == "a" { ratio } else { 1.0 };
            2e6 * own * (each * draws.normal()).exp()
        };
        Bench::of(&["a", "b"], 12, throughput).pair()
    };
    let is_it = |pair: &faceoff_stats::PairAnalysis| {
        // The verdict is on the pair as ordered; a difference must also name the right one.
        pair.verdict == *verdict && (*verdict == Verdict::Equal || pair.a.as_str() == "a")
    };
    (0..200).filter(|_| is_it(&run())).count()
}

#[test]
fn equal_contenders_are_found_equal_and_faster_ones_faster() {
    let equal = verdicts(3, 1.0, 0.01, &Verdict::Equal);
    assert!(equal > 180, "equal in {equal} of 200");
    let faster = verdicts(4, 1.05, 0.02, &Verdict::Faster);
    assert!(faster > 180, "faster in {faster} of 200");
}

#[test]
fn steins_second_stage_gives_the_published_length_and_coverage() {
    let mut draws = Draws::new(5);
    let (runs, half_width) = (2_000, 0.98);
    let (mut lengths, mut covered) = (0, 0);
    for _ in 0..runs {
        let mut values: Vec<f64> = (0..10).map(|_| 5.0 * draws.normal()).collect();
        let spread = LogSample::from_logs(values.clone()).unwrap().sd();
        let length = stein_blocks(spread, values.len(), half_width, 0.05).unwrap();
        while (values.len() as u64) < length {
            values.push(5.0 * draws.normal());
        }
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        covered += u32::from(mean.abs() <= half_width);
        lengths += length;
    }
    let (length, share) = (
        lengths as f64 / f64::from(runs),
        f64::from(covered) / f64::from(runs),
    );
    assert!((length - 135.0).abs() < 4.0, "mean length {length}");
    assert!((share - 0.952).abs() < 0.015, "coverage {share}");
}

/// A machine with two speeds: a quarter of the time, in stretches of some ten slices, everything
/// is 1.4 times slower; and one slice in twenty is so by itself.
#[test]
fn a_machine_with_two_speeds_does_not_make_identical_contenders_differ() {
    let mut draws = Draws::new(6);
    let runs = 500;
    let mut false_claims = 0;
    for _ in 0..runs {
        let mut slow = draws.chance(0.25);
        let throughput = |_: &str, _| {
            slow = draws.chance(if slow { 0.9 } else { 1.0 / 30.0 });
            let hit = f64::from(u8::from(slow)) + f64::from(u8::from(draws.chance(0.05)));
            2e6 * 1.4_f64.powf(-hit) * (0.02 * draws.normal()).exp()
        };
        let pair = Bench::of(&["a", "b"], 10, throughput).pair();
        false_claims += u32::from(pair.verdict == Verdict::Faster);
    }
    assert!(
        f64::from(false_claims) <= 0.08 * f64::from(runs),
        "{false_claims} of {runs}"
    );
}
