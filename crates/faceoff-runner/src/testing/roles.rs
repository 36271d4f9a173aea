//! The parts that this binary plays as a child.

use std::fs::OpenOptions;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use nix::time::ClockId;

use super::{ORDER, ROLE, clock, keeper};
use crate::cancel::Cancel;
use crate::keep::Keeper;

/// The words that start this binary as a child. On one thread, since the keeper pins only its own.
pub(super) fn command() -> Vec<String> {
    let program = std::env::current_exe().unwrap().display().to_string();
    let arguments = [
        "testing::roles::a_child_plays_its_part",
        "--exact",
        "--quiet",
        "--nocapture",
        "--test-threads=1",
    ];
    std::iter::once(program)
        .chain(arguments.map(str::to_owned))
        .collect()
}

/// Not a test of anything: how this binary becomes a child. Without a role it does nothing.
#[test]
fn a_child_plays_its_part() {
    let Ok(role) = std::env::var(ROLE) else {
        return;
    };
    let words: Vec<&str> = role.split(' ').collect();
    // The harness has begun a line.
    println!();
    match words[..] {
        ["keeper"] => serve_as_keeper(),
        ["runner"] => launch_as_runner(),
        ["burn", millis] => burn(millis),
        ["burn", millis, "stay"] => {
            burn(millis);
            stay();
        }
        ["end-with-parent"] => end_with_parent(),
        ["clean-up"] => clean_up(),
        ["spike", mebibytes] => spike(mebibytes),
        ["listen", address] => listen(address),
        ["serve", manner, before_listening, before_answering] => {
            serve(manner, before_listening, before_answering);
        }
        _ => panic!("nobody knows the role {role}"),
    }
}

fn stay() {
    loop {
        std::thread::park();
    }
}

fn serve_as_keeper() {
    let answers = OpenOptions::new().write(true).open("/dev/fd/3").unwrap();
    // The runner may be gone; whoever started it sees that.
    let _ = crate::keep(std::io::stdin().lock(), answers);
}

fn launch_as_runner() {
    let order = serde_json::from_str(&std::env::var(ORDER).unwrap()).unwrap();
    let _keeper = Keeper::launch(&keeper(), &order).unwrap();
    println!("launched");
    stay();
}

/// Works for exactly this long by the thread's own clock, and says what the whole process has
/// used until then, its start included.
fn burn(millis: &str) {
    let until = clock(ClockId::CLOCK_THREAD_CPUTIME_ID) + milliseconds(millis);
    let mut turns = 0_u64;
    while clock(ClockId::CLOCK_THREAD_CPUTIME_ID) < until {
        turns = std::hint::black_box(turns + 1);
    }
    let used = clock(ClockId::CLOCK_PROCESS_CPUTIME_ID);
    println!("used {}", used.as_nanos());
}

fn end_with_parent() {
    crate::end_with_parent().unwrap();
    println!("parent {}", nix::unistd::getppid());
    println!("ready");
    stay();
}

/// Ends in its own time when it is asked to.
fn clean_up() {
    let asked = Cancel::on_signals().unwrap();
    println!("ready");
    while asked.sleep(Duration::from_secs(600)).is_ok() {}
    println!("cleaned up");
}

/// Takes so much memory and gives it back.
fn spike(mebibytes: &str) {
    let size = mebibytes.parse::<usize>().unwrap() << 20;
    drop(std::hint::black_box(vec![1_u8; size]));
    println!("spiked");
    stay();
}

fn listen(address: &str) {
    let listener = TcpListener::bind(address).unwrap();
    println!("port {}", listener.local_addr().unwrap().port());
    stay();
    drop(listener);
}

/// A server on the port of `PORT` that listens late and answers late the first time.
fn serve(manner: &str, before_listening: &str, before_answering: &str) {
    let port: u16 = std::env::var("PORT").unwrap().parse().unwrap();
    let port = if manner == "elsewhere" { 0 } else { port };
    std::thread::sleep(milliseconds(before_listening));
    let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
    println!("port {}", listener.local_addr().unwrap().port());
    for (number, socket) in listener.incoming().enumerate() {
        if number == 0 {
            std::thread::sleep(milliseconds(before_answering));
        }
        // Whoever asked may be gone again.
        let _ = answer(socket.unwrap(), manner, number);
    }
}

fn answer(mut socket: TcpStream, manner: &str, number: usize) -> std::io::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        socket.read_exact(&mut byte)?;
        head.extend(byte);
    }
    let (status, body) = match manner {
        "closing" => return Ok(()),
        "silent" => {
            stay();
            return Ok(());
        }
        "wrong" => (200, "wrong"),
        // Ready only after a while, as far as HTTP is concerned.
        "preparing" if number < 20 => (503, "starting"),
        _ => (200, "value"),
    };
    let length = body.len();
    write!(
        socket,
        "HTTP/1.1 {status} x\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{body}"
    )
}

fn milliseconds(text: &str) -> Duration {
    Duration::from_millis(text.parse().unwrap())
}
