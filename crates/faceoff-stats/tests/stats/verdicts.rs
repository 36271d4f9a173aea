//! Verdicts on built runs.

use faceoff_record::{Depth, Ending, Failure, Figure, Launches, Nanos};
use faceoff_stats::{PairAnalysis, Qualifier, Verdict};

use crate::bench::{Bench, busy, wobble};

const BOTH: [&str; 2] = ["hyper", "axum"];

/// Hyper at this multiple of axum over so many blocks that share their ups and downs.
fn run(ratio: f64, blocks: u32) -> Bench {
    Bench::of(&BOTH, blocks, |name, block| {
        let weather = 1.0 + 0.1 * f64::from(block).cos();
        let (own, salt) = if name == "hyper" {
            (ratio, 1)
        } else {
            (1.0, 2)
        };
        200_000.0 * weather * own * wobble(block, salt)
    })
}

fn reason(pair: &PairAnalysis) -> &str {
    match &pair.verdict {
        Verdict::Void { reason } => reason,
        other => panic!("{other:?} is not void"),
    }
}

#[test]
fn each_kind_of_ratio_gets_its_verdict_and_its_sentence() {
    use Qualifier::Negligible;
    let cases: [(f64, Verdict, &[Qualifier], &str); 5] = [
        (
            1.23,
            Verdict::Faster,
            &[],
            "hyper is faster than axum: 1.23x (1.22 to 1.24)",
        ),
        (
            1.0205,
            Verdict::Faster,
            &[Negligible],
            "hyper is faster than axum, perhaps by too little to matter: 1.02x (1.01 to 1.03)",
        ),
        (
            1.012,
            Verdict::Equal,
            &[Negligible],
            "hyper and axum are equal within 2 %, with a real but negligible difference: \
             1.01x (1.01 to 1.02)",
        ),
        (
            1.0,
            Verdict::Equal,
            &[],
            "axum and hyper are equal within 2 %: 1.00x (0.99 to 1.01)",
        ),
        (
            0.5,
            Verdict::Faster,
            &[],
            "axum is faster than hyper: 2.00x (1.99 to 2.01)",
        ),
    ];
    for (ratio, verdict, qualifiers, sentence) in cases {
        let pair = run(ratio, 12).pair();
        assert_eq!(pair.sentence, sentence);
        assert_eq!(
            (pair.verdict, pair.qualifiers.as_slice()),
            (verdict, qualifiers),
            "{ratio}"
        );
        assert!(pair.sign_flip_p.is_some() && pair.median.unwrap().interval.is_some());
        assert_eq!((pair.blocks, pair.ratios.len()), (12, 12));
    }
}

#[test]
fn an_undecided_verdict_says_what_was_visible_and_how_long_more_would_take() {
    let noisy = Bench::of(&BOTH, 12, |name, block| match (name, block % 2) {
        ("hyper", 0) => 220_000.0,
        ("hyper", _) => 186_000.0,
        _ => 200_000.0,
    });
    let pair = noisy.pair();
    assert_eq!(pair.verdict, Verdict::Undecided);
    let known = "undecided between hyper and axum: 1.01x (0.96 to 1.07); this run could show \
                 differences of about 8.1 % or more";
    assert_eq!(
        pair.sentence,
        format!("{known}; about 7 more minutes would give +-2 %")
    );
    // Without the times of two blocks nobody can say how long more of them take.
    let timeless = noisy.with(|record| {
        let forget = |sample: &mut faceoff_record::Sample| sample.outcome.started = Nanos::ZERO;
        record.samples.iter_mut().for_each(forget);
    });
    assert_eq!(timeless.pair().sentence, known);
}

#[test]
fn swapping_the_names_swaps_the_verdict_and_changes_no_figure() {
    let plain = run(1.23, 12).pair();
    let swapped = run(1.23, 12).with(|record| {
        for sample in &mut record.samples {
            let name = &mut sample.slice.contender;
            let other = if name.as_str() == "hyper" {
                "axum"
            } else {
                "hyper"
            };
            *name = faceoff_record::ContenderName::new(other);
        }
    });
    let swapped = swapped.pair();
    assert_eq!((&swapped.a, &swapped.b), (&plain.b, &plain.a));
    assert_eq!((swapped.ratio, swapped.median), (plain.ratio, plain.median));
    assert_eq!(
        swapped.sentence,
        "axum is faster than hyper: 1.23x (1.22 to 1.24)"
    );
}

