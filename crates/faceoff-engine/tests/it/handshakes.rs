//! TLS sessions that come to nothing, or break.

use std::io::{Read as _, Write as _};
use std::sync::Mutex;

use faceoff_engine::{EngineError, TlsFault, run};
use faceoff_record::{Failure, LoadOutcome, Nanos, Transport};
use rustix::net::sockopt::set_socket_linger;

use crate::support::{Raw, Server, Then, Tls, answer, load, load_only, tls_order, unheard_port};

/// What the first failure of an outcome says.
fn detail(outcome: &LoadOutcome) -> &str {
    &outcome.first_failures[0].detail
}

/// No connection was made, and none was tried too often.
fn assert_nothing_opened(outcome: &LoadOutcome) {
    assert_eq!(outcome.connections.opened, 0);
    // In 150 ms: one attempt before the load, then after rests of 1, 2, 4, 8, 16, 32 and
    // 64 ms at the earliest.
    assert!(outcome.sent <= 4 * 8, "{} attempts", outcome.sent);
}

#[test]
fn a_server_that_speaks_plain_http_is_told_as_such() {
    let server = Raw::start(|mut socket| {
        let _ = socket.read(&mut [0; 1024]);
        let _ = socket.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
    });
    let outcome = load_only(&tls_order(server.address()), Failure::TlsFailed);
    assert_eq!(
        detail(&outcome),
        "what the server says is not TLS; does it speak plain HTTP there?, in the handshake"
    );
    assert_nothing_opened(&outcome);
}

#[test]
fn a_server_that_closes_or_resets_in_the_handshake_is_told_as_such() {
    let server = Raw::start(|mut socket| {
        let _ = socket.read(&mut [0; 4096]);
    });
    let outcome = load_only(&tls_order(server.address()), Failure::TlsFailed);
    assert_eq!(detail(&outcome), "closed by the server, in the handshake");
    assert_nothing_opened(&outcome);

    let server = Raw::start(|mut socket| {
        let _ = socket.read(&mut [0; 4096]);
        set_socket_linger(&socket, Some(std::time::Duration::ZERO)).unwrap();
    });
    let outcome = load_only(&tls_order(server.address()), Failure::TlsFailed);
    let said = detail(&outcome);
    assert!(
        said.contains("reset") && said.ends_with(", in the handshake"),
        "{said}"
    );
    assert_nothing_opened(&outcome);
}

#[test]
fn a_server_that_never_answers_the_handshake_times_out_as_a_connection() {
    let held = Mutex::new(Vec::new());
    let server = Raw::start(move |socket| held.lock().unwrap().push(socket));
    let mut order = tls_order(server.address());
    order.timing.timeout = Nanos::from_millis(30);
    let outcome = load_only(&order, Failure::ConnectTimeout);
    assert_eq!(detail(&outcome), "no TLS handshake within 30.0 ms");
    assert_eq!(outcome.connections.opened, 0);
}

#[test]
fn a_port_on_which_nobody_listens_is_refused_as_ever() {
    let (_bound, address) = unheard_port();
    let outcome = load_only(&tls_order(address), Failure::ConnectRefused);
    assert_nothing_opened(&outcome);
}

#[test]
fn a_server_that_wants_another_protocol_says_so_by_an_alert() {
    let tls = Tls::of(rustls::ALL_VERSIONS, &["h2"]);
    let server = Server::saying_by_tls(tls, answer("value"), Then::GoOn);
    let outcome = load_only(&tls_order(server.address()), Failure::TlsFailed);
    let said = detail(&outcome);
    assert!(said.contains("NoApplicationProtocol"), "{said}");
    assert_nothing_opened(&outcome);
}

#[test]
fn a_session_that_breaks_amid_an_answer_has_failed_with_what_had_come_until_then() {
    let server = Server::start_tls(Tls::new(), |_, stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nval")?;
        stream.write_raw(b"lue")?;
        Ok(Then::StaySilent)
    });
    let outcome = load_only(&tls_order(server.address()), Failure::TlsFailed);
    let said = detail(&outcome);
    assert!(said.ends_with(", after 41 bytes of the answer"), "{said}");
}

#[test]
fn a_session_that_breaks_after_an_answer_costs_no_request() {
    let server = Server::start_tls(Tls::new(), |_, stream| {
        stream.write_all(&answer("value"))?;
        stream.write_raw(b"this is no record of any kind")?;
        Ok(Then::StaySilent)
    });
    let outcome = load(&tls_order(server.address()));
    assert!(outcome.good > 0);
    for failed in &outcome.first_failures {
        // The two may be read apart, with the next request in between.
        assert_eq!(failed.failure, Failure::TlsFailed, "{failed:?}");
    }
}

#[test]
fn a_server_that_completes_the_handshake_and_closes_is_not_hammered() {
    let server = Server::saying_by_tls(Tls::new(), "", Then::Close);
    let outcome = load_only(&tls_order(server.address()), Failure::ClosedEarly);
    assert_eq!(outcome.connections.opened, 4);
    assert!(outcome.sent <= 4 * 8, "{} attempts", outcome.sent);
}

#[test]
fn an_answer_that_does_not_come_times_out() {
    let server = Server::saying_by_tls(Tls::new(), "HTTP/1.1 200", Then::StaySilent);
    let mut order = tls_order(server.address());
    order.timing.timeout = Nanos::from_millis(30);
    let outcome = load_only(&order, Failure::Timeout);
    assert_eq!(
        detail(&outcome),
        "no complete answer within 30.0 ms, 12 bytes of it"
    );
}

#[test]
fn a_server_without_a_name_cannot_be_asked() {
    let (_bound, address) = unheard_port();
    let mut order = tls_order(address);
    order.target.transport = Transport::Tls {
        server_name: "a b".to_owned(),
    };
    let error = run(&order, &mut |_| panic!("it was begun")).unwrap_err();
    assert!(
        matches!(&error, EngineError::Tls(TlsFault::ServerName { name, .. }) if name == "a b"),
        "{error:?}"
    );
}
