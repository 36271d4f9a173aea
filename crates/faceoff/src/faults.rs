//! How errors look. They are printed here and nowhere else.

use std::io::Write as _;
use std::path::Path;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use anyhow::Error;
use faceoff_runner::config::{ConfigError, FaultyFile, Problem, ResolveError};

use crate::exit::Exit;

/// A suite that cannot be carried out here, for all these reasons.
#[derive(Debug)]
pub(crate) struct Unresolved(pub(crate) Vec<ResolveError>);

impl std::fmt::Display for Unresolved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let texts: Vec<_> = self.0.iter().map(ResolveError::to_string).collect();
        f.write_str(&texts.join("\nerror: "))
    }
}

impl std::error::Error for Unresolved {}

/// A command line that makes no sense, beyond what its grammar shows.
#[derive(Debug)]
pub(crate) struct Usage(pub(crate) String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Prints an error with its causes on the error stream, and says how to exit.
pub(crate) fn report(error: &Error) -> Exit {
    if let Some(ConfigError::Faulty(files)) = error.downcast_ref() {
        for file in files {
            print(&show_file(file));
        }
        return Exit::Usage;
    }
    print(&format!("error: {error:#}"));
    if error.is::<ConfigError>() || error.is::<Usage>() {
        return Exit::Usage;
    }
    match error.downcast_ref::<Unresolved>() {
        Some(Unresolved(errors)) => exit_of(errors),
        None => Exit::Failed,
    }
}

fn exit_of(errors: &[ResolveError]) -> Exit {
    let impossible_here = |error: &ResolveError| matches!(error, ResolveError::NobodyLeft(_));
    if errors.contains(&ResolveError::OneProcessor) {
        Exit::Void
    } else if errors.iter().all(impossible_here) {
        Exit::Failed
    } else {
        Exit::Usage
    }
}

fn print(text: &str) {
    // Where the error stream is closed, the exit code still tells.
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// All mistakes of a file, each with its line.
fn show_file(file: &FaultyFile) -> String {
    let renderer = if console::colors_enabled_stderr() {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    let problems = file.problems.iter();
    let shown: Vec<_> = problems
        .map(|problem| show(problem, file, &renderer))
        .collect();
    shown.join("\n\n")
}

fn show(problem: &Problem, file: &FaultyFile, renderer: &Renderer) -> String {
    let path = display_path(&file.path);
    let span = visible(problem, &file.text);
    let annotation = AnnotationKind::Primary.span(span).label(&problem.key);
    let snippet = Snippet::source(&file.text)
        .path(&path)
        .annotation(annotation);
    let mut report = vec![
        Level::ERROR
            .primary_title(&problem.message)
            .element(snippet),
    ];
    if let Some(hint) = &problem.hint {
        report.push(Group::with_title(Level::HELP.secondary_title(hint)));
    }
    renderer.render(&report)
}

/// A mistake in a whole table is shown at its first line, not over all of them.
fn visible(problem: &Problem, text: &str) -> std::ops::Range<usize> {
    let end = problem.span.end.min(text.len());
    let start = problem.span.start.min(end);
    let first_line = text.get(start..end).and_then(|part| part.find('\n'));
    start..first_line.map_or(end, |length| start + length)
}

fn display_path(path: &Path) -> String {
    let text = path.display().to_string();
    text.strip_prefix("./").map_or(text.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use annotate_snippets::Renderer;
    use faceoff_runner::config::{FaultyFile, Problem};

    use super::show;

    #[test]
    fn a_mistake_is_shown_with_line_key_and_hint() {
        let text = "[load]\nconections = 5\n".to_owned();
        let problem = Problem {
            span: 7..17,
            key: "load.conections".to_owned(),
            message: "unknown key `conections`".to_owned(),
            hint: Some("did you mean `connections`?".to_owned()),
        };
        let file = FaultyFile {
            path: PathBuf::from("./faceoff.toml"),
            text,
            problems: vec![problem.clone()],
        };
        let expected = "\
error: unknown key `conections`
 --> faceoff.toml:2:1
  |
2 | conections = 5
  | ^^^^^^^^^^ load.conections
  |
help: did you mean `connections`?";
        assert_eq!(show(&problem, &file, &Renderer::plain()), expected);
    }
}
