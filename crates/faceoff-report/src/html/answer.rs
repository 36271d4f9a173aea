//! The verdicts in words, on top; then the doubts.

use faceoff_record::Severity;
use maud::{Markup, html};

use super::chart::glyph;
use super::compare::look;
use crate::phrases::{self, Comparisons, NOTHING_MEASURED};
use crate::text::{counted, severity};
use crate::view::{PairView, View, WarningView, WorkloadView};

/// More sentences or doubts than this wait behind a click.
const OPEN: usize = 4;

/// The same for each of several workloads.
const OPEN_OF_SEVERAL: usize = 2;

/// What the run says.
pub(super) fn answer(view: &View) -> Markup {
    let open = match view.workloads.len() {
        0 | 1 => OPEN,
        _ => OPEN_OF_SEVERAL,
    };
    html! {
        section #answer .answer aria-labelledby="answer-heading" {
            h2 #answer-heading { "The answer" }
            @for workload in &view.workloads {
                @if view.workloads.len() > 1 { h3 { (workload.name) } }
                (of_workload(workload, open))
            }
        }
    }
}

fn of_workload(workload: &WorkloadView, open: usize) -> Markup {
    let measured = phrases::measured(workload);
    let Comparisons { first, .. } = phrases::comparisons(&measured, &workload.pairs);
    let (open, closed) = first.split_at(first.len().min(open));
    html! {
        @if measured.is_empty() {
            p { (NOTHING_MEASURED) }
        } @else if first.is_empty() {
            p { "Only one contender was measured, so that there is nothing to compare." }
        }
        @if !open.is_empty() { (sentences(open)) }
        @if !closed.is_empty() {
            details {
                summary { (more(closed.len(), "more sentence")) }
                (sentences(closed))
            }
        }
    }
}

/// `3 more sentences`.
pub(super) fn more(number: usize, thing: &str) -> String {
    counted(u64::try_from(number).unwrap_or(u64::MAX), thing)
}

fn sentences(pairs: &[&PairView]) -> Markup {
    html! {
        ul.sentences {
            @for pair in pairs {
                li class=(look(pair.verdict).class) {
                    (glyph(look(pair.verdict).mark))
                    span data-sentence { (sentence(&pair.sentence)) }
                }
            }
        }
    }
}

/// What it says stands out from its figures.
fn sentence(text: &str) -> Markup {
    match text.split_once(": ") {
        Some((claim, figures)) => html! { strong { (claim) ":" } " " (figures) },
        None => html! { strong { (text) } },
    }
}

/// The doubts, the gravest first. Many that leave the verdicts standing wait behind a click.
pub(super) fn doubts(view: &View) -> Markup {
    if view.warnings.is_empty() {
        return html! {};
    }
    let of = |severities: &[Severity]| -> Vec<&WarningView> {
        let warnings = view.warnings.iter();
        let warnings = warnings.filter(|warning| severities.contains(&warning.severity));
        warnings.collect()
    };
    let grave = of(&[Severity::Void, Severity::Warning]);
    let open = of(&[Severity::Void]).len().max(OPEN).min(grave.len());
    let (open, closed) = grave.split_at(open);
    let notes = of(&[Severity::Note]);
    html! {
        section #doubts aria-labelledby="doubts-heading" {
            h2 #doubts-heading { "Doubts" }
            @if !open.is_empty() { (warnings(view, open)) }
            @if !closed.is_empty() {
                details {
                    summary { (more(closed.len(), "more warning")) }
                    (warnings(view, closed))
                }
            }
            @if notes.len() > OPEN {
                details {
                    summary { (more(notes.len(), "note")) ", which leave the verdicts standing" }
                    (warnings(view, &notes))
                }
            } @else if !notes.is_empty() {
                (warnings(view, &notes))
            }
        }
    }
}

fn warnings(view: &View, warnings: &[&WarningView]) -> Markup {
    html! {
        ul.warnings {
            @for warning in warnings {
                @let (word, _) = severity(warning.severity);
                li class=(word) data-severity=(word) {
                    strong { (word) }
                    span data-warning { (phrases::warning(view, warning)) }
                }
            }
        }
    }
}
