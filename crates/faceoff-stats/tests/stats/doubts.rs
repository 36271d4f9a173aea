//! The doubts that samples raise.

use faceoff_record::{
    ConnectionUse, Depth, Failure, Figure, Launches, Nanos, Sample, Severity, Warning, WarningCode,
};

use crate::bench::{Bench, busy, wobble};

fn healthy() -> Bench {
    Bench::of(&["hyper", "axum"], 10, |_, block| {
        200_000.0 * wobble(block, 1)
    })
}

type Change = Box<dyn Fn(&mut Sample)>;

#[test]
fn a_healthy_run_raises_no_doubt() {
    assert_eq!(healthy().analysis().warnings, []);
}

#[test]
fn each_doubt_is_raised_once_for_a_contender_with_its_weight() {
    use Severity::{Note, Void, Warning};
    use WarningCode::{
        ConnectionsReopened, ConnectionsUnused, CpuSourcesDiffer, Failures, GeneratorLimit,
        GeneratorWaited, StolenTime,
    };
    let waited = |share: f64| -> Change {
        Box::new(move |s| s.outcome.generator.run_queue_wait = Some(Nanos((share * 1e9) as u64)))
    };
    let steal = |share: f64| -> Change { Box::new(move |s| s.steal = Figure::Known(share)) };
    let by_stat = |millis: u64| -> Change {
        Box::new(move |s| {
            if let Figure::Known(usage) = &mut s.usage {
                usage.load_cpu_by_stat = Nanos::from_millis(millis);
            }
        })
    };
    let failed = |count: u64| -> Change {
        Box::new(move |s| {
            s.outcome.counts.failed.insert(Failure::Reset, count);
        })
    };
    let reopened =
        |count: u64| -> Change { Box::new(move |s| s.outcome.connections.reopened = count) };
    let used = |share: f64| -> Change {
        Box::new(move |s| {
            let connections = &mut s.outcome.connections;
            connections.used = (f64::from(connections.asked) * share) as u32;
        })
    };
    let cases: Vec<(WarningCode, Change, Option<Severity>)> = vec![
        (GeneratorLimit, Box::new(busy(0.86, 0.99)), Some(Note)),
        (GeneratorLimit, Box::new(busy(0.97, 0.93)), Some(Note)),
        (GeneratorLimit, Box::new(busy(0.97, 0.50)), Some(Void)),
        (GeneratorLimit, Box::new(busy(0.84, 0.50)), None),
        (GeneratorWaited, waited(0.009), None),
        (GeneratorWaited, waited(0.02), Some(Note)),
        (GeneratorWaited, waited(0.06), Some(Warning)),
        (StolenTime, steal(0.009), None),
        (StolenTime, steal(0.02), Some(Note)),
        (StolenTime, steal(0.06), Some(Warning)),
        // 1.48 s a slice; 20 ms a slice are within the ticks of two readings of one process.
        (CpuSourcesDiffer, by_stat(1_450), None),
        (CpuSourcesDiffer, by_stat(1_420), Some(Note)),
        (CpuSourcesDiffer, by_stat(1_200), Some(Warning)),
        (Failures, failed(100), Some(Note)),
        (Failures, failed(300), Some(Void)),
        (ConnectionsReopened, reopened(100), None),
        (ConnectionsReopened, reopened(300), Some(Note)),
        (ConnectionsReopened, reopened(30_000), Some(Warning)),
        (ConnectionsUnused, used(1.0), None),
        (ConnectionsUnused, used(0.98), Some(Note)),
        (ConnectionsUnused, used(0.2), Some(Warning)),
    ];
    for (code, change, severity) in cases {
        let warnings = healthy().change("hyper", change).analysis().warnings;
        let found: Vec<_> = warnings
            .iter()
            .map(|w| (w.code, w.severity, w.contender.as_ref().map(|c| c.as_str())))
            .collect();
        let expected: Vec<_> = severity
            .into_iter()
            .map(|severity| (code, severity, Some("hyper")))
            .collect();
        assert_eq!(found, expected, "{warnings:?}");
        let sentence =
            |w: &faceoff_record::Warning| w.text.ends_with('.') && w.text.contains("hyper");
        assert!(warnings.iter().all(sentence), "{warnings:?}");
    }
}

