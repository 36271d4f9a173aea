//! `faceoff list`: suites, workloads, contenders; what can run here and why not.

use std::path::{Path, PathBuf};

use anyhow::Result;
use faceoff_report::{
    ListedContender, ListedSuite, ListedWorkload, Listing, listing_json, listing_terminal,
};
use faceoff_runner::config::{
    ConfigError, ContenderFile, KNOWN_WORKLOADS, SuiteFile, all_contenders, read_suite,
};
use faceoff_runner::host::Host;

use super::{show, width};
use crate::cli::ListArguments;
use crate::exit::Exit;

/// Lists what is in this folder.
pub(crate) fn list(arguments: &ListArguments) -> Result<Exit> {
    let listing = listing()?;
    if arguments.json {
        show(&listing_json(&listing))?;
    } else {
        show(&listing_terminal(&listing, width()))?;
    }
    Ok(Exit::Good)
}

fn listing() -> Result<Listing> {
    let suites: Vec<_> = suite_paths()
        .into_iter()
        .map(|path| (read_suite(&path), path))
        .collect();
    let mut contenders = match all_contenders(Path::new("contenders")) {
        Ok(suite) => suite.contenders,
        Err(ConfigError::Unreadable { .. }) => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    for contender in suites.iter().filter_map(|(suite, _)| suite.as_ref().ok()) {
        for contender in &contender.contenders {
            if !contenders.iter().any(|known| known.name == contender.name) {
                contenders.push(contender.clone());
            }
        }
    }
    let toolchains = contenders
        .iter()
        .flat_map(|c| c.needs().keys().map(String::as_str));
    let host = Host::look(toolchains);
    Ok(Listing {
        suites: suites
            .iter()
            .map(|(suite, path)| listed_suite(suite, path))
            .collect(),
        contenders: contenders
            .iter()
            .map(|c| listed_contender(c, &host))
            .collect(),
        workloads: KNOWN_WORKLOADS
            .iter()
            .map(|workload| ListedWorkload {
                name: workload.name.to_owned(),
                description: workload.description.to_owned(),
            })
            .collect(),
    })
}

/// The suite of this folder, and those under `suites/`.
fn suite_paths() -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir("suites")
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "toml")
        })
        .collect();
    paths.sort();
    let here = PathBuf::from("faceoff.toml");
    if here.exists() {
        paths.insert(0, here);
    }
    paths
}

fn listed_suite(suite: &Result<SuiteFile, ConfigError>, path: &Path) -> ListedSuite {
    let path = path.display().to_string();
    match suite {
        Ok(suite) => ListedSuite {
            path,
            name: suite.name.clone(),
            workloads: suite.workloads.iter().map(|w| w.name.clone()).collect(),
            contenders: suite.contenders.iter().map(|c| c.name.clone()).collect(),
            problem: None,
        },
        Err(error) => ListedSuite {
            path,
            name: String::new(),
            workloads: Vec::new(),
            contenders: Vec::new(),
            problem: Some(error.to_string()),
        },
    }
}

fn listed_contender(contender: &ContenderFile, host: &Host) -> ListedContender {
    ListedContender {
        name: contender.name.clone(),
        language: contender.language.clone().unwrap_or_else(|| "-".to_owned()),
        framework: contender.framework.clone(),
        version: contender.version.clone(),
        class: contender.class,
        workloads: contender.workloads.clone(),
        cannot_run: host.meet(contender.needs()).err(),
    }
}
