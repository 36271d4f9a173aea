//! Starting a contender and waiting for its first right answer.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, ToSocketAddrs as _};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use faceoff_record::{
    ContenderName, Contract, Figure, Managed, Nanos, PortChoice, Service, Transport, Violation,
};
use rand::RngExt as _;

use super::log::LogMark;
use crate::cancel::Cancelled;
use crate::config::fill_port;
use crate::host::{is_free, now};
use crate::keep::{Exit, Keeper, KeeperError};
use crate::lab::Lab;
use crate::verify::{self, NotYet};

/// How often a contender is asked whether it is ready. A refused connection on the loopback costs
/// microseconds, so this sets the resolution of the start-up time.
const POLL: Duration = Duration::from_millis(1);

/// How long complete but wrong answers are put up with, in case the contender is still preparing.
const WRONG_PATIENCE: Duration = Duration::from_secs(1);

/// How long one attempt waits for an answer, and at least, near the end of the time.
const PATIENCE: Duration = Duration::from_secs(2);
const LEAST_PATIENCE: Duration = Duration::from_millis(50);

/// The largest length of a variable that only shifts the start of the stack: layout luck then
/// differs between launches instead of favouring one contender throughout (Mytkowicz et al.,
/// ASPLOS 2009).
const LARGEST_PADDING: usize = 4_096;

/// A contender that answers.
pub(crate) struct Launched {
    pub(crate) keeper: Option<Keeper>,
    pub(crate) address: SocketAddr,
    pub(crate) start_up: Figure<Nanos>,
    pub(super) log: Option<LogMark>,
}

/// Why a contender did not come to answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LaunchError {
    /// The user asked to end.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// It could not be started, or its keeper is gone.
    #[error(transparent)]
    Keeper(#[from] KeeperError),
    /// Its fixed port is taken.
    #[error("port {0} is taken by another process; a contender with a fixed port needs it free")]
    PortTaken(u16),
    /// There is no free port.
    #[error("no free port was found outside the range of outgoing connections")]
    NoPort,
    /// Its command has a bad template.
    #[error("its command cannot be filled in: {0}")]
    BadCommand(String),
    /// It ended.
    #[error("it ended with {exit} before it answered; {tail}")]
    Died {
        /// How.
        exit: Exit,
        /// The end of its log.
        tail: String,
    },
    /// It answers, but its first process has ended.
    #[error(
        "its first process ended with {exit} while it answers; a server must stay in the \
         foreground, so leave out what makes it a daemon; {tail}"
    )]
    WentToBackground {
        /// How.
        exit: Exit,
        /// The end of its log.
        tail: String,
    },
    /// It accepts connections, but elsewhere.
    #[error(
        "it listens on {}, not on port {port}; use the port given in `PORT` or as {{port}}, \
         on 127.0.0.1 or ::1; {tail}", list(.found)
    )]
    ListensElsewhere {
        /// Where it listens.
        found: Vec<SocketAddr>,
        /// Where it should.
        port: u16,
        /// The end of its log.
        tail: String,
    },
    /// Nothing came.
    #[error("no answer on port {port} within {within} ({last}); {tail}")]
    NoAnswer {
        /// The port.
        port: u16,
        /// How long it was waited.
        within: Nanos,
        /// What the last try gave.
        last: String,
        /// The end of its log.
        tail: String,
    },
    /// Its answers are wrong.
    #[error("its first answer is wrong: {}", .0.problem)]
    Wrong(Box<Violation>),
    /// The address of a running contender is of no use.
    #[error("{url} cannot be resolved: {reason}")]
    BadAddress {
        /// The address.
        url: String,
        /// Why.
        reason: String,
    },
}

fn list(addresses: &[SocketAddr]) -> String {
    let texts: Vec<_> = addresses.iter().map(SocketAddr::to_string).collect();
    texts.join(" and ")
}

