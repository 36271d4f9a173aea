//! What the tests of this crate share: a scene with a folder, a laboratory and real children.
//!
//! A child is a line of shell where that says all, else this test binary once more, playing the
//! part that [`ROLE`] names. All descendants carry the scene's mark in their environment, so that
//! a test can count them however they detach themselves.

mod plan;
mod roles;
mod tls;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use faceoff_record::{CorePlan, Managed, Nanos, PortChoice};
use nix::time::{ClockId, clock_gettime};
use tempfile::TempDir;

pub(crate) use plan::{contract, outcome, planned, record, sample};
pub(crate) use tls::serve_tls;

use crate::cancel::Cancel;
use crate::host::{Host, PortPool};
use crate::keep::{Exit, Keeper, KeeperError, LaunchOrder};
use crate::lab::{Lab, Programs};

/// Names the part that this binary plays when it is started as a child.
pub(crate) const ROLE: &str = "FACEOFF_TEST_ROLE";

/// Marks the processes of one scene.
const MARK: &str = "FACEOFF_TEST_MARK";

/// For scripts: the words that start this binary as a child; the role is set before them.
const PLAY: &str = "PLAY";

/// A launch order for a child that plays a runner.
const ORDER: &str = "FACEOFF_TEST_ORDER";

/// How long anything may take that must happen: only a broken test waits this long.
const PATIENCE: Duration = Duration::from_secs(60);

/// One test's folder and processes.
pub(crate) struct Scene {
    folder: TempDir,
    mark: String,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self {
            mark: folder.path().display().to_string(),
            folder,
        }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.folder().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    /// Where orders made here send the child's output.
    fn log_path(&self) -> PathBuf {
        self.folder().join("child.log")
    }

    /// What a child of an order made here has written.
    pub(crate) fn log(&self) -> String {
        fs::read_to_string(self.log_path()).unwrap_or_default()
    }

    /// Waits until such a child has written this.
    pub(crate) fn await_log(&self, text: &str) {
        eventually(text, || self.log().contains(text));
    }

    /// The numbers behind `name` in what such children have written.
    pub(crate) fn logged(&self, name: &str) -> Vec<u64> {
        let log = self.log();
        let values = log.lines().filter_map(|line| line.strip_prefix(name));
        values.map(|value| value.trim().parse().unwrap()).collect()
    }

    /// An order to start a command on all processors.
    pub(crate) fn order(&self, command: &[&str]) -> LaunchOrder {
        let cores = all_cores();
        LaunchOrder {
            command: command.iter().map(|word| (*word).to_owned()).collect(),
            folder: self.folder().to_owned(),
            env: self.env(),
            log: self.log_path(),
            cores: cores.clone(),
            keeper_cores: cores,
        }
    }

    fn env(&self) -> BTreeMap<String, String> {
        let play = roles::command().join(" ");
        let pairs = [(MARK, self.mark.clone()), (PLAY, play)];
        pairs.map(|(name, value)| (name.to_owned(), value)).into()
    }

    /// Starts a line of shell under a keeper.
    pub(crate) fn shell(&self, script: &str) -> Keeper {
        self.launch(&self.order(&["sh", "-c", script])).unwrap()
    }

    /// Starts this binary in a role under a keeper.
    pub(crate) fn play(&self, role: &str) -> Keeper {
        let mut order = self.order(&[]);
        order.command = roles::command();
        order.env.insert(ROLE.to_owned(), role.to_owned());
        self.launch(&order).unwrap()
    }

    pub(crate) fn launch(&self, order: &LaunchOrder) -> Result<Keeper, KeeperError> {
        Keeper::launch(&keeper(), order)
    }

    /// A runner in a process of its own that has launched `order`; what it says comes on its
    /// standard output.
    pub(crate) fn runner(&self, order: &LaunchOrder) -> std::process::Child {
        let command = roles::command();
        std::process::Command::new(&command[0])
            .args(&command[1..])
            .env(ROLE, "runner")
            .env(ORDER, serde_json::to_string(order).unwrap())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap()
    }

    /// How many processes of this scene live, wherever they are in the tree of processes.
    pub(crate) fn alive(&self) -> usize {
        let all = procfs::process::all_processes().unwrap().flatten();
        all.filter(|process| {
            let environment = process.environ().unwrap_or_default();
            environment.get(std::ffi::OsStr::new(MARK)) == Some(&OsString::from(&self.mark))
        })
        .count()
    }

    /// A laboratory whose logs are in the scene's folder.
    pub(crate) fn lab(&self) -> Lab {
        let cores = all_cores();
        Lab {
            programs: Programs {
                keep: keeper(),
                generate: Vec::new(),
            },
            cores: CorePlan {
                contender: cores.clone(),
                generator: cores,
                rest: Vec::new(),
            },
            logs: self.folder().to_owned(),
            ports: PortPool::new(),
            cancel: Cancel::default(),
            addresses: BTreeMap::new(),
        }
    }

    /// A contender of the scene's folder that starts by a line of shell.
    pub(crate) fn managed(&self, script: &str) -> Managed {
        Managed {
            folder: self.folder().to_owned(),
            build: None,
            command: ["sh", "-c", script].map(str::to_owned).into(),
            env: self.env(),
            port: PortChoice::Fresh,
            ready_within: Nanos::from_secs(30),
            source: Vec::new(),
        }
    }

    /// A contender that is this binary in a role.
    pub(crate) fn managed_role(&self, role: &str) -> Managed {
        let mut managed = self.managed("");
        managed.command = roles::command();
        managed.env.insert(ROLE.to_owned(), role.to_owned());
        managed
    }
}

/// The command of a keeper: this binary, with the keeper's answers kept apart from what the test
/// harness prints.
pub(crate) fn keeper() -> Vec<OsString> {
    let script = format!("exec env {ROLE}=keeper \"$0\" \"$@\" 3>&1 >/dev/null");
    let mut words = vec!["sh".to_owned(), "-c".to_owned(), script];
    words.extend(roles::command());
    words.into_iter().map(OsString::from).collect()
}

/// Waits until something holds; the test fails if it never does.
pub(crate) fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < deadline, "it never came to this: {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Waits until the first process of a keeper has ended.
pub(crate) fn await_exit(keeper: &mut Keeper) -> Exit {
    let mut ended = None;
    eventually("the first process ends", || {
        ended = keeper.exit().unwrap();
        ended.is_some()
    });
    ended.unwrap()
}

pub(crate) fn all_cores() -> Vec<u32> {
    Host::look([]).all_cores()
}

fn clock(id: ClockId) -> Duration {
    clock_gettime(id).unwrap().into()
}
