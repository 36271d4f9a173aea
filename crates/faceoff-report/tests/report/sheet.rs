//! The CSV files.

use csv::Reader;
use faceoff_report::{csv, csv_slices, view};

use crate::fixture::{judged, three};
use crate::runs::{HOSTILE, hostile, void};

#[test]
fn rows_end_as_the_standard_says_and_absent_figures_are_empty() {
    let (record, analysis) = void();
    let text = csv(&view(&record, &analysis));
    assert!(text.starts_with("suite,started,seed,workload,name,language,"));
    assert!(text.ends_with("\r\n") && !text.replace("\r\n", "").contains(['\r', '\n']));
    let mut reader = Reader::from_reader(text.as_bytes());
    let headings = reader.headers().unwrap().clone();
    let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
    let field = |row: usize, heading: &str| {
        let place = headings.iter().position(|other| other == heading).unwrap();
        rows[row].get(place).unwrap()
    };
    assert_eq!(
        (field(1, "name"), field(1, "throughput.value")),
        ("nginx", "51000.0")
    );
    assert_eq!(
        (field(1, "cpu_us_per_request"), field(1, "errors")),
        ("", "0")
    );
    assert_eq!(field(1, "launch.url"), "http://127.0.0.1:8080");
    assert_eq!(field(0, "launch.command"), "./server {port}");
    let reason = "cpu_us_per_request: it was not started by us; ";
    assert!(field(1, "absent").contains(reason));
    let express = ["name", "standing", "throughput.value", "errors", "reason"];
    let expected = [
        "express",
        "not_measured",
        "",
        "",
        "it ended with code 1 before it answered",
    ];
    assert_eq!(express.map(|heading| field(2, heading)), expected);
}

#[test]
fn each_slice_has_a_row() {
    let (record, analysis) = judged();
    let view = view(&record, &analysis);
    let text = csv_slices(&view);
    let mut reader = Reader::from_reader(text.as_bytes());
    let rows: Vec<Vec<String>> = reader
        .records()
        .map(|row| row.unwrap().iter().map(str::to_owned).collect())
        .collect();
    let slices = view.workloads[0].contenders.iter().flat_map(|contender| {
        contender.slices.iter().map(|slice| {
            let name = contender.name.to_string();
            let value = serde_json::to_value(slice.per_second).unwrap().to_string();
            [name, slice.block.to_string(), value]
        })
    });
    assert_eq!(rows.len(), 54);
    for (row, slice) in rows.iter().zip(slices) {
        assert_eq!(row[4..], slice);
    }
}

#[test]
fn hostile_texts_stay_in_their_field() {
    let (record, analysis) = hostile();
    let view = view(&record, &analysis);
    let text = csv(&view);
    assert!(!text.contains(['\u{1b}', '\u{202e}']));
    let mut reader = Reader::from_reader(text.as_bytes());
    let names: Vec<String> = reader
        .records()
        .map(|row| row.unwrap()[4].to_owned())
        .collect();
    assert_eq!(names[..4], HOSTILE[..4]);
    let (record, analysis) = three();
    let plain = csv_slices(&faceoff_report::view(&record, &analysis));
    assert_eq!(
        plain.lines().next(),
        Some("suite,started,seed,workload,name,block,per_second")
    );
}
