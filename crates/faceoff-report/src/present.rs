//! Makes the view: the only code of this crate that derives a figure.

use std::collections::BTreeSet;

use faceoff_record::{
    Class, Conformance, Contender, ContenderFacts, ContenderName, Ending, LeftOut, Record, Start,
    Warning, Workload, WorkloadName,
};
use faceoff_stats::{Analysis, ContenderAnalysis, WorkloadAnalysis};

use crate::measured;
use crate::pairs::{first_over, pair};
use crate::view::{
    Absent, ContenderView, EnvironmentView, LaunchView, Standing, VIEW_FORMAT, View, WarningView,
    WorkloadView,
};

/// The presentable form of a run. Every contender of the plan, and every one that was left out of
/// it, is in each workload, with the reason where it has no figures.
#[must_use]
pub fn view(record: &Record, analysis: &Analysis) -> View {
    let plan = &record.plan;
    View {
        format: VIEW_FORMAT,
        faceoff: record.faceoff.clone(),
        command: record.command.clone(),
        started: record.started.clone(),
        suite: plan.suite.clone(),
        seed: plan.seed,
        depth: plan.depth,
        zone: plan.zone,
        ending: record.ending.clone(),
        void: analysis.is_void(),
        environment: environment(record),
        workloads: plan
            .workloads
            .iter()
            .map(|planned| workload(record, planned, analysis))
            .collect(),
        warnings: warnings(&analysis.warnings),
    }
}

fn environment(record: &Record) -> EnvironmentView {
    let samples = record.samples.iter();
    let backends: BTreeSet<&String> = samples
        .map(|sample| &sample.outcome.generator.backend)
        .collect();
    EnvironmentView {
        machine: record.environment.clone(),
        contender_cores: record.plan.cores.contender.clone(),
        generator_cores: record.plan.cores.generator.clone(),
        rest_cores: record.plan.cores.rest.clone(),
        generator_backends: backends.into_iter().cloned().collect(),
    }
}

/// The gravest first, else in the order of the analysis.
fn warnings(warnings: &[Warning]) -> Vec<WarningView> {
    let mut sorted: Vec<&Warning> = warnings.iter().collect();
    sorted.sort_by_key(|warning| std::cmp::Reverse(warning.severity));
    let views = sorted.into_iter().map(|warning| WarningView {
        code: warning.code,
        severity: warning.severity,
        text: warning.text.clone(),
        workload: warning.workload.clone(),
        contender: warning.contender.clone(),
    });
    views.collect()
}

fn workload(record: &Record, planned: &Workload, analysis: &Analysis) -> WorkloadView {
    let name = &planned.name;
    let mut schedules = record.schedules.iter();
    let schedule = schedules.find(|schedule| schedule.workload == *name);
    let samples = record.samples.iter();
    let windows = samples
        .filter(|sample| sample.slice.workload == *name)
        .map(|sample| sample.outcome.window.as_secs_f64());
    let failures = record.failures.iter();
    let failed = failures.filter(|failure| failure.slice.workload == *name);
    let mut analysed = analysis.workloads.iter();
    let analysed = analysed.find(|analysed| analysed.workload == *name);
    WorkloadView {
        name: name.clone(),
        load: planned.load,
        connection_use: planned.connection_use,
        launches: schedule.map(|schedule| schedule.launches),
        blocks_planned: schedule.map_or(0, |schedule| number(schedule.blocks.len())),
        blocks: analysed.map_or(0, |analysed| analysed.blocks),
        slices_failed: number(failed.count()),
        // A plain sum of nothing would be -0.
        measured_seconds: windows.fold(0.0, |sum, window| sum + window),
        contenders: contenders(record, name, analysed),
        pairs: analysed.map_or_else(Vec::new, |analysed| {
            analysed.pairs.iter().map(pair).collect()
        }),
    }
}

/// Nothing here comes near four billion.
fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Those with samples, best first; then the others of the plan; then those left out of it.
fn contenders(
    record: &Record,
    workload: &WorkloadName,
    analysed: Option<&WorkloadAnalysis>,
) -> Vec<ContenderView> {
    let plan = &record.plan;
    let ranked: &[ContenderAnalysis] = analysed.map_or(&[], |analysed| &analysed.contenders);
    let with_samples = ranked.iter().filter_map(|figures| {
        let mut planned = plan.contenders.iter();
        let planned = planned.find(|planned| planned.name == figures.contender)?;
        let mut view = without_figures(record, workload, planned);
        let first = analysed.and_then(|analysed| first_over(analysed, &figures.contender));
        measured::fill(&mut view, figures, first);
        Some(view)
    });
    let is_ranked = |name: &ContenderName| ranked.iter().any(|other| other.contender == *name);
    let without = plan.contenders.iter();
    let without = without
        .filter(|planned| !is_ranked(&planned.name))
        .map(|planned| without_figures(record, workload, planned));
    let left_out = plan.left_out.iter().map(left_out);
    with_samples.chain(without).chain(left_out).collect()
}

fn without_figures(record: &Record, workload: &WorkloadName, planned: &Contender) -> ContenderView {
    let (standing, reason) = standing(record, workload, planned);
    let seed = Unmeasured {
        name: &planned.name,
        language: &planned.language,
        class: Some(planned.class),
        standing,
        reason: &reason,
    };
    let mut view = seed.view();
    view.framework.clone_from(&planned.framework);
    view.version.clone_from(&planned.version);
    view.launch = Some(launch(&planned.start));
    if let Some(facts) = facts(record, &planned.name) {
        let lines = &facts.lines_of_code;
        view.lines_of_code = lines.known().copied();
        match lines.reason() {
            Some(reason) => view.absent.insert("lines_of_code".into(), reason.into()),
            None => view.absent.remove("lines_of_code"),
        };
    }
    view
}

