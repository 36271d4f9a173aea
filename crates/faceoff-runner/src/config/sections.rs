//! How each table of a suite or a `contender.toml` is read.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use faceoff_record::{Class, Nanos, Scheme};

use super::file::{
    ContenderFile, ExpectFile, LoadFile, ManagedFile, ProbeFile, RequestFile, StartFile, SuiteFile,
    WorkloadFile,
};
use super::port::fill_port;
use super::reader::Section;
use super::syntax;

/// A contender as a suite lists it.
pub(super) enum ListedContender {
    /// Written in the suite itself.
    Inline(Box<ContenderFile>),
    /// The folder with its `contender.toml`.
    Folder(PathBuf),
}

/// The root of a suite.
pub(super) fn suite_section(
    root: &mut Section<'_, '_>,
    path: &Path,
    folder: &Path,
) -> (SuiteFile, Vec<ListedContender>) {
    let mut suite = SuiteFile::empty(path);
    if let Some(name) = root.string("name") {
        suite.name = name;
    }
    suite.load = root.table("load", load_section).unwrap_or_default();
    let listed: Vec<_> = root
        .tables("contender", |section| listed_contender(section, folder))
        .into_iter()
        .flatten()
        .collect();
    if listed.is_empty() && !root.has("contender") {
        let hint = "add [[contender]] with `folder`, with `name` and `command`, or with `url`";
        root.problem("contender", "the suite has no contender", Some(hint));
    }
    suite.services = root
        .tables("service", |section| {
            contender_section(section, folder, Role::Service)
        })
        .into_iter()
        .flatten()
        .collect();
    let mut names = HashSet::new();
    suite.workloads = root
        .tables("workload", |section| workload_section(section, &mut names))
        .into_iter()
        .flatten()
        .collect();
    if suite.workloads.is_empty() && !root.has("workload") {
        let hint = "add [[workload]] with a known `name`, or with `name` and `path`";
        root.problem("workload", "the suite has no workload", Some(hint));
    }
    (suite, listed)
}

fn load_section(section: &mut Section<'_, '_>) -> LoadFile {
    LoadFile {
        connections: section
            .integer("connections", 1..=100_000)
            .and_then(|number| u32::try_from(number).ok()),
        time: positive(section, "time"),
        warm_up: section.duration("warm-up"),
        window: positive(section, "window"),
        timeout: positive(section, "timeout"),
        one_request_per_connection: section
            .boolean("one-request-per-connection")
            .unwrap_or(false),
        server_cores: section
            .integer("server-cores", 1..=4_096)
            .and_then(|number| usize::try_from(number).ok()),
        equal_within_percent: section.integer("equal-within-percent", 0..=50),
    }
}

fn positive(section: &mut Section<'_, '_>, key: &'static str) -> Option<Nanos> {
    let duration = section.duration(key)?;
    if duration == Nanos::ZERO {
        section.problem(key, format!("`{key}` must be longer than nothing"), None);
        return None;
    }
    Some(duration)
}

fn listed_contender(section: &mut Section<'_, '_>, base: &Path) -> Option<ListedContender> {
    let inline = ["command", "url"].iter().any(|key| section.has(key));
    if !inline && section.has("folder") {
        let folder = base.join(section.string("folder")?);
        if !folder.join("contender.toml").is_file() {
            let message = format!("there is no contender.toml in {}", folder.display());
            let hint = "name a contender's folder, or add `name` and `command` here";
            section.problem("folder", message, Some(hint));
            return None;
        }
        return Some(ListedContender::Folder(folder));
    }
    let folder = match section.string("folder") {
        Some(folder) => base.join(folder),
        None => base.to_owned(),
    };
    contender_section(section, &folder, Role::Contender)
        .map(|contender| ListedContender::Inline(Box::new(contender)))
}

/// What a table of commands describes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A contender.
    Contender,
    /// A server beside the contenders.
    Service,
}

