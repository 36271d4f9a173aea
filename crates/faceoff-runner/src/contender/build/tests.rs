use std::fs;
use std::path::Path;

use faceoff_record::{
    Build, BuildFacts, Class, Contender, ContenderName, Figure, Managed, Nanos, Start,
};

use super::{BuildError, Builder};
use crate::contender::lines_of_code;
use crate::testing::{Scene, all_cores};

/// Makes `target/server` out of `server.sh` and `../shared.txt`, and counts how often.
const BUILD: &str = "mkdir -p target && cat server.sh ../shared.txt > target/server && \
                     chmod +x target/server && echo built >> ../builds.txt";

/// A contender's folder within a scene, and what builds it.
struct Workshop {
    scene: Scene,
    managed: Managed,
    builder: Builder,
}

impl Workshop {
    fn new() -> Self {
        let scene = Scene::new();
        scene.write("shared.txt", "# shared\n");
        scene.write("own/server.sh", "#!/bin/sh\n");
        scene.write("own/.gitignore", "*.cache\n");
        let mut managed = scene.managed("");
        managed.folder = scene.folder().join("own");
        managed.command = vec!["target/server".to_owned()];
        managed.build = Some(Build {
            command: ["sh", "-c", BUILD].map(str::to_owned).into(),
            inputs: vec!["../shared.txt".to_owned()],
            toolchains: [("sh".to_owned(), "1.2".to_owned())].into(),
        });
        let builder = Builder {
            memory: scene.folder().join("memory/builds"),
            cores: all_cores(),
            rebuild: false,
        };
        Self {
            scene,
            managed,
            builder,
        }
    }

    fn folder(&self) -> &Path {
        &self.managed.folder
    }

    fn build(&self) -> Result<BuildFacts, BuildError> {
        let name = ContenderName::new("x");
        let lab = self.scene.lab();
        self.builder.build(&name, &self.managed, &lab, &mut |_| {})
    }

    /// Builds, and tells whether that was found necessary. What is said must be what was done.
    fn rebuilds(&self) -> bool {
        let before = self.builds();
        let facts = self.build().unwrap();
        assert_eq!(facts.unchanged, self.builds() == before);
        assert_eq!(facts.unchanged, facts.took == Nanos::ZERO);
        !facts.unchanged
    }

    fn builds(&self) -> usize {
        let built = fs::read_to_string(self.scene.folder().join("builds.txt"));
        built.map_or(0, |text| text.lines().count())
    }

    fn set_command(&mut self, script: &str) {
        let build = self.managed.build.as_mut().unwrap();
        build.command = ["sh", "-c", script].map(str::to_owned).into();
    }
}

#[test]
fn a_contender_is_built_again_when_what_the_build_is_made_of_or_gave_has_changed() {
    type Change = fn(&mut Workshop);
    let cases: [(&str, Change); 14] = [
        ("the source", |w| {
            fs::write(w.folder().join("server.sh"), "#!/bin/sh\n:\n").unwrap()
        }),
        ("a new file", |w| {
            fs::write(w.folder().join("more.sh"), "").unwrap()
        }),
        ("a file's name", |w| {
            fs::rename(w.folder().join("more.sh"), w.folder().join("less.sh")).unwrap();
        }),
        ("a missing file", |w| {
            fs::remove_file(w.folder().join("less.sh")).unwrap()
        }),
        ("an input outside", |w| {
            drop(w.scene.write("shared.txt", "# changed\n"))
        }),
        ("the start command", |w| {
            w.managed.command.push("--fast".to_owned())
        }),
        ("the build command", |w| {
            w.set_command(&format!(": again; {BUILD}"))
        }),
        ("a variable", |w| {
            drop(w.managed.env.insert("MODE".to_owned(), "a".to_owned()))
        }),
        ("a variable's value", |w| {
            drop(w.managed.env.insert("MODE".to_owned(), "b".to_owned()))
        }),
        ("the toolchain", |w| {
            let toolchains = &mut w.managed.build.as_mut().unwrap().toolchains;
            toolchains.insert("sh".to_owned(), "1.3".to_owned());
        }),
        ("the program is missing", |w| {
            fs::remove_file(w.folder().join("target/server")).unwrap()
        }),
        ("the program is another", |w| {
            fs::write(w.folder().join("target/server"), "").unwrap()
        }),
        ("the memory is gone", |w| {
            fs::remove_dir_all(&w.builder.memory).unwrap()
        }),
        ("the memory is nonsense", |w| {
            fs::write(w.builder.memory.join("x.json"), "{}").unwrap()
        }),
    ];
    let mut workshop = Workshop::new();
    assert!(workshop.rebuilds(), "the first time");
    assert!(!workshop.rebuilds(), "unchanged");
    for (name, change) in cases {
        change(&mut workshop);
        assert!(workshop.rebuilds(), "{name}");
        assert!(!workshop.rebuilds(), "unchanged after {name}");
    }
    workshop.builder.rebuild = true;
    assert!(workshop.rebuilds(), "asked to");
}

