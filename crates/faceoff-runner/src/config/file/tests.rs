mod mistakes;
mod written;

use crate::config::{ConfigError, read_suite};
use crate::testing::Scene;

/// A contender and a workload without mistakes, for suites whose mistake is elsewhere.
const GOOD: &str = "[[contender]]\nname = 'a'\ncommand = 'a'\n[[workload]]\nname = 'values'\n";
const CONTENDER: &str = "[[contender]]\nname = 'a'\ncommand = 'a'\n";
const WORKLOAD: &str = "[[workload]]\nname = 'values'\n";

/// What is said of a suite: for each mistake its line, key, message, and hint in brackets; the
/// file first where it is not the suite.
fn mistakes(scene: &Scene, suite: &str) -> Vec<String> {
    let path = scene.write("suite.toml", suite);
    told(scene, read_suite(&path).err())
}

fn told(scene: &Scene, error: Option<ConfigError>) -> Vec<String> {
    let files = match error {
        None => Vec::new(),
        Some(ConfigError::Faulty(files)) => files,
        Some(error) => panic!("{error}"),
    };
    let mut told = Vec::new();
    for file in files {
        let name = file.path.strip_prefix(scene.folder()).unwrap();
        let name = name.display().to_string();
        for problem in file.problems {
            let line = 1 + file.text[..problem.span.start].matches('\n').count();
            let file = if name == "suite.toml" { "" } else { &name };
            let hint = problem.hint.map(|hint| format!(" [{hint}]"));
            let (key, message) = (problem.key, problem.message);
            let text = format!("{file} {line} {key}: {message}{}", hint.unwrap_or_default());
            told.push(text.trim_start().to_owned());
        }
    }
    told
}
