//! Throughput with its interval.

use maud::{Markup, html};

use super::chart::{Chart, Row, interval, percent};
use super::scale::{REACH, Scale};
use super::table::figures;
use crate::figures::{PLUS_MINUS, RANK, SPEED, THROUGHPUT};
use crate::view::{ContenderView, Throughput, WorkloadView};

/// Chart and table.
pub(super) fn speed(workload: &WorkloadView, measured: &[&ContenderView], id: &str) -> Markup {
    let of = |contender: &&ContenderView| contender.throughput;
    let throughputs = measured.iter().filter_map(of);
    let highest = throughputs.clone().map(|throughput| throughput.value);
    let highest = highest.fold(0.0, f64::max);
    let ends = throughputs.filter_map(|throughput| throughput.high);
    let scale = Scale::from_zero(ends.fold(highest, f64::max).min(highest * REACH));
    let rows = measured
        .iter()
        .filter_map(|contender| row(scale, contender));
    let chart = Chart {
        scale,
        axis: "right answers per second",
        ground: html! {},
        rows: rows.collect(),
    };
    html! {
        h3 { "Throughput" }
        figure {
            figcaption {
                "Right answers per second: the geometric mean over the slices, with the interval \
                that holds the true mean in 19 of 20 runs."
            }
            (chart.markup())
        }
        (figures(&format!("{id}-speed"), &format!("{}: throughput", workload.name), measured,
            [&RANK].into_iter().chain(&SPEED)))
    }
}

fn row(scale: Scale, contender: &ContenderView) -> Option<Row> {
    let Throughput {
        value, low, high, ..
    } = contender.throughput?;
    Some(Row {
        class: "speed",
        label: html! {
            bdi { (contender.name) }
            span.language { " " (contender.language) }
        },
        value: html! {
            @if let Some(text) = THROUGHPUT.text(contender) { (text) }
            @if let Some(text) = PLUS_MINUS.text(contender) { span.muted { " ±" (text) " %" } }
        },
        plot: html! {
            rect.bar x="0" width=(percent(scale.at(value))) y="22%" height="56%" {}
            @if let Some((low, high)) = low.zip(high) { (interval(&scale, low, high)) }
        },
    })
}
