//! A contender for the end-to-end tests: right, or wrong in exactly one way.
//!
//! ```text
//! scripted_server MODE [--port N] [--host IP] [--after N] [--delay MS] [--work N] [--lives N]
//!                 [--events FILE --name NAME]
//! ```
//!
//! `right` keeps the contract of the workload `values`, and answers `/echo/{id}` with the id. What
//! the other modes do instead stands at [`Mode`]. Without `--port` the port is that of `PORT`;
//! `--after N` lets the first N requests be answered right, `--delay` comes before listening, and
//! `--work` is done for each answer, so that two contenders differ in speed, and with `--lives N`
//! only the first N processes of this name come to serve.
//!
//! Each process appends to the events file what happens to it, for tests to wait for. A line has the
//! event, the process's name and id, and more: `started` with its port, `asked` with method, path and
//! names of header fields (the first requests), `loaded` (a load runs), `failing` (the first request that is not answered
//! right), `alive` (it runs without serving).
#![allow(
    clippy::print_stderr,
    clippy::exit,
    reason = "this is a program under test: its error stream is its log, and it may die anywhere"
)]

use std::env;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::hint::black_box;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr, TcpListener, TcpStream};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, ExitCode, exit, id};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What is wrong with this server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Nothing.
    Right,
    /// It prints a stack trace, in colour, and ends with exit code 3.
    DiesAtStart,
    /// It runs, but opens no port.
    NeverListens,
    /// It takes whatever port is free.
    ListensElsewhere,
    /// It accepts connections and answers nothing.
    Hangs,
    /// It ends with exit code 5 in the middle of a request.
    Dies,
    /// Its status is 500.
    Errors,
    /// Its text is another one.
    WrongBody,
    /// Its media type is another one.
    WrongType,
    /// It looks at no more of a path than how it begins, and echoes one id for all.
    IgnoresId,
    /// It treats every method as GET.
    IgnoresMethod,
    /// It sends the beginning of an answer and closes.
    CutsShort,
    /// It sends one byte of the answer a second.
    Drips,
    /// It does not end on SIGTERM.
    IgnoresSigterm,
    /// A grandchild in a session of its own serves; this process only waits.
    DoubleForks,
    /// The same, but this process ends at once.
    Daemonizes,
    /// The same, but this process ends as soon as the other one serves, as daemons do.
    DaemonizesLate,
    /// Beside serving it starts a process that does not end with it.
    LeavesChild,
    /// It ends with exit code 4 unless `UPSTREAM` is the address of a server that answers.
    NeedsUpstream,
    /// Right, with chunked answers.
    Chunked,
    /// Right, without a Date.
    NoDate,
    /// Right, as HTTP/1.0, with a new connection for each request.
    Http10Close,
}

const MODES: &[(&str, Mode)] = &[
    ("right", Mode::Right),
    ("dies-at-start", Mode::DiesAtStart),
    ("never-listens", Mode::NeverListens),
    ("listens-elsewhere", Mode::ListensElsewhere),
    ("hangs", Mode::Hangs),
    ("dies", Mode::Dies),
    ("errors", Mode::Errors),
    ("wrong-body", Mode::WrongBody),
    ("wrong-type", Mode::WrongType),
    ("ignores-id", Mode::IgnoresId),
    ("ignores-method", Mode::IgnoresMethod),
    ("cuts-short", Mode::CutsShort),
    ("drips", Mode::Drips),
    ("ignores-sigterm", Mode::IgnoresSigterm),
    ("double-forks", Mode::DoubleForks),
    ("daemonizes", Mode::Daemonizes),
    ("daemonizes-late", Mode::DaemonizesLate),
    ("leaves-child", Mode::LeavesChild),
    ("needs-upstream", Mode::NeedsUpstream),
    ("chunked", Mode::Chunked),
    ("no-date", Mode::NoDate),
    ("http10-close", Mode::Http10Close),
];

/// So many requests are written down; a check asks fewer, a load more.
const REQUESTS_TOLD: u64 = 50;

/// So many requests come from a load only.
const LOADED: u64 = 200;

/// What the command line says.
struct Script {
    mode: Mode,
    host: IpAddr,
    port: u16,
    /// How many requests are answered right in any case.
    after: u64,
    delay: Duration,
    work: u64,
    lives: usize,
    name: String,
    events: Option<(PathBuf, File)>,
    /// Requests so far.
    requests: AtomicU64,
    /// The arguments after the mode, for processes of the same kind.
    rest: Vec<String>,
}

