//! The sums come out, whatever the server does.

use std::io::Write as _;

use faceoff_record::{Load, Nanos};
use proptest::prelude::*;

use crate::support::order::cores;
use crate::support::server::Seen;
use crate::support::{Peer, Server, Then, Tls, answer, load, order, tls_order};

/// Something that a server may do with a request.
#[derive(Clone, Copy, Debug)]
enum Act {
    Right,
    RightThenClose,
    Announced,
    WrongStatus,
    WrongBody,
    Half,
    Garbage,
    Reset,
    Silence,
    UntilClosed,
    UntilCut,
    Noise,
}

const ACTS: &[Act] = &[
    Act::Right,
    Act::Right,
    Act::RightThenClose,
    Act::Announced,
    Act::WrongStatus,
    Act::WrongBody,
    Act::Half,
    Act::Garbage,
    Act::Reset,
    Act::Silence,
    Act::UntilClosed,
    Act::UntilCut,
    Act::Noise,
];

fn perform(act: Act, stream: &mut Peer) -> std::io::Result<Then> {
    let (bytes, then): (&[u8], _) = match act {
        Act::Right => (&answer("value"), Then::GoOn),
        Act::RightThenClose => (&answer("value"), Then::Close),
        Act::Announced => (
            b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nvalue",
            Then::Close,
        ),
        Act::WrongStatus => (b"HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n", Then::GoOn),
        Act::WrongBody => (&answer("no"), Then::GoOn),
        Act::Half => (
            b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nval",
            Then::Close,
        ),
        Act::Garbage => (b"garbage", Then::Close),
        Act::Reset => (b"", Then::Reset),
        Act::Silence => (b"", Then::StaySilent),
        Act::UntilClosed => (b"HTTP/1.1 200 OK\r\n\r\nvalue", Then::Close),
        Act::UntilCut => (b"HTTP/1.1 200 OK\r\n\r\nvalue", Then::Cut),
        Act::Noise => {
            stream.write_raw(b"neither an answer nor a record")?;
            (b"", Then::StaySilent)
        }
    };
    stream.write_all(bytes)?;
    Ok(then)
}

proptest! {
    // Each case is a load of a tenth of a second.
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn every_request_is_good_failed_or_in_flight_whatever_the_server_does(
        acts in prop::collection::vec(prop::sample::select(ACTS), 1..12),
        connections in 1..9_u32,
        threads in 1..4_usize,
        grace in 0..30_u64,
        timeout in 20..200_u64,
        secure in any::<bool>(),
    ) {
        let script = move |seen: &Seen, stream: &mut Peer| {
            let turn = (seen.connection + seen.number) as usize % acts.len();
            perform(acts[turn], stream)
        };
        let (server, mut order) = if secure {
            let server = Server::start_tls(Tls::new(), script);
            let order = tls_order(server.address());
            (server, order)
        } else {
            let server = Server::start(script);
            let order = order(server.address());
            (server, order)
        };
        order.load = Load::Closed { connections };
        order.cores = cores(threads);
        order.timing.warm_up = Nanos::from_millis(10);
        order.timing.window = Nanos::from_millis(80);
        order.timing.grace = Nanos::from_millis(grace);
        order.timing.timeout = Nanos::from_millis(timeout);
        order.keep_exchanges = 3;
        // `load` checks the balance.
        let outcome = load(&order);
        prop_assert_eq!(outcome.connections.asked, connections);
        prop_assert!(outcome.kept.len() <= 3);
        // The server cannot have seen more requests than were sent.
        prop_assert!(server.seen().len() as u64 <= outcome.sent);
    }
}

#[test]
fn answers_of_the_server_and_of_the_generator_are_the_same_number() {
    let server = Server::saying(answer("value"));
    let outcome = load(&order(server.address()));
    assert_eq!(server.seen().len() as u64, outcome.sent);
    assert_eq!(
        outcome.good, outcome.sent,
        "the grace is long enough for all"
    );
    assert_eq!(outcome.in_flight_at_end, 0);
}

#[test]
fn bytes_in_the_window_are_those_of_its_requests_and_answers() {
    let server = Server::saying(answer("value"));
    let outcome = load(&order(server.address()));
    let counts = &outcome.counts;
    let per_answer = answer("value").len() as u64;
    // Each connection may have one exchange across each end of the window.
    let slack = 4 * per_answer;
    assert!(counts.bytes_in.abs_diff(counts.good * per_answer) <= slack);
    let per_request = counts.bytes_out / counts.good.max(1);
    assert!((40..80).contains(&per_request), "{per_request}");
}

#[test]
fn the_generator_says_how_it_was() {
    let server = Server::saying(answer("value"));
    let mut order = order(server.address());
    order.cores = cores(2);
    let generator = load(&order).generator;
    assert_eq!(
        (generator.backend.as_str(), generator.threads),
        ("epoll", 2)
    );
    assert!(generator.cpu > Nanos::ZERO);
    let tells = std::fs::exists("/proc/thread-self/schedstat").unwrap();
    assert_eq!(generator.run_queue_wait.is_some(), tells);
}

#[test]
fn without_warm_up_the_window_is_the_whole_load() {
    let server = Server::saying(answer("value"));
    let mut order = order(server.address());
    order.timing.warm_up = Nanos::ZERO;
    let outcome = load(&order);
    assert_eq!(outcome.started, outcome.window_from);
    let in_tenths: u64 = outcome.tenths.iter().map(|count| u64::from(*count)).sum();
    assert_eq!(in_tenths, outcome.counts.good);
    assert!(
        outcome.good - outcome.counts.good <= 4,
        "only the last ones are outside"
    );
}
