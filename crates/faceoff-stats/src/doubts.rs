//! The doubts that the samples themselves raise, as sentences: what was seen, and how it can bias
//! a ratio. One for each contender and workload, never one for each slice.

use faceoff_record::{
    ConnectionCounts, ConnectionUse, ContenderName, Depth, Launches, LoadOutcome, Record, Sample,
    Severity, Warning, WarningCode, Workload,
};

use crate::blocks::{Blocks, Course};
use crate::order::median;
use crate::standing::{Standing, generator_capacity};
use crate::wording::{counted, percent};

/// Above this share the generator may soon be the limit (method: V1).
const GENERATOR_NEAR_FULL: f64 = 0.85;

/// Shares of time lost to others: worth a note, and a possible bias (V3, V4).
const LOST: Limits = Limits {
    note: 0.01,
    warning: 0.05,
};

/// How far two sources of one figure may lie apart (V10).
const APART: Limits = Limits {
    note: 0.02,
    warning: 0.10,
};

/// How many connections may be opened again for each answer (V13).
const REOPENED: Limits = Limits {
    note: 0.001,
    warning: 0.1,
};

/// The share of the connections asked for that may stay without an answer in a window.
const UNUSED: Limits = Limits {
    note: 0.0,
    warning: 0.05,
};

/// Answers that differ in size by less cost the same (V14).
const SIZE: f64 = 0.05;

/// The step of `/proc/PID/stat` in seconds. Each of a slice's two readings may be off by one for
/// each process.
const TICK: f64 = 0.010;

/// From which value on a figure is a doubt, and which kind.
#[derive(Clone, Copy, Debug)]
struct Limits {
    note: f64,
    warning: f64,
}

impl Limits {
    fn severity(self, value: f64) -> Option<Severity> {
        if value > self.warning {
            Some(Severity::Warning)
        } else {
            (value > self.note).then_some(Severity::Note)
        }
    }
}

/// The doubt that concerns the whole run: that it was a quick one.
pub(crate) fn on_run(record: &Record) -> Option<Warning> {
    (record.plan.depth == Depth::Quick).then(|| Warning {
        code: WarningCode::Exploratory,
        severity: Severity::Note,
        workload: None,
        contender: None,
        text:
            "This was a quick run with few short slices: its verdicts are exploratory, and small \
               differences need a standard run."
                .to_owned(),
    })
}

