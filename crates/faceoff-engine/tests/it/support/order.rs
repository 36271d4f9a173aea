//! Orders for short loads, carried out with their balance checked.

use std::net::SocketAddr;

use faceoff_engine::run;
use faceoff_io::thread::allowed_cores;
use faceoff_record::{
    Body, ConnectionUse, Expectation, Failure, GeneratorNotice, Load, LoadOrder, LoadOutcome,
    Nanos, PlannedRequest, Request, Target, Timing, Transport,
};

/// A load of four connections on one processor, for 150 ms, of `GET /` that is to be
/// answered with `value`.
pub(crate) fn order(address: SocketAddr) -> LoadOrder {
    LoadOrder {
        target: Target::new(address, Transport::Tcp),
        load: Load::Closed { connections: 4 },
        connection_use: ConnectionUse::KeepAlive,
        timing: Timing {
            warm_up: Nanos::from_millis(20),
            window: Nanos::from_millis(130),
            // Long, since it ends as soon as nothing is in flight.
            grace: Nanos::from_secs(10),
            timeout: Nanos::from_secs(10),
        },
        requests: vec![get("/", "value")],
        keep_exchanges: 0,
        cores: cores(1),
    }
}

/// The same load by TLS, of a server named `localhost`.
pub(crate) fn tls_order(address: SocketAddr) -> LoadOrder {
    let server_name = "localhost".to_owned();
    LoadOrder {
        target: Target::new(address, Transport::Tls { server_name }),
        ..order(address)
    }
}

/// So many processors, the same ones again where there are fewer.
pub(crate) fn cores(count: usize) -> Vec<u32> {
    let allowed = allowed_cores().unwrap();
    allowed.into_iter().cycle().take(count).collect()
}

/// A GET and the body of its right answer.
pub(crate) fn get(path: &str, body: &str) -> PlannedRequest {
    PlannedRequest {
        request: Request::new("GET", path),
        expect: Expectation {
            body: Some(Body::from(body)),
            ..Expectation::status(&[200])
        },
    }
}

/// Carries out an order, and checks what must hold for any outcome.
pub(crate) fn load(order: &LoadOrder) -> LoadOutcome {
    let mut notices = Vec::new();
    let outcome = run(order, &mut |notice| notices.push(notice)).expect("the order is possible");
    let window_to = outcome.window_from + outcome.window;
    assert_eq!(
        notices,
        [GeneratorNotice::Loading {
            window_from: outcome.window_from,
            window_to,
        }]
    );
    assert_balanced(&outcome);
    outcome
}

/// Carries out an order in which all requests must fail in the same way, and says how many did.
pub(crate) fn load_only(order: &LoadOrder, failure: Failure) -> LoadOutcome {
    let outcome = load(order);
    assert_eq!((outcome.good, outcome.counts.good), (0, 0));
    let classes: Vec<Failure> = outcome
        .first_failures
        .iter()
        .map(|first| first.failure)
        .collect();
    assert_eq!(classes, [failure], "{:?}", outcome.first_failures);
    assert!(outcome.failed > 0);
    outcome
}

/// What must hold for any outcome.
fn assert_balanced(outcome: &LoadOutcome) {
    let counts = &outcome.counts;
    assert_eq!(
        outcome.sent,
        outcome.good + outcome.failed + outcome.in_flight_at_end,
        "every request is good, failed or in flight: {outcome:#?}"
    );
    assert!(counts.good <= outcome.good);
    assert!(counts.failed.values().sum::<u64>() <= outcome.failed);
    assert_eq!(outcome.service.count(), counts.good);
    assert_eq!(
        outcome.in_flight_at_end > 0,
        outcome.oldest_in_flight.is_some()
    );
    let in_tenths: u64 = outcome.tenths.iter().map(|count| u64::from(*count)).sum();
    assert!(counts.good <= in_tenths && in_tenths <= outcome.good);
    let connections = outcome.connections;
    assert!(connections.opened <= connections.asked && connections.used <= connections.asked);
    assert_eq!(counts.good > 0, connections.used > 0);
    // Little's law: no connection can be busy for longer than the load lasts. A thousandth is
    // what the histogram may round up.
    let elapsed = (outcome.window_from + outcome.window)
        .since(outcome.started)
        .0 as f64;
    let latencies = outcome.service.mean().unwrap_or_default() * counts.good as f64;
    assert!(latencies <= f64::from(connections.asked) * elapsed * 1.001);
}
