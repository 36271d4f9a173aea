//! From a suite to a plan for this machine.
//!
//! A missing toolchain leaves a contender out, with the reason; what cannot be carried out at all
//! is an error, and all errors are reported together.

use std::collections::{BTreeMap, HashSet};

use faceoff_record::{
    Build, ConnectionUse, Contender, ContenderName, Contract, CorePlan, Depth, LeftOut, Load,
    Managed, Nanos, Plan, PortChoice, Service, Start, Timing, Workload, WorkloadName,
};

use super::contract::contract;
use super::file::{ContenderFile, LoadFile, ManagedFile, StartFile, SuiteFile};
use super::problem::nearest;
use super::resolve_error::ResolveError;
use crate::host::Host;

/// As many as a table of results can hold, and as method.md allows.
const MOST_CONTENDERS: usize = 12;

/// Connections kept busy unless the suite says otherwise: those of the articles that Faceoff
/// repeats, and at least 16 for each worker of a contender with up to seven.
const CONNECTIONS: u32 = 125;

/// Ratios within 2 % do not matter to anyone who chooses a server.
const ZONE: f64 = 0.02;

/// What the command line asks for.
#[derive(Clone, Debug)]
pub struct Choices {
    /// Only these contenders; empty means all.
    pub contenders: Vec<String>,
    /// Only these workloads; empty means all.
    pub workloads: Vec<String>,
    /// The longest time for the measurement of one workload.
    pub time: Option<Nanos>,
    /// How thorough the run is.
    pub depth: Depth,
    /// Fixes all that is drawn.
    pub seed: u64,
}

