//! `faceoff run`: compare contenders over workloads.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use faceoff_record::{Conformance, Depth, Record};
use faceoff_runner::config::{Choices, read_suite};
use faceoff_runner::host::Host;
use faceoff_runner::{Cancel, Finished, Options, build_memory};
use faceoff_stats::Analysis;

use super::{draw_seed, exit_of, plan, programs, show, width};
use crate::cli::RunOptions;
use crate::exit::Exit;
use crate::progress::Progress;

/// Runs the suites one after the other. The worst ending decides how the program exits.
pub(crate) fn run(suites: &[PathBuf], options: &RunOptions) -> Result<Exit> {
    let default = [PathBuf::from("faceoff.toml")];
    let suites = if suites.is_empty() { &default } else { suites };
    if suites.len() > 1 && options.out.is_some() {
        bail!("--out names the folder of one run; leave it out to run several suites");
    }
    if suites == default && !default[0].exists() {
        bail!(
            "there is no faceoff.toml here; run Faceoff where one is, or name a suite: \
             faceoff run FILE"
        );
    }
    let cancel = Cancel::on_signals()?;
    let mut exit = Exit::Good;
    for suite in suites {
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
    let host = Host::look(suite.toolchains());
    let plan = plan(&suite, &choices(options), &host)?;
    let carry_out = Options {
        programs: programs()?,
        out: options.out.clone(),
        memory: build_memory(path),
        rebuild: options.rebuild,
        command: std::env::args().collect(),
    };
    let mut progress = Progress::new();
    let finished = faceoff_runner::run(plan, &host, &carry_out, cancel, &mut |event| {
        progress.tell(event)
    })?;
    progress.finish();

    let Finished { record, folder } = finished;
    let analysis = faceoff_stats::analyse(&record);
    let view = faceoff_report::view(&record, &analysis);
    if options.json {
        show(&faceoff_report::json(&view))?;
    } else {
        show(&faceoff_report::terminal(
            &view,
            width(),
            console::colors_enabled(),
        ))?;
    }
    progress.kept(&folder);
    exit(&record, &analysis)
}

fn choices(options: &RunOptions) -> Choices {
    Choices {
        contenders: options.only.contender.clone(),
        workloads: options.only.workload.clone(),
        time: options.time,
        depth: if options.quick {
            Depth::Quick
        } else {
            Depth::Standard
        },
        seed: options.seed.unwrap_or_else(draw_seed),
    }
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
