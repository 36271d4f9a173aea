//! The terminal and the JSON show the same figures.

use faceoff_report::{json, terminal, view};
use serde_json::Value;

use crate::fixture::{judged, many, three};

/// Where the figures of the first table stand in the JSON of a contender, in their order, and by
/// what the terminal divides them.
const FIGURES: [(&str, f64); 9] = [
    ("/throughput/value", 1.0),
    ("/throughput/plus_minus_percent", 1.0),
    ("/first_over_this/value", 1.0),
    ("/cpu_us_per_request", 1.0),
    ("/memory_after_bytes", 1_048_576.0),
    ("/memory_peak_bytes", 1_048_576.0),
    ("/startup_ms", 1.0),
    ("/bytes_per_response", 1.0),
    ("/lines_of_code", 1.0),
];

/// The same for the second table.
const TIMES: [(&str, f64); 8] = [
    ("/service_ms/p50", 1.0),
    ("/service_ms/p90", 1.0),
    ("/service_ms/p99", 1.0),
    ("/service_ms/p999", 1.0),
    ("/server_busy_percent", 1.0),
    ("/generator_busy_percent", 1.0),
    ("/megabytes_per_second", 1.0),
    ("/seconds_per_million", 1.0),
];

#[test]
fn every_figure_of_the_tables_is_the_one_of_the_json_rounded() {
    let many = many(6, |number| format!("server-{number}"));
    for (record, analysis) in [three(), many, judged()] {
        let view = view(&record, &analysis);
        let text = terminal(&view, 160, false);
        let json: Value = serde_json::from_str(&json(&view)).unwrap();
        let mut compared = 0;
        let workload = &json["workloads"][0];
        for contender in workload["contenders"].as_array().unwrap() {
            if contender["throughput"].is_null() {
                continue;
            }
            let name = contender["name"].as_str().unwrap();
            let rows = text
                .lines()
                .map(|line| line.split_whitespace().collect::<Vec<_>>());
            let rows: Vec<Vec<&str>> = rows.collect();
            let ranked = rows.iter().find(|row| row.get(1) == Some(&name)).unwrap();
            let timed = rows.iter().find(|row| row.first() == Some(&name)).unwrap();
            let best = contender["rank"][0].to_string();
            assert_eq!(ranked[0].split('-').next(), Some(best.as_str()));
            compared += compare(contender, &ranked[2..], &FIGURES);
            compared += compare(contender, &timed[1..], &TIMES);
        }
        assert_eq!(compared, 17 * analysis.workloads[0].contenders.len());
    }
}

fn compare(contender: &Value, cells: &[&str], figures: &[(&str, f64)]) -> usize {
    assert_eq!(cells.len(), figures.len(), "{cells:?}");
    for (cell, (pointer, divisor)) in cells.iter().zip(figures) {
        let cell = cell.replace(',', "");
        let shown: f64 = cell.parse().unwrap();
        let exact = contender.pointer(pointer).unwrap().as_f64().unwrap() / divisor;
        let decimals = cell
            .split_once('.')
            .map_or(0, |(_, fraction)| fraction.len());
        let half = 0.5 * 10_f64.powi(-i32::try_from(decimals).unwrap());
        assert!(
            (shown - exact).abs() <= half * 1.000_001,
            "{pointer}: {shown} for {exact}"
        );
    }
    cells.len()
}

#[test]
fn the_sentences_are_the_same_too() {
    let (record, analysis) = three();
    let view = view(&record, &analysis);
    let text = terminal(&view, 160, false);
    let json: Value = serde_json::from_str(&json(&view)).unwrap();
    for pair in json["workloads"][0]["pairs"].as_array().unwrap() {
        let sentence = pair["sentence"].as_str().unwrap();
        assert!(text.contains(&format!("  • {sentence}\n")), "{sentence}");
    }
}
