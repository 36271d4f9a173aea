//! One workload: its comparisons, figures and slices, and who has none.

use maud::{Markup, html};

use super::compare::comparisons;
use super::slices::slices;
use super::speed::speed;
use super::table::{absent, figures_with_bars, scrolling};
use super::times::times;
use crate::figures::{COSTS, PLUS_MINUS, RANK, THROUGHPUT, missing_figures};
use crate::phrases::{self, NOTHING_MEASURED};
use crate::view::{ContenderView, View, WorkloadView};

/// The section of a workload; `number` counts from 1.
pub(super) fn workload(view: &View, workload: &WorkloadView, number: usize) -> Markup {
    let measured = phrases::measured(workload);
    let id = format!("w{number}");
    html! {
        section id=(id) .workload data-workload=(workload.name) aria-labelledby={ (id) "-heading" } {
            h2 id={ (id) "-heading" } { (workload.name) }
            p.setting { (phrases::setting(workload)) }
            @if measured.is_empty() {
                p { (NOTHING_MEASURED) }
            } @else {
                (comparisons(view, workload, &measured, &id))
                (speed(workload, &measured, &id))
                (slices(workload, &measured, view.zone, &id))
                h3 { "What it costs" }
                (figures_with_bars(&format!("{id}-costs"), &format!("{}: costs", workload.name),
                    &measured, COSTS.iter()))
                (times(workload, &measured, &id))
                (remarks(&measured))
            }
            (without(workload))
        }
    }
}

/// Why figures are missing, and who is of which class.
fn remarks(measured: &[&ContenderView]) -> Markup {
    let missing = missing_figures(measured, &[]);
    html! {
        @if !missing.is_empty() {
            h3 { "Figures that are absent" }
            ul.remarks { @for text in missing { li { (text) } } }
        }
        @if let Some(text) = phrases::classes(measured) { p { (text) } }
    }
}

/// Those without figures, with their reasons; the end of a log keeps its lines.
fn without(workload: &WorkloadView) -> Markup {
    let groups = phrases::without_figures(workload);
    html! {
        @if !groups.is_empty() {
            h3 { "Without figures" }
            dl.without {
                @for group in groups {
                    @let (reason, log) = group.reason.split_once('\n').unwrap_or((group.reason, ""));
                    div {
                        dt { (group.names.join(", ")) " " span.word { (phrases::standing(group.standing)) } }
                        dd {
                            (reason)
                            @if !log.trim().is_empty() {
                                pre tabindex="0" role="region" aria-label={ "Log of " (group.names.join(", ")) } {
                                    (log.trim_end())
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The throughput of all contenders on all workloads.
pub(super) fn overview(view: &View) -> Markup {
    let first = view.workloads.first();
    let names = first.into_iter().flat_map(|workload| &workload.contenders);
    let head = html! {
        tr {
            th scope="col" { "contender" }
            @for workload in &view.workloads { th.num scope="col" { (workload.name) } }
        }
    };
    let body = html! {
        @for row in names {
            tr data-contender=(row.name) {
                th scope="row" { bdi { (row.name) } }
                @for workload in &view.workloads {
                    @let contender = workload.contenders.iter().find(|other| other.name == row.name);
                    td.num data-of=(workload.name) { (standing(contender)) }
                }
            }
        }
    };
    html! {
        section #overview aria-labelledby="overview-heading" {
            h2 #overview-heading { "Overview" }
            p { "Right answers per second, with the half-width of the interval and the rank." }
            (scrolling("overview-table", "Throughput on each workload", &head, &body))
        }
    }
}

fn standing(contender: Option<&ContenderView>) -> Markup {
    let text = |figure: &crate::figures::Figure| contender.and_then(|c| figure.text(c));
    html! {
        @match text(&THROUGHPUT) {
            Some(throughput) => {
                (throughput)
                @if let Some(width) = text(&PLUS_MINUS) { span.muted { " ±" (width) " %" } }
                @if let Some(rank) = text(&RANK) { span.rank { " rank " (rank) } }
            },
            None => {
                (absent())
                @if let Some(contender) = contender { span.muted { " " (phrases::standing(contender.standing)) } }
            },
        }
    }
}
