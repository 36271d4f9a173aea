//! The figures of a contender: what they are called, in what order they stand, and how they read.
//! Every format takes them from here, so that one figure is the same text everywhere.

use crate::grid::Fit;
use crate::text::{count, mebibytes, significant};
use crate::view::{ContenderView, ServiceTime};

/// A figure that contenders have or lack.
pub(crate) struct Figure {
    /// Its key in the view, under which a reason stands if it is missing.
    pub(crate) key: &'static str,
    /// What it is called in a sentence, and where there is room.
    pub(crate) name: &'static str,
    /// Its unit, where the name does not say it.
    pub(crate) unit: &'static str,
    /// What it is called where there is little room.
    pub(crate) heading: &'static str,
    /// What becomes of it where there is still less.
    pub(crate) fit: Fit,
    value: fn(&ContenderView) -> Option<Value>,
}

/// A figure with the digits that are shown.
enum Value {
    /// That many significant digits.
    Digits(f64, usize),
    Count(u64),
    Bytes(u64),
    Rank([u32; 2]),
}

impl Figure {
    /// The figure as every format shows it.
    pub(crate) fn text(&self, contender: &ContenderView) -> Option<String> {
        Some(match (self.value)(contender)? {
            Value::Digits(value, digits) => significant(value, digits),
            Value::Count(value) => count(value),
            Value::Bytes(value) => mebibytes(value),
            Value::Rank([best, worst]) if best == worst => best.to_string(),
            // The intervals leave both open.
            Value::Rank([best, worst]) => format!("{best}-{worst}"),
        })
    }

    /// How large it is beside that of others.
    #[expect(clippy::cast_precision_loss, reason = "the length of a bar")]
    pub(crate) fn size(&self, contender: &ContenderView) -> Option<f64> {
        Some(match (self.value)(contender)? {
            Value::Digits(value, _) => value,
            Value::Count(value) | Value::Bytes(value) => value as f64,
            Value::Rank([best, _]) => f64::from(best),
        })
    }

    /// The name with the unit.
    pub(crate) fn title(&self) -> String {
        match self.unit {
            "" => self.name.to_owned(),
            unit => format!("{}, {unit}", self.name),
        }
    }

    /// Whether any of the contenders has it.
    pub(crate) fn is_known(&self, contenders: &[&ContenderView]) -> bool {
        contenders.iter().any(|c| (self.value)(c).is_some())
    }
}

fn digits(value: Option<f64>) -> Option<Value> {
    value.map(|value| Value::Digits(value, 3))
}

fn service(contender: &ContenderView, part: fn(&ServiceTime) -> Option<f64>) -> Option<Value> {
    digits(part(contender.service_ms.as_ref()?))
}

pub(crate) const RANK: Figure = Figure {
    key: "rank",
    name: "rank",
    unit: "",
    heading: "rank",
    fit: Fit::Text,
    value: |c| c.rank.map(Value::Rank),
};

pub(crate) const THROUGHPUT: Figure = Figure {
    key: "throughput",
    name: "requests per second",
    unit: "",
    heading: "req/s",
    fit: Fit::Figures,
    value: |c| digits(c.throughput.map(|throughput| throughput.value)),
};

pub(crate) const PLUS_MINUS: Figure = Figure {
    key: "throughput.plus_minus_percent",
    name: "interval",
    unit: "± %",
    heading: "±\n%",
    fit: Fit::Figures,
    value: |c| Some(Value::Digits(c.throughput?.plus_minus_percent?, 2)),
};

pub(crate) const ERRORS: Figure = Figure {
    key: "errors",
    name: "errors",
    unit: "",
    heading: "errors",
    fit: Fit::Drop(7),
    value: |c| c.errors.map(Value::Count),
};