#[test]
fn what_builds_leave_behind_is_no_reason_to_build_again() {
    let workshop = Workshop::new();
    workshop.rebuilds();
    let files = [
        "target/x",
        "node_modules/a/b.js",
        "bin/x",
        "obj/x",
        "deep/down/target/x",
        ".hidden",
        "a.cache",
        "deep/b.cache",
    ];
    for file in files {
        workshop.scene.write(&format!("own/{file}"), "left over");
        assert!(!workshop.rebuilds(), "{file}");
    }
    // Only these folders: something else of the same name in part is source.
    workshop.scene.write("own/targets/x", "source");
    assert!(workshop.rebuilds());
}

#[test]
fn the_facts_of_a_build_name_what_it_was_made_of_and_what_it_gave() {
    let workshop = Workshop::new();
    let (built, skipped) = (workshop.build().unwrap(), workshop.build().unwrap());
    // By `printf '#!/bin/sh\n# shared\n' | sha256sum`.
    let program = "f925ec07a922ee45d2cba9ab604ceb2bc0f4f7eca88fc544eabef08ee0bcc4e2";
    assert_eq!(built.program_sha256.as_deref(), Some(program));
    assert_eq!(built.inputs_sha256.len(), 64);
    let hashes = |facts: BuildFacts| (facts.inputs_sha256, facts.program_sha256);
    assert_eq!(hashes(built), hashes(skipped));
}

#[test]
fn a_contender_without_a_build_is_never_built() {
    let mut workshop = Workshop::new();
    workshop.managed.build = None;
    workshop.builder.rebuild = true;
    assert!(!workshop.rebuilds());
    assert!(!workshop.builder.memory.exists());
}

#[test]
fn the_memory_of_builds_keeps_itself_out_of_repositories() {
    let workshop = Workshop::new();
    workshop.rebuilds();
    let ignore = fs::read_to_string(workshop.builder.memory.join(".gitignore")).unwrap();
    assert_eq!(ignore, "*\n");
}

#[test]
fn a_build_that_fails_is_told_with_command_exit_and_the_end_of_its_output() {
    let mut workshop = Workshop::new();
    workshop.set_command("seq 1 30; echo no such crate >&2; exit 9");
    let message = workshop.build().unwrap_err().to_string();
    let start = "its build (`sh -c 'seq 1 30; echo no such crate >&2; exit 9'`) ended with exit \
                 code 9; its log ends:\n    17\n";
    assert!(message.starts_with(start), "{message}");
    assert!(
        message.ends_with("\n    30\n    no such crate"),
        "{message}"
    );
}

#[test]
fn an_earlier_success_does_not_hide_that_the_last_build_failed() {
    let mut workshop = Workshop::new();
    workshop.set_command(&format!("[ ! -e ../broken ] && {BUILD}"));
    // Without a program file of its own nothing but the memory tells whether it is built.
    workshop.managed.command = vec!["true".to_owned()];
    assert!(workshop.rebuilds());

    let broken = workshop.scene.write("broken", "");
    workshop.builder.rebuild = true;
    workshop.build().unwrap_err();

    fs::remove_file(broken).unwrap();
    workshop.builder.rebuild = false;
    assert!(workshop.rebuilds());
}

