//! The arrows between the crates: who may use whom. Everything else fails here.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::{DependencyKind, MetadataCommand, Package};

/// Each crate with the crates of ours that it may use. A crate that is not listed may use none,
/// and must be added here.
const ALLOWED: &[(&str, &[&str])] = &[
    (
        "faceoff",
        &[
            "faceoff-engine",
            "faceoff-record",
            "faceoff-report",
            "faceoff-runner",
            "faceoff-stats",
        ],
    ),
    ("faceoff-runner", &["faceoff-record", "faceoff-stats"]),
    ("faceoff-report", &["faceoff-record", "faceoff-stats"]),
    ("faceoff-engine", &["faceoff-io", "faceoff-record"]),
    ("faceoff-stats", &["faceoff-record"]),
    ("faceoff-io", &[]),
    ("faceoff-record", &[]),
    ("xtask", &["faceoff-record"]),
];

/// Crates that can do nothing of their own accord stay pure: none of these may be among their
/// direct dependencies.
const IMPURE: &[&str] = &[
    "clap",
    "console",
    "indicatif",
    "nix",
    "procfs",
    "rustix",
    "ureq",
];
const PURE_CRATES: &[&str] = &["faceoff-record", "faceoff-report", "faceoff-stats"];

fn packages() -> cargo_metadata::Result<Vec<Package>> {
    Ok(MetadataCommand::new().no_deps().exec()?.packages)
}

fn normal_dependencies(package: &Package) -> BTreeSet<String> {
    let normal = package
        .dependencies
        .iter()
        .filter(|d| d.kind != DependencyKind::Development);
    normal.map(|dependency| dependency.name.clone()).collect()
}

#[test]
fn crates_use_each_other_only_along_the_allowed_arrows() {
    let allowed: BTreeMap<_, _> = ALLOWED.iter().copied().collect();
    let packages = packages().unwrap();
    let ours: BTreeSet<String> = packages.iter().map(|p| p.name.to_string()).collect();
    for package in &packages {
        let Some(may_use) = allowed.get(package.name.as_str()) else {
            panic!("{} is not in the table of allowed arrows", package.name);
        };
        for dependency in normal_dependencies(package).intersection(&ours) {
            assert!(
                may_use.contains(&dependency.as_str()),
                "{} must not use {dependency}",
                package.name
            );
        }
    }
    for (name, _) in ALLOWED {
        assert!(
            ours.contains(*name),
            "{name} is in the table but not in the workspace"
        );
    }
}

#[test]
fn pure_crates_reach_neither_the_system_nor_the_terminal() {
    for package in packages().unwrap() {
        if PURE_CRATES.contains(&package.name.as_str()) {
            for dependency in normal_dependencies(&package) {
                assert!(
                    !IMPURE.contains(&dependency.as_str()),
                    "{} must stay pure and uses {dependency}",
                    package.name
                );
            }
        }
    }
}

#[test]
fn every_crate_inherits_the_lints_of_the_workspace() {
    for package in packages().unwrap() {
        let manifest = std::fs::read_to_string(&package.manifest_path).unwrap();
        assert!(
            manifest.contains("[lints]\nworkspace = true"),
            "{} has its own lints",
            package.name
        );
    }
}
