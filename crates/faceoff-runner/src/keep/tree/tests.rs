//! Readings of real processes. No figure is compared with a clock on the wall: each child says
//! what it used by its own clock, and the tree must agree.

use std::time::Duration;

use faceoff_record::{Nanos, TreeUsage};
use nix::sys::stat::Mode;
use nix::unistd::mkfifo;

use super::TreeMemory;
use crate::keep::Keeper;
use crate::testing::{Scene, await_exit, eventually};

/// What a process may use after it last read its clock: to say the figure, to end, to be waited
/// for.
const ENDING: Duration = Duration::from_millis(4);

/// `/proc/PID/stat` counts user and system time in whole ticks of 10 ms each.
const TICKS: Duration = Duration::from_millis(20);

/// The shell that starts the children, from its own start on.
const SHELL: Duration = Duration::from_millis(10);

/// Whether a reading is what the children said they used, but for 1 % and these allowances.
fn assert_near(reading: Nanos, said: &[u64], less: Duration, more: Duration) {
    let said = Nanos(said.iter().sum());
    let percent = Nanos(said.0 / 100);
    let (low, high) = (said - percent - less.into(), said + percent + more.into());
    assert!(
        low <= reading && reading <= high,
        "read {reading}, the children said {said}: not from {low} to {high}"
    );
}

/// Whether both sources tell the same, as a ratio.
fn assert_sources_agree(usage: &TreeUsage, processes: u32) {
    let ratio = usage.cpu_by_stat.as_secs_f64() / usage.cpu.as_secs_f64();
    let slack = TICKS.as_secs_f64() * f64::from(processes) / usage.cpu.as_secs_f64();
    assert!((ratio - 1.0).abs() <= slack, "{ratio} by {usage:?}");
}

#[test]
fn the_cpu_time_of_a_child_is_the_same_by_every_clock_while_it_lives_and_after() {
    for (role, ended) in [("burn 200 stay", false), ("burn 200", true)] {
        let scene = Scene::new();
        let mut keeper = scene.play(role);
        if ended {
            await_exit(&mut keeper);
        } else {
            scene.await_log("used");
        }
        let usage = keeper.usage().unwrap();
        let said = scene.logged("used");
        assert!(said[0] >= 200_000_000, "{said:?}");
        assert_near(usage.cpu, &said, Duration::ZERO, ENDING);
        assert_near(usage.cpu_by_stat, &said, TICKS, TICKS);
        assert_sources_agree(&usage, 1);
        assert_eq!(usage.processes, u32::from(!ended));
    }
}

#[test]
fn the_cpu_time_of_workers_is_complete_when_one_has_ended_midway_and_when_all_have() {
    let scene = Scene::new();
    let fifo = scene.folder().join("go");
    mkfifo(&fifo, Mode::S_IRWXU).unwrap();
    // The shell waits for the one, and leaves the others to the keeper: it would wait for several
    // by turning in circles, which is CPU time that nobody speaks of.
    let script =
        "for i in 1 2 3; do FACEOFF_TEST_ROLE='burn 100 stay' $PLAY & all=\"$all $!\"; done
        FACEOFF_TEST_ROLE='burn 100' $PLAY; echo one ended
        read go < go; kill $all; exit 0";
    let mut keeper = scene.shell(script);
    scene.await_log("one ended");
    eventually("all four said it", || scene.logged("used").len() == 4);
    let said = scene.logged("used");

    // The ended one is in the shell's account of waited-for children, which counts in ticks.
    let midway = keeper.usage().unwrap();
    assert_eq!(midway.processes, 4, "the shell and three workers");
    assert_near(midway.cpu, &said, TICKS, SHELL + 4 * ENDING);
    assert_near(midway.cpu_by_stat, &said, 5 * TICKS, SHELL + 4 * ENDING);
    assert_sources_agree(&midway, 5);

    std::fs::write(&fifo, "go\n").unwrap();
    let mut ended = midway.clone();
    eventually("all have ended", || {
        ended = keeper.usage().unwrap();
        ended.processes == 0
    });
    assert_near(ended.cpu, &said, Duration::ZERO, SHELL + 4 * ENDING);
    assert_sources_agree(&ended, 5);
    assert!(ended.cpu >= midway.cpu && ended.read_at > midway.read_at);
}

