//! Every check, as a table of steps. All are carried out even if one fails, so that one run shows
//! all that is wrong.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::{Context as _, Result, bail};

use crate::say;

/// One check.
struct Step {
    name: &'static str,
    /// The program it needs beyond cargo; without it the step is left out.
    needs: Option<&'static str>,
    carry_out: fn(&Path) -> Result<()>,
}

const STEPS: &[Step] = &[
    Step {
        name: "format",
        needs: None,
        carry_out: format,
    },
    Step {
        name: "clippy",
        needs: None,
        carry_out: clippy,
    },
    Step {
        name: "tests",
        needs: None,
        carry_out: tests,
    },
    Step {
        name: "docs",
        needs: None,
        carry_out: docs,
    },
    Step {
        name: "schemas",
        needs: None,
        carry_out: crate::schema::check,
    },
    Step {
        name: "conformance",
        needs: None,
        carry_out: conformance,
    },
    Step {
        name: "demo",
        needs: None,
        carry_out: demo,
    },
    Step {
        name: "go-contenders",
        needs: Some("go"),
        carry_out: go_contenders,
    },
    Step {
        name: "node-contenders",
        needs: Some("node"),
        carry_out: node_contenders,
    },
];

/// The names of all steps.
pub(crate) fn names() -> Vec<&'static str> {
    STEPS.iter().map(|step| step.name).collect()
}

