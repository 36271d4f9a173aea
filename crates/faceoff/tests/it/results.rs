//! What a run of two right servers gives: verdict, public JSON, text, and the folder that is kept.

use std::collections::BTreeSet;
use std::fs;
use std::sync::LazyLock;
use std::time::Duration;

use faceoff_record::{ContenderName, Ending, FORMAT, Record};
use nix::sys::signal::Signal;
use serde_json::Value;

use crate::harness::{Ended, Place, SHORT, STEADY, contender, named, text, until};

/// Eight times the work of [`STEADY`]: so much that a few blocks of a busy machine show it.
const HEAVY: &str = "right --work 160000";

/// The same suite for each run here.
fn suite(place: &Place) {
    let absent = place.contender("absent", STEADY) + "needs = { nosuchtool = \"1\" }\n";
    place.suite(&[
        "name = \"two right servers\"\n",
        SHORT,
        &place.contender("steady", STEADY),
        &place.contender("heavy", HEAVY),
        &absent,
    ]);
}

/// A run, with all that it left.
struct Kept {
    ended: Ended,
    record: Record,
    sample_lines: usize,
    files: BTreeSet<String>,
    /// The requests that the servers wrote down: method, path, names of header fields.
    asked: Vec<String>,
    log: String,
}

fn run(options: &[&str]) -> Kept {
    let place = Place::alone();
    suite(&place);
    let ended = place
        .run(&[&["--time", "12s"], options].concat())
        .expect_code(0);
    place.assert_nothing_is_left();
    let files = ["run", "run/log"].map(|folder| fs::read_dir(place.path(folder)).unwrap());
    let files = files.into_iter().flatten().map(|file| {
        let name = file.unwrap().file_name();
        name.into_string().unwrap()
    });
    Kept {
        files: files.collect(),
        record: place.record(),
        sample_lines: place.sample_lines(),
        log: place.read("run/log/steady.log"),
        asked: place
            .events()
            .into_iter()
            .filter(|event| event.name == "asked")
            .map(|event| event.rest)
            .collect(),
        ended,
    }
}

/// A run with a JSON result.
static AS_JSON: LazyLock<Kept> = LazyLock::new(|| run(&["--seed", "7", "--json"]));

/// A run with the same seed and a text as its result.
static AS_TEXT: LazyLock<Kept> = LazyLock::new(|| run(&["--seed", "7"]));

