//! What is wrong with a file, in terms of the file.

use std::ops::Range;
use std::path::PathBuf;

/// One mistake in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The bytes of the file that are wrong.
    pub span: Range<usize>,
    /// The key they belong to, for example `contender[2].command`; empty for the file as a whole.
    pub key: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

/// A file and all its mistakes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultyFile {
    /// The file.
    pub path: PathBuf,
    /// Its text, for showing the lines.
    pub text: String,
    /// The mistakes, in the order of the file.
    pub problems: Vec<Problem>,
}

/// Why a configuration could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// A file could not be opened or is not text.
    #[error("cannot read {path}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: std::io::Error,
    },
    /// Files have mistakes.
    #[error("{}", summary(.0))]
    Faulty(Vec<FaultyFile>),
}

fn summary(files: &[FaultyFile]) -> String {
    let mistakes: usize = files.iter().map(|file| file.problems.len()).sum();
    let plural = if mistakes == 1 { "" } else { "s" };
    let names: Vec<_> = files.iter().map(|f| f.path.display().to_string()).collect();
    format!("{mistakes} mistake{plural} in {}", names.join(", "))
}

/// The mistakes of one file while it is being read.
#[derive(Default)]
pub(super) struct Problems(Vec<Problem>);

impl Problems {
    pub(super) fn add(&mut self, span: Range<usize>, key: &str, message: impl Into<String>) {
        self.add_with_hint(span, key, message, None);
    }

    pub(super) fn add_with_hint(
        &mut self,
        span: Range<usize>,
        key: &str,
        message: impl Into<String>,
        hint: Option<String>,
    ) {
        self.0.push(Problem {
            span,
            key: key.to_owned(),
            message: message.into(),
            hint,
        });
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The mistakes in the order of the file.
    pub(super) fn into_sorted(mut self) -> Vec<Problem> {
        self.0.sort_by_key(|problem| problem.span.start);
        self.0
    }
}

/// `did you mean ...?` for a name that nobody knows, if a known one is near.
pub(super) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(name, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= 1 + candidate.len() / 4)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn the_nearest_name_is_offered_only_when_it_is_near() {
        let known = ["command", "connections", "name"];
        let cases = [
            ("comand", Some("command")),
            ("conections", Some("connections")),
            ("nmae", Some("name")),
            ("zebra", None),
        ];
        for (written, expected) in cases {
            assert_eq!(nearest(written, known), expected, "{written}");
        }
    }
}
