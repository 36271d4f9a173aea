//! The public JSON: its keys, and that nothing is missing without a reason.

use faceoff_record::{Ending, Figure, SliceFailure};
use faceoff_report::{json, view};
use faceoff_stats::Verdict;
use serde_json::Value;

use crate::fixture::{analysis, figures, left_out, pair, record, refused, sample, three};

fn public(view: &faceoff_report::View) -> Value {
    serde_json::from_str(&json(view)).unwrap()
}

fn keys(value: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = value
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    keys.sort_unstable();
    keys
}

#[test]
fn the_keys_are_those_that_are_documented() {
    let (record, mut analysis) = three();
    analysis.warnings = vec![faceoff_record::Warning {
        code: faceoff_record::WarningCode::StolenTime,
        severity: faceoff_record::Severity::Warning,
        workload: None,
        contender: None,
        text: "a hypervisor took time".into(),
    }];
    let json = public(&view(&record, &analysis));
    let expected = [
        "command",
        "depth",
        "ending",
        "environment",
        "faceoff",
        "format",
        "seed",
        "started",
        "suite",
        "void",
        "warnings",
        "workloads",
        "zone",
    ];
    assert_eq!(keys(&json), expected);
    assert_eq!((&json["format"], &json["seed"]), (&1.into(), &42.into()));
    assert_eq!(json["ending"]["state"], "complete");

    let expected = [
        "clock_source",
        "contender_cores",
        "cores",
        "ephemeral_ports",
        "generator_backends",
        "generator_cores",
        "governor",
        "kernel",
        "memory_bytes",
        "open_files",
        "processor",
        "rest_cores",
        "system",
        "toolchains",
    ];
    assert_eq!(keys(&json["environment"]), expected);

    let workload = &json["workloads"][0];
    let expected = [
        "blocks",
        "blocks_planned",
        "connection_use",
        "contenders",
        "launches",
        "load",
        "measured_seconds",
        "name",
        "pairs",
        "slices_failed",
    ];
    assert_eq!(keys(workload), expected);

    let contender = &workload["contenders"][0];
    let expected = [
        "absent",
        "bytes_per_response",
        "class",
        "cpu_us_per_request",
        "errors",
        "first_over_this",
        "framework",
        "generator_busy_percent",
        "generator_limited",
        "good",
        "language",
        "latency_ms",
        "launch",
        "letters",
        "lines_of_code",
        "megabytes_per_second",
        "memory_after_bytes",
        "memory_peak_bytes",
        "name",
        "rank",
        "reason",
        "samples",
        "seconds_per_million",
        "server_busy_percent",
        "service_ms",
        "slices",
        "standing",
        "startup_interval_ms",
        "startup_ms",
        "throughput",
        "verified",
        "version",
    ];
    assert_eq!(keys(contender), expected);
    let expected = ["high", "low", "plus_minus_percent", "value"];
    assert_eq!(keys(&contender["throughput"]), expected);
    assert_eq!(
        keys(&contender["service_ms"]),
        ["p50", "p90", "p99", "p999"]
    );
    assert_eq!(keys(&contender["slices"][0]), ["block", "per_second"]);
    assert_eq!(contender["rank"], serde_json::json!([1, 1]));

    let pair = &workload["pairs"][0];
    let expected = [
        "a",
        "absent",
        "b",
        "blocks",
        "high",
        "low",
        "median",
        "metric",
        "qualifiers",
        "ratio",
        "ratios",
        "sentence",
        "sign_flip_p",
        "verdict",
        "verdict_reason",
    ];
    assert_eq!(keys(pair), expected);
    assert_eq!(keys(&pair["median"]), ["high", "low", "value"]);
    assert_eq!(
        (&pair["metric"], &pair["verdict"]),
        (&"throughput".into(), &"faster".into())
    );

    let expected = ["code", "contender", "severity", "text", "workload"];
    assert_eq!(keys(&json["warnings"][0]), expected);
    assert_eq!(json["warnings"][0]["code"], "stolen_time");
    assert_eq!(json["warnings"][0]["severity"], "warning");
}

/// What a contender may lack for good: it is no figure.
const NO_FIGURES: [&str; 4] = ["framework", "version", "launch", "reason"];

