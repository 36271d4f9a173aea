//! All formats show the same figures.

use faceoff_report::{View, csv, html, json, markdown, terminal, view};
use scraper::Html;
use serde_json::Value;

use crate::formats::{self, Shown, html_figures, markdown_figures, select, terminal_rows, text};
use crate::runs::{HOSTILE, all, hostile};

/// A figure of the tables.
struct Figure {
    /// Its key in the page.
    key: &'static str,
    /// Where it stands in the JSON of a contender.
    json: &'static str,
    /// By what the tables divide it.
    divisor: f64,
    /// Its heading in Markdown.
    heading: &'static str,
}

const fn figure(
    key: &'static str,
    json: &'static str,
    divisor: f64,
    heading: &'static str,
) -> Figure {
    Figure {
        key,
        json,
        divisor,
        heading,
    }
}

const MIB: f64 = 1_048_576.0;

/// In the order of the first table of the terminal.
const FIGURES: [Figure; 10] = [
    figure(
        "throughput",
        "/throughput/value",
        1.0,
        "requests per second",
    ),
    figure(
        "throughput.plus_minus_percent",
        "/throughput/plus_minus_percent",
        1.0,
        "interval, ± %",
    ),
    figure(
        "first_over_this",
        "/first_over_this/value",
        1.0,
        "ratio to the first",
    ),
    figure("errors", "/errors", 1.0, "errors"),
    figure(
        "cpu_us_per_request",
        "/cpu_us_per_request",
        1.0,
        "CPU per request, us",
    ),
    figure(
        "memory_after_bytes",
        "/memory_after_bytes",
        MIB,
        "memory, MiB",
    ),
    figure(
        "memory_peak_bytes",
        "/memory_peak_bytes",
        MIB,
        "peak memory, MiB",
    ),
    figure("startup_ms", "/startup_ms", 1.0, "start-up, ms"),
    figure(
        "bytes_per_response",
        "/bytes_per_response",
        1.0,
        "bytes per answer",
    ),
    figure("lines_of_code", "/lines_of_code", 1.0, "lines of code"),
];

/// In the order of the second table.
const TIMES: [Figure; 8] = [
    figure("service_ms.p50", "/service_ms/p50", 1.0, "p50, ms"),
    figure("service_ms.p90", "/service_ms/p90", 1.0, "p90, ms"),
    figure("service_ms.p99", "/service_ms/p99", 1.0, "p99, ms"),
    figure("service_ms.p999", "/service_ms/p999", 1.0, "p99.9, ms"),
    figure(
        "server_busy_percent",
        "/server_busy_percent",
        1.0,
        "server load, %",
    ),
    figure(
        "generator_busy_percent",
        "/generator_busy_percent",
        1.0,
        "generator load, %",
    ),
    figure(
        "megabytes_per_second",
        "/megabytes_per_second",
        1.0,
        "megabytes per second",
    ),
    figure(
        "seconds_per_million",
        "/seconds_per_million",
        1.0,
        "seconds for a million requests",
    ),
];

/// The runs with names that the terminal does not change.
fn views() -> Vec<(&'static str, View)> {
    let runs = all().into_iter().filter(|(name, _)| *name != "hostile");
    runs.map(|(name, (record, analysis))| (name, view(&record, &analysis)))
        .collect()
}

