//! Requests and answers over TLS.

use std::io::Write as _;

use faceoff_record::{Body, ConnectionUse, Failure, Header, Load, Nanos};
use rustls::version::{TLS12, TLS13};

use crate::support::order::cores;
use crate::support::{Server, Then, Tls, answer, get, load, load_only, tls_order};

/// What a record of TLS 1.3 adds to its bytes: its header, its real type and its tag.
const RECORD: u64 = 5 + 1 + 16;

#[test]
fn requests_go_over_kept_connections_in_both_versions() {
    for version in [&TLS12, &TLS13] {
        let tls = Tls::of(&[version], &["h2", "http/1.1"]);
        let server = Server::saying_by_tls(tls, answer("value"), Then::GoOn);
        let mut order = tls_order(server.address());
        order.cores = cores(2);
        order.load = Load::Closed { connections: 5 };
        let outcome = load(&order);
        assert!(outcome.good > 0);
        assert_eq!(outcome.failed, 0, "{:?}", outcome.first_failures);
        assert_eq!(outcome.sent, server.seen().len() as u64);
        let counts = outcome.connections;
        assert_eq!((counts.opened, counts.used, counts.reopened), (5, 5, 0));
        assert_eq!(server.sessions().len(), 5);
        let host = format!("localhost:{}", server.address().port());
        for seen in server.seen() {
            assert_eq!(seen.field("host"), Some(host.as_str()));
        }
        for session in server.sessions() {
            assert_eq!(session.server_name.as_deref(), Some("localhost"));
            assert_eq!(session.protocol.as_deref(), Some("http/1.1"));
        }
    }
}

#[test]
fn a_server_that_negotiates_no_protocol_is_spoken_to_all_the_same() {
    let tls = Tls::of(rustls::ALL_VERSIONS, &[]);
    let server = Server::saying_by_tls(tls, answer("value"), Then::GoOn);
    let outcome = load(&tls_order(server.address()));
    assert!(outcome.good > 0);
    assert_eq!(outcome.failed, 0, "{:?}", outcome.first_failures);
}

#[test]
fn bytes_are_counted_as_they_are_on_the_wire() {
    let tls = Tls::of(&[&TLS13], &[]);
    let server = Server::saying_by_tls(tls, answer("value"), Then::GoOn);
    let order = tls_order(server.address());
    let counts = load(&order).counts;
    let per_answer = answer("value").len() as u64 + RECORD;
    let host = format!("localhost:{}", server.address().port());
    let request = format!("GET / HTTP/1.1\r\nHost: {host}\r\n\r\n");
    let per_request = request.len() as u64 + RECORD;
    // Each connection may have one exchange across each end of the window.
    let slack = 4 * per_answer;
    assert!(counts.bytes_in.abs_diff(counts.good * per_answer) <= slack);
    assert!(counts.bytes_out.abs_diff(counts.good * per_request) <= slack);
}

#[test]
fn handshakes_in_the_window_are_bytes_too() {
    let server = Server::saying_by_tls(Tls::new(), answer("value"), Then::Close);
    let mut order = tls_order(server.address());
    order.connection_use = ConnectionUse::OneRequest;
    order.timing.window = Nanos::from_millis(400);
    let counts = load(&order).counts;
    assert!(counts.good > 0, "{counts:?}");
    assert!(counts.bytes_out / counts.good > 300, "{counts:?}");
    assert!(counts.bytes_in / counts.good > 300, "{counts:?}");
}

#[test]
fn a_connection_for_one_request_is_opened_again_by_resuming_its_session() {
    for version in [&TLS12, &TLS13] {
        let server = Server::saying_by_tls(Tls::of(&[version], &[]), answer("value"), Then::Close);
        let mut order = tls_order(server.address());
        order.connection_use = ConnectionUse::OneRequest;
        let outcome = load(&order);
        assert!(outcome.good > 0);
        assert_eq!(outcome.failed, 0, "{:?}", outcome.first_failures);
        assert!(server.seen().iter().all(|seen| seen.number == 0));
        assert!(outcome.connections.reopened >= outcome.sent - 4);
        let sessions = server.sessions();
        let resumed = sessions.iter().filter(|session| session.resumed).count();
        assert!(
            resumed * 2 > sessions.len(),
            "{resumed} of {}",
            sessions.len()
        );
    }
}

#[test]
fn a_server_that_keeps_an_announced_last_connection_is_told_goodbye() {
    let server = Server::saying_by_tls(Tls::new(), answer("value"), Then::GoOn);
    let mut order = tls_order(server.address());
    order.connection_use = ConnectionUse::OneRequest;
    let outcome = load(&order);
    assert!(outcome.good > 0);
    assert_eq!(outcome.failed, 0, "{:?}", outcome.first_failures);
    assert!(server.seen().iter().all(|seen| seen.number == 0));
    // Those of the end of the load are closed without a word.
    let closed = server.farewells();
    assert!(
        u64::from(closed) + 4 >= outcome.sent,
        "{closed} of {}",
        outcome.sent
    );
}