#[test]
fn a_limited_generator_withholds_the_verdict_or_leaves_a_lower_bound() {
    // Generator's and contender's share of their processors, for hyper (faster) and axum.
    let free = (0.6, 0.99);
    let limited = (0.98, 0.6);
    let both_full = (0.98, 0.95);
    let cases = [
        (
            limited,
            free,
            Some(
                "the generator was the limit while hyper was loaded, so hyper is at least 1.23x as \
             fast as axum (1.22 to 1.24)",
            ),
        ),
        (
            free,
            limited,
            Some(
                "the generator was the limit while axum, the slower one, was loaded, so nothing \
             follows on their order",
            ),
        ),
        (
            limited,
            limited,
            Some(
                "the generator was the limit while both were loaded, so nothing follows on their order",
            ),
        ),
        (both_full, free, None),
        (free, free, None),
    ];
    for (hyper, axum, expected) in cases {
        let bench = run(1.23, 12)
            .change("hyper", busy(hyper.0, hyper.1))
            .change("axum", busy(axum.0, axum.1));
        let pair = bench.pair();
        let bound = hyper == limited && axum == free;
        assert_eq!(pair.qualifiers.contains(&Qualifier::LowerBound), bound);
        match expected {
            Some(expected) => {
                assert_eq!(reason(&pair), expected);
                assert_eq!(
                    pair.sentence,
                    format!("no verdict on hyper and axum: {expected}")
                );
                assert!(bench.analysis().is_void());
                assert_eq!(
                    bench.contender("hyper").rank,
                    (1, 2),
                    "the order is withheld"
                );
            }
            None => assert_eq!(pair.verdict, Verdict::Faster),
        }
    }
}

#[test]
fn a_limited_leader_whose_lead_is_not_sure_is_no_lower_bound() {
    let pair = run(1.0, 12).change("hyper", busy(0.98, 0.6)).pair();
    let leader = pair.a.as_str().to_owned();
    let pair = run(1.0, 12).change(&leader, busy(0.98, 0.6)).pair();
    assert!(
        reason(&pair).ends_with("so nothing follows on their order"),
        "{}",
        pair.sentence
    );
    assert_eq!(pair.qualifiers, []);
}

#[test]
fn a_contender_whose_processors_cannot_be_seen_gets_no_benefit_of_the_doubt() {
    let bench = run(1.23, 12)
        .change("hyper", busy(0.97, 0.0))
        .change("hyper", |sample| {
            sample.usage = Figure::absent("it was running already");
        });
    let hyper = bench.contender("hyper");
    assert!(hyper.generator_limited && hyper.server_busy.is_none());
    assert!(hyper.absent.contains(&(
        "cpu_us_per_request".to_owned(),
        "it was running already".to_owned()
    )));
    assert!(bench.pair().qualifiers.contains(&Qualifier::LowerBound));
}

#[test]
fn one_lost_block_in_six_is_left_out_and_more_are_too_many() {
    let few = run(1.23, 12).fail("axum", &[3, 8]).pair();
    assert_eq!((few.verdict, few.blocks), (Verdict::Faster, 10));
    let many = run(1.23, 10).fail("axum", &[2, 5, 7]);
    assert_eq!(reason(&many.pair()), "axum failed in 3 of 10 blocks");
    assert_eq!(many.analysis().workloads[0].blocks, 7);
    // Slices without any trace count as well, and so do those without a right answer.
    let missing = run(1.23, 10).keep(|slice| slice.contender.as_str() != "axum" || slice.block > 2);
    assert_eq!(reason(&missing.pair()), "axum failed in 3 of 10 blocks");
    let silent = run(1.23, 10).change("axum", |sample| {
        if sample.slice.block < 3 {
            sample.outcome.counts.good = 0;
        }
    });
    assert_eq!(reason(&silent.pair()), "axum failed in 3 of 10 blocks");
    assert_eq!(
        silent.contender("axum").slices.len(),
        10,
        "what gave nothing is still shown"
    );
}

