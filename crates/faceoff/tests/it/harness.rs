//! A place for one test: a folder with a suite, `faceoff` at work in it, and what its servers tell.

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::net::{Ipv4Addr, Ipv6Addr, TcpListener};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio, id};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};
use std::thread;
use std::time::{Duration, Instant};

use faceoff_record::Record;
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use serde_json::Value;
use tempfile::TempDir;

/// Short slices, so that a run of the least time has many.
pub(crate) const SHORT: &str = "\
[load]
connections = 8
warm-up = \"50ms\"
window = \"250ms\"
timeout = \"2s\"

[[workload]]
name = \"values\"

";

/// Work that makes a contender, and not the generator, the limit.
pub(crate) const STEADY: &str = "right --work 20000";

/// Nothing here takes as long, not even on a busy machine.
const LONGEST: Duration = Duration::from_secs(90);

/// Every process that `faceoff` starts inherits this variable, with a value of the place's own.
const MARK: &str = "FACEOFF_TEST_PLACE";

/// Where the test keeps its own things; a hidden folder is nothing that a build depends on.
const EVENTS: &str = ".test/events";
const TEMPORARY: &str = ".test/tmp";

/// Who loads something holds it alone; the others share it.
static MACHINE: RwLock<()> = RwLock::new(());

/// A folder of its own, marked processes, and a share of the machine.
pub(crate) struct Place {
    folder: TempDir,
    mark: String,
    #[expect(dead_code, reason = "held until the place is dropped")]
    turn: Turn,
}

