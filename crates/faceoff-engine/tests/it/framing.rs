//! Answers in all their forms, well-behaved ones first.

use std::io::Write as _;
use std::net::Shutdown;
use std::sync::{Arc, OnceLock};

use faceoff_record::{Body, Expectation, Failure, PlannedRequest, Request};
use rustix::net::sockopt::set_tcp_cork;

use crate::support::{Server, Then, answer, get, load, load_only, order};

/// Loads a server that always gives these bytes and then does `then`; all must be right.
fn all_right(bytes: &str, then: Then) -> faceoff_record::LoadOutcome {
    let server = Server::saying_then(bytes, then);
    let outcome = load(&order(server.address()));
    assert!(outcome.good > 0, "{outcome:#?}");
    assert_eq!(outcome.failed, 0, "{:?}", outcome.first_failures);
    outcome
}

#[test]
fn keep_alive_uses_the_same_connections_all_the_time() {
    let server = Server::saying(answer("value"));
    let outcome = load(&order(server.address()));
    assert!(outcome.good > 0);
    assert_eq!(outcome.failed, 0);
    assert_eq!(outcome.connections.opened, 4);
    assert_eq!(outcome.connections.used, 4);
    assert_eq!(outcome.connections.reopened, 0);
    assert_eq!(server.accepted(), 4);
    assert_eq!(server.seen().len() as u64, outcome.sent);
}

#[test]
fn an_announced_close_is_clean_and_its_connection_is_opened_again() {
    let bytes = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nvalue";
    let outcome = all_right(bytes, Then::Close);
    assert!(outcome.connections.reopened > 0);
}

#[test]
fn a_server_that_announces_a_close_and_does_not_close_is_closed_from_here() {
    let bytes = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nvalue";
    let outcome = all_right(bytes, Then::StaySilent);
    assert!(outcome.connections.reopened > 0);
}

#[test]
fn http_1_0_closes_unless_it_says_otherwise() {
    let bytes = "HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nvalue";
    assert!(all_right(bytes, Then::Close).connections.reopened > 0);
    let bytes = "HTTP/1.0 200 OK\r\nContent-Length: 5\r\nConnection: keep-alive\r\n\r\nvalue";
    assert_eq!(all_right(bytes, Then::GoOn).connections.reopened, 0);
}

#[test]
fn chunks_with_extensions_and_trailers_keep_the_connection() {
    let bytes = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\
                 2;a=b\r\nva\r\n3\r\nlue\r\n0\r\nX-Sum: 1\r\n\r\n";
    assert_eq!(all_right(bytes, Then::GoOn).connections.reopened, 0);
}

#[test]
fn an_answer_without_length_ends_with_its_connection() {
    let outcome = all_right("HTTP/1.1 200 OK\r\n\r\nvalue", Then::Close);
    assert!(outcome.connections.reopened > 0);
}

#[test]
fn an_answer_that_arrives_byte_by_byte_is_the_same_answer() {
    let server = Server::start(|_, stream| {
        for byte in answer("value") {
            stream.write_all(&[byte])?;
        }
        Ok(Then::GoOn)
    });
    let outcome = load(&order(server.address()));
    assert!(outcome.good > 0);
    assert_eq!(outcome.failed, 0, "{:?}", outcome.first_failures);
}

#[test]
fn interim_answers_never_end_a_request() {
    let interim = "HTTP/1.1 100 Continue\r\n\r\n\
                   HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n\
                   HTTP/1.1 103 Early Hints\r\n\r\n";
    let last = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nvalue";
    let outcome = all_right(&format!("{interim}{last}"), Then::GoOn);
    assert_eq!(outcome.connections.reopened, 0);
}

#[test]
fn a_close_between_answers_is_clean() {
    // Answer and FIN leave in one packet, so that the close is known before the next request
    // could be sent.
    let server = Server::start(|_, stream| {
        set_tcp_cork(stream.socket(), true)?;
        stream.write_all(&answer("value"))?;
        stream.socket().shutdown(Shutdown::Write)?;
        Ok(Then::StaySilent)
    });
    let outcome = load(&order(server.address()));
    assert!(outcome.good > 0);
    // The kernel shows the bytes a moment before the FIN that came with them, and a request sent
    // in that moment is lost.
    let luckless = &outcome.first_failures;
    assert!(outcome.failed * 10 <= outcome.good, "{luckless:?}");
    assert!(outcome.connections.reopened > 0);
}

