//! Contenders that answer: wrong answers are shown with rule, request and answer, and whatever HTTP
//! allows is right.

use crate::harness::{Place, SHORT, contender, one_line, text};

/// A workload of one's own: the answer depends on the request.
const ECHO: &str = "
[[workload]]
name = \"echo\"
path = \"/echo/{id}\"
expect = { status = 200, type = \"text/plain\", body = \"{id}\" }
";

/// A contender that breaks one rule.
struct Wrong {
    name: &'static str,
    workload: &'static str,
    rule: &'static str,
    problem: &'static str,
    request: &'static str,
    answer: &'static [&'static str],
}

const WRONG: &[Wrong] = &[
    Wrong {
        name: "wrong-body",
        workload: "values",
        rule: "answer",
        problem: "the body is \"valve\" (5 bytes), expected \"value\" (5 bytes); they differ from \
                  byte 3 on",
        request: "GET /api/values/",
        answer: &["HTTP 200", "valve"],
    },
    Wrong {
        name: "wrong-type",
        workload: "values",
        rule: "answer",
        problem: "media type text/html, expected text/plain",
        request: "GET /api/values/",
        answer: &["HTTP 200", "content-type: text/html"],
    },
    Wrong {
        name: "errors",
        workload: "values",
        rule: "answer",
        problem: "status 500, expected 200",
        request: "GET /api/values/",
        answer: &["HTTP 500", "out of luck"],
    },
    Wrong {
        name: "ignores-id",
        workload: "values",
        rule: "near-miss",
        problem: "status 200, expected 404",
        request: "GET /api/value/5",
        answer: &["HTTP 200", "value"],
    },
    Wrong {
        name: "ignores-method",
        workload: "values",
        rule: "put",
        problem: "the body is \"value\" (5 bytes), expected \"\" (0 bytes)",
        request: "PUT /api/values/",
        answer: &["HTTP 200", "value"],
    },
    Wrong {
        name: "ignores-id",
        workload: "echo",
        rule: "answer",
        problem: "the body is \"1\"",
        request: "GET /echo/",
        answer: &["HTTP 200", "1"],
    },
];

#[test]
fn each_broken_rule_is_shown_with_its_request_and_its_answer() {
    let place = Place::beside_others();
    let wrong = [
        "wrong-body",
        "wrong-type",
        "errors",
        "ignores-id",
        "ignores-method",
    ];
    let wrong = wrong.map(|mode| place.contender(mode, mode)).concat();
    place.suite(&[SHORT, ECHO, &wrong, &place.contender("right", "right")]);
    let ended = place.check(&["--json"]).expect_code(3);
    place.assert_nothing_is_left();

    let json = ended.json();
    assert_eq!(json["all_conform"], false);
    for wrong in WRONG {
        let Wrong { name, workload, .. } = wrong;
        let found = contender(&json, workload, name);
        assert_eq!(found["verified"], false, "{found:#}");
        assert_eq!(found["result"], "deviates", "{found:#}");
        let (rule, problem) = (wrong.rule, wrong.problem);
        let reason = format!("breaks the rule `{rule}`: {problem}");
        assert!(text(found, "reason").starts_with(&reason), "{found:#}");

        let violation = &found["violation"];
        assert_eq!(violation["rule"], rule);
        assert!(
            text(violation, "problem").starts_with(problem),
            "{violation:#}"
        );
        assert!(
            text(violation, "request").starts_with(wrong.request),
            "{violation:#}"
        );
        for part in wrong.answer {
            assert!(text(violation, "answer").contains(part), "{violation:#}");
        }
        ended.tells(&[&format!("{name} is out of {workload}: {reason}")]);
    }
    for workload in ["values", "echo"] {
        let right = contender(&json, workload, "right");
        assert_eq!(right["verified"], true, "{right:#}");
        assert_eq!(right["reason"], serde_json::Value::Null);
    }
}

#[test]
fn the_text_of_a_check_holds_all_that_is_needed_to_see_the_fault() {
    let place = Place::beside_others();
    let (wrong, right) = ("ignores-id", "right");
    place.suite(&[
        SHORT,
        &place.contender(wrong, wrong),
        &place.contender(right, right),
    ]);
    let ended = place.check(&[]).expect_code(3);
    ended.shows(&[
        "ignores-id deviates: near-miss",
        "right ok, 31 answers",
        "ignores-id deviates on values",
        "rule near-miss",
        "reason A router matches whole paths",
        "problem status 200, expected 404",
        "request GET /api/value/5",
        "answer HTTP 200 content-type: text/plain; charset=utf-8",
    ]);
}

#[test]
fn one_rule_can_be_tried_alone() {
    let place = Place::beside_others();
    place.suite(&[SHORT, &place.contender("ignores-method", "ignores-method")]);
    place.check(&["--rule", "near-miss"]).expect_code(0);
    place.check(&["--rule", "near-miss,put"]).expect_code(3);
}

#[test]
fn a_rule_that_nobody_has_is_a_usage_error_with_those_that_there_are() {
    let place = Place::beside_others();
    place.suite(&[SHORT, &place.contender("right", "right")]);
    let ended = place.check(&["--rule", "nearmiss"]).expect_code(2);
    ended.tells(&["no workload has a rule `nearmiss`", "near-miss"]);
    assert_eq!(place.events().len(), 0, "nothing was started");
}

