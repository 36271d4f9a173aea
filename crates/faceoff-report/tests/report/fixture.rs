//! Runs with known figures, built by hand.

use std::collections::BTreeMap;
use std::path::PathBuf;

use faceoff_record::{
    BuildFacts, Class, Conformance, ConnectionCounts, ConnectionUse, Contender, ContenderFacts,
    ContenderName, Contract, CorePlan, Depth, Ending, Environment, FORMAT, Figure, GeneratorHealth,
    Histogram, Launches, LeftOut, Load, LoadOutcome, Managed, Nanos, Plan, PortChoice, Record,
    ResourceUsage, Sample, SliceId, Start, Timing, Toolchain, WindowCounts, Workload, WorkloadName,
    WorkloadSchedule,
};
use faceoff_stats::{
    Analysis, ContenderAnalysis, Interval, MedianRatio, PairAnalysis, StartUp, Verdict,
    WorkloadAnalysis,
};

pub(crate) const WORKLOAD: &str = "values";

pub(crate) fn named(name: &str) -> ContenderName {
    ContenderName::new(name)
}

pub(crate) fn workload() -> WorkloadName {
    WorkloadName::new(WORKLOAD)
}

/// A run of these contenders that nothing was measured in.
pub(crate) fn record(names: &[&str]) -> Record {
    Record {
        format: FORMAT,
        faceoff: "0.1.0".into(),
        command: vec!["faceoff".into(), "run".into()],
        started: "2026-03-01T10:00:00Z".into(),
        plan: Plan {
            suite: "iris-2017".into(),
            seed: 42,
            depth: Depth::Standard,
            time_per_workload: Nanos::from_secs(180),
            zone: 0.02,
            cores: CorePlan {
                contender: vec![1],
                generator: vec![0],
                rest: Vec::new(),
            },
            contenders: names.iter().map(|name| contender(name)).collect(),
            workloads: vec![planned_workload(WORKLOAD)],
            services: Vec::new(),
            left_out: Vec::new(),
        },
        environment: environment(),
        contenders: names.iter().map(|name| verified(name)).collect(),
        schedules: vec![schedule(names)],
        samples: Vec::new(),
        failures: Vec::new(),
        warnings: Vec::new(),
        ending: Ending::Complete,
    }
}

fn environment() -> Environment {
    Environment {
        kernel: "6.12.0".into(),
        system: "Debian 13".into(),
        processor: "AMD EPYC 7B13".into(),
        cores: vec![0, 1],
        memory_bytes: 4 << 30,
        governor: None,
        clock_source: Some("tsc".into()),
        open_files: 65_536,
        ephemeral_ports: Some((32_768, 60_999)),
        toolchains: vec![Toolchain {
            name: "go".into(),
            version: "1.26.0".into(),
        }],
    }
}

pub(crate) fn contender(name: &str) -> Contender {
    Contender {
        name: named(name),
        language: "Rust".into(),
        framework: Some(name.into()),
        version: Some("1.2".into()),
        class: Class::Standard,
        workloads: Vec::new(),
        scheme: faceoff_record::Scheme::Http,
        start: Start::Managed(Managed {
            folder: PathBuf::from("contenders").join(name),
            build: None,
            command: vec!["./server".into(), "{port}".into()],
            env: BTreeMap::new(),
            port: PortChoice::Fresh,
            ready_within: Nanos::from_secs(30),
            source: vec!["src/**".into()],
        }),
    }
}

pub(crate) fn planned_workload(name: &str) -> Workload {
    Workload {
        name: WorkloadName::new(name),
        load: Load::Closed { connections: 64 },
        connection_use: ConnectionUse::KeepAlive,
        timing: Timing {
            warm_up: Nanos::from_millis(500),
            window: Nanos::from_millis(800),
            grace: Nanos::from_millis(100),
            timeout: Nanos::from_secs(2),
        },
        contract: Contract {
            requests: Vec::new(),
            launch_requests: Vec::new(),
            probes: Vec::new(),
            same_body: false,
        },
    }
}

pub(crate) fn facts(name: &str, conformance: Vec<Conformance>) -> ContenderFacts {
    ContenderFacts {
        contender: named(name),
        build: Figure::Known(BuildFacts {
            inputs_sha256: "00".into(),
            program_sha256: None,
            took: Nanos::from_secs(9),
            unchanged: false,
        }),
        lines_of_code: Figure::Known(48),
        conformance,
    }
}

