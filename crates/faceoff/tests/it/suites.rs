//! Suites with mistakes, and suites that cannot be carried out here.

use crate::harness::{Place, SHORT, contender, named, text};

/// A mistake: the line and column it is shown at, what is said, and the hint.
type Mistake = (&'static str, &'static str, &'static str);

/// A file and all its mistakes.
const FAULTY: &[(&str, &[Mistake])] = &[
    (
        "\
nam = \"mine\"
[load]
conections = 5
window = \"5\"
timeout = 3
[[contender]]
name = \"a\"
[[contender]]
name = \"b\"
command = \"./x 'y\"
port = 70000
class = \"fast\"
[[contender]]
name = \"c\"
url = \"http://127.0.0.1:1/path\"
command = \"x\"
[[contender]]
folder = \"nowhere\"
[[workload]]
path = \"no-slash\"
",
        &[
            ("1:1", "unknown key `nam`", "did you mean `name`?"),
            (
                "3:1",
                "unknown key `conections`",
                "did you mean `connections`?",
            ),
            ("4:10", "`5` has no unit", "did you mean `5s`?"),
            ("5:11", "`timeout` must be a string in quotes", ""),
            (
                "6:1",
                "`command` is missing",
                "for example \"./server --port {port}\"",
            ),
            (
                "10:11",
                "`command` has a quotation mark without its partner",
                "",
            ),
            ("11:8", "`port` must be a whole number from 1 to 65535", ""),
            (
                "12:9",
                "unknown class",
                "the classes are \"standard\", \"tuned\" and \"bare\"",
            ),
            (
                "15:7",
                "`url` and `command` exclude each other",
                "keep `url` for a server that runs",
            ),
            (
                "15:7",
                "`url` must be http://host:port",
                "paths belong to workloads",
            ),
            (
                "18:10",
                "there is no contender.toml in",
                "name a contender's folder",
            ),
            ("19:1", "`name` is missing", "every workload needs a name"),
            (
                "20:8",
                "a path starts with / and has no spaces",
                "spaces as %20",
            ),
        ],
    ),
    (
        "[load\nx\n",
        &[
            ("1:6", "unclosed table", ""),
            ("2:2", "key with no value", ""),
        ],
    ),
    (
        "[load]\nconnections = 1\nconnections = 2\n",
        &[("3:1", "duplicate key", "")],
    ),
    (
        "name = \"nothing in it\"\n",
        &[
            (
                "1:1",
                "the suite has no contender",
                "add [[contender]] with `folder`",
            ),
            (
                "1:1",
                "the suite has no workload",
                "add [[workload]] with a known `name`",
            ),
        ],
    ),
    (
        "contender = 5\n[workload]\nname = \"values\"\n",
        &[
            ("1:13", "`contender` must be tables, [[contender]]", ""),
            ("2:1", "`workload` must be tables, [[workload]]", ""),
        ],
    ),
];

#[test]
fn all_mistakes_of_a_file_are_shown_at_once_with_their_lines_and_hints() {
    for (file, mistakes) in FAULTY {
        let place = Place::beside_others();
        place.write("faceoff.toml", file);
        for command in ["run", "check"] {
            let ended = place.faceoff(&[command]).expect_code(2);
            assert_eq!(ended.stdout, "", "{ended}");
            for (at, message, hint) in *mistakes {
                ended.tells(&[
                    &format!("error: {message}").replace("error: `5`", "`5`"),
                    hint,
                ]);
                ended.tells(&[&format!("--> faceoff.toml:{at}")]);
            }
            let shown = ended.stderr.matches("error: ").count();
            assert_eq!(shown, mistakes.len(), "{ended}");
        }
        assert!(!place.path("runs").exists(), "nothing was begun");
    }
}

#[test]
fn the_mistakes_of_a_contender_file_are_shown_beside_those_of_the_suite() {
    let place = Place::beside_others();
    let suite = "[[contender]]\nfolder = \"mine\"\n[[workload]]\nname = \"mine\"\npath = \"/\"\nmehtod = \"GET\"\n";
    place.write("faceoff.toml", suite);
    place.write(
        "mine/contender.toml",
        "name = \"mine\"\ncomand = \"./server\"\n",
    );
    let ended = place.faceoff(&["check"]).expect_code(2);
    ended.tells(&[
        "unknown key `mehtod`",
        "--> faceoff.toml:6:1",
        "did you mean `method`?",
        "unknown key `comand`",
        "--> mine/contender.toml:2:1",
        "did you mean `command`?",
    ]);
}

#[test]
fn the_hint_names_every_key_that_is_known() {
    let place = Place::beside_others();
    let contender = "[[contender]]\nname = \"a\"\ncommand = \"./a\"\n";
    let workload = "[[workload]]\nname = \"mine\"\nmehtod = \"GET\"\n";
    place.suite(&[contender, workload]);
    let ended = place.faceoff(&["check"]).expect_code(2);
    ended.tells(&["unknown key `mehtod`", "did you mean `method`?"]);
}

#[test]
fn a_workload_that_stands_twice_is_shown_where_it_stands_again() {
    let place = Place::beside_others();
    let workload = "[[workload]]\nname = \"values\"\n";
    let contender = "[[contender]]\nname = \"a\"\ncommand = \"./a\"\n";
    place.suite(&[contender, workload, workload]);
    let ended = place.faceoff(&["check"]).expect_code(2);
    ended.tells(&["the workload `values` stands here twice"]);
    // The second table, or its name.
    let shown = ["6:", "7:"].map(|line| format!("--> faceoff.toml:{line}"));
    let shown = shown.iter().any(|place| ended.stderr.contains(place));
    assert!(shown, "{ended}");
}

#[test]
fn what_cannot_be_resolved_is_told_at_once() {
    let place = Place::beside_others();
    place.write(
        "faceoff.toml",
        "\
[[workload]]
name = \"valeus\"
[[workload]]
name = \"mine\"
path = \"/x/{id\"
[[workload]]
name = \"yours\"
path = \"/x/{id:5}\"
[[contender]]
name = \"a\"
command = \"./a\"
[[contender]]
name = \"a\"
command = \"./b\"
[[contender]]
name = \"far\"
url = \"http://10.0.0.1\"
[load]
connections = 100000
",
    );
    let ended = place.faceoff(&["run"]).expect_code(2);
    ended.tells(&[
        "workload `valeus`: `valeus` is not a workload known by name (known: values)",
        "workload `mine`: a `{` without its `}`; write `{{` for a brace",
        "workload `yours`: `5` is not a range such as 1..500",
        "two contenders are named `a`",
        "contender `far`: http://10.0.0.1 is not an address of this machine",
    ]);
    assert!(!place.path("runs").exists(), "nothing was begun");
}

#[test]
fn a_variable_that_no_command_knows_is_a_mistake_of_the_file() {
    let place = Place::beside_others();
    place.suite(&[
        SHORT,
        "[[contender]]\nname = \"a\"\ncommand = \"./a --port {prot}\"\n",
    ]);
    let ended = place.faceoff(&["check"]).expect_code(2);
    ended.tells(&["only {port} is known", "--> faceoff.toml:12:"]);
}

#[test]
fn a_name_that_the_suite_does_not_have_is_answered_with_the_nearest() {
    let place = Place::beside_others();
    let names = ["axum", "hyper"].map(|name| place.contender(name, "right"));
    place.suite(&[SHORT, &names.concat()]);
    for (options, part) in [
        (
            ["--contender", "axmu"],
            "the suite has no contender `axmu`; did you mean `axum`?",
        ),
        (
            ["--contender", "nginx"],
            "the suite has no contender `nginx`; it has axum, hyper",
        ),
        (
            ["--workload", "valeus"],
            "the suite has no workload `valeus`; did you mean `values`?",
        ),
    ] {
        for ended in [place.check(&options), place.run(&options)] {
            ended.expect_code(2).tells(&[part]);
        }
    }
    assert_eq!(place.events().len(), 0, "nothing was started");
}

#[test]
fn too_much_and_too_little_are_refused_before_anything_is_started() {
    let place = Place::beside_others();
    let many: String = (0..13)
        .map(|i| place.contender(&format!("c{i}"), "right"))
        .collect();
    place.suite(&[SHORT, &many]);
    let ended = place.check(&[]).expect_code(2);
    ended.tells(&[
        "13 contenders are too many for one comparison",
        "--contender",
    ]);
    place.suite(&[SHORT, &place.contender("right", "right")]);
    let ended = place.run(&["--time", "1s"]).expect_code(2);
    ended.tells(&["--time 1.00 s is too short", "needs at least 5.00 s"]);
    assert_eq!(place.events().len(), 0, "nothing was started");
    assert!(!place.path("run").exists(), "nothing was begun");
}

#[test]
fn a_suite_that_cannot_be_read_is_named() {
    let place = Place::beside_others();
    place.write("binary.toml", b"\xff\xfe");
    place.write("folder/x", "");
    for (path, part) in [
        ("nowhere.toml", "No such file"),
        ("folder", "Is a directory"),
        ("binary.toml", "UTF-8"),
    ] {
        for command in ["run", "check"] {
            let ended = place.faceoff(&[command, path]).expect_code(2);
            ended.tells(&[&format!("cannot read {path}"), part]);
        }
    }
}

#[test]
fn without_a_suite_every_command_says_how_to_go_on() {
    let place = Place::beside_others();
    for words in [&[][..], &["run"], &["--quick"], &["check"]] {
        let ended = place.faceoff(words).expect_code(2);
        ended.tells(&["there is no faceoff.toml here", "name a suite"]);
    }
}

#[test]
fn nobody_who_can_run_here_is_a_failure_with_the_reasons() {
    let place = Place::beside_others();
    let absent = place.contender("absent", "right") + "needs = { nosuchtool = \"1\" }\n";
    let old = place.contender("old", "right") + "needs = { rust = \"999\" }\n";
    place.suite(&[SHORT, &absent, &old]);
    for ended in [place.check(&[]), place.run(&[])] {
        let ended = ended.expect_code(1);
        ended.tells(&[
            "no contender can run here:",
            "absent: needs nosuchtool 1, which is not installed",
            "old: needs rust 999, but 1.",
            "is installed",
        ]);
    }
}

#[test]
fn a_missing_toolchain_leaves_one_contender_out_and_lists_it() {
    let place = Place::beside_others();
    let absent = place.contender("absent", "right") + "needs = { nosuchtool = \"1\" }\n";
    place.suite(&[SHORT, &absent, &place.contender("right", "right")]);
    let reason = "needs nosuchtool 1, which is not installed";

    let ended = place.check(&[]).expect_code(0);
    ended.shows(&["absent left out", &format!("left out absent: {reason}")]);
    ended.shows(&["All that take part give the right answers."]);

    let json = place.check(&["--json"]).expect_code(0).json();
    let absent = contender(&json, "values", "absent");
    assert_eq!(absent["result"], "left_out", "{absent:#}");
    assert_eq!(text(absent, "reason"), reason);

    let listed = place.faceoff(&["list"]).expect_code(0);
    listed.shows(&["absent", reason, "right"]);
    let json = place.faceoff(&["list", "--json"]).expect_code(0).json();
    let absent = named(&json["contenders"], "absent");
    assert_eq!(text(absent, "cannot_run"), reason);
}