#[expect(dead_code, reason = "the guards are held, not read")]
enum Turn {
    Alone(RwLockWriteGuard<'static, ()>),
    BesideOthers(RwLockReadGuard<'static, ()>),
}

impl Place {
    /// For tests that start servers without loading them.
    pub(crate) fn beside_others() -> Self {
        // A failed test leaves nothing behind that could disturb the next.
        let guard = MACHINE.read().unwrap_or_else(PoisonError::into_inner);
        Self::with(Turn::BesideOthers(guard))
    }

    /// For tests that load something.
    pub(crate) fn alone() -> Self {
        let guard = MACHINE.write().unwrap_or_else(PoisonError::into_inner);
        Self::with(Turn::Alone(guard))
    }

    fn with(turn: Turn) -> Self {
        static PLACES: AtomicU32 = AtomicU32::new(0);
        let number = PLACES.fetch_add(1, Ordering::Relaxed);
        // A name that only careful programs get right.
        let folder = tempfile::Builder::new().prefix("a plaçe ").tempdir();
        let place = Self {
            folder: folder.unwrap(),
            mark: format!("{}-{number}", id()),
            turn,
        };
        fs::create_dir_all(place.path(TEMPORARY)).unwrap();
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file and the folders it needs.
    pub(crate) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// A file's text; nothing where there is none.
    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// Makes a suite of these parts.
    pub(crate) fn suite(&self, parts: &[&str]) {
        self.write("faceoff.toml", parts.concat());
    }

    /// The words that start a scripted server which tells this place's events under its name.
    pub(crate) fn server(&self, name: &str, words: &str) -> String {
        let (program, events) = (scripted_server(), self.path(EVENTS));
        let (program, events) = (program.display(), events.display());
        format!("'{program}' {words} --name {name} --events '{events}'")
    }

    /// `[[contender]]` with a scripted server; further lines may follow.
    pub(crate) fn contender(&self, name: &str, words: &str) -> String {
        let command = self.server(name, &format!("{words} --port {{port}}"));
        format!("\n[[contender]]\nname = \"{name}\"\ncommand = \"{command}\"\n")
    }

    /// The same, given up after a second.
    pub(crate) fn impatient(&self, name: &str, words: &str) -> String {
        self.contender(name, words) + "ready-within = \"1s\"\n"
    }

    /// Starts `faceoff` with these words.
    pub(crate) fn start<W: AsRef<OsStr>>(&self, words: impl IntoIterator<Item = W>) -> Running {
        let mut command = self.command();
        command.args(words);
        self.spawn(command)
    }

    /// `faceoff` in this place, not yet started.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_faceoff"));
        command
            .current_dir(self.folder.path())
            .env(MARK, &self.mark)
            .env("TMPDIR", self.path(TEMPORARY))
            .env_remove("NO_COLOR")
            .env_remove("CLICOLOR")
            .env_remove("CLICOLOR_FORCE")
            .stdin(Stdio::null())
            // A group of its own, as from a shell with job control.
            .process_group(0);
        command
    }

    fn spawn(&self, mut command: Command) -> Running {
        static RUNS: AtomicU32 = AtomicU32::new(0);
        let number = RUNS.fetch_add(1, Ordering::Relaxed);
        let [stdout, stderr] =
            ["out", "err"].map(|name| self.path(&format!(".test/{number}.std{name}")));
        command.stdout(File::create(&stdout).unwrap());
        command.stderr(File::create(&stderr).unwrap());
        let started = Instant::now();
        Running {
            child: command.spawn().unwrap(),
            started,
            stdout,
            stderr,
        }
    }

    /// Carries out `faceoff` with these words.
    pub(crate) fn faceoff(&self, words: &[&str]) -> Ended {
        self.start(words).end_within(LONGEST)
    }

    /// `faceoff check` of the suite.
    pub(crate) fn check(&self, options: &[&str]) -> Ended {
        self.start_check(options).end_within(LONGEST)
    }

    /// Starts `faceoff check` of the suite.
    pub(crate) fn start_check(&self, options: &[&str]) -> Running {
        self.start([&["check", "./faceoff.toml"], options].concat())
    }

    /// A quick `faceoff run` of the suite, kept in the folder `run`.
    pub(crate) fn run(&self, options: &[&str]) -> Ended {
        self.start_run(options).end_within(LONGEST)
    }

    /// Starts a quick `faceoff run` of the suite.
    pub(crate) fn start_run(&self, options: &[&str]) -> Running {
        let words = ["run", "./faceoff.toml", "--quick", "--out", "run"];
        self.start([&words, options].concat())
    }

    /// The run that was kept.
    pub(crate) fn record(&self) -> Record {
        faceoff_runner::read(&self.path("run")).unwrap()
    }

    /// Complete lines of the run's samples.
    pub(crate) fn sample_lines(&self) -> usize {
        self.read("run/samples.jsonl").matches('\n').count()
    }

    /// What the scripted servers have told so far.
    pub(crate) fn events(&self) -> Vec<Event> {
        self.read(EVENTS).lines().map(Event::parse).collect()
    }

    /// How many events of this name there were.
    pub(crate) fn count(&self, name: &str) -> usize {
        let events = self.events();
        events.iter().filter(|event| event.name == name).count()
    }

    /// Waits until this event was told so many times.
    pub(crate) fn wait_for(&self, name: &str, times: usize) {
        let what = format!("{times} times the event `{name}`");
        until(&what, LONGEST, || (self.count(name) >= times).then_some(()));
    }

    /// Waits for the middle of a slice: a sample is stored, and another load runs.
    pub(crate) fn wait_for_a_slice(&self) {
        until("the first sample", LONGEST, || {
            (self.sample_lines() > 0).then_some(())
        });
        self.wait_for("loaded", self.count("loaded") + 1);
    }

    /// No process is left at this moment, and no port is taken.
    pub(crate) fn assert_nothing_is_left(&self) {
        let left = processes_with(&self.mark);
        assert!(left.is_empty(), "left behind:\n{}", left.join("\n"));
        self.assert_ports_are_free();
        let temporary: Vec<_> = fs::read_dir(self.path(TEMPORARY)).unwrap().collect();
        assert!(temporary.is_empty(), "temporary files: {temporary:?}");
    }

    /// No process is left in a moment, after a death that nobody could prepare for.
    pub(crate) fn assert_nothing_is_left_soon(&self) {
        let what = "the end of all processes";
        until(what, Duration::from_secs(5), || {
            processes_with(&self.mark).is_empty().then_some(())
        });
        self.assert_ports_are_free();
    }

    fn assert_ports_are_free(&self) {
        let events = self.events();
        let started = events.iter().filter(|event| event.name == "started");
        for event in started {
            let port = event.rest.parse().unwrap();
            // Another test's contender may have been given it meanwhile, for a short while.
            until(&format!("port {port}"), Duration::from_secs(20), || {
                let free = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).is_ok()
                    && TcpListener::bind((Ipv6Addr::LOCALHOST, port)).is_ok();
                free.then_some(())
            });
        }
    }
}

/// Something that a scripted server told.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) name: String,
    /// The name of the contender or service.
    pub(crate) of: String,
    pub(crate) rest: String,
}

impl Event {
    fn parse(line: &str) -> Self {
        let mut words = line.splitn(4, ' ');
        let mut next = || words.next().unwrap_or_default().to_owned();
        // The process id is for whoever reads the file.
        let (name, of, _pid, rest) = (next(), next(), next(), next());
        Self { name, of, rest }
    }
}

/// A `faceoff` at work. Dropping it kills it.
pub(crate) struct Running {
    child: Child,
    started: Instant,
    stdout: PathBuf,
    stderr: PathBuf,
}

impl Running {
    fn pid(&self) -> Pid {
        Pid::from_raw(i32::try_from(self.child.id()).unwrap())
    }

    /// Sends a signal to this process alone.
    pub(crate) fn signal(&self, signal: Signal) {
        kill(self.pid(), signal).unwrap();
    }

    /// Does what a terminal does on Ctrl-C: SIGINT to the whole process group.
    pub(crate) fn ctrl_c(&self) {
        killpg(self.pid(), Signal::SIGINT).unwrap();
    }

