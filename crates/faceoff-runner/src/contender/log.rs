//! The end of a contender's log, for error messages.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

/// How many lines and bytes are shown.
const LINES: usize = 15;
const BYTES: u64 = 16 * 1024;

/// A place in a log, from which one launch wrote.
#[derive(Clone, Debug)]
pub(super) struct LogMark {
    path: PathBuf,
    from: u64,
}

impl LogMark {
    /// The present end of a log.
    pub(super) fn end_of(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            from: length(path),
        }
    }

    /// The beginning of a log.
    #[cfg(test)]
    pub(super) fn start_of(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            from: 0,
        }
    }

    /// The last lines written since then.
    pub(super) fn tail(&self) -> String {
        tail(&self.path, self.from)
    }
}

/// How long a log is now; what is written later begins there.
fn length(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |metadata| metadata.len())
}

/// The last lines of what was written after `from`, indented, or a note that there are none.
pub(super) fn tail(path: &Path, from: u64) -> String {
    let lines = last_lines(path, from, LINES);
    if lines.is_empty() {
        return "its log is empty".to_owned();
    }
    let indented: Vec<_> = lines.iter().map(|line| format!("    {line}")).collect();
    format!("its log ends:\n{}", indented.join("\n"))
}

/// The last lines written after `from`.
pub(super) fn last_lines(path: &Path, from: u64, count: usize) -> Vec<String> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|mut file| {
        let start = from.max(length(path).saturating_sub(BYTES));
        file.seek(SeekFrom::Start(start))?;
        file.read_to_end(&mut bytes)
    });
    if read.is_err() {
        return Vec::new();
    }
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .collect();
    let skipped = lines.len().saturating_sub(count);
    lines
        .iter()
        .skip(skipped)
        .map(|line| (*line).to_owned())
        .collect()
}
