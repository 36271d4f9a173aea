//! A run as text for a terminal: for each workload a table, what follows from it, and who is
//! missing; then the doubts. Formats the figures of the view and derives none.

use crate::figures::missing_figures;
use crate::phrases::{self, NOTHING_MEASURED, SERVICE_TIME};
use crate::tables::{figures_table, times_table};
use crate::text::{Ink, MISSING, Page, counted, severity};
use crate::view::{ContenderView, PairView, Standing, VerdictView, View, WorkloadView};

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
    let run = format!("{}: {}", view.suite, phrases::run(view));
    page.paragraph(Ink::Bold, "", &run);
    page.paragraph(Ink::Plain, "  ", &phrases::machine(view));
    if let Some((word, text)) = phrases::ending(view) {
        page.paragraph(Ink::Yellow, &format!("  {word}: "), text);
    }
    if let Some((word, text)) = phrases::void(view) {
        page.paragraph(Ink::Red, &format!("  {word}: "), text);
    }
}

fn section(page: &mut Page, workload: &WorkloadView) {
    page.paragraph(Ink::Bold, "", workload.name.as_str());
    page.paragraph(Ink::Plain, "  ", &phrases::setting(workload));
    let measured = phrases::measured(workload);
    page.gap();
    if measured.is_empty() {
        page.paragraph(Ink::Yellow, "  ", NOTHING_MEASURED);
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
    let caption = format!("{SERVICE_TIME}, and who was busy:");
    page.paragraph(Ink::Plain, "  ", &caption);
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
    if let Some(text) = phrases::classes(measured) {
        page.paragraph(Ink::Plain, "  ", &text);
    }
}

/// The verdicts. With many contenders: the best against each, then neighbours in the ranking.
fn sentences(page: &mut Page, ranking: &[&ContenderView], pairs: &[PairView]) {
    let comparisons = phrases::comparisons(ranking, pairs);
    comparisons
        .first
        .iter()
        .for_each(|pair| sentence(page, pair));
    if !comparisons.neighbours.is_empty() {
        page.gap();
        page.paragraph(Ink::Plain, "  ", "Neighbours in the ranking:");
    }
    for pair in comparisons.neighbours {
        sentence(page, pair);
    }
    let rest = comparisons.others.len();
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

fn others(page: &mut Page, workload: &WorkloadView) {
    for group in phrases::without_figures(workload) {
        let ink = match group.standing {
            Standing::Refused => Ink::Red,
            Standing::NotMeasured => Ink::Yellow,
            _ => Ink::Plain,
        };
        let word = phrases::standing(group.standing);
        page.paragraph(ink, &format!("  {word:<13}"), &group.text());
    }
}

fn warnings(page: &mut Page, view: &View) {
    page.gap();
    for warning in &view.warnings {
        let (word, ink) = severity(warning.severity);
        let text = phrases::warning(view, warning);
        page.paragraph(ink, &format!("{word:<9}"), &text);
    }
}
