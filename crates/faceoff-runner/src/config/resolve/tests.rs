use std::path::Path;

use faceoff_record::{ConnectionUse, Depth, Load, Nanos, Plan, PortChoice, Scheme, Start};

use super::{Choices, resolve};
use crate::config::{SuiteFile, read_suite};
use crate::host::Host;
use crate::testing::Scene;

/// So many contenders named `c1`, `c2` and so on.
fn contenders(count: usize) -> String {
    (1..=count)
        .map(|number| format!("[[contender]]\nname = 'c{number}'\ncommand = 'x'\n"))
        .collect()
}

const VALUES: &str = "[[workload]]\nname = 'values'\n";

fn suite(text: &str) -> SuiteFile {
    read_suite(&Scene::new().write("suite.toml", text)).unwrap()
}

fn host() -> Host {
    Host::imagined(4, 1_024, &[("go", "1.26.8"), ("node", "18.0")])
}

fn choices() -> Choices {
    Choices {
        contenders: Vec::new(),
        workloads: Vec::new(),
        time: None,
        depth: Depth::Standard,
        seed: 7,
    }
}

fn plan(text: &str) -> Plan {
    resolve(&suite(text), &choices(), &host()).unwrap()
}

/// Whether a suite is refused with exactly these messages, each given by its beginning.
fn assert_refused(text: &str, choices: &Choices, host: &Host, expected: &[&str]) {
    let errors = resolve(&suite(text), choices, host).unwrap_err();
    let found: Vec<_> = errors.iter().map(ToString::to_string).collect();
    let same = found.len() == expected.len()
        && found
            .iter()
            .zip(expected)
            .all(|(found, expected)| found.starts_with(expected));
    assert!(same, "{text}\nfound {found:#?}\nexpected {expected:#?}");
}

#[test]
fn what_the_command_line_names_must_be_in_the_suite() {
    let text = format!("{}{VALUES}", contenders(3));
    let asked = |contenders: &[&str], workloads: &[&str]| Choices {
        contenders: contenders.iter().map(|name| (*name).to_owned()).collect(),
        workloads: workloads.iter().map(|name| (*name).to_owned()).collect(),
        ..choices()
    };
    let unknown = asked(&["c1", "d1", "zebra"], &["value"]);
    assert_refused(
        &text,
        &unknown,
        &host(),
        &[
            "the suite has no contender `d1`; did you mean `c1`?",
            "the suite has no contender `zebra`; it has c1, c2, c3",
            "the suite has no workload `value`; did you mean `values`?",
        ],
    );
    let plan = resolve(&suite(&text), &asked(&["c3", "c1"], &["values"]), &host()).unwrap();
    let names: Vec<_> = plan.contenders.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["c1", "c3"], "in the order of the suite");
    assert!(plan.left_out.is_empty(), "not chosen is not left out");
}

#[test]
fn a_suite_that_cannot_be_carried_out_is_refused_with_all_reasons() {
    let c = |lines: &str| format!("[[contender]]\nname = 'a'\n{lines}\n");
    let cases: [(String, &[&str]); 11] = [
        (
            format!("{}{}{VALUES}", c("command = 'x'"), c("command = 'y'")),
            &["two contenders are named `a`; give each its own `name`"],
        ),
        (
            format!("{}{VALUES}", contenders(13)),
            &["13 contenders are too many for one comparison; choose up to 12 with --contender"],
        ),
        (
            format!("{}[[workload]]\nname = 'vlaues'\n", contenders(1)),
            &["workload `vlaues`: `vlaues` is not a workload known by name (known: values) and"],
        ),
        (
            format!(
                "{}[[workload]]\nname = 'a'\npath = '/{{'\nbody = '}}'\n",
                contenders(1)
            ),
            &["workload `a`: a `{` without its `}`"],
        ),
        (
            format!("{}{VALUES}", c("command = 'x'\nworkloads = ['json']")),
            &["contender `a` offers none of the workloads of this suite (values)"],
        ),
        (
            format!("{}{VALUES}", c("url = 'http://example.org'")),
            &["contender `a`: http://example.org is not an address of this machine; Faceoff loads"],
        ),
        (
            format!(
                "{}{VALUES}",
                c("command = 'x'\nneeds = { go = '1.27', dotnet = '10' }")
            ),
            &[
                "no contender can run here:\n  a: needs dotnet 10, which is not installed; \
               needs go 1.27, but 1.26.8 is installed",
            ],
        ),
        (
            format!(
                "[load]\nconnections = 961\ntime = '9s'\n{}{VALUES}",
                contenders(2)
            ),
            &[
                "961 connections need more open files than the limit of 1024; raise it with \
                 `ulimit -n 1025`",
                "--time 9.00 s is too short: a comparison of 2 contenders needs at least 10.0 s",
            ],
        ),
        (
            format!(
                "[[service]]\nname = 'db'\ncommand = 'x'\nneeds = {{ go = '2' }}\n{}{VALUES}",
                contenders(1)
            ),
            &["service `db` needs go 2, but 1.26.8 is installed, and the contenders need it"],
        ),
        (
            format!(
                "[[service]]\nname = 'db'\nurl = 'http://127.0.0.1:1'\n{}{VALUES}",
                contenders(1)
            ),
            &["service `db` has a `url`; one that runs already needs no table"],
        ),
        (
            format!(
                "{}{}{VALUES}",
                c("url = 'http://10.0.0.1'"),
                c("command = 'x'")
            ),
            &[
                "contender `a`: http://10.0.0.1 is not an address",
                "two contenders are named `a`",
            ],
        ),
    ];
    for (text, expected) in cases {
        assert_refused(&text, &choices(), &host(), expected);
    }
    let one = Host::imagined(1, 1_024, &[]);
    let text = format!("{}{VALUES}", contenders(2));
    assert_refused(
        &text,
        &choices(),
        &one,
        &["this program may use only one processor"],
    );
    let short = Choices {
        time: Some(Nanos::from_secs(1)),
        ..choices()
    };
    assert_refused(&text, &short, &host(), &["--time 1.00 s is too short"]);
}