#[test]
fn a_body_longer_than_the_read_buffer_is_checked_to_its_last_byte() {
    let body: String = (0..300_000)
        .map(|i| char::from(b'a' + (i % 23) as u8))
        .collect();
    let server = Server::saying(answer(&body));
    let mut order = order(server.address());
    order.requests = vec![get("/", &body)];
    let outcome = load(&order);
    assert!(outcome.good > 0);
    assert_eq!(outcome.failed, 0, "{:?}", outcome.first_failures);
    assert!(outcome.counts.bytes_in > outcome.counts.good * 300_000 - 300_000 * 4);

    let last_differs = format!("{}!", &body[..body.len() - 1]);
    order.requests = vec![get("/", &last_differs)];
    load_only(&order, Failure::WrongBody);
}

#[test]
fn head_and_answers_without_body_keep_the_connection() {
    let server = Server::start(|seen, stream| {
        match seen.method() {
            "HEAD" => stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")?,
            "DELETE" => stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n")?,
            _ => stream.write_all(b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n")?,
        }
        Ok(Then::GoOn)
    });
    let planned = |method, status| PlannedRequest {
        request: Request::new(method, "/"),
        expect: Expectation {
            body: Some(Body::default()),
            ..Expectation::status(&[status])
        },
    };
    let mut order = order(server.address());
    order.requests = vec![
        planned("HEAD", 200),
        planned("DELETE", 204),
        planned("GET", 304),
    ];
    let outcome = load(&order);
    assert!(outcome.good > 0);
    assert_eq!(outcome.failed, 0, "{:?}", outcome.first_failures);
    assert_eq!(outcome.connections.reopened, 0);
}

#[test]
fn a_put_sends_its_whole_body_however_large() {
    let server = Server::start(|seen, stream| {
        let right = seen.body.len() == 8_000_000 && seen.body.iter().all(|byte| *byte == b'x');
        stream.write_all(&answer(if right { "value" } else { "no" }))?;
        Ok(Then::GoOn)
    });
    let mut order = order(server.address());
    order.load = faceoff_record::Load::Closed { connections: 1 };
    order.requests[0].request = Request {
        body: Some(Body(vec![b'x'; 8_000_000])),
        ..Request::new("PUT", "/")
    };
    let outcome = load(&order);
    assert!(outcome.good > 0);
    assert_eq!(outcome.failed, 0, "{:?}", outcome.first_failures);
    assert_eq!(outcome.connections.reopened, 0);
    let seen = server.seen();
    assert_eq!(seen[0].method(), "PUT");
    assert_eq!(seen[0].field("content-length"), Some("8000000"));
}

#[test]
fn an_answer_before_the_whole_request_was_sent_counts_but_its_connection_is_not_used_again() {
    let over = Arc::new(OnceLock::new());
    let server = Server::start_hasty({
        let over = Arc::clone(&over);
        move |_, stream| {
            stream.write_all(&answer("value"))?;
            // Nothing more is read, so the rest of the request stays where it is.
            let () = over.wait();
            Ok(Then::Close)
        }
    });
    let mut order = order(server.address());
    order.requests[0].request = Request {
        body: Some(Body(vec![b'x'; 32_000_000])),
        ..Request::new("PUT", "/")
    };
    let outcome = load(&order);
    over.set(()).unwrap();
    assert!(outcome.good > 0);
    assert_eq!(outcome.failed, 0);
    assert!(server.seen().iter().all(|seen| seen.number == 0));
}

#[test]
fn answers_that_break_their_own_framing_are_malformed() {
    for bytes in [
        "SSH-2.0-OpenSSH\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nvalue",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nvalue",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nvalue",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nvalue and more",
        "HTTP/1.1 101 Switching Protocols\r\n\r\n",
    ] {
        let server = Server::saying_then(bytes, Then::StaySilent);
        let outcome = load_only(&order(server.address()), Failure::Malformed);
        assert!(!outcome.first_failures[0].detail.is_empty());
    }
}
