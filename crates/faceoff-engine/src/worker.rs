//! One thread of the generator: its processor, its share of the connections, its loop.
//!
//! A worker opens its connections, reports that it is ready, waits for the instant that is common
//! to all workers, and then turns the loop until the load is over. It shares nothing with the
//! others in between.

use std::sync::mpsc::{Receiver, Sender};

use faceoff_io::{Slot, Sockets, clock, thread};
use faceoff_record::{LoadOrder, Nanos};

use crate::exchange::{Exchanges, Yield};
use crate::run::EngineError;
use crate::send::Prepared;
use crate::stop::Timeline;
use crate::tls::Setup;

/// How many connections a worker makes at a time before the load begins. A server with a short
/// listen queue drops what exceeds it, and the kernel asks again only after a second; at a few at
/// a time a thousand connections still take some tens of milliseconds.
const OPENED_AT_ONCE: u32 = 8;

/// Which part of the order a worker carries out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Share {
    /// Which worker, from 0.
    pub(crate) worker: u32,
    /// Of how many.
    pub(crate) workers: u32,
    /// Its processor.
    pub(crate) core: u32,
    /// The number of its first connection among those of the load.
    pub(crate) first: u32,
    /// How many connections it has.
    pub(crate) connections: u32,
}

/// The shares of an order: one for each processor, as equal as can be, and none without a
/// connection.
pub(crate) fn shares(order: &LoadOrder) -> Vec<Share> {
    let total = order.load.connections();
    let cores = u32::try_from(order.cores.len()).unwrap_or(u32::MAX);
    let workers = cores.min(total);
    let mut first = 0;
    let cores = order.cores.iter().copied();
    (0..workers)
        .zip(cores)
        .map(|(worker, core)| {
            let connections = total / workers + u32::from(worker < total % workers);
            let share = Share {
                worker,
                workers,
                core,
                first,
                connections,
            };
            first += connections;
            share
        })
        .collect()
}

/// Carries out a share, by TLS where there is a setup for it. `ready` is told when the connections
/// are made or have failed, `start` tells when the load begins; nothing comes of it if that never
/// happens.
pub(crate) fn work(
    order: &LoadOrder,
    requests: &[Prepared<'_>],
    tls: Option<&Setup>,
    share: Share,
    ready: &Sender<()>,
    start: &Receiver<Timeline>,
) -> Result<Option<Yield>, EngineError> {
    let core = share.core;
    thread::pin_to(core).map_err(|source| EngineError::Pin { core, source })?;
    let mut sockets = Sockets::new(share.connections).map_err(EngineError::Sockets)?;
    let sessions = tls.map(|setup| setup.sessions(share.connections));
    let mut exchanges = Exchanges::new(order, requests, sessions, share);

    open_all(&mut sockets, &mut exchanges, share, order.timing.timeout)?;
    let opened = exchanges.idle();
    if ready.send(()).is_err() {
        return Ok(None);
    }
    let Ok(timeline) = start.recv() else {
        return Ok(None);
    };
    wait_until(&mut sockets, &mut exchanges, timeline.started)?;
    exchanges.start(&mut sockets, timeline, now());
    loop {
        exchanges.expire(&mut sockets, now());
        if exchanges.is_over() {
            return Ok(Some(exchanges.finish(opened, now())));
        }
        // Each event brings its own reading of the clock, so nothing is due before the turn says
        // that an instant has come, and no reading is spent on finding that out.
        while !turn(&mut sockets, &mut exchanges)? && !exchanges.is_over() {}
    }
}

/// Opens the connections. It takes two time-outs at most; those that were not even tried by then
/// are opened when the load begins.
fn open_all<'o>(
    sockets: &mut Sockets<'o>,
    exchanges: &mut Exchanges<'o>,
    share: Share,
    timeout: Nanos,
) -> Result<(), EngineError> {
    let give_up = now() + timeout;
    let mut slots = (0..share.connections).map(Slot);
    loop {
        let now = now();
        exchanges.expire(sockets, now);
        while exchanges.connecting() < OPENED_AT_ONCE
            && now < give_up
            && let Some(slot) = slots.next()
        {
            exchanges.open(sockets, slot, now);
        }
        if exchanges.connecting() == 0 {
            return Ok(());
        }
        turn(sockets, exchanges)?;
    }
}

/// Waits, and takes note of connections that end meanwhile.
fn wait_until<'o>(
    sockets: &mut Sockets<'o>,
    exchanges: &mut Exchanges<'o>,
    instant: Nanos,
) -> Result<(), EngineError> {
    while now() < instant {
        sockets
            .turn(Some(instant.0), &mut |sockets, slot, event| {
                exchanges.on_event(sockets, slot, event);
            })
            .map_err(EngineError::Sockets)?;
    }
    Ok(())
}

/// Lets events happen until something else is due, and says whether it may be.
fn turn<'o>(sockets: &mut Sockets<'o>, exchanges: &mut Exchanges<'o>) -> Result<bool, EngineError> {
    let until = exchanges.wake_at().0;
    sockets
        .turn(Some(until), &mut |sockets, slot, event| {
            exchanges.on_event(sockets, slot, event);
        })
        .map_err(EngineError::Sockets)
}

fn now() -> Nanos {
    Nanos(clock::now())
}
