//! Building contenders, and not building them again when nothing has changed.

use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use faceoff_record::{BuildFacts, ContenderName, Managed, Nanos};
use ignore::WalkBuilder;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::{launch, log};
use crate::cancel::Cancelled;
use crate::keep::{Exit, Keeper, KeeperError};
use crate::lab::Lab;

/// Folders that builds fill, whatever the ignore files say.
const RESULT_FOLDERS: &[&str] = &["target", "node_modules", "bin", "obj"];

/// How often a running build is looked at.
const POLL: Duration = Duration::from_millis(100);

/// Builds contenders and remembers what it built.
pub(crate) struct Builder {
    /// Where it remembers.
    pub(crate) memory: PathBuf,
    /// All processors: nothing is measured while a build runs.
    pub(crate) cores: Vec<u32>,
    /// Build even what has not changed.
    pub(crate) rebuild: bool,
}

/// Why a build failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BuildError {
    /// The user asked to end.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// The build could not be started.
    #[error("its build cannot be started: {0}")]
    Keeper(#[from] KeeperError),
    /// The build command failed.
    #[error("its build (`{command}`) ended with {exit}; {tail}")]
    Failed {
        /// The command.
        command: String,
        /// How it ended.
        exit: Exit,
        /// The end of its output.
        tail: String,
    },
    /// Its files cannot be read.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// What was built cannot be noted down.
    #[error("cannot write {path}: {source}")]
    CannotRemember {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
}

/// What the last build was made of and gave.
#[derive(PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    inputs_sha256: String,
    program_sha256: Option<String>,
}

impl Builder {
    /// Builds a contender unless nothing changed since it was built last; `progress` is given the
    /// latest line of the build's output.
    pub(crate) fn build(
        &self,
        name: &ContenderName,
        managed: &Managed,
        lab: &Lab,
        progress: &mut dyn FnMut(&str),
    ) -> Result<BuildFacts, BuildError> {
        let remembered = self.memory.join(format!("{name}.json"));
        let last: Option<Stamp> = fs::read(&remembered)
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok());
        let present = Stamp {
            inputs_sha256: inputs_hash(managed)?,
            program_sha256: program_hash(managed)?,
        };
        let Some(build) = &managed.build else {
            return Ok(present.facts(Nanos::ZERO, true));
        };
        let program_is_missing =
            launch::program_file(managed).is_some() && present.program_sha256.is_none();
        if !self.rebuild && !program_is_missing && last.as_ref() == Some(&present) {
            return Ok(present.facts(Nanos::ZERO, true));
        }
        forget(&remembered)?;
        let started = Instant::now();
        self.carry_out(name, managed, &build.command, lab, progress)?;
        // What a build leaves among its inputs is part of them from now on.
        let stamp = Stamp {
            inputs_sha256: inputs_hash(managed)?,
            program_sha256: program_hash(managed)?,
        };
        self.remember(&remembered, &stamp)?;
        Ok(stamp.facts(started.elapsed().into(), false))
    }

    fn carry_out(
        &self,
        name: &ContenderName,
        managed: &Managed,
        command: &[String],
        lab: &Lab,
        progress: &mut dyn FnMut(&str),
    ) -> Result<(), BuildError> {
        let log_path = lab.log_of(&format!("{name}.build"));
        let mut order = lab.order(
            managed,
            command.to_vec(),
            managed.env.clone(),
            log_path.clone(),
        );
        order.cores.clone_from(&self.cores);
        order.keeper_cores.clone_from(&self.cores);
        let mut keeper = Keeper::launch(&lab.programs.keep, &order)?;
        let exit = loop {
            if let Some(exit) = keeper.exit()? {
                break exit;
            }
            lab.cancel.sleep(POLL)?;
            if let Some(line) = log::last_lines(&log_path, 0, 1).first() {
                progress(line);
            }
        };
        // Whatever the build left running must not disturb a measurement.
        drop(keeper);
        if exit == Exit::Code(0) {
            return Ok(());
        }
        Err(BuildError::Failed {
            command: shell_words::join(command),
            exit,
            tail: log::tail(&log_path, 0),
        })
    }

    fn remember(&self, path: &Path, stamp: &Stamp) -> Result<(), BuildError> {
        let written = || -> io::Result<()> {
            fs::create_dir_all(&self.memory)?;
            // Nothing in there belongs into anybody's repository.
            fs::write(self.memory.join(".gitignore"), "*\n")?;
            fs::write(path, serde_json::to_vec_pretty(stamp)?)
        };
        written().map_err(|source| BuildError::CannotRemember {
            path: path.to_owned(),
            source,
        })
    }
}

