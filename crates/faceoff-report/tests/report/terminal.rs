//! The exact text of runs.

use faceoff_record::Ending;
use faceoff_report::{terminal, view};

use crate::fixture::{WORKLOAD, analysis, many, record, refused, three};
use crate::runs::void;

fn lines(text: &str) -> Vec<&str> {
    text.lines().collect()
}

#[test]
fn three_contenders_are_ranked_with_their_costs_and_a_verdict_on_each_pair() {
    let (record, analysis) = three();
    let text = terminal(&view(&record, &analysis), 100, false);
    let expected = "\
iris-2017: run of 2026-03-01T10:00:00Z, seed 42, faceoff 0.1.0
  AMD EPYC 7B13, contender on core 1, generator on core 0, Debian 13, kernel 6.12.0, io_uring

values
  closed load, 64 connections kept alive; 18 blocks, 43.2 s measured; fresh launch per slice

                           ±  first/     CPU  memory  peak  start-  answer   code
rank  contender   req/s    %    this  us/req     MiB   MiB   up ms   bytes  lines
─────────────────────────────────────────────────────────────────────────────────
1     hyper      53,140  1.2    1.00    18.8    12.3  14.5    12.3     134     48
2     net-http   43,203  1.2    1.23    23.1    12.3  14.5    12.3     134     48
3     express     9,876  1.2    5.38     101    12.3  14.5    12.3     134     48

  • hyper is faster than net-http: 1.23x (1.21 to 1.25)
  • hyper is faster than express: 5.38x (5.31 to 5.46)
  • net-http is faster than express: 4.37x (4.31 to 4.43)

  Service time under closed load (not latency at a rate), and who was busy:

            p50   p90   p99  p99.9  server  generator  answers  1M req
contender    ms    ms    ms     ms  busy %     busy %     MB/s       s
──────────────────────────────────────────────────────────────────────
hyper      1.17  1.42  2.31   9.87    98.7       62.4     7.12    18.8
net-http   1.17  1.42  2.31   9.87    98.7       62.4     5.79    23.1
express    1.17  1.42  2.31   9.87    98.7       62.4     1.32     101

  left out     kestrel: needs dotnet 10, which is not installed
";
    assert_eq!(lines(&text), lines(expected), "\n{text}");
}

#[test]
fn an_interrupted_run_says_how_far_it_came() {
    let mut record = record(&["hyper", "net-http", "express"]);
    record.ending = Ending::Interrupted;
    record.contenders = vec![
        crate::fixture::verified("hyper"),
        refused(
            "net-http",
            "it did not answer within 30 s: address already in use",
        ),
    ];
    let text = terminal(&view(&record, &analysis(Vec::new(), Vec::new())), 80, false);
    let expected = "\
iris-2017: run of 2026-03-01T10:00:00Z, seed 42, faceoff 0.1.0
  AMD EPYC 7B13, contender on core 1, generator on core 0, Debian 13, kernel
  6.12.0
  interrupted: this is what was measured until then

values
  closed load, 64 connections kept alive; 0 of 18 blocks, 0 s measured; fresh
  launch per slice

  Nothing was measured.

  refused      net-http: it did not answer within 30 s: address already in use
  no sample    hyper: the run ended before it was measured
  not checked  express: the run ended before its answers were checked
";
    assert_eq!(lines(&text), lines(expected), "\n{text}");
}

#[test]
fn a_void_run_shows_its_numbers_and_why_no_verdict_follows() {
    let (record, analysis) = void();
    let text = terminal(&view(&record, &analysis), 90, false);
    let expected = "\
iris-2017: run of 2026-03-01T10:00:00Z, seed 42, faceoff 0.1.0
  AMD EPYC 7B13, contender on core 1, generator on core 0, Debian 13, kernel 6.12.0,
  io_uring
  void: a verdict is withheld; the reason is with the figures

values
  closed load, 64 connections kept alive; 18 blocks, 1.60 s measured; fresh launch per
  slice; 1 slice gave no sample

                           ±  first/             CPU  memory  peak  start-  answer   code
rank  contender   req/s    %    this  errors  us/req     MiB   MiB   up ms   bytes  lines
─────────────────────────────────────────────────────────────────────────────────────────
1-2   hyper      53,140  1.2    1.00   1,234    18.8    12.3  14.5    12.3     134     48
1-2   nginx      51,000  1.2    1.04       0       –       –     –       –     134      –

  • no verdict on hyper and nginx: 2.3 % of hyper's requests failed (1234 timed out)

  Service time under closed load (not latency at a rate), and who was busy:

            p50   p90   p99  p99.9  server  generator  answers  1M req
contender    ms    ms    ms     ms  busy %     busy %     MB/s       s
──────────────────────────────────────────────────────────────────────
hyper      1.17  1.42  2.31   9.87    70.0       99.0     7.12    18.8
nginx      1.17  1.42  2.31      –       –       62.4     6.83    19.6

  – nginx has no CPU per request, memory, peak memory, start-up, lines of code, server
    load: it was not started by us
  – nginx has no p99.9: fewer than ten of 9,000 right answers lie above it
  Classes: standard nginx; bare hyper.

  no sample    express: it ended with code 1 before it answered
  left out     kestrel: needs dotnet 10

void     hyper: 1,234 requests timed out
warning  a hypervisor took 3.1 % of the contender's processor, more in some slices than in
         others; intervals are wider for it
note     express sends no `Date`
";
    assert_eq!(lines(&text), lines(expected), "\n{text}");
}

#[test]
fn many_contenders_get_the_sentences_of_neighbours_and_of_the_best() {
    let (record, analysis) = many(5, |number| format!("server-{number}"));
    let text = terminal(&view(&record, &analysis), 100, false);
    let sentences: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("faster than") || line.contains("pairs"))
        .map(|line| line.split(':').next().unwrap())
        .collect();
    let expected = [
        "  • server-1 is faster than server-2",
        "  • server-1 is faster than server-3",
        "  • server-1 is faster than server-4",
        "  • server-1 is faster than server-5",
        "  • server-2 is faster than server-3",
        "  • server-3 is faster than server-4",
        "  • server-4 is faster than server-5",
        "  (3 other pairs",
    ];
    assert_eq!(sentences, expected);
}

#[test]
fn colour_marks_whole_lines_and_changes_no_text() {
    let (record, analysis) = three();
    let view = view(&record, &analysis);
    let coloured = terminal(&view, 100, true);
    assert!(coloured.contains(&format!("\x1b[1m{WORKLOAD}\x1b[0m\n")));
    assert!(coloured.contains("\x1b[32m  • hyper is faster than net-http"));
    let mut plain = coloured;
    for code in ["\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[0m"] {
        plain = plain.replace(code, "");
    }
    assert_eq!(plain, terminal(&view, 100, false));
}
