//! Contenders given by a URL: loaded, not managed.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::harness::{Place, SHORT, contender, free_port, scripted_server, text, until};

/// A server that runs without Faceoff's doing.
struct Server {
    child: Child,
    port: u16,
}

impl Server {
    fn start(words: &str) -> Self {
        let port = free_port();
        let child = Command::new(scripted_server())
            .args(words.split(' '))
            .args(["--port", &port.to_string()])
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let server = Self { child, port };
        until("the server", Duration::from_secs(10), || {
            TcpStream::connect((Ipv4Addr::LOCALHOST, port)).ok()
        });
        server
    }

    fn contender(&self, host: &str) -> String {
        format!(
            "\n[[contender]]\nname = \"running\"\nurl = \"http://{host}:{}\"\n",
            self.port
        )
    }

    /// Whether it still answers.
    fn answers(&mut self) -> bool {
        let mut answer = String::new();
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).unwrap();
        let request = "GET /api/values/1 HTTP/1.1\r\n\r\n";
        stream.write_all(request.as_bytes()).unwrap();
        stream.shutdown(std::net::Shutdown::Write).unwrap();
        stream.read_to_string(&mut answer).unwrap();
        answer.ends_with("value") && self.child.try_wait().unwrap().is_none()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended, which a test has seen then.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_running_server_is_loaded_and_left_running() {
    let place = Place::alone();
    let mut server = Server::start("right --work 20000");
    place.suite(&[SHORT, &server.contender("127.0.0.1")]);
    let ended = place.run(&["--time", "5s", "--json"]).expect_code(0);
    assert!(server.answers(), "{ended}");
    place.assert_nothing_is_left();

    let json = ended.json();
    let running = contender(&json, "values", "running");
    assert_eq!(running["standing"], "measured", "{running:#}");
    assert!(
        running["throughput"]["value"].as_f64() > Some(0.0),
        "{running:#}"
    );
    let managed_only = [
        "cpu_us_per_request",
        "memory_after_bytes",
        "memory_peak_bytes",
        "startup_ms",
        "server_busy_percent",
        "lines_of_code",
    ];
    for key in managed_only {
        assert_eq!(running[key], Value::Null, "{key}: {running:#}");
        let reason = text(&running["absent"], key);
        assert!(!reason.is_empty(), "{key}: {running:#}");
    }
    let reason = text(&running["absent"], "cpu_us_per_request");
    assert!(reason.contains("it was running already"), "{reason}");
}

#[test]
fn a_running_server_is_checked_by_every_name_of_this_machine() {
    for host in ["127.0.0.1", "localhost"] {
        let place = Place::beside_others();
        let mut server = Server::start("right");
        place.suite(&[SHORT, &server.contender(host)]);
        place.check(&[]).expect_code(0);
        assert!(server.answers(), "{host}");
    }
}

#[test]
fn a_running_server_must_answer_right_too() {
    let place = Place::beside_others();
    let mut server = Server::start("ignores-id");
    place.suite(&[SHORT, &server.contender("127.0.0.1")]);
    let ended = place.check(&[]).expect_code(3);
    ended.shows(&["running deviates on values", "rule near-miss"]);
    assert!(server.answers());
}

#[test]
fn nobody_at_the_address_is_a_reason() {
    let place = Place::beside_others();
    let nobody = format!(
        "name = \"nobody\"\nurl = \"http://127.0.0.1:{}\"\n",
        free_port()
    );
    place.suite(&[
        SHORT,
        "[[contender]]\n",
        &nobody,
        &place.contender("right", "right"),
    ]);
    let ended = place.check(&[]).expect_code(1);
    ended.shows(&["nobody listens there", "right ok, 31 answers"]);
}

#[test]
fn only_this_machine_is_loaded() {
    for url in [
        "http://192.0.2.1:80",
        "http://example.org",
        "http://[2001:db8::1]:8080",
        "http://127.0.0.1.example.org:80",
    ] {
        let place = Place::beside_others();
        place.suite(&[
            SHORT,
            &format!("[[contender]]\nname = \"far\"\nurl = \"{url}\"\n"),
        ]);
        for ended in [place.check(&[]), place.run(&[])] {
            let ended = ended.expect_code(2);
            ended.tells(&["contender `far`", url, "is not an address of this machine"]);
        }
        assert!(!place.path("run").exists(), "{url}");
    }
}
