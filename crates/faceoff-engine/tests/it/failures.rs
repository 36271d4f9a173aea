//! Each way in which a request can fail is counted as what it is, and ends.

use std::io::Write as _;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;

use faceoff_engine::run;
use faceoff_io::clock;
use faceoff_record::{Failure, GeneratorNotice, Nanos, Request};

use crate::support::{Server, Then, answer, load, load_only, order, unheard_port};

/// What the first failure of an outcome says.
fn detail(outcome: &faceoff_record::LoadOutcome) -> &str {
    &outcome.first_failures[0].detail
}

#[test]
fn a_wrong_status_is_a_failure_and_the_connection_goes_on() {
    let server = Server::saying("HTTP/1.1 404 Not Found\r\nContent-Length: 5\r\n\r\nvalue");
    let outcome = load_only(&order(server.address()), Failure::WrongStatus);
    assert_eq!(
        detail(&outcome),
        "status 404; the answer begins \"HTTP/1.1 404 Not Found\\r\\nContent-Length: 5\\r\\n\\r\\n\""
    );
    assert_eq!(outcome.first_failures[0].request, Request::new("GET", "/"));
    assert_eq!(outcome.connections.reopened, 0);
    assert_eq!(outcome.connections.used, 0);
}

#[test]
fn a_wrong_a_shorter_and_a_longer_body_are_wrong_bodies() {
    for (body, said) in [
        (
            "valve",
            "the body differs from byte 3 on: \"ve\" instead of \"ue\"",
        ),
        ("val", "the body ends after 3 of 5 bytes"),
        (
            "values",
            "the body differs from byte 5 on: \"s\" instead of \"\"",
        ),
    ] {
        let server = Server::saying(answer(body));
        let outcome = load_only(&order(server.address()), Failure::WrongBody);
        assert_eq!(detail(&outcome), said);
        assert_eq!(outcome.connections.reopened, 0);
    }
}

#[test]
fn a_body_shorter_than_announced_is_closed_early() {
    let bytes = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nval";
    let server = Server::saying_then(bytes, Then::Close);
    let outcome = load_only(&order(server.address()), Failure::ClosedEarly);
    assert_eq!(
        detail(&outcome),
        "closed by the server after 41 bytes of the answer"
    );
}

#[test]
fn a_chunked_body_without_its_last_chunk_is_closed_early() {
    let bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nvalue\r\n";
    let server = Server::saying_then(bytes, Then::Close);
    load_only(&order(server.address()), Failure::ClosedEarly);
}

#[test]
fn a_reset_in_the_middle_of_an_answer_is_a_reset() {
    let server = Server::saying_then("HTTP/1.1 200 OK\r\n", Then::Reset);
    load_only(&order(server.address()), Failure::Reset);
}

#[test]
fn a_server_that_never_answers_times_out_and_everything_is_accounted_for() {
    let server = Server::saying_then("", Then::StaySilent);
    let mut order = order(server.address());
    order.timing.timeout = Nanos::from_millis(40);
    let outcome = load_only(&order, Failure::Timeout);
    assert_eq!(
        detail(&outcome),
        "no complete answer within 40.0 ms, 0 bytes of it"
    );
    assert_eq!(
        outcome.in_flight_at_end, 0,
        "the last ones time out in the grace"
    );
    assert_eq!(u64::from(server.accepted()), outcome.failed);
}

#[test]
fn what_is_in_flight_at_the_end_is_neither_good_nor_failed() {
    let server = Server::saying_then("", Then::StaySilent);
    let mut order = order(server.address());
    order.timing.grace = Nanos::from_millis(20);
    let outcome = load(&order);
    assert_eq!((outcome.sent, outcome.good, outcome.failed), (4, 0, 0));
    assert_eq!(outcome.in_flight_at_end, 4);
    assert!(outcome.oldest_in_flight.unwrap() > Nanos::ZERO);
}

#[test]
fn an_answer_in_the_grace_is_good_but_not_in_the_window() {
    let window_to = Arc::new(OnceLock::new());
    let server = Server::start({
        let window_to = Arc::clone(&window_to);
        move |_, stream| {
            let window_to: &Nanos = window_to.wait();
            thread::sleep(window_to.since(Nanos(clock::now())).into());
            stream.write_all(&answer("value"))?;
            Ok(Then::GoOn)
        }
    });
    let outcome = run(&order(server.address()), &mut |notice| {
        if let GeneratorNotice::Loading {
            window_to: known, ..
        } = notice
        {
            window_to.set(known).unwrap();
        }
    })
    .unwrap();
    assert_eq!((outcome.sent, outcome.good), (4, 4));
    assert_eq!((outcome.counts.good, outcome.service.count()), (0, 0));
    assert_eq!(outcome.connections.used, 0);
}

#[test]
fn a_port_on_which_nobody_listens_is_tried_a_bounded_number_of_times() {
    let (_bound, address) = unheard_port();
    let outcome = load_only(&order(address), Failure::ConnectRefused);
    assert_eq!(outcome.connections.opened, 0);
    assert_eq!(outcome.counts.bytes_in, 0);
    // In 150 ms: one attempt before the load, then after rests of 1, 2, 4, 8, 16, 32 and
    // 64 ms at the earliest.
    assert!(outcome.sent <= 4 * 8, "{} attempts", outcome.sent);
    assert!(detail(&outcome).contains("refused"), "{}", detail(&outcome));
}

#[test]
fn an_address_that_cannot_be_connected_to_is_an_outcome_too() {
    // TCP has no multicast.
    let outcome = load_only(
        &order("224.0.0.1:80".parse().unwrap()),
        Failure::ConnectOther,
    );
    assert!(outcome.sent <= 4 * 8, "{} attempts", outcome.sent);
}

#[test]
fn a_server_that_dies_in_the_middle_leaves_the_rest_as_failures() {
    let answered = AtomicU32::new(0);
    let server = Server::start(move |_, stream| {
        if answered.fetch_add(1, Ordering::SeqCst) < 20 {
            stream.write_all(&answer("value"))?;
            Ok(Then::GoOn)
        } else {
            Ok(Then::Die)
        }
    });
    let outcome = load(&order(server.address()));
    assert_eq!(outcome.good, 20);
    assert!(outcome.failed >= 4, "each connection noticed: {outcome:#?}");
    let classes: Vec<Failure> = outcome
        .first_failures
        .iter()
        .map(|first| first.failure)
        .collect();
    assert!(classes.contains(&Failure::ConnectRefused), "{classes:?}");
    assert!(outcome.sent <= 20 + 4 * 10, "{} attempts", outcome.sent);
}

#[test]
fn a_server_that_accepts_and_closes_is_not_hammered() {
    let server = Server::saying_then("", Then::Close);
    let outcome = load_only(&order(server.address()), Failure::ClosedEarly);
    assert!(outcome.sent <= 4 * 8, "{} attempts", outcome.sent);
}

#[test]
fn answers_that_come_right_after_failures_are_good() {
    let server = Server::start(|seen, stream| {
        let status = if seen.number % 2 == 0 {
            "500 No"
        } else {
            "200 OK"
        };
        write!(
            stream,
            "HTTP/1.1 {status}\r\nContent-Length: 5\r\n\r\nvalue"
        )?;
        Ok(Then::GoOn)
    });
    let outcome = load(&order(server.address()));
    assert!(outcome.good > 0 && outcome.failed > 0);
    assert!(outcome.good.abs_diff(outcome.failed) <= 4, "{outcome:#?}");
    assert_eq!(outcome.first_failures.len(), 1);
}