pub(crate) fn verified(name: &str) -> ContenderFacts {
    verified_on(name, &[workload()])
}

pub(crate) fn verified_on(name: &str, workloads: &[WorkloadName]) -> ContenderFacts {
    let conformance = |workload: &WorkloadName| Conformance::Verified {
        workload: workload.clone(),
        checked: 24,
        flags: Vec::new(),
        first: None,
    };
    facts(name, workloads.iter().map(conformance).collect())
}

pub(crate) fn refused(name: &str, reason: &str) -> ContenderFacts {
    let conformance = Conformance::Refused {
        workload: workload(),
        reason: reason.into(),
        violation: None,
    };
    facts(name, vec![conformance])
}

pub(crate) fn left_out(name: &str, reason: &str) -> LeftOut {
    LeftOut {
        contender: named(name),
        language: "C#".into(),
        reason: reason.into(),
    }
}

fn schedule(names: &[&str]) -> WorkloadSchedule {
    let block: Vec<ContenderName> = names.iter().map(|name| named(name)).collect();
    WorkloadSchedule {
        workload: workload(),
        launches: Launches::Fresh,
        pilots: Vec::new(),
        blocks: vec![block; 18],
        exploratory: false,
    }
}

/// A sample; the view takes its window and the generator's backend, all else from the analysis.
pub(crate) fn sample(name: &str, block: u32) -> Sample {
    Sample {
        slice: SliceId {
            workload: workload(),
            contender: named(name),
            block,
            position: 0,
        },
        start_up: Figure::Known(Nanos::from_millis(12)),
        outcome: LoadOutcome {
            started: Nanos::ZERO,
            window_from: Nanos::from_millis(500),
            window: Nanos::from_millis(800),
            counts: WindowCounts::default(),
            sent: 0,
            good: 0,
            failed: 0,
            in_flight_at_end: 0,
            oldest_in_flight: None,
            service: Histogram::new(),
            tenths: Vec::new(),
            connections: ConnectionCounts::default(),
            generator: GeneratorHealth {
                backend: "io_uring".into(),
                threads: 1,
                cpu: Nanos::from_millis(500),
                run_queue_wait: None,
            },
            kept: Vec::new(),
            first_failures: Vec::new(),
        },
        usage: Figure::Known(ResourceUsage {
            cpu_per_second: 0.99,
            cpu_us_per_request: Figure::Known(18.0),
            load_cpu: Nanos::from_millis(800),
            load_cpu_by_stat: Nanos::from_millis(800),
            memory_after_bytes: Figure::Known(11_000_000),
            memory_peak_bytes: Figure::Known(12_000_000),
            processes: 1,
        }),
        steal: Figure::Known(0.0),
        checked_under_load: 4,
    }
}

/// What an analysis says of a contender of this throughput.
pub(crate) fn figures(name: &str, rank: (u32, u32), per_second: f64) -> ContenderAnalysis {
    ContenderAnalysis {
        contender: named(name),
        samples: 18,
        rank,
        letters: "a".into(),
        throughput: Interval {
            value: per_second,
            low: per_second / 1.012,
            high: per_second * 1.012,
        },
        slices: vec![(0, per_second * 0.99), (1, per_second * 1.01)],
        cpu_us_per_request: Some(1e6 / per_second),
        memory_after_bytes: Some(12_897_485.0),
        memory_peak_bytes: Some(15_204_352),
        start_up: Some(StartUp {
            median: Nanos(12_340_000),
            interval: Some((Nanos(11_900_000), Nanos(13_100_000))),
        }),
        bytes_per_answer: Some(134.0),
        service: vec![
            (0.5, Nanos(1_174_000)),
            (0.9, Nanos(1_420_000)),
            (0.99, Nanos(2_310_000)),
            (0.999, Nanos(9_870_000)),
        ],
        failed: 0,
        good: 765_432,
        server_busy: Some(0.987),
        generator_busy: 0.624,
        generator_limited: false,
        absent: Vec::new(),
    }
}

