//! The command line: help that teaches, and answers to what makes no sense.

use crate::harness::Place;

#[test]
fn every_command_has_help_with_examples() {
    let place = Place::beside_others();
    for (words, parts) in [
        (
            &["--help"][..],
            &["Examples:", "faceoff check", "Exit codes:"][..],
        ),
        (&["-h"], &["Examples:", "Usage: faceoff"]),
        (&["help"], &["Examples:", "Usage: faceoff"]),
        (
            &["run", "--help"],
            &["Examples:", "faceoff run suites/mine.toml --time 10m"],
        ),
        (&["help", "run"], &["Examples:", "--quick", "--seed"]),
        (
            &["check", "--help"],
            &["Examples:", "faceoff check --all", "--rule"],
        ),
        (&["list", "--help"], &["Example:", "faceoff list --json"]),
    ] {
        let ended = place.faceoff(words).expect_code(0);
        ended.shows(parts);
        assert_eq!(ended.stderr, "", "{words:?}");
        let mut commands = ended
            .stdout
            .lines()
            .filter_map(|line| line.split_whitespace().next());
        let internal = commands.find(|word| ["keep", "generate"].contains(word));
        assert_eq!(internal, None, "{words:?}: {ended}");
        for line in ended.stdout.lines() {
            assert!(line.chars().count() <= 100, "{line:?} is too long");
        }
    }
}

#[test]
fn the_version_is_told() {
    let place = Place::beside_others();
    let ended = place.faceoff(&["--version"]).expect_code(0);
    ended.shows(&[concat!("faceoff ", env!("CARGO_PKG_VERSION"))]);
}

#[test]
fn what_makes_no_sense_is_a_usage_error() {
    let place = Place::beside_others();
    for (words, parts) in [
        (
            &["chek"][..],
            &["unrecognized subcommand 'chek'", "check"][..],
        ),
        (
            &["run", "--quik"],
            &["unexpected argument '--quik'", "--quick"],
        ),
        (
            &["run", "--time", "10"],
            &["`10` has no unit; did you mean `10s`?"],
        ),
        (
            &["run", "--seed", "many"],
            &["invalid value 'many' for '--seed"],
        ),
        (
            &["check", "--all", "faceoff.toml"],
            &["cannot be used with"],
        ),
    ] {
        let ended = place.faceoff(words).expect_code(2);
        assert_eq!(ended.stdout, "", "{words:?}");
        ended.tells(parts);
    }
}

#[test]
fn one_folder_for_two_runs_is_a_usage_error() {
    let place = Place::beside_others();
    let words = ["run", "a.toml", "b.toml", "--out", "x"];
    let ended = place.faceoff(&words).expect_code(2);
    ended.tells(&["--out names the folder of one run"]);
}

#[test]
fn the_hidden_commands_end_when_nobody_talks_to_them() {
    let place = Place::beside_others();
    // Their input is empty.
    place.faceoff(&["keep"]).expect_code(0);
    place.faceoff(&["generate"]).expect_code(1);
    place.assert_nothing_is_left();
}
