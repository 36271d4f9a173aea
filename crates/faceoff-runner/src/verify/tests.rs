use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use faceoff_record::{Answer, Contract, Exchange, Expectation, Header, Probe, Request, Transport};

use super::{Client, NotYet, RuleFilter, answers, full, kept, launch, rule_names, succeeds};
use crate::testing::planned;

/// Longer than any answer of these tests takes.
const PATIENCE: Duration = Duration::from_secs(10);

/// Nobody listens on this port of the old days, and no other test is given it.
const NOBODY: &str = "127.0.0.1:1";

/// A contract with three requests of a launch and some probes.
fn contract() -> Contract {
    let probe = |rule: &str, method: &str, path: &str, status: u16| Probe {
        rule: rule.to_owned(),
        reason: format!("why {rule}"),
        request: Request::new(method, path),
        expect: Expectation::status(&[status]),
    };
    Contract {
        requests: vec![planned("/1", "value 1"), planned("/2", "value 2")],
        launch_requests: vec![
            planned("/3", "value 3"),
            planned("/4", "value 4"),
            planned("/5", "value 5"),
        ],
        probes: vec![
            probe("near-miss", "GET", "/near", 404),
            probe("near-miss", "GET", "/miss", 404),
            probe("wrong-method", "POST", "/1", 405),
        ],
        same_body: false,
    }
}

/// A server in this process; `answer` gives status and body for a request line's method and path.
/// It sends no `Date`.
fn serve(answer: fn(&str, &str) -> (u16, String)) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let mut socket = socket.unwrap();
            let reader = BufReader::new(socket.try_clone().unwrap());
            let mut lines = reader.lines().map_while(Result::ok);
            while let Some(first) = lines.next() {
                let rest = lines.by_ref().take_while(|line| !line.is_empty());
                // No request of these tests has a body.
                let _ = rest.count();
                let mut words = first.split(' ');
                let (method, path) = (words.next().unwrap(), words.next().unwrap());
                let (status, body) = answer(method, path);
                let length = body.len();
                // Whoever asked may be gone.
                let _ = write!(
                    socket,
                    "HTTP/1.1 {status} x\r\nContent-Type: text/plain\r\n\
                     Content-Length: {length}\r\n\r\n{body}"
                );
            }
        }
    });
    address
}

fn right(method: &str, path: &str) -> (u16, String) {
    match (method, path) {
        ("GET", "/near" | "/miss") => (404, String::new()),
        ("GET", _) => (200, format!("value {}", &path[1..])),
        _ => (405, String::new()),
    }
}

fn client(address: SocketAddr) -> Client {
    Client::new(address, &Transport::Tcp, Duration::from_secs(10))
}

#[test]
fn a_contender_that_keeps_its_contract_is_asked_everything_once() {
    let mut client = client(serve(right));
    let checked = full(&mut client, &contract(), &RuleFilter::default()).unwrap();
    assert_eq!(checked.answers, 6);
    assert_eq!(
        checked.flags,
        ["sends no Date header, which saves 37 bytes an answer"],
        "each flag once"
    );
    assert_eq!(launch(&mut client, &contract()).unwrap().answers, 3);
}

#[test]
fn the_broken_rule_is_told_with_its_request_and_answer() {
    // How the server errs; then rule, request and problem.
    type Serve = fn(&str, &str) -> (u16, String);
    let cases: [(Serve, &str, &str, &str); 4] = [
        (
            |_, _| (200, "value 3".to_owned()),
            "answer",
            "GET /4",
            "the body is \"value 3\" (7 bytes), expected \"value 4\" (7 bytes); they differ from \
             byte 6 on",
        ),
        (
            |_, _| (500, "oh".to_owned()),
            "answer",
            "GET /3",
            "status 500, expected 200",
        ),
        (
            |method, path| {
                if path == "/miss" {
                    (200, String::new())
                } else {
                    right(method, path)
                }
            },
            "near-miss",
            "GET /miss",
            "status 200, expected 404",
        ),
        (
            |_, path| right("GET", path),
            "wrong-method",
            "POST /1",
            "status 200, expected 405",
        ),
    ];
    for (serve_so, rule, request, problem) in cases {
        let found = full(
            &mut client(serve(serve_so)),
            &contract(),
            &RuleFilter::default(),
        );
        let violation = found.err().unwrap();
        assert_eq!(violation.rule, rule);
        assert_eq!(violation.request.to_string(), request);
        assert_eq!(violation.problem, problem);
        assert!(
            violation.answer.starts_with("HTTP "),
            "{}",
            violation.answer
        );
        assert!(!violation.reason.is_empty());
    }
}