/// The doubts that concern one workload.
pub(crate) fn on_workload(
    record: &Record,
    workload: &Workload,
    blocks: &Blocks<'_>,
    standings: &[Standing<'_>],
) -> Vec<Warning> {
    let schedule = record
        .schedules
        .iter()
        .find(|schedule| schedule.workload == workload.name);
    let shared = schedule.is_some_and(|schedule| schedule.launches == Launches::Shared);
    // Of a quick run it is said once, for the whole of it.
    let short =
        record.plan.depth != Depth::Quick && schedule.is_some_and(|schedule| schedule.exploratory);
    let about = |contender: Option<&ContenderName>, doubt: Doubt| Warning {
        code: doubt.code,
        severity: doubt.severity,
        workload: Some(workload.name.clone()),
        contender: contender.cloned(),
        text: doubt.text,
    };
    let of_all = [
        short.then(too_short),
        shared.then(one_launch),
        sizes(standings),
    ];
    let of_each = standings.iter().flat_map(|standing| {
        let doubts = [
            generator_limit(standing),
            generator_waited(&standing.course),
            stolen_time(&standing.course),
            cpu_sources(&standing.course),
            failures(standing),
            reopened(&standing.course, workload.connection_use),
            unused(&standing.course),
        ];
        doubts
            .into_iter()
            .flatten()
            .map(|doubt| (standing.course.contender, doubt))
    });
    let of_each = of_each.map(|(contender, doubt)| about(Some(contender), doubt));
    let lost = blocks
        .courses
        .iter()
        .filter_map(|course| Some(about(Some(course.contender), lost_slices(course)?)));
    let of_all = of_all.into_iter().flatten().map(|doubt| about(None, doubt));
    of_all.chain(of_each).chain(lost).collect()
}

/// A warning without its subject.
struct Doubt {
    code: WarningCode,
    severity: Severity,
    text: String,
}

impl Doubt {
    const fn new(code: WarningCode, severity: Severity, text: String) -> Self {
        Self {
            code,
            severity,
            text,
        }
    }
}

fn too_short() -> Doubt {
    let text = "There was time for few or short slices only: the verdicts are exploratory, and more \
                time would make them firm.";
    Doubt::new(WarningCode::Exploratory, Severity::Note, text.to_owned())
}

fn one_launch() -> Doubt {
    let text = "All slices shared one launch of each contender, because one of them starts slowly: \
                whatever luck those launches had (memory layout, spread of connections) is in every \
                figure, and the verdicts hold for these processes only.";
    Doubt::new(WarningCode::OneLaunch, Severity::Note, text.to_owned())
}

fn sizes(standings: &[Standing<'_>]) -> Option<Doubt> {
    let size = |standing: &Standing<'_>| {
        let sizes = standing
            .course
            .samples
            .values()
            .filter_map(|sample| sample.bytes_per_answer());
        Some((median(sizes)?, standing.course.contender.clone()))
    };
    let mut sizes: Vec<(f64, ContenderName)> = standings.iter().filter_map(size).collect();
    sizes.sort_by(|x, y| x.0.total_cmp(&y.0));
    let ((small, smallest), (large, largest)) = (sizes.first()?, sizes.last()?);
    let more = large / small - 1.0;
    (more > SIZE).then(|| {
        let text = format!(
            "The answers differ in size: {smallest} sends {small:.0} bytes for each, {largest} \
             {large:.0} ({} more), heads included. Part of their ratio may be the cost of those bytes.",
            percent(more)
        );
        Doubt::new(WarningCode::SizesDiffer, Severity::Note, text)
    })
}

fn generator_limit(standing: &Standing<'_>) -> Option<Doubt> {
    let contender = standing.course.contender;
    let generator = percent(standing.load.generator);
    let kept =
        format!("While {contender} was loaded, the generator kept its processors {generator} busy");
    let server = standing.load.server.map(percent);
    let (severity, text) = match (standing.load.generator_limited(), server) {
        (true, Some(server)) => (
            Severity::Void,
            format!(
                "{kept}, and {contender} only {server} of its own: the generator was the limit, and \
                 {contender} may be faster than shown."
            ),
        ),
        (true, None) => (
            Severity::Void,
            format!(
                "{kept}, and how busy {contender} was cannot be seen: the figure may be the \
                 generator's, and {contender} may be faster than shown."
            ),
        ),
        (false, server) if standing.load.generator > GENERATOR_NEAR_FULL => {
            let own = server
                .map(|s| format!(", and {contender} {s} of its own"))
                .unwrap_or_default();
            let text =
                format!("{kept}{own}: a stronger generator might have shown {contender} faster.");
            (Severity::Note, text)
        }
        (false, _) => return None,
    };
    Some(Doubt::new(WarningCode::GeneratorLimit, severity, text))
}

fn generator_waited(course: &Course<'_>) -> Option<Doubt> {
    let share = |sample: &Sample| {
        let wait = sample.outcome.generator.run_queue_wait?.as_secs_f64();
        let capacity = generator_capacity(sample);
        (capacity > 0.0).then(|| wait / capacity)
    };
    let shares = Shares::of(course, share)?;
    let severity = LOST.severity(shares.median)?;
    let contender = course.contender;
    let text = format!(
        "While {contender} was loaded, the generator waited for a processor {shares}: others ran on \
         its processors, and {contender} may be faster than shown."
    );
    Some(Doubt::new(WarningCode::GeneratorWaited, severity, text))
}

fn stolen_time(course: &Course<'_>) -> Option<Doubt> {
    let shares = Shares::of(course, |sample| sample.steal.known().copied())?;
    let severity = LOST.severity(shares.median)?;
    let contender = course.contender;
    let text = format!(
        "A hypervisor took {contender}'s processors away {shares}: {contender} may be faster than \
         shown, and its CPU time may hold some of what was taken."
    );
    Some(Doubt::new(WarningCode::StolenTime, severity, text))
}

/// A share of time over a contender's slices: the median, so that a single disturbed slice raises
/// no doubt, and in how many slices it was worth a note.
struct Shares {
    median: f64,
    noted: usize,
    slices: usize,
}

impl Shares {
    fn of(course: &Course<'_>, share: impl Fn(&Sample) -> Option<f64>) -> Option<Self> {
        let shares: Vec<f64> = course
            .samples
            .values()
            .filter_map(|sample| share(sample))
            .collect();
        Some(Self {
            median: median(shares.iter().copied())?,
            noted: shares.iter().filter(|&&share| share > LOST.note).count(),
            slices: shares.len(),
        })
    }
}

impl std::fmt::Display for Shares {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (median, limit) = (percent(self.median), percent(LOST.note));
        let slices = counted(self.slices as u64, "slice");
        write!(
            f,
            "{median} of the time (median; above {limit} in {} of {slices})",
            self.noted
        )
    }
}

