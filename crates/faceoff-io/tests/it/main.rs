//! Sockets against real peers on free ports.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{ErrorKind, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::thread;

use faceoff_io::{Event, Slot, Sockets, clock};

/// Long enough from now that it is reached only when a promised event does not come.
fn patience() -> Option<u64> {
    Some(clock::now() + 20_000_000_000)
}

/// An event with its bytes copied, so that a test can hold it.
#[derive(Debug, PartialEq, Eq)]
enum Seen {
    Connected,
    Received(Vec<u8>, bool),
    Closed,
    Failed(ErrorKind),
}

impl From<Event<'_>> for Seen {
    fn from(event: Event<'_>) -> Self {
        match event {
            Event::Connected => Self::Connected,
            Event::Received { bytes, ending } => Self::Received(bytes.to_vec(), ending),
            Event::Closed => Self::Closed,
            Event::Failed(error) => Self::Failed(error.kind()),
        }
    }
}

/// Takes turns until something was reported.
fn next(sockets: &mut Sockets<'_>) -> Vec<(Slot, Seen)> {
    let mut seen = Vec::new();
    sockets
        .turn(patience(), &mut |_, slot, event| {
            seen.push((slot, event.into()));
        })
        .unwrap();
    assert!(!seen.is_empty(), "no event came");
    seen
}

/// Takes turns until `slot` received `length` bytes.
fn receive(sockets: &mut Sockets<'_>, slot: Slot, length: usize) -> Vec<u8> {
    let mut received = Vec::new();
    while received.len() < length {
        for (from, seen) in next(sockets) {
            match seen {
                Seen::Received(bytes, _) if from == slot => received.extend(bytes),
                other => panic!("unexpected {other:?} of {from:?}"),
            }
        }
    }
    received
}

fn listener() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

/// A connected slot and its peer.
fn connected<'b>(slot: Slot, listener: &TcpListener, sockets: &mut Sockets<'b>) -> TcpStream {
    sockets.connect(slot, listener.local_addr().unwrap());
    assert_eq!(next(sockets), [(slot, Seen::Connected)]);
    listener.accept().unwrap().0
}

#[test]
fn bytes_go_out_and_come_back() {
    let (listener, _) = listener();
    let mut sockets = Sockets::new(1).unwrap();
    let mut peer = connected(Slot(0), &listener, &mut sockets);
    sockets.send(Slot(0), b"ping");
    let mut request = [0; 4];
    peer.read_exact(&mut request).unwrap();
    assert_eq!(&request, b"ping");
    peer.write_all(b"pong").unwrap();
    assert_eq!(receive(&mut sockets, Slot(0), 4), b"pong");
}

#[test]
fn a_refused_connection_is_a_failure_with_its_reason() {
    let (listener, address) = listener();
    drop(listener);
    let mut sockets = Sockets::new(1).unwrap();
    sockets.connect(Slot(0), address);
    let refused = Seen::Failed(ErrorKind::ConnectionRefused);
    assert_eq!(next(&mut sockets), [(Slot(0), refused)]);
}

#[test]
fn a_connect_that_fails_at_once_is_reported_by_the_next_turn() {
    let mut sockets = Sockets::new(1).unwrap();
    // TCP has no multicast, so the kernel refuses without asking anybody.
    sockets.connect(Slot(0), "224.0.0.1:80".parse().unwrap());
    let seen = next(&mut sockets);
    assert!(matches!(seen[..], [(Slot(0), Seen::Failed(_))]), "{seen:?}");
}

#[test]
fn what_the_kernel_does_not_take_at_once_is_sent_later() {
    let bytes: Vec<u8> = (0..32_000_000_u32).map(|i| (i % 251) as u8).collect();
    let (listener, _) = listener();
    let mut sockets = Sockets::new(1).unwrap();
    let mut peer = connected(Slot(0), &listener, &mut sockets);
    sockets.send(Slot(0), &bytes);
    assert!(sockets.is_sending(Slot(0)));
    let reader = thread::spawn({
        let length = bytes.len();
        move || {
            let mut received = vec![0; length];
            peer.read_exact(&mut received).unwrap();
            peer.write_all(b"done").unwrap();
            received
        }
    });
    assert_eq!(receive_while_sending(&mut sockets), b"done");
    assert!(!sockets.is_sending(Slot(0)));
    assert!(
        reader.join().unwrap() == bytes,
        "the bytes arrive unchanged"
    );
}

#[test]
fn bytes_that_are_not_kept_are_sent_whole_and_in_their_order() {
    let (listener, _) = listener();
    let mut sockets = Sockets::new(1).unwrap();
    let mut peer = connected(Slot(0), &listener, &mut sockets);
    let bytes: Vec<u8> = (0..32_000_000_u32).map(|i| (i % 251) as u8).collect();
    for part in [&bytes[..10], &bytes[10..20_000_000], &bytes[20_000_000..]] {
        sockets.send_copy(Slot(0), part);
    }
    assert!(sockets.is_sending(Slot(0)));
    let reader = thread::spawn({
        let length = bytes.len();
        move || {
            let mut received = vec![0; length];
            peer.read_exact(&mut received).unwrap();
            peer.write_all(b"done").unwrap();
            received
        }
    });
    assert_eq!(receive_while_sending(&mut sockets), b"done");
    assert!(!sockets.is_sending(Slot(0)));
    assert!(
        reader.join().unwrap() == bytes,
        "the bytes arrive unchanged"
    );
}

