//! What the generator is asked to do, and what it gives back.

use std::collections::BTreeMap;
use std::fmt;
use std::net::SocketAddr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Exchange, Histogram, Nanos, PlannedRequest, Request};

/// The load model, with exactly the data that belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "model", rename_all = "snake_case")]
pub enum Load {
    /// Each connection sends its next request when its answer is complete.
    Closed {
        /// How many connections are kept busy.
        connections: u32,
    },
}

impl Load {
    /// How many connections the load opens at most.
    #[must_use]
    pub const fn connections(self) -> u32 {
        match self {
            Self::Closed { connections } => connections,
        }
    }
}

/// How long one connection is used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConnectionUse {
    /// Until the server closes it (HTTP/1.1 keep-alive).
    #[default]
    KeepAlive,
    /// For one request, which asks for `Connection: close`.
    OneRequest,
}

/// Where a load goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Target {
    /// The address to connect to.
    pub address: SocketAddr,
    /// The value of the `Host` header, for example `127.0.0.1:18080` or `[::1]:18080`.
    pub host: String,
    /// What carries the requests.
    #[serde(default)]
    pub transport: Transport,
}

impl Target {
    /// A server at `address`. The `Host` header names the address; with TLS it names the server as
    /// the handshake does, since servers may refuse a request whose two names differ.
    #[must_use]
    pub fn new(address: SocketAddr, transport: Transport) -> Self {
        let host = match &transport {
            Transport::Tcp => address.to_string(),
            Transport::Tls { server_name } => format!("{server_name}:{}", address.port()),
        };
        Self {
            address,
            host,
            transport,
        }
    }
}

/// What carries requests and answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    /// Plain TCP.
    #[default]
    Tcp,
    /// TLS over TCP. The certificate is not verified: contenders run on this machine, and most have
    /// one that they signed themselves.
    Tls {
        /// The name asked for in the handshake (SNI).
        server_name: String,
    },
}

/// The stretches of one load, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Timing {
    /// Load that is not measured, first.
    #[serde(rename = "warm_up_ns")]
    pub warm_up: Nanos,
    /// The measured window: answers that complete in it are counted.
    #[serde(rename = "window_ns")]
    pub window: Nanos,
    /// How long requests in flight at the end of the window may still take before they are
    /// abandoned and reported as in flight.
    #[serde(rename = "grace_ns")]
    pub grace: Nanos,
    /// After how long a single request is given up as a failure.
    #[serde(rename = "timeout_ns")]
    pub timeout: Nanos,
}

/// All that the generator needs to load one address once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoadOrder {
    /// Where the load goes.
    pub target: Target,
    /// The load model.
    pub load: Load,
    /// How long each connection is used.
    pub connection_use: ConnectionUse,
    /// Warm-up, window, grace and timeout.
    pub timing: Timing,
    /// The requests, sent in this order and again from the first. Connections begin spread over
    /// the list, so that they do not ask the same thing at once.
    pub requests: Vec<PlannedRequest>,
    /// How many whole exchanges, spread over the window, are kept for checking.
    pub keep_exchanges: u32,
    /// The processors to run on, one thread on each.
    pub cores: Vec<u32>,
}

/// What the generator says before its outcome, one JSON object a line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(
    clippy::large_enum_variant,
    reason = "two values a slice; a box would only make the messages harder to read"
)]
pub enum GeneratorNotice {
    /// All connections were tried and the load runs. Both instants are of the monotonic clock.
    Loading {
        /// When the measured window begins.
        #[serde(rename = "window_from_ns")]
        window_from: Nanos,
        /// When it ends.
        #[serde(rename = "window_to_ns")]
        window_to: Nanos,
    },
    /// The load is over; nothing follows.
    Done(LoadOutcome),
    /// The load could not be carried out; nothing follows.
    Failed {
        /// What went wrong.
        reason: String,
    },
}