/// A contender or a service.
pub(super) fn contender_section(
    section: &mut Section<'_, '_>,
    folder: &Path,
    role: Role,
) -> Option<ContenderFile> {
    let name = section.required_string("name", "every contender needs a name of its own");
    if let Some(name) = &name
        && (name.len() > 40 || name.contains(['/', '\\', '\0']) || name.starts_with('.'))
    {
        let hint = "the name is also that of its log file";
        section.problem(
            "name",
            "a name has at most 40 bytes and no slash",
            Some(hint),
        );
    }
    let language = section.string("language");
    let framework = section.string("framework");
    let version = section.string("version");
    let class = match section.string("class").as_deref() {
        None | Some("standard") => Class::Standard,
        Some("tuned") => Class::Tuned,
        Some("bare") => Class::Bare,
        Some(_) => {
            let hint = "the classes are \"standard\", \"tuned\" and \"bare\"";
            section.problem("class", "unknown class", Some(hint));
            Class::Standard
        }
    };
    let workloads = section.strings("workloads").unwrap_or_default();
    let (scheme, start) = if section.has("url") {
        running(section).unzip()
    } else {
        // A service is asked by plain HTTP whether it is ready, if at all.
        let scheme = (role == Role::Contender).then(|| scheme(section));
        let start = managed(section, folder, role);
        (scheme, start.map(|file| StartFile::Managed(Box::new(file))))
    };
    Some(ContenderFile {
        name: name?,
        language,
        framework,
        version,
        class,
        workloads,
        scheme: scheme.unwrap_or_default(),
        start: start?,
    })
}

fn scheme(section: &mut Section<'_, '_>) -> Scheme {
    match section.string("scheme").as_deref() {
        None | Some("http") => Scheme::Http,
        Some("https") => Scheme::Https,
        Some(_) => {
            let hint = "the schemes are \"http\" and \"https\"";
            section.problem("scheme", "unknown scheme", Some(hint));
            Scheme::Http
        }
    }
}

fn running(section: &mut Section<'_, '_>) -> Option<(Scheme, StartFile)> {
    if section.has("command") {
        let hint = "keep `url` for a server that runs already, or `command` to have it started";
        section.problem("url", "`url` and `command` exclude each other", Some(hint));
        section.string("command");
    }
    if section.has("scheme") {
        let hint = "write for example \"https://127.0.0.1:8443\" there";
        section.problem("scheme", "the scheme stands in the `url`", Some(hint));
        section.string("scheme");
    }
    let url = section.string("url")?;
    let (scheme, rest) = match url.split_once("://") {
        Some(("http", rest)) => (Some(Scheme::Http), rest),
        Some(("https", rest)) => (Some(Scheme::Https), rest),
        _ => (None, ""),
    };
    let scheme = scheme.filter(|_| !rest.is_empty() && !rest.trim_end_matches('/').contains('/'));
    if scheme.is_none() {
        let hint = "write for example \"http://127.0.0.1:8080\"; paths belong to workloads";
        let message = "`url` must be http://host:port or https://host:port";
        section.problem("url", message, Some(hint));
    }
    let url = url.trim_end_matches('/').to_owned();
    Some((scheme?, StartFile::Running { url }))
}

fn managed(section: &mut Section<'_, '_>, folder: &Path, role: Role) -> Option<ManagedFile> {
    let shell = section.boolean("shell").unwrap_or(false);
    let hint = "the command that starts the server, for example \"./server --port {port}\"";
    let command = section
        .required_string("command", hint)
        .and_then(|text| words(section, "command", &text, shell));
    let build = section
        .string("build")
        .and_then(|text| words(section, "build", &text, shell));
    let folder = match section.string("cwd") {
        Some(cwd) => folder.join(cwd),
        None => folder.to_owned(),
    };
    let port = section
        .integer("port", 1..=65_535)
        .and_then(|port| u16::try_from(port).ok());
    let service = role == Role::Service;
    Some(ManagedFile {
        folder,
        needs: section.string_map("needs").unwrap_or_default(),
        build,
        inputs: section.strings("inputs").unwrap_or_default(),
        env: section.string_map("env").unwrap_or_default(),
        port,
        ready_within: positive(section, "ready-within"),
        source: section.strings("source").unwrap_or_default(),
        address_in: service.then(|| section.string("address-in")).flatten(),
        ready: service.then(|| section.string("ready")).flatten(),
        command: command?,
    })
}

