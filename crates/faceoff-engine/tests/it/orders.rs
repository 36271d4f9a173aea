//! Orders that cannot be carried out, and orders of another process.

use faceoff_engine::{EngineError, RequestFault, ServeError, run, serve_order};
use faceoff_record::{GeneratorNotice, Load, LoadOrder, Nanos};

use crate::support::{Server, answer, order, unheard_port};

fn refused(change: impl FnOnce(&mut LoadOrder)) -> EngineError {
    let (_bound, address) = unheard_port();
    let mut order = order(address);
    change(&mut order);
    run(&order, &mut |notice| {
        panic!("{notice:?} before the order was refused")
    })
    .unwrap_err()
}

#[test]
fn an_impossible_order_is_refused_before_anything_is_sent() {
    let error = refused(|order| order.requests.clear());
    assert!(matches!(error, EngineError::NoRequests));
    let error = refused(|order| order.load = Load::Closed { connections: 0 });
    assert!(matches!(error, EngineError::NoConnections));
    let error = refused(|order| order.cores.clear());
    assert!(matches!(error, EngineError::NoCores));
    let error = refused(|order| order.timing.window = Nanos::ZERO);
    assert!(matches!(error, EngineError::NoWindow));
    let error = refused(|order| order.timing.timeout = Nanos::ZERO);
    assert!(matches!(error, EngineError::NoTimeout));
    let error = refused(|order| order.target.host = "a b".to_owned());
    assert!(matches!(error, EngineError::Host(_)));
    let error = refused(|order| order.requests[0].request.path = "a".to_owned());
    assert!(matches!(
        error,
        EngineError::Request {
            number: 0,
            source: RequestFault::Path(_)
        }
    ));
}

#[test]
fn a_processor_that_does_not_exist_is_named() {
    let error = refused(|order| order.cores = vec![order.cores[0], 100_000]);
    assert!(
        matches!(error, EngineError::Pin { core: 100_000, .. }),
        "{error:?}"
    );
}

/// Serves this input and gives back the notices.
fn serve(input: &str) -> (Vec<GeneratorNotice>, Result<(), ServeError>) {
    let mut output = Vec::new();
    let result = serve_order(input.as_bytes(), &mut output);
    let notices = String::from_utf8(output)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    (notices, result)
}

#[test]
fn an_order_of_another_process_is_answered_with_its_window_and_its_outcome() {
    let server = Server::saying(answer("value"));
    let order = serde_json::to_string(&order(server.address())).unwrap();
    let (notices, result) = serve(&format!("{order}\nwhat follows is not read\n"));
    result.unwrap();
    let [
        GeneratorNotice::Loading {
            window_from,
            window_to,
        },
        GeneratorNotice::Done(outcome),
    ] = notices.as_slice()
    else {
        panic!("{notices:?}");
    };
    assert!(outcome.good > 0);
    assert_eq!(outcome.window_from, *window_from);
    assert_eq!(outcome.window_from + outcome.window, *window_to);
}

#[test]
fn an_order_that_cannot_be_read_or_carried_out_is_answered_with_the_reason() {
    for input in ["", "{}\n", "no order\n"] {
        let (notices, result) = serve(input);
        assert!(matches!(result, Err(ServeError::Order(_))), "{input:?}");
        assert!(
            matches!(notices.as_slice(), [GeneratorNotice::Failed { .. }]),
            "{input:?}"
        );
    }
    let (_bound, address) = unheard_port();
    let mut impossible = order(address);
    impossible.requests.clear();
    let (notices, result) = serve(&serde_json::to_string(&impossible).unwrap());
    assert!(matches!(
        result,
        Err(ServeError::Load(EngineError::NoRequests))
    ));
    let reason = "cannot carry out the load order: the load order has no requests".to_owned();
    assert_eq!(notices, [GeneratorNotice::Failed { reason }]);
}

#[test]
fn a_reader_that_has_gone_is_an_error_and_not_a_panic() {
    struct Gone;
    impl std::io::Write for Gone {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let server = Server::saying(answer("value"));
    let order = serde_json::to_string(&order(server.address())).unwrap();
    let result = serve_order(order.as_bytes(), Gone);
    assert!(matches!(result, Err(ServeError::Write(_))));
}