#[test]
fn every_figure_that_is_null_has_its_reason() {
    let mut record = record(&["hyper", "net-http", "express", "fastify", "koa"]);
    record.ending = Ending::Interrupted;
    record.plan.contenders[4].workloads = vec![faceoff_record::WorkloadName::new("other")];
    record.contenders = vec![
        crate::fixture::verified("hyper"),
        crate::fixture::verified("net-http"),
        refused("express", "the port is in use"),
    ];
    record.contenders[1].lines_of_code = Figure::absent("no source is named");
    record.plan.left_out = vec![left_out("kestrel", "needs dotnet 10")];
    record.samples = vec![sample("hyper", 0)];
    record.failures = vec![SliceFailure {
        slice: sample("net-http", 0).slice,
        reason: "it ended with code 1; the end of its log:\npanic".into(),
    }];
    let mut hyper = figures("hyper", (1, 1), 100.0);
    hyper.samples = 1;
    hyper.throughput.low = 100.0;
    hyper.throughput.high = 100.0;
    hyper.service = vec![(0.5, faceoff_record::Nanos(1))];
    hyper.memory_after_bytes = None;
    hyper.bytes_per_answer = None;
    hyper.start_up = None;
    hyper.absent = vec![
        ("memory_after_bytes".into(), "not readable".into()),
        ("bytes_per_answer".into(), "not counted".into()),
        ("start_up".into(), "it was running already".into()),
    ];
    let mut pair = pair("hyper", "net-http", 1.1, Verdict::Undecided);
    pair.ratio = None;
    pair.median = None;
    pair.sign_flip_p = None;
    pair.blocks = 1;
    let json = public(&view(&record, &analysis(vec![hyper], vec![pair])));

    let workload = &json["workloads"][0];
    let mut standings = Vec::new();
    for contender in workload["contenders"].as_array().unwrap() {
        let absent = contender["absent"].as_object().unwrap();
        for (key, value) in contender.as_object().unwrap() {
            let explained = absent.contains_key(key) || NO_FIGURES.contains(&key.as_str());
            assert!(!value.is_null() || explained, "{key} of {contender}");
            assert!(
                value.is_null() || !absent.contains_key(key),
                "{key} of {contender}"
            );
        }
        let name = contender["name"].as_str().unwrap();
        let standing = contender["standing"].as_str().unwrap();
        standings.push((name, standing, contender["verified"].as_bool().unwrap()));
    }
    let expected = [
        ("hyper", "measured", true),
        ("net-http", "not_measured", true),
        ("express", "refused", false),
        ("fastify", "not_checked", false),
        ("koa", "not_offered", false),
        ("kestrel", "left_out", false),
    ];
    assert_eq!(standings, expected);

    let hyper = &workload["contenders"][0]["absent"];
    assert_eq!(hyper["bytes_per_response"], "not counted");
    assert_eq!(hyper["megabytes_per_second"], "not counted");
    assert_eq!(hyper["startup_interval_ms"], "it was running already");
    assert_eq!(
        hyper["throughput.low"],
        "fewer than two samples had right answers"
    );
    let net_http = &workload["contenders"][1]["absent"];
    assert_eq!(net_http["lines_of_code"], "no source is named");
    let reason = "it ended with code 1; the end of its log:";
    assert_eq!(net_http["throughput"], reason);
    let pair = &workload["pairs"][0]["absent"];
    for key in ["ratio", "low", "high", "median", "sign_flip_p"] {
        assert!(
            pair[key].as_str().unwrap().starts_with("1 common block"),
            "{key}"
        );
    }
}

#[test]
fn the_headlines_of_old_articles_follow_from_the_throughput() {
    let analysis = analysis(vec![figures("hyper", (1, 1), 50_000.0)], Vec::new());
    let view = view(&record(&["hyper"]), &analysis);
    let hyper = &view.workloads[0].contenders[0];
    assert_eq!(hyper.seconds_per_million, Some(20.0));
    // 134 bytes an answer.
    assert_eq!(hyper.megabytes_per_second, Some(6.7));
    let percent = hyper.throughput.unwrap().plus_minus_percent.unwrap();
    assert!((percent - 1.2).abs() < 1e-9, "{percent}");
}

#[test]
fn warnings_come_with_the_gravest_first() {
    let (record, mut analysis) = three();
    let severities = [
        faceoff_record::Severity::Note,
        faceoff_record::Severity::Void,
        faceoff_record::Severity::Warning,
    ];
    analysis.warnings = severities
        .map(|severity| faceoff_record::Warning {
            code: faceoff_record::WarningCode::Machine,
            severity,
            workload: None,
            contender: None,
            text: "a doubt".into(),
        })
        .to_vec();
    let view = view(&record, &analysis);
    let order: Vec<_> = view
        .warnings
        .iter()
        .map(|warning| warning.severity)
        .collect();
    assert_eq!(order, [severities[1], severities[2], severities[0]]);
    assert!(view.void);
}
