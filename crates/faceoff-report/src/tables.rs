//! The two tables of a workload: the figures that decide with what they cost, and times with load.

use crate::grid::{Column, Fit, Grid, grid};
use crate::text::{MISSING, count, mebibytes, shorten, significant};
use crate::view::{ContenderView, ServiceTime};

/// A name longer than this is shortened even where there is room: it would push figures out.
const LONGEST_NAME: usize = 32;

/// A figure as a column.
struct Figure {
    /// Its key in the view, under which a reason stands if it is missing.
    key: &'static str,
    /// What it is called in a sentence.
    name: &'static str,
    heading: &'static str,
    fit: Fit,
    cell: fn(&ContenderView) -> Option<String>,
}

const FIGURES: [Figure; 11] = [
    Figure {
        key: "throughput",
        name: "requests per second",
        heading: "req/s",
        fit: Fit::Figures,
        cell: |c| {
            c.throughput
                .map(|throughput| significant(throughput.value, 3))
        },
    },
    Figure {
        key: "throughput.plus_minus_percent",
        name: "interval",
        heading: "±\n%",
        fit: Fit::Figures,
        cell: |c| Some(significant(c.throughput?.plus_minus_percent?, 2)),
    },
    Figure {
        key: "first_over_this",
        name: "ratio to the first",
        heading: "first/\nthis",
        fit: Fit::Figures,
        cell: |c| c.first_over_this.map(|ratio| significant(ratio.value, 3)),
    },
    Figure {
        key: "errors",
        name: "errors",
        heading: "errors",
        fit: Fit::Drop(7),
        // A column of zeros says nothing.
        cell: |c| c.errors.filter(|&errors| errors > 0).map(count),
    },
    Figure {
        key: "cpu_us_per_request",
        name: "CPU per request",
        heading: "CPU\nus/req",
        fit: Fit::Drop(6),
        cell: |c| c.cpu_us_per_request.map(|cpu| significant(cpu, 3)),
    },
    Figure {
        key: "memory_after_bytes",
        name: "memory",
        heading: "memory\nMiB",
        fit: Fit::Drop(5),
        cell: |c| c.memory_after_bytes.map(mebibytes),
    },
    Figure {
        key: "memory_peak_bytes",
        name: "peak memory",
        heading: "peak\nMiB",
        fit: Fit::Drop(3),
        cell: |c| c.memory_peak_bytes.map(mebibytes),
    },
    Figure {
        key: "startup_ms",
        name: "start-up",
        heading: "start-\nup ms",
        fit: Fit::Drop(4),
        cell: |c| c.startup_ms.map(|startup| significant(startup, 3)),
    },
    Figure {
        key: "bytes_per_response",
        name: "bytes per answer",
        heading: "answer\nbytes",
        fit: Fit::Drop(2),
        cell: |c| c.bytes_per_response.map(|bytes| significant(bytes, 3)),
    },
    Figure {
        key: "lines_of_code",
        name: "lines of code",
        heading: "code\nlines",
        fit: Fit::Drop(1),
        cell: |c| c.lines_of_code.map(count),
    },
    Figure {
        key: "rank",
        name: "rank",
        heading: "rank",
        fit: Fit::Text,
        cell: |c| c.rank.map(rank),
    },
];

const TIMES: [Figure; 8] = [
    Figure {
        key: "service_ms.p50",
        name: "p50",
        heading: "p50\nms",
        fit: Fit::Figures,
        cell: |c| service(c, |service| service.p50),
    },
    Figure {
        key: "service_ms.p90",
        name: "p90",
        heading: "p90\nms",
        fit: Fit::Drop(2),
        cell: |c| service(c, |service| service.p90),
    },
    Figure {
        key: "service_ms.p99",
        name: "p99",
        heading: "p99\nms",
        fit: Fit::Figures,
        cell: |c| service(c, |service| service.p99),
    },
    Figure {
        key: "service_ms.p999",
        name: "p99.9",
        heading: "p99.9\nms",
        fit: Fit::Drop(5),
        cell: |c| service(c, |service| service.p999),
    },
    Figure {
        key: "server_busy_percent",
        name: "server load",
        heading: "server\nbusy %",
        fit: Fit::Drop(4),
        cell: |c| c.server_busy_percent.map(|busy| significant(busy, 3)),
    },
    Figure {
        key: "generator_busy_percent",
        name: "generator load",
        heading: "generator\nbusy %",
        fit: Fit::Drop(6),
        cell: |c| c.generator_busy_percent.map(|busy| significant(busy, 3)),
    },
    Figure {
        key: "megabytes_per_second",
        name: "megabytes per second",
        heading: "answers\nMB/s",
        fit: Fit::Drop(1),
        cell: |c| {
            c.megabytes_per_second
                .map(|megabytes| significant(megabytes, 3))
        },
    },
    Figure {
        key: "seconds_per_million",
        name: "seconds for a million requests",
        heading: "1M req\ns",
        fit: Fit::Drop(3),
        cell: |c| c.seconds_per_million.map(|seconds| significant(seconds, 3)),
    },
];

