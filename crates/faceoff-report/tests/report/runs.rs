//! Whole runs that are out of the ordinary.

use faceoff_record::{
    Class, ContenderFacts, Ending, Figure, Record, Severity, SliceFailure, Start, Warning,
    WarningCode, WorkloadName,
};
use faceoff_stats::{Analysis, Qualifier, Verdict};

use crate::fixture::{
    analysis, figures, left_out, many, named, pair, planned_workload, record, sample, verified_on,
    workload,
};

/// A verdict is withheld, and many figures are absent.
pub(crate) fn void() -> (Record, Analysis) {
    let mut record = record(&["hyper", "nginx", "express"]);
    record.plan.contenders[0].class = Class::Bare;
    record.plan.contenders[1].start = Start::Running {
        url: "http://127.0.0.1:8080".into(),
    };
    record.contenders[1] = ContenderFacts {
        lines_of_code: Figure::absent("it was not started by us"),
        ..record.contenders[1].clone()
    };
    record.plan.left_out = vec![left_out("kestrel", "needs dotnet 10")];
    record.samples = vec![sample("hyper", 0), sample("nginx", 0)];
    record.failures = vec![SliceFailure {
        slice: sample("express", 0).slice,
        reason: "it ended with code 1 before it answered".into(),
    }];
    let mut hyper = figures("hyper", (1, 2), 53_140.2);
    hyper.failed = 1_234;
    hyper.server_busy = Some(0.7);
    hyper.generator_busy = 0.99;
    hyper.generator_limited = true;
    let mut nginx = figures("nginx", (1, 2), 51_000.0);
    nginx.cpu_us_per_request = None;
    nginx.memory_after_bytes = None;
    nginx.memory_peak_bytes = None;
    nginx.server_busy = None;
    nginx.start_up = None;
    nginx.service.pop();
    nginx.good = 9_000;
    for figure in [
        "cpu_us_per_request",
        "memory_after_bytes",
        "memory_peak_bytes",
        "server_busy",
        "start_up",
    ] {
        let reason = "it was not started by us".to_owned();
        nginx.absent.push((figure.to_owned(), reason));
    }
    let void = Verdict::Void {
        reason: "2.3 % of hyper's requests failed (1234 timed out)".into(),
    };
    let mut analysis = analysis(vec![hyper, nginx], vec![pair("hyper", "nginx", 1.04, void)]);
    analysis.warnings = vec![
        warning(
            WarningCode::HeaderMissing,
            Severity::Note,
            "express sends no `Date`",
        ),
        warning(
            WarningCode::Failures,
            Severity::Void,
            "1,234 requests timed out",
        ),
        warning(
            WarningCode::StolenTime,
            Severity::Warning,
            "a hypervisor took 3.1 % of the contender's processor, more in some slices than in \
             others; intervals are wider for it",
        ),
    ];
    analysis.warnings[1].contender = Some(named("hyper"));
    analysis.warnings[1].workload = Some(workload());
    (record, analysis)
}

pub(crate) fn warning(code: WarningCode, severity: Severity, text: &str) -> Warning {
    Warning {
        code,
        severity,
        workload: None,
        contender: None,
        text: text.into(),
    }
}

/// Twelve contenders on three workloads: one judged, one with other figures, one not measured.
pub(crate) fn several() -> (Record, Analysis) {
    let (mut record, mut analysis) = many(12, |number| format!("contender-{number}"));
    let names = ["values", "plaintext", "fortunes"].map(WorkloadName::new);
    record.plan.workloads = names
        .iter()
        .map(|name| planned_workload(name.as_str()))
        .collect();
    for facts in &mut record.contenders {
        *facts = verified_on(facts.contender.as_str(), &names);
    }
    let mut plaintext = analysis.workloads[0].clone();
    plaintext.workload = names[1].clone();
    for contender in &mut plaintext.contenders {
        contender.throughput.value *= 0.7;
        contender.throughput.low *= 0.7;
        contender.throughput.high *= 0.7;
    }
    plaintext.pairs[0].verdict = Verdict::Undecided;
    plaintext.pairs[0].qualifiers = vec![Qualifier::Exploratory, Qualifier::Fragile];
    analysis.workloads.push(plaintext);
    record.ending = Ending::Interrupted;
    analysis.warnings = vec![warning(
        WarningCode::Exploratory,
        Severity::Note,
        "The run is short.",
    )];
    analysis.warnings[0].workload = Some(names[1].clone());
    (record, analysis)
}

/// What a reader of a report must not be harmed by.
pub(crate) const HOSTILE: [&str; 5] = [
    "<script>alert(1)</script>",
    "a|b\"c'd&amp;\n- x",
    "</td></table><img src=x onerror=alert(1)>",
    "`*_~[link](https://example.org)@everyone #12 $x$ \\",
    "\u{202e}esrever\u{1b}[31m\r",
];

/// Every text that comes from a user or from a server is hostile.
pub(crate) fn hostile() -> (Record, Analysis) {
    let names = &HOSTILE;
    let mut record = record(names);
    record.plan.suite = HOSTILE[0].into();
    record.command = vec![
        "faceoff".into(),
        HOSTILE[1].into(),
        "``` \" onload=\"x".into(),
    ];
    record.plan.workloads = vec![planned_workload(HOSTILE[2])];
    record.environment.processor = HOSTILE[3].into();
    let of_workload = WorkloadName::new(HOSTILE[2]);
    let verified = |name: &&str| verified_on(name, std::slice::from_ref(&of_workload));
    record.contenders = names.iter().map(verified).collect();
    let log = format!(
        "it ended with code 1; the end of its log:\n```\n{}",
        HOSTILE.join("\n")
    );
    record.plan.left_out = vec![left_out("kestrel", &log)];
    record.ending = Ending::Failed {
        reason: HOSTILE.join(" "),
    };
    let contenders = names.iter().zip(1_u32..);
    let contenders = contenders.map(|(name, place)| {
        let mut figures = figures(name, (place, place), 50_000.0 / f64::from(place));
        figures.memory_after_bytes = None;
        figures.absent = vec![("memory_after_bytes".into(), HOSTILE.join(" "))];
        figures
    });
    let mut analysis = analysis(contenders.collect(), Vec::new());
    analysis.workloads[0].workload = of_workload;
    for (a, place) in names.iter().zip(1..) {
        for (b, other) in names.iter().zip(1..).filter(|&(_, other)| other > place) {
            let ratio = f64::from(other) / f64::from(place);
            analysis.workloads[0]
                .pairs
                .push(pair(a, b, ratio, Verdict::Faster));
        }
    }
    analysis.warnings = HOSTILE
        .map(|text| warning(WarningCode::Machine, Severity::Warning, text))
        .to_vec();
    (record, analysis)
}

/// Interrupted before anything was measured.
pub(crate) fn nothing() -> (Record, Analysis) {
    let mut record = record(&["hyper", "net-http"]);
    record.ending = Ending::Interrupted;
    (record, analysis(Vec::new(), Vec::new()))
}

/// All kinds of runs.
pub(crate) fn all() -> Vec<(&'static str, (Record, Analysis))> {
    vec![
        ("three", crate::fixture::three()),
        ("judged", crate::fixture::judged()),
        ("many", many(6, |number| format!("server-{number}"))),
        ("void", void()),
        ("several", several()),
        ("hostile", hostile()),
        ("nothing", nothing()),
    ]
}