fn left_out(left_out: &LeftOut) -> ContenderView {
    let seed = Unmeasured {
        name: &left_out.contender,
        language: &left_out.language,
        class: None,
        standing: Standing::LeftOut,
        reason: &left_out.reason,
    };
    seed.view()
}

/// What is known of a contender before it gave a sample.
struct Unmeasured<'a> {
    name: &'a ContenderName,
    language: &'a str,
    class: Option<Class>,
    standing: Standing,
    reason: &'a str,
}

impl Unmeasured<'_> {
    fn view(&self) -> ContenderView {
        let mut view = ContenderView {
            name: self.name.clone(),
            language: self.language.to_owned(),
            framework: None,
            version: None,
            class: self.class,
            launch: None,
            standing: self.standing,
            verified: self.standing == Standing::NotMeasured,
            reason: Some(self.reason.to_owned()),
            samples: 0,
            rank: None,
            letters: None,
            throughput: None,
            first_over_this: None,
            latency_ms: None,
            service_ms: None,
            cpu_us_per_request: None,
            memory_after_bytes: None,
            memory_peak_bytes: None,
            startup_ms: None,
            startup_interval_ms: None,
            lines_of_code: None,
            bytes_per_response: None,
            good: None,
            errors: None,
            seconds_per_million: None,
            megabytes_per_second: None,
            server_busy_percent: None,
            generator_busy_percent: None,
            generator_limited: None,
            slices: Vec::new(),
            absent: Absent::new(),
        };
        // The rest of a long reason, such as the end of a log, stands in `reason` alone.
        let reason = self.reason.lines().next().unwrap_or(self.reason);
        measured::explain(&mut view, &Absent::new(), reason);
        view
    }
}

fn launch(start: &Start) -> LaunchView {
    match start {
        Start::Managed(managed) => LaunchView::Command(managed.command.clone()),
        Start::Running { url } => LaunchView::Url(url.clone()),
    }
}

/// Where a contender stands as long as it has no sample, and why it has none.
fn standing(record: &Record, workload: &WorkloadName, contender: &Contender) -> (Standing, String) {
    match conformance(record, workload, contender) {
        Checked::NotOffered => (Standing::NotOffered, NOT_OFFERED.into()),
        Checked::Refused(reason) => (Standing::Refused, reason.into()),
        Checked::Verified => {
            let reason = no_sample(record, workload, &contender.name);
            (Standing::NotMeasured, reason)
        }
        Checked::Not => (Standing::NotChecked, not_checked(&record.ending).into()),
    }
}

pub(crate) const NOT_OFFERED: &str = "does not offer this workload";

/// Why answers were not checked.
pub(crate) const fn not_checked(ending: &Ending) -> &'static str {
    match ending {
        Ending::Complete => "its answers were not checked",
        Ending::Unfinished | Ending::Interrupted | Ending::Failed { .. } => {
            "the run ended before its answers were checked"
        }
    }
}

/// The result of the conformance check of one contender on one workload.
enum Checked<'a> {
    Verified,
    Refused(&'a str),
    NotOffered,
    Not,
}

fn conformance<'a>(
    record: &'a Record,
    workload: &WorkloadName,
    contender: &Contender,
) -> Checked<'a> {
    match find_conformance(record, workload, &contender.name) {
        Some(Conformance::Verified { .. }) => Checked::Verified,
        Some(Conformance::Refused { reason, .. }) => Checked::Refused(reason),
        Some(Conformance::NotOffered { .. }) => Checked::NotOffered,
        None if offers(contender, workload) => Checked::Not,
        None => Checked::NotOffered,
    }
}

/// Whether a contender says that it offers a workload.
pub(crate) fn offers(contender: &Contender, workload: &WorkloadName) -> bool {
    contender.workloads.is_empty() || contender.workloads.contains(workload)
}

/// What was found; where there are several results, a refusal counts.
pub(crate) fn find_conformance<'a>(
    record: &'a Record,
    workload: &WorkloadName,
    contender: &ContenderName,
) -> Option<&'a Conformance> {
    let results = facts(record, contender)?.conformance.iter();
    let mut of_workload = results.filter(|result| result.workload() == workload);
    let is_refusal = |result: &&Conformance| matches!(result, Conformance::Refused { .. });
    of_workload
        .clone()
        .find(is_refusal)
        .or(of_workload.next_back())
}

fn facts<'a>(record: &'a Record, contender: &ContenderName) -> Option<&'a ContenderFacts> {
    let mut facts = record.contenders.iter();
    facts.find(|facts| facts.contender == *contender)
}

/// Why a contender whose answers are right has no sample.
fn no_sample(record: &Record, workload: &WorkloadName, contender: &ContenderName) -> String {
    let failures = record.failures.iter();
    let mut failures = failures.filter(|failure| {
        failure.slice.workload == *workload && failure.slice.contender == *contender
    });
    match (failures.next(), &record.ending) {
        (Some(failure), _) => failure.reason.clone(),
        (None, Ending::Complete) => "it was not measured".into(),
        (None, _) => "the run ended before it was measured".into(),
    }
}