#[test]
fn the_server_with_less_work_is_found_to_be_faster() {
    let json = AS_JSON.ended.json();
    assert_eq!((&json["void"], &json["seed"]), (&false.into(), &7.into()));
    let workload = named(&json["workloads"], "values");
    let pairs = workload["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 1, "{pairs:#?}");
    let pair = &pairs[0];
    assert_eq!(text(pair, "a"), "steady");
    assert_eq!(text(pair, "b"), "heavy");
    assert_eq!(text(pair, "metric"), "throughput");
    assert_eq!(text(pair, "verdict"), "faster", "{pair:#}");
    assert!(
        text(pair, "sentence").starts_with("steady is faster than heavy: "),
        "{pair:#}"
    );
    let number = |key: &str| pair[key].as_f64().unwrap();
    assert!(
        number("low") <= number("ratio") && number("ratio") <= number("high"),
        "{pair:#}"
    );
    assert!(number("ratio") > 3.0, "{pair:#}");
    let qualifiers = pair["qualifiers"].as_array().unwrap();
    assert!(qualifiers.contains(&"exploratory".into()), "{pair:#}");
}

#[test]
fn the_json_has_the_documented_keys() {
    let json = AS_JSON.ended.json();
    has_keys(&json, "format suite seed environment workloads warnings");
    let workload = named(&json["workloads"], "values");
    has_keys(workload, "name contenders pairs");
    let steady = contender(&json, "values", "steady");
    has_keys(
        steady,
        "name language class verified reason rank throughput latency_ms cpu_us_per_request \
         memory_peak_bytes startup_ms lines_of_code bytes_per_response errors",
    );
    has_keys(&steady["throughput"], "value low high");
    has_keys(
        &workload["pairs"][0],
        "a b metric ratio low high verdict qualifiers sentence",
    );
    for warning in json["warnings"].as_array().unwrap() {
        has_keys(warning, "code severity text");
    }
    assert_eq!(json["format"], 1);
    assert_eq!(json["suite"], "two right servers");
}

#[track_caller]
fn has_keys(value: &Value, keys: &str) {
    let object = value.as_object().unwrap();
    for key in keys.split_whitespace() {
        assert!(object.contains_key(key), "no `{key}` in {value:#}");
    }
}

#[test]
fn a_managed_contender_has_figures_and_reasons_for_those_it_lacks() {
    let json = AS_JSON.ended.json();
    let steady = contender(&json, "values", "steady");
    assert_eq!(steady["standing"], "measured");
    assert_eq!(steady["verified"], true);
    assert_eq!(steady["rank"], serde_json::json!([1, 1]));
    assert_eq!(steady["errors"], 0);
    let positive = [
        "cpu_us_per_request",
        "memory_peak_bytes",
        "startup_ms",
        "bytes_per_response",
    ];
    for key in positive {
        assert!(steady[key].as_f64() > Some(0.0), "{key}: {steady:#}");
    }
    assert_eq!(steady["lines_of_code"], Value::Null);
    let reason = text(&steady["absent"], "lines_of_code");
    assert_eq!(reason, "it names no `source` files");
}

#[test]
fn a_contender_without_its_toolchain_is_left_out_and_listed() {
    let json = AS_JSON.ended.json();
    let absent = contender(&json, "values", "absent");
    assert_eq!(absent["standing"], "left_out");
    assert_eq!(absent["verified"], false);
    let reason = "needs nosuchtool 1, which is not installed";
    assert_eq!(text(absent, "reason"), reason);
    AS_JSON
        .ended
        .tells(&[&format!("left out: absent ({reason})")]);
    AS_TEXT
        .ended
        .shows(&[&format!("left out absent: {reason}")]);
}

#[test]
fn the_folder_of_a_run_reads_back_with_a_sample_for_each_line() {
    for kept in [&*AS_JSON, &*AS_TEXT] {
        let files = [
            "heavy.log",
            "log",
            "record.json",
            "report.html",
            "samples.jsonl",
            "steady.log",
        ];
        assert!(kept.files.iter().eq(files.iter()), "{:?}", kept.files);
        assert!(kept.log.contains("listening on 127.0.0.1:"), "{}", kept.log);
        let record = &kept.record;
        assert_eq!(record.format, FORMAT);
        assert_eq!(record.ending, Ending::Complete);
        assert_eq!(record.failures, []);
        assert_eq!(record.samples.len(), kept.sample_lines);
        let planned: usize = record.schedules[0].blocks.iter().map(Vec::len).sum();
        // The last blocks are left out where slices took longer than expected.
        assert!(
            (4..=planned).contains(&record.samples.len()),
            "of {planned}"
        );
        for sample in &record.samples {
            let outcome = &sample.outcome;
            let known = outcome.good + outcome.failed + outcome.in_flight_at_end;
            assert_eq!(outcome.sent, known, "{:?}", sample.slice);
        }
        for name in ["steady", "heavy"] {
            let samples = record.samples.iter();
            let own = samples.filter(|sample| sample.slice.contender.as_str() == name);
            let checked: u32 = own.map(|sample| sample.checked_under_load).sum();
            assert!(checked > 0, "no answer of {name} under load was checked");
        }
        let mut command = record.command.iter();
        assert!(
            command.any(|word| word == "--quick"),
            "{:?}",
            record.command
        );
    }
}

#[test]
fn the_load_asks_for_ids_of_the_contract_with_nothing_but_a_host() {
    let kept = &*AS_JSON;
    let contract = &kept.record.plan.workloads[0].contract;
    let load: BTreeSet<_> = contract
        .requests
        .iter()
        .map(|planned| &*planned.request.path)
        .collect();
    let mut seen = 0;
    for request in &kept.asked {
        let words: Vec<_> = request.split(' ').collect();
        let [method, path, fields] = words[..] else {
            panic!("{request}");
        };
        if method == "GET" && load.contains(path) {
            assert_eq!(fields, "host", "{request}");
            seen += 1;
        }
    }
    assert!(seen > 20, "{seen} of {}", kept.asked.len());
}

#[test]
fn slices_are_carried_out_in_the_planned_order() {
    for record in [&AS_JSON.record, &AS_TEXT.record] {
        let planned = record.schedules[0].blocks.iter().flatten();
        let done = record.samples.iter().map(|sample| &sample.slice.contender);
        let together: Vec<_> = planned.zip(done).collect();
        assert!(
            together.iter().all(|(planned, done)| planned == done),
            "{together:?}"
        );
    }
}

#[test]
fn one_seed_gives_one_order_and_the_same_requests() {
    let [first, again] = [&AS_JSON.record, &AS_TEXT.record].map(order);
    // How many blocks fit depends on the machine of that minute.
    assert!(
        first.iter().zip(&again).all(|(one, two)| one == two),
        "{first:?}\n{again:?}"
    );
    let [first, again] = [&AS_JSON.record, &AS_TEXT.record].map(|record| &record.plan.workloads);
    assert_eq!(first, again);
}

#[test]
fn another_seed_gives_another_order_and_other_requests() {
    // Before the machine is taken: this run takes it too.
    let first = &AS_JSON.record;
    let place = Place::alone();
    suite(&place);
    let options = ["--time", "60s", "--seed", "8"];
    let running = place.start_run(&options);
    // The order stands in the record before the first slice.
    until("the order of slices", Duration::from_secs(60), || {
        let schedules = place.read("run/record.json");
        schedules.contains("\"blocks\"").then_some(())
    });
    running.signal(Signal::SIGTERM);
    running.end_within(Duration::from_secs(5)).expect_code(130);
    let other = place.record();
    let (one, two) = (order(first), order(&other));
    assert!(
        one.iter().zip(&two).any(|(one, two)| one != two),
        "{one:?}\n{two:?}"
    );
    let requests = |record: &Record| record.plan.workloads[0].contract.requests.clone();
    assert_ne!(requests(first), requests(&other));
}

fn order(record: &Record) -> Vec<Vec<ContenderName>> {
    record.schedules[0].blocks.clone()
}

#[test]
fn the_text_of_a_run_has_the_table_and_the_verdict_within_a_hundred_columns() {
    let ended = &AS_TEXT.ended;
    ended.shows(&[
        "two right servers: run of 20",
        "quick, seed 7",
        "closed load, 8 connections kept alive",
        "contender req/s",
        "steady is faster than heavy: ",
        "exploratory",
    ]);
    for line in ended.stdout.lines() {
        assert!(line.chars().count() <= 100, "{line:?} is too long");
    }
}

#[test]
fn progress_goes_to_the_error_stream_in_plain_lines() {
    for kept in [&*AS_JSON, &*AS_TEXT] {
        let ended = &kept.ended;
        ended.tells(&[
            "two right servers: 2 contenders, 1 workload, at most 12 s after the builds; seed 7",
            "steady keeps the contract of values (31 answers)",
            "each slice with a fresh launch",
            "0 of ",
            "kept in run",
        ]);
        for stream in [&ended.stdout, &ended.stderr] {
            let steering = stream.chars().find(|c| c.is_control() && *c != '\n');
            assert_eq!(steering, None, "{ended}");
        }
        assert!(!ended.stdout.contains("keeps the contract"), "{ended}");
    }
}
