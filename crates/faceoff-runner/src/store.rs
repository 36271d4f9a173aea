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
    #[error("cannot write {path}")]
    CannotWrite {
        /// Which.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A file could not be read.
    #[error("cannot read {path}")]
    CannotRead {
        /// Which.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// A file is not what it should be.
    #[error("{path} is not a record of a run")]
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
    // Bytes, since a crash can cut a line within a character.
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).map_err(cannot_read)? > 0 {
        if !line.ends_with(b"\n") {
            break;
        }
        let parsed = serde_json::from_slice(&line).map_err(|source| StoreError::NotARecord {
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
    use std::fs::{self, OpenOptions};
    use std::path::Path;

    use faceoff_record::{ContenderName, Ending, FORMAT, Record, SliceFailure, SliceLine};

    use crate::run::with_causes;

    use super::{Store, StoreError, make_under, read, slug};
    use crate::testing::{record, sample};

    /// A run of two samples and a failed slice, stored under `folder`; gives what must be read.
    fn stored(folder: &Path) -> Record {
        let mut store = Store::create(Some(folder), "demo", "").unwrap();
        let mut record = record();
        store.write(&record).unwrap();
        record.samples = vec![sample("a", 0), sample("größer", 1)];
        let mut slice = sample("b", 0).slice;
        slice.contender = ContenderName::new("b");
        let failure = SliceFailure {
            slice,
            reason: "it ended with exit code 1;\nits log ends:\n    öh".to_owned(),
        };
        record.failures = vec![failure.clone()];
        let [first, second] = [0, 1].map(|i| SliceLine::Sample(record.samples[i].clone()));
        for line in [first, SliceLine::Failed(failure), second] {
            store.append(&line).unwrap();
        }
        record
    }

    #[test]
    fn a_run_is_read_as_it_was_written_whether_it_ended_or_not() {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("deep/down/run");
        let mut record = stored(&run);
        assert_eq!(read(&run).unwrap(), record);
        assert!(run.join("log").is_dir());

        record.ending = Ending::Complete;
        let store = Store {
            samples: OpenOptions::new()
                .append(true)
                .open(run.join("samples.jsonl"))
                .unwrap(),
            folder: run.clone(),
        };
        store.write(&record).unwrap();
        assert_eq!(read(&run).unwrap(), record);
        assert_eq!(store.logs(), run.join("log"));
        let names = fs::read_dir(&run)
            .unwrap()
            .map(|entry| entry.unwrap().file_name());
        let mut names: Vec<_> = names.collect();
        names.sort();
        assert_eq!(
            names,
            ["log", "record.json", "samples.jsonl"],
            "nothing is left aside"
        );
    }

    #[test]
    fn a_crash_costs_the_last_slice_at_most_wherever_it_cut_the_line() {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("run");
        let whole = stored(&run);
        let path = run.join("samples.jsonl");
        let bytes = fs::read(&path).unwrap();
        let last_line = bytes[..bytes.len() - 1]
            .iter()
            .rposition(|byte| *byte == b'\n')
            .unwrap()
            + 1;
        let character = bytes.iter().rposition(|byte| !byte.is_ascii()).unwrap();
        let whole_line = bytes.len();
        for length in [
            last_line,
            last_line + 1,
            character,
            whole_line - 2,
            whole_line - 1,
        ] {
            fs::write(&path, &bytes[..length]).unwrap();
            let found = read(&run).unwrap();
            assert_eq!(
                found.samples,
                whole.samples[..1],
                "cut after {length} bytes"
            );
            assert_eq!(found.failures, whole.failures);
        }
    }

    #[test]
    fn a_line_spoiled_in_the_middle_is_told_with_its_file() {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("run");
        stored(&run);
        let path = run.join("samples.jsonl");
        let spoiled = fs::read_to_string(&path)
            .unwrap()
            .replacen("sample", "simple", 1);
        fs::write(&path, spoiled).unwrap();
        let error = read(&run).unwrap_err();
        assert!(matches!(error, StoreError::NotARecord { .. }), "{error}");
        assert!(
            error.to_string().contains("samples.jsonl is not a record"),
            "{error}"
        );
    }

    #[test]
    fn what_is_no_run_is_told_with_its_path() {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("run");
        stored(&run);
        let path = run.join("record.json");
        let text = fs::read_to_string(&path).unwrap();
        let newer = format!("\"format\": {}", FORMAT + 1);
        let newer = text.replacen(&format!("\"format\": {FORMAT}"), &newer, 1);
        let too_new = format!(
            "has format {}; this version of Faceoff reads up to {FORMAT}",
            FORMAT + 1
        );
        let cases = [
            // Of a later format nothing else need be understood.
            (newer.as_str(), too_new.as_str()),
            ("{\"format\": 99}", "has format 99; this version"),
            (
                "{\"format\": 1}",
                "record.json is not a record of a run: missing field",
            ),
            ("{}", "record.json is not a record of a run: missing field"),
            ("", "record.json is not a record of a run: EOF"),
            ("[1", "record.json is not a record of a run: EOF"),
        ];
        for (text, part) in cases {
            fs::write(&path, text).unwrap();
            let message = with_causes(&read(&run).unwrap_err());
            assert!(
                message.starts_with(&path.display().to_string()),
                "{message}"
            );
            assert!(message.contains(part), "no `{part}` in: {message}");
        }
        fs::remove_file(&path).unwrap();
        let message = with_causes(&read(&run).unwrap_err());
        assert!(
            message.starts_with(&format!("cannot read {}: No such", path.display())),
            "{message}"
        );
    }

    #[test]
    fn a_run_without_its_samples_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("run");
        stored(&run);
        fs::remove_file(run.join("samples.jsonl")).unwrap();
        let message = with_causes(&read(&run).unwrap_err());
        assert!(message.contains("samples.jsonl: No such file"), "{message}");
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_told_and_one_that_is_there_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "mine").unwrap();
        let there = folder.path().join("there");
        fs::create_dir(&there).unwrap();
        let cases = [
            (file.join("run"), file.clone(), "File exists"),
            (file.clone(), file.clone(), "File exists"),
            (there.clone(), there.clone(), "File exists"),
            ("/proc/no/run".into(), "/proc/no".into(), "No such file"),
        ];
        for (out, named, reason) in cases {
            let message = with_causes(&Store::create(Some(&out), "demo", "").err().unwrap());
            let start = format!("cannot write {}: ", named.display());
            assert!(message.starts_with(&start), "{message}, expected {start}");
            assert!(message.contains(reason), "{message}");
        }
        assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
        assert_eq!(fs::read_dir(&there).unwrap().count(), 0);
    }

    #[test]
    fn a_full_disk_is_told_with_the_file_and_costs_nothing_that_was_stored() {
        let folder = tempfile::tempdir().unwrap();
        let run = folder.path().join("run");
        let whole = stored(&run);
        let full = "/dev/full";
        let mut store = Store {
            samples: OpenOptions::new().append(true).open(full).unwrap(),
            folder: run.clone(),
        };
        let line = SliceLine::Sample(sample("a", 2));
        let message = with_causes(&store.append(&line).unwrap_err());
        let start = format!(
            "cannot write {}: No space",
            run.join("samples.jsonl").display()
        );
        assert!(message.starts_with(&start), "{message}");

        std::os::unix::fs::symlink(full, run.join("record.json.part")).unwrap();
        let message = with_causes(&store.write(&whole).unwrap_err());
        let start = format!(
            "cannot write {}: No space",
            run.join("record.json").display()
        );
        assert!(message.starts_with(&start), "{message}");
        assert_eq!(read(&run).unwrap(), whole);
    }

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