    /// What it has said on the error stream so far.
    pub(crate) fn stderr(&self) -> String {
        fs::read_to_string(&self.stderr).unwrap_or_default()
    }

    /// Waits for its end.
    pub(crate) fn end_within(mut self, within: Duration) -> Ended {
        let since = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(
                since.elapsed() < within,
                "faceoff did not end within {within:?}; its error stream:\n{}",
                self.stderr()
            );
            thread::sleep(Duration::from_millis(2));
        };
        Ended {
            status,
            stdout: fs::read_to_string(&self.stdout).unwrap(),
            stderr: fs::read_to_string(&self.stderr).unwrap(),
            took: self.started.elapsed(),
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Nothing to kill where it has ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// How a `faceoff` ended, and what it said.
#[derive(Clone, Debug)]
pub(crate) struct Ended {
    status: ExitStatus,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) took: Duration,
}

impl Ended {
    /// It ended with this exit code.
    #[track_caller]
    pub(crate) fn expect_code(self, code: i32) -> Self {
        assert_eq!(self.status.code(), Some(code), "{self}");
        self
    }

    /// The result has all these parts, wherever its lines are broken.
    #[track_caller]
    pub(crate) fn shows(&self, parts: &[&str]) -> &Self {
        self.has("the result", &self.stdout, parts)
    }

    /// The error stream has all these parts.
    #[track_caller]
    pub(crate) fn tells(&self, parts: &[&str]) -> &Self {
        self.has("the error stream", &self.stderr, parts)
    }

    #[track_caller]
    fn has(&self, whose: &str, text: &str, parts: &[&str]) -> &Self {
        for part in parts {
            assert!(
                one_line(text).contains(&one_line(part)),
                "{whose} has no {part:?}\n{self}"
            );
        }
        self
    }

    /// The result as JSON, which it must be as a whole.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        let parsed = serde_json::from_str(&self.stdout);
        parsed.unwrap_or_else(|error| panic!("the result is not JSON: {error}\n{self}"))
    }
}

impl std::fmt::Display for Ended {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            status,
            stdout,
            stderr,
            took,
        } = self;
        writeln!(f, "{status} after {took:.1?}")?;
        writeln!(f, "--- result\n{stdout}--- error stream\n{stderr}---")
    }
}

/// The text with all white space alike.
pub(crate) fn one_line(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    words.join(" ")
}

/// One contender of one workload in a JSON result.
#[track_caller]
pub(crate) fn contender<'v>(json: &'v Value, workload: &str, name: &str) -> &'v Value {
    let workload = named(&json["workloads"], workload);
    named(&workload["contenders"], name)
}

/// The one with this name in a list.
#[track_caller]
pub(crate) fn named<'v>(list: &'v Value, name: &str) -> &'v Value {
    let found = list.as_array().and_then(|all| {
        let mut all = all.iter();
        all.find(|one| one["name"] == name)
    });
    found.unwrap_or_else(|| panic!("there is no `{name}` in {list:#}"))
}

/// The text at a key.
#[track_caller]
pub(crate) fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    let found = value[key].as_str();
    found.unwrap_or_else(|| panic!("`{key}` is no text in {value:#}"))
}

/// Looks again and again until there is something.
#[track_caller]
pub(crate) fn until<T>(what: &str, within: Duration, mut look: impl FnMut() -> Option<T>) -> T {
    let since = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(
            since.elapsed() < within,
            "waited {within:?} in vain for {what}"
        );
        thread::sleep(Duration::from_millis(2));
    }
}

/// The scripted server, which Cargo builds beside the program.
pub(crate) fn scripted_server() -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_faceoff"));
    let server = program.with_file_name("examples").join("scripted_server");
    assert!(
        server.exists(),
        "{} is missing; `cargo test -p faceoff` builds it, as does \
         `cargo build -p faceoff --example scripted_server`",
        server.display()
    );
    server
}

/// A port that nobody listens on, outside the range of outgoing connections.
pub(crate) fn free_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let start = id() % 1_000;
    until("a free port", Duration::from_secs(5), || {
        let number = start + NEXT.fetch_add(1, Ordering::Relaxed);
        let port = u16::try_from(5_000 + number % 4_000).unwrap();
        TcpListener::bind((Ipv4Addr::LOCALHOST, port))
            .ok()
            .map(|_| port)
    })
}

/// Processes that inherited a place's mark, with their command lines.
fn processes_with(mark: &str) -> Vec<String> {
    let wanted = format!("{MARK}={mark}");
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        // Those that end meanwhile are none.
        let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
        let mut variables = environment.split(|byte| *byte == 0);
        if variables.any(|variable| variable == wanted.as_bytes()) {
            let command = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let mut line = entry.file_name().to_string_lossy().into_owned();
            let _ = write!(line, " {}", String::from_utf8_lossy(&command));
            found.push(line.replace('\0', " "));
        }
    }
    found
}