/// The class of a failed request. Each request is in exactly one class, or good, or in flight at
/// the end.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// Nobody listened.
    ConnectRefused,
    /// The connection could not be made within the timeout.
    ConnectTimeout,
    /// The connection could not be made for another reason.
    ConnectOther,
    /// The TLS handshake failed, or what came after it broke the protocol.
    TlsFailed,
    /// The connection was reset before the answer was complete.
    Reset,
    /// The server closed the connection before the answer was complete.
    ClosedEarly,
    /// The answer was not complete within the timeout.
    Timeout,
    /// The answer was not HTTP/1 or its framing contradicted itself.
    Malformed,
    /// The answer's status code was not an expected one.
    WrongStatus,
    /// The answer's body was not the expected one.
    WrongBody,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ConnectRefused => "connection refused",
            Self::ConnectTimeout => "connection timed out",
            Self::ConnectOther => "connection failed",
            Self::TlsFailed => "TLS failed",
            Self::Reset => "connection reset",
            Self::ClosedEarly => "closed before the answer was complete",
            Self::Timeout => "timed out",
            Self::Malformed => "malformed answer",
            Self::WrongStatus => "wrong status",
            Self::WrongBody => "wrong body",
        })
    }
}

/// The first failed exchange of a class, so that "92 errors" can be understood.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct FailedExchange {
    /// The class.
    pub failure: Failure,
    /// The request.
    pub request: Request,
    /// What happened: the system's error, or the beginning of the answer.
    pub detail: String,
}

/// What completed inside the measured window.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WindowCounts {
    /// Right answers.
    pub good: u64,
    /// Failures by class.
    pub failed: BTreeMap<Failure, u64>,
    /// Bytes received, heads and framing included, and with TLS as they were on the wire.
    pub bytes_in: u64,
    /// Bytes sent, counted in the same way.
    pub bytes_out: u64,
}

/// Connections over the whole load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ConnectionCounts {
    /// How many the load asked for.
    pub asked: u32,
    /// How many were established at the beginning of the load.
    pub opened: u32,
    /// How many of the asked ones completed at least one right answer in the window.
    pub used: u32,
    /// How often one was opened again, because the server or the load's own rule had closed it.
    pub reopened: u64,
}

/// What the generator knows about its own condition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GeneratorHealth {
    /// How it reached the kernel.
    pub backend: String,
    /// How many threads generated load, each on its own processor.
    pub threads: u32,
    /// CPU time of those threads within the window.
    #[serde(rename = "cpu_ns")]
    pub cpu: Nanos,
    /// How long those threads, ready to run, waited for a processor within the window, all
    /// together; absent where the kernel does not tell.
    #[serde(rename = "run_queue_wait_ns")]
    pub run_queue_wait: Option<Nanos>,
}

/// What one load gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LoadOutcome {
    /// When the first request was sent, on the monotonic clock.
    #[serde(rename = "started_ns")]
    pub started: Nanos,
    /// When the window began, on the monotonic clock.
    #[serde(rename = "window_from_ns")]
    pub window_from: Nanos,
    /// How long the window really was.
    #[serde(rename = "window_ns")]
    pub window: Nanos,
    /// What completed inside the window.
    pub counts: WindowCounts,
    /// Requests sent over the whole load: `sent = good + failed + in flight at the end`, where a
    /// failed attempt to connect is a failed request too.
    pub sent: u64,
    /// Right answers over the whole load.
    pub good: u64,
    /// Failures over the whole load.
    pub failed: u64,
    /// Requests that were neither answered nor failed when the grace was over.
    pub in_flight_at_end: u64,
    /// The age of the oldest of them.
    #[serde(rename = "oldest_in_flight_ns")]
    pub oldest_in_flight: Option<Nanos>,
    /// Service time (first byte written to last byte read) of the right answers in the window.
    pub service: Histogram,
    /// Right answers in each tenth of a second since the load started, warm-up included.
    pub tenths: Vec<u32>,
    /// Connections.
    pub connections: ConnectionCounts,
    /// The condition of the generator itself.
    pub generator: GeneratorHealth,
    /// Whole exchanges kept for checking.
    pub kept: Vec<Exchange>,
    /// The first failed exchange of each class.
    pub first_failures: Vec<FailedExchange>,
}
