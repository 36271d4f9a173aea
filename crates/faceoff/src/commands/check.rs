//! `faceoff check`: build, start and verify, without load.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use faceoff_record::{Depth, Plan, Record};
use faceoff_report::{check_json, check_terminal, check_view};
use faceoff_runner::config::{Choices, SuiteFile, all_contenders, read_suite};
use faceoff_runner::host::Host;
use faceoff_runner::{Cancel, Event, Options, RuleFilter, build_memory, rule_names};

use super::run::refusals;
use super::{command_line, draw_seed, exit_of, plan, programs, show, suite_here, width};
use crate::cli::CheckArguments;
use crate::exit::Exit;
use crate::faults::Usage;
use crate::progress::Progress;

/// Where contenders have their folders.
const CONTENDERS: &str = "contenders";

/// Checks the contenders of a suite, or all.
pub(crate) fn check(arguments: &CheckArguments) -> Result<Exit> {
    let (suite, memory) = suite(arguments)?;
    let host = Host::look(suite.toolchains());
    let choices = Choices {
        contenders: arguments.only.contender.clone(),
        workloads: arguments.only.workload.clone(),
        time: None,
        depth: Depth::Standard,
        seed: arguments.seed.unwrap_or_else(draw_seed),
    };
    let plan = plan(&suite, &choices, &host)?;
    known_rules(&arguments.rule, &plan)?;
    let options = Options {
        programs: programs()?,
        out: None,
        memory,
        rebuild: arguments.rebuild,
        command: command_line(),
    };
    let cancel = Cancel::on_signals()?;
    let rules = RuleFilter(arguments.rule.clone());
    let mut progress = Progress::new();
    progress.checking(plan.seed);
    let record = faceoff_runner::check(plan, &host, &options, &rules, &cancel, &mut |event| {
        progress.tell(without_violation(event));
    })?;
    progress.finish();
    let view = check_view(&record);
    if arguments.json {
        show(&check_json(&view))?;
    } else {
        show(&check_terminal(&view, width()))?;
    }
    exit(&record)
}

fn suite(arguments: &CheckArguments) -> Result<(SuiteFile, PathBuf)> {
    if arguments.all {
        let folder = Path::new(CONTENDERS);
        return Ok((all_contenders(folder)?, build_memory(Path::new("all"))));
    }
    let path = match &arguments.suite {
        Some(path) => path.clone(),
        None => suite_here()?,
    };
    Ok((read_suite(&path)?, build_memory(&path)))
}

/// The result shows each violation in full; on the way its first line is enough.
fn without_violation(event: Event) -> Event {
    match event {
        Event::Out {
            contender,
            workload,
            reason,
            violation: _,
        } => Event::Out {
            contender,
            workload,
            reason,
            violation: None,
        },
        other => other,
    }
}

fn known_rules(rules: &[String], plan: &Plan) -> Result<()> {
    let contracts = plan.workloads.iter().map(|workload| &workload.contract);
    let known: Vec<String> = contracts.flat_map(rule_names).collect();
    if let Some(rule) = rules.iter().find(|rule| !known.contains(rule)) {
        bail!(Usage(format!(
            "no workload has a rule `{rule}`; there are {}",
            known.join(", ")
        )));
    }
    Ok(())
}

fn exit(record: &Record) -> Result<Exit> {
    let ending = exit_of(&record.ending)?;
    let refused = refusals(record);
    Ok(if ending != Exit::Good {
        ending
    } else if refused.contains(&Exit::Refused) {
        Exit::Refused
    } else if refused.contains(&Exit::Failed) {
        Exit::Failed
    } else {
        Exit::Good
    })
}