fn main() -> ExitCode {
    let script = match Script::from_arguments() {
        Ok(script) => script,
        Err(problem) => {
            eprintln!("scripted_server: {problem}");
            return ExitCode::from(2);
        }
    };
    match play(script) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("scripted_server: {error}");
            ExitCode::FAILURE
        }
    }
}

fn play(script: Script) -> io::Result<ExitCode> {
    match script.mode {
        Mode::DiesAtStart => {
            eprintln!("\x1b[31mException: no such table: users\x1b[0m");
            eprintln!("    at Database.open (app.js:12:7)");
            eprintln!("    at main (app.js:40:3)");
            return Ok(ExitCode::from(3));
        }
        Mode::NeverListens => wait_for_ever(&script),
        Mode::IgnoresSigterm => {
            // An ignored signal stays ignored in the program that takes the shell's place.
            let mut shell = Command::new("sh");
            shell.args(["-c", "trap '' TERM; exec \"$@\"", "sh"]);
            return Err(shell.arg(me()?).arg("right").args(&script.rest).exec());
        }
        Mode::DoubleForks => {
            serve_detached(&script)?;
            wait_for_ever(&script);
        }
        Mode::Daemonizes => {
            serve_detached(&script)?;
            return Ok(ExitCode::SUCCESS);
        }
        Mode::DaemonizesLate => {
            serve_detached(&script)?;
            while TcpStream::connect((script.host, script.port)).is_err() {
                thread::yield_now();
            }
            return Ok(ExitCode::SUCCESS);
        }
        Mode::LeavesChild => {
            let mut child = Command::new(me()?);
            child.arg("never-listens").args(&script.rest);
            child.process_group(0).spawn()?;
        }
        Mode::NeedsUpstream => {
            if let Err(problem) = ask_upstream() {
                eprintln!("UPSTREAM: {problem}");
                return Ok(ExitCode::from(4));
            }
        }
        _ => {}
    }
    if script.lived() >= script.lives {
        eprintln!("no life left");
        return Ok(ExitCode::from(6));
    }
    thread::sleep(script.delay);
    serve(script)
}

fn me() -> io::Result<PathBuf> {
    env::current_exe()
}

fn serve_detached(script: &Script) -> io::Result<()> {
    let mut detached = Command::new("setsid");
    detached.arg("--fork").arg(me()?);
    detached.arg("right").args(&script.rest).spawn()?.wait()?;
    Ok(())
}

fn wait_for_ever(script: &Script) -> ! {
    script.tell("alive");
    loop {
        thread::park();
    }
}

fn ask_upstream() -> Result<(), String> {
    let url = env::var("UPSTREAM").map_err(|_| "it is not set".to_owned())?;
    let address = url
        .strip_prefix("http://")
        .ok_or(format!("`{url}` is no URL"))?;
    let mut answer = String::new();
    TcpStream::connect(address)
        .and_then(|mut stream| {
            stream.write_all(b"GET /api/values/1 HTTP/1.1\r\nConnection: close\r\n\r\n")?;
            BufReader::new(stream).read_line(&mut answer)
        })
        .map_err(|error| format!("{url}: {error}"))?;
    if answer.contains(" 200 ") {
        Ok(())
    } else {
        Err(format!("{url} answered {answer:?}"))
    }
}

fn serve(script: Script) -> io::Result<ExitCode> {
    let port = match script.mode {
        Mode::ListensElsewhere => 0,
        _ => script.port,
    };
    let listener = TcpListener::bind((script.host, port))?;
    let address = listener.local_addr()?;
    eprintln!("listening on {address}");
    script.tell(&format!("started {}", address.port()));
    let script = Arc::new(script);
    for stream in listener.incoming() {
        let script = Arc::clone(&script);
        // That the other side has gone is its right.
        thread::spawn(move || stream.and_then(|stream| converse(&script, stream)));
    }
    Ok(ExitCode::SUCCESS)
}

/// A request as far as it matters.
#[derive(Default)]
struct Asked {
    method: String,
    path: String,
    /// The names of its header fields, in lower case.
    fields: Vec<String>,
}

fn converse(script: &Script, stream: TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut writer = stream.try_clone()?;
    let mut reader = BufReader::new(stream);
    while let Some(asked) = read_request(&mut reader)? {
        let number = script.requests.fetch_add(1, Ordering::Relaxed) + 1;
        script.tell_request(number, &asked);
        do_work(script.work);
        let mode = if number > script.after {
            script.mode
        } else {
            Mode::Right
        };
        match mode {
            Mode::Hangs => return wait_for_the_end(reader),
            Mode::Dies => {
                eprintln!("panicked at 'out of luck', handler.rs:7");
                exit(5);
            }
            Mode::CutsShort => {
                return writer.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nva");
            }
            Mode::Drips => {
                for byte in answer(mode, &asked) {
                    thread::sleep(Duration::from_secs(1));
                    writer.write_all(&[byte])?;
                }
            }
            _ => writer.write_all(&answer(mode, &asked))?,
        }
        if mode == Mode::Http10Close {
            return Ok(());
        }
    }
    Ok(())
}

