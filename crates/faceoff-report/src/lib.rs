//! Turns a record and its analysis into what people and programs read.
//!
//! [`view()`] is the one place where figures become presentable; renderers only format what is in
//! the [`View`], so that all formats show the same numbers. Pure: no clock, no file, no process,
//! nothing printed. What an analysis means is decided in `faceoff-stats`; whether to use colour
//! and how wide a terminal is, by the caller.
//!
//! Reading order: the [view](View) and how it is made; which figures all formats show (`figures`)
//! and what they say in words (`phrases`); the formats: [terminal text](terminal()), a
//! [page](html()), [Markdown](markdown()), [CSV](csv()); then what `faceoff check` and
//! `faceoff list` show.

mod view;

mod present;

mod measured;
mod pairs;

mod figures;
mod phrases;

mod terminal;

mod tables;

mod html;

mod markdown;

mod sheet;

mod check;
mod check_text;

mod listing;

mod grid;
mod text;

pub use check::{
    CHECK_FORMAT, CheckResult, CheckView, CheckedContender, CheckedWorkload, ViolationView,
    check_json, check_view,
};
pub use check_text::check_terminal;
pub use html::html;
pub use listing::{
    LISTING_FORMAT, ListedContender, ListedSuite, ListedWorkload, Listing, listing_json,
    listing_terminal,
};
pub use markdown::markdown;
pub use present::view;
pub use sheet::{csv, csv_slices};
pub use terminal::terminal;
pub use text::clean;
pub use view::{
    Absent, BlockRatio, ContenderView, EnvironmentView, Latency, LaunchView, Metric, PairView,
    RatioView, ServiceTime, SliceView, Standing, Throughput, VIEW_FORMAT, VerdictView, View,
    WarningView, WorkloadView,
};

use serde::Serialize;

/// The public JSON of a run.
#[must_use]
pub fn json(view: &View) -> String {
    pretty(view)
}

fn pretty(value: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(value);
    // Only maps with keys that are no text, and types whose own code fails, cannot be written; the
    // types of this crate have neither.
    text.unwrap_or_else(|error| unreachable!("a view is always JSON: {error}"))
}