fn public(view: &View) -> Value {
    serde_json::from_str(&json(view)).unwrap()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a Vec<Value> {
    value[key].as_array().unwrap()
}

#[test]
fn every_figure_of_the_tables_is_the_one_of_the_json_rounded_and_none_is_zero_if_absent() {
    let (mut compared, mut absent) = (0, 0);
    for (run, view) in views() {
        let page = html_figures(&Html::parse_document(&html(&view)));
        let markdown = markdown_figures(&markdown(&view));
        let public = public(&view);
        let measured = list(&public, "workloads").iter().flat_map(|workload| {
            let contenders = list(workload, "contenders").iter();
            let measured = contenders.filter(|contender| !contender["throughput"].is_null());
            measured.map(|contender| (workload["name"].as_str().unwrap(), contender))
        });
        let measured: Vec<(&str, &Value)> = measured.collect();
        assert_eq!(
            (page.len(), markdown.len()),
            (measured.len(), measured.len())
        );
        for (workload, contender) in measured {
            let name = contender["name"].as_str().unwrap();
            let whose = (workload.to_owned(), name.to_owned());
            for figure in FIGURES.iter().chain(&TIMES) {
                let of = format!("{run}, {workload}, {name}, {}", figure.key);
                let shown = one_of(&page[&whose], figure.key);
                assert_eq!(shown, one_of(&markdown[&whose], figure.heading), "{of}");
                let exact = contender.pointer(figure.json).and_then(Value::as_f64);
                assert_eq!(shown.is_some(), exact.is_some(), "{of}");
                match shown.zip(exact) {
                    Some((shown, exact)) => assert_rounded(&shown, exact / figure.divisor, &of),
                    None => absent += 1,
                }
                compared += 1;
            }
            let rank = one_of(&page[&whose], "rank").unwrap();
            let [best, worst] = [0, 1].map(|end| contender["rank"][end].to_string());
            let expected = if best == worst {
                best
            } else {
                format!("{best}-{worst}")
            };
            assert_eq!(rank, expected);
            assert_eq!(one_of(&markdown[&whose], "rank"), Some(rank));
        }
    }
    assert!(compared > 18 * 30, "{compared}");
    assert!(absent > 5, "{absent}");
}

/// A column that no contender has is not there at all.
fn one_of(shown: &Shown, key: &str) -> Option<String> {
    shown.get(key).cloned().flatten()
}

fn assert_rounded(shown: &str, exact: f64, of: &str) {
    let plain = shown.replace(',', "");
    let value: f64 = plain.parse().unwrap();
    let decimals = plain
        .split_once('.')
        .map_or(0, |(_, fraction)| fraction.len());
    let half = 0.5 * 10_f64.powi(-i32::try_from(decimals).unwrap());
    assert!(
        (value - exact).abs() <= half * 1.000_001,
        "{of}: {shown} for {exact}"
    );
}

#[test]
fn the_terminal_shows_what_the_page_shows() {
    for (run, view) in views() {
        let page = html_figures(&Html::parse_document(&html(&view)));
        let text = terminal(&view, 200, false);
        // A blank line comes before each workload, and its name stands alone.
        let mut sections = view.workloads.iter().map(|workload| {
            let start = text.find(&format!("\n\n{}\n", workload.name)).unwrap();
            (workload, &text[start + 2..])
        });
        for (workload, section) in &mut sections {
            for contender in workload
                .contenders
                .iter()
                .filter(|c| c.throughput.is_some())
            {
                let whose = (workload.name.to_string(), contender.name.to_string());
                let rows = terminal_rows(section, contender.name.as_str());
                let errors = workload
                    .contenders
                    .iter()
                    .any(|c| c.errors.is_some_and(|e| e > 0));
                let expected = |figures: &[Figure]| -> Vec<Option<String>> {
                    let figures = figures.iter().filter(|f| errors || f.key != "errors");
                    let shown = figures.filter_map(|figure| page[&whose].get(figure.key).cloned());
                    shown.collect()
                };
                assert_eq!(rows[0], expected(&FIGURES), "{run} {whose:?}");
                assert_eq!(rows[1], expected(&TIMES), "{run} {whose:?}");
            }
        }
    }
}

#[test]
fn the_csv_has_every_value_of_the_json_exactly() {
    for (run, view) in views() {
        let public = public(&view);
        let text = csv(&view);
        let mut reader = csv_reader(&text);
        let headings = reader.headers().unwrap().clone();
        let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
        let contenders = list(&public, "workloads")
            .iter()
            .flat_map(|workload| list(workload, "contenders").iter());
        assert_eq!(rows.len(), contenders.clone().count());
        for (row, contender) in rows.iter().zip(contenders) {
            let field = |heading: &str| {
                let place = headings.iter().position(|other| other == heading);
                let place = place.unwrap_or_else(|| panic!("no column {heading}"));
                row.get(place).unwrap()
            };
            let mut leaves = Vec::new();
            flatten("", contender, &mut leaves);
            for (heading, value) in leaves {
                let heading = match heading.as_str() {
                    "rank.0" => "rank.best",
                    "rank.1" => "rank.worst",
                    "startup_interval_ms.0" => "startup_interval_ms.low",
                    "startup_interval_ms.1" => "startup_interval_ms.high",
                    other => other,
                };
                assert_eq!(field(heading), value, "{run} {heading}");
            }
        }
    }
}

fn csv_reader(text: &str) -> ::csv::Reader<&[u8]> {
    ::csv::Reader::from_reader(text.as_bytes())
}

/// Every figure and text of a contender under its path; what has a column of its own kind, or a
/// file of its own, is left to other tests.
fn flatten(path: &str, value: &Value, leaves: &mut Vec<(String, String)>) {
    let below = |key: &str| match path {
        "" => key.to_owned(),
        path => format!("{path}.{key}"),
    };
    match (path, value) {
        ("slices" | "absent" | "launch", _) => {}
        (_, Value::Object(entries)) => {
            for (key, value) in entries {
                flatten(&below(key), value, leaves);
            }
        }
        (_, Value::Array(values)) => {
            for (index, value) in values.iter().enumerate() {
                flatten(&below(&index.to_string()), value, leaves);
            }
        }
        // A whole figure that is absent: each of its parts is.
        (
            "throughput"
            | "first_over_this"
            | "latency_ms"
            | "service_ms"
            | "rank"
            | "startup_interval_ms",
            Value::Null,
        ) => {}
        (_, Value::Null) => leaves.push((path.to_owned(), String::new())),
        (_, Value::String(text)) => leaves.push((path.to_owned(), text.clone())),
        (_, other) => leaves.push((path.to_owned(), other.to_string())),
    }
}

#[test]
fn verdicts_ratios_and_warnings_are_the_same_everywhere() {
    for (run, view) in views() {
        let text_terminal = unwrapped(&terminal(&view, 200, false));
        let html = html(&view);
        let page = Html::parse_document(&html);
        let said: Vec<String> = select(&page, "[data-sentence]").map(text).collect();
        let warned: Vec<String> = select(&page, "[data-warning]").map(text).collect();
        let markdown = formats::markdown(&markdown(&view));
        for workload in &view.workloads {
            let of = format!("section[data-workload='{}']", workload.name);
            for pair in &workload.pairs {
                let sentence = &pair.sentence;
                assert!(markdown.items.contains(sentence), "{run}: {sentence}");
                let row = format!("{of} tr[data-a='{}'][data-b='{}'] td", pair.a, pair.b);
                let cells: Vec<String> = select(&page, &row).map(text).collect();
                let verdict = serde_json::to_value(pair.verdict).unwrap();
                assert_eq!(cells[0], verdict.as_str().unwrap());
            }
            // Of more than three contenders not every pair gets its sentence on top.
            let sentences = workload
                .pairs
                .iter()
                .filter(|pair| said.contains(&pair.sentence));
            let measured = workload
                .contenders
                .iter()
                .filter(|c| c.throughput.is_some());
            let expected = match measured.count() {
                0..=3 => workload.pairs.len(),
                many => many - 1,
            };
            assert_eq!(sentences.count(), expected, "{run}");
        }
        for warning in &view.warnings {
            let is_it = |text: &String| text.ends_with(&warning.text);
            assert!(warned.iter().any(is_it) && markdown.items.iter().any(is_it));
            assert!(text_terminal.contains(&unwrapped(&warning.text)));
        }
    }
}

/// The judged run has the sentences of the statistics: the page gives ratios the same digits.
#[test]
fn ratios_have_the_digits_of_the_sentences() {
    let (record, analysis) = crate::fixture::judged();
    let view = view(&record, &analysis);
    let page = Html::parse_document(&html(&view));
    for pair in &view.workloads[0].pairs {
        let cell = format!(
            "tr[data-a='{}'][data-b='{}'] [data-figure=ratio]",
            pair.a, pair.b
        );
        let ratio = text(select(&page, &cell).next().unwrap());
        assert!(
            pair.sentence.contains(&ratio),
            "{ratio} in {}",
            pair.sentence
        );
    }
}

fn unwrapped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn hostile_names_are_the_same_contenders_everywhere() {
    let (record, analysis) = hostile();
    let view = view(&record, &analysis);
    let page = html_figures(&Html::parse_document(&html(&view)));
    let markdown = markdown_figures(&markdown(&view));
    assert_eq!((page.len(), markdown.len()), (HOSTILE.len(), HOSTILE.len()));
    let per_second = |shown: &Shown, key: &str| one_of(shown, key).unwrap();
    let mut page: Vec<String> = page.values().map(|s| per_second(s, "throughput")).collect();
    let markdown = markdown
        .values()
        .map(|s| per_second(s, "requests per second"));
    let mut markdown: Vec<String> = markdown.collect();
    page.sort_unstable();
    markdown.sort_unstable();
    assert_eq!(page, markdown);
    assert_eq!(csv_reader(&csv(&view)).records().count(), HOSTILE.len() + 1);
}
