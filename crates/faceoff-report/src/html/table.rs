//! Tables that scroll by themselves where the page is too narrow for them.

use maud::{Markup, html};

use crate::figures::Figure;
use crate::text::MISSING;
use crate::view::ContenderView;

/// A table in a region that the keyboard can reach and scroll.
pub(super) fn scrolling(id: &str, caption: &str, head: &Markup, body: &Markup) -> Markup {
    html! {
        div.scroll role="region" aria-labelledby=(id) tabindex="0" {
            table {
                caption id=(id) { (caption) }
                thead { (head) }
                tbody { (body) }
            }
        }
    }
}

/// Stands where a figure is missing.
pub(super) fn absent() -> Markup {
    html! { span.absent data-absent { span aria-hidden="true" { (MISSING) } span.unseen { "absent" } } }
}

/// A row for each contender and a column for each figure that any of them has.
pub(super) fn figures<'a>(
    id: &str,
    caption: &str,
    contenders: &[&ContenderView],
    figures: impl Iterator<Item = &'a Figure>,
) -> Markup {
    render(id, caption, contenders, figures, |_, _| None)
}

/// The same with a bar under each figure, as long as its share of the largest.
pub(super) fn figures_with_bars<'a>(
    id: &str,
    caption: &str,
    contenders: &[&ContenderView],
    figures: impl Iterator<Item = &'a Figure>,
) -> Markup {
    render(id, caption, contenders, figures, |figure, contender| {
        let sizes = contenders.iter().filter_map(|other| figure.size(other));
        let largest = sizes.fold(0.0, f64::max);
        let share = figure.size(contender)? / largest;
        share.is_finite().then(|| format!("--share:{share:.3}"))
    })
}

fn render<'a>(
    id: &str,
    caption: &str,
    contenders: &[&ContenderView],
    figures: impl Iterator<Item = &'a Figure>,
    bar: impl Fn(&Figure, &ContenderView) -> Option<String>,
) -> Markup {
    let known: Vec<&Figure> = figures
        .filter(|figure| figure.is_known(contenders))
        .collect();
    let head = html! {
        tr {
            th scope="col" { "contender" }
            @for figure in &known {
                th.num scope="col" {
                    (figure.name)
                    @if !figure.unit.is_empty() { ", " span.unit { (figure.unit) } }
                }
            }
        }
    };
    let body = html! {
        @for contender in contenders {
            tr data-contender=(contender.name) {
                th scope="row" { bdi { (contender.name) } }
                @for figure in &known {
                    @let style = bar(figure, contender);
                    td.num.bar[style.is_some()] style=[style] data-figure=(figure.key) {
                        @match figure.text(contender) {
                            Some(text) => (text),
                            None => (absent()),
                        }
                    }
                }
            }
        }
    };
    scrolling(id, caption, &head, &body)
}
