use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::time::{Duration, Instant};

use faceoff_record::{
    Contender, ContenderName, Figure, Managed, Nanos, PortChoice, Scheme, Service, Start, Target,
    Transport,
};

use super::{LaunchError, WRONG_PATIENCE, Waiting, fill_port, launch_service};
use crate::cancel::Cancel;
use crate::contender::log::LogMark;
use crate::contender::{Contender as Alive, Ready};
use crate::lab::Lab;
use crate::testing::{Scene, contract, serve_tls};
use crate::verify;

fn contender(start: Start) -> Contender {
    Contender {
        name: ContenderName::new("x"),
        language: "sh".to_owned(),
        framework: None,
        version: None,
        class: faceoff_record::Class::Standard,
        workloads: Vec::new(),
        scheme: faceoff_record::Scheme::Http,
        start,
    }
}

fn launch(managed: Managed, lab: &mut Lab) -> Result<Alive<Ready>, LaunchError> {
    Alive::built(contender(Start::Managed(managed))).launch(lab, &contract())
}

fn find(url: String) -> Result<Alive<Ready>, LaunchError> {
    let mut plan = contender(Start::Running { url: url.clone() });
    if url.starts_with("https://") {
        plan.scheme = Scheme::Https;
    }
    Alive::built(plan).launch(&mut Scene::new().lab(), &contract())
}

/// Waits for a server that listens already, so that it does not matter how long its start takes.
fn wait_for(scene: &Scene, manner: &str, within: Nanos) -> Result<SocketAddr, LaunchError> {
    let mut lab = scene.lab();
    let port = lab.ports.free().unwrap();
    let mut order = scene.order(&[]);
    let managed = scene.managed_role(&format!("serve {manner} 0 0"));
    (order.command, order.env) = (managed.command, managed.env);
    order.env.insert("PORT".to_owned(), port.to_string());
    let keeper = scene.launch(&order).unwrap();
    scene.await_log("port");
    let log = LogMark::start_of(&order.log);
    let mut waiting = Waiting {
        keeper: Some(keeper),
        port,
        log: &log,
        within,
        lab: &lab,
    };
    waiting
        .until(|address, patience| verify::answers(address, &Transport::Tcp, &contract(), patience))
}

#[test]
fn the_start_up_time_ends_with_the_first_right_answer() {
    let scene = Scene::new();
    let began = Instant::now();
    let ready = launch(scene.managed_role("serve right 137 50"), &mut scene.lab()).unwrap();
    let all = Nanos::from(began.elapsed());
    let start_up = *ready.state.life.start_up.known().unwrap();
    assert!(start_up >= Nanos::from_millis(137 + 50), "{start_up}");
    assert!(start_up <= all, "{start_up} of {all}");
    assert_eq!(scene.alive(), 1);
    drop(ready);
    assert_eq!(scene.alive(), 0);
}

#[test]
fn complete_answers_that_are_not_right_yet_are_waited_out() {
    let scene = Scene::new();
    launch(scene.managed_role("serve preparing 0 0"), &mut scene.lab()).unwrap();
}

#[test]
fn answers_that_stay_wrong_are_put_up_with_for_a_while_only() {
    let scene = Scene::new();
    let began = Instant::now();
    let error = launch(scene.managed_role("serve wrong 0 0"), &mut scene.lab())
        .err()
        .unwrap();
    let LaunchError::Wrong(violation) = error else {
        panic!("{error}");
    };
    // By far the shorter of the two times: 30 s are allowed for the start.
    assert!(began.elapsed() >= WRONG_PATIENCE);
    assert_eq!(violation.rule, "answer");
    assert_eq!(violation.request.to_string(), "GET /");
    assert!(
        violation.answer.starts_with("HTTP 200\n"),
        "{}",
        violation.answer
    );
    assert!(
        violation.problem.contains("\"wrong\""),
        "{}",
        violation.problem
    );
    assert_eq!(scene.alive(), 0);
}

#[test]
fn a_server_that_listens_elsewhere_is_told_where() {
    let scene = Scene::new();
    let error = wait_for(&scene, "elsewhere", Nanos::from_millis(20)).unwrap_err();
    let elsewhere = scene.logged("port")[0];
    let LaunchError::ListensElsewhere { port, .. } = &error else {
        panic!("{error}");
    };
    let expected = format!("it listens on 127.0.0.1:{elsewhere}, not on port {port}; use");
    let message = error.to_string();
    assert!(message.starts_with(&expected), "{message}");
    assert!(
        message.contains(&format!("    port {elsewhere}")),
        "the log's end: {message}"
    );
    assert_eq!(scene.alive(), 0);
}

