//! The comparisons of a workload: each ratio with its interval and the zone of those that do not
//! matter, drawn and as a table.

use faceoff_stats::Qualifier;
use maud::{Markup, html};

use super::answer::more;
use super::chart::{Chart, Mark, Row, glyph, interval, mark, percent};
use super::scale::Scale;
use super::table::{absent, scrolling};
use crate::phrases::{self, Comparisons, qualifier};
use crate::text::{self, count, significant};
use crate::view::{ContenderView, PairView, RatioView, VerdictView, View, WorkloadView};

/// How a verdict is shown: by shape, word and colour.
pub(super) struct Look {
    pub(super) mark: Mark,
    pub(super) class: &'static str,
}

pub(super) const fn look(verdict: VerdictView) -> Look {
    let (mark, class) = match verdict {
        VerdictView::Faster | VerdictView::Slower => (Mark::Square, "faster"),
        VerdictView::Equal => (Mark::Diamond, "equal"),
        VerdictView::Undecided => (Mark::Ring, "undecided"),
        VerdictView::Void => (Mark::Cross, "void"),
    };
    Look { mark, class }
}

/// Charts and table of all comparisons.
pub(super) fn comparisons(
    view: &View,
    workload: &WorkloadView,
    measured: &[&ContenderView],
    id: &str,
) -> Markup {
    if workload.pairs.is_empty() {
        return html! {};
    }
    let Comparisons {
        first,
        neighbours,
        others,
    } = phrases::comparisons(measured, &workload.pairs);
    let scale = scale(view.zone, &workload.pairs);
    let forest = |pairs: &[&PairView]| forest(view.zone, scale, pairs);
    let zone = text::percent(view.zone);
    html! {
        h3 { "Ratios of throughput" }
        figure {
            figcaption {
                "How many times as many requests per second the first of each pair answered. A line \
                is an interval; all of them together hold the true ratios in at least 19 of 20 \
                runs. In the grey zone, nearer to 1 than " (zone) ", a difference does not matter."
                (legend(&workload.pairs))
            }
            @if neighbours.is_empty() {
                (forest(&first))
            } @else {
                h4 { "The first against each" }
                (forest(&first))
                h4 { "Neighbours in the ranking" }
                (forest(&neighbours))
            }
            @if !others.is_empty() {
                details {
                    summary { (more(others.len(), "other pair")) }
                    (forest(&others))
                }
            }
        }
        details {
            summary { "All figures of these comparisons" }
            (table(workload, &format!("{id}-pairs")))
        }
    }
}

fn scale(zone: f64, pairs: &[PairView]) -> Scale {
    let ratios = pairs.iter().filter_map(|pair| pair.ratio);
    let ends = pairs
        .iter()
        .flat_map(|pair| [pair.low, pair.high])
        .flatten();
    Scale::log(ratios.chain([1.0 + zone, 1.0 / (1.0 + zone)]), ends)
}

fn forest(zone: f64, scale: Scale, pairs: &[&PairView]) -> Markup {
    let [low, one, high] = [1.0 / (1.0 + zone), 1.0, 1.0 + zone].map(|value| scale.at(value));
    let ground = html! {
        rect.zone x=(percent(low)) width=(percent(high - low)) y="0" height="100%" {}
        @for edge in [low, high] {
            line.edge x1=(percent(edge)) x2=(percent(edge)) y1="0" y2="100%" {}
        }
        line.one x1=(percent(one)) x2=(percent(one)) y1="0" y2="100%" {}
    };
    let chart = Chart {
        scale,
        axis: "the first slower ← 1 → the first faster",
        ground,
        rows: pairs.iter().map(|pair| row(scale, pair)).collect(),
    };
    chart.markup()
}

fn row(scale: Scale, pair: &PairView) -> Row {
    let Look { mark: shape, class } = look(pair.verdict);
    Row {
        class,
        label: html! { (names(pair)) },
        value: html! {
            span data-figure="ratio" { (ratio_or_reason(pair)) }
            " " span.word { (phrases::verdict(pair.verdict)) }
        },
        plot: html! {
            @if let Some((low, high)) = pair.low.zip(pair.high) { (interval(&scale, low, high)) }
            @if let Some(ratio) = pair.ratio { (mark(&scale, ratio, shape)) }
        },
    }
}

fn names(pair: &PairView) -> Markup {
    html! { bdi { (pair.a) } span.over { " over " } bdi { (pair.b) } }
}

fn ratio_or_reason(pair: &PairView) -> String {
    let reason = || pair.absent.get("ratio").cloned();
    phrases::ratio(pair).or_else(reason).unwrap_or_default()
}

/// The verdicts that occur, by their marks.
fn legend(pairs: &[PairView]) -> Markup {
    let verdicts = [
        VerdictView::Faster,
        VerdictView::Slower,
        VerdictView::Equal,
        VerdictView::Undecided,
        VerdictView::Void,
    ];
    let occurs = |verdict: &VerdictView| pairs.iter().any(|pair| pair.verdict == *verdict);
    html! {
        ul.legend aria-label="Marks" {
            @for verdict in verdicts.into_iter().filter(occurs) {
                @let Look { mark, class } = look(verdict);
                li class=(class) { (glyph(mark)) (phrases::verdict(verdict)) }
            }
            li { span.zone-sample {} "does not matter" }
        }
    }
}

fn table(workload: &WorkloadView, id: &str) -> Markup {
    let head = html! {
        tr {
            th scope="col" { "pair" }
            th scope="col" { "verdict" }
            th.num scope="col" { "ratio" }
            th.num scope="col" { "median of the blocks" }
            th.num scope="col" { "sign-flip p" }
            th.num scope="col" { "common blocks" }
            th scope="col" { "restrictions" }
        }
    };
    let body = html! {
        @for pair in &workload.pairs {
            tr data-a=(pair.a) data-b=(pair.b) {
                th scope="row" { (names(pair)) }
                td data-figure="verdict" { (phrases::verdict(pair.verdict)) }
                (cell(pair, "ratio", phrases::ratio(pair)))
                (cell(pair, "median", pair.median.map(median)))
                (cell(pair, "sign_flip_p", pair.sign_flip_p.map(|p| significant(p, 2))))
                (cell(pair, "blocks", Some(count(u64::from(pair.blocks)))))
                td { (qualifiers(&pair.qualifiers)) }
            }
        }
    };
    scrolling(id, &format!("{}: comparisons", workload.name), &head, &body)
}

fn cell(pair: &PairView, figure: &str, text: Option<String>) -> Markup {
    let reason = pair.absent.get(figure).map_or("", String::as_str);
    html! {
        @match text {
            Some(text) => td.num data-figure=(figure) { (text) },
            None => td.num data-figure=(figure) { (absent()) " " small { (reason) } },
        }
    }
}

fn median(median: RatioView) -> String {
    text::ratio(median.value, median.low.zip(median.high))
}

fn qualifiers(qualifiers: &[Qualifier]) -> String {
    let words: Vec<&str> = qualifiers.iter().map(|&word| qualifier(word)).collect();
    words.join("; ")
}
