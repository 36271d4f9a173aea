//! `faceoff run`: compare contenders over workloads.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use faceoff_record::{Conformance, Depth, Record};
use faceoff_runner::config::{Choices, SuiteFile, read_suite};
use faceoff_runner::host::Host;
use faceoff_runner::{Cancel, Finished, Options, build_memory};
use faceoff_stats::Analysis;

use super::{command_line, draw_seed, exit_of, plan, programs, show, suite_here, width, write_new};
use crate::cli::{Measuring, RunOptions};
use crate::exit::Exit;
use crate::faults::Usage;
use crate::progress::Progress;

/// Runs the suites one after the other. The worst ending decides how the program exits.
pub(crate) fn run(suites: &[PathBuf], options: &RunOptions) -> Result<Exit> {
    if suites.len() > 1 && options.measuring.out.is_some() {
        let text = "--out names the folder of one run; leave it out to run several suites";
        bail!(Usage(text.to_owned()));
    }
    let suites = match suites {
        [] => vec![suite_here()?],
        named => named.to_vec(),
    };
    let cancel = Cancel::on_signals()?;
    let mut exit = Exit::Good;
    for suite in &suites {
        let ended = run_one(suite, options, &cancel)?;
        if ended != Exit::Good {
            exit = ended;
        }
        if ended == Exit::Interrupted {
            break;
        }
    }
    Ok(exit)
}

fn run_one(path: &Path, options: &RunOptions, cancel: &Cancel) -> Result<Exit> {
    let suite = read_suite(path)?;
    let measuring = &options.measuring;
    let choices = Choices {
        contenders: options.only.contender.clone(),
        workloads: options.only.workload.clone(),
        ..choices(measuring)
    };
    let carry_out = Options {
        rebuild: options.rebuild,
        ..how(measuring, build_memory(path))?
    };
    measure(&suite, &choices, &carry_out, measuring.json, cancel)
}

/// What the command line asks for, for all contenders and workloads.
pub(super) fn choices(measuring: &Measuring) -> Choices {
    Choices {
        contenders: Vec::new(),
        workloads: Vec::new(),
        time: measuring.time,
        depth: if measuring.quick {
            Depth::Quick
        } else {
            Depth::Standard
        },
        seed: measuring.seed.unwrap_or_else(draw_seed),
    }
}

/// How a run is carried out, with builds remembered in `memory`.
pub(super) fn how(measuring: &Measuring, memory: PathBuf) -> Result<Options> {
    Ok(Options {
        programs: programs()?,
        out: measuring.out.clone(),
        memory,
        rebuild: false,
        command: command_line(),
    })
}

/// Resolves a suite, carries it out, and shows what came of it.
pub(super) fn measure(
    suite: &SuiteFile,
    choices: &Choices,
    carry_out: &Options,
    json: bool,
    cancel: &Cancel,
) -> Result<Exit> {
    let host = Host::look(suite.toolchains());
    let plan = plan(suite, choices, &host)?;
    let mut progress = Progress::new();
    let finished = faceoff_runner::run(plan, &host, carry_out, cancel, &mut |event| {
        progress.tell(event)
    })?;
    progress.finish();

    let Finished { record, folder } = finished;
    let analysis = faceoff_stats::analyse(&record);
    let view = faceoff_report::view(&record, &analysis);
    let page = write_new(&folder.join("report.html"), &faceoff_report::html(&view));
    if json {
        show(&faceoff_report::json(&view))?;
    } else {
        show(&faceoff_report::terminal(
            &view,
            width(),
            console::colors_enabled(),
        ))?;
    }
    progress.kept(&folder);
    page?;
    exit(&record, &analysis)
}

fn exit(record: &Record, analysis: &Analysis) -> Result<Exit> {
    let ending = exit_of(&record.ending)?;
    if ending != Exit::Good {
        return Ok(ending);
    }
    let refused = refusals(record);
    Ok(if refused.contains(&Exit::Refused) {
        Exit::Refused
    } else if analysis.is_void() {
        Exit::Void
    } else if refused.contains(&Exit::Failed) || record.samples.is_empty() {
        Exit::Failed
    } else {
        Exit::Good
    })
}

/// How each refusal of a contender makes the program exit: a broken rule, or one that could not
/// be asked.
pub(super) fn refusals(record: &Record) -> Vec<Exit> {
    let conformance = record
        .contenders
        .iter()
        .flat_map(|facts| &facts.conformance);
    conformance
        .filter_map(|conformance| match conformance {
            Conformance::Refused {
                violation: Some(_), ..
            } => Some(Exit::Refused),
            Conformance::Refused { .. } => Some(Exit::Failed),
            _ => None,
        })
        .collect()
}
