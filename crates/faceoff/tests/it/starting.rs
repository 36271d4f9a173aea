//! Contenders that do not come to answer: each is out with its reason, and the others go on.

use crate::harness::{Place, SHORT, contender, one_line, text};

/// Name, words of the scripted server, and what the reason says.
const DEAD: &[(&str, &str, &[&str])] = &[
    (
        "dies-at-start",
        "dies-at-start",
        &[
            "it ended with exit code 3 before it answered",
            "its log ends:",
            "Exception: no such table: users",
            "at Database.open (app.js:12:7)",
        ],
    ),
    (
        "never-listens",
        "never-listens",
        &["no answer on port", "within 1.00 s", "its log is empty"],
    ),
    (
        "listens-elsewhere",
        "listens-elsewhere",
        &[
            "it listens on 127.0.0.1:",
            "use the port given in `PORT` or as {port}",
        ],
    ),
    ("hangs", "hangs", &["no answer on port", "its log ends:"]),
    (
        "cuts-short",
        "cuts-short",
        &["no answer on port", "its log ends:"],
    ),
    (
        "goes-to-the-background",
        // The other process comes too late to answer.
        "daemonizes --delay 500",
        &["it ended with exit code 0 before it answered"],
    ),
    (
        "is-killed",
        "is-killed",
        &["it ended with signal SIGKILL before it answered"],
    ),
    (
        "has-no-program",
        "has-no-program",
        &["cannot start `./no-such-program` in"],
    ),
];

fn suite(place: &Place) {
    let mut parts = vec![SHORT.to_owned()];
    for (name, words, _) in DEAD {
        parts.push(match *name {
            "is-killed" => commanded(name, "sh -c 'kill -KILL $$'"),
            "has-no-program" => commanded(name, "./no-such-program --port {port}"),
            _ => place.impatient(name, words),
        });
    }
    parts.push(place.contender("right", "right"));
    let parts: Vec<_> = parts.iter().map(String::as_str).collect();
    place.suite(&parts);
}

fn commanded(name: &str, command: &str) -> String {
    format!("\n[[contender]]\nname = \"{name}\"\ncommand = \"{command}\"\n")
}

#[test]
fn who_cannot_be_started_is_out_with_the_end_of_its_log_and_the_others_go_on() {
    let place = Place::beside_others();
    suite(&place);
    let ended = place.check(&["--json"]).expect_code(1);
    place.assert_nothing_is_left();
    let json = ended.json();
    for (name, _, parts) in DEAD {
        let dead = contender(&json, "values", name);
        assert_eq!(dead["verified"], false, "{dead:#}");
        assert_eq!(dead["result"], "refused", "{dead:#}");
        let reason = one_line(text(dead, "reason"));
        for part in *parts {
            assert!(reason.contains(part), "{name}: no {part:?} in {reason}");
        }
        ended.tells(&[&format!("{name} is out of values: ")]);
        ended.tells(parts);
    }
    let right = contender(&json, "values", "right");
    assert_eq!(right["verified"], true, "{right:#}");
    ended.tells(&["right keeps the contract of values"]);
}

#[test]
fn the_text_of_a_check_shows_the_reason_too() {
    let place = Place::beside_others();
    suite(&place);
    let options = ["--contender", "dies-at-start,right"];
    let ended = place.check(&options).expect_code(1);
    place.assert_nothing_is_left();
    ended.shows(&[
        "dies-at-start refused",
        "right ok, 31 answers",
        "refused dies-at-start: it ended with exit code 3 before it answered; its log ends:",
        "at Database.open (app.js:12:7)",
        "Those that do not give the right answers are left out of a run.",
    ]);
}

#[test]
fn a_server_that_never_answers_is_given_up_in_bounded_time() {
    let place = Place::beside_others();
    place.suite(&[SHORT, &place.impatient("hangs", "hangs")]);
    let ended = place.check(&[]).expect_code(1);
    assert!(ended.took.as_secs() < 10, "{ended}");
    place.assert_nothing_is_left();
}

#[test]
fn a_server_that_goes_to_the_background_is_refused_by_a_check_even_if_it_serves() {
    let place = Place::beside_others();
    place.suite(&[SHORT, &place.contender("daemon", "daemonizes-late")]);
    let ended = place.check(&["--json"]).expect_code(1);
    place.assert_nothing_is_left();
    let json = ended.json();
    let daemon = contender(&json, "values", "daemon");
    assert!(text(daemon, "reason").contains("exit code 0"), "{daemon:#}");
}

#[test]
fn a_suite_in_the_present_folder_starts_its_contenders_there() {
    let place = Place::beside_others();
    place.suite(&[SHORT, &place.contender("right", "right")]);
    // As the quick start has it: no suite is named.
    place.faceoff(&["check"]).expect_code(0);
    place.faceoff(&["check", "faceoff.toml"]).expect_code(0);
}