#[test]
fn a_check_tells_its_seed_so_that_it_can_be_repeated() {
    let place = Place::beside_others();
    place.suite(&[SHORT, &place.contender("right", "right")]);
    let ended = place.check(&[]).expect_code(0);
    let told = one_line(&ended.stderr);
    let (_, seed) = told
        .split_once("seed ")
        .unwrap_or_else(|| panic!("no seed: {ended}"));
    let seed: String = seed.chars().take_while(char::is_ascii_digit).collect();
    let first = asked(&place);
    place.check(&["--seed", &seed]).expect_code(0);
    assert_eq!(asked(&place)[first.len()..], first);
}

#[test]
fn a_contender_is_asked_only_for_the_workloads_it_offers() {
    let place = Place::beside_others();
    let some = place.contender("some", "ignores-id") + "workloads = [\"values\"]\n";
    let all = place.contender("all", "right");
    place.suite(&[SHORT, ECHO, &some, &all]);
    let ended = place.check(&["--json", "--rule", "answer"]).expect_code(0);
    let json = ended.json();
    for (name, echo) in [("some", "not_offered"), ("all", "verified")] {
        assert_eq!(contender(&json, "values", name)["result"], "verified");
        assert_eq!(contender(&json, "echo", name)["result"], echo);
    }
}

#[test]
fn a_wrong_first_answer_is_a_broken_rule_however_short_the_patience() {
    let place = Place::beside_others();
    let wrong = place.contender("wrong-body", "wrong-body") + "ready-within = \"300ms\"\n";
    place.suite(&[SHORT, &wrong]);
    let ended = place.check(&["--json"]).expect_code(3);
    let json = ended.json();
    let wrong = contender(&json, "values", "wrong-body");
    assert_eq!(wrong["violation"]["rule"], "answer", "{wrong:#}");
}

#[test]
fn a_contender_that_breaks_a_rule_outweighs_one_that_does_not_start() {
    let place = Place::beside_others();
    let (wrong, dead) = ("ignores-method", "dies-at-start");
    place.suite(&[
        SHORT,
        &place.contender(wrong, wrong),
        &place.contender(dead, dead),
    ]);
    place.check(&[]).expect_code(3);
}

#[test]
fn unusual_but_right_servers_conform() {
    let place = Place::beside_others();
    let modes = [
        "right",
        "chunked",
        "no-date",
        "http10-close",
        "double-forks",
        "leaves-child",
        "ignores-sigterm",
    ];
    let unusual = modes.map(|mode| place.contender(mode, mode)).concat();
    let ipv6 = place.contender("ipv6", "right --host ::1");
    place.suite(&[SHORT, ECHO, &unusual, &ipv6]);
    let ended = place.check(&["--json"]).expect_code(0);
    // Whatever they started beside themselves, and however it detached itself.
    place.assert_nothing_is_left();
    assert!(place.count("alive") >= 2, "{:?}", place.events());

    let json = ended.json();
    assert_eq!(json["all_conform"], true);
    for name in modes.iter().chain(&["ipv6"]) {
        for (workload, answers) in [("values", 31), ("echo", 20)] {
            let found = contender(&json, workload, name);
            assert_eq!(found["verified"], true, "{found:#}");
            assert_eq!(found["answers_checked"], answers, "{found:#}");
            let flags = one_line(&found["flags"].to_string());
            let flagged = flags.contains("sends no Date header");
            assert_eq!(flagged, *name == "no-date", "{found:#}");
        }
    }
}

#[test]
fn the_same_seed_asks_the_same_things_and_another_asks_others() {
    let place = Place::beside_others();
    place.suite(&[SHORT, &place.contender("right", "right")]);
    let with = |seed: &str| {
        let before = asked(&place).len();
        place.check(&["--seed", seed]).expect_code(0);
        asked(&place).split_off(before)
    };
    let (first, again, other) = (with("1"), with("1"), with("2"));
    assert_eq!(first, again);
    assert_ne!(first, other);
    // The first answer, those of the answer rule and the probes.
    assert_eq!(first.len(), 1 + 20 + 11, "{first:?}");
    let same = first.iter().zip(&other).filter(|(one, two)| one == two);
    let fixed = [
        "/api/values/1",
        "/api/values/1000000",
        "/api/value/5",
        "/api/values/5/x",
    ];
    for (request, _) in same {
        let path = request.split(' ').nth(1).unwrap();
        let known = fixed.contains(&path) || ["/api/values", "/api/values/abc"].contains(&path);
        assert!(known, "{request} does not depend on the seed");
    }
}

#[test]
fn a_check_sends_what_a_load_sends() {
    let place = Place::beside_others();
    place.suite(&[SHORT, &place.contender("right", "right")]);
    place.check(&[]).expect_code(0);
    for request in asked(&place) {
        let fields = request.split(' ').nth(2).unwrap();
        let mut others = fields.split(',').filter(|field| *field != "host");
        // The length of no body, where a method could have one.
        let unlike = others.find(|field| *field != "content-length");
        assert_eq!(unlike, None, "{request}");
    }
}

/// What the servers were asked so far: method, path and names of header fields.
fn asked(place: &Place) -> Vec<String> {
    let events = place.events().into_iter();
    let asked = events.filter(|event| event.name == "asked");
    asked.map(|event| event.rest).collect()
}
