use std::ffi::OsString;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use super::{Exit, Keeper, KeeperError, LaunchOrder, TERM_PATIENCE};
use crate::testing::{Scene, all_cores, await_exit, eventually};

#[test]
fn a_contender_runs_in_its_folder_on_its_processors_with_nothing_to_read() {
    let scene = Scene::new();
    let cores = all_cores();
    let (first, last) = (cores[0], cores[cores.len() - 1]);
    let script = "echo folder $PWD; echo greeting $GREETING; echo input $(readlink /proc/$$/fd/0)
        echo group $(cut -d' ' -f5 /proc/$$/stat); echo pid $$; echo parent $PPID
        echo cores $(grep -h Cpus_allowed_list /proc/$$/status); echo error >&2
        echo keeper $(grep -h Cpus_allowed_list /proc/$PPID/task/*/status)";
    let mut order = scene.order(&["sh", "-c", script]);
    order.env.insert("GREETING".to_owned(), "hello".to_owned());
    (order.cores, order.keeper_cores) = (vec![last], vec![first]);
    let mut keeper = scene.launch(&order).unwrap();
    assert_eq!(await_exit(&mut keeper), Exit::Code(0));

    let log = scene.log();
    let said = |name: &str| {
        let line = log.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_else(|| panic!("no {name} in {log}")).trim()
    };
    let folder = scene.folder().canonicalize().unwrap();
    assert_eq!(PathBuf::from(said("folder")), folder);
    assert_eq!(said("greeting"), "hello");
    assert_eq!(said("input"), "/dev/null");
    assert_eq!(said("group"), said("pid"), "a process group of its own");
    assert_eq!(said("cores"), format!("Cpus_allowed_list: {last}"));
    // Its only working thread is the last; before it comes that of the test harness.
    let keeper_core = format!("Cpus_allowed_list: {first}");
    assert!(said("keeper").ends_with(&keeper_core), "{log}");
    assert!(log.contains("\nerror\n"), "{log}");
}

#[test]
fn the_log_of_an_earlier_launch_is_kept() {
    let scene = Scene::new();
    for word in ["first", "second"] {
        await_exit(&mut scene.shell(&format!("echo {word}")));
    }
    assert_eq!(scene.log(), "first\nsecond\n");
}

#[test]
fn the_start_is_stamped_between_the_order_and_the_first_sign_of_life() {
    let scene = Scene::new();
    let before = crate::host::now();
    let keeper = scene.shell("exec sleep 600");
    assert!(before <= keeper.started && keeper.started <= crate::host::now());
}

#[test]
fn how_the_first_process_ended_is_told_as_it_was() {
    let cases = [
        ("exit 0", Exit::Code(0), "exit code 0"),
        ("exit 3", Exit::Code(3), "exit code 3"),
        ("kill -TERM $$", Exit::Signal(15), "signal SIGTERM"),
        ("kill -KILL $$", Exit::Signal(9), "signal SIGKILL"),
        // Not that of a child, and not that of an orphan which ends later.
        (
            "(exit 5); sleep 0.01 & exit 4",
            Exit::Code(4),
            "exit code 4",
        ),
    ];
    for (script, expected, text) in cases {
        let exit = await_exit(&mut Scene::new().shell(script));
        assert_eq!((exit, exit.to_string().as_str()), (expected, text));
    }
    let mut running = Scene::new().shell("exec sleep 600");
    assert_eq!(running.exit().unwrap(), None);
}

#[test]
fn a_contender_is_asked_to_end_and_killed_only_if_it_does_not() {
    let stubborn = "trap '' TERM; echo ready; while :; do sleep 600; done";
    let plain = "echo ready; exec sleep 600";
    type Start = fn(&Scene, &str) -> Keeper;
    // How it is started, whether its end takes force, and what it says.
    let cases: [(Start, &str, bool, &str); 3] = [
        (Scene::shell, plain, false, "ready\n"),
        (Scene::play, "clean-up", false, "cleaned up\n"),
        (Scene::shell, stubborn, true, "ready\n"),
    ];
    for (start, what, forced, said) in cases {
        let scene = Scene::new();
        let keeper = start(&scene, what);
        scene.await_log("ready");
        let stopped = keeper.stop().unwrap();
        assert_eq!(
            (stopped.forced, stopped.died_before),
            (forced, None),
            "{what}"
        );
        assert_eq!(
            stopped.took >= TERM_PATIENCE.into(),
            forced,
            "{what}: {stopped:?}"
        );
        assert!(scene.log().contains(said), "{:?}", scene.log());
        assert_eq!(scene.alive(), 0, "{what}");
    }
}

#[test]
fn a_contender_that_was_gone_before_it_was_stopped_is_told_from_one_that_was_asked() {
    let scene = Scene::new();
    let mut keeper = scene.shell("exit 3");
    await_exit(&mut keeper);
    let stopped = keeper.stop().unwrap();
    assert!(!stopped.forced);
    assert_eq!(stopped.died_before, Some(Exit::Code(3)));
}

/// Process trees that do their best to survive, each with how many of its processes there are
/// at least once it says `ready`.
fn survivors() -> Vec<(&'static str, String, usize)> {
    let ignore = "trap '' TERM HUP INT";
    // Bounded, so that a failed test does not leave the machine busy for ever.
    let chain = "trap '' TERM HUP INT
        echo >> generations; [ $(wc -l < generations) -lt 20000 ] || exit
        [ $(wc -l < generations) = 20 ] && echo ready
        sh chain.sh &";
    vec![
        (
            "ignores signals",
            format!("{ignore}; echo ready; sleep 600; sleep 600"),
            2,
        ),
        (
            "two daemons in sessions of their own",
            "(setsid sh -c 'sleep 600 & echo ready; exec sleep 600' &); exit 0".to_owned(),
            2,
        ),
        (
            "orphans of orphans",
            format!(
                "{ignore}; ( ( (sleep 600 & sleep 600) & sleep 600) & echo ready ) & sleep 600"
            ),
            4,
        ),
        (
            "breeds",
            format!(
                "{ignore}; n=0; while [ $n -lt 300 ]; do n=$((n+1)); sleep 600 &
                [ $n = 50 ] && echo ready; done; sleep 600"
            ),
            50,
        ),
        (
            "is always another process",
            format!(
                "printf '%s\\n' \"{}\" > chain.sh; exec sh chain.sh",
                chain.replace('$', "\\$")
            ),
            1,
        ),
    ]
}

#[test]
fn stopping_ends_every_descendant() {
    // Side by side, since most of them let the keeper wait before it kills.
    std::thread::scope(|cases| {
        for (name, script, least) in survivors() {
            cases.spawn(move || {
                let scene = Scene::new();
                let keeper = scene.shell(&script);
                await_tree(&scene, least);
                keeper.stop().unwrap();
                assert_eq!(scene.alive(), 0, "{name}");
            });
        }
    });
}

#[test]
fn a_keeper_that_is_let_go_kills_every_descendant_before_it_ends() {
    for (name, script, least) in survivors() {
        let scene = Scene::new();
        let keeper = scene.shell(&script);
        await_tree(&scene, least);
        drop(keeper);
        assert_eq!(scene.alive(), 0, "{name}");
    }
}

#[test]
fn even_a_runner_that_is_killed_leaves_nothing_behind() {
    for (name, script, least) in survivors() {
        let scene = Scene::new();
        let mut runner = scene.runner(&scene.order(&["sh", "-c", &script]));
        let said = BufReader::new(runner.stdout.take().unwrap());
        assert!(said.lines().any(|line| line.unwrap() == "launched"));
        await_tree(&scene, least);
        runner.kill().unwrap();
        runner.wait().unwrap();
        eventually(name, || scene.alive() == 0);
    }
}

/// Waits until the tree stands. One that is always another process is between two at times.
fn await_tree(scene: &Scene, least: usize) {
    scene.await_log("ready");
    eventually("all its processes live", || scene.alive() >= least);
}

#[test]
fn what_cannot_be_started_is_told_with_its_reason() {
    let scene = Scene::new();
    let plain = scene.write("plain.txt", "no program");
    std::fs::set_permissions(&plain, PermissionsExt::from_mode(0o644)).unwrap();
    let folder = scene.folder().display().to_string();
    let order = |command: &[&str]| scene.order(command);
    let nowhere = scene.folder().join("nowhere");
    let missing = "No such file or directory";
    let sleep = || order(&["sleep", "600"]);
    let cases = [
        (
            order(&["no-such-program-anywhere", "x"]),
            format!("cannot start `no-such-program-anywhere` in {folder}: {missing}"),
        ),
        (
            order(&["./server"]),
            format!("cannot start `./server` in {folder}: {missing}"),
        ),
        (
            order(&["./plain.txt"]),
            format!("cannot start `./plain.txt` in {folder}: Permission denied"),
        ),
        (
            order(&["./"]),
            format!("cannot start `./` in {folder}: Permission denied"),
        ),
        (order(&[]), "the command is empty".to_owned()),
        (
            LaunchOrder {
                folder: nowhere.clone(),
                ..sleep()
            },
            format!("cannot enter the folder {folder}/nowhere: {missing}"),
        ),
        (
            LaunchOrder {
                folder: plain.clone(),
                ..sleep()
            },
            format!("cannot enter the folder {folder}/plain.txt: Not a directory"),
        ),
        (
            LaunchOrder {
                log: nowhere.join("a.log"),
                ..sleep()
            },
            format!("cannot write the log {folder}/nowhere/a.log: {missing}"),
        ),
        (
            LaunchOrder {
                cores: vec![1_000],
                ..sleep()
            },
            "cannot use processors [1000]: ".to_owned(),
        ),
        (
            LaunchOrder {
                cores: Vec::new(),
                ..sleep()
            },
            "cannot use processors []: ".to_owned(),
        ),
        (
            LaunchOrder {
                keeper_cores: vec![1_000],
                ..sleep()
            },
            "cannot use processors [1000]: ".to_owned(),
        ),
    ];
    for (order, expected) in cases {
        let Err(KeeperError::CannotStart(reason)) = scene.launch(&order) else {
            panic!("{order:?} was started");
        };
        assert!(
            reason.starts_with(&expected),
            "{reason}, expected {expected}"
        );
    }
    assert_eq!(scene.alive(), 0);
}

#[test]
fn a_keeper_that_is_none_is_told_with_its_reason() {
    let scene = Scene::new();
    let order = scene.order(&["sleep", "600"]);
    let cases: [(&[&str], &str); 5] = [
        (&[], "the keeper process is gone"),
        (
            &["/no/such/keeper"],
            "cannot start the keeper process: No such file",
        ),
        (
            &["sh", "-c", "read order"],
            "the keeper process is gone (it ended)",
        ),
        (
            &["sh", "-c", "read order; echo hello"],
            "the keeper process is gone (expected",
        ),
        (
            &["sh", "-c", "read order; echo '{\"listening\":[]}'"],
            "the keeper process is gone (it answered Listening",
        ),
    ];
    for (program, message) in cases {
        let program: Vec<_> = program.iter().map(OsString::from).collect();
        let error = Keeper::launch(&program, &order).err().unwrap().to_string();
        assert!(error.starts_with(message), "{error}");
    }
}