#[test]
fn a_run_that_was_cut_off_is_nobodys_failure() {
    let cut = run(1.23, 12)
        .keep(|slice| slice.block < 7 || slice.block == 7 && slice.position == 0)
        .with(|record| record.ending = Ending::Interrupted);
    let pair = cut.pair();
    assert_eq!((pair.verdict, pair.blocks), (Verdict::Faster, 7));
    assert_eq!(cut.analysis().warnings, []);
}

#[test]
fn a_contender_that_fails_its_requests_gets_no_verdict() {
    let bench = run(1.23, 12).change("hyper", |sample| {
        sample.outcome.counts.failed.insert(Failure::Timeout, 500);
        sample
            .outcome
            .counts
            .failed
            .insert(Failure::WrongStatus, 250);
    });
    assert_eq!(
        reason(&bench.pair()),
        "0.3 % of hyper's requests failed (6000 timed out, 3000 wrong status)"
    );
}

#[test]
fn too_little_data_gives_an_undecided_verdict_and_never_a_panic() {
    let nothing = Bench::planned(&BOTH, 12).analysis();
    assert_eq!(nothing.workloads.len(), 1);
    assert!(nothing.workloads[0].contenders.is_empty() && nothing.workloads[0].pairs.is_empty());
    assert!(!nothing.is_void());

    let one = run(1.23, 12).keep(|slice| slice.block == 0 && slice.position == 0);
    let analysis = one.analysis();
    assert_eq!(analysis.workloads[0].contenders.len(), 1);
    let only = &analysis.workloads[0].contenders[0];
    assert_eq!(
        (only.samples, only.rank, only.letters.as_str()),
        (1, (1, 1), "a")
    );
    assert_eq!(only.throughput.low, only.throughput.high);

    let pair = run(1.23, 1).pair();
    assert_eq!(
        (&pair.verdict, pair.ratio, pair.ratios.len()),
        (&Verdict::Undecided, None, 1)
    );
    assert_eq!(
        pair.sentence,
        "undecided between hyper and axum: only 1 block was completed by both, and an interval \
         needs at least two"
    );
    let apart = run(1.23, 2)
        .with(|record| record.schedules.clear())
        .keep(|slice| (slice.contender.as_str() == "hyper") == (slice.block == 0));
    assert_eq!(
        apart.pair().sentence,
        "undecided between hyper and axum: no block was completed by both, and an interval needs \
         at least two"
    );
    let two = run(1.23, 2).pair();
    assert!(two.ratio.is_some() && two.median.unwrap().interval.is_none());
}

#[test]
fn a_record_full_of_zeros_is_survived() {
    let bench = run(1.0, 3).change("hyper", |sample| {
        sample.outcome.window = Nanos::ZERO;
        sample.outcome.generator.threads = 0;
        sample.outcome.counts.good = 0;
    });
    let bench = bench.with(|record| record.plan.cores.contender.clear());
    let hyper = bench.contender("hyper");
    assert_eq!((hyper.throughput.value, hyper.generator_busy), (0.0, 0.0));
    assert_eq!(reason(&bench.pair()), "hyper failed in 3 of 3 blocks");
}

#[test]
fn shared_launches_quick_runs_and_few_blocks_restrict_the_verdict() {
    let shared = run(1.23, 12)
        .with(|record| record.schedules[0].launches = Launches::Shared)
        .pair();
    assert_eq!(shared.qualifiers, [Qualifier::TheseProcessesOnly]);
    assert!(
        shared
            .sentence
            .ends_with("(1.22 to 1.24); for these processes only")
    );
    let quick = run(1.23, 6)
        .with(|record| record.plan.depth = Depth::Quick)
        .pair();
    assert_eq!(quick.qualifiers, [Qualifier::Exploratory]);
    assert!(quick.sentence.ends_with("; exploratory"));
    let short = run(1.23, 12)
        .with(|record| record.schedules[0].exploratory = true)
        .pair();
    assert_eq!(short.qualifiers, [Qualifier::Exploratory]);
    // Five blocks cannot reach 5 % by their signs, whatever they show.
    assert_eq!(run(1.23, 5).pair().qualifiers, [Qualifier::Exploratory]);
    assert_eq!(run(1.23, 6).pair().qualifiers, []);
}