/// Reads what comes until the other side closes.
fn wait_for_the_end(mut reader: BufReader<TcpStream>) -> io::Result<()> {
    io::copy(&mut reader, &mut io::sink()).map(drop)
}

/// The next request, or nothing when the other side has closed.
fn read_request(reader: &mut BufReader<TcpStream>) -> io::Result<Option<Asked>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace().map(str::to_owned);
    let (Some(method), Some(path)) = (words.next(), words.next()) else {
        return Ok(None);
    };
    let mut asked = Asked {
        method,
        path,
        ..Asked::default()
    };
    let mut length = 0;
    loop {
        let mut field = String::new();
        if reader.read_line(&mut field)? == 0 || field.trim().is_empty() {
            break;
        }
        let (name, value) = field.split_once(':').unwrap_or((&field, ""));
        let name = name.to_ascii_lowercase();
        if name == "content-length" {
            length = value.trim().parse().unwrap_or(0);
        }
        asked.fields.push(name);
    }
    if asked.fields.iter().any(|name| name == "transfer-encoding") {
        skip_chunks(reader)?;
    } else {
        skip(reader, length)?;
    }
    Ok(Some(asked))
}

/// Reads a body in chunks up to its end; trailers are not expected.
fn skip_chunks(reader: &mut BufReader<TcpStream>) -> io::Result<()> {
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let digits = line.split(';').next().unwrap_or_default().trim();
        let length = u64::from_str_radix(digits, 16).map_err(io::Error::other)?;
        // The line break after the chunk belongs to it.
        skip(reader, length + 2)?;
        if length == 0 {
            return Ok(());
        }
    }
}

fn skip(reader: &mut BufReader<TcpStream>, length: u64) -> io::Result<()> {
    io::copy(&mut reader.take(length), &mut io::sink()).map(drop)
}

/// What a program might do; the count of steps, not the time, is the same at each request.
fn do_work(steps: u64) {
    let mut sum = 0_u64;
    for step in 0..steps {
        sum = black_box(sum.wrapping_mul(31).wrapping_add(step));
    }
    black_box(sum);
}

/// Status and body.
type Content = (u16, String);

fn content(mode: Mode, asked: &Asked) -> Content {
    let path = asked.path.split('?').next().unwrap_or_default();
    let method = match mode {
        Mode::IgnoresMethod => "GET",
        _ => asked.method.as_str(),
    };
    let value = match mode {
        Mode::WrongBody => "valve",
        _ => "value",
    };
    let id_of = |text: &str| {
        let id = text.parse().ok();
        id.filter(|id: &u32| (1..=1_000_000).contains(id))
    };
    match path.rsplit_once('/') {
        _ if mode == Mode::Errors => (500, "out of luck".to_owned()),
        _ if mode == Mode::IgnoresId && path.starts_with("/api/value") && method == "GET" => {
            (200, value.to_owned())
        }
        Some(("/api/values", id)) if id_of(id).is_some() => match method {
            "GET" => (200, value.to_owned()),
            "PUT" | "DELETE" => (204, String::new()),
            _ => (405, String::new()),
        },
        Some(("/echo", _)) if mode == Mode::IgnoresId => (200, "1".to_owned()),
        Some(("/echo", id)) if id_of(id).is_some() => (200, id.to_owned()),
        _ => (404, String::new()),
    }
}

fn answer(mode: Mode, asked: &Asked) -> Vec<u8> {
    let (status, body) = content(mode, asked);
    let version = match mode {
        Mode::Http10Close => "HTTP/1.0",
        _ => "HTTP/1.1",
    };
    let media_type = match mode {
        Mode::WrongType => "text/html",
        _ => "text/plain; charset=utf-8",
    };
    let mut text = format!("{version} {status} Whatever\r\n");
    // Writing to a string cannot fail.
    let _ = write!(text, "Content-Type: {media_type}\r\n");
    if mode != Mode::NoDate {
        let _ = write!(text, "Date: {}\r\n", http_date());
    }
    match mode {
        Mode::Http10Close => {
            let _ = write!(text, "Connection: close\r\n\r\n{body}");
        }
        Mode::Chunked if !body.is_empty() => {
            let (first, rest) = body.split_at(1);
            text.push_str("Transfer-Encoding: chunked\r\n\r\n");
            for chunk in [first, rest].iter().filter(|chunk| !chunk.is_empty()) {
                let _ = write!(text, "{:x};extension\r\n{chunk}\r\n", chunk.len());
            }
            text.push_str("0\r\n\r\n");
        }
        _ if status == 204 => text.push_str("\r\n"),
        _ => {
            let _ = write!(text, "Content-Length: {}\r\n\r\n{body}", body.len());
        }
    }
    text.into_bytes()
}

