//! What goes where: results on the standard output, everything else on the error stream, and
//! nothing that steers a terminal where there is none.

use std::fs::{self, File};
use std::process::Stdio;

use crate::harness::{Ended, Place, SHORT};

/// No character that a terminal obeys.
#[track_caller]
fn assert_plain(ended: &Ended) {
    for (stream, text) in [("result", &ended.stdout), ("error stream", &ended.stderr)] {
        let found = text.chars().find(|c| c.is_control() && *c != '\n');
        assert_eq!(found, None, "in the {stream} of {ended}");
    }
}

#[test]
fn a_check_shows_its_result_and_tells_its_progress() {
    let place = Place::beside_others();
    let (wrong, right) = ("ignores-id", "right");
    place.suite(&[
        SHORT,
        &place.contender(wrong, wrong),
        &place.contender(right, right),
    ]);
    let text = place.check(&[]).expect_code(3);
    assert_plain(&text);
    assert!(!text.stdout.contains("keeps the contract"), "{text}");
    text.tells(&["right keeps the contract of values"]);
    for line in text.stdout.lines() {
        assert!(line.chars().count() <= 100, "{line:?} is too long");
    }
    let json = place.check(&["--json"]).expect_code(3);
    assert_plain(&json);
    assert_eq!(json.json()["format"], 1);
}

#[test]
fn a_log_in_colour_does_not_steer_the_terminal() {
    let place = Place::beside_others();
    place.suite(&[SHORT, &place.contender("dies", "dies-at-start")]);
    let ended = place.check(&[]).expect_code(1);
    ended.tells(&["Exception: no such table: users"]);
    assert_plain(&ended);
}

#[test]
fn a_list_is_a_result() {
    let place = Place::beside_others();
    place.suite(&[SHORT, &place.contender("right", "right")]);
    let text = place.faceoff(&["list"]).expect_code(0);
    text.shows(&["faceoff.toml", "right", "values GET /api/values/{id}"]);
    assert_eq!(text.stderr, "");
    let json = place.faceoff(&["list", "--json"]).expect_code(0);
    assert!(json.json()["workloads"].is_array(), "{json}");
    assert_eq!(json.stderr, "");
    assert_eq!(place.events().len(), 0, "nothing was started");
}

#[test]
fn a_folder_that_exists_is_refused_and_nothing_in_it_changes() {
    let place = Place::beside_others();
    place.suite(&[SHORT, &place.contender("right", "right")]);
    place.write("run/record.json", "an older run");
    let ended = place.run(&[]);
    let ended = ended.expect_code(1);
    ended.tells(&["cannot write run: File exists"]);
    // Each cause once.
    assert_eq!(ended.stderr.matches("File exists").count(), 1, "{ended}");
    assert_eq!(ended.stdout, "");
    assert_eq!(place.read("run/record.json"), "an older run");
    assert_eq!(fs::read_dir(place.path("run")).unwrap().count(), 1);
    assert_eq!(place.events().len(), 0, "nothing was started");
}

#[test]
fn a_run_makes_a_new_folder_under_runs_where_none_is_named() {
    let place = Place::beside_others();
    let suite = [
        "name = \"My Suite!\"\n",
        SHORT,
        &place.contender("dies", "dies-at-start"),
    ];
    place.suite(&suite);
    for number in 1..=2 {
        let ended = place.faceoff(&["run", "./faceoff.toml"]).expect_code(1);
        let folders = fs::read_dir(place.path("runs")).unwrap();
        let mut names: Vec<_> = folders
            .map(|f| f.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names.len(), number, "{names:?}");
        let last = &names[number - 1];
        assert!(
            last.starts_with("20") && last.contains("Z-my-suite"),
            "{last}"
        );
        ended.tells(&[&format!("kept in runs/{last}")]);
        let record = faceoff_runner::read(&place.path("runs").join(last)).unwrap();
        assert_eq!(record.plan.suite, "My Suite!");
    }
}

#[test]
fn a_named_folder_is_made_with_those_above_it() {
    let place = Place::beside_others();
    place.suite(&[SHORT, &place.contender("dies", "dies-at-start")]);
    let words = ["run", "./faceoff.toml", "--out", "results/today/first"];
    place.faceoff(&words).expect_code(1);
    assert!(place.path("results/today/first/record.json").exists());
}

#[test]
fn a_result_that_cannot_be_printed_is_an_error_and_a_reader_that_leaves_is_none() {
    let place = Place::beside_others();
    place.suite(&[SHORT, &place.contender("right", "right")]);
    let output = |stdout: Stdio| {
        let mut command = place.command();
        command.args(["check", "./faceoff.toml"]).stdout(stdout);
        command.output().unwrap()
    };
    let full = File::options().write(true).open("/dev/full").unwrap();
    let ended = output(full.into());
    let stderr = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(1), "{stderr}");
    assert!(
        stderr.contains("cannot print the result: No space left"),
        "{stderr}"
    );

    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let ended = output(writer.into());
    assert_eq!(ended.status.code(), Some(0), "{ended:?}");
    place.assert_nothing_is_left();
}
