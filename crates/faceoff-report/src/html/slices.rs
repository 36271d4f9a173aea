//! Each slice by itself, so that noise and drift are seen.

use maud::{Markup, html};

use super::chart::percent;
use super::scale::{REACH, Scale};
use super::table::{absent, scrolling};
use crate::text::{count, significant};
use crate::view::{ContenderView, SliceView, WorkloadView};

/// The height of a panel in pixels is fixed by the style; more labels than this would touch.
const MOST_TICKS: usize = 3;

/// A panel for each contender, and all values as a table.
pub(super) fn slices(
    workload: &WorkloadView,
    measured: &[&ContenderView],
    zone: f64,
    id: &str,
) -> Markup {
    let spread = spread(measured, zone);
    let slices = measured.iter().flat_map(|contender| &contender.slices);
    let last = slices.map(|slice| slice.block).max().unwrap_or(0);
    let blocks = workload.blocks_planned.max(last.saturating_add(1));
    html! {
        h3 { "Each slice" }
        figure {
            figcaption {
                "Right answers per second of each slice, in the order of the blocks; the line is \
                the mean, the band its interval. All panels have the same relative height, so that \
                noise compares. A gap is a slice that gave no sample."
            }
            ul.panels {
                @for contender in measured { li { (panel(contender, spread, blocks)) } }
            }
        }
        details {
            summary { "All slices as a table" }
            (table(workload, measured, blocks, &format!("{id}-slices")))
        }
    }
}

/// How far a slice or an interval lies from its mean at most, as a factor; never less than the
/// differences that matter, since smaller noise need not look large.
fn spread(measured: &[&ContenderView], zone: f64) -> f64 {
    let factors = measured.iter().filter_map(|contender| {
        let throughput = contender.throughput?;
        let slices = contender.slices.iter().map(|slice| slice.per_second);
        let values = slices.chain(throughput.high).filter(|&value| value > 0.0);
        let factors = values.map(|value| (value / throughput.value).ln().abs().exp());
        factors.reduce(f64::max)
    });
    factors.fold(1.0 + zone, f64::max).min(REACH)
}

fn panel(contender: &ContenderView, spread: f64, blocks: u32) -> Markup {
    let Some(throughput) = contender.throughput else {
        return html! {};
    };
    let mean = throughput.value;
    let scale = Scale::log(
        [mean / spread, mean * spread].into_iter(),
        std::iter::empty(),
    );
    let height = |value: f64| 100.0 - scale.at(value);
    let line = |value: f64| percent(height(value));
    let ticks = scale.ticks(MOST_TICKS);
    html! {
        h4 { bdi { (contender.name) } }
        div.panel {
            svg.scale aria-hidden="true" {
                @for tick in &ticks { text x="100%" y=(line(tick.value)) { (tick.label) } }
            }
            svg role="img" {
                title { (described(contender)) }
                @for tick in &ticks {
                    line.grid x1="0" x2="100%" y1=(line(tick.value)) y2=(line(tick.value)) {}
                }
                @if let Some((low, high)) = throughput.low.zip(throughput.high) {
                    rect.zone x="0" width="100%" y=(line(high)) height=(percent(height(low) - height(high))) {}
                }
                line.mean x1="0" x2="100%" y1=(line(mean)) y2=(line(mean)) {}
                @for slice in &contender.slices {
                    circle cx=(across(slice.block, blocks)) cy=(line(slice.per_second)) r="3.5" {
                        title { "block " (slice.block + 1) ": " (per_second(slice)) }
                    }
                }
            }
        }
        p.blocks aria-hidden="true" { span { "block 1" } span { (blocks) } }
    }
}

/// The middle of a block's share of the width.
fn across(block: u32, blocks: u32) -> String {
    percent((f64::from(block) + 0.5) / f64::from(blocks) * 100.0)
}

fn per_second(slice: &SliceView) -> String {
    significant(slice.per_second, 3)
}

/// For those who do not see the panel.
fn described(contender: &ContenderView) -> String {
    let slices = &contender.slices;
    let by_value = |a: &&SliceView, b: &&SliceView| a.per_second.total_cmp(&b.per_second);
    let lowest = slices.iter().min_by(by_value).map(per_second);
    let highest = slices.iter().max_by(by_value).map(per_second);
    let (Some(lowest), Some(highest)) = (lowest, highest) else {
        return format!("{}: no slice gave a sample", contender.name);
    };
    format!(
        "{}: {} slices from {lowest} to {highest} right answers per second; the table below has each",
        contender.name,
        slices.len()
    )
}

fn table(workload: &WorkloadView, measured: &[&ContenderView], blocks: u32, id: &str) -> Markup {
    let head = html! {
        tr {
            th scope="col" { "block" }
            @for contender in measured { th.num scope="col" { (contender.name) } }
        }
    };
    let body = html! {
        @for block in 0..blocks {
            tr {
                th scope="row" { (count(u64::from(block) + 1)) }
                @for contender in measured {
                    @let slice = contender.slices.iter().find(|slice| slice.block == block);
                    td.num data-contender=(contender.name) data-block=(block) {
                        @match slice {
                            Some(slice) => (per_second(slice)),
                            None => (absent()),
                        }
                    }
                }
            }
        }
    };
    let caption = format!("{}: right answers per second of each slice", workload.name);
    scrolling(id, &caption, &head, &body)
}
