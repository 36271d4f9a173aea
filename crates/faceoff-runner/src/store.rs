//! The folder of one run.
//!
//! `record.json` is written when the run begins and again when it ends, each time aside and then
//! renamed; `samples.jsonl` grows by one line a slice. So a run that was killed is as readable as
//! one that ended, and nothing is ever overwritten by another run.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};

use faceoff_record::{FORMAT, Record, SliceLine};

const RECORD: &str = "record.json";
const SAMPLES: &str = "samples.jsonl";
const LOGS: &str = "log";

/// The folder of a run that is being made.
pub(crate) struct Store {
    folder: PathBuf,
    samples: File,
}

/// Why a run could not be stored or read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file or folder could not be written.
    #[error("cannot write {path}: {source}")]
    CannotWrite {
        /// Which.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A file could not be read.
    #[error("cannot read {path}: {source}")]
    CannotRead {
        /// Which.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A file is not what it should be.
    #[error("{path} is not a record of a run: {source}")]
    NotARecord {
        /// Which.
        path: PathBuf,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// A record of a later version.
    #[error("{path} has format {format}; this version of Faceoff reads up to {FORMAT}")]
    TooNew {
        /// Which.
        path: PathBuf,
        /// Its format.
        format: u64,
    },
}

impl Store {
    /// Makes the folder of a run: `out` where that is given (it must not exist yet), else a new
    /// one under `runs/` named by time and suite.
    pub(crate) fn create(
        out: Option<&Path>,
        suite: &str,
        started: &str,
    ) -> Result<Self, StoreError> {
        let folder = match out {
            Some(folder) => {
                make_parent(folder)?;
                make(folder)?;
                folder.to_owned()
            }
            None => make_under(Path::new("runs"), suite, started)?,
        };
        let logs = folder.join(LOGS);
        make(&logs)?;
        let path = folder.join(SAMPLES);
        let samples = OpenOptions::new()
            .create_new(true)
            .append(true)
            .open(&path)
            .map_err(|source| StoreError::CannotWrite { path, source })?;
        Ok(Self { folder, samples })
    }

    /// The run's folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Where the contenders' output goes.
    pub(crate) fn logs(&self) -> PathBuf {
        self.folder.join(LOGS)
    }

    /// Appends one slice.
    pub(crate) fn append(&mut self, line: &SliceLine) -> Result<(), StoreError> {
        let mut written = || -> io::Result<()> {
            let mut bytes = serde_json::to_vec(line)?;
            bytes.push(b'\n');
            // One write, so that a crash cannot leave half of one line before the next.
            self.samples.write_all(&bytes)?;
            self.samples.flush()
        };
        written().map_err(|source| StoreError::CannotWrite {
            path: self.folder.join(SAMPLES),
            source,
        })
    }

    /// Writes the record, the samples apart.
    pub(crate) fn write(&self, record: &Record) -> Result<(), StoreError> {
        let path = self.folder.join(RECORD);
        let aside = self.folder.join(format!("{RECORD}.part"));
        let written = || -> io::Result<()> {
            let mut file = File::create(&aside)?;
            serde_json::to_writer_pretty(&mut file, record)?;
            file.write_all(b"\n")?;
            file.sync_all()?;
            fs::rename(&aside, &path)
        };
        written().map_err(|source| StoreError::CannotWrite { path, source })
    }
}

/// Reads a stored run, finished or not.
///
/// # Errors
///
/// The folder holds no run, or one of a later format. A last line that a crash cut short is left
/// out without an error.
pub fn read(folder: &Path) -> Result<Record, StoreError> {
    let path = folder.join(RECORD);
    let bytes = fs::read(&path).map_err(|source| StoreError::CannotRead {
        path: path.clone(),
        source,
    })?;
    let not_a_record = |source| StoreError::NotARecord {
        path: path.clone(),
        source,
    };
    let value: serde_json::Value = serde_json::from_slice(&bytes).map_err(not_a_record)?;
    let format = value.get("format").and_then(serde_json::Value::as_u64);
    if let Some(format) = format.filter(|format| *format > u64::from(FORMAT)) {
        return Err(StoreError::TooNew { path, format });
    }
    let mut record: Record = serde_json::from_value(value).map_err(not_a_record)?;
    for line in sample_lines(&folder.join(SAMPLES))? {
        match line {
            SliceLine::Sample(sample) => record.samples.push(sample),
            SliceLine::Failed(failure) => record.failures.push(failure),
        }
    }
    Ok(record)
}

fn sample_lines(path: &Path) -> Result<Vec<SliceLine>, StoreError> {
    let cannot_read = |source| StoreError::CannotRead {
        path: path.to_owned(),
        source,
    };
    let file = File::open(path).map_err(cannot_read)?;
    let mut lines = Vec::new();
    let mut reader = BufReader::new(file);
    let mut line = String::new();
    while reader.read_line(&mut line).map_err(cannot_read)? > 0 {
        if !line.ends_with('\n') {
            break;
        }
        let parsed = serde_json::from_str(&line).map_err(|source| StoreError::NotARecord {
            path: path.to_owned(),
            source,
        })?;
        lines.push(parsed);
        line.clear();
    }
    Ok(lines)
}

fn make(folder: &Path) -> Result<(), StoreError> {
    fs::create_dir(folder).map_err(|source| StoreError::CannotWrite {
        path: folder.to_owned(),
        source,
    })
}

fn make_parent(folder: &Path) -> Result<(), StoreError> {
    let parent = folder.parent().unwrap_or_else(|| Path::new("."));
    fs::create_dir_all(parent).map_err(|source| StoreError::CannotWrite {
        path: parent.to_owned(),
        source,
    })
}

/// A new folder under `runs`, by another name where a run of the same second has the first one.
fn make_under(runs: &Path, suite: &str, started: &str) -> Result<PathBuf, StoreError> {
    let name = format!("{}-{}", started.replace([':', '-'], ""), slug(suite));
    let mut folder = runs.join(&name);
    make_parent(&folder)?;
    for number in 2.. {
        match make(&folder) {
            Err(StoreError::CannotWrite { source, .. })
                if source.kind() == io::ErrorKind::AlreadyExists =>
            {
                folder = runs.join(format!("{name}-{number}"));
            }
            other => return other.map(|()| folder),
        }
    }
    unreachable!("a free number is always found")
}

/// A name as part of a folder's name.
fn slug(name: &str) -> String {
    let dashed: String = name
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                '-'
            }
        })
        .collect();
    let words: Vec<_> = dashed.split('-').filter(|word| !word.is_empty()).collect();
    if words.is_empty() {
        "suite".to_owned()
    } else {
        words.join("-")
    }
}

#[cfg(test)]
mod tests {
    use super::{make_under, slug};

    #[test]
    fn names_become_parts_of_folder_names() {
        let cases = [
            ("quick demo", "quick-demo"),
            ("../Ä/x", "x"),
            ("??", "suite"),
        ];
        for (name, expected) in cases {
            assert_eq!(slug(name), expected);
        }
    }

    #[test]
    fn two_runs_of_one_second_get_two_folders() {
        let folder = tempfile::tempdir().unwrap();
        let make = || make_under(folder.path(), "demo", "2026-01-02T03:04:05Z").unwrap();
        let (first, second) = (make(), make());
        assert!(first.ends_with("20260102T030405Z-demo"), "{first:?}");
        assert!(second.ends_with("20260102T030405Z-demo-2"), "{second:?}");
    }
}
