//! Servers beside the contenders.

use crate::harness::{Place, SHORT};

fn service(place: &Place, words: &str) -> String {
    let command = place.server("upstream", &format!("{words} --port {{port}}"));
    format!(
        "\n[[service]]\nname = \"upstream\"\ncommand = \"{command}\"\naddress-in = \"UPSTREAM\"\n"
    )
}

#[test]
fn contenders_get_the_address_of_a_service_and_it_ends_with_them() {
    let place = Place::beside_others();
    let relay = place.contender("relay", "needs-upstream");
    for ready in ["", "ready = \"/api/values/1\"\n"] {
        place.suite(&[SHORT, &relay, &service(&place, "right"), ready]);
        place.check(&[]).expect_code(0);
        place.assert_nothing_is_left();
        let events = place.events();
        let of: Vec<_> = events
            .iter()
            .filter(|event| event.name == "started")
            .collect();
        // The service first.
        let last: Vec<_> = of.iter().rev().take(2).map(|event| &*event.of).collect();
        assert_eq!(last, ["relay", "upstream"], "{events:?}");
    }
}

#[test]
fn without_its_service_a_contender_cannot_be_started() {
    let place = Place::beside_others();
    place.suite(&[SHORT, &place.contender("relay", "needs-upstream")]);
    let ended = place.check(&[]).expect_code(1);
    ended.shows(&[
        "it ended with exit code 4 before it answered",
        "UPSTREAM: it is not set",
    ]);
}

#[test]
fn a_service_that_does_not_run_ends_the_run_with_its_reason() {
    for (words, reason) in [
        ("dies-at-start", "Exception: no such table: users"),
        ("errors", "status 500, expected 200 to 299"),
        ("never-listens", "no answer on port"),
    ] {
        let place = Place::beside_others();
        let impatient = "ready = \"/api/values/1\"\nready-within = \"1s\"\n";
        let contender = place.contender("relay", "needs-upstream");
        place.suite(&[SHORT, &contender, &service(&place, words), impatient]);
        for ended in [place.check(&[]), place.run(&[])] {
            let ended = ended.expect_code(1);
            place.assert_nothing_is_left();
            ended.tells(&["the service `upstream` does not run: ", reason]);
        }
        let events = place.events();
        assert!(
            events.iter().all(|event| event.of == "upstream"),
            "{events:?}"
        );
        std::fs::remove_dir_all(place.path("run")).unwrap();
    }
}
