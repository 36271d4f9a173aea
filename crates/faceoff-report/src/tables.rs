//! The two tables of a workload for a terminal: the figures that decide with what they cost, and
//! times with load.

use crate::figures::{COSTS, ERRORS, Figure, LOAD, RANK, SERVICE, SPEED};
use crate::grid::{Column, Fit, Grid, grid};
use crate::text::{MISSING, shorten};
use crate::view::ContenderView;

/// A name longer than this is shortened even where there is room: it would push figures out.
const LONGEST_NAME: usize = 32;

/// What is compared, and what it costs.
pub(crate) fn figures_table(contenders: &[&ContenderView], width: usize) -> Grid {
    let mut columns: Vec<Column> = column(&RANK, contenders).into_iter().collect();
    columns.push(names(contenders));
    // A column of zeros says nothing.
    let errors = contenders.iter().any(|c| c.errors.is_some_and(|e| e > 0));
    let figures = SPEED.iter().chain(&COSTS);
    let figures = figures.filter(|figure| errors || figure.key != ERRORS.key);
    columns.extend(figures.filter_map(|f| column(f, contenders)));
    grid(columns, width)
}

/// Service times, who was busy, and the headlines of older benchmarks.
pub(crate) fn times_table(contenders: &[&ContenderView], width: usize) -> Grid {
    let mut columns = vec![names(contenders)];
    let figures = SERVICE.iter().chain(&LOAD);
    columns.extend(figures.filter_map(|f| column(f, contenders)));
    grid(columns, width)
}

fn names(contenders: &[&ContenderView]) -> Column {
    let names = contenders.iter().map(|contender| contender.name.as_str());
    Column {
        name: "contender",
        heading: "contender".to_owned(),
        fit: Fit::Shorten,
        cells: names.map(|name| shorten(name, LONGEST_NAME)).collect(),
    }
}

/// Nothing where no contender has the figure.
fn column(figure: &Figure, contenders: &[&ContenderView]) -> Option<Column> {
    let cell = |contender: &&ContenderView| {
        let text = figure.text(contender);
        text.unwrap_or_else(|| MISSING.to_owned())
    };
    figure.is_known(contenders).then(|| Column {
        name: figure.name,
        heading: figure.heading.to_owned(),
        fit: figure.fit,
        cells: contenders.iter().map(cell).collect(),
    })
}