fn service(contender: &ContenderView, part: fn(&ServiceTime) -> Option<f64>) -> Option<String> {
    let value = part(contender.service_ms.as_ref()?)?;
    Some(significant(value, 3))
}

/// `1`, or `1-2` where the intervals leave both open.
fn rank([best, worst]: [u32; 2]) -> String {
    if best == worst {
        best.to_string()
    } else {
        format!("{best}-{worst}")
    }
}

/// What is compared, and what it costs.
pub(crate) fn figures_table(contenders: &[&ContenderView], width: usize) -> Grid {
    let [figures @ .., rank] = &FIGURES;
    let mut columns: Vec<Column> = column(rank, contenders).into_iter().collect();
    columns.push(names(contenders));
    columns.extend(figures.iter().filter_map(|f| column(f, contenders)));
    grid(columns, width)
}

/// Service times, who was busy, and the headlines of older benchmarks.
pub(crate) fn times_table(contenders: &[&ContenderView], width: usize) -> Grid {
    let mut columns = vec![names(contenders)];
    columns.extend(TIMES.iter().filter_map(|f| column(f, contenders)));
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
    let cells: Vec<Option<String>> = contenders.iter().map(|c| (figure.cell)(c)).collect();
    cells.iter().any(Option::is_some).then(|| Column {
        name: figure.name,
        heading: figure.heading.to_owned(),
        fit: figure.fit,
        cells: cells
            .into_iter()
            .map(|cell| cell.unwrap_or_else(|| MISSING.to_owned()))
            .collect(),
    })
}

/// Why figures are missing that are not `dropped`: a sentence for each reason.
pub(crate) fn missing_figures(contenders: &[&ContenderView], dropped: &[&str]) -> Vec<String> {
    let mut groups: Vec<(Lack<'_>, Vec<&str>)> = Vec::new();
    for contender in contenders {
        for lack in lacks(contender, dropped) {
            let name = contender.name.as_str();
            match groups.iter_mut().find(|(other, _)| *other == lack) {
                Some((_, names)) => names.push(name),
                None => groups.push((lack, vec![name])),
            }
        }
    }
    let sentence = |(lack, names): (Lack<'_>, Vec<&str>)| {
        let verb = if names.len() == 1 { "has" } else { "have" };
        let names = names.join(", ");
        format!(
            "{names} {verb} no {}: {}",
            lack.figures.join(", "),
            lack.reason
        )
    };
    groups.into_iter().map(sentence).collect()
}

/// Figures that one contender lacks for one reason.
#[derive(PartialEq, Eq)]
struct Lack<'a> {
    reason: &'a str,
    figures: Vec<&'static str>,
}

fn lacks<'a>(contender: &'a ContenderView, dropped: &[&str]) -> Vec<Lack<'a>> {
    let mut lacks: Vec<Lack<'a>> = Vec::new();
    for figure in FIGURES.iter().chain(&TIMES) {
        let whole = figure.key.split('.').next().unwrap_or(figure.key);
        let absent = &contender.absent;
        let Some(reason) = absent.get(figure.key).or_else(|| absent.get(whole)) else {
            continue;
        };
        if dropped.contains(&figure.name) {
            continue;
        }
        match lacks.iter_mut().find(|lack| lack.reason == reason) {
            Some(lack) => lack.figures.push(figure.name),
            None => lacks.push(Lack {
                reason,
                figures: vec![figure.name],
            }),
        }
    }
    lacks
}
