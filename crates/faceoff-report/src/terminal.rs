//! A run as text for a terminal: for each workload a table, what follows from it, and who is
//! missing; then the doubts. Formats the figures of the view and derives none.

use faceoff_record::{Class, ConnectionUse, Depth, Ending, Launches, Load};

use crate::tables::{figures_table, missing_figures, times_table};
use crate::text::{Ink, MISSING, Page, class_name, count, counted, severity, significant};
use crate::view::{ContenderView, PairView, Standing, VerdictView, View, WorkloadView};

/// With more contenders than this, not every pair gets its sentence: twelve have 66 pairs.
const ALL_PAIRS_UP_TO: usize = 3;

/// The text of a run for a terminal of `width` columns. No line is longer, down to 60 columns.
/// Colour marks words only; nothing is lost without it.
#[must_use]
pub fn terminal(view: &View, width: usize, colour: bool) -> String {
    let mut page = Page::new(width, colour);
    heading(&mut page, view);
    for workload in &view.workloads {
        page.gap();
        section(&mut page, workload);
    }
    warnings(&mut page, view);
    page.finish()
}

fn heading(page: &mut Page, view: &View) {
    let depth = match view.depth {
        Depth::Standard => "",
        Depth::Quick => ", quick",
    };
    let run = format!(
        "{}: run of {}{depth}, seed {}, faceoff {}",
        view.suite, view.started, view.seed, view.faceoff
    );
    page.paragraph(Ink::Bold, "", &run);
    page.paragraph(Ink::Plain, "  ", &machine(view));
    match &view.ending {
        Ending::Complete => {}
        Ending::Unfinished => state(page, "unfinished", "this is what was measured until now"),
        Ending::Interrupted => state(page, "interrupted", "this is what was measured until then"),
        Ending::Failed { reason } => state(page, "failed", reason),
    }
    if view.void {
        let text = "a verdict is withheld; the reason is with the figures";
        page.paragraph(Ink::Red, "  void: ", text);
    }
}

fn state(page: &mut Page, word: &str, text: &str) {
    page.paragraph(Ink::Yellow, &format!("  {word}: "), text);
}

fn machine(view: &View) -> String {
    let environment = &view.environment;
    let machine = &environment.machine;
    let mut parts = vec![
        machine.processor.clone(),
        format!(
            "contender on {}, generator on {}",
            cores(&environment.contender_cores),
            cores(&environment.generator_cores)
        ),
        machine.system.clone(),
        format!("kernel {}", machine.kernel),
    ];
    if !environment.generator_backends.is_empty() {
        parts.push(environment.generator_backends.join(" and "));
    }
    parts.join(", ")
}

fn cores(cores: &[u32]) -> String {
    let list: Vec<String> = cores.iter().map(u32::to_string).collect();
    let word = if cores.len() == 1 { "core" } else { "cores" };
    format!("{word} {}", list.join("+"))
}

fn section(page: &mut Page, workload: &WorkloadView) {
    page.paragraph(Ink::Bold, "", workload.name.as_str());
    page.paragraph(Ink::Plain, "  ", &setting(workload));
    let measured: Vec<&ContenderView> = workload
        .contenders
        .iter()
        .filter(|contender| contender.throughput.is_some())
        .collect();
    page.gap();
    if measured.is_empty() {
        page.paragraph(Ink::Yellow, "  ", "Nothing was measured.");
    } else {
        figures(page, &measured, workload);
    }
    page.gap();
    others(page, workload);
}

fn figures(page: &mut Page, measured: &[&ContenderView], workload: &WorkloadView) {
    let table = figures_table(measured, page.width);
    page.lines(&table.lines);
    page.gap();
    sentences(page, measured, &workload.pairs);
    page.gap();
    let caption = "Service time under closed load (not latency at a rate), and who was busy:";
    page.paragraph(Ink::Plain, "  ", caption);
    page.gap();
    let times = times_table(measured, page.width);
    page.lines(&times.lines);
    page.gap();
    let dropped: Vec<&str> = table.dropped.into_iter().chain(times.dropped).collect();
    if !dropped.is_empty() {
        let text = format!(
            "No room for {}: a wider terminal or --json shows them.",
            dropped.join(", ")
        );
        page.paragraph(Ink::Plain, "  ", &text);
    }
    for text in missing_figures(measured, &dropped) {
        page.paragraph(Ink::Plain, &format!("  {MISSING} "), &text);
    }
    classes(page, measured);
}

/// Which contender is of which class, where that differs: a server below its framework is not the
/// same effort as what a framework's documentation shows.
fn classes(page: &mut Page, measured: &[&ContenderView]) {
    let of = |wanted| {
        let members = measured.iter().filter(|c| c.class == Some(wanted));
        let members: Vec<&str> = members.map(|c| c.name.as_str()).collect();
        let class = format!("{} {}", class_name(wanted), members.join(", "));
        (!members.is_empty()).then_some(class)
    };
    let classes = [Class::Standard, Class::Tuned, Class::Bare];
    let classes: Vec<String> = classes.into_iter().filter_map(of).collect();
    if classes.len() > 1 {
        let text = format!("Classes: {}.", classes.join("; "));
        page.paragraph(Ink::Plain, "  ", &text);
    }
}