#[test]
fn as_many_as_allowed_are_not_too_many() {
    let text = format!(
        "[load]\nconnections = 960\ntime = '60s'\n{}{VALUES}",
        contenders(12)
    );
    let plan = plan(&text);
    assert_eq!(plan.contenders.len(), 12);
    assert_eq!(plan.workloads[0].load, Load::Closed { connections: 960 });
    assert_eq!(plan.time_per_workload, Nanos::from_secs(60));
}

#[test]
fn a_contender_whose_toolchain_is_missing_is_left_out_with_the_reason() {
    let text = format!(
        "{}[[contender]]\nname = 'old'\nlanguage = 'JavaScript'\ncommand = 'x'\n\
         needs = {{ node = '20', go = '1.22' }}\n{VALUES}",
        contenders(1)
    );
    let plan = plan(&text);
    assert_eq!(plan.contenders.len(), 1);
    let out = &plan.left_out[0];
    assert_eq!(
        (out.contender.as_str(), out.language.as_str()),
        ("old", "JavaScript")
    );
    assert_eq!(out.reason, "needs node 20, but 18.0 is installed");
}

#[test]
fn the_time_depends_on_how_many_compete_and_how_quick_it_must_be() {
    // Contenders, depth, time on the command line, time in the suite, and what comes of it.
    let cases = [
        (1, Depth::Standard, None, None, 180),
        (4, Depth::Standard, None, None, 180),
        (5, Depth::Standard, None, None, 250),
        (6, Depth::Standard, None, None, 300),
        (2, Depth::Quick, None, None, 60),
        (12, Depth::Quick, None, None, 60),
        (2, Depth::Standard, None, Some(90), 90),
        (2, Depth::Quick, None, Some(90), 90),
        (2, Depth::Standard, Some(30), Some(90), 30),
        (2, Depth::Standard, Some(10), None, 10),
    ];
    for (count, depth, asked, written, expected) in cases {
        let load = written.map(|seconds| format!("[load]\ntime = '{seconds}s'\n"));
        let text = format!("{}{}{VALUES}", load.unwrap_or_default(), contenders(count));
        let choices = Choices {
            time: asked.map(Nanos::from_secs),
            depth,
            ..choices()
        };
        let plan = resolve(&suite(&text), &choices, &host()).unwrap();
        assert_eq!(
            plan.time_per_workload,
            Nanos::from_secs(expected),
            "{count} {depth:?}"
        );
        assert_eq!(plan.depth, depth);
    }
}

#[test]
fn what_a_suite_does_not_say_has_its_default() {
    let plan = plan(&format!("{}{VALUES}", contenders(2)));
    assert_eq!((plan.seed, plan.zone), (7, 0.02));
    assert_eq!(plan.cores.contender, [0, 1]);
    let workload = &plan.workloads[0];
    assert_eq!(workload.load, Load::Closed { connections: 125 });
    assert_eq!(workload.connection_use, ConnectionUse::KeepAlive);
    let timing = workload.timing;
    assert_eq!(timing.warm_up, Nanos::from_millis(500));
    assert_eq!(timing.window, Nanos::from_millis(1_000));
    assert_eq!(
        (timing.timeout, timing.grace),
        (Nanos::from_secs(2), Nanos::from_secs(2))
    );
    let Start::Managed(managed) = &plan.contenders[0].start else {
        panic!("{:?}", plan.contenders[0]);
    };
    assert!(managed.folder.is_absolute());
    assert_eq!(managed.port, PortChoice::Fresh);
    assert_eq!(managed.ready_within, Nanos::from_secs(30));
    assert_eq!(managed.build, None);
    assert_eq!(plan.contenders[0].language, "-");
}