#[test]
fn a_server_that_does_not_answer_is_given_up_after_its_time() {
    // How it behaves, and what is said of the last try.
    let cases = [("closing", "disconnected"), ("silent", "timeout")];
    for (manner, last) in cases {
        let scene = Scene::new();
        let (began, within) = (Instant::now(), Nanos::from_millis(200));
        let error = wait_for(&scene, manner, within).unwrap_err();
        assert!(began.elapsed() >= Duration::from(within));
        assert!(matches!(error, LaunchError::NoAnswer { .. }), "{error}");
        let message = error.to_string();
        for part in ["within 200 ms", last, "its log ends:"] {
            assert!(message.contains(part), "no `{part}` in: {message}");
        }
        assert_eq!(scene.alive(), 0);
    }
}

#[test]
fn a_server_that_never_listens_is_given_up_after_its_time() {
    let scene = Scene::new();
    let mut managed = scene.managed("exec sleep 600");
    managed.ready_within = Nanos::from_millis(200);
    let began = Instant::now();
    let error = launch(managed, &mut scene.lab()).err().unwrap();
    assert!(began.elapsed() >= Duration::from_millis(200));
    let message = error.to_string();
    assert!(
        message.ends_with("within 200 ms (connection refused); its log is empty"),
        "{message}"
    );
    assert_eq!(scene.alive(), 0);
}

#[test]
fn a_server_that_dies_is_told_with_the_end_of_this_launch_s_log() {
    let scene = Scene::new();
    let mut lab = scene.lab();
    let mut messages = [
        "echo an old line; exit 1",
        "seq 1 40; echo cannot bind >&2; exit 7",
    ]
    .map(|script| {
        launch(scene.managed(script), &mut lab)
            .err()
            .unwrap()
            .to_string()
    });
    let last = &mut messages[1];
    assert!(last.starts_with("it ended with exit code 7 before it answered; its log ends:\n"));
    let tail: Vec<&str> = last.lines().skip(1).map(str::trim).collect();
    let expected: Vec<_> = (27..=40).map(|n| n.to_string()).collect();
    assert_eq!(tail[..14], expected[..]);
    assert_eq!(tail[14..], ["cannot bind"]);
}

#[test]
fn a_contender_is_told_its_port_and_its_services_and_its_stack_is_shifted() {
    let scene = Scene::new();
    let mut lab = scene.lab();
    lab.addresses
        .insert("STUB".to_owned(), "http://127.0.0.1:1".to_owned());
    let script = "echo $PORT {port} $STUB $MINE ${{#FACEOFF_PADDING}}; exit 7";
    let mut managed = scene.managed(script);
    managed.env.insert("MINE".to_owned(), "own".to_owned());
    // A port of the contender's own choice would not be the one that is asked.
    managed.env.insert("PORT".to_owned(), "1".to_owned());
    let paddings: Vec<usize> = (0..8)
        .map(|_| {
            let message = launch(managed.clone(), &mut lab).err().unwrap().to_string();
            let words: Vec<&str> = message.lines().nth(1).unwrap().split_whitespace().collect();
            assert_eq!(words[0], words[1]);
            assert_eq!(words[2..4], ["http://127.0.0.1:1", "own"]);
            words[4].parse().unwrap()
        })
        .collect();
    assert!(
        paddings
            .iter()
            .all(|length| *length < super::LARGEST_PADDING)
    );
    assert!(
        paddings.iter().any(|length| *length != paddings[0]),
        "{paddings:?}"
    );
}

#[test]
fn what_prevents_a_start_is_told_before_anything_is_started() {
    let scene = Scene::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let mut fixed = scene.managed("exec sleep 600");
    fixed.port = PortChoice::Fixed(port);
    let mut missing = scene.managed("");
    missing.command = vec!["./no-server".to_owned()];
    let cases = [
        (fixed, format!("port {port} is taken by another process")),
        (
            scene.managed("exec sleep {prot}"),
            "its command cannot be filled in: `exec sleep {prot}`: only {port} is known".to_owned(),
        ),
        (missing, "cannot start `./no-server`".to_owned()),
    ];
    for (managed, expected) in cases {
        let message = launch(managed, &mut scene.lab()).err().unwrap().to_string();
        assert!(message.starts_with(&expected), "{message}");
    }
    assert_eq!(scene.alive(), 0);
}