/// Starts a contender of ours.
pub(super) fn start(
    name: &ContenderName,
    managed: &Managed,
    transport: &Transport,
    lab: &mut Lab,
    contract: &Contract,
) -> Result<Launched, LaunchError> {
    let port = choose_port(managed.port, lab)?;
    let log = lab.log_of(name.as_str());
    let mark = LogMark::end_of(&log);
    let env = environment(managed, port, lab);
    let order = lab.order(managed, fill(&managed.command, port)?, env, log.clone());
    let keeper = Keeper::launch(&lab.programs.keep, &order)?;
    let mut waiting = Waiting {
        keeper: Some(keeper),
        port,
        log: &mark,
        within: managed.ready_within,
        lab,
    };
    let address = waiting
        .until(|address, patience| verify::answers(address, transport, contract, patience))?;
    let ready = now();
    let keeper = waiting.in_the_foreground()?;
    Ok(Launched {
        start_up: Figure::Known(ready.since(keeper.started)),
        keeper: Some(keeper),
        address,
        log: Some(mark),
    })
}

/// Starts a service and waits until it is ready; gives its keeper and its address.
pub(crate) fn launch_service(
    service: &Service,
    lab: &mut Lab,
) -> Result<(Keeper, SocketAddr), LaunchError> {
    let managed = &service.managed;
    let port = choose_port(managed.port, lab)?;
    let log = lab.log_of(&format!("service-{}", service.name));
    let mark = LogMark::end_of(&log);
    let env = environment(managed, port, lab);
    let mut order = lab.order(managed, fill(&managed.command, port)?, env, log.clone());
    order.cores = lab.cores.runner().to_vec();
    let keeper = Keeper::launch(&lab.programs.keep, &order)?;
    let mut waiting = Waiting {
        keeper: Some(keeper),
        port,
        log: &mark,
        within: managed.ready_within,
        lab,
    };
    let address = waiting.until(|address, patience| match &service.ready {
        Some(path) => verify::succeeds(address, path, patience),
        None => TcpStream::connect(address)
            .map(drop)
            .map_err(|_| NotYet::NobodyListens),
    })?;
    Ok((waiting.in_the_foreground()?, address))
}

/// Finds a contender that runs already.
pub(super) fn find(
    url: &str,
    transport: &Transport,
    lab: &Lab,
    contract: &Contract,
) -> Result<Launched, LaunchError> {
    let bad = |reason: String| LaunchError::BadAddress {
        url: url.to_owned(),
        reason,
    };
    let authority = url
        .split_once("://")
        .map_or(url, |(_, authority)| authority);
    let has_port = authority
        .rsplit_once(':')
        .is_some_and(|(_, port)| !port.is_empty() && port.chars().all(|c| c.is_ascii_digit()));
    let authority = if has_port {
        authority.to_owned()
    } else {
        let port = match transport {
            Transport::Tcp => 80,
            Transport::Tls { .. } => 443,
        };
        format!("{authority}:{port}")
    };
    let addresses: Vec<SocketAddr> = authority
        .to_socket_addrs()
        .map_err(|error| bad(error.to_string()))?
        .filter(|address| address.ip().is_loopback())
        .collect();
    let mut last = NotYet::NobodyListens;
    for address in &addresses {
        lab.cancel.check()?;
        match lab.cancel.during(
            || verify::answers(*address, transport, contract, PATIENCE),
            || (),
        )? {
            Ok(()) => {
                return Ok(Launched {
                    keeper: None,
                    address: *address,
                    start_up: Figure::absent("it was running already"),
                    log: None,
                });
            }
            // Whoever answers on one address says more than silence on another.
            Err(NotYet::NobodyListens) => {}
            Err(not_yet) => last = not_yet,
        }
    }
    match last {
        NotYet::Wrong(violation) => Err(LaunchError::Wrong(violation)),
        NotYet::NobodyListens => Err(bad("nobody listens there".to_owned())),
        NotYet::NoAnswer(reason) => Err(bad(reason)),
    }
}

/// A started process that is not ready yet.
struct Waiting<'a> {
    /// Taken when it is given up or ready.
    keeper: Option<Keeper>,
    port: u16,
    log: &'a LogMark,
    within: Nanos,
    lab: &'a Lab,
}

