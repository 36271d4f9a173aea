//! Limits of the process.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Raises the number of files this process may have open towards `wanted`, as far as it is
/// allowed to without privilege, and says how many it may have now (nothing: as many as it wants).
///
/// A limit that stays too low is no error here: opening a socket fails then, and that failure
/// carries its own reason.
pub fn allow_open_files(wanted: u64) -> Option<u64> {
    let limit = getrlimit(Resource::Nofile);
    let current = limit.current?;
    if current >= wanted {
        return Some(current);
    }
    let reachable = limit
        .maximum
        .map_or(wanted, |maximum| maximum.min(wanted))
        .max(current);
    let raised = Rlimit {
        current: Some(reachable),
        maximum: limit.maximum,
    };
    match setrlimit(Resource::Nofile, raised) {
        Ok(()) => Some(reachable),
        Err(_) => Some(current),
    }
}

#[cfg(test)]
mod tests {
    use super::allow_open_files;

    #[test]
    fn the_limit_of_open_files_is_never_lowered() {
        let before = allow_open_files(0);
        assert_eq!(allow_open_files(1), before);
        let raised = allow_open_files(u64::MAX);
        assert!(before.is_none() || raised >= before);
    }
}
