//! Builds records of runs that never took place.

use std::path::PathBuf;

use faceoff_record::{
    ConnectionCounts, ConnectionUse, Contender, ContenderName, Contract, CorePlan, Depth, Ending,
    Environment, FORMAT, Figure, GeneratorHealth, Histogram, Launches, Load, LoadOutcome, Managed,
    Nanos, Plan, PortChoice, Record, ResourceUsage, Sample, SliceFailure, SliceId, Start, Timing,
    WindowCounts, Workload, WorkloadName, WorkloadSchedule,
};
use faceoff_stats::{Analysis, ContenderAnalysis, PairAnalysis, analyse};

/// A run of one workload, healthy until told otherwise: one processor on each side, windows of one
/// second, a block every five seconds for two contenders.
#[derive(Clone)]
pub(crate) struct Bench {
    pub(crate) record: Record,
}

impl Bench {
    /// A run that is planned, with mirrored blocks, but has no samples yet.
    pub(crate) fn planned(contenders: &[&str], blocks: u32) -> Self {
        let names: Vec<ContenderName> = contenders
            .iter()
            .map(|name| ContenderName::new(*name))
            .collect();
        let order = |block: u32| {
            let mut order = names.clone();
            if block % 2 == 1 {
                order.reverse();
            }
            order
        };
        let schedule = WorkloadSchedule {
            workload: WorkloadName::new("plaintext"),
            launches: Launches::Fresh,
            pilots: vec![],
            blocks: (0..blocks).map(order).collect(),
            exploratory: false,
        };
        Self {
            record: record(&names, schedule),
        }
    }

    /// A whole run in which each contender reaches this throughput in each block.
    pub(crate) fn of(
        contenders: &[&str],
        blocks: u32,
        mut throughput: impl FnMut(&str, u32) -> f64,
    ) -> Self {
        let mut bench = Self::planned(contenders, blocks);
        let schedule = bench.record.schedules[0].blocks.clone();
        let mut started = Nanos::from_secs(100);
        for (block, order) in (0..).zip(schedule) {
            for (position, contender) in (0..).zip(order) {
                let good = throughput(contender.as_str(), block).round() as u64;
                let workload = WorkloadName::new("plaintext");
                let slice = SliceId {
                    workload,
                    contender,
                    block,
                    position,
                };
                bench.record.samples.push(sample(slice, started, good));
                started += Nanos::from_millis(2_500);
            }
        }
        bench.record.ending = Ending::Complete;
        bench
    }

    /// Changes every sample of a contender.
    pub(crate) fn change(mut self, contender: &str, change: impl Fn(&mut Sample)) -> Self {
        let own = |sample: &&mut Sample| sample.slice.contender.as_str() == contender;
        self.record.samples.iter_mut().filter(own).for_each(change);
        self
    }

    /// Turns a contender's samples of these blocks into failures.
    pub(crate) fn fail(mut self, contender: &str, blocks: &[u32]) -> Self {
        let fails = |slice: &SliceId| {
            slice.contender.as_str() == contender && blocks.contains(&slice.block)
        };
        let samples = std::mem::take(&mut self.record.samples);
        for sample in samples {
            if fails(&sample.slice) {
                let reason = "it ended with signal 11\nlog: Segmentation fault".to_owned();
                self.record.failures.push(SliceFailure {
                    slice: sample.slice,
                    reason,
                });
            } else {
                self.record.samples.push(sample);
            }
        }
        self
    }

    /// Forgets the samples that this does not hold for, as if they had never been.
    pub(crate) fn keep(mut self, kept: impl Fn(&SliceId) -> bool) -> Self {
        self.record.samples.retain(|sample| kept(&sample.slice));
        self
    }

    /// Changes the record itself.
    pub(crate) fn with(mut self, change: impl FnOnce(&mut Record)) -> Self {
        change(&mut self.record);
        self
    }

    /// The analysis, which must be readable after being stored as JSON: that knows no infinity and
    /// nothing that is not a number.
    pub(crate) fn analysis(&self) -> Analysis {
        let analysis = analyse(&self.record);
        let stored = serde_json::to_string(&analysis).unwrap();
        serde_json::from_str::<Analysis>(&stored).unwrap();
        analysis
    }

    /// The comparison of the first two contenders.
    pub(crate) fn pair(&self) -> PairAnalysis {
        self.analysis().workloads[0].pairs[0].clone()
    }

    /// What is said of one contender.
    pub(crate) fn contender(&self, name: &str) -> ContenderAnalysis {
        let analysis = self.analysis();
        let mut all = analysis.workloads[0].contenders.iter();
        all.find(|contender| contender.contender.as_str() == name)
            .unwrap()
            .clone()
    }
}