#[test]
fn a_daemon_counts_although_it_has_detached_itself() {
    let scene = Scene::new();
    let script = "(FACEOFF_TEST_ROLE='burn 100 stay' setsid $PLAY &); exit 0";
    let mut keeper = scene.shell(script);
    scene.await_log("used");
    await_exit(&mut keeper);
    let usage = keeper.usage().unwrap();
    assert_eq!(usage.processes, 1);
    assert_near(
        usage.cpu,
        &scene.logged("used"),
        Duration::ZERO,
        SHELL + ENDING,
    );
    assert_sources_agree(&usage, 2);
}

#[test]
fn the_keeper_itself_counts_for_nobody() {
    let scene = Scene::new();
    let mut keeper = scene.play("burn 20 stay");
    scene.await_log("used");
    let before = keeper.usage().unwrap();
    // Costs the keeper some hundred milliseconds in an unoptimised build.
    for _ in 0..200 {
        keeper.usage().unwrap();
        keeper.memory().unwrap();
    }
    let grown = keeper.usage().unwrap().cpu - before.cpu;
    assert!(grown <= ENDING.into(), "{grown}");
}

fn sizes(keeper: &mut Keeper) -> (f64, f64) {
    let TreeMemory {
        pss_bytes,
        peak_bytes,
    } = keeper.memory().unwrap();
    let mebibytes = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    (
        mebibytes(*pss_bytes.known().unwrap()),
        mebibytes(*peak_bytes.known().unwrap()),
    )
}

#[test]
fn memory_that_forked_processes_share_counts_once() {
    let scene = Scene::new();
    for name in ["fork", "never"] {
        mkfifo(&scene.folder().join(name), Mode::S_IRWXU).unwrap();
    }
    // Sixteen bytes doubled 22 times are 64 MiB.
    let script = "x=0123456789abcdef; i=0; while [ $i -lt 22 ]; do x=$x$x; i=$((i+1)); done
        echo grown; read go < fork
        for i in 1 2 3; do (echo forked; read never < never) & done; wait";
    let mut keeper = scene.shell(script);
    scene.await_log("grown");
    let (alone, peak_alone) = sizes(&mut keeper);
    assert!(alone >= 64.0 && peak_alone >= 64.0, "{alone} MiB");
    std::fs::write(scene.folder().join("fork"), "go\n").unwrap();
    eventually("all are forked", || {
        scene.log().matches("forked").count() == 3
    });
    let (shared, peak) = sizes(&mut keeper);
    assert_eq!(keeper.usage().unwrap().processes, 4);
    assert!(
        (0.98..1.1).contains(&(shared / alone)),
        "{alone} became {shared} MiB"
    );
    // As the record says of it: the sum of the processes' own peaks.
    assert!(peak > 3.0 * 64.0, "{peak} MiB");
}

#[test]
fn a_spike_that_is_over_is_in_the_peak_and_not_in_the_present_size() {
    let scene = Scene::new();
    let mut keeper = scene.play("spike 64");
    scene.await_log("spiked");
    let (present, peak) = sizes(&mut keeper);
    assert!(present < 32.0 && peak >= 64.0, "{present} and {peak} MiB");
}

#[test]
fn a_tree_without_a_process_has_no_size_rather_than_none() {
    let mut keeper = Scene::new().shell("exit 0");
    await_exit(&mut keeper);
    let TreeMemory {
        pss_bytes,
        peak_bytes,
    } = keeper.memory().unwrap();
    for figure in [pss_bytes, peak_bytes] {
        assert_eq!(figure.reason(), Some("the contender has no process left"));
    }
}

#[test]
fn the_addresses_on_which_any_descendant_listens_are_found() {
    for address in ["127.0.0.1:0", "0.0.0.0:0", "[::1]:0"] {
        let scene = Scene::new();
        let script = format!("(FACEOFF_TEST_ROLE='listen {address}' setsid $PLAY &); exit 0");
        let mut keeper = scene.shell(&script);
        scene.await_log("port");
        let port = scene.logged("port")[0];
        let found: Vec<_> = keeper
            .listening()
            .unwrap()
            .iter()
            .map(ToString::to_string)
            .collect();
        let expected = address.strip_suffix('0').unwrap();
        assert_eq!(found, [format!("{expected}{port}")]);
    }
    let mut deaf = Scene::new().shell("exec sleep 600");
    assert_eq!(deaf.listening().unwrap(), []);
}
