//! What this machine is and has. Each concern that only Linux answers has a module of its own.

mod cores;
mod environment;
mod open_files;
mod ports;
mod steal;
mod toolchain;

use std::collections::BTreeMap;
use std::net::IpAddr;

use faceoff_record::{CorePlan, Nanos, Warning};

pub(crate) use cores::pin_to;
pub(crate) use environment::environment;
pub(crate) use ports::{PortPool, is_free};
pub(crate) use steal::StealMeter;

/// The machine as far as a plan depends on it.
#[derive(Clone, Debug)]
pub struct Host {
    /// The processors this program may use, those of one physical core beside each other.
    cores: Vec<Vec<u32>>,
    /// The limit on open files.
    pub open_files: u64,
    /// The toolchains asked for, with the version of those that are here.
    toolchains: BTreeMap<String, Option<String>>,
    /// What is not as it should be.
    pub warnings: Vec<Warning>,
}

impl Host {
    /// Looks at this machine: its processors, limits, and the toolchains with these names.
    #[must_use]
    pub fn look<'a>(toolchains: impl IntoIterator<Item = &'a str>) -> Self {
        let cores = cores::allowed();
        Self {
            warnings: environment::doubts(&cores),
            cores,
            open_files: open_files::raise(),
            toolchains: toolchains
                .into_iter()
                .map(|name| (name.to_owned(), toolchain::version(name)))
                .collect(),
        }
    }

    /// Divides the processors, with so many for the contender, or half of them; nothing where
    /// none is left for the generator.
    #[must_use]
    pub fn split_cores(&self, for_contender: Option<usize>) -> Option<CorePlan> {
        cores::split(&self.cores, for_contender)
    }

    /// The versions of the needed toolchains.
    ///
    /// # Errors
    ///
    /// What is missing or too old, as a reason to leave a contender out.
    pub fn meet(
        &self,
        needs: &BTreeMap<String, String>,
    ) -> Result<BTreeMap<String, String>, String> {
        let mut found = BTreeMap::new();
        let mut missing = Vec::new();
        for (name, least) in needs {
            match self.toolchains.get(name).and_then(Option::as_ref) {
                None => missing.push(format!("needs {name} {least}, which is not installed")),
                Some(version) if toolchain::is_older(version, least) => {
                    missing.push(format!("needs {name} {least}, but {version} is installed"));
                }
                Some(version) => {
                    found.insert(name.clone(), version.clone());
                }
            }
        }
        if missing.is_empty() {
            Ok(found)
        } else {
            Err(missing.join("; "))
        }
    }

    /// The toolchains that are here, with their versions.
    pub(crate) fn toolchains(&self) -> impl Iterator<Item = (&str, &str)> {
        self.toolchains
            .iter()
            .filter_map(|(name, version)| Some((name.as_str(), version.as_deref()?)))
    }

    /// All processors that this program may use.
    pub(crate) fn all_cores(&self) -> Vec<u32> {
        let mut all: Vec<u32> = self.cores.iter().flatten().copied().collect();
        all.sort_unstable();
        all
    }
}

#[cfg(test)]
impl Host {
    /// A machine that a test makes up: so many processors, each a core of its own, and the
    /// toolchains that are here.
    pub(crate) fn imagined(cores: u32, open_files: u64, toolchains: &[(&str, &str)]) -> Self {
        let here = toolchains.iter();
        Self {
            cores: (0..cores).map(|core| vec![core]).collect(),
            open_files,
            toolchains: here
                .map(|(name, version)| ((*name).to_owned(), Some((*version).to_owned())))
                .collect(),
            warnings: Vec::new(),
        }
    }
}

/// The present instant of the monotonic clock.
pub(crate) fn now() -> Nanos {
    use nix::time::{ClockId, clock_gettime};
    // The monotonic clock exists on every Linux; a system without it could measure nothing.
    clock_gettime(ClockId::CLOCK_MONOTONIC)
        .map(|time| Nanos::from(std::time::Duration::from(time)))
        .unwrap_or(Nanos::ZERO)
}

/// Whether a URL's host is this machine.
pub(crate) fn is_local(url: &str) -> bool {
    let authority = url
        .split_once("://")
        .map_or(url, |(_, authority)| authority);
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.chars().all(|c| c.is_ascii_digit()) => host,
        _ => authority,
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::is_local;

    #[test]
    fn only_addresses_of_this_machine_are_local() {
        for url in [
            "http://127.0.0.1:80",
            "http://[::1]:8080",
            "http://localhost",
            "https://localhost:8443",
            "http://127.9.9.9:1",
        ] {
            assert!(is_local(url), "{url}");
        }
        for url in [
            "http://10.0.0.1:80",
            "http://example.org",
            "http://[fe80::1]:80",
            "http://127.0.0.1.x:80",
        ] {
            assert!(!is_local(url), "{url}");
        }
    }
}
