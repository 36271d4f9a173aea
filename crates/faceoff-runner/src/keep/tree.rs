//! The keeper's descendants: what they consume, where they listen, and their end.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use faceoff_record::{Figure, Nanos, TreeUsage};
use nix::errno::Errno;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{Signal, kill};
use nix::sys::time::TimeValLike as _;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::time::{ClockId, clock_gettime};
use nix::unistd::Pid;
use procfs::net::{TcpState, tcp, tcp6};
use procfs::process::{FDTarget, Process, Stat};

use super::messages::{Exit, TreeMemory};
use crate::host::now;

/// How long the end of killed processes is waited for.
const KILL_PATIENCE: Duration = Duration::from_secs(5);

/// All live descendants of this process, parents before children.
fn descendants() -> Vec<Process> {
    let mut found = Vec::new();
    let mut parents = vec![Process::myself()];
    while let Some(parent) = parents.pop() {
        for child in parent.iter().flat_map(children) {
            parents.push(Process::new(child));
            found.extend(Process::new(child));
        }
    }
    found
}

fn children(parent: &Process) -> Vec<i32> {
    let listed: Option<Vec<i32>> = parent.tasks().ok().map(|tasks| {
        tasks
            .flatten()
            .filter_map(|task| task.children().ok())
            .flatten()
            .filter_map(|pid| i32::try_from(pid).ok())
            .collect()
    });
    match listed {
        Some(listed) if !listed.is_empty() => listed,
        // Some kernels do not list children; then every process is asked for its parent.
        _ if !std::path::Path::new("/proc/thread-self/children").exists() => {
            let all = procfs::process::all_processes()
                .into_iter()
                .flatten()
                .flatten();
            all.filter(|process| process.stat().is_ok_and(|stat| stat.ppid == parent.pid))
                .map(|process| process.pid)
                .collect()
        }
        _ => Vec::new(),
    }
}

/// CPU time since the launch. The keeper itself does not count.
///
/// Ended processes are in the keeper's own account of waited-for children, in microseconds; live
/// ones are read from their CPU clock, and what they waited for from `/proc/PID/stat`.
pub(super) fn usage() -> TreeUsage {
    let read_at = now();
    let (mut cpu, mut cpu_by_stat) = (reaped_cpu(), stat_of_reaped());
    let live = descendants();
    for process in &live {
        let Ok(stat) = process.stat() else { continue };
        let waited_for =
            ticks(stat.cutime.max(0).unsigned_abs() + stat.cstime.max(0).unsigned_abs());
        cpu_by_stat += own_ticks(&stat) + waited_for;
        cpu += process_clock(process.pid).unwrap_or_else(|| own_ticks(&stat)) + waited_for;
    }
    TreeUsage {
        read_at,
        cpu,
        cpu_by_stat,
        processes: u32::try_from(live.len()).unwrap_or(u32::MAX),
    }
}

fn process_clock(pid: i32) -> Option<Nanos> {
    let clock = ClockId::pid_cpu_clock_id(Pid::from_raw(pid)).ok()?;
    let time = clock_gettime(clock).ok()?;
    Some(Nanos::from(Duration::from(time)))
}

fn reaped_cpu() -> Nanos {
    getrusage(UsageWho::RUSAGE_CHILDREN)
        .map(|usage| {
            let micros =
                usage.user_time().num_microseconds() + usage.system_time().num_microseconds();
            Nanos(micros.max(0).unsigned_abs() * 1_000)
        })
        .unwrap_or(Nanos::ZERO)
}

fn stat_of_reaped() -> Nanos {
    let stat = Process::myself().and_then(|me| me.stat());
    stat.map_or(Nanos::ZERO, |stat| {
        ticks(stat.cutime.max(0).unsigned_abs() + stat.cstime.max(0).unsigned_abs())
    })
}

fn own_ticks(stat: &Stat) -> Nanos {
    ticks(stat.utime + stat.stime)
}

fn ticks(count: u64) -> Nanos {
    Nanos(count * (1_000_000_000 / procfs::ticks_per_second().max(1)))
}

/// Memory of the live descendants.
pub(super) fn memory() -> TreeMemory {
    let live = descendants();
    if live.is_empty() {
        return TreeMemory {
            pss_bytes: Figure::absent("the contender has no process left"),
            peak_bytes: Figure::absent("the contender has no process left"),
        };
    }
    TreeMemory {
        pss_bytes: sum(
            &live,
            proportional_size,
            "the kernel does not show smaps_rollup",
        ),
        peak_bytes: sum(&live, peak_size, "the kernel does not show VmHWM"),
    }
}

/// The sum over all processes that still live; absent as soon as one cannot be read.
fn sum(live: &[Process], size: impl Fn(&Process) -> Option<u64>, reason: &str) -> Figure<u64> {
    let mut total = 0;
    for process in live {
        match size(process) {
            Some(bytes) => total += bytes,
            // Zombies and those that ended meanwhile have no memory.
            None if !has_memory(process) => {}
            None => return Figure::absent(reason),
        }
    }
    Figure::Known(total)
}

fn has_memory(process: &Process) -> bool {
    process.stat().is_ok_and(|stat| stat.rss > 0)
}

fn proportional_size(process: &Process) -> Option<u64> {
    let rollup = process.smaps_rollup().ok()?;
    let maps = rollup.memory_map_rollup;
    maps.iter()
        .map(|map| map.extension.map.get("Pss").copied())
        .sum()
}

fn peak_size(process: &Process) -> Option<u64> {
    // Kilobytes of 1,024 bytes.
    Some(process.status().ok()?.vmhwm? * 1_024)
}

/// The addresses on which the descendants accept TCP connections.
pub(super) fn listening() -> Vec<SocketAddr> {
    let sockets: HashSet<u64> = descendants()
        .iter()
        .filter_map(|process| process.fd().ok())
        .flatten()
        .flatten()
        .filter_map(|fd| match fd.target {
            FDTarget::Socket(inode) => Some(inode),
            _ => None,
        })
        .collect();
    let entries = [tcp(), tcp6()].into_iter().flatten().flatten();
    let mut addresses: Vec<_> = entries
        .filter(|entry| entry.state == TcpState::Listen && sockets.contains(&entry.inode))
        .map(|entry| entry.local_address)
        .collect();
    addresses.sort();
    addresses.dedup();
    addresses
}

/// Takes note of all children that have ended, adopted orphans included, so that none stays a
/// zombie.
pub(super) fn reap() -> Vec<(Pid, Exit)> {
    let mut ended = Vec::new();
    loop {
        match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::Exited(pid, code)) => ended.push((pid, Exit::Code(code))),
            Ok(WaitStatus::Signaled(pid, signal, _)) => {
                ended.push((pid, Exit::Signal(signal as i32)));
            }
            Ok(WaitStatus::StillAlive) | Err(_) => return ended,
            Ok(_) => {}
        }
    }
}

/// Kills every descendant and waits for the end of each.
///
/// Killing goes on until the kernel says that no child is left: a process that forks meanwhile
/// leaves children that become the keeper's own, and the next round finds them.
pub(super) fn kill_all() {
    // One that this user may not kill (it changed its user) would be waited for in vain.
    let give_up = Instant::now() + KILL_PATIENCE;
    while Instant::now() < give_up {
        for process in descendants() {
            // It may have ended since it was listed.
            let _ = kill(Pid::from_raw(process.pid), Signal::SIGKILL);
        }
        reap();
        if waitpid(None, Some(WaitPidFlag::WNOHANG)) == Err(Errno::ECHILD) {
            return;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[cfg(test)]
mod tests;
