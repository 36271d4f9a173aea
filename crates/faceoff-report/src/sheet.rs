//! A run as comma-separated values, for spreadsheets and programs: RFC 4180, with a row of headings
//! and exact figures.
//!
//! A field is what the public JSON has at the place that its heading names, with a dot before a
//! part, as in `absent`. A figure that could not be had is an empty field, and never zero.
//! Control characters in texts are spelled out, so that a file can be looked at in a terminal.

use csv::{Terminator, WriterBuilder};
use faceoff_record::WorkloadName;
use serde::Serialize;
use serde_json::{Value, json};

use crate::text::clean;
use crate::view::View;

/// What a row says of its run and workload.
const OF_RUN: [&str; 4] = ["suite", "started", "seed", "workload"];

/// What a row says of its contender.
const OF_CONTENDER: [&str; 44] = [
    "name",
    "language",
    "framework",
    "version",
    "class",
    "launch.command",
    "launch.url",
    "standing",
    "verified",
    "reason",
    "samples",
    "rank.best",
    "rank.worst",
    "letters",
    "throughput.value",
    "throughput.low",
    "throughput.high",
    "throughput.plus_minus_percent",
    "first_over_this.value",
    "first_over_this.low",
    "first_over_this.high",
    "latency_ms.rate",
    "latency_ms.p50",
    "latency_ms.p99",
    "service_ms.p50",
    "service_ms.p90",
    "service_ms.p99",
    "service_ms.p999",
    "cpu_us_per_request",
    "memory_after_bytes",
    "memory_peak_bytes",
    "startup_ms",
    "startup_interval_ms.low",
    "startup_interval_ms.high",
    "lines_of_code",
    "bytes_per_response",
    "good",
    "errors",
    "seconds_per_million",
    "megabytes_per_second",
    "server_busy_percent",
    "generator_busy_percent",
    "generator_limited",
    "absent",
];

/// What a row says of its slice.
const OF_SLICE: [&str; 2] = ["block", "per_second"];

/// A row for each contender on each workload.
#[must_use]
pub fn csv(view: &View) -> String {
    let headings = OF_RUN.into_iter().chain(OF_CONTENDER);
    let mut rows = vec![headings.map(str::to_owned).collect()];
    for workload in &view.workloads {
        for contender in &workload.contenders {
            let contender = value(contender);
            let fields = OF_CONTENDER
                .iter()
                .map(|heading| field(&contender, heading));
            rows.push(of_run(view, &workload.name).chain(fields).collect());
        }
    }
    written(&rows)
}

/// A row for each sample: what the figures of [`csv()`] were made from.
#[must_use]
pub fn csv_slices(view: &View) -> String {
    let headings = OF_RUN.into_iter().chain(["name"]).chain(OF_SLICE);
    let mut rows = vec![headings.map(str::to_owned).collect()];
    for workload in &view.workloads {
        for contender in &workload.contenders {
            for slice in &contender.slices {
                let name = clean(contender.name.as_str());
                let slice = value(slice);
                let fields = OF_SLICE.iter().map(|heading| field(&slice, heading));
                let row = of_run(view, &workload.name).chain([name]).chain(fields);
                rows.push(row.collect());
            }
        }
    }
    written(&rows)
}

fn of_run(view: &View, workload: &WorkloadName) -> impl Iterator<Item = String> {
    let run = json!({
        "suite": view.suite,
        "started": view.started,
        "seed": view.seed,
        "workload": workload,
    });
    OF_RUN.into_iter().map(move |heading| field(&run, heading))
}

fn value(of: &impl Serialize) -> Value {
    // Numbers that JSON does not have are none in a view.
    serde_json::to_value(of).unwrap_or_default()
}

fn field(of: &Value, heading: &str) -> String {
    let place = match heading {
        "rank.best" => "rank.0",
        "rank.worst" => "rank.1",
        "startup_interval_ms.low" => "startup_interval_ms.0",
        "startup_interval_ms.high" => "startup_interval_ms.1",
        itself => itself,
    };
    let place = format!("/{}", place.replace('.', "/"));
    of.pointer(&place).map_or_else(String::new, text)
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => clean(text),
        // The command that starts a contender.
        Value::Array(words) => clean(&shell_words::join(words.iter().filter_map(Value::as_str))),
        // Reasons for what is absent.
        Value::Object(entries) => {
            let entries = entries.iter();
            let entries: Vec<String> = entries
                .map(|(key, value)| format!("{key}: {}", text(value)))
                .collect();
            entries.join("; ")
        }
        Value::Bool(_) | Value::Number(_) => value.to_string(),
    }
}

fn written(rows: &[Vec<String>]) -> String {
    let mut writer = WriterBuilder::new()
        .terminator(Terminator::CRLF)
        .from_writer(Vec::new());
    for row in rows {
        // All rows are as long as their headings, and memory does not fail to be written.
        if let Err(error) = writer.write_record(row) {
            unreachable!("rows are of one length: {error}");
        }
    }
    let bytes = writer.into_inner().unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}
