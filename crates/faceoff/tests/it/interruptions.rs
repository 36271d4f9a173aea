//! Ctrl-C, other signals, and sudden death, at every moment of a run.

use std::time::Duration;

use faceoff_record::Ending;
use nix::sys::signal::Signal;

use crate::harness::{Place, Running, SHORT, STEADY, contender, until};

/// What was started must be gone by then: two seconds are granted to a contender that does not
/// want to end, the rest to a busy machine.
const SOON: Duration = Duration::from_secs(5);

/// How a run is ended from outside.
#[derive(Clone, Copy, Debug)]
enum End {
    CtrlC,
    Signal(Signal),
}

const ENDS: [End; 3] = [
    End::CtrlC,
    End::Signal(Signal::SIGTERM),
    End::Signal(Signal::SIGKILL),
];

impl End {
    fn strike(self, running: &Running) {
        match self {
            Self::CtrlC => running.ctrl_c(),
            Self::Signal(signal) => running.signal(signal),
        }
    }

    const fn is_sudden(self) -> bool {
        matches!(self, Self::Signal(Signal::SIGKILL))
    }
}

/// Ends a run and checks what must hold at any moment.
fn end(place: &Place, running: Running, how: End) {
    how.strike(&running);
    if how.is_sudden() {
        drop(running);
        place.assert_nothing_is_left_soon();
        assert_eq!(place.record().ending, Ending::Unfinished);
    } else {
        running.end_within(SOON).expect_code(130);
        place.assert_nothing_is_left();
        assert_eq!(place.record().ending, Ending::Interrupted, "{how:?}");
    }
    let record = place.record();
    assert_eq!(
        record.samples.len() + record.failures.len(),
        place.sample_lines(),
        "{how:?}"
    );
}

/// A build that goes on until it is ended, beside something that it started.
fn endless_build(place: &Place) -> String {
    let build = "sleep 600 & setsid sleep 600 & echo compiling; touch building; sleep 600";
    place.contender("built", "right") + &format!("build = \"{build}\"\nshell = true\n")
}

#[test]
fn a_run_can_be_ended_in_the_middle_of_a_build() {
    for how in ENDS {
        let place = Place::beside_others();
        place.suite(&[SHORT, &endless_build(&place)]);
        let running = place.start_run(&[]);
        until("the build", Duration::from_secs(30), || {
            place.path("building").exists().then_some(())
        });
        end(&place, running, how);
    }
}

#[test]
fn a_run_can_be_ended_while_a_contender_does_not_listen() {
    for how in ENDS {
        let place = Place::beside_others();
        let service = format!(
            "\n[[service]]\nname = \"upstream\"\ncommand = \"{}\"\naddress-in = \"UPSTREAM\"\n",
            place.server("upstream", "right --port {port}")
        );
        place.suite(&[SHORT, &place.contender("silent", "never-listens"), &service]);
        let running = place.start_run(&[]);
        place.wait_for("alive", 1);
        assert_eq!(place.count("started"), 1, "the service runs");
        end(&place, running, how);
    }
}

#[test]
fn a_run_can_be_ended_while_the_first_answer_is_waited_for() {
    for how in ENDS {
        let place = Place::beside_others();
        place.suite(&[SHORT, &place.contender("hangs", "hangs")]);
        let running = place.start_run(&[]);
        place.wait_for("failing", 1);
        end(&place, running, how);
    }
}

#[test]
fn a_run_can_be_ended_while_a_contender_is_verified() {
    for how in ENDS {
        let place = Place::beside_others();
        place.suite(&[SHORT, &place.contender("hangs", "hangs --after 5")]);
        let running = place.start_run(&[]);
        place.wait_for("failing", 1);
        end(&place, running, how);
    }
}

#[test]
fn a_run_can_be_ended_in_the_middle_of_a_slice() {
    for how in ENDS {
        let place = Place::alone();
        let parts = ["one", "two"].map(|name| place.contender(name, STEADY));
        place.suite(&[SHORT, &parts.concat()]);
        let running = place.start_run(&["--time", "60s"]);
        place.wait_for_a_slice();
        end(&place, running, how);
        assert!(!place.record().samples.is_empty(), "{how:?}");
    }
}

#[test]
fn a_run_can_be_ended_even_if_its_contenders_do_not_want_to_end() {
    for how in ENDS {
        let place = Place::alone();
        let parts = ["ignores-sigterm", "double-forks", "leaves-child"];
        let parts = parts.map(|mode| place.contender(mode, &format!("{mode} --work 20000")));
        place.suite(&[SHORT, &parts.concat()]);
        let running = place.start_run(&["--time", "60s"]);
        // The load of the first pilot.
        place.wait_for("loaded", 1);
        end(&place, running, how);
    }
}

#[test]
fn what_was_measured_until_ctrl_c_is_shown() {
    let place = Place::alone();
    let parts = ["one", "two"].map(|name| place.contender(name, STEADY));
    place.suite(&[SHORT, &parts.concat()]);
    let running = place.start_run(&["--time", "60s", "--json"]);
    place.wait_for_a_slice();
    running.ctrl_c();
    let ended = running.end_within(SOON).expect_code(130);
    place.assert_nothing_is_left();
    let json = ended.json();
    assert_eq!(json["ending"]["state"], "interrupted");
    let first = place.record().samples[0].slice.contender.clone();
    let first = contender(&json, "values", first.as_str());
    assert!(
        first["throughput"]["value"].as_f64() > Some(0.0),
        "{first:#}"
    );
    ended.tells(&["kept in run"]);
}

#[test]
fn a_check_is_interrupted_too() {
    for how in [End::CtrlC, End::Signal(Signal::SIGTERM)] {
        let place = Place::beside_others();
        place.suite(&[SHORT, &place.contender("silent", "never-listens")]);
        let running = place.start_check(&["--json"]);
        place.wait_for("alive", 1);
        how.strike(&running);
        let ended = running.end_within(SOON).expect_code(130);
        place.assert_nothing_is_left();
        let json = ended.json();
        assert_eq!(json["ending"]["state"], "interrupted");
        let silent = contender(&json, "values", "silent");
        assert_eq!(silent["result"], "not_checked", "{silent:#}");
    }
}