/// The generator's and the contender's own share of their processors, in every slice.
pub(crate) fn busy(generator: f64, server: f64) -> impl Fn(&mut Sample) {
    move |sample| {
        sample.outcome.generator.cpu = Nanos((generator * 1e9) as u64);
        if let Figure::Known(usage) = &mut sample.usage {
            usage.cpu_per_second = server;
        }
    }
}

/// Small, known, repeatable noise: at most 3 % up or down.
pub(crate) fn wobble(block: u32, salt: u32) -> f64 {
    1.0 + 0.03 * f64::from(block * 7 + salt * 13).sin()
}

fn sample(slice: SliceId, started: Nanos, good: u64) -> Sample {
    Sample {
        slice,
        start_up: Figure::Known(Nanos::from_millis(150)),
        outcome: LoadOutcome {
            started,
            window_from: started + Nanos::from_millis(500),
            window: Nanos::from_secs(1),
            counts: WindowCounts {
                good,
                bytes_in: good * 150,
                bytes_out: good * 80,
                ..WindowCounts::default()
            },
            sent: good,
            good,
            failed: 0,
            in_flight_at_end: 0,
            oldest_in_flight: None,
            service: Histogram::new(),
            tenths: vec![],
            connections: ConnectionCounts {
                asked: 64,
                opened: 64,
                used: 64,
                reopened: 0,
            },
            generator: GeneratorHealth {
                backend: "readiness".to_owned(),
                threads: 1,
                cpu: Nanos::from_millis(600),
                run_queue_wait: Some(Nanos::ZERO),
            },
            kept: vec![],
            first_failures: vec![],
        },
        usage: Figure::Known(ResourceUsage {
            cpu_per_second: 0.99,
            cpu_us_per_request: Figure::Known(990_000.0 / good as f64),
            load_cpu: Nanos::from_millis(1_480),
            load_cpu_by_stat: Nanos::from_millis(1_480),
            memory_after_bytes: Figure::Known(20_000_000),
            memory_peak_bytes: Figure::Known(25_000_000),
            processes: 1,
        }),
        steal: Figure::Known(0.0),
        checked_under_load: 4,
    }
}

fn record(names: &[ContenderName], schedule: WorkloadSchedule) -> Record {
    let timing = Timing {
        warm_up: Nanos::from_millis(500),
        window: Nanos::from_secs(1),
        grace: Nanos::from_secs(1),
        timeout: Nanos::from_secs(2),
    };
    let workload = Workload {
        name: schedule.workload.clone(),
        load: Load::Closed { connections: 64 },
        connection_use: ConnectionUse::KeepAlive,
        timing,
        contract: Contract {
            requests: vec![],
            launch_requests: vec![],
            probes: vec![],
            same_body: false,
        },
    };
    let plan = Plan {
        suite: "built".to_owned(),
        seed: 1,
        depth: Depth::Standard,
        time_per_workload: Nanos::from_secs(180),
        zone: 0.02,
        cores: CorePlan {
            contender: vec![0],
            generator: vec![1],
            rest: vec![],
        },
        contenders: names.iter().map(contender).collect(),
        workloads: vec![workload],
        services: vec![],
        left_out: vec![],
    };
    Record {
        format: FORMAT,
        faceoff: "0.1.0".to_owned(),
        command: vec!["faceoff".to_owned()],
        started: "2026-01-01T00:00:00Z".to_owned(),
        plan,
        environment: environment(),
        contenders: vec![],
        schedules: vec![schedule],
        samples: vec![],
        failures: vec![],
        warnings: vec![],
        ending: Ending::Unfinished,
    }
}

fn contender(name: &ContenderName) -> Contender {
    Contender {
        name: name.clone(),
        language: "Rust".to_owned(),
        framework: None,
        version: None,
        class: faceoff_record::Class::Standard,
        workloads: vec![],
        scheme: faceoff_record::Scheme::Http,
        start: Start::Managed(Managed {
            folder: PathBuf::new(),
            build: None,
            command: vec!["server".to_owned()],
            env: std::collections::BTreeMap::new(),
            port: PortChoice::Fresh,
            ready_within: Nanos::from_secs(30),
            source: vec![],
        }),
    }
}

fn environment() -> Environment {
    Environment {
        kernel: "6.12.0".to_owned(),
        system: "test".to_owned(),
        processor: "test".to_owned(),
        cores: vec![0, 1],
        memory_bytes: 1 << 32,
        governor: None,
        clock_source: None,
        open_files: 1024,
        ephemeral_ports: None,
        toolchains: vec![],
    }
}
