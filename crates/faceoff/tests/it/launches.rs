//! How contenders are launched: for each slice, once for all, on a port of their own.

use std::net::{Ipv4Addr, TcpListener};

use crate::harness::{Place, SHORT, STEADY, contender, free_port, text};

#[test]
fn a_slow_starter_makes_all_share_one_launch_and_the_verdict_says_so() {
    let place = Place::alone();
    let slow = place.contender("slow", &format!("{STEADY} --delay 1300"));
    place.suite(&[
        SHORT,
        &slow,
        &place.contender("prompt", "right --work 80000"),
    ]);
    let ended = place.run(&["--time", "12s", "--json"]).expect_code(0);
    place.assert_nothing_is_left();

    let json = ended.json();
    let workload = &json["workloads"][0];
    assert_eq!(workload["launches"], "shared");
    let pair = &workload["pairs"][0];
    let qualifiers = pair["qualifiers"].as_array().unwrap();
    assert!(
        qualifiers.contains(&"these_processes_only".into()),
        "{pair:#}"
    );
    assert!(
        text(pair, "sentence").contains("; for these processes only"),
        "{pair:#}"
    );
    let warnings = json["warnings"].as_array().unwrap();
    assert!(
        warnings
            .iter()
            .any(|warning| warning["code"] == "one_launch"),
        "{warnings:#?}"
    );
    ended.tells(&["all slices with one launch of each contender, since one starts slowly"]);

    // At most two pilots and the one launch.
    let started = place
        .events()
        .into_iter()
        .filter(|event| event.name == "started");
    let of_slow = started.filter(|event| event.of == "slow").count();
    let slices = contender(&json, "values", "slow")["samples"]
        .as_u64()
        .unwrap();
    assert!(
        of_slow <= 3 && slices >= 2,
        "{of_slow} launches for {slices} slices"
    );
}

#[test]
fn each_launch_has_a_port_of_its_own_outside_the_range_of_outgoing_connections() {
    let place = Place::beside_others();
    let parts = ["one", "two", "three"].map(|name| place.contender(name, "right"));
    place.suite(&[SHORT, &parts.concat()]);
    place.check(&[]).expect_code(0);
    let range = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap();
    let range: Vec<u16> = range
        .split_whitespace()
        .map(|port| port.parse().unwrap())
        .collect();
    let started = place
        .events()
        .into_iter()
        .filter(|event| event.name == "started");
    let mut ports: Vec<u16> = started.map(|event| event.rest.parse().unwrap()).collect();
    assert!(
        ports
            .iter()
            .all(|port| *port < range[0] || *port > range[1]),
        "{ports:?}"
    );
    ports.sort_unstable();
    ports.dedup();
    assert_eq!(ports.len(), 3, "{ports:?}");
}

#[test]
fn the_port_is_in_the_environment_too() {
    let place = Place::beside_others();
    let command = place.server("plain", "right");
    place.suite(&[
        SHORT,
        &format!("[[contender]]\nname = \"plain\"\ncommand = \"{command}\"\n"),
    ]);
    place.check(&[]).expect_code(0);
    place.assert_nothing_is_left();
}

/// A contender whose port stands in its command, and in the suite.
fn fixed(place: &Place, port: u16) -> String {
    let command = place.server("fixed", &format!("right --port {port}"));
    format!("\n[[contender]]\nname = \"fixed\"\ncommand = \"{command}\"\nport = {port}\n")
}

#[test]
fn a_contender_may_have_a_fixed_port() {
    let place = Place::beside_others();
    let port = free_port();
    place.suite(&[SHORT, &fixed(&place, port)]);
    // Twice, so that what is left of the first connections does not stand in the way.
    for _ in 0..2 {
        place.check(&[]).expect_code(0);
        place.assert_nothing_is_left();
    }
    let events = place.events();
    let mut started = events.iter().filter(|event| event.name == "started");
    assert!(
        started.all(|event| event.rest == port.to_string()),
        "{events:?}"
    );
}

#[test]
fn a_fixed_port_that_is_taken_is_a_clear_reason() {
    let place = Place::beside_others();
    let port = free_port();
    let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).unwrap();
    place.suite(&[
        SHORT,
        &fixed(&place, port),
        &place.contender("right", "right"),
    ]);
    let ended = place.check(&["--json"]).expect_code(1);
    let json = ended.json();
    let fixed = contender(&json, "values", "fixed");
    let reason = format!(
        "port {port} is taken by another process; a contender with a fixed port needs it free"
    );
    assert_eq!(text(fixed, "reason"), reason);
    assert_eq!(contender(&json, "values", "right")["verified"], true);
    drop(taken);
}
