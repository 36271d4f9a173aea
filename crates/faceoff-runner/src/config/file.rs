//! What the user wrote, checked by itself.
//!
//! Values are of the right type and form, names are unique, commands can be split. Whether a
//! toolchain is here or a port is free is a matter for [`super::resolve`].

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use faceoff_record::{Class, Header, Nanos, Scheme};
use toml::de::DeTable;

use super::problem::{ConfigError, FaultyFile, Problem, Problems};
use super::reader::Section;
use super::sections::{ListedContender, Role, contender_section, suite_section};
use super::values::KNOWN_WORKLOADS;

/// A suite as it was written, the contender files it names included.
#[derive(Clone, Debug, PartialEq)]
pub struct SuiteFile {
    /// The file it came from.
    pub path: PathBuf,
    /// Its name; that of the file where none is written.
    pub name: String,
    /// `[load]`.
    pub load: LoadFile,
    /// `[[contender]]`.
    pub contenders: Vec<ContenderFile>,
    /// `[[service]]`.
    pub services: Vec<ContenderFile>,
    /// `[[workload]]`.
    pub workloads: Vec<WorkloadFile>,
}

/// `[load]` as written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LoadFile {
    /// Connections kept busy.
    pub connections: Option<u32>,
    /// The longest time for the measurement of one workload.
    pub time: Option<Nanos>,
    /// Load before each window.
    pub warm_up: Option<Nanos>,
    /// The measured window of each slice.
    pub window: Option<Nanos>,
    /// After how long a request has failed.
    pub timeout: Option<Nanos>,
    /// Whether each connection carries only one request.
    pub one_request_per_connection: bool,
    /// Processors for the contender under load; half of them unless stated.
    pub server_cores: Option<usize>,
    /// Ratios nearer to 1 than this do not matter, in percent.
    pub equal_within_percent: Option<u64>,
}

/// A contender or a service as written, from a suite or from a `contender.toml`.
#[derive(Clone, Debug, PartialEq)]
pub struct ContenderFile {
    /// Its name.
    pub name: String,
    /// The language it is written in.
    pub language: Option<String>,
    /// Its framework.
    pub framework: Option<String>,
    /// The framework's version.
    pub version: Option<String>,
    /// Its class.
    pub class: Class,
    /// The workloads it offers; empty means all.
    pub workloads: Vec<String>,
    /// How it is spoken to.
    pub scheme: Scheme,
    /// How it comes to run.
    pub start: StartFile,
}

/// How a contender comes to run, as written.
#[derive(Clone, Debug, PartialEq)]
pub enum StartFile {
    /// Built and started by us.
    Managed(Box<ManagedFile>),
    /// Already running.
    Running {
        /// Its address.
        url: String,
    },
}

/// How a contender is built and started, as written.
#[derive(Clone, Debug, PartialEq)]
pub struct ManagedFile {
    /// The folder in which its commands run.
    pub folder: PathBuf,
    /// Toolchain and minimum version.
    pub needs: BTreeMap<String, String>,
    /// The build command, split into words.
    pub build: Option<Vec<String>>,
    /// Files outside its folder that the build depends on, as paths from the folder.
    pub inputs: Vec<String>,
    /// The start command, split into words.
    pub command: Vec<String>,
    /// Environment variables.
    pub env: BTreeMap<String, String>,
    /// A port that it cannot change.
    pub port: Option<u16>,
    /// How long it may take to answer.
    pub ready_within: Option<Nanos>,
    /// Source globs.
    pub source: Vec<String>,
    /// For a service: the variable in which contenders get its address.
    pub address_in: Option<String>,
    /// For a service: the path that answers when it is ready.
    pub ready: Option<String>,
}

/// A workload as written.
#[derive(Clone, Debug, PartialEq)]
pub struct WorkloadFile {
    /// Its name.
    pub name: String,
    /// The requests and their answers; nothing where the name alone says it.
    pub requests: Option<RequestFile>,
    /// Further rules.
    pub probes: Vec<ProbeFile>,
    /// Whether all contenders must give the same body as the first.
    pub same_body: bool,
}

/// A kind of request and its right answer, as written. Path, body and expected body may hold
/// variables such as `{id}` or `{id:1..500}`.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestFile {
    /// The method.
    pub method: String,
    /// Path and query.
    pub path: String,
    /// Header fields.
    pub headers: Vec<Header>,
    /// The body.
    pub body: Option<String>,
    /// The right answer.
    pub expect: ExpectFile,
}

/// A right answer as written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExpectFile {
    /// Allowed status codes; empty means any success.
    pub status: Vec<u16>,
    /// The media type.
    pub media_type: Option<String>,
    /// The body.
    pub body: Option<String>,
}

/// A further rule as written.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbeFile {
    /// The rule's name.
    pub rule: String,
    /// Why it is there.
    pub reason: String,
    /// The request and its right answer.
    pub request: RequestFile,
}

