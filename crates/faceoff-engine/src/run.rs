//! One order, carried out: the parts of the load before and after the workers.
//!
//! This module checks the order, splits it among workers, fixes the instant at which all of them
//! start, and merges what they give.

use std::io;
use std::sync::mpsc;
use std::thread;

use faceoff_io::{BACKEND, allow_open_files, clock};
use faceoff_record::{
    ConnectionCounts, GeneratorHealth, GeneratorNotice, LoadOrder, LoadOutcome, Nanos, Transport,
};

use crate::exchange::Yield;
use crate::record::Record;
use crate::send::{self, RequestFault};
use crate::stop::Timeline;
use crate::tls::{Setup, TlsFault};
use crate::worker::{shares, work};

/// From fixing the common start to the start: time to tell all workers and whoever wants to read
/// counters at the same instants.
const START_LEAD: Nanos = Nanos::from_millis(2);

/// Files that are open besides the connections: standard streams, and a few for each worker.
const OTHER_FILES: u64 = 64;

/// Why an order could not be carried out. A server that cannot be reached is no such reason: that
/// is an outcome, with failures.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// There is nothing to send.
    #[error("the load order has no requests")]
    NoRequests,
    /// There is nothing to send over.
    #[error("the load order asks for no connections")]
    NoConnections,
    /// There is nowhere to run.
    #[error("the load order names no processor to run on")]
    NoCores,
    /// Nothing could be measured.
    #[error("the measured window of the load order is empty")]
    NoWindow,
    /// Every request would fail at once.
    #[error("the time-out of the load order is zero")]
    NoTimeout,
    /// The `Host` field would break the request.
    #[error("`{0}` cannot be the value of a Host field")]
    Host(String),
    /// TLS cannot be spoken.
    #[error("cannot speak TLS")]
    Tls(#[source] TlsFault),
    /// A request cannot be sent as it is.
    #[error("request {number} of the load order (counted from 0) cannot be sent")]
    Request {
        /// Which, from 0.
        number: usize,
        /// Why.
        source: RequestFault,
    },
    /// A thread could not be bound to its processor.
    #[error("cannot run on processor {core}")]
    Pin {
        /// The processor.
        core: u32,
        /// Why.
        source: io::Error,
    },
    /// A thread could not be started.
    #[error("cannot start a thread")]
    Thread(#[source] io::Error),
    /// The kernel refuses to wait for sockets.
    #[error("cannot wait for sockets")]
    Sockets(#[source] io::Error),
    /// A thread has panicked.
    #[error("a thread of the load generator has panicked")]
    Panicked,
}

/// Carries out an order. Between opening the connections and starting the load, `notice` is told
/// when the measured window will begin and end.
///
/// It takes at most two time-outs for the connections, then warm-up, window and grace.
///
/// # Errors
///
/// If the order is impossible, or this machine does not let it be carried out.
pub fn run(
    order: &LoadOrder,
    notice: &mut dyn FnMut(GeneratorNotice),
) -> Result<LoadOutcome, EngineError> {
    check(order)?;
    let requests =
        send::prepare(order).map_err(|(number, source)| EngineError::Request { number, source })?;
    let tls = match &order.target.transport {
        Transport::Tcp => None,
        Transport::Tls { server_name } => Some(Setup::new(server_name).map_err(EngineError::Tls)?),
    };
    allow_open_files(u64::from(order.load.connections()) + OTHER_FILES);

    let (timeline, yields) = thread::scope(|scope| {
        let mut workers = Vec::new();
        for share in shares(order) {
            let (tell_ready, ready) = mpsc::channel();
            let (start, told_start) = mpsc::channel();
            let (requests, tls) = (&requests, tls.as_ref());
            let thread = thread::Builder::new()
                .name(format!("load-{}", share.worker))
                .spawn_scoped(scope, move || {
                    work(order, requests, tls, share, &tell_ready, &told_start)
                })
                .map_err(EngineError::Thread)?;
            workers.push((ready, start, thread));
        }
        // A worker that cannot begin closes its channel. The others end when theirs are closed,
        // and its reason comes out below.
        let timeline = workers
            .iter()
            .all(|(ready, ..)| ready.recv().is_ok())
            .then(|| Timeline::new(Nanos(clock::now()) + START_LEAD, &order.timing));
        if let Some(timeline) = timeline {
            for (_, start, _) in &workers {
                // One that has failed since then says so when it is joined.
                let _ = start.send(timeline);
            }
            notice(GeneratorNotice::Loading {
                window_from: timeline.window_from,
                window_to: timeline.window_to,
            });
        }
        let threads: Vec<_> = workers.into_iter().map(|(_, _, thread)| thread).collect();
        let mut yields = Vec::new();
        for thread in threads {
            let given = thread.join().map_err(|_| EngineError::Panicked)??;
            yields.extend(given);
        }
        let timeline = timeline.ok_or(EngineError::Panicked)?;
        Ok::<_, EngineError>((timeline, yields))
    })?;
    Ok(merge(order, timeline, yields))
}

fn check(order: &LoadOrder) -> Result<(), EngineError> {
    if order.requests.is_empty() {
        return Err(EngineError::NoRequests);
    }
    if order.load.connections() == 0 {
        return Err(EngineError::NoConnections);
    }
    if order.cores.is_empty() {
        return Err(EngineError::NoCores);
    }
    if order.timing.window == Nanos::ZERO {
        return Err(EngineError::NoWindow);
    }
    if order.timing.timeout == Nanos::ZERO {
        return Err(EngineError::NoTimeout);
    }
    if !send::is_host(&order.target.host) {
        return Err(EngineError::Host(order.target.host.clone()));
    }
    Ok(())
}

fn merge(order: &LoadOrder, timeline: Timeline, yields: Vec<Yield>) -> LoadOutcome {
    let mut record = Record::new();
    let mut kept = Vec::new();
    let mut cpu = Nanos::ZERO;
    let mut run_queue_wait = Some(Nanos::ZERO);
    let mut connections = ConnectionCounts {
        asked: order.load.connections(),
        ..ConnectionCounts::default()
    };
    let threads = u32::try_from(yields.len()).unwrap_or(u32::MAX);
    let mut in_flight_at_end = 0;
    let mut oldest_in_flight = None;
    for given in yields {
        record.merge(given.record);
        kept.extend(given.kept);
        cpu += given.consumed.cpu;
        // A sum with an unknown part is unknown.
        let waits = run_queue_wait.zip(given.consumed.run_queue_wait);
        run_queue_wait = waits.map(|(sum, more)| sum + more);
        connections.opened += given.opened;
        connections.used += given.used;
        in_flight_at_end += given.in_flight;
        oldest_in_flight = oldest_in_flight.max(given.oldest_in_flight);
    }
    connections.reopened = record.reopened;
    kept.sort_by_key(|(sent, _)| *sent);
    let (sent, good, failed) = record.totals();
    let first_failures = record.take_first_failures();
    LoadOutcome {
        started: timeline.started,
        window_from: timeline.window_from,
        window: timeline.window_to.since(timeline.window_from),
        counts: record.window_counts(),
        sent,
        good,
        failed,
        in_flight_at_end,
        oldest_in_flight,
        service: record.service,
        tenths: record.tenths,
        connections,
        generator: GeneratorHealth {
            backend: BACKEND.to_owned(),
            threads,
            cpu,
            run_queue_wait,
        },
        kept: kept.into_iter().map(|(_, exchange)| exchange).collect(),
        first_failures,
    }
}
