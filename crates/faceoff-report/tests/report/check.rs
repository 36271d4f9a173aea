//! What `faceoff check` shows.

use faceoff_record::{Body, Conformance, Header, Record, Request, Violation, WorkloadName};
use faceoff_report::{check_json, check_terminal, check_view};
use serde_json::Value;

use crate::fixture::{WORKLOAD, facts, left_out, planned_workload, record};

fn checked() -> Record {
    let mut record = record(&["hyper", "express", "fastify"]);
    record.plan.workloads.push(planned_workload("echo"));
    record.plan.left_out = vec![left_out(
        "kestrel",
        "needs dotnet 10, which is not installed",
    )];
    let mut request = Request::new("POST", "/api/echo?n=1");
    request.headers = vec![Header::new("Content-Type", "application/json")];
    request.body = Some(Body::from("{\"n\":1}"));
    let violation = Violation {
        rule: "near-miss".into(),
        reason: "A path that only begins like a right one must not be answered as if it were."
            .into(),
        request,
        answer: "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nvalue\x1b[2J".into(),
        problem: "the status is 200, and 404 is expected".into(),
    };
    let ok = |workload: &str, flags: &[&str]| Conformance::Verified {
        workload: WorkloadName::new(workload),
        checked: 24,
        flags: flags.iter().map(|flag| (*flag).to_owned()).collect(),
        first: None,
    };
    let deviates = Conformance::Refused {
        workload: WorkloadName::new("echo"),
        reason: "rule near-miss: the status is 200, and 404 is expected".into(),
        violation: Some(violation),
    };
    let not_built = |workload: &str| Conformance::Refused {
        workload: WorkloadName::new(workload),
        reason: "the build ended with code 1; the end of its output:\nnpm ERR! not found".into(),
        violation: None,
    };
    let not_offered = Conformance::NotOffered {
        workload: WorkloadName::new("echo"),
    };
    record.contenders = vec![
        facts(
            "hyper",
            vec![ok(WORKLOAD, &["no `Date` header"]), not_offered],
        ),
        facts("express", vec![ok(WORKLOAD, &[]), deviates]),
        facts("fastify", vec![not_built(WORKLOAD), not_built("echo")]),
    ];
    record
}

#[test]
fn a_check_shows_who_conforms_and_each_broken_rule_in_full() {
    let text = check_terminal(&check_view(&checked()), 76);
    let expected = "\
contender  values          echo
──────────────────────────────────────────────
hyper      ok, 24 answers  not offered
express    ok, 24 answers  deviates: near-miss
fastify    refused         refused
kestrel    left out        left out

express deviates on echo
  rule     near-miss
  reason   A path that only begins like a right one must not be answered as
           if it were.
  problem  the status is 200, and 404 is expected
  request  POST /api/echo?n=1
           Content-Type: application/json

           {\"n\":1}
  answer   HTTP/1.1 200 OK
           Content-Type: text/plain

           value\\u{1b}[2J

refused      fastify: the build ended with code 1; the end of its output:
             npm ERR! not found
left out     kestrel: needs dotnet 10, which is not installed

note         hyper on values: no `Date` header

Those that do not give the right answers are left out of a run.
";
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines, expected.lines().collect::<Vec<_>>(), "\n{text}");
}

#[test]
fn workloads_that_do_not_fit_side_by_side_go_below() {
    let mut record = checked();
    for number in 1..=4 {
        record
            .plan
            .workloads
            .push(planned_workload(&format!("a-long-workload-{number}")));
    }
    let text = check_terminal(&check_view(&record), 60);
    let headings = text.lines().filter(|line| line.starts_with("contender"));
    let headings: Vec<Vec<&str>> = headings
        .map(|line| line.split_whitespace().collect())
        .collect();
    let expected = [
        vec!["contender", "values", "echo"],
        vec!["contender", "a-long-workload-1", "a-long-workload-2"],
        vec!["contender", "a-long-workload-3", "a-long-workload-4"],
    ];
    assert_eq!(headings, expected, "\n{text}");
}

#[test]
fn the_json_of_a_check_has_the_shape_of_a_run() {
    let view = check_view(&checked());
    assert!(!view.all_conform);
    let json: Value = serde_json::from_str(&check_json(&view)).unwrap();
    let keys = |value: &Value| {
        let mut keys: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
        keys.sort_unstable();
        keys.join(" ")
    };
    assert_eq!(keys(&json), "all_conform ending format suite workloads");
    let echo = &json["workloads"][1];
    assert_eq!(keys(echo), "contenders name");
    let express = &echo["contenders"][1];
    assert_eq!(
        keys(express),
        "answers_checked class flags language name reason result verified violation"
    );
    assert_eq!(express["result"], "deviates");
    assert_eq!(
        keys(&express["violation"]),
        "answer problem reason request rule"
    );
    let contenders = echo["contenders"].as_array().unwrap();
    let results = contenders
        .iter()
        .map(|contender| contender["result"].as_str().unwrap());
    assert_eq!(
        results.collect::<Vec<_>>(),
        ["not_offered", "deviates", "refused", "left_out"]
    );
}