/// A pair as the statistics would word it.
pub(crate) fn pair(a: &str, b: &str, ratio: f64, verdict: Verdict) -> PairAnalysis {
    let interval = Interval {
        value: ratio,
        low: ratio / 1.014,
        high: ratio * 1.014,
    };
    let figures = format!("{ratio:.2}x ({:.2} to {:.2})", interval.low, interval.high);
    let sentence = match &verdict {
        Verdict::Faster => format!("{a} is faster than {b}: {figures}"),
        Verdict::Equal => format!("{a} and {b} are equal within 2 %: {figures}"),
        Verdict::Undecided => format!("undecided between {a} and {b}: {figures}"),
        Verdict::Void { reason } => format!("no verdict on {a} and {b}: {reason}"),
    };
    PairAnalysis {
        a: named(a),
        b: named(b),
        blocks: 18,
        ratio: Some(interval),
        median: Some(MedianRatio {
            value: ratio,
            interval: Some((interval.low, interval.high)),
        }),
        sign_flip_p: Some(0.000_01),
        ratios: vec![(0, ratio), (1, ratio)],
        verdict,
        qualifiers: Vec::new(),
        sentence,
    }
}

pub(crate) fn analysis(contenders: Vec<ContenderAnalysis>, pairs: Vec<PairAnalysis>) -> Analysis {
    Analysis {
        workloads: vec![WorkloadAnalysis {
            workload: workload(),
            blocks: if contenders.is_empty() { 0 } else { 18 },
            contenders,
            pairs,
        }],
        warnings: Vec::new(),
    }
}

/// Three contenders, all compared, and one that is left out.
pub(crate) fn three() -> (Record, Analysis) {
    let names = ["hyper", "net-http", "express"];
    let mut record = record(&names);
    record.plan.left_out = vec![left_out(
        "kestrel",
        "needs dotnet 10, which is not installed",
    )];
    for name in names {
        record
            .samples
            .extend((0..18).map(|block| sample(name, block)));
    }
    let contenders = vec![
        figures("hyper", (1, 1), 53_140.2),
        figures("net-http", (2, 2), 43_203.4),
        figures("express", (3, 3), 9_876.5),
    ];
    let pairs = vec![
        pair("hyper", "net-http", 1.23, Verdict::Faster),
        pair("hyper", "express", 5.38, Verdict::Faster),
        pair("net-http", "express", 4.37, Verdict::Faster),
    ];
    (record, analysis(contenders, pairs))
}

/// A run that is judged by the statistics themselves: 18 blocks of three contenders.
pub(crate) fn judged() -> (Record, Analysis) {
    let speeds = [("express", 9_870), ("hyper", 53_140), ("net-http", 52_900)];
    let mut record = record(&speeds.map(|(name, _)| name));
    for block in 0..18 {
        for (name, speed) in speeds {
            let mut sample = sample(name, block);
            let wobble = u64::from(block * 7 % 5) * speed / 500;
            let outcome = &mut sample.outcome;
            outcome.counts.good = (speed + wobble) * 4 / 5;
            outcome.counts.bytes_in = outcome.counts.good * 134;
            for answer in 0..1_000 {
                outcome.service.record(Nanos(1_000_000 + answer * 1_000));
            }
            record.samples.push(sample);
        }
    }
    let analysis = faceoff_stats::analyse(&record);
    (record, analysis)
}

/// That many contenders with long names, all pairs compared.
pub(crate) fn many(number: u32, name: impl Fn(u32) -> String) -> (Record, Analysis) {
    let names: Vec<String> = (1..=number).map(name).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut record = record(&names);
    record.samples = names.iter().map(|name| sample(name, 0)).collect();
    let speed = |place: u32| 1_234_567.8 / f64::from(place);
    let ranked = names.iter().zip(1..);
    let contenders = ranked.clone().map(|(name, place)| {
        let mut figures = figures(name, (place, (place + 1).min(number)), speed(place));
        figures.memory_after_bytes = Some(123_456_789.0 * f64::from(place));
        figures.memory_peak_bytes = Some(223_456_789 * u64::from(place));
        figures
    });
    let contenders = contenders.collect();
    let mut pairs = Vec::new();
    for (a, place) in ranked.clone() {
        for (b, other) in ranked.clone().filter(|&(_, other)| other > place) {
            pairs.push(pair(a, b, speed(place) / speed(other), Verdict::Faster));
        }
    }
    (record, analysis(contenders, pairs))
}
