//! A check as text: who conforms, then each broken rule in full.

use faceoff_record::{Ending, WorkloadName};

use crate::check::{CheckResult, CheckView, CheckedContender, CheckedWorkload, ViolationView};
use crate::grid::{Column, Fit, grid};
use crate::text::{Ink, Page, columns, counted, shorten};

/// Names and cells longer than this are shortened, so that two of them fit side by side.
const LONGEST: usize = 24;

/// The text of a check for a terminal of `width` columns.
#[must_use]
pub fn check_terminal(view: &CheckView, width: usize) -> String {
    let mut page = Page::new(width, false);
    table(&mut page, view);
    let all = || {
        let workloads = view.workloads.iter();
        workloads.flat_map(|workload| {
            let contenders = workload.contenders.iter();
            contenders.map(move |contender| (&workload.name, contender))
        })
    };
    for (workload, contender) in all() {
        if let Some(violation) = &contender.violation {
            page.gap();
            violated(&mut page, workload, contender, violation);
        }
    }
    page.gap();
    reasons(&mut page, view);
    page.gap();
    for (workload, contender) in all() {
        for flag in &contender.flags {
            let text = format!("{} on {workload}: {flag}", contender.name);
            page.paragraph(Ink::Plain, "note         ", &text);
        }
    }
    page.gap();
    let closing = match (&view.ending, view.all_conform) {
        (Ending::Complete, true) => "All that take part give the right answers.",
        (Ending::Complete, false) => {
            "Those that do not give the right answers are left out of a run."
        }
        (_, _) => "The check did not run to its end.",
    };
    page.paragraph(Ink::Plain, "", closing);
    page.finish()
}

/// Contenders down, workloads across; more workloads than fit go into a further table.
fn table(page: &mut Page, view: &CheckView) {
    let Some(first) = view.workloads.first() else {
        page.paragraph(Ink::Plain, "", "no workload");
        return;
    };
    let names = || {
        let names = first.contenders.iter();
        let names = names.map(|contender| shorten(contender.name.as_str(), LONGEST));
        text_column("contender", names.collect())
    };
    let mut rest: &[CheckedWorkload] = &view.workloads;
    while !rest.is_empty() {
        page.gap();
        // One workload is shown in any case.
        let mut fitting = 1;
        while fitting < rest.len() && fits(names(), rest.iter().take(fitting + 1), page.width) {
            fitting += 1;
        }
        let (now, later) = rest.split_at(fitting);
        rest = later;
        let mut columns = vec![names()];
        columns.extend(now.iter().map(cells));
        page.lines(&grid(columns, page.width).lines);
    }
}

fn fits<'a>(
    names: Column,
    workloads: impl Iterator<Item = &'a CheckedWorkload>,
    width: usize,
) -> bool {
    let mut all = vec![names];
    all.extend(workloads.map(cells));
    let lines = grid(all, usize::MAX).lines;
    lines.iter().all(|line| columns(line) <= width)
}

fn cells(workload: &CheckedWorkload) -> Column {
    let cells = workload.contenders.iter().map(cell).collect();
    text_column(&shorten(workload.name.as_str(), LONGEST), cells)
}

fn text_column(heading: &str, cells: Vec<String>) -> Column {
    Column {
        name: "",
        heading: heading.to_owned(),
        fit: Fit::Shorten,
        cells,
    }
}

fn cell(contender: &CheckedContender) -> String {
    match contender.result {
        CheckResult::Verified => {
            let answers = contender.answers_checked.unwrap_or(0);
            format!("ok, {}", counted(u64::from(answers), "answer"))
        }
        CheckResult::Deviates => {
            let rule = contender.violation.as_ref().map(|broken| &*broken.rule);
            shorten(&format!("deviates: {}", rule.unwrap_or("unknown")), LONGEST)
        }
        CheckResult::Refused => "refused".to_owned(),
        CheckResult::NotOffered => "not offered".to_owned(),
        CheckResult::NotChecked => "not checked".to_owned(),
        CheckResult::LeftOut => "left out".to_owned(),
    }
}

fn violated(
    page: &mut Page,
    workload: &WorkloadName,
    contender: &CheckedContender,
    violation: &ViolationView,
) {
    let title = format!("{} deviates on {workload}", contender.name);
    page.paragraph(Ink::Bold, "", &title);
    page.paragraph(Ink::Plain, "  rule     ", &violation.rule);
    page.paragraph(Ink::Plain, "  reason   ", &violation.reason);
    page.paragraph(Ink::Plain, "  problem  ", &violation.problem);
    page.verbatim("  request  ", &violation.request);
    page.verbatim("  answer   ", &violation.answer);
}

/// Why the others were not verified: once for each contender and reason.
fn reasons(page: &mut Page, view: &CheckView) {
    let mut groups: Vec<(&CheckedContender, Vec<&str>)> = Vec::new();
    for workload in &view.workloads {
        for contender in &workload.contenders {
            let same = |other: &CheckedContender| {
                (&other.name, &other.reason) == (&contender.name, &contender.reason)
            };
            match groups.iter_mut().find(|(other, _)| same(other)) {
                Some((_, workloads)) => workloads.push(workload.name.as_str()),
                None => groups.push((contender, vec![workload.name.as_str()])),
            }
        }
    }
    for (contender, workloads) in groups {
        let word = match contender.result {
            CheckResult::Refused => "refused",
            CheckResult::NotChecked => "not checked",
            CheckResult::LeftOut => "left out",
            // The table and the broken rules say all there is.
            CheckResult::Verified | CheckResult::Deviates | CheckResult::NotOffered => continue,
        };
        let on = match workloads.len() {
            number if number == view.workloads.len() => String::new(),
            1..=3 => format!(" on {}", workloads.join(", ")),
            number => format!(" on {number} workloads"),
        };
        let reason = contender.reason.as_deref().unwrap_or_default();
        let text = format!("{}{on}: {reason}", contender.name);
        page.paragraph(Ink::Plain, &format!("{word:<13}"), &text);
    }
}
