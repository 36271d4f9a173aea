//! Two start commands against each other, and the run shown again in every format.

use std::fs;

use crate::harness::{Place, free_port};

/// A comparison that takes little time; `{server}` stands for the scripted server.
const QUICK: &[&str] = &["--quick", "--time", "10s", "--connections", "8"];

/// Compares what is given by words of the scripted server, by name.
fn versus(place: &Place, servers: &[(&str, &str)], options: &[&str]) -> crate::harness::Ended {
    let commands: Vec<String> = servers
        .iter()
        .map(|(name, words)| format!("{name}={}", place.server(name, words)))
        .collect();
    let mut words = vec!["vs"];
    words.extend(commands.iter().map(String::as_str));
    words.extend(QUICK);
    words.extend(options);
    place.faceoff(&words)
}

#[test]
fn two_commands_are_compared_in_a_folder_that_knows_nothing_of_it_and_shown_in_every_format() {
    let place = Place::alone();
    let servers = [("old", "right --port {port}"), ("new", "http10-close")];
    let ended = versus(&place, &servers, &["--path", "/api/values/{id}"]).expect_code(0);
    place.assert_nothing_is_left();
    ended.shows(&[
        "old",
        "new",
        "The contenders treat connections differently: old speaks HTTP/1.1 and keeps them; new speaks HTTP/1.0 and closes them.",
    ]);

    let html = place.faceoff(&["report", "--html"]).expect_code(0);
    assert!(html.stdout.starts_with("<!DOCTYPE html>"), "{html}");
    let pages: Vec<_> = fs::read_dir(place.path("runs"))
        .unwrap()
        .map(|run| fs::read_to_string(run.unwrap().path().join("report.html")).unwrap())
        .collect();
    let kept = pages.iter().map(|page| page.trim());
    assert!(
        kept.eq([html.stdout.trim()]),
        "another page than that of the run"
    );
    let markdown = place.faceoff(&["report", "--markdown"]).expect_code(0);
    assert!(markdown.stdout.contains("| old "), "{markdown}");
    let csv = place.faceoff(&["report", "--csv"]).expect_code(0);
    assert_eq!(csv.stdout.lines().count(), 3, "{csv}");
    let slices = place.faceoff(&["report", "--csv-slices"]).expect_code(0);
    let json = place.faceoff(&["report", "--json"]).expect_code(0).json();
    let throughput = json["workloads"][0]["contenders"][0]["throughput"]["value"].to_string();
    assert!(csv.stdout.contains(&throughput), "{csv}");
    assert!(slices.stdout.lines().count() > 3, "{slices}");
    let again = place.faceoff(&["report"]).expect_code(0);
    assert_eq!(
        again.stdout.trim(),
        ended.stdout.trim(),
        "the run as it was shown"
    );

    let file = ["report", "--markdown", "--out", "kept.md"];
    place.faceoff(&file).expect_code(0);
    assert_eq!(place.read("kept.md").trim(), markdown.stdout.trim());
    place
        .faceoff(&file)
        .expect_code(1)
        .tells(&["kept.md exists already"]);
}

#[test]
fn bodies_that_differ_are_told_of_and_refused_where_that_is_asked_for() {
    let place = Place::alone();
    let servers = [("first", "right"), ("second", "wrong-body")];
    let path = ["--path", "/api/values/7"];
    versus(&place, &servers, &path)
        .expect_code(0)
        .shows(&["The contenders answer the same request differently"]);
    let strict = [&path[..], &["--same-body"]].concat();
    versus(&place, &servers, &strict)
        .expect_code(3)
        .tells(&["second is out", "breaks the rule `same-body`"]);
    let expected = [&path[..], &["--expect", "value"]].concat();
    versus(&place, &servers, &expected)
        .expect_code(3)
        .tells(&["second is out", "breaks the rule `answer`"]);
    place.assert_nothing_is_left();
}

#[test]
fn servers_with_one_fixed_port_have_it_in_turn() {
    let place = Place::alone();
    let port = free_port().to_string();
    let words = format!("right --port {port}");
    let servers = [("one", words.as_str()), ("two", "right")];
    let options = ["--port", &port, "--path", "/api/values/7"];
    versus(&place, &servers, &options)
        .expect_code(0)
        .shows(&["one", "two"]);
    place.assert_nothing_is_left();
}

#[test]
fn what_makes_no_sense_on_the_command_line_is_told_at_once() {
    let place = Place::beside_others();
    let cases: [(&[&str], &str); 5] = [
        (&["vs", "./only"], "a comparison needs two servers"),
        (&["vs", "a=./x", "a=./y"], "two contenders are named `a`"),
        (&["vs", "./x --port {prot}", "./y"], "only {port} is known"),
        (
            &["vs", "./x", "./y", "--path", "users"],
            "a path starts with /",
        ),
        (
            &["vs", "./x", "./y", "--header", "Host: z"],
            "`Host` is written by Faceoff itself",
        ),
    ];
    for (words, message) in cases {
        place.faceoff(words).expect_code(2).tells(&[message]);
    }
    place
        .faceoff(&["report"])
        .expect_code(1)
        .tells(&["there is no folder runs/ here"]);
    place
        .faceoff(&["report", "nowhere"])
        .expect_code(1)
        .tells(&["nowhere/record.json"]);
}

#[test]
fn completions_and_man_pages_know_every_command() {
    let place = Place::beside_others();
    place.faceoff(&["man", "pages"]).expect_code(0);
    for command in ["run", "vs", "report", "check", "list"] {
        let page = place.read(&format!("pages/faceoff-{command}.1"));
        assert!(page.contains("Example"), "{command}");
    }
    for shell in ["bash", "zsh", "fish"] {
        let script = place.faceoff(&["completions", shell]).expect_code(0);
        assert!(script.stdout.contains("same-body"), "{shell}");
    }
}