#[test]
fn what_a_suite_says_is_in_the_plan() {
    let text = "
        [load]
        connections = 7
        warm-up = '100ms'
        window = '2s'
        timeout = '5s'
        one-request-per-connection = true
        equal-within-percent = 5
        [[contender]]
        name = 'a'
        command = 'x'
        build = 'go build'
        inputs = ['../go.sum']
        needs = { go = '1.22' }
        port = 3000
        ready-within = '1m'
        workloads = ['values', 'other']
        [[contender]]
        name = 'b'
        url = 'https://[::1]:8443'
        [[service]]
        name = 'stub'
        command = 'stub'
        address-in = 'STUB'
        ready = '/health'
        [[workload]]
        name = 'values'";
    let plan = plan(text);
    assert_eq!(plan.zone, 0.05);
    let workload = &plan.workloads[0];
    assert_eq!(workload.load, Load::Closed { connections: 7 });
    assert_eq!(workload.connection_use, ConnectionUse::OneRequest);
    let timing = workload.timing;
    assert_eq!(timing.warm_up, Nanos::from_millis(100));
    assert_eq!(
        (timing.window, timing.timeout),
        (Nanos::from_secs(2), Nanos::from_secs(5))
    );
    let Start::Managed(managed) = &plan.contenders[0].start else {
        panic!("{:?}", plan.contenders[0]);
    };
    let build = managed.build.as_ref().unwrap();
    assert_eq!(build.command, ["go", "build"]);
    assert_eq!(build.inputs, ["../go.sum"]);
    // The version that is here, not the one that is asked for: a new one is a new build.
    assert_eq!(build.toolchains["go"], "1.26.8");
    assert_eq!(managed.port, PortChoice::Fixed(3_000));
    assert_eq!(managed.ready_within, Nanos::from_secs(60));
    let running = Start::Running {
        url: "https://[::1]:8443".to_owned(),
    };
    let schemes: Vec<_> = plan.contenders.iter().map(|c| c.scheme).collect();
    assert_eq!(schemes, [Scheme::Http, Scheme::Https]);
    assert_eq!(plan.contenders[1].start, running);
    let service = &plan.services[0];
    assert_eq!(
        (service.name.as_str(), service.ready.as_deref()),
        ("stub", Some("/health"))
    );
    assert_eq!(service.address_in.as_deref(), Some("STUB"));
}

#[test]
fn a_contender_of_another_workload_than_the_chosen_one_is_no_mistake() {
    let text = format!(
        "{}[[contender]]\nname = 'b'\ncommand = 'x'\nworkloads = ['own']\n\
         {VALUES}[[workload]]\nname = 'own'\npath = '/'\n",
        contenders(1)
    );
    let only_values = Choices {
        workloads: vec!["values".to_owned()],
        ..choices()
    };
    let plan = resolve(&suite(&text), &only_values, &host()).unwrap();
    assert_eq!(plan.contenders.len(), 2);
    assert_eq!(plan.workloads.len(), 1);
}

#[test]
fn a_relative_folder_is_fixed_where_the_suite_is_read() {
    let mut suite = suite(&format!("{}{VALUES}", contenders(1)));
    let crate::config::StartFile::Managed(file) = &mut suite.contenders[0].start else {
        panic!("{suite:?}");
    };
    file.folder = Path::new("somewhere").to_owned();
    let plan = resolve(&suite, &choices(), &host()).unwrap();
    let Start::Managed(managed) = &plan.contenders[0].start else {
        panic!("{plan:?}");
    };
    assert_eq!(
        managed.folder,
        std::env::current_dir().unwrap().join("somewhere")
    );
}

#[test]
fn one_seed_gives_one_plan() {
    let text = format!("{}{VALUES}", contenders(2));
    assert_eq!(plan(&text).workloads, plan(&text).workloads);
    let other = Choices {
        seed: 8,
        ..choices()
    };
    let other = resolve(&suite(&text), &other, &host()).unwrap();
    assert_ne!(plan(&text).workloads, other.workloads);
}