/// As `receive`, for turns in which only a send goes on and nothing is reported.
fn receive_while_sending(sockets: &mut Sockets<'_>) -> Vec<u8> {
    let mut received = Vec::new();
    while received.is_empty() {
        sockets
            .turn(patience(), &mut |_, _, event| match event.into() {
                Seen::Received(bytes, _) => received.extend(bytes),
                other => panic!("unexpected {other:?}"),
            })
            .unwrap();
    }
    received
}

#[test]
fn more_than_one_buffer_arrives_in_order() {
    let bytes: Vec<u8> = (0..1_000_000_u32).map(|i| (i % 241) as u8).collect();
    let (listener, _) = listener();
    let mut sockets = Sockets::new(1).unwrap();
    let mut peer = connected(Slot(0), &listener, &mut sockets);
    let writer = thread::spawn({
        let bytes = bytes.clone();
        move || {
            peer.write_all(&bytes).unwrap();
            peer
        }
    });
    assert!(receive(&mut sockets, Slot(0), bytes.len()) == bytes);
    drop(writer.join().unwrap());
    assert_eq!(next(&mut sockets), [(Slot(0), Seen::Closed)]);
}

#[test]
fn a_peer_that_sends_its_last_bytes_and_closes_is_seen_to_end() {
    let (listener, _) = listener();
    let mut sockets = Sockets::new(1).unwrap();
    let mut peer = connected(Slot(0), &listener, &mut sockets);
    peer.write_all(b"last").unwrap();
    peer.shutdown(Shutdown::Write).unwrap();
    // Both are in the receiving queue when `shutdown` returns: loopback delivers at once.
    assert_eq!(
        next(&mut sockets),
        [(Slot(0), Seen::Received(b"last".to_vec(), true))]
    );
    assert_eq!(next(&mut sockets), [(Slot(0), Seen::Closed)]);
}

#[test]
fn a_reset_is_a_failure() {
    let (listener, _) = listener();
    let mut sockets = Sockets::new(1).unwrap();
    let peer = connected(Slot(0), &listener, &mut sockets);
    sockets.send(Slot(0), b"never read");
    // Closing with unread bytes resets the connection.
    peer.peek(&mut [0]).unwrap();
    drop(peer);
    let reset = Seen::Failed(ErrorKind::ConnectionReset);
    assert_eq!(next(&mut sockets), [(Slot(0), reset)]);
}

#[test]
fn an_event_of_an_earlier_socket_never_reaches_a_later_one() {
    let (listener, address) = listener();
    let mut sockets = Sockets::new(2).unwrap();
    let mut peers: Vec<TcpStream> = (0..2)
        .map(|slot| connected(Slot(slot), &listener, &mut sockets))
        .collect();
    for peer in &mut peers {
        peer.write_all(b"old").unwrap();
    }
    // Both sockets are ready in the same turn; whoever comes first replaces the other.
    let mut seen = Vec::new();
    sockets
        .turn(patience(), &mut |sockets, slot, event| {
            seen.push((slot, Seen::from(event)));
            sockets.connect(Slot(1 - slot.0), address);
        })
        .unwrap();
    assert!(
        matches!(seen[..], [(_, Seen::Received(..))]),
        "only the first may speak: {seen:?}"
    );
    let replaced = Slot(1 - seen[0].0.0);
    assert_eq!(next(&mut sockets), [(replaced, Seen::Connected)]);
}

#[test]
fn closing_in_the_middle_of_a_long_answer_stops_its_events() {
    let (listener, _) = listener();
    let mut sockets = Sockets::new(1).unwrap();
    let mut peer = connected(Slot(0), &listener, &mut sockets);
    let writer = thread::spawn(move || {
        // It fails as soon as the other side has closed.
        while peer.write_all(&[0; 100_000]).is_ok() {}
    });
    let mut calls = 0;
    sockets
        .turn(patience(), &mut |sockets, slot, _| {
            calls += 1;
            sockets.close(slot);
        })
        .unwrap();
    assert_eq!(calls, 1);
    writer.join().unwrap();
}

#[test]
fn a_turn_without_events_ends_when_its_instant_has_come_and_not_before() {
    let mut sockets = Sockets::new(1).unwrap();
    // Later, sooner, in the past, and later again: each wait ends by its own instant.
    for wait in [3_000_000, 1_500_000, 0, 2_000_000] {
        let until = clock::now() + wait;
        let mut may_have_come = false;
        while clock::now() < until {
            may_have_come = sockets
                .turn(Some(until), &mut |_, _, event| panic!("{event:?}"))
                .unwrap();
        }
        assert!(may_have_come || wait == 0);
    }
}

#[test]
fn an_instant_in_the_past_does_not_keep_a_turn_waiting() {
    let mut sockets = Sockets::new(1).unwrap();
    for past in [0, 1, clock::now()] {
        assert!(
            sockets
                .turn(Some(past), &mut |_, _, event| panic!("{event:?}"))
                .unwrap()
        );
    }
}

#[test]
fn sending_over_an_empty_slot_does_nothing() {
    let mut sockets = Sockets::new(1).unwrap();
    sockets.send(Slot(0), b"nobody");
    assert!(!sockets.is_sending(Slot(0)));
    sockets
        .turn(Some(clock::now()), &mut |_, _, event| panic!("{event:?}"))
        .unwrap();
}
