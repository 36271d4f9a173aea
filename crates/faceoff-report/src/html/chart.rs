//! The parts of charts: rows with a plot, marks, intervals, axes.
//!
//! Places are percentages, so that a plot is as wide as its place in the page; heights of marks are
//! pixels. The plots of rows are hidden from screen readers, since label and value beside them say
//! the same.

use maud::{Markup, html};

use super::scale::{Scale, Tick};

/// More ticks than this would touch on a narrow screen.
const MOST_TICKS: usize = 6;

/// A shape, so that no meaning hangs on a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Square,
    Diamond,
    Ring,
    Cross,
    Dot,
    Triangle,
}

impl Mark {
    fn shape(self) -> Markup {
        let (class, path) = match self {
            Self::Square => ("full", "M-5.5-5.5H5.5V5.5H-5.5Z"),
            Self::Diamond => ("full", "M0-7 7 0 0 7-7 0Z"),
            Self::Ring => ("open", "M-5.5 0a5.5 5.5 0 1 0 11 0a5.5 5.5 0 1 0-11 0Z"),
            Self::Cross => ("strokes", "M-5-5 5 5M-5 5 5-5"),
            Self::Dot => ("full", "M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0Z"),
            Self::Triangle => ("full", "M0-6.5 6.5 5.5H-6.5Z"),
        };
        html! { path class=(class) d=(path) {} }
    }
}

/// A mark inside text.
pub(super) fn glyph(mark: Mark) -> Markup {
    html! {
        svg.glyph viewBox="-8 -8 16 16" aria-hidden="true" { (mark.shape()) }
    }
}

pub(super) fn percent(place: f64) -> String {
    format!("{place:.2}%")
}

/// Drawn around a place, in pixels.
fn at(scale: &Scale, value: f64, drawn: &Markup) -> Markup {
    html! { svg x=(percent(scale.at(value))) y="50%" overflow="visible" { (drawn) } }
}

/// A mark at a value.
pub(super) fn mark(scale: &Scale, value: f64, mark: Mark) -> Markup {
    at(scale, value, &mark.shape())
}

/// A line between two values; an end beyond the scale gets an arrow head.
pub(super) fn interval(scale: &Scale, low: f64, high: f64) -> Markup {
    let end = |value: f64, arrow: &str| {
        let path = if scale.holds(value) { "M0-5V5" } else { arrow };
        at(scale, value, &html! { path.strokes d=(path) {} })
    };
    html! {
        line.strokes x1=(percent(scale.at(low))) x2=(percent(scale.at(high))) y1="50%" y2="50%" {}
        (end(low, "M6-5 0 0 6 5"))
        (end(high, "M-6-5 0 0-6 5"))
    }
}

/// A row of a chart: what it is about, its value in words, and its plot.
pub(super) struct Row {
    pub(super) class: &'static str,
    pub(super) label: Markup,
    pub(super) value: Markup,
    pub(super) plot: Markup,
}

/// A chart of rows over one scale.
pub(super) struct Chart {
    pub(super) scale: Scale,
    /// What the scale shows.
    pub(super) axis: &'static str,
    /// Drawn behind each row.
    pub(super) ground: Markup,
    pub(super) rows: Vec<Row>,
}

impl Chart {
    pub(super) fn markup(&self) -> Markup {
        let ticks = self.scale.ticks(MOST_TICKS);
        html! {
            ul.rows {
                @for row in &self.rows {
                    li class={ "row " (row.class) } {
                        div.label { (row.label) }
                        div.value { (row.value) }
                        div.plot {
                            svg aria-hidden="true" {
                                (self.ground)
                                (self.grid(&ticks))
                                (row.plot)
                            }
                        }
                    }
                }
            }
            (self.axis(&ticks))
        }
    }

    fn grid(&self, ticks: &[Tick]) -> Markup {
        html! {
            @for tick in ticks {
                @let x = percent(self.scale.at(tick.value));
                line.grid x1=(x) x2=(x) y1="0" y2="100%" {}
            }
        }
    }

    fn axis(&self, ticks: &[Tick]) -> Markup {
        html! {
            div.axis aria-hidden="true" {
                div.plot {
                    svg {
                        @for tick in ticks {
                            @let x = percent(self.scale.at(tick.value));
                            text x=(x) y="15" { (tick.label) }
                        }
                    }
                }
                p { (self.axis) }
            }
        }
    }
}