/// How the workload was loaded, and how much of it there is.
fn setting(workload: &WorkloadView) -> String {
    let Load::Closed { connections } = workload.load;
    let connections = counted(u64::from(connections), "connection");
    let connections = match workload.connection_use {
        ConnectionUse::KeepAlive => format!("{connections} kept alive"),
        ConnectionUse::OneRequest => format!("{connections}, a new one for each request"),
    };
    let mut text = format!("closed load, {connections}; ");
    let (blocks, planned) = (workload.blocks, workload.blocks_planned);
    if planned == 0 {
        text.push_str("no block was planned");
        return text;
    }
    if blocks != planned {
        text.push_str(&format!("{} of ", count(u64::from(blocks))));
    }
    text.push_str(&counted(u64::from(planned), "block"));
    let seconds = significant(workload.measured_seconds, 3);
    text.push_str(&format!(", {seconds} s measured"));
    text.push_str(match workload.launches {
        Some(Launches::Fresh) => "; fresh launch per slice",
        Some(Launches::Shared) => "; one launch for all slices",
        None => "",
    });
    if workload.slices_failed > 0 {
        let failed = counted(u64::from(workload.slices_failed), "slice");
        text.push_str(&format!("; {failed} gave no sample"));
    }
    text
}

/// The verdicts. With many contenders: the best against each, then neighbours in the ranking.
fn sentences(page: &mut Page, ranking: &[&ContenderView], pairs: &[PairView]) {
    if ranking.len() <= ALL_PAIRS_UP_TO {
        pairs.iter().for_each(|pair| sentence(page, pair));
        return;
    }
    let of = |one: &ContenderView, other: &ContenderView| {
        let mut pairs = pairs.iter();
        pairs.find(|pair| {
            (&pair.a, &pair.b) == (&one.name, &other.name)
                || (&pair.a, &pair.b) == (&other.name, &one.name)
        })
    };
    let Some((best, rest)) = ranking.split_first() else {
        return;
    };
    let against_best: Vec<&PairView> = rest.iter().filter_map(|other| of(best, other)).collect();
    let neighbours = rest.iter().zip(rest.iter().skip(1));
    let neighbours: Vec<&PairView> = neighbours
        .filter_map(|(one, other)| of(one, other))
        .collect();
    let shown = against_best.len() + neighbours.len();
    for pair in against_best {
        sentence(page, pair);
    }
    page.gap();
    page.paragraph(Ink::Plain, "  ", "Neighbours in the ranking:");
    for pair in neighbours {
        sentence(page, pair);
    }
    let rest = pairs.len().saturating_sub(shown);
    if rest > 0 {
        let rest = counted(u64::try_from(rest).unwrap_or(u64::MAX), "other pair");
        page.paragraph(Ink::Plain, "  ", &format!("({rest}: see --json)"));
    }
}

fn sentence(page: &mut Page, pair: &PairView) {
    let ink = match pair.verdict {
        VerdictView::Faster | VerdictView::Slower => Ink::Green,
        VerdictView::Equal => Ink::Plain,
        VerdictView::Undecided => Ink::Yellow,
        VerdictView::Void => Ink::Red,
    };
    page.paragraph(ink, "  • ", &pair.sentence);
}

/// Those without figures, and why. Many with one reason share a line.
fn others(page: &mut Page, workload: &WorkloadView) {
    let kinds = [
        (Standing::Refused, "refused", Ink::Red),
        (Standing::NotMeasured, "no sample", Ink::Yellow),
        (Standing::NotChecked, "not checked", Ink::Plain),
        (Standing::LeftOut, "left out", Ink::Plain),
        (Standing::NotOffered, "not offered", Ink::Plain),
    ];
    for (standing, word, ink) in kinds {
        let contenders = workload.contenders.iter();
        let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
        for contender in contenders.filter(|contender| contender.standing == standing) {
            let reason = contender.reason.as_deref().unwrap_or_default();
            match groups.iter_mut().find(|(other, _)| *other == reason) {
                Some((_, names)) => names.push(contender.name.as_str()),
                None => groups.push((reason, vec![contender.name.as_str()])),
            }
        }
        for (reason, names) in groups {
            let text = format!("{}: {reason}", names.join(", "));
            page.paragraph(ink, &format!("  {word:<13}"), &text);
        }
    }
}

fn warnings(page: &mut Page, view: &View) {
    page.gap();
    let one_workload = view.workloads.len() == 1;
    for warning in &view.warnings {
        let (word, ink) = severity(warning.severity);
        let workload = warning.workload.as_ref().map(|name| name.as_str());
        let contender = warning.contender.as_ref().map(|name| name.as_str());
        // The text mostly names its contender itself.
        let subject: Vec<&str> = [
            workload.filter(|_| !one_workload),
            contender.filter(|name| !warning.text.contains(name)),
        ]
        .into_iter()
        .flatten()
        .collect();
        let mut text = subject.join(", ");
        if !text.is_empty() {
            text.push_str(": ");
        }
        text.push_str(&warning.text);
        page.paragraph(ink, &format!("{word:<9}"), &text);
    }
}
