//! From a record to its analysis.

use faceoff_record::{ContenderName, Record, Warning, Workload};

use crate::blocks::Blocks;
use crate::pair::{Rules, compare};
use crate::ranks::{Separation, letters, rank_sets};
use crate::standing::Standing;
use crate::{Analysis, PairAnalysis, Verdict, WorkloadAnalysis, contender, doubts};

/// Analyses a record, finished or not.
///
/// All claims on one workload hold together at 95 %: each of its `P` pairs is decided by a t
/// interval on paired log-ratios of level `1 - 0.05 / P`. Where there is too little to decide on,
/// the verdict says so; nothing here fails.
#[must_use]
pub fn analyse(record: &Record) -> Analysis {
    let mut warnings = record.warnings.clone();
    warnings.extend(doubts::on_run(record).filter(|doubt| !said(&record.warnings, doubt)));
    let mut workloads = Vec::new();
    for workload in &record.plan.workloads {
        let (analysis, doubts) = analyse_workload(record, workload);
        warnings.extend(
            doubts
                .into_iter()
                .filter(|doubt| !said(&record.warnings, doubt)),
        );
        workloads.push(analysis);
    }
    Analysis {
        workloads,
        warnings,
    }
}

/// Whether whoever measured has raised this doubt already, with the same weight or more.
fn said(known: &[Warning], doubt: &Warning) -> bool {
    known.iter().any(|warning| {
        warning.code == doubt.code
            && warning.severity >= doubt.severity
            && warning.workload == doubt.workload
            && warning.contender == doubt.contender
    })
}

fn analyse_workload(record: &Record, workload: &Workload) -> (WorkloadAnalysis, Vec<Warning>) {
    let blocks = Blocks::of(record, &workload.name);
    let cores = record.plan.cores.contender.len();
    let with_samples = blocks
        .courses
        .iter()
        .filter(|course| !course.samples.is_empty());
    let standings = with_samples.map(|course| Standing::of(course.clone(), cores));
    let mut described: Vec<_> = standings
        .map(|standing| (contender::describe(&standing), standing))
        .collect();
    // Best first; the sort is stable, so the order of the plan decides between equals.
    described.sort_by(|(x, _), (y, _)| y.throughput.value.total_cmp(&x.throughput.value));
    let (mut contenders, standings): (Vec<_>, Vec<_>) = described.into_iter().unzip();

    let schedule = record
        .schedules
        .iter()
        .find(|schedule| schedule.workload == workload.name);
    let rules = Rules::of(record, schedule, standings.len(), blocks.block_time);
    let pairs: Vec<PairAnalysis> = (1..)
        .zip(&standings)
        .flat_map(|(next, x)| standings.iter().skip(next).map(move |y| (x, y)))
        .map(|(x, y)| compare(x, y, &rules))
        .collect();

    let names: Vec<&ContenderName> = standings.iter().map(|s| s.course.contender).collect();
    let faster = pairs.iter().filter(|pair| pair.verdict == Verdict::Faster);
    let separations: Vec<Separation<'_>> = faster
        .map(|pair| Separation {
            better: &pair.a,
            worse: &pair.b,
        })
        .collect();
    let places = rank_sets(&names, &separations)
        .into_iter()
        .zip(letters(&names, &separations));
    for (contender, (rank, letters)) in contenders.iter_mut().zip(places) {
        (contender.rank, contender.letters) = (rank, letters);
    }

    let doubts = doubts::on_workload(record, workload, &blocks, &standings);
    let analysis = WorkloadAnalysis {
        workload: workload.name.clone(),
        blocks: blocks.comparable(),
        contenders,
        pairs,
    };
    (analysis, doubts)
}
