//! How many connections there are, and what goes over them.

use std::collections::BTreeSet;
use std::io::Write as _;

use faceoff_record::{ConnectionUse, Header, Load};

use crate::support::order::cores;
use crate::support::{Server, Then, answer, get, load, order};

#[test]
fn exactly_the_asked_connections_are_opened_whatever_the_threads() {
    for (threads, connections) in [(1, 1), (1, 5), (2, 5), (3, 7), (4, 2), (5, 16)] {
        let server = Server::saying(answer("value"));
        let mut order = order(server.address());
        order.cores = cores(threads);
        order.load = Load::Closed { connections };
        let outcome = load(&order);
        let counts = outcome.connections;
        assert_eq!((counts.asked, counts.opened), (connections, connections));
        assert_eq!((counts.used, counts.reopened), (connections, 0));
        assert_eq!(server.accepted(), connections);
        let expected = connections.min(threads as u32);
        assert_eq!(outcome.generator.threads, expected);
    }
}

#[test]
fn all_requests_of_the_list_reach_the_server_with_their_fields() {
    let server = Server::start(|seen, stream| {
        stream.write_all(&answer(seen.path()))?;
        Ok(Then::GoOn)
    });
    let mut order = order(server.address());
    order.cores = cores(2);
    order.requests = (0..40)
        .map(|id| {
            let path = format!("/api/values/{id}?q={id}");
            let mut planned = get(&path, &path);
            planned
                .request
                .headers
                .push(Header::new("X-Id", id.to_string()));
            planned
        })
        .collect();
    let outcome = load(&order);
    assert_eq!(outcome.failed, 0, "{:?}", outcome.first_failures);
    let seen = server.seen();
    let paths: BTreeSet<&str> = seen.iter().map(|seen| seen.path()).collect();
    assert_eq!(paths.len(), 40);
    for seen in &seen {
        let id = seen.path().split('=').nth(1);
        assert_eq!(seen.field("x-id"), id);
        assert_eq!(
            seen.field("host"),
            Some(server.address().to_string().as_str())
        );
    }
    let firsts: BTreeSet<&str> = seen
        .iter()
        .filter(|seen| seen.number == 0)
        .map(|seen| seen.path())
        .collect();
    assert_eq!(firsts.len(), 4, "connections begin at different places");
}

#[test]
fn a_connection_for_one_request_is_used_once_and_says_so() {
    let server = Server::saying_then(answer("value"), Then::Close);
    let mut order = order(server.address());
    order.connection_use = ConnectionUse::OneRequest;
    let outcome = load(&order);
    assert!(outcome.good > 0);
    assert_eq!(outcome.failed, 0, "{:?}", outcome.first_failures);
    assert_eq!(outcome.sent, server.seen().len() as u64);
    for seen in server.seen() {
        assert_eq!((seen.number, seen.field("connection")), (0, Some("close")));
    }
    // All but the last connection of each slot carried a request and were replaced.
    assert!(outcome.connections.reopened >= outcome.sent - 4);
}

#[test]
fn a_connection_for_one_request_is_closed_even_if_the_server_would_keep_it() {
    let server = Server::saying(answer("value"));
    let mut order = order(server.address());
    order.connection_use = ConnectionUse::OneRequest;
    let outcome = load(&order);
    assert!(outcome.good > 0);
    assert_eq!(outcome.failed, 0, "{:?}", outcome.first_failures);
    assert!(server.seen().iter().all(|seen| seen.number == 0));
}

#[test]
fn a_server_on_ipv6_is_loaded_like_any_other() {
    // Where there is no IPv6, there is nothing to test.
    let Ok(listener) = std::net::TcpListener::bind("[::1]:0") else {
        return;
    };
    let address = listener.local_addr().unwrap();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut bytes = [0; 1024];
        let mut first = None;
        while let Ok(length @ 1..) = std::io::Read::read(&mut stream, &mut bytes) {
            first.get_or_insert(String::from_utf8_lossy(&bytes[..length]).into_owned());
            stream.write_all(&answer("value")).unwrap();
        }
        first.unwrap()
    });
    let mut order = order(address);
    order.load = Load::Closed { connections: 1 };
    let outcome = load(&order);
    assert!(outcome.good > 0);
    assert!(
        server
            .join()
            .unwrap()
            .contains(&format!("Host: [::1]:{}\r\n", address.port()))
    );
}