#[test]
fn stolen_time_in_a_single_slice_is_outweighed_by_the_others() {
    let bench = healthy().change("hyper", |sample| {
        if sample.slice.block == 4 {
            sample.steal = Figure::Known(0.5);
        }
    });
    assert_eq!(bench.analysis().warnings, []);
}

#[test]
fn texts_say_what_was_seen_and_what_it_may_do() {
    let bench = healthy().change("axum", |sample| {
        sample.steal = Figure::Known(if sample.slice.block < 7 { 0.03 } else { 0.0 });
    });
    let texts: Vec<String> = bench
        .analysis()
        .warnings
        .into_iter()
        .map(|w| w.text)
        .collect();
    assert_eq!(
        texts,
        [
            "A hypervisor took axum's processors away 3 % of the time (median; above 1 % in 7 of 10 \
         slices): axum may be faster than shown, and its CPU time may hold some of what was taken."
        ]
    );
    let bench = healthy().fail("axum", &[4]);
    let texts: Vec<String> = bench
        .analysis()
        .warnings
        .into_iter()
        .map(|w| w.text)
        .collect();
    assert_eq!(
        texts,
        [
            "axum gave no right answer in 1 of 10 blocks (first: it ended with signal 11): they are left \
         out of its comparisons, which may flatter it."
        ]
    );
}

#[test]
fn lost_slices_are_told_even_of_a_contender_that_has_no_sample_at_all() {
    let all: Vec<u32> = (0..10).collect();
    let analysis = healthy().fail("axum", &all).analysis();
    assert_eq!(analysis.workloads[0].contenders.len(), 1);
    let [warning] = analysis.warnings.as_slice() else {
        panic!("{:?}", analysis.warnings);
    };
    assert_eq!(
        (warning.code, warning.severity),
        (WarningCode::SliceFailed, Severity::Void)
    );
}

#[test]
fn one_request_for_each_connection_is_not_a_closed_connection() {
    let bench = healthy()
        .change("hyper", |sample| {
            sample.outcome.connections.reopened = 200_000
        })
        .with(|record| record.plan.workloads[0].connection_use = ConnectionUse::OneRequest);
    assert_eq!(bench.analysis().warnings, []);
}

#[test]
fn differing_sizes_are_one_note_that_names_the_smallest_and_the_largest() {
    let bench = healthy().change("axum", |sample| {
        sample.outcome.counts.bytes_in = sample.outcome.counts.good * 165;
    });
    let [warning] = &bench.analysis().warnings[..] else {
        panic!("one note");
    };
    assert_eq!(
        (warning.code, warning.severity),
        (WarningCode::SizesDiffer, Severity::Note)
    );
    assert_eq!(warning.contender, None);
    assert!(
        warning
            .text
            .contains("hyper sends 150 bytes for each, axum 165 (10 % more)")
    );
}

#[test]
fn the_runs_own_restrictions_are_told_once() {
    let codes = |bench: Bench| -> Vec<WarningCode> {
        bench.analysis().warnings.iter().map(|w| w.code).collect()
    };
    let restricted = healthy().with(|record| {
        record.schedules[0].exploratory = true;
        record.schedules[0].launches = Launches::Shared;
    });
    let expected = [WarningCode::Exploratory, WarningCode::OneLaunch];
    assert_eq!(codes(restricted.clone()), expected);
    let quick = restricted.with(|record| record.plan.depth = Depth::Quick);
    assert_eq!(codes(quick), expected);
}

#[test]
fn doubts_found_while_measuring_come_first_and_are_not_repeated() {
    let told = Warning {
        code: WarningCode::SliceFailed,
        severity: Severity::Warning,
        workload: Some(faceoff_record::WorkloadName::new("plaintext")),
        contender: Some(faceoff_record::ContenderName::new("axum")),
        text: "told by the runner".to_owned(),
    };
    let with_told = |bench: Bench| {
        bench
            .with(|record| record.warnings.push(told.clone()))
            .analysis()
    };
    let warnings = with_told(healthy().fail("axum", &[4])).warnings;
    assert_eq!(warnings, std::slice::from_ref(&told));
    // What weighs more is said all the same.
    let warnings = with_told(healthy().fail("axum", &[1, 4, 7])).warnings;
    assert_eq!(warnings.len(), 2);
    assert_eq!(
        (&warnings[0], warnings[1].severity),
        (&told, Severity::Void)
    );
}
