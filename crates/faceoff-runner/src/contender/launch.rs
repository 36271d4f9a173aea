//! Starting a contender and waiting for its first right answer.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpStream, ToSocketAddrs as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use faceoff_record::{
    ContenderName, Contract, Figure, Managed, Nanos, PortChoice, Service, Violation,
};
use rand::RngExt as _;

use super::log;
use crate::cancel::Cancelled;
use crate::host::{is_free, now};
use crate::keep::{Exit, Keeper, KeeperError};
use crate::lab::Lab;
use crate::verify::{self, NotYet};

/// How often a contender is asked whether it is ready. A refused connection on the loopback costs
/// microseconds, so this sets the resolution of the start-up time.
const POLL: Duration = Duration::from_millis(1);

/// How long complete but wrong answers are put up with, in case the contender is still preparing.
const WRONG_PATIENCE: Duration = Duration::from_secs(1);

/// The largest length of a variable that only shifts the start of the stack: layout luck then
/// differs between launches instead of favouring one contender throughout (Mytkowicz et al.,
/// ASPLOS 2009).
const LARGEST_PADDING: usize = 4_096;

/// A contender that answers.
pub(crate) struct Launched {
    pub(crate) keeper: Option<Keeper>,
    pub(crate) address: SocketAddr,
    pub(crate) start_up: Figure<Nanos>,
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
    lab: &mut Lab,
    contract: &Contract,
) -> Result<Launched, LaunchError> {
    let port = choose_port(managed.port, lab)?;
    let log = lab.log_of(name.as_str());
    let from = log::length(&log);
    let env = environment(managed, port, lab);
    let order = lab.order(managed, fill(&managed.command, port)?, env, log.clone());
    let keeper = Keeper::launch(&lab.programs.keep, &order)?;
    let mut waiting = Waiting {
        keeper,
        port,
        log: &log,
        log_from: from,
        within: managed.ready_within,
        lab,
    };
    let address = waiting.until(|address| verify::answers(address, contract))?;
    let start_up = Figure::Known(now().since(waiting.keeper.started));
    Ok(Launched {
        keeper: Some(waiting.keeper),
        address,
        start_up,
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
    let from = log::length(&log);
    let env = environment(managed, port, lab);
    let mut order = lab.order(managed, fill(&managed.command, port)?, env, log.clone());
    order.cores = lab.cores.runner().to_vec();
    let keeper = Keeper::launch(&lab.programs.keep, &order)?;
    let mut waiting = Waiting {
        keeper,
        port,
        log: &log,
        log_from: from,
        within: managed.ready_within,
        lab,
    };
    let address = waiting.until(|address| match &service.ready {
        Some(path) => verify::succeeds(address, path),
        None => TcpStream::connect(address)
            .map(drop)
            .map_err(|_| NotYet::NobodyListens),
    })?;
    Ok((waiting.keeper, address))
}

/// Finds a contender that runs already.
pub(super) fn find(url: &str, lab: &Lab, contract: &Contract) -> Result<Launched, LaunchError> {
    let bad = |reason: String| LaunchError::BadAddress {
        url: url.to_owned(),
        reason,
    };
    let authority = url.strip_prefix("http://").unwrap_or(url);
    let has_port = authority
        .rsplit_once(':')
        .is_some_and(|(_, port)| !port.is_empty() && port.chars().all(|c| c.is_ascii_digit()));
    let authority = if has_port {
        authority.to_owned()
    } else {
        format!("{authority}:80")
    };
    let addresses: Vec<SocketAddr> = authority
        .to_socket_addrs()
        .map_err(|error| bad(error.to_string()))?
        .filter(|address| address.ip().is_loopback())
        .collect();
    let mut last = NotYet::NobodyListens;
    for address in &addresses {
        lab.cancel.check()?;
        match verify::answers(*address, contract) {
            Ok(()) => {
                return Ok(Launched {
                    keeper: None,
                    address: *address,
                    start_up: Figure::absent("it was running already"),
                });
            }
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
    keeper: Keeper,
    port: u16,
    log: &'a Path,
    log_from: u64,
    within: Nanos,
    lab: &'a Lab,
}

impl Waiting<'_> {
    /// Asks again and again until somebody answers right; gives the address where.
    fn until(
        &mut self,
        attempt: impl Fn(SocketAddr) -> Result<(), NotYet>,
    ) -> Result<SocketAddr, LaunchError> {
        let candidates = [
            SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), self.port),
            SocketAddr::new(IpAddr::V6(Ipv6Addr::LOCALHOST), self.port),
        ];
        let deadline = Instant::now() + self.within.into();
        let mut wrong_since = None;
        let mut last = "connection refused".to_owned();
        loop {
            for address in candidates {
                self.lab.cancel.check()?;
                match attempt(address) {
                    Ok(()) => return Ok(address),
                    Err(NotYet::NobodyListens) => {}
                    Err(NotYet::NoAnswer(reason)) => last = reason,
                    Err(NotYet::Wrong(violation)) => {
                        let since = *wrong_since.get_or_insert_with(Instant::now);
                        if since.elapsed() >= WRONG_PATIENCE {
                            return Err(LaunchError::Wrong(violation));
                        }
                        last = violation.problem;
                    }
                }
            }
            if let Some(exit) = self.keeper.exit()? {
                let tail = self.tail();
                return Err(LaunchError::Died { exit, tail });
            }
            if Instant::now() >= deadline {
                return Err(self.gave_up(last));
            }
            std::thread::sleep(POLL);
        }
    }

    fn gave_up(&mut self, last: String) -> LaunchError {
        let found = self.keeper.listening().unwrap_or_default();
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
        log::tail(self.log, self.log_from)
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
        .map(|word| fill_word(word, port).map_err(LaunchError::BadCommand))
        .collect()
}

fn fill_word(word: &str, port: u16) -> Result<String, String> {
    let mut filled = String::new();
    let mut rest = word;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, brace) = rest.split_at(at);
        filled.push_str(before);
        if let Some(after) = brace.strip_prefix("{port}") {
            filled.push_str(&port.to_string());
            rest = after;
        } else if brace.starts_with("{{") || brace.starts_with("}}") {
            filled.push_str(&brace[..1]);
            rest = &brace[2..];
        } else {
            return Err(format!(
                "`{word}`: only {{port}} is known; write {{{{ and }}}} for braces"
            ));
        }
    }
    filled.push_str(rest);
    Ok(filled)
}

/// The program that a command starts, where it is a file of the contender's.
pub(super) fn program_file(managed: &Managed) -> Option<PathBuf> {
    let program = managed.command.first()?;
    program.contains('/').then(|| managed.folder.join(program))
}

#[cfg(test)]
mod tests {
    use super::fill_word;

    #[test]
    fn the_port_is_filled_in_and_braces_can_be_escaped() {
        let cases = [
            ("--port={port}", Some("--port=8080")),
            ("plain", Some("plain")),
            ("{{\"port\": {port}}}", Some("{\"port\": 8080}")),
            ("{prot}", None),
            ("}", None),
        ];
        for (word, filled) in cases {
            assert_eq!(fill_word(word, 8080).ok().as_deref(), filled, "{word}");
        }
    }
}
