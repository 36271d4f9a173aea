//! A table that fits: when the width does not suffice, the least important columns go first.

use comfy_table::{Cell, CellAlignment, ContentArrangement, LineStyle, Table, TableStyle};

use crate::text::{columns, shorten, wrap};

/// No vertical lines, and one line under the headings.
const STYLE: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─'));

/// Between two columns.
const GAP: u16 = 2;

/// Wrapped text may get as narrow as this to save a column.
const NARROW: usize = 20;

/// No text gets narrower; a table that needs more stays too wide.
const SHORTEST: usize = 8;

/// The heading of a column of short texts keeps this much: `contender` and `workload` in full.
const LEAST_HEADING: usize = 9;

/// One column of a table.
pub(crate) struct Column {
    /// What it is called where it had to be dropped.
    pub(crate) name: &'static str,
    /// The heading, of one or two lines.
    pub(crate) heading: String,
    /// What happens to it when the table is too wide.
    pub(crate) fit: Fit,
    /// Its cells, from the top.
    pub(crate) cells: Vec<String>,
}

/// What happens to a column of a table that is too wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// Text that is shortened, after all columns that can be dropped were dropped.
    Shorten,
    /// Text that is wrapped first, before a column is dropped.
    Wrap,
    /// Text that stays.
    Text,
    /// Figures that stay.
    Figures,
    /// Figures that are dropped; the lowest number first.
    Drop(u8),
    /// Text that is dropped; the lowest number first.
    DropText(u8),
}

impl Fit {
    const fn worth(self) -> Option<u8> {
        match self {
            Self::Drop(worth) | Self::DropText(worth) => Some(worth),
            Self::Shorten | Self::Wrap | Self::Text | Self::Figures => None,
        }
    }

    const fn alignment(self) -> CellAlignment {
        match self {
            Self::Shorten | Self::Wrap | Self::Text | Self::DropText(_) => CellAlignment::Left,
            Self::Figures | Self::Drop(_) => CellAlignment::Right,
        }
    }
}

/// A table as lines.
pub(crate) struct Grid {
    /// None of them wider than asked for, if that is possible at all.
    pub(crate) lines: Vec<String>,
    /// Those that were dropped, the most important first.
    pub(crate) dropped: Vec<&'static str>,
}

/// Renders the columns within `width`: wraps, then drops, then shortens.
pub(crate) fn grid(mut table: Vec<Column>, width: usize) -> Grid {
    let mut dropped = Vec::new();
    let mut limits: Vec<usize> = table.iter().map(widest_text).collect();
    loop {
        let lines = render(&table, &limits);
        let widest = lines.iter().map(|line| columns(line)).max().unwrap_or(0);
        if widest <= width {
            return Grid { lines, dropped };
        }
        if tighten(&table, &mut limits, &[Fit::Wrap], NARROW) {
            continue;
        }
        if let Some(index) = least(&table) {
            dropped.insert(0, table.remove(index).name);
            limits.remove(index);
        } else if !tighten(&table, &mut limits, &[Fit::Wrap, Fit::Shorten], SHORTEST) {
            return Grid { lines, dropped };
        }
    }
}

fn widest_text(column: &Column) -> usize {
    let texts = column.cells.iter().map(String::as_str);
    let texts = texts.chain(column.heading.lines());
    texts.map(columns).max().unwrap_or(0)
}

/// The column to drop next.
fn least(table: &[Column]) -> Option<usize> {
    let worths = table.iter().enumerate();
    let worths = worths.filter_map(|(index, column)| Some((column.fit.worth()?, index)));
    worths.min().map(|(_, index)| index)
}

/// Takes one from the widest text that may be narrower, or says that it cannot.
fn tighten(table: &[Column], limits: &mut [usize], which: &[Fit], least: usize) -> bool {
    let texts = table.iter().zip(limits);
    let texts = texts.filter(|(column, _)| which.contains(&column.fit));
    let widest = texts.map(|(_, limit)| limit).max();
    let Some(widest) = widest.filter(|widest| **widest > least) else {
        return false;
    };
    *widest -= 1;
    true
}

fn render(columns: &[Column], limits: &[usize]) -> Vec<String> {
    let mut table = Table::new();
    let headings = columns.iter().zip(limits);
    let headings = headings.map(|(column, &limit)| Cell::new(heading(column, columns, limit)));
    table
        .load_style(STYLE)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(headings);
    let rows = columns.first().map_or(0, |column| column.cells.len());
    for row in 0..rows {
        let cells = columns.iter().zip(limits);
        table.add_row(cells.map(|(column, &limit)| {
            let cell = column.cells.get(row).map_or("", String::as_str);
            match column.fit {
                Fit::Wrap => wrap(cell, limit).join("\n"),
                Fit::Shorten => shorten(cell, limit),
                _ => cell.to_owned(),
            }
        }));
    }
    for (index, (column, shape)) in table.column_iter_mut().zip(columns).enumerate() {
        column.set_padding((if index == 0 { 0 } else { GAP }, 0));
        column.set_cell_alignment(shape.fit.alignment());
    }
    table
        .lines()
        .map(|line| line.trim_end().to_owned())
        .collect()
}

/// The heading, moved down to the last line where others have two.
fn heading(column: &Column, all: &[Column], limit: usize) -> String {
    let heading = match column.fit {
        Fit::Shorten => shorten(&column.heading, limit.max(LEAST_HEADING)),
        _ => column.heading.clone(),
    };
    let two = all.iter().any(|column| column.heading.contains('\n'));
    if two && !heading.contains('\n') {
        format!("\n{heading}")
    } else {
        heading
    }
}

#[cfg(test)]
mod tests {
    use super::{Column, Fit, grid};

    fn table() -> Vec<Column> {
        let column = |name, heading, fit, cells: [&str; 2]| Column {
            name,
            heading: String::from(heading),
            fit,
            cells: cells.map(str::to_owned).to_vec(),
        };
        vec![
            column("name", "name", Fit::Shorten, ["a-rather-long-name", "b"]),
            column("rate", "rate\n1/s", Fit::Figures, ["1,000", "9"]),
            column("memory", "memory\nMiB", Fit::Drop(2), ["12.3", "4"]),
            column("lines", "lines", Fit::Drop(1), ["100", "20"]),
        ]
    }

    #[test]
    fn figures_stand_right_under_headings_of_two_lines() {
        let lines = [
            "                     rate  memory",
            "name                  1/s     MiB  lines",
            "────────────────────────────────────────",
            "a-rather-long-name  1,000    12.3    100",
            "b                       9       4     20",
        ];
        assert_eq!(grid(table(), 40).lines, lines);
    }

    #[test]
    fn the_least_important_columns_go_first_and_names_are_shortened_last() {
        let narrow = grid(table(), 39);
        assert_eq!(narrow.dropped, ["lines"]);
        let narrower = grid(table(), 20);
        assert_eq!(narrower.dropped, ["memory", "lines"]);
        let lines = [
            "                rate",
            "name             1/s",
            "────────────────────",
            "a-rath…g-name  1,000",
            "b                  9",
        ];
        assert_eq!(narrower.lines, lines);
    }
}
