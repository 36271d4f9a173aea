use std::ffi::OsString;
use std::time::{Duration, Instant};

use faceoff_record::{
    ConnectionUse, GeneratorNotice, Load, LoadOrder, LoadOutcome, Nanos, Target, Timing, Transport,
};

use super::{Generator, GeneratorError};
use crate::cancel::Cancel;
use crate::testing::{Scene, eventually, outcome, planned};

fn order() -> LoadOrder {
    LoadOrder {
        target: Target {
            address: "127.0.0.1:1".parse().unwrap(),
            host: "127.0.0.1:1".to_owned(),
            transport: Transport::Tcp,
        },
        load: Load::Closed { connections: 1 },
        connection_use: ConnectionUse::KeepAlive,
        timing: Timing {
            warm_up: Nanos::ZERO,
            window: Nanos::from_millis(1),
            grace: Nanos::ZERO,
            timeout: Nanos::from_millis(1),
        },
        requests: vec![planned("/", "value")],
        keep_exchanges: 0,
        cores: vec![0],
    }
}

/// A generator that is a line of shell; in `$loading`, `$done` and `$failed` it finds what it may
/// say.
fn start(script: &str) -> Result<Generator, GeneratorError> {
    let loading = GeneratorNotice::Loading {
        window_from: Nanos(1),
        window_to: Nanos(2),
    };
    let failed = GeneratorNotice::Failed {
        reason: "no connection".to_owned(),
    };
    let notices = [
        ("loading", loading),
        ("done", GeneratorNotice::Done(outcome())),
        ("failed", failed),
    ];
    let says: String = notices
        .iter()
        .map(|(name, notice)| format!("{name}='{}'\n", serde_json::to_string(notice).unwrap()))
        .collect();
    let words = [
        "sh",
        "-c",
        &format!("{says}say() {{ printf '%s\\n' \"$1\"; }}\n{script}"),
    ];
    Generator::start(&words.map(OsString::from), &order())
}

/// A whole load; and that no process is left when it is over, whatever came of it.
fn load(script: &str) -> Result<LoadOutcome, String> {
    let mut generator = start(script).map_err(|error| error.to_string())?;
    let pid = generator.process.id();
    let cancel = Cancel::default();
    let result = generator
        .loading(&cancel)
        .and_then(|window| {
            assert_eq!(window, (Nanos(1), Nanos(2)));
            generator.outcome(&cancel)
        })
        .map_err(|error| error.to_string());
    assert!(!lives(pid), "{script}");
    result
}

fn lives(pid: u32) -> bool {
    std::path::Path::new(&format!("/proc/{pid}")).exists()
}

#[test]
fn the_outcome_is_what_the_generator_says() {
    let read = "read order; say \"$loading\"; say \"$done\"";
    assert_eq!(load(read), Ok(outcome()));
    // One that does not end by itself is ended.
    assert_eq!(load(&format!("{read}; exec sleep 600")), Ok(outcome()));
}

#[test]
fn the_order_is_one_line_that_the_generator_can_read() {
    let scene = Scene::new();
    let path = scene.folder().join("order.json");
    let script = format!(
        "read order; printf '%s' \"$order\" > {}; say \"$failed\"",
        path.display()
    );
    load(&script).unwrap_err();
    let written = std::fs::read(&path).unwrap();
    assert_eq!(
        serde_json::from_slice::<LoadOrder>(&written).unwrap(),
        order()
    );
}

#[test]
fn a_load_without_an_outcome_is_told_with_its_reason() {
    let failed = "the generator could not carry out the load: no connection";
    let lost = |reason: &str| format!("the generator process gave no outcome ({reason})");
    let cases = [
        ("read order; say \"$failed\"", failed.to_owned()),
        (
            "read order; say \"$loading\"; say \"$failed\"",
            failed.to_owned(),
        ),
        ("read order", lost("it ended")),
        ("read order; say \"$loading\"", lost("it ended")),
        (
            "read order; say \"$loading\"; kill -KILL $$",
            lost("it ended"),
        ),
        ("read order; say \"$done\"", lost("it never loaded")),
        (
            "read order; say \"$loading\"; say \"$loading\"",
            lost("it loaded twice"),
        ),
    ];
    for (script, expected) in cases {
        assert_eq!(load(script).unwrap_err(), expected, "{script}");
    }
}

#[test]
fn a_generator_that_talks_nonsense_is_told_from_one_that_ended() {
    for nonsense in ["hello", "{}", "{\"done\":5}", "\\377"] {
        let script = format!("read order; printf '{nonsense}\\n'; exec sleep 600");
        let error = load(&script).unwrap_err();
        let start = "the generator process gave no outcome (it said something else: ";
        assert!(error.starts_with(start), "{error}");
    }
}

#[test]
fn a_generator_that_does_not_exist_is_told_so() {
    let error = Generator::start(&["/no/such/generator".into()], &order())
        .err()
        .unwrap();
    let start = "cannot start the generator process: No such file";
    assert!(error.to_string().starts_with(start), "{error}");
    assert!(matches!(
        Generator::start(&[], &order()),
        Err(GeneratorError::Lost(_))
    ));
}

#[test]
fn a_generator_that_hangs_is_given_up_at_its_deadline_and_killed() {
    for script in [
        "exec sleep 600",
        "read order; say \"$loading\"; exec sleep 600",
    ] {
        let mut generator = start(script).unwrap();
        assert!(generator.deadline > Instant::now() + super::SLACK - Duration::from_secs(5));
        let pid = generator.process.id();
        let cancel = Cancel::default();
        if script.contains("loading") {
            generator.loading(&cancel).unwrap();
        }
        generator.deadline = Instant::now();
        let error = generator.outcome(&cancel).unwrap_err();
        assert!(
            error.to_string().ends_with("(it did not end in time)"),
            "{error}"
        );
        assert!(!lives(pid));
    }
}

#[test]
fn a_wish_to_end_ends_the_wait_and_the_generator() {
    let mut generator = start("exec sleep 600").unwrap();
    let pid = generator.process.id();
    let cancel = Cancel::default();
    cancel.cancel();
    let error = generator.loading(&cancel).unwrap_err();
    assert!(matches!(error, GeneratorError::Cancelled(_)), "{error}");
    drop(generator);
    assert!(!lives(pid));
}

#[test]
fn a_process_that_ends_with_its_parent_does() {
    let scene = Scene::new();
    // The parent is killed only once its child has asked to end with it.
    let script = "FACEOFF_TEST_ROLE=end-with-parent $PLAY & wait";
    let keeper = scene.shell(script);
    scene.await_log("ready");
    assert_eq!(scene.alive(), 2);
    let parent = scene.logged("parent")[0];
    let parent = nix::unistd::Pid::from_raw(i32::try_from(parent).unwrap());
    nix::sys::signal::kill(parent, nix::sys::signal::Signal::SIGKILL).unwrap();
    eventually("the child ends too", || scene.alive() == 0);
    drop(keeper);
}