#[test]
fn answers_of_every_framing_are_read_however_they_are_cut_into_records_and_segments() {
    let chunked =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nva\r\n3\r\nlue\r\n0\r\n\r\n";
    let until_closed = "HTTP/1.1 200 OK\r\n\r\nvalue";
    let cases = [
        (answer("value"), Then::GoOn),
        (answer("value"), Then::Close),
        (answer("value"), Then::Cut),
        (chunked.as_bytes().to_vec(), Then::GoOn),
        (chunked.as_bytes().to_vec(), Then::Cut),
        (until_closed.as_bytes().to_vec(), Then::Close),
    ];
    for (bytes, then) in cases {
        for (record, segment) in [(usize::MAX, usize::MAX), (1, usize::MAX), (7, 1)] {
            let bytes = bytes.clone();
            let tls = Tls::new().in_pieces(segment);
            let server = Server::start_tls(tls, move |_, stream| {
                for record in bytes.chunks(record) {
                    stream.write_all(record)?;
                }
                Ok(then)
            });
            let outcome = load(&tls_order(server.address()));
            let case = format!("{then:?}, records of {record}, segments of {segment}");
            assert!(outcome.good > 0, "{case}: {:?}", outcome.first_failures);
            // A connection that is closed between answers may take the next request with it.
            if then != Then::Cut && then != Then::Close {
                assert_eq!(outcome.failed, 0, "{case}: {:?}", outcome.first_failures);
                assert_eq!(outcome.connections.reopened, 0, "{case}");
            }
            for failed in &outcome.first_failures {
                let unlucky = [Failure::Reset, Failure::ClosedEarly];
                assert!(unlucky.contains(&failed.failure), "{case}: {failed:?}");
                assert!(failed.detail.contains("0 bytes"), "{case}: {failed:?}");
            }
        }
    }
}

#[test]
fn an_answer_that_only_the_end_completes_is_cut_off_unless_the_end_was_announced() {
    let bytes = "HTTP/1.1 200 OK\r\n\r\nvalue";
    let server = Server::saying_by_tls(Tls::new(), bytes, Then::Cut);
    let outcome = load_only(&tls_order(server.address()), Failure::ClosedEarly);
    assert_eq!(
        outcome.first_failures[0].detail,
        "closed by the server after 24 bytes of the answer, whose end only a closure alert \
         (close_notify) of TLS could have marked"
    );
}

#[test]
fn an_answer_shorter_than_announced_is_closed_early_with_and_without_an_alert() {
    let bytes = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nval";
    for then in [Then::Close, Then::Cut] {
        let server = Server::saying_by_tls(Tls::new(), bytes, then);
        let outcome = load_only(&tls_order(server.address()), Failure::ClosedEarly);
        assert_eq!(
            outcome.first_failures[0].detail,
            "closed by the server after 41 bytes of the answer"
        );
    }
}

#[test]
fn large_bodies_go_both_ways() {
    let body: String = (0..400_000).map(|number| format!("{number:06} ")).collect();
    let server = Server::start_tls(Tls::new(), |seen, stream| {
        let body = String::from_utf8(seen.body.clone()).unwrap();
        stream.write_all(&answer(&body))?;
        Ok(Then::GoOn)
    });
    let mut order = tls_order(server.address());
    order.load = Load::Closed { connections: 2 };
    order.timing.window = Nanos::from_millis(400);
    order.requests = vec![get("/", &body)];
    order.requests[0].request.method = "PUT".to_owned();
    order.requests[0].request.body = Some(Body::from(body.as_str()));
    let outcome = load(&order);
    assert!(outcome.good > 0);
    assert_eq!(outcome.failed, 0, "{:?}", outcome.first_failures);
    assert!(
        server
            .seen()
            .iter()
            .all(|seen| seen.body == body.as_bytes())
    );
}

#[test]
fn kept_exchanges_are_whole() {
    let server = Server::start_tls(Tls::new(), |seen, stream| {
        let body = format!("{}{}", seen.path(), "x".repeat(100_000));
        stream.write_all(&answer(&body))?;
        Ok(Then::GoOn)
    });
    let mut order = tls_order(server.address());
    order.keep_exchanges = 3;
    order.requests = (0..5)
        .map(|id| get(&format!("/{id}"), &format!("/{id}{}", "x".repeat(100_000))))
        .collect();
    let outcome = load(&order);
    assert_eq!(outcome.failed, 0, "{:?}", outcome.first_failures);
    assert!(!outcome.kept.is_empty());
    for kept in &outcome.kept {
        let planned = order
            .requests
            .iter()
            .find(|planned| planned.request == kept.request)
            .unwrap();
        assert_eq!(Some(&kept.answer.body), planned.expect.body.as_ref());
        let length = Header::new("Content-Length", "100002");
        assert!(kept.answer.headers.contains(&length));
    }
}