/// Carries out the named steps, or all.
pub(crate) fn run(chosen: &[String]) -> ExitCode {
    if let Some(name) = chosen.iter().find(|name| !names().contains(&name.as_str())) {
        say(&format!(
            "there is no step `{name}`; there are {}",
            names().join(", ")
        ));
        return ExitCode::from(2);
    }
    let root = root();
    let (mut passed, mut failed, mut left_out) = (Vec::new(), Vec::new(), Vec::new());
    for step in STEPS {
        if !chosen.is_empty() && !chosen.iter().any(|name| name == step.name) {
            continue;
        }
        if let Some(program) = step.needs.filter(|program| !is_installed(program)) {
            left_out.push(format!("{}: {program} is not installed", step.name));
            continue;
        }
        say(&format!("\n== {} ==", step.name));
        let started = Instant::now();
        match (step.carry_out)(&root) {
            Ok(()) => {
                say(&format!(
                    "== {}: ok, {:.0?} ==",
                    step.name,
                    started.elapsed()
                ));
                passed.push(step.name);
            }
            Err(error) => {
                say(&format!("== {}: FAILED: {error:#} ==", step.name));
                failed.push(step.name);
            }
        }
    }
    left_out.extend(missing_toolchains());
    say("\n== summary ==");
    say(&format!("passed: {}", list(&passed)));
    say(&format!("failed: {}", list(&failed)));
    say(&format!("left out: {}", list(&left_out)));
    let (passed, failed, left_out) = (passed.len(), failed.len(), left_out.len());
    say(&format!(
        "{passed} passed, {failed} failed, {left_out} skipped"
    ));
    if failed > 0 || passed == 0 {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}

fn list<T: AsRef<str>>(names: &[T]) -> String {
    if names.is_empty() {
        return "nothing".to_owned();
    }
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    names.join("; ")
}

/// Contenders that cannot be built here, by their toolchain.
fn missing_toolchains() -> Vec<String> {
    [("go", "Go"), ("node", "JavaScript")]
        .into_iter()
        .filter(|(program, _)| !is_installed(program))
        .map(|(program, language)| format!("{language} contenders: {program} is not installed"))
        .collect()
}

fn format(root: &Path) -> Result<()> {
    cargo(root, &["fmt", "--all", "--check"])?;
    cargo(&root.join("contenders"), &["fmt", "--all", "--check"])
}

fn clippy(root: &Path) -> Result<()> {
    let arguments = [
        "clippy",
        "--workspace",
        "--all-targets",
        "--locked",
        "--",
        "-D",
        "warnings",
    ];
    cargo(root, &arguments)
}

/// Unit, integration and end-to-end tests, and the layering of the crates.
fn tests(root: &Path) -> Result<()> {
    cargo(root, &["test", "--workspace", "--locked"])
}

fn docs(root: &Path) -> Result<()> {
    let mut command = Command::new(cargo_program());
    command.args(["doc", "--workspace", "--no-deps", "--locked"]);
    command.env("RUSTDOCFLAGS", "-D warnings");
    finish(command.current_dir(root))
}

/// Every contender whose toolchain is here keeps the contract of every workload it offers.
fn conformance(root: &Path) -> Result<()> {
    finish(&mut faceoff(root, &["check", "--all"]))
}

/// The main command of the README, shortened: it must come to its end and keep a result. Whether a
/// verdict can be given depends on how busy the machine is, so a void one is as good here.
fn demo(root: &Path) -> Result<()> {
    let out = demo_folder(root);
    let folder = out.display().to_string();
    let arguments = [
        "run", "--quick", "--time", "45s", "--seed", "1", "--out", &folder,
    ];
    let status = faceoff(root, &arguments).status();
    let kept = out.join("record.json").exists() && out.join("report.html").exists();
    std::fs::remove_dir_all(&out).context("cannot remove the demo's result")?;
    match status.context("cannot start the demo")?.code() {
        Some(0 | VOID) if kept => Ok(()),
        Some(0 | VOID) => bail!("the run kept no record or no page"),
        other => bail!("the run ended with {other:?}"),
    }
}

/// How Faceoff exits when it withholds a verdict.
const VOID: i32 = 4;

fn go_contenders(root: &Path) -> Result<()> {
    for folder in contenders_with(root, "go.mod")? {
        let unformatted = Command::new("gofmt")
            .arg("-l")
            .arg(".")
            .current_dir(&folder)
            .output()?;
        if !unformatted.stdout.is_empty() {
            let names = String::from_utf8_lossy(&unformatted.stdout).into_owned();
            bail!("gofmt would change in {}: {names}", folder.display());
        }
        let mut vet = Command::new("go");
        finish(
            vet.args(["vet", "./..."])
                .env("GOTOOLCHAIN", "local")
                .current_dir(&folder),
        )?;
    }
    Ok(())
}

fn node_contenders(root: &Path) -> Result<()> {
    for folder in contenders_with(root, "package.json")? {
        let mut check = Command::new("node");
        finish(check.args(["--check", "server.js"]).current_dir(&folder))?;
    }
    Ok(())
}

/// The folders of contenders that hold a file of this name.
fn contenders_with(root: &Path, file: &str) -> Result<Vec<PathBuf>> {
    let folder = root.join("contenders");
    let entries = std::fs::read_dir(&folder).context("cannot read contenders/")?;
    Ok(entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.join(file).exists())
        .collect())
}

fn faceoff(root: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(cargo_program());
    command.args([
        "run",
        "--quiet",
        "--release",
        "--locked",
        "--package",
        "faceoff",
        "--",
    ]);
    command.args(arguments).current_dir(root);
    command
}

fn cargo(folder: &Path, arguments: &[&str]) -> Result<()> {
    finish(
        Command::new(cargo_program())
            .args(arguments)
            .current_dir(folder),
    )
}

fn finish(command: &mut Command) -> Result<()> {
    let status = command
        .status()
        .with_context(|| format!("cannot start {command:?}"))?;
    if !status.success() {
        bail!("{command:?} ended with {status}");
    }
    Ok(())
}

fn is_installed(program: &str) -> bool {
    let argument = if program == "go" {
        "version"
    } else {
        "--version"
    };
    let output = Command::new(program).arg(argument).output();
    output.is_ok_and(|output| output.status.success())
}

/// The cargo that runs this program, so that all steps use one toolchain.
fn cargo_program() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned())
}

/// Where the demo keeps its result; inside `target`, so that nothing is left in the tree.
fn demo_folder(root: &Path) -> PathBuf {
    root.join("target")
        .join(format!("demo-{}", std::process::id()))
}

pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}