/// The present instant as HTTP writes it.
fn http_date() -> String {
    const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
    const MONTHS: [&str; 12] = [
        "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec", "Jan", "Feb",
    ];
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH);
    let seconds = since_1970.map_or(0, |since| since.as_secs());
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Years begin in March here, so that a leap day is the last one. 719,468 days lie between
    // March of the year 0 and 1970.
    let day = days + 719_468;
    let (era, day_of_era) = (day / 146_097, day % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let year = year_of_era + era * 400 + u64::from(month >= 10);
    format!(
        "{}, {:02} {} {year} {:02}:{:02}:{:02} GMT",
        DAYS[days as usize % 7],
        day_of_year - (153 * month + 2) / 5 + 1,
        MONTHS[month as usize],
        second / 3_600,
        second / 60 % 60,
        second % 60,
    )
}

impl Script {
    fn from_arguments() -> Result<Self, String> {
        let mut arguments = env::args().skip(1);
        let name = arguments.next().ok_or("a mode is missing")?;
        let known = MODES.iter().find(|(mode, _)| *mode == name);
        let (_, mode) = known.ok_or(format!("there is no mode `{name}`"))?;
        let mut script = Self {
            mode: *mode,
            host: Ipv4Addr::LOCALHOST.into(),
            port: 0,
            after: 0,
            delay: Duration::ZERO,
            work: 0,
            lives: usize::MAX,
            name: "nobody".to_owned(),
            events: None,
            requests: AtomicU64::new(0),
            rest: arguments.collect(),
        };
        let mut port = env::var("PORT").ok();
        let rest = script.rest.clone();
        for pair in rest.chunks(2) {
            let [option, value] = pair else {
                return Err(format!("{pair:?} has no value"));
            };
            let number = || value.parse().map_err(|_| format!("{option} {value}"));
            match option.as_str() {
                "--port" => port = Some(value.clone()),
                "--host" => script.host = value.parse().map_err(|_| format!("--host {value}"))?,
                "--after" => script.after = number()?,
                "--delay" => script.delay = Duration::from_millis(number()?),
                "--work" => script.work = number()?,
                "--lives" => script.lives = number()? as usize,
                "--name" => script.name.clone_from(value),
                "--events" => {
                    let opened = File::options().create(true).append(true).open(value);
                    let opened = opened.map_err(|error| format!("{value}: {error}"))?;
                    script.events = Some((value.into(), opened));
                }
                _ => return Err(format!("{option} is not known")),
            }
        }
        let port = port.ok_or("neither --port nor PORT is set")?;
        script.port = port.parse().map_err(|_| format!("port {port}"))?;
        Ok(script)
    }

    /// How many processes of the same name came to serve before this one.
    fn lived(&self) -> usize {
        let path = self.events.as_ref().map(|(path, _)| path);
        let events = path.and_then(|path| fs::read_to_string(path).ok());
        let events = events.unwrap_or_default();
        let started = format!("started {} ", self.name);
        events
            .lines()
            .filter(|line| line.starts_with(&started))
            .count()
    }

    fn tell_request(&self, number: u64, asked: &Asked) {
        if number <= REQUESTS_TOLD {
            let fields = asked.fields.join(",");
            self.tell(&format!("asked {} {} {fields}", asked.method, asked.path));
        }
        if number == LOADED {
            self.tell("loaded");
        }
        if number == self.after + 1 && self.mode != Mode::Right {
            self.tell("failing");
        }
    }

    /// Appends an event; name and id stand after its first word.
    fn tell(&self, event: &str) {
        let Some((_, events)) = &self.events else {
            return;
        };
        let mut events: &File = events;
        let (name, rest) = event.split_once(' ').unwrap_or((event, ""));
        // One write, so that the lines of several processes do not mix.
        let line = format!("{name} {} {} {rest}", self.name, id());
        if let Err(error) = events.write_all(format!("{}\n", line.trim_end()).as_bytes()) {
            eprintln!("scripted_server: events: {error}");
        }
    }
}
