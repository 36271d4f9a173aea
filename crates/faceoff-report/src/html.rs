//! A run as a page: one file that opens without network and needs no script.
//!
//! Built with maud: its templates are checked by the compiler, escape by themselves, and compose as
//! functions. The charts are written with it too, as SVG inside the page, and by no chart library:
//! those that were tried (plotters, which is well kept; kuva, poloto, charts-rs; charming, which
//! needs a script) lay out a picture of a fixed number of pixels and write colours into it. On a
//! narrow screen its text shrinks with it, and nothing follows a dark theme. Here positions are
//! shares of whatever width there is, text keeps its size, colours are those of the page, and
//! what a chart shows stands beside it as text.
//!
//! Figures are formatted where the terminal's are, and nothing here derives one.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::phrases;
use crate::text::clean;
use crate::view::View;

mod answer;
mod machine;
mod workload;

mod compare;
mod slices;
mod speed;
mod times;

mod chart;
mod scale;
mod table;

const STYLE: &str = include_str!("html/style.css");

/// Nothing is loaded and no script runs, even if an answer of a server got past the escaping.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

/// The page of a run.
#[must_use]
pub fn html(view: &View) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="generator" content={ "faceoff " (view.faceoff) };
                title { (view.suite) " – Faceoff" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#answer" { "Skip to the answer" }
                (header(view))
                main {
                    (answer::answer(view))
                    (answer::doubts(view))
                    @if view.workloads.len() > 1 { (workload::overview(view)) }
                    @for (number, workload) in view.workloads.iter().enumerate() {
                        (workload::workload(view, workload, number + 1))
                    }
                    (machine::machine(view))
                    (machine::repeat(view))
                }
                footer { p { "Made by faceoff " (view.faceoff) "." } }
            }
        }
    };
    // Control characters are no HTML, and some would reorder the text around them.
    clean(&page.into_string())
}

fn header(view: &View) -> Markup {
    html! {
        header {
            p.kind { "Faceoff" }
            h1 { (view.suite) }
            p.run { (phrases::run(view)) }
            p.run { (phrases::machine(view)) }
            @if let Some((word, text)) = phrases::ending(view) {
                p.state.undecided { strong { (word) ":" } " " (text) }
            }
            @if let Some((word, text)) = phrases::void(view) {
                p.state.void { strong { (word) ":" } " " (text) }
            }
            nav aria-label="Contents" {
                ul {
                    li { a href="#answer" { "Answer" } }
                    @if !view.warnings.is_empty() { li { a href="#doubts" { "Doubts" } } }
                    @if view.workloads.len() > 1 { li { a href="#overview" { "Overview" } } }
                    @for (number, workload) in view.workloads.iter().enumerate() {
                        li { a href={ "#w" (number + 1) } { (workload.name) } }
                    }
                    li { a href="#machine" { "Machine and contenders" } }
                    li { a href="#repeat" { "How to repeat it" } }
                }
            }
        }
    }
}
