//! Service times, and what kept whom busy.

use maud::{Markup, html};

use super::chart::{Chart, Mark, Row, glyph, mark, percent};
use super::scale::Scale;
use super::table::figures;
use crate::figures::{LOAD, P50, P99, SERVICE};
use crate::phrases::SERVICE_TIME;
use crate::view::{ContenderView, ServiceTime, WorkloadView};

/// Chart and table.
pub(super) fn times(workload: &WorkloadView, measured: &[&ContenderView], id: &str) -> Markup {
    let name = &workload.name;
    let service = measured.iter().filter_map(|contender| contender.service_ms);
    let values = service.flat_map(|service| quantiles(&service));
    let values = values.filter_map(|(value, _)| value);
    let scale = Scale::log(values, std::iter::empty());
    let rows = measured
        .iter()
        .filter_map(|contender| row(scale, contender));
    let rows: Vec<Row> = rows.collect();
    html! {
        h3 { (SERVICE_TIME) }
        @if !rows.is_empty() {
            figure {
                figcaption {
                    "From the first byte of a request written to the last byte of its answer read, \
                    while each connection waits for its answer before it asks again."
                    ul.legend aria-label="Marks" {
                        @for (figure, shape) in SERVICE.iter().zip(MARKS) {
                            li { (glyph(shape)) (figure.name) }
                        }
                    }
                }
                (Chart { scale, axis: "milliseconds", ground: html! {}, rows }.markup())
            }
        }
        (figures(&format!("{id}-service"), &format!("{name}: service time under closed load"),
            measured, SERVICE.iter()))
        h3 { "Who was busy" }
        (figures(&format!("{id}-load"), &format!("{name}: load and rates"), measured, LOAD.iter()))
    }
}

/// In the order of the figures.
const MARKS: [Mark; 4] = [Mark::Dot, Mark::Diamond, Mark::Square, Mark::Triangle];

fn quantiles(service: &ServiceTime) -> [(Option<f64>, Mark); 4] {
    let [p50, p90, p99, p999] = MARKS;
    [
        (service.p50, p50),
        (service.p90, p90),
        (service.p99, p99),
        (service.p999, p999),
    ]
}

fn row(scale: Scale, contender: &ContenderView) -> Option<Row> {
    let service = contender.service_ms?;
    let known = quantiles(&service).into_iter();
    let known = known.filter_map(|(value, mark)| Some((value?, mark)));
    let places = known.clone().map(|(value, _)| scale.at(value));
    let range = (places.clone().next(), places.clone().next_back());
    Some(Row {
        class: "service",
        label: html! { bdi { (contender.name) } },
        value: html! {
            @for figure in [&P50, &P99] {
                @if let Some(text) = figure.text(contender) {
                    span.part { (figure.name) " " (text) " " (figure.unit) }
                }
            }
        },
        plot: html! {
            @if let (Some(first), Some(last)) = range {
                line.span x1=(percent(first)) x2=(percent(last)) y1="50%" y2="50%" {}
            }
            @for (value, shape) in known { (mark(&scale, value, shape)) }
        },
    })
}