impl Waiting<'_> {
    /// Asks again and again until somebody answers right; gives the address where.
    fn until(
        &mut self,
        attempt: impl Fn(SocketAddr, Duration) -> Result<(), NotYet> + Sync,
    ) -> Result<SocketAddr, LaunchError> {
        let candidates = [
            SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), self.port),
            SocketAddr::new(IpAddr::V6(Ipv6Addr::LOCALHOST), self.port),
        ];
        let deadline = Instant::now() + Duration::from(self.within);
        let mut wrong_since = None;
        let mut last = NotYet::NobodyListens;
        loop {
            for address in candidates {
                let left = deadline.saturating_duration_since(Instant::now());
                let patience = left.clamp(LEAST_PATIENCE, PATIENCE);
                let (cancel, keeper) = (&self.lab.cancel, &mut self.keeper);
                // Whoever waits for an answer is woken by the contender's end.
                match cancel.during(|| attempt(address, patience), || *keeper = None)? {
                    Ok(()) => return Ok(address),
                    // Whoever answers on one address says more than silence on another.
                    Err(NotYet::NobodyListens) => {}
                    Err(NotYet::Wrong(violation)) => {
                        let since = *wrong_since.get_or_insert_with(Instant::now);
                        if since.elapsed() >= WRONG_PATIENCE {
                            return Err(LaunchError::Wrong(violation));
                        }
                        last = NotYet::Wrong(violation);
                    }
                    Err(no_answer) => last = no_answer,
                }
            }
            if let Some(exit) = self.keeper()?.exit()? {
                let tail = self.tail();
                return Err(LaunchError::Died { exit, tail });
            }
            if Instant::now() >= deadline {
                return Err(self.gave_up(last));
            }
            std::thread::sleep(POLL);
        }
    }

    /// The keeper of a contender that is ready. A first process that has ended meanwhile has left
    /// a daemon behind, whose life nobody could follow.
    fn in_the_foreground(mut self) -> Result<Keeper, LaunchError> {
        if let Some(exit) = self.keeper()?.exit()? {
            let tail = self.tail();
            return Err(LaunchError::WentToBackground { exit, tail });
        }
        self.keeper.take().ok_or_else(|| Cancelled.into())
    }

    /// It is gone only when the user asked to end.
    fn keeper(&mut self) -> Result<&mut Keeper, Cancelled> {
        self.keeper.as_mut().ok_or(Cancelled)
    }

    fn gave_up(&mut self, last: NotYet) -> LaunchError {
        let last = match last {
            NotYet::Wrong(violation) => return LaunchError::Wrong(violation),
            NotYet::NoAnswer(reason) => reason,
            NotYet::NobodyListens => "connection refused".to_owned(),
        };
        let keeper = self.keeper.as_mut();
        let found = keeper
            .and_then(|keeper| keeper.listening().ok())
            .unwrap_or_default();
        let (port, tail) = (self.port, self.tail());
        if found.is_empty() || found.iter().any(|address| address.port() == port) {
            let within = self.within;
            return LaunchError::NoAnswer {
                port,
                within,
                last,
                tail,
            };
        }
        LaunchError::ListensElsewhere { found, port, tail }
    }

    fn tail(&self) -> String {
        self.log.tail()
    }
}

fn choose_port(choice: PortChoice, lab: &mut Lab) -> Result<u16, LaunchError> {
    match choice {
        PortChoice::Fresh => lab.ports.free().ok_or(LaunchError::NoPort),
        PortChoice::Fixed(port) if is_free(port) => Ok(port),
        PortChoice::Fixed(port) => Err(LaunchError::PortTaken(port)),
    }
}

fn environment(managed: &Managed, port: u16, lab: &Lab) -> BTreeMap<String, String> {
    let padding = rand::rng().random_range(0..LARGEST_PADDING);
    let mut env = managed.env.clone();
    env.extend(lab.addresses.clone());
    env.insert("PORT".to_owned(), port.to_string());
    env.insert("FACEOFF_PADDING".to_owned(), "x".repeat(padding));
    env
}

/// Fills `{port}` into a command; `{{` and `}}` stand for braces.
fn fill(command: &[String], port: u16) -> Result<Vec<String>, LaunchError> {
    command
        .iter()
        .map(|word| fill_port(word, port).map_err(LaunchError::BadCommand))
        .collect()
}

/// The program that a command starts, where it is a file of the contender's.
pub(super) fn program_file(managed: &Managed) -> Option<PathBuf> {
    let program = managed.command.first()?;
    program.contains('/').then(|| managed.folder.join(program))
}

#[cfg(test)]
mod tests;
