//! What people and programs see of a run, a check and a listing.

#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests may panic like the tests themselves"
)]

mod fixture;
mod runs;

mod terminal;
mod widths;

mod html;
mod json;
mod markdown;
mod sheet;

mod formats;
mod same_figures;

mod check;
mod listing;