#[test]
fn a_wish_to_end_ends_the_wait_and_what_was_started() {
    let scene = Scene::new();
    let mut lab = scene.lab();
    lab.cancel.cancel();
    let error = launch(scene.managed("exec sleep 600"), &mut lab)
        .err()
        .unwrap();
    assert!(matches!(error, LaunchError::Cancelled(_)), "{error}");
    assert_eq!(scene.alive(), 0);
}

#[test]
fn a_service_is_ready_when_it_accepts_or_when_its_path_is_answered() {
    // How it behaves, and the path that must be answered.
    let cases = [
        ("silent", None),
        ("right", Some("/health")),
        ("preparing", Some("/")),
    ];
    for (manner, ready) in cases {
        let scene = Scene::new();
        let mut lab = scene.lab();
        let service = Service {
            name: "stub".to_owned(),
            managed: scene.managed_role(&format!("serve {manner} 0 0")),
            ready: ready.map(str::to_owned),
            address_in: None,
        };
        let (keeper, address) = launch_service(&service, &mut lab).unwrap();
        assert!(address.ip().is_loopback());
        let log = std::fs::read_to_string(lab.log_of("service-stub")).unwrap();
        assert!(log.contains(&format!("port {}", address.port())), "{log}");
        drop(keeper);
        assert_eq!(scene.alive(), 0);
    }
}

/// A server in this process that answers every request with `body`; gives its port.
fn running(body: &'static str) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for socket in listener.incoming() {
            let mut socket = socket.unwrap();
            let _ = socket.read(&mut [0; 1024]);
            let length = body.len();
            let _ = write!(
                socket,
                "HTTP/1.1 200 OK\r\nContent-Length: {length}\r\n\r\n{body}"
            );
        }
    });
    port
}

#[test]
fn a_server_that_runs_already_is_found_by_its_address_and_has_no_start_up_time() {
    let port = running("value");
    for url in [
        format!("http://127.0.0.1:{port}"),
        format!("http://localhost:{port}"),
    ] {
        let found = find(url).unwrap();
        let life = found.state.life;
        assert_eq!(life.address, SocketAddr::from(([127, 0, 0, 1], port)));
        assert_eq!(life.start_up, Figure::absent("it was running already"));
        assert!(life.keeper.is_none());
    }
}

#[test]
fn a_server_that_speaks_tls_is_asked_checked_and_loaded_by_tls() {
    let (address, _seen) = serve_tls();
    let found = find(format!("https://{address}")).unwrap();
    let verified = found
        .verify_launch(&contract(), &Cancel::default())
        .unwrap();
    let server_name = "localhost".to_owned();
    let target = Target {
        address,
        host: format!("localhost:{}", address.port()),
        transport: Transport::Tls { server_name },
    };
    assert_eq!(verified.target(), target);
}

#[test]
fn a_running_server_that_is_of_no_use_is_told_with_its_reason() {
    let wrong = running("wrong");
    let cases = [
        ("http://127.0.0.1:1".to_owned(), "nobody listens there"),
        (
            format!("http://127.0.0.1:{wrong}"),
            "its first answer is wrong: the body is \"wrong\"",
        ),
        (
            format!("http://localhost:{wrong}"),
            "its first answer is wrong: the body is \"wrong\"",
        ),
        ("http://127.0.0.1:99999".to_owned(), "invalid port"),
        (
            format!("https://127.0.0.1:{wrong}"),
            "does it speak plain HTTP there?",
        ),
    ];
    for (url, part) in cases {
        let message = find(url).err().unwrap().to_string();
        assert!(message.contains(part), "no `{part}` in: {message}");
    }
}

#[test]
fn the_port_is_filled_in_and_braces_can_be_escaped() {
    let cases = [
        ("--port={port}", Some("--port=8080")),
        ("{port}{port}", Some("80808080")),
        ("plain", Some("plain")),
        ("{{\"port\": {port}}}", Some("{\"port\": 8080}")),
        ("{{port}}", Some("{port}")),
        ("größer {port}", Some("größer 8080")),
        ("{prot}", None),
        ("{", None),
        ("}", None),
    ];
    for (word, filled) in cases {
        assert_eq!(fill_port(word, 8080).ok().as_deref(), filled, "{word}");
    }
}

proptest::proptest! {
    #[test]
    fn filling_a_word_never_panics_and_escaping_gives_it_back(word in "[a-z{}é:]{0,12}") {
        let _ = fill_port(&word, 8080);
        let escaped = word.replace('{', "{{").replace('}', "}}");
        proptest::prop_assert_eq!(fill_port(&escaped, 8080), Ok(word));
    }
}
