//! What a suite without mistakes reads into, and files that cannot be read at all.

use std::collections::BTreeMap;
use std::fs;

use faceoff_record::{Class, Header, Nanos, Scheme};

use super::{GOOD, told};
use crate::config::file::{ExpectFile, LoadFile, ManagedFile, ProbeFile, RequestFile};
use crate::config::{
    ConfigError, ContenderFile, StartFile, SuiteFile, WorkloadFile, all_contenders, read_suite,
};
use crate::testing::Scene;

#[test]
fn a_suite_that_cannot_be_read_is_told_with_its_path() {
    let scene = Scene::new();
    let binary = scene.folder().join("binary.toml");
    fs::write(&binary, [0xff, 0xfe]).unwrap();
    for path in [
        scene.folder().join("nowhere.toml"),
        binary,
        scene.folder().to_owned(),
    ] {
        let error = read_suite(&path).unwrap_err();
        assert!(matches!(error, ConfigError::Unreadable { .. }));
        assert_eq!(error.to_string(), format!("cannot read {}", path.display()));
    }
}

#[test]
fn a_suite_with_everything_reads_into_what_was_written() {
    let scene = Scene::new();
    scene.write("own/contender.toml", "name = 'own'\ncommand = './server'\n");
    let path = scene.write(
        "everything.toml",
        r#"
        name = "everything"
        [load]
        connections = 64
        time = "2m"
        warm-up = "0s"
        window = "1.5s"
        timeout = "500ms"
        one-request-per-connection = true
        server-cores = 2
        equal-within-percent = 3
        [[contender]]
        folder = "own"
        [[contender]]
        name = "full"
        language = "Go"
        framework = "Gin"
        version = "1.2"
        class = "tuned"
        workloads = "users"
        folder = "elsewhere"
        cwd = "sub"
        needs = { go = "1.22" }
        build = "go build -o 'my server' ."
        inputs = ["../go.sum"]
        command = "'./my server' --port={port}"
        env = { MODE = "fast" }
        port = 3000
        ready-within = "1m"
        source = "*.go"
        [[contender]]
        name = "shell"
        class = "bare"
        scheme = "https"
        shell = true
        build = "a && b"
        command = "exec c $PORT"
        [[contender]]
        name = "running"
        url = "https://127.0.0.1:8443/"
        [[service]]
        name = "stub"
        command = "stub {port}"
        address-in = "STUB_URL"
        ready = "/health"
        [[workload]]
        name = "values"
        [[workload]]
        name = "users"
        method = "POST"
        path = "/users/{id}"
        headers = { Accept = "text/plain" }
        body = "{id}"
        expect = { status = [200, 201], type = "text/plain", body = "user {id}" }
        [[workload.probe]]
        rule = "other-method"
        reason = "It must look."
        method = "DELETE"
        path = "/users/1"
        expect.status = 405
        [[workload.probe]]
        path = "/nowhere"
        "#,
    );
    let text = |word: &str| Some(word.to_owned());
    let words = |line: &str| -> Vec<String> { line.split('|').map(str::to_owned).collect() };
    let map = |name: &str, value: &str| BTreeMap::from([(name.to_owned(), value.to_owned())]);
    let plain = |folder: &str, command: &str| ManagedFile {
        folder: scene.folder().join(folder),
        needs: BTreeMap::new(),
        build: None,
        inputs: Vec::new(),
        command: words(command),
        env: BTreeMap::new(),
        port: None,
        ready_within: None,
        source: Vec::new(),
        address_in: None,
        ready: None,
    };
    let contender = |name: &str, start: StartFile| ContenderFile {
        name: name.to_owned(),
        language: None,
        framework: None,
        version: None,
        class: Class::Standard,
        workloads: Vec::new(),
        scheme: Scheme::Http,
        start,
    };
    let managed = |file: ManagedFile| StartFile::Managed(Box::new(file));
    let request = |method: &str, path: &str, expect: ExpectFile| RequestFile {
        method: method.to_owned(),
        path: path.to_owned(),
        headers: Vec::new(),
        body: None,
        expect,
    };
    let full = ManagedFile {
        needs: map("go", "1.22"),
        build: Some(words("go|build|-o|my server|.")),
        inputs: words("../go.sum"),
        env: map("MODE", "fast"),
        port: Some(3_000),
        ready_within: Some(Nanos::from_secs(60)),
        source: words("*.go"),
        ..plain("elsewhere/sub", "./my server|--port={port}")
    };
    let expected = SuiteFile {
        path: path.clone(),
        name: "everything".to_owned(),
        load: LoadFile {
            connections: Some(64),
            time: Some(Nanos::from_secs(120)),
            warm_up: Some(Nanos::ZERO),
            window: Some(Nanos::from_millis(1_500)),
            timeout: Some(Nanos::from_millis(500)),
            one_request_per_connection: true,
            server_cores: Some(2),
            equal_within_percent: Some(3),
        },
        contenders: vec![
            contender("own", managed(plain("own", "./server"))),
            ContenderFile {
                language: text("Go"),
                framework: text("Gin"),
                version: text("1.2"),
                class: Class::Tuned,
                workloads: words("users"),
                ..contender("full", managed(full))
            },
            ContenderFile {
                class: Class::Bare,
                scheme: Scheme::Https,
                ..contender(
                    "shell",
                    managed(ManagedFile {
                        build: Some(words("sh|-c|a && b")),
                        ..plain("", "sh|-c|exec c $PORT")
                    }),
                )
            },
            ContenderFile {
                scheme: Scheme::Https,
                ..contender(
                    "running",
                    StartFile::Running {
                        url: "https://127.0.0.1:8443".to_owned(),
                    },
                )
            },
        ],
        services: vec![contender(
            "stub",
            managed(ManagedFile {
                address_in: text("STUB_URL"),
                ready: text("/health"),
                ..plain("", "stub|{port}")
            }),
        )],
        workloads: vec![
            WorkloadFile {
                name: "values".to_owned(),
                requests: None,
                probes: Vec::new(),
                same_body: false,
            },
            WorkloadFile {
                name: "users".to_owned(),
                requests: Some(RequestFile {
                    headers: vec![Header::new("Accept", "text/plain")],
                    body: text("{id}"),
                    ..request(
                        "POST",
                        "/users/{id}",
                        ExpectFile {
                            status: vec![200, 201],
                            media_type: text("text/plain"),
                            body: text("user {id}"),
                        },
                    )
                }),
                probes: vec![
                    ProbeFile {
                        rule: "other-method".to_owned(),
                        reason: "It must look.".to_owned(),
                        request: request(
                            "DELETE",
                            "/users/1",
                            ExpectFile {
                                status: vec![405],
                                ..ExpectFile::default()
                            },
                        ),
                    },
                    ProbeFile {
                        rule: "GET /nowhere".to_owned(),
                        reason: "The suite asks for it.".to_owned(),
                        request: request("GET", "/nowhere", ExpectFile::default()),
                    },
                ],
                same_body: false,
            },
        ],
    };
    let found = read_suite(&path).unwrap();
    assert_eq!(found, expected);
    assert_eq!(found.toolchains().collect::<Vec<_>>(), ["go"]);
}

