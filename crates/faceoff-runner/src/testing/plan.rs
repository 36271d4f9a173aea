//! Small pieces of plans and records.

use std::collections::BTreeMap;

use faceoff_record::{
    ConnectionCounts, Contract, CorePlan, Depth, Ending, Environment, Expectation, FORMAT, Figure,
    GeneratorHealth, Histogram, LoadOutcome, Nanos, Plan, PlannedRequest, Record, Request, Sample,
    SliceId, WindowCounts,
};
use faceoff_record::{ContenderName, WorkloadName};

/// A request for `path` whose right answer has this body.
pub(crate) fn planned(path: &str, body: &str) -> PlannedRequest {
    PlannedRequest {
        request: Request::new("GET", path),
        expect: Expectation {
            status: vec![200],
            media_type: None,
            body: Some(body.into()),
        },
    }
}

/// The contract that `/` is answered with `value`.
pub(crate) fn contract() -> Contract {
    Contract {
        requests: vec![planned("/", "value")],
        launch_requests: vec![planned("/", "value")],
        probes: Vec::new(),
        same_body: false,
    }
}

/// What a load of one right answer gave.
pub(crate) fn outcome() -> LoadOutcome {
    let mut service = Histogram::new();
    service.record(Nanos(123_457));
    LoadOutcome {
        started: Nanos::from_secs(1),
        window_from: Nanos::from_millis(1_500),
        window: Nanos(1_000_000_007),
        counts: WindowCounts {
            good: 1,
            failed: BTreeMap::new(),
            bytes_in: 134,
            bytes_out: 60,
        },
        sent: 1,
        good: 1,
        failed: 0,
        in_flight_at_end: 0,
        oldest_in_flight: None,
        service,
        tenths: vec![1],
        connections: ConnectionCounts::default(),
        generator: GeneratorHealth {
            backend: "readiness".to_owned(),
            threads: 1,
            cpu: Nanos::from_millis(1),
            run_queue_wait: None,
        },
        kept: Vec::new(),
        first_failures: Vec::new(),
    }
}

pub(crate) fn sample(contender: &str, block: u32) -> Sample {
    Sample {
        slice: SliceId {
            workload: WorkloadName::new("values"),
            contender: ContenderName::new(contender),
            block,
            position: 0,
        },
        start_up: Figure::Known(Nanos(12_345_679)),
        outcome: outcome(),
        usage: Figure::absent("it was running already"),
        // Not exact in binary: it must come back as the same number all the same.
        steal: Figure::Known(0.1 + 0.2),
        checked_under_load: 1,
    }
}

/// The record of a run that has just begun.
pub(crate) fn record() -> Record {
    Record {
        format: FORMAT,
        faceoff: "0.1.0".to_owned(),
        command: vec!["faceoff".to_owned()],
        started: "2026-01-02T03:04:05Z".to_owned(),
        plan: Plan {
            suite: "demo".to_owned(),
            seed: u64::MAX,
            depth: Depth::Standard,
            time_per_workload: Nanos::from_secs(180),
            zone: 0.02,
            cores: CorePlan {
                contender: vec![0],
                generator: vec![1],
                rest: Vec::new(),
            },
            contenders: Vec::new(),
            workloads: Vec::new(),
            services: Vec::new(),
            left_out: Vec::new(),
        },
        environment: Environment {
            kernel: "6.12.0".to_owned(),
            system: "Linux".to_owned(),
            processor: "x86_64".to_owned(),
            cores: vec![0, 1],
            memory_bytes: 1 << 34,
            governor: None,
            clock_source: None,
            open_files: 1_024,
            ephemeral_ports: Some((32_768, 60_999)),
            toolchains: Vec::new(),
        },
        contenders: Vec::new(),
        schedules: Vec::new(),
        samples: Vec::new(),
        failures: Vec::new(),
        warnings: Vec::new(),
        ending: Ending::Unfinished,
    }
}