fn cpu_sources(course: &Course<'_>) -> Option<Doubt> {
    let (mut clocks, mut stat, mut tick_error) = (0.0, 0.0, 0.0);
    for usage in course
        .samples
        .values()
        .filter_map(|sample| sample.usage.known())
    {
        clocks += usage.load_cpu.as_secs_f64();
        stat += usage.load_cpu_by_stat.as_secs_f64();
        tick_error += 2.0 * TICK * f64::from(usage.processes);
    }
    let larger = f64::max(clocks, stat);
    let beyond = (f64::abs(clocks - stat) - tick_error) / larger;
    let severity = (larger > 0.0).then(|| APART.severity(beyond))??;
    let contender = course.contender;
    let apart = percent(f64::abs(clocks - stat) / larger);
    let text = format!(
        "The two sources of {contender}'s CPU time lie {apart} apart ({clocks:.2} s by its process \
         clocks, {stat:.2} s by /proc/PID/stat): its CPU time per request may be off by as much; \
         the throughput is not concerned."
    );
    Some(Doubt::new(WarningCode::CpuSourcesDiffer, severity, text))
}

fn failures(standing: &Standing<'_>) -> Option<Doubt> {
    let (contender, answers) = (standing.course.contender, &standing.answers);
    let failed = answers.failures();
    let seen = format!(
        "{} of {contender}'s {} requests failed ({})",
        failed,
        answers.good + failed,
        answers.classes()
    );
    let (severity, text) = match (failed, answers.failing()) {
        (0, _) => return None,
        (_, true) => (
            Severity::Void,
            format!(
                "{seen}, {}: failing is often cheaper than answering, so no verdict is given on it.",
                percent(answers.share_failed())
            ),
        ),
        (_, false) => (
            Severity::Note,
            format!("{seen}: only right answers count, and these are too few to move a ratio."),
        ),
    };
    Some(Doubt::new(WarningCode::Failures, severity, text))
}

fn reopened(course: &Course<'_>, connection_use: ConnectionUse) -> Option<Doubt> {
    if connection_use == ConnectionUse::OneRequest {
        return None;
    }
    // Connections are counted over the whole load, so the answers are too.
    let outcomes = || course.samples.values().map(|sample| &sample.outcome);
    // After a failure it is the generator that opens the connection again.
    let by_server =
        |outcome: &LoadOutcome| outcome.connections.reopened.saturating_sub(outcome.failed);
    let reopened: u64 = outcomes().map(by_server).sum();
    let answers: u64 = outcomes()
        .map(|outcome| outcome.good + outcome.failed)
        .sum();
    let severity = REOPENED.severity(reopened as f64 / answers.max(1) as f64)?;
    let contender = course.contender;
    let text = format!(
        "{contender} closed connections that it should have kept: {reopened} were opened again over \
         {answers} answers, and the cost of connecting is in its figures."
    );
    Some(Doubt::new(WarningCode::ConnectionsReopened, severity, text))
}

fn unused(course: &Course<'_>) -> Option<Doubt> {
    let missing =
        |counts: &ConnectionCounts| 1.0 - f64::from(counts.used) / f64::from(counts.asked.max(1));
    let counts = course
        .samples
        .values()
        .map(|sample| sample.outcome.connections);
    // The load of this slice was not the one that was asked for.
    let fewest = counts.max_by(|x, y| missing(x).total_cmp(&missing(y)))?;
    let missing = missing(&fewest);
    let severity = UNUSED.severity(missing)?;
    let contender = course.contender;
    let text = format!(
        "In the worst slice of {contender} only {} of {} connections got an answer in the window, so \
         it was loaded by fewer than the others.",
        fewest.used, fewest.asked
    );
    Some(Doubt::new(WarningCode::ConnectionsUnused, severity, text))
}

fn lost_slices(course: &Course<'_>) -> Option<Doubt> {
    let Course {
        contender,
        attempted,
        failed,
        ..
    } = course;
    // A reason may end with lines of the contender's log; the record has them in full.
    let first = course
        .first_failure
        .and_then(|reason| reason.lines().next());
    let reason = first
        .map(|reason| format!(" (first: {reason})"))
        .unwrap_or_default();
    let blocks = counted(u64::from(*attempted), "block");
    let seen = format!("{contender} gave no right answer in {failed} of {blocks}{reason}");
    let (severity, text) = match (failed, course.failed_too_often()) {
        (0, _) => return None,
        (_, true) => (
            Severity::Void,
            format!("{seen}: too many for a verdict on it."),
        ),
        (_, false) => (
            Severity::Warning,
            format!("{seen}: they are left out of its comparisons, which may flatter it."),
        ),
    };
    Some(Doubt::new(WarningCode::SliceFailed, severity, text))
}