/// What is compared.
pub(crate) const SPEED: [Figure; 4] = [
    THROUGHPUT,
    PLUS_MINUS,
    Figure {
        key: "first_over_this",
        name: "ratio to the first",
        unit: "",
        heading: "first/\nthis",
        fit: Fit::Figures,
        value: |c| digits(c.first_over_this.map(|ratio| ratio.value)),
    },
    ERRORS,
];

/// What it costs.
pub(crate) const COSTS: [Figure; 6] = [
    Figure {
        key: "cpu_us_per_request",
        name: "CPU per request",
        unit: "us",
        heading: "CPU\nus/req",
        fit: Fit::Drop(6),
        value: |c| digits(c.cpu_us_per_request),
    },
    Figure {
        key: "memory_after_bytes",
        name: "memory",
        unit: "MiB",
        heading: "memory\nMiB",
        fit: Fit::Drop(5),
        value: |c| c.memory_after_bytes.map(Value::Bytes),
    },
    Figure {
        key: "memory_peak_bytes",
        name: "peak memory",
        unit: "MiB",
        heading: "peak\nMiB",
        fit: Fit::Drop(3),
        value: |c| c.memory_peak_bytes.map(Value::Bytes),
    },
    Figure {
        key: "startup_ms",
        name: "start-up",
        unit: "ms",
        heading: "start-\nup ms",
        fit: Fit::Drop(4),
        value: |c| digits(c.startup_ms),
    },
    Figure {
        key: "bytes_per_response",
        name: "bytes per answer",
        unit: "",
        heading: "answer\nbytes",
        fit: Fit::Drop(2),
        value: |c| digits(c.bytes_per_response),
    },
    Figure {
        key: "lines_of_code",
        name: "lines of code",
        unit: "",
        heading: "code\nlines",
        fit: Fit::Drop(1),
        value: |c| c.lines_of_code.map(Value::Count),
    },
];

pub(crate) const P50: Figure = Figure {
    key: "service_ms.p50",
    name: "p50",
    unit: "ms",
    heading: "p50\nms",
    fit: Fit::Figures,
    value: |c| service(c, |service| service.p50),
};

pub(crate) const P99: Figure = Figure {
    key: "service_ms.p99",
    name: "p99",
    unit: "ms",
    heading: "p99\nms",
    fit: Fit::Figures,
    value: |c| service(c, |service| service.p99),
};

/// Times of the load itself.
pub(crate) const SERVICE: [Figure; 4] = [
    P50,
    Figure {
        key: "service_ms.p90",
        name: "p90",
        unit: "ms",
        heading: "p90\nms",
        fit: Fit::Drop(2),
        value: |c| service(c, |service| service.p90),
    },
    P99,
    Figure {
        key: "service_ms.p999",
        name: "p99.9",
        unit: "ms",
        heading: "p99.9\nms",
        fit: Fit::Drop(5),
        value: |c| service(c, |service| service.p999),
    },
];

/// Who was busy, and the headlines of older benchmarks.
pub(crate) const LOAD: [Figure; 4] = [
    Figure {
        key: "server_busy_percent",
        name: "server load",
        unit: "%",
        heading: "server\nbusy %",
        fit: Fit::Drop(4),
        value: |c| digits(c.server_busy_percent),
    },
    Figure {
        key: "generator_busy_percent",
        name: "generator load",
        unit: "%",
        heading: "generator\nbusy %",
        fit: Fit::Drop(6),
        value: |c| digits(c.generator_busy_percent),
    },
    Figure {
        key: "megabytes_per_second",
        name: "megabytes per second",
        unit: "",
        heading: "answers\nMB/s",
        fit: Fit::Drop(1),
        value: |c| digits(c.megabytes_per_second),
    },
    Figure {
        key: "seconds_per_million",
        name: "seconds for a million requests",
        unit: "",
        heading: "1M req\ns",
        fit: Fit::Drop(3),
        value: |c| digits(c.seconds_per_million),
    },
];

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
    let figures = SPEED.iter().chain(&COSTS).chain([&RANK]);
    for figure in figures.chain(&SERVICE).chain(&LOAD) {
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