#[test]
fn a_contender_that_gives_no_answer_breaks_the_rule_of_answers() {
    let nobody = NOBODY.parse().unwrap();
    let violation = launch(&mut client(nobody), &contract()).err().unwrap();
    assert_eq!(
        (violation.rule.as_str(), violation.answer.as_str()),
        ("answer", "no complete answer")
    );
    assert_eq!(violation.problem, "connection refused");
}

#[test]
fn only_the_rules_that_are_asked_for_are_tried() {
    assert_eq!(
        rule_names(&contract()),
        ["answer", "near-miss", "wrong-method"]
    );
    let cases: [(&[&str], u32); 4] = [
        (&["answer"], 3),
        (&["near-miss"], 2),
        (&["answer", "wrong-method"], 4),
        (&[], 6),
    ];
    let mut client = client(serve(right));
    for (rules, answers) in cases {
        let filter = RuleFilter(rules.iter().map(|rule| (*rule).to_owned()).collect());
        let checked = full(&mut client, &contract(), &filter).unwrap();
        assert_eq!(checked.answers, answers, "{rules:?}");
    }
}

#[test]
fn readiness_tells_nobody_from_no_answer_from_a_wrong_one() {
    let nobody = NOBODY.parse().unwrap();
    let wrong = serve(|_, _| (200, "wrong".to_owned()));
    assert!(matches!(
        answers(nobody, &Transport::Tcp, &contract(), PATIENCE),
        Err(NotYet::NobodyListens)
    ));
    assert!(matches!(
        answers(wrong, &Transport::Tcp, &contract(), PATIENCE),
        Err(NotYet::Wrong(_))
    ));
    assert!(answers(serve(right), &Transport::Tcp, &contract(), PATIENCE).is_ok());
    // A service is asked for its path alone, and any success will do.
    assert!(succeeds(wrong, "/health", PATIENCE).is_ok());
    assert!(matches!(
        succeeds(nobody, "/", PATIENCE),
        Err(NotYet::NobodyListens)
    ));
    let failing = serve(|_, _| (503, String::new()));
    assert!(matches!(
        succeeds(failing, "/", PATIENCE),
        Err(NotYet::Wrong(_))
    ));
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let closing = listener.local_addr().unwrap();
    std::thread::spawn(move || listener.incoming().for_each(drop));
    assert!(matches!(
        succeeds(closing, "/", PATIENCE),
        Err(NotYet::NoAnswer(_))
    ));
}

fn exchange(path: &str, status: u16, body: &str) -> Exchange {
    Exchange {
        request: Request::new("GET", path),
        answer: Answer {
            status,
            headers: vec![Header::new("Content-Type", "text/plain")],
            body: body.into(),
        },
    }
}

#[test]
fn answers_kept_from_under_load_are_judged_by_the_contract_of_their_own_request() {
    let good = || {
        vec![
            exchange("/1", 200, "value 1"),
            exchange("/2", 200, "value 2"),
        ]
    };
    assert_eq!(kept(&good(), &contract()).unwrap(), 2);
    assert_eq!(kept(&[], &contract()).unwrap(), 0);
    let wrong = [
        exchange("/2", 200, "value 1"),
        exchange("/2", 500, "value 2"),
        exchange("/2", 200, ""),
    ];
    for wrong in wrong {
        let mut exchanges = good();
        exchanges.insert(1, wrong);
        let violation = kept(&exchanges, &contract()).unwrap_err();
        assert_eq!(violation.rule, "answer-under-load");
        assert_eq!(violation.request.to_string(), "GET /2");
        assert!(!violation.problem.is_empty() && !violation.reason.is_empty());
    }
}

#[test]
fn a_kept_answer_to_a_request_that_nobody_planned_counts_as_checked_for_nothing() {
    let exchanges = [
        exchange("/1", 200, "value 1"),
        exchange("/other", 200, "anything"),
    ];
    assert_eq!(kept(&exchanges, &contract()).unwrap(), 1);
}