/// Reads a suite, and the `contender.toml` of each folder it names.
///
/// # Errors
///
/// All mistakes of all files at once, or a file that cannot be read.
pub fn read_suite(path: &Path) -> Result<SuiteFile, ConfigError> {
    let text = read_text(path)?;
    // The parent of a bare file name is the empty path, which is no folder to change to.
    let folder = path.parent().filter(|parent| *parent != Path::new(""));
    let folder = folder.unwrap_or_else(|| Path::new("."));
    let mut faulty = Vec::new();
    let suite = parse(path, &text, &mut faulty, |root| {
        suite_section(root, path, folder)
    });
    let mut others = Vec::new();
    let mut contenders = Vec::new();
    let (mut suite, listed) = suite.unwrap_or_else(|| (SuiteFile::empty(path), Vec::new()));
    for entry in listed {
        match entry {
            ListedContender::Inline(contender) => contenders.push(*contender),
            ListedContender::Folder(folder) => match read_contender(&folder) {
                Ok(contender) => contenders.push(contender),
                Err(ConfigError::Faulty(files)) => others.extend(files),
                Err(error) => return Err(error),
            },
        }
    }
    faulty.extend(others);
    if !faulty.is_empty() {
        return Err(ConfigError::Faulty(faulty));
    }
    suite.contenders = contenders;
    Ok(suite)
}

impl SuiteFile {
    pub(super) fn empty(path: &Path) -> Self {
        let stem = path.file_stem().unwrap_or_default();
        Self {
            path: path.to_owned(),
            name: stem.to_string_lossy().into_owned(),
            load: LoadFile::default(),
            contenders: Vec::new(),
            services: Vec::new(),
            workloads: Vec::new(),
        }
    }

    /// The names of the toolchains that its contenders and services need.
    pub fn toolchains(&self) -> impl Iterator<Item = &str> {
        let all = self.contenders.iter().chain(&self.services);
        all.flat_map(|contender| contender.needs().keys().map(String::as_str))
    }
}

impl ContenderFile {
    /// Toolchain and minimum version.
    #[must_use]
    pub fn needs(&self) -> &BTreeMap<String, String> {
        static NOTHING: BTreeMap<String, String> = BTreeMap::new();
        match &self.start {
            StartFile::Managed(file) => &file.needs,
            StartFile::Running { .. } => &NOTHING,
        }
    }
}

/// A suite of all contenders in the folders of `contenders`, in the order of their names, with
/// all workloads known by name.
///
/// # Errors
///
/// All mistakes of all files at once, or a folder that cannot be read.
pub fn all_contenders(contenders: &Path) -> Result<SuiteFile, ConfigError> {
    let unreadable = |source| ConfigError::Unreadable {
        path: contenders.to_owned(),
        source,
    };
    let mut folders: Vec<PathBuf> = std::fs::read_dir(contenders)
        .map_err(unreadable)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|folder| folder.join("contender.toml").is_file())
        .collect();
    folders.sort();
    let mut suite = SuiteFile::empty(contenders);
    let mut faulty = Vec::new();
    for folder in folders {
        match read_contender(&folder) {
            Ok(contender) => suite.contenders.push(contender),
            Err(ConfigError::Faulty(files)) => faulty.extend(files),
            Err(error) => return Err(error),
        }
    }
    suite.workloads = KNOWN_WORKLOADS
        .iter()
        .map(|known| WorkloadFile {
            name: known.name.to_owned(),
            requests: None,
            probes: Vec::new(),
            same_body: false,
        })
        .collect();
    if faulty.is_empty() {
        Ok(suite)
    } else {
        Err(ConfigError::Faulty(faulty))
    }
}

/// Reads the `contender.toml` of a folder.
///
/// # Errors
///
/// All its mistakes at once, or a file that cannot be read.
pub fn read_contender(folder: &Path) -> Result<ContenderFile, ConfigError> {
    let path = folder.join("contender.toml");
    let text = read_text(&path)?;
    let mut faulty = Vec::new();
    let contender = parse(&path, &text, &mut faulty, |root| {
        contender_section(root, folder, Role::Contender)
    });
    match contender {
        Some(Some(contender)) if faulty.is_empty() => Ok(contender),
        _ => Err(ConfigError::Faulty(faulty)),
    }
}

fn read_text(path: &Path) -> Result<String, ConfigError> {
    std::fs::read_to_string(path).map_err(|source| ConfigError::Unreadable {
        path: path.to_owned(),
        source,
    })
}

/// Parses a file and reads its root table; mistakes are appended to `faulty`.
fn parse<T>(
    path: &Path,
    text: &str,
    faulty: &mut Vec<FaultyFile>,
    read: impl FnOnce(&mut Section<'_, '_>) -> T,
) -> Option<T> {
    let (root, errors) = DeTable::parse_recoverable(text);
    let mut problems = Problems::default();
    for error in &errors {
        let span = error.span().unwrap_or(0..0);
        problems.add(span, "", error.message());
    }
    // A file that is not TOML would yield follow-up mistakes that are none.
    let result = problems.is_empty().then(|| {
        let mut section = Section::new(root.get_ref(), 0..0, "", &mut problems);
        let result = read(&mut section);
        section.finish();
        result
    });
    let problems: Vec<Problem> = problems.into_sorted();
    if !problems.is_empty() {
        faulty.push(FaultyFile {
            path: path.to_owned(),
            text: text.to_owned(),
            problems,
        });
    }
    result
}

#[cfg(test)]
mod tests;
