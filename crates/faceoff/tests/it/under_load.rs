//! Contenders that are right in peace and wrong under load.

use std::sync::LazyLock;

use serde_json::Value;

use crate::harness::{Ended, Place, SHORT, STEADY, contender, named, one_line, text};

/// Later than any check, earlier than the end of a pilot.
const LATER: &str = "--after 300 --work 20000";

/// Mode, exit code of a run of it alone, and what is said of it.
const FAILING: &[(&str, i32, &[&str])] = &[
    ("dies", 1, &["it ended with exit code 5 under load"]),
    (
        "errors",
        3,
        &[
            "breaks the rule `answer-under-load`: status 500, expected 200",
            "request GET /api/values/",
            "HTTP 500",
            "out of luck",
        ],
    ),
    (
        "wrong-body",
        3,
        &[
            "breaks the rule `answer-under-load`: the body is \"valve\" (5 bytes)",
            "rule answer-under-load: A right answer in peace may be a wrong one under load.",
            "request GET /api/values/",
            "HTTP 200",
        ],
    ),
];

#[test]
fn a_fault_under_load_is_found_before_anything_is_measured() {
    for (mode, code, parts) in FAILING {
        let place = Place::alone();
        place.suite(&[SHORT, &place.contender(mode, &format!("{mode} {LATER}"))]);
        let ended = place.run(&["--time", "5s"]).expect_code(*code);
        place.assert_nothing_is_left();
        ended.tells(&[&format!("{mode} keeps the contract of values (31 answers)")]);
        ended.tells(&[&format!("{mode} is out of values: ")]);
        ended.tells(parts);
        ended.shows(&[
            "Nothing was measured.",
            &format!("refused {mode}: {}", parts[0]),
        ]);
        assert_eq!(place.sample_lines(), 0);
    }
}

#[test]
fn who_dies_under_load_is_out_and_the_other_is_measured() {
    let place = Place::alone();
    let dies = place.contender("dies", &format!("dies {LATER}"));
    place.suite(&[SHORT, &dies, &place.contender("right", STEADY)]);
    let ended = place.run(&["--time", "10s", "--json"]).expect_code(1);
    place.assert_nothing_is_left();
    let json = ended.json();
    let dies = contender(&json, "values", "dies");
    assert_eq!(dies["standing"], "refused", "{dies:#}");
    assert_eq!(dies["verified"], false, "{dies:#}");
    let right = contender(&json, "values", "right");
    assert_eq!(right["standing"], "measured", "{right:#}");
    assert!(
        right["throughput"]["value"].as_f64() > Some(0.0),
        "{right:#}"
    );
    assert_eq!(right["errors"], 0, "{right:#}");
}

#[test]
fn the_reason_of_a_death_under_load_has_the_end_of_the_log() {
    let place = Place::alone();
    place.suite(&[SHORT, &place.contender("dies", &format!("dies {LATER}"))]);
    let ended = place.run(&["--time", "5s"]).expect_code(1);
    ended.tells(&[
        "it ended with exit code 5 under load",
        "panicked at 'out of luck'",
    ]);
}

/// A run with a contender that stops answering, and what it said.
static STOPS_ANSWERING: LazyLock<(Ended, Value)> = LazyLock::new(|| {
    let place = Place::alone();
    let hangs = place.contender("hangs", &format!("hangs {LATER}"));
    // So short that requests are given up within a slice.
    let short = SHORT.replace("timeout = \"2s\"", "timeout = \"300ms\"");
    place.suite(&[&short, &hangs, &place.contender("right", STEADY)]);
    let ended = place.run(&["--time", "10s", "--json"]).expect_code(4);
    place.assert_nothing_is_left();
    let json = ended.json();
    (ended, json)
});

#[test]
fn no_verdict_is_given_on_a_contender_that_stops_answering() {
    let (ended, json) = &*STOPS_ANSWERING;
    assert!(ended.took.as_secs() < 20, "{ended}");
    assert_eq!(json["void"], true);
    let pair = &json["workloads"][0]["pairs"][0];
    assert_eq!(pair["verdict"], "void", "{pair:#}");
    assert!(
        text(pair, "sentence").starts_with("no verdict on right and hangs: "),
        "{pair:#}"
    );
    let right = contender(json, "values", "right");
    assert_eq!(right["errors"], 0, "{right:#}");
}

#[test]
fn a_connection_that_the_generator_gave_up_is_no_fault_of_the_server() {
    let (_, json) = &*STOPS_ANSWERING;
    let warnings = json["warnings"].as_array().unwrap();
    let reopened = warnings
        .iter()
        .find(|warning| warning["code"] == "connections_reopened");
    assert!(reopened.is_none(), "{reopened:#?}");
}

#[test]
fn a_contender_that_no_longer_starts_is_not_tried_for_ever() {
    let place = Place::alone();
    // The pilot, and the launch of a slice.
    let wears_out = place.contender("wears-out", &format!("{STEADY} --lives 2"));
    place.suite(&[SHORT, &wears_out, &place.contender("right", STEADY)]);
    let ended = place.run(&["--time", "10s", "--json"]).expect_code(4);
    place.assert_nothing_is_left();
    let json = ended.json();
    let workload = named(&json["workloads"], "values");
    let pair = &workload["pairs"][0];
    assert_eq!(pair["verdict"], "void", "{pair:#}");
    assert!(
        text(pair, "verdict_reason").contains("wears-out failed in "),
        "{pair:#}"
    );

    let record = place.record();
    assert_eq!(
        record.samples.len() + record.failures.len(),
        place.sample_lines()
    );
    let failures = record.failures.iter();
    let reasons: Vec<_> = failures.map(|failure| one_line(&failure.reason)).collect();
    let (tried, others) = reasons.split_at(reasons.len().min(3));
    assert!(!tried.is_empty(), "{ended}");
    for reason in tried {
        let expected = "it ended with exit code 6 before it answered; its log ends: no life left";
        assert_eq!(reason, expected);
    }
    for reason in others {
        assert_eq!(reason, "not tried: too many of its slices failed");
    }
    let mut right = record.samples.iter().map(|sample| &sample.slice.contender);
    assert!(right.any(|contender| contender.as_str() == "right"));
}

#[test]
fn a_request_that_is_never_answered_is_an_error_whenever_it_is_given_up() {
    let place = Place::alone();
    // They are given up two seconds after they were sent: long after the window.
    place.suite(&[SHORT, &place.contender("hangs", &format!("hangs {LATER}"))]);
    let ended = place.run(&["--time", "5s", "--json"]).expect_code(4);
    let json = ended.json();
    let hangs = contender(&json, "values", "hangs");
    assert!(hangs["errors"].as_u64() > Some(0), "{hangs:#}");
}