#[test]
fn what_prevents_a_build_is_told_with_its_path() {
    type Change = fn(&mut Workshop);
    let cases: [(Change, &str); 4] = [
        (
            |w| w.managed.build.as_mut().unwrap().command = vec!["./make-it".to_owned()],
            "its build cannot be started: cannot start `./make-it` in ",
        ),
        (
            |w| {
                w.managed
                    .build
                    .as_mut()
                    .unwrap()
                    .inputs
                    .push("../missing.lock".to_owned())
            },
            "own/../missing.lock: No such file",
        ),
        (
            |w| w.builder.memory = w.scene.write("plain.txt", "").join("builds"),
            "plain.txt/builds/x.json: Not a directory",
        ),
        (
            |w| w.managed.command = vec!["../shared.txt/server".to_owned()],
            "shared.txt/server: Not a directory",
        ),
    ];
    for (change, part) in cases {
        let mut workshop = Workshop::new();
        change(&mut workshop);
        let message = workshop.build().unwrap_err().to_string();
        assert!(message.contains(part), "no `{part}` in: {message}");
    }
}

#[test]
fn the_latest_line_of_a_build_is_told_while_it_runs_and_nothing_of_it_runs_on() {
    let mut workshop = Workshop::new();
    workshop.set_command("sleep 600 & echo compiling; while [ ! -e go ]; do sleep 0.01; done");
    let go = workshop.folder().join("go");
    let mut lines = Vec::new();
    let lab = workshop.scene.lab();
    let name = ContenderName::new("x");
    let built = workshop
        .builder
        .build(&name, &workshop.managed, &lab, &mut |line| {
            lines.push(line.to_owned());
            fs::write(&go, "").unwrap();
        });
    assert!(
        built.is_ok() && lines.contains(&"compiling".to_owned()),
        "{lines:?}"
    );
    assert_eq!(workshop.scene.alive(), 0);
}

#[test]
fn a_wish_to_end_ends_a_build() {
    let mut workshop = Workshop::new();
    workshop.set_command("exec sleep 600");
    let lab = workshop.scene.lab();
    lab.cancel.cancel();
    let name = ContenderName::new("x");
    let error = workshop
        .builder
        .build(&name, &workshop.managed, &lab, &mut |_| {});
    assert!(matches!(error, Err(BuildError::Cancelled(_))), "{error:?}");
    assert_eq!(workshop.scene.alive(), 0);
}

#[test]
fn lines_of_code_are_those_of_the_source_globs_without_blanks_and_comments() {
    let workshop = Workshop::new();
    workshop
        .scene
        .write("own/src/main.rs", "// Says hello.\n\nfn main() {\n}\n");
    workshop
        .scene
        .write("own/src/deep/more.rs", "fn more() {}\n");
    workshop.scene.write("own/target/made.rs", "fn made() {}\n");
    workshop.scene.write("own/notes.unknown", "not code\n");
    let count = |globs: &[&str]| {
        let mut managed = workshop.managed.clone();
        managed.source = globs.iter().map(|glob| (*glob).to_owned()).collect();
        lines_of_code(&contender(Start::Managed(managed)))
    };
    let cases = [
        (vec!["src/**/*.rs"], Figure::Known(3)),
        (vec!["src/*.rs", "**/*.unknown"], Figure::Known(3)),
        (vec!["src/main.rs"], Figure::Known(2)),
        (vec!["**/*"], Figure::Known(3)),
        (
            vec!["*.go"],
            Figure::absent("its `source` globs match no file"),
        ),
        (vec![], Figure::absent("it names no `source` files")),
    ];
    for (globs, expected) in cases {
        assert_eq!(count(&globs), expected, "{globs:?}");
    }
    assert!(
        count(&["src/[*.rs"])
            .reason()
            .unwrap()
            .contains("src/[*.rs")
    );
    let running = contender(Start::Running {
        url: "http://127.0.0.1:1".to_owned(),
    });
    assert_eq!(
        lines_of_code(&running).reason(),
        Some("its source is not known")
    );
}

fn contender(start: Start) -> Contender {
    Contender {
        name: ContenderName::new("x"),
        language: "Rust".to_owned(),
        framework: None,
        version: None,
        class: Class::Standard,
        workloads: Vec::new(),
        scheme: faceoff_record::Scheme::Http,
        start,
    }
}