#[test]
fn a_difference_that_a_few_blocks_drive_is_fragile() {
    // Eight blocks the other way by a little, four far ahead by nearly the same much: the mean
    // differs from 1, the median does not.
    let pair = Bench::of(&BOTH, 12, |name, block| {
        let ahead = match (name, block % 3) {
            ("hyper", 0) => 1.25 + 0.01 * f64::from(block),
            ("hyper", _) => 0.999,
            _ => 1.0,
        };
        200_000.0 * ahead
    })
    .pair();
    assert_eq!(pair.verdict, Verdict::Faster, "{}", pair.sentence);
    assert!(pair.qualifiers.contains(&Qualifier::Fragile));
    assert!(
        pair.sentence
            .ends_with("; fragile: a few blocks drive this")
    );
}

#[test]
fn three_contenders_get_simultaneous_intervals_ranks_and_letters() {
    let names = ["slow", "fast", "twin"];
    let bench = Bench::of(&names, 12, |name, block| {
        let (own, salt) = match name {
            "slow" => (1.0, 1),
            "fast" => (1.5, 2),
            _ => (1.5, 3),
        };
        200_000.0 * own * wobble(block, salt)
    });
    let workload = &bench.analysis().workloads[0];
    let places: Vec<_> = workload
        .contenders
        .iter()
        .map(|c| (c.contender.as_str(), c.rank, c.letters.as_str()))
        .collect();
    assert_eq!(places[2], ("slow", (3, 3), "b"));
    assert!(
        places[..2]
            .iter()
            .all(|place| (place.1, place.2) == ((1, 2), "a")),
        "{places:?}"
    );
    assert_eq!(workload.pairs.len(), 3);

    // The same two alone have the narrower interval of a single pair.
    let alone = bench.keep(|slice| slice.contender.as_str() != "twin");
    let alone = alone.with(|record| record.schedules.clear()).pair();
    let among = workload
        .pairs
        .iter()
        .find(|p| p.a.as_str() == "fast" && p.b.as_str() == "slow");
    let (alone, among) = (alone.ratio.unwrap(), among.unwrap().ratio.unwrap());
    assert_eq!(alone.value, among.value);
    let widening = (among.high / among.value).ln() / (alone.high / alone.value).ln();
    assert!((widening - 0.814 / 0.635).abs() < 1e-3, "{widening}");
}

#[test]
fn a_contender_is_described_by_medians_peaks_and_merged_histograms() {
    let bench = run(1.23, 12).change("axum", |sample| {
        let block = u64::from(sample.slice.block);
        (0..100).for_each(|i| sample.outcome.service.record(Nanos::from_millis(1 + i)));
        sample.start_up = Figure::Known(Nanos::from_millis(block + 1));
        if let Figure::Known(usage) = &mut sample.usage {
            usage.memory_peak_bytes = Figure::Known(1_000 + block);
            usage.memory_after_bytes = Figure::absent("smaps_rollup cannot be read");
        }
    });
    let axum = bench.contender("axum");
    assert_eq!(axum.memory_peak_bytes, Some(1_011));
    assert_eq!(axum.memory_after_bytes, None);
    assert_eq!(
        axum.absent,
        [
            (
                "memory_after_bytes".to_owned(),
                "smaps_rollup cannot be read".to_owned()
            ),
            (
                "service".to_owned(),
                "1200 right answers are too few for p99.9".to_owned()
            ),
        ]
    );
    let start_up = axum.start_up.unwrap();
    assert_eq!(
        start_up.interval,
        Some((Nanos::from_millis(3), Nanos::from_millis(10)))
    );
    let millis: Vec<_> = axum
        .service
        .iter()
        .map(|(q, nanos)| (*q, nanos.as_millis_f64().round()))
        .collect();
    assert_eq!(millis, [(0.5, 50.0), (0.9, 90.0), (0.99, 99.0)]);
    assert_eq!(axum.bytes_per_answer, Some(150.0));
    assert_eq!((axum.server_busy, axum.generator_busy), (Some(0.99), 0.6));
}
