//! One run from plan to record: build, verify, pilot, blocks.
//!
//! Whatever happens on the way, what was measured is kept: each slice is on disk before the next
//! begins, and the record says how the run ended.

mod answers;
mod blocks;
mod check;
mod conformance;
mod pilot;
mod prepare;
mod setback;

use std::path::{Path, PathBuf};

use faceoff_record::{
    ContenderFacts, ContenderName, Depth, Ending, FORMAT, Nanos, Plan, Record, Severity, Warning,
    WarningCode, Workload, WorkloadName,
};

pub use check::check;

use crate::cancel::{Cancel, Cancelled};
use crate::contender::{Built, Contender};
use crate::events::{Event, Listener};
use crate::host::{Host, PortPool, environment, now, pin_to};
use crate::lab::{Lab, Programs};
use crate::store::{Store, StoreError};

/// What a run needs beside its plan.
#[derive(Clone, Debug)]
pub struct Options {
    /// The commands of our own processes.
    pub programs: Programs,
    /// The folder of the run; a new one under `runs/` where nothing is given.
    pub out: Option<PathBuf>,
    /// Where it is remembered what was built.
    pub memory: PathBuf,
    /// Build even what has not changed.
    pub rebuild: bool,
    /// The command line, for the record.
    pub command: Vec<String>,
}

/// A run that ended, in whatever way.
#[derive(Debug)]
pub struct Finished {
    /// All that is known about it.
    pub record: Record,
    /// Where it is kept.
    pub folder: PathBuf,
}

/// Why a run went no further.
#[derive(Debug, thiserror::Error)]
enum Halt {
    /// The user asked to end.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// A result could not be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Something that every contender needs is not to be had.
    #[error("{0}")]
    Impossible(String),
}

/// Carries out a plan.
///
/// # Errors
///
/// The run's folder cannot be made, or its record cannot be written. Everything else that goes
/// wrong is part of the record.
pub fn run(
    plan: Plan,
    host: &Host,
    options: &Options,
    cancel: &Cancel,
    listener: &mut Listener<'_>,
) -> Result<Finished, StoreError> {
    let started = jiff::Timestamp::now()
        .strftime("%Y-%m-%dT%H:%M:%SZ")
        .to_string();
    let store = Store::create(options.out.as_deref(), &plan.suite, &started)?;
    let mut run = Run {
        lab: lab(&plan, options, store.logs(), cancel),
        record: record(plan, host, options, started),
        store,
        listener,
    };
    run.store.write(&run.record)?;
    run.tell(Event::Planned(Box::new(run.record.plan.clone())));
    let ended = run.carry_out(host, options);
    run.end(ended, host);
    run.store.write(&run.record)?;
    Ok(Finished {
        folder: run.store.folder().to_owned(),
        record: run.record,
    })
}

fn lab(plan: &Plan, options: &Options, logs: PathBuf, cancel: &Cancel) -> Lab {
    Lab {
        programs: options.programs.clone(),
        cores: plan.cores.clone(),
        logs,
        ports: PortPool::new(),
        cancel: cancel.clone(),
        addresses: std::collections::BTreeMap::new(),
    }
}

fn record(plan: Plan, host: &Host, options: &Options, started: String) -> Record {
    Record {
        format: FORMAT,
        faceoff: env!("CARGO_PKG_VERSION").to_owned(),
        command: options.command.clone(),
        started,
        environment: environment(host),
        contenders: Vec::new(),
        schedules: Vec::new(),
        samples: Vec::new(),
        failures: Vec::new(),
        warnings: host.warnings.clone(),
        ending: Ending::Unfinished,
        plan,
    }
}

/// A run under way.
struct Run<'a, 'l> {
    lab: Lab,
    record: Record,
    store: Store,
    listener: &'a mut Listener<'l>,
}

impl Run<'_, '_> {
    /// Notes how the run ended.
    fn end(&mut self, ended: Result<(), Halt>, host: &Host) {
        // The runner was kept off the contenders' processors; the program is free again.
        let _ = pin_to(&host.all_cores());
        self.record.ending = match ended {
            Ok(()) => Ending::Complete,
            Err(Halt::Cancelled(Cancelled)) => Ending::Interrupted,
            Err(other) => Ending::Failed {
                reason: with_causes(&other),
            },
        };
    }

    fn carry_out(&mut self, host: &Host, options: &Options) -> Result<(), Halt> {
        let (contenders, _services) = self.prepare(host, options)?;
        for workload in self.record.plan.workloads.clone() {
            self.workload(&workload, &contenders)?;
        }
        Ok(())
    }

    /// One workload, within its time: pilots, the order, the blocks.
    fn workload(
        &mut self,
        workload: &Workload,
        contenders: &[Contender<Built>],
    ) -> Result<(), Halt> {
        let deadline = now() + self.record.plan.time_per_workload;
        let offering: Vec<_> = contenders
            .iter()
            .filter(|contender| self.offers(contender, workload))
            .collect();
        let entrants = self.pilots(workload, &offering)?;
        if entrants.is_empty() {
            return Ok(());
        }
        let order = self.schedule(workload, &entrants, deadline);
        self.store.write(&self.record)?;
        self.blocks(workload, &entrants, &order, deadline)
    }

    /// Whether a contender offers a workload; if not, that is noted.
    fn offers(&mut self, contender: &Contender<Built>, workload: &Workload) -> bool {
        let offered = &contender.plan().workloads;
        let offers = offered.is_empty() || offered.contains(&workload.name);
        if !offers && let Some(facts) = self.facts(&contender.plan().name) {
            facts
                .conformance
                .push(faceoff_record::Conformance::NotOffered {
                    workload: workload.name.clone(),
                });
        }
        offers
    }

    fn facts(&mut self, contender: &ContenderName) -> Option<&mut ContenderFacts> {
        let all = &mut self.record.contenders;
        all.iter_mut().find(|facts| facts.contender == *contender)
    }

    fn tell(&mut self, event: Event) {
        (self.listener)(event);
    }

    /// Notes a doubt about one contender, once for each kind and workload.
    fn doubt(
        &mut self,
        code: WarningCode,
        severity: Severity,
        contender: &ContenderName,
        workload: Option<&WorkloadName>,
        text: String,
    ) {
        let warning = Warning {
            code,
            severity,
            workload: workload.cloned(),
            contender: Some(contender.clone()),
            text,
        };
        let same = |other: &Warning| {
            other.code == warning.code
                && other.contender == warning.contender
                && other.workload == warning.workload
        };
        if !self.record.warnings.iter().any(same) {
            self.record.warnings.push(warning);
        }
    }

    fn depth(&self) -> Depth {
        self.record.plan.depth
    }
}

/// An error and its causes, as one sentence.
pub(crate) fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

/// The time from an instant until now.
fn elapsed(since: Nanos) -> Nanos {
    now().since(since)
}

/// Where it is remembered what was built for a suite: beside the suite.
#[must_use]
pub fn build_memory(suite: &Path) -> PathBuf {
    let folder = suite.parent().unwrap_or_else(|| Path::new("."));
    folder.join(".faceoff").join("builds")
}