#[test]
fn a_suite_without_a_name_has_that_of_its_file() {
    let scene = Scene::new();
    let path = scene.write("my suite.toml", GOOD);
    assert_eq!(read_suite(&path).unwrap().name, "my suite");
}

#[test]
fn all_contenders_of_a_folder_make_a_suite_in_the_order_of_their_folders() {
    let scene = Scene::new();
    for (folder, name) in [("b", "first"), ("a", "second")] {
        let text = format!("name = '{name}'\ncommand = 'x'\n");
        scene.write(&format!("all/{folder}/contender.toml"), &text);
    }
    scene.write("all/not-one/readme.md", "");
    let all = scene.folder().join("all");
    let suite = all_contenders(&all).unwrap();
    let names: Vec<_> = suite.contenders.iter().map(|c| c.name.as_str()).collect();
    assert_eq!(names, ["second", "first"]);
    let workloads: Vec<_> = suite.workloads.iter().map(|w| w.name.as_str()).collect();
    assert_eq!(workloads, ["values"]);

    scene.write("all/c/contender.toml", "name = 'c'\n");
    scene.write("all/d/contender.toml", "command = 'd'\n");
    let found = told(&scene, all_contenders(&all).err());
    assert_eq!(found.len(), 2, "{found:?}");
    assert!(found[0].starts_with("all/c/contender.toml 1 command: `command` is missing"));
    assert!(found[1].starts_with("all/d/contender.toml 1 name: `name` is missing"));
    assert!(all_contenders(&scene.folder().join("nowhere")).is_err());
}