/// Splits a command as a shell splits words, or hands it to a shell where that is asked for.
fn words(
    section: &mut Section<'_, '_>,
    key: &'static str,
    text: &str,
    shell: bool,
) -> Option<Vec<String>> {
    // Only the command that starts a server has a port to be told.
    if key == "command"
        && let Err(message) = fill_port(text, 0)
    {
        section.problem(key, message, None);
        return None;
    }
    if shell {
        return Some(vec!["sh".to_owned(), "-c".to_owned(), text.to_owned()]);
    }
    match shell_words::split(text) {
        Ok(words) if !words.is_empty() => Some(words),
        Ok(_) => {
            section.problem(key, format!("`{key}` is empty"), None);
            None
        }
        Err(_) => {
            let message = format!("`{key}` has a quotation mark without its partner");
            section.problem(key, message, None);
            None
        }
    }
}

fn workload_section(
    section: &mut Section<'_, '_>,
    names: &mut HashSet<String>,
) -> Option<WorkloadFile> {
    let name = section.required_string("name", "every workload needs a name");
    if let Some(name) = &name
        && !names.insert(name.clone())
    {
        let message = format!("the workload `{name}` stands here twice");
        section.problem("name", message, Some("give each workload its own name"));
    }
    let own = ["path", "method", "headers", "body", "expect"];
    section.know(&own);
    let requests = if own.iter().any(|key| section.has(key)) {
        Some(request_section(section)?)
    } else {
        None
    };
    let probes = section.tables("probe", probe_section);
    let same_body = section.boolean("same-body").unwrap_or(false);
    Some(WorkloadFile {
        name: name?,
        requests,
        probes: probes.into_iter().flatten().collect(),
        same_body,
    })
}

fn probe_section(section: &mut Section<'_, '_>) -> Option<ProbeFile> {
    let rule = section.string("rule");
    let reason = section.string("reason");
    let request = request_section(section)?;
    Some(ProbeFile {
        rule: rule.unwrap_or_else(|| format!("{} {}", request.method, request.path)),
        reason: reason.unwrap_or_else(|| "The suite asks for it.".to_owned()),
        request,
    })
}

fn request_section(section: &mut Section<'_, '_>) -> Option<RequestFile> {
    let path = section.required_string("path", "the path to ask for, for example \"/users/{id}\"");
    if let Some(Err(message)) = path.as_deref().map(syntax::path) {
        let hint = "write it as it stands on the request line, spaces as %20";
        section.problem("path", message, Some(hint));
        return None;
    }
    let method = section.string("method").unwrap_or_else(|| "GET".to_owned());
    if let Err(message) = syntax::method(&method) {
        section.problem("method", message, None);
        return None;
    }
    let mut headers = Vec::new();
    for (name, value) in section.string_map("headers").unwrap_or_default() {
        match syntax::header(&name, &value) {
            Ok(header) => headers.push(header),
            Err(message) => section.problem("headers", message, None),
        }
    }
    let body = section.string("body");
    let expect = section.table("expect", |expect| ExpectFile {
        status: expect.status_codes("status").unwrap_or_default(),
        media_type: expect.string("type"),
        body: expect.string("body"),
    });
    Some(RequestFile {
        method,
        path: path?,
        headers,
        body,
        expect: expect.unwrap_or_default(),
    })
}