/// Drops what is known of the last build, since one that fails midway leaves something else.
fn forget(path: &Path) -> Result<(), BuildError> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            let path = path.to_owned();
            Err(BuildError::CannotRemember { path, source })
        }
        _ => Ok(()),
    }
}

impl Stamp {
    fn facts(self, took: Nanos, unchanged: bool) -> BuildFacts {
        BuildFacts {
            inputs_sha256: self.inputs_sha256,
            program_sha256: self.program_sha256,
            took,
            unchanged,
        }
    }
}

/// A hash over everything that decides what a build gives: files, commands, toolchain versions.
fn inputs_hash(managed: &Managed) -> Result<String, BuildError> {
    let mut hash = Sha256::new();
    let mut add = |part: &[u8]| {
        // With its length, so that no two lists of parts look the same.
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    };
    // Commands and variables as one text each, so that a word of one is never taken for another's.
    let settings = serde_json::json!([managed.command, managed.env, managed.build]);
    add(settings.to_string().as_bytes());
    let inputs = managed.build.iter().flat_map(|build| &build.inputs);
    let extra = inputs.map(|input| managed.folder.join(input));
    // Without a build the files of a folder may have nothing to do with the contender.
    if managed.build.is_some() || !managed.source.is_empty() {
        for path in files_of(&managed.folder).into_iter().chain(extra) {
            let bytes = fs::read(&path).map_err(|source| BuildError::Unreadable {
                path: path.clone(),
                source,
            })?;
            let relative = path.strip_prefix(&managed.folder).unwrap_or(&path);
            add(relative.as_os_str().as_encoded_bytes());
            add(&bytes);
        }
    }
    Ok(hexadecimal(&hash.finalize()))
}

/// The files of a contender's folder that matches its source globs; all where it names none.
pub(crate) fn sources_of(managed: &Managed) -> Result<Vec<PathBuf>, globset::Error> {
    let mut globs = globset::GlobSetBuilder::new();
    for pattern in &managed.source {
        globs.add(globset::Glob::new(pattern)?);
    }
    let globs = globs.build()?;
    let mut files = files_of(&managed.folder);
    files.retain(|path| {
        let relative = path.strip_prefix(&managed.folder).unwrap_or(path);
        globs.is_match(relative)
    });
    Ok(files)
}

/// Whether a folder holds what builds or runs made.
fn is_result(entry: &ignore::DirEntry) -> bool {
    let name = entry.file_name().to_string_lossy();
    RESULT_FOLDERS.contains(&name.as_ref()) || entry.path().join("samples.jsonl").exists()
}

/// The files of a folder in a fixed order, without hidden and ignored ones and results.
fn files_of(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = WalkBuilder::new(folder)
        .require_git(false)
        .filter_entry(|entry| entry.depth() == 0 || !is_result(entry))
        .build()
        .filter_map(Result::ok)
        .filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
        .map(ignore::DirEntry::into_path)
        .collect();
    files.sort();
    files
}

/// The hash of the program that the start command runs, where that is a file of the contender's
/// and is there.
fn program_hash(managed: &Managed) -> Result<Option<String>, BuildError> {
    let Some(path) = launch::program_file(managed) else {
        return Ok(None);
    };
    match fs::read(&path) {
        Ok(bytes) => Ok(Some(hexadecimal(&Sha256::digest(&bytes)))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(BuildError::Unreadable { path, source }),
    }
}

/// Bytes as hexadecimal digits.
pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests;