/// Fixes every path, port, processor, default and seed.
///
/// # Errors
///
/// All reasons why the suite cannot be carried out here.
pub fn resolve(
    suite: &SuiteFile,
    choices: &Choices,
    host: &Host,
) -> Result<Plan, Vec<ResolveError>> {
    let mut errors = Vec::new();
    unknown_choices(suite, choices, &mut errors);
    let workloads: Vec<Workload> = suite
        .workloads
        .iter()
        .filter(|workload| chosen(&choices.workloads, &workload.name))
        .filter_map(|workload| match contract(workload, choices.seed) {
            Ok(contract) => Some(self::workload(
                &workload.name,
                contract,
                &suite.load,
                choices,
            )),
            Err(problems) => {
                errors.extend(problems.into_iter().map(|problem| ResolveError::Contract {
                    workload: workload.name.clone(),
                    problem,
                }));
                None
            }
        })
        .collect();

    let (contenders, left_out) = contenders(suite, choices, host, &mut errors);
    let services = services(suite, host, &mut errors);
    if errors.is_empty() && contenders.is_empty() {
        errors.push(ResolveError::NobodyLeft(left_out.clone()));
    }
    if contenders.len() > MOST_CONTENDERS {
        errors.push(ResolveError::TooMany {
            count: contenders.len(),
        });
    }
    let cores = host
        .split_cores(suite.load.server_cores)
        .ok_or(match suite.load.server_cores {
            Some(asked) => ResolveError::ServerCores { asked },
            None => ResolveError::OneProcessor,
        });
    let cores = cores.unwrap_or_else(|error| {
        errors.push(error);
        CorePlan {
            contender: Vec::new(),
            generator: Vec::new(),
            rest: Vec::new(),
        }
    });
    let connections = suite.load.connections.unwrap_or(CONNECTIONS);
    if u64::from(connections) + 64 > host.open_files {
        errors.push(ResolveError::TooManyConnections {
            connections,
            limit: host.open_files,
        });
    }
    let time = choices.time.or(suite.load.time);
    let least = least_time(contenders.len());
    if let Some(time) = time.filter(|time| *time < least) {
        errors.push(ResolveError::TooShort {
            time,
            contenders: contenders.len(),
            least,
        });
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok(Plan {
        suite: suite.name.clone(),
        seed: choices.seed,
        depth: choices.depth,
        time_per_workload: time.unwrap_or_else(|| default_time(choices.depth, contenders.len())),
        zone: suite
            .load
            .equal_within_percent
            .and_then(|percent| u8::try_from(percent).ok())
            .map_or(ZONE, |percent| f64::from(percent) / 100.0),
        cores,
        contenders,
        workloads,
        services,
        left_out,
    })
}

/// Three minutes for up to four contenders, then 50 s for each; a minute where it must be quick.
fn default_time(depth: Depth, contenders: usize) -> Nanos {
    match depth {
        Depth::Quick => Nanos::from_secs(60),
        Depth::Standard if contenders <= 4 => Nanos::from_secs(180),
        Depth::Standard => Nanos::from_secs(50 * contenders as u64),
    }
}

/// Two blocks of the shortest slices, after start, check and pilot of each contender.
fn least_time(contenders: usize) -> Nanos {
    Nanos::from_secs(5 * contenders.max(1) as u64)
}

fn chosen(names: &[String], name: &str) -> bool {
    names.is_empty() || names.iter().any(|chosen| chosen == name)
}

fn unknown_choices(suite: &SuiteFile, choices: &Choices, errors: &mut Vec<ResolveError>) {
    let contenders: Vec<_> = suite.contenders.iter().map(|c| c.name.clone()).collect();
    let workloads: Vec<_> = suite.workloads.iter().map(|w| w.name.clone()).collect();
    let lists = [
        ("contender", &choices.contenders, contenders),
        ("workload", &choices.workloads, workloads),
    ];
    for (kind, asked, known) in lists {
        for name in asked.iter().filter(|name| !known.contains(name)) {
            errors.push(ResolveError::Unknown {
                kind,
                name: name.clone(),
                nearest: nearest(name, known.iter().map(String::as_str)).map(str::to_owned),
                known: known.clone(),
            });
        }
    }
}

fn workload(name: &str, contract: Contract, load: &LoadFile, choices: &Choices) -> Workload {
    // About a second measured, since many short slices resolve more than few long ones on a
    // machine whose speed changes within seconds.
    let (warm_up, window) = match choices.depth {
        Depth::Standard => (Nanos::from_millis(500), Nanos::from_millis(1_000)),
        Depth::Quick => (Nanos::from_millis(250), Nanos::from_millis(500)),
    };
    let timeout = load.timeout.unwrap_or(Nanos::from_secs(2));
    Workload {
        name: WorkloadName::new(name),
        load: Load::Closed {
            connections: load.connections.unwrap_or(CONNECTIONS),
        },
        connection_use: if load.one_request_per_connection {
            ConnectionUse::OneRequest
        } else {
            ConnectionUse::KeepAlive
        },
        timing: Timing {
            warm_up: load.warm_up.unwrap_or(warm_up),
            window: load.window.unwrap_or(window),
            grace: timeout,
            timeout,
        },
        contract,
    }
}

fn contenders(
    suite: &SuiteFile,
    choices: &Choices,
    host: &Host,
    errors: &mut Vec<ResolveError>,
) -> (Vec<Contender>, Vec<LeftOut>) {
    let mut contenders = Vec::new();
    let mut left_out = Vec::new();
    let mut names = HashSet::new();
    for written in &suite.contenders {
        if !names.insert(&written.name) {
            errors.push(ResolveError::SameName {
                name: written.name.clone(),
            });
        }
        if !chosen(&choices.contenders, &written.name) {
            continue;
        }
        if let Err(error) = offers_something(written, suite) {
            errors.push(error);
        }
        match start(written, host) {
            Ok(start) => contenders.push(contender(written, start)),
            Err(Unable::Toolchain(reason)) => left_out.push(LeftOut {
                contender: ContenderName::new(&written.name),
                language: language(written),
                reason,
            }),
            Err(Unable::NotHere(url)) => errors.push(ResolveError::NotHere {
                contender: written.name.clone(),
                url,
            }),
        }
    }
    (contenders, left_out)
}

/// A contender may offer more than a suite asks for, and less; but nothing at all is a mistake.
fn offers_something(written: &ContenderFile, suite: &SuiteFile) -> Result<(), ResolveError> {
    let asked = || {
        suite
            .workloads
            .iter()
            .map(|workload| workload.name.as_str())
    };
    let offers = |name: &str| written.workloads.iter().any(|offered| offered == name);
    if written.workloads.is_empty() || asked().any(offers) {
        return Ok(());
    }
    Err(ResolveError::OffersNothing {
        contender: written.name.clone(),
        workloads: asked().collect::<Vec<_>>().join(", "),
    })
}

fn language(written: &ContenderFile) -> String {
    written.language.clone().unwrap_or_else(|| "-".to_owned())
}

fn contender(written: &ContenderFile, start: Start) -> Contender {
    Contender {
        name: ContenderName::new(&written.name),
        language: language(written),
        framework: written.framework.clone(),
        version: written.version.clone(),
        class: written.class,
        workloads: written.workloads.iter().map(WorkloadName::new).collect(),
        scheme: written.scheme,
        start,
    }
}

enum Unable {
    Toolchain(String),
    NotHere(String),
}

fn start(written: &ContenderFile, host: &Host) -> Result<Start, Unable> {
    match &written.start {
        StartFile::Running { url } => {
            if crate::host::is_local(url) {
                Ok(Start::Running { url: url.clone() })
            } else {
                Err(Unable::NotHere(url.clone()))
            }
        }
        StartFile::Managed(file) => {
            let toolchains = host.meet(&file.needs).map_err(Unable::Toolchain)?;
            Ok(Start::Managed(managed(file, toolchains)))
        }
    }
}

fn managed(file: &ManagedFile, toolchains: BTreeMap<String, String>) -> Managed {
    Managed {
        // Whoever changes to it first must not search for its programs from there.
        folder: std::path::absolute(&file.folder).unwrap_or_else(|_| file.folder.clone()),
        build: file.build.clone().map(|command| Build {
            command,
            inputs: file.inputs.clone(),
            toolchains,
        }),
        command: file.command.clone(),
        env: file.env.clone(),
        port: file.port.map_or(PortChoice::Fresh, PortChoice::Fixed),
        ready_within: file.ready_within.unwrap_or(Nanos::from_secs(30)),
        source: file.source.clone(),
    }
}

/// Without its services a suite cannot be carried out at all.
fn services(suite: &SuiteFile, host: &Host, errors: &mut Vec<ResolveError>) -> Vec<Service> {
    let mut services = Vec::new();
    for written in &suite.services {
        let StartFile::Managed(file) = &written.start else {
            errors.push(ResolveError::ServiceRuns {
                service: written.name.clone(),
            });
            continue;
        };
        match host.meet(&file.needs) {
            Ok(toolchains) => services.push(Service {
                name: written.name.clone(),
                managed: managed(file, toolchains),
                ready: file.ready.clone(),
                address_in: file.address_in.clone(),
            }),
            Err(reason) => errors.push(ResolveError::ServiceNeeds {
                service: written.name.clone(),
                reason,
            }),
        }
    }
    services
}

#[cfg(test)]
mod tests;
