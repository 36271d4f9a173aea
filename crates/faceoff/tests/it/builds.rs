//! Building, and not building again.

use crate::harness::{Ended, Place, SHORT, contender, one_line, scripted_server, text};

/// A contender in the folder `mine`: its build copies the program and leaves a mark outside.
fn suite(place: &Place) {
    let build = format!(
        "cp '{}' bin/server && echo built >> ../builds",
        scripted_server().display()
    );
    let folder = "mine/contender.toml";
    place.write("mine/bin/.keep", "");
    place.write("mine/main.src", "one");
    place.write("outside.lock", "one");
    place.write(
        folder,
        format!(
            "name = \"mine\"\nshell = true\nbuild = \"{build}\"\ninputs = [\"../outside.lock\"]\n\
             command = \"exec ./bin/server right --port {{port}}\"\n"
        ),
    );
    place.suite(&[SHORT, "[[contender]]\nfolder = \"mine\"\n"]);
}

fn builds(place: &Place) -> usize {
    place.read("builds").lines().count()
}

/// What happened, how it is made to happen, the options of the check, and whether it must build.
type Step<'a> = (&'a str, &'a dyn Fn(), &'a [&'a str], bool);

#[test]
fn a_build_is_repeated_when_something_changed_and_only_then() {
    let place = Place::beside_others();
    suite(&place);
    let steps: [Step<'_>; 8] = [
        ("the first time", &|| (), &[], true),
        ("nothing changed", &|| (), &[], false),
        (
            "a source file changed",
            &|| place.write("mine/main.src", "two"),
            &[],
            true,
        ),
        ("nothing changed since", &|| (), &[], false),
        (
            "a new file",
            &|| place.write("mine/new.src", "new"),
            &[],
            true,
        ),
        (
            "an input outside the folder",
            &|| place.write("outside.lock", "two"),
            &[],
            true,
        ),
        ("it was asked for", &|| (), &["--rebuild"], true),
        ("nothing changed at last", &|| (), &[], false),
    ];
    for (what, change, options, built) in steps {
        let before = builds(&place);
        change();
        let ended = place.check(options).expect_code(0);
        let times = builds(&place) - before;
        assert_eq!(times, usize::from(built), "{what}: {ended}");
        assert_eq!(
            ended.stderr.contains("built mine in "),
            built,
            "{what}: {ended}"
        );
    }
    place.assert_nothing_is_left();
}

#[test]
fn a_program_that_is_gone_is_built_again() {
    let place = Place::beside_others();
    let build = format!("cp '{}' bin/server", scripted_server().display());
    place.write("mine/bin/.keep", "");
    place.write(
        "mine/contender.toml",
        format!(
            "name = \"mine\"\nbuild = \"{build}\"\n\
             command = \"bin/server right --port {{port}}\"\n"
        ),
    );
    place.suite(&[SHORT, "[[contender]]\nfolder = \"mine\"\n"]);
    let built = || {
        let ended = place.check(&[]).expect_code(0);
        ended.stderr.contains("built mine in ")
    };
    assert!(built());
    assert!(!built());
    std::fs::remove_file(place.path("mine/bin/server")).unwrap();
    assert!(built());
    std::fs::write(place.path("mine/bin/server"), "half of it").unwrap();
    assert!(built());
}

/// A contender beside the suite, whose build leaves its product there.
fn beside_the_suite(place: &Place, build: &str) -> String {
    let command = place.server("beside", "right --port {port}");
    format!(
        "\n[[contender]]\nname = \"beside\"\nbuild = \"{build}\"\nshell = true\n\
         command = \"exec {command}\"\n"
    )
}

fn was_built(ended: &Ended) -> bool {
    ended.stderr.contains("built beside in ")
}

#[test]
fn what_a_build_makes_is_no_reason_to_build_again() {
    let place = Place::beside_others();
    place.suite(&[SHORT, &beside_the_suite(&place, "date +%N > product")]);
    assert!(was_built(&place.check(&[]).expect_code(0)));
    let again = place.check(&[]).expect_code(0);
    assert!(!was_built(&again), "{again}");
}

#[test]
fn what_a_run_keeps_is_no_reason_to_build_again() {
    let place = Place::beside_others();
    place.suite(&[SHORT, &beside_the_suite(&place, "true")]);
    assert!(was_built(&place.check(&[]).expect_code(0)));
    place.write(
        "runs/20260101T000000Z-faceoff/samples.jsonl",
        "a run of the same suite",
    );
    let again = place.check(&[]).expect_code(0);
    assert!(!was_built(&again), "{again}");
}

#[test]
fn a_failed_build_puts_one_contender_out_with_the_end_of_its_output() {
    let place = Place::beside_others();
    let fails = "echo main.src:7: no such type; exit 7";
    let fails = beside_the_suite(&place, fails);
    place.suite(&[SHORT, &fails, &place.contender("right", "right")]);
    for _ in 0..2 {
        let ended = place.check(&["--json"]).expect_code(1);
        let json = ended.json();
        let beside = contender(&json, "values", "beside");
        let reason = one_line(text(beside, "reason"));
        assert!(reason.starts_with("its build (`sh -c "), "{reason}");
        assert!(
            reason.contains("ended with exit code 7; its log ends: main.src:7: no such type"),
            "{reason}"
        );
        assert_eq!(contender(&json, "values", "right")["verified"], true);
        ended.tells(&["beside is out: its build"]);
    }
}

#[test]
fn what_a_build_leaves_running_is_ended() {
    let place = Place::beside_others();
    let build = "sleep 600 & setsid --fork sleep 600; true";
    place.suite(&[SHORT, &beside_the_suite(&place, build)]);
    let ended = place.check(&[]).expect_code(0);
    assert!(ended.took.as_secs() < 30, "{ended}");
    place.assert_nothing_is_left();
}
