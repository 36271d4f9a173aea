//! No line is longer than the terminal is wide.

use faceoff_report::{
    ListedContender, ListedSuite, ListedWorkload, Listing, check_terminal, check_view,
    listing_terminal, terminal, view,
};

use crate::fixture::{many, planned_workload};

/// What terminals have, from a small window to a full screen.
const WIDTHS: std::ops::RangeInclusive<usize> = 60..=160;

fn assert_fits(text: &str, width: usize, of: &str) {
    for line in text.lines() {
        let columns = line.chars().count();
        assert!(
            columns <= width,
            "{of}, {columns} of {width} columns: {line}"
        );
    }
}

#[test]
fn runs_fit_any_terminal_whatever_the_number_of_contenders_and_their_names() {
    let long = "a-contender-with-a-name-that-nobody-would-type-but-somebody-generated";
    for number in [1, 2, 3, 4, 7, 12] {
        for length in [3, 20, long.len()] {
            let (record, analysis) = many(number, |place| {
                let place = place.to_string();
                format!("{}{place}", &long[..length - place.len()])
            });
            let view = view(&record, &analysis);
            for width in WIDTHS {
                let of = format!("{number} contenders, names of {length}");
                assert_fits(&terminal(&view, width, false), width, &of);
            }
        }
    }
}

#[test]
fn twelve_contenders_with_names_of_twenty_characters_fit_100_columns_with_every_figure() {
    let (record, analysis) = many(12, |number| format!("contender-number-{number:03}"));
    let text = terminal(&view(&record, &analysis), 100, false);
    assert!(!text.contains("No room"), "{text}");
}

#[test]
fn what_had_to_be_dropped_is_named() {
    let (record, analysis) = many(12, |number| format!("contender-number-{number:03}"));
    let text = terminal(&view(&record, &analysis), 80, false);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let note = "No room for peak memory, bytes per answer, lines of code, megabytes per second: a \
                wider terminal or --json shows them.";
    assert!(text.contains(note), "{text}");
}

#[test]
fn checks_and_listings_fit_any_terminal() {
    let (mut record, _) = many(12, |number| format!("contender-number-{number:03}"));
    record.plan.workloads = (1..=9)
        .map(|number| planned_workload(&format!("workload-number-{number}")))
        .collect();
    let check = check_view(&record);
    let listing = listing();
    for width in WIDTHS {
        assert_fits(&check_terminal(&check, width), width, "a check");
        assert_fits(&listing_terminal(&listing, width), width, "a listing");
    }
}

fn listing() -> Listing {
    let names = [
        "plaintext",
        "json",
        "single-value",
        "fortunes",
        "large-body",
    ];
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let suite = ListedSuite {
        path: "suites/a-rather-deep-folder/of/suites/iris-2017-with-everything.toml".into(),
        name: "iris-2017".into(),
        workloads: names.clone(),
        contenders: names.clone(),
        problem: Some("line 12: unknown key `conections`, did you mean `connections`?".into()),
    };
    let contender = ListedContender {
        name: "aspnet-core-minimal-api".into(),
        language: "C#".into(),
        framework: Some("ASP.NET Core".into()),
        version: Some("10.0.1".into()),
        class: faceoff_record::Class::Standard,
        workloads: names.clone(),
        cannot_run: Some("needs dotnet 10, found none; see https://dot.net for it".into()),
    };
    let workload = ListedWorkload {
        name: "plaintext".into(),
        description: "GET /plaintext, answered with a short text; pipelining is not used".into(),
    };
    Listing {
        suites: vec![suite],
        contenders: vec![contender],
        workloads: vec![workload],
    }
}
