//! A suite from start commands given on the command line.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use faceoff_record::{Class, Header, Nanos, Scheme};

use super::file::{
    ContenderFile, ExpectFile, LoadFile, ManagedFile, RequestFile, StartFile, SuiteFile,
    WorkloadFile,
};
use super::port::fill_port;
use super::syntax;

/// What is asked of servers that are given by their start commands.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    /// The start commands, each perhaps with a name: `NAME=COMMAND`.
    pub commands: Vec<String>,
    /// The folder they run in.
    pub folder: PathBuf,
    /// The method.
    pub method: String,
    /// Path and query, perhaps with variables.
    pub path: String,
    /// Header fields, each `Name: value`.
    pub headers: Vec<String>,
    /// The body.
    pub body: Option<String>,
    /// The status codes of a right answer; any success where nothing is given.
    pub expect_status: Vec<u16>,
    /// The body of a right answer, perhaps with variables; any where nothing is given.
    pub expect_body: Option<String>,
    /// Whether all must give the same body as the first.
    pub same_body: bool,
    /// A port that the servers cannot change.
    pub port: Option<u16>,
    /// Whether they speak HTTPS.
    pub https: bool,
    /// How long one may take until it answers.
    pub ready_within: Nanos,
    /// How they are loaded.
    pub load: LoadFile,
}

/// What is wrong with servers given by their start commands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GivenError {
    /// A command has no words.
    #[error("a command is empty; give what starts the server, for example 'node server.js'")]
    EmptyCommand,
    /// A command cannot be split into words.
    #[error("`{0}` has a quotation mark without its partner")]
    Unbalanced(String),
    /// A command with a variable that nobody knows.
    #[error("{0}")]
    BadVariable(String),
    /// A name that cannot name a log file.
    #[error("`{0}` is no name for a contender: at most 40 letters, digits, dots, dashes")]
    BadName(String),
    /// A name given twice.
    #[error("two contenders are named `{0}`; name them: first='...' second='...'")]
    SameName(String),
    /// Not a header field.
    #[error("{0}; write a header field as 'Name: value'")]
    BadHeader(String),
    /// Not a path.
    #[error("`{0}`: {1}")]
    BadPath(String, &'static str),
    /// Not a method.
    #[error("`{0}`: {1}")]
    BadMethod(String, &'static str),
}

/// The suite of contenders given by their start commands, with one workload.
///
/// # Errors
///
/// All that is wrong with it.
pub fn given_suite(given: &Given) -> Result<SuiteFile, Vec<GivenError>> {
    let mut errors = Vec::new();
    let mut contenders = Vec::new();
    let mut names = HashSet::new();
    for text in &given.commands {
        match contender(text, given, &mut names) {
            Ok(contender) => contenders.push(contender),
            Err(error) => errors.push(error),
        }
    }
    let workload = match request(given) {
        Ok(request) => Some(WorkloadFile {
            name: format!("{} {}", given.method, given.path),
            requests: Some(request),
            probes: Vec::new(),
            same_body: given.same_body,
        }),
        Err(error) => {
            errors.push(error);
            None
        }
    };
    if !errors.is_empty() {
        return Err(errors);
    }
    let names: Vec<&str> = contenders
        .iter()
        .map(|contender| contender.name.as_str())
        .collect();
    Ok(SuiteFile {
        path: given.folder.clone(),
        name: names.join(" vs "),
        load: given.load.clone(),
        contenders,
        services: Vec::new(),
        workloads: workload.into_iter().collect(),
    })
}

fn contender(
    text: &str,
    given: &Given,
    names: &mut HashSet<String>,
) -> Result<ContenderFile, GivenError> {
    let (name, text) = split_name(text);
    let command = shell_words::split(text).map_err(|_| GivenError::Unbalanced(text.to_owned()))?;
    fill_port(text, 0).map_err(GivenError::BadVariable)?;
    let program = command.first().ok_or(GivenError::EmptyCommand)?;
    let name = match name {
        Some(name) if !is_name(name) => return Err(GivenError::BadName(name.to_owned())),
        Some(name) if names.contains(name) => return Err(GivenError::SameName(name.to_owned())),
        Some(name) => name.to_owned(),
        None => free_name(program, names),
    };
    names.insert(name.clone());
    Ok(ContenderFile {
        name,
        language: None,
        framework: None,
        version: None,
        class: Class::Standard,
        workloads: Vec::new(),
        scheme: if given.https {
            Scheme::Https
        } else {
            Scheme::Http
        },
        start: StartFile::Managed(Box::new(ManagedFile {
            folder: given.folder.clone(),
            needs: std::collections::BTreeMap::new(),
            build: None,
            inputs: Vec::new(),
            command,
            env: std::collections::BTreeMap::new(),
            port: given.port,
            ready_within: Some(given.ready_within),
            source: Vec::new(),
            address_in: None,
            ready: None,
        })),
    })
}

/// `NAME=COMMAND` where what stands before the first `=` can be a name; else all is command.
fn split_name(text: &str) -> (Option<&str>, &str) {
    match text.split_once('=') {
        Some((name, command)) if !name.is_empty() && !name.contains([' ', '/', '"', '\'', '-']) => {
            (Some(name), command)
        }
        _ => (None, text),
    }
}

fn is_name(name: &str) -> bool {
    let allowed = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '+');
    name.len() <= 40 && !name.starts_with('.') && name.chars().all(allowed)
}

/// The name of a program, with a number where it is taken.
fn free_name(program: &str, names: &HashSet<String>) -> String {
    let stem = Path::new(program)
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy();
    let plain: String = stem
        .chars()
        .take(30)
        .filter(|c| is_name(&c.to_string()))
        .collect();
    let plain = if plain.is_empty() {
        "server".to_owned()
    } else {
        plain
    };
    let mut name = plain.clone();
    for number in 2.. {
        if !names.contains(&name) {
            break;
        }
        name = format!("{plain}-{number}");
    }
    name
}

fn request(given: &Given) -> Result<RequestFile, GivenError> {
    let method = &given.method;
    syntax::method(method).map_err(|wrong| GivenError::BadMethod(method.clone(), wrong))?;
    let path = &given.path;
    syntax::path(path).map_err(|wrong| GivenError::BadPath(path.clone(), wrong))?;
    let headers = given.headers.iter().map(|text| header(text));
    Ok(RequestFile {
        method: method.clone(),
        path: path.clone(),
        headers: headers.collect::<Result<_, _>>()?,
        body: given.body.clone(),
        expect: ExpectFile {
            status: given.expect_status.clone(),
            media_type: None,
            body: given.expect_body.clone(),
        },
    })
}

fn header(text: &str) -> Result<Header, GivenError> {
    let (name, value) = text
        .split_once(':')
        .ok_or_else(|| GivenError::BadHeader(format!("`{text}` has no colon")))?;
    syntax::header(name, value).map_err(GivenError::BadHeader)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use faceoff_record::Nanos;

    use super::{Given, GivenError, given_suite, split_name};
    use crate::config::LoadFile;

    fn given(commands: &[&str]) -> Given {
        Given {
            commands: commands
                .iter()
                .map(|command| (*command).to_owned())
                .collect(),
            folder: PathBuf::from("."),
            method: "GET".to_owned(),
            path: "/".to_owned(),
            headers: Vec::new(),
            body: None,
            expect_status: Vec::new(),
            expect_body: None,
            same_body: false,
            port: None,
            https: false,
            ready_within: Nanos::from_secs(30),
            load: LoadFile::default(),
        }
    }

    #[test]
    fn contenders_are_named_by_their_program_or_as_the_user_says() {
        let commands = [
            "node a.js",
            "./bin/node b.js",
            "mine=./server --x=1",
            "python3 -m x --a=b",
        ];
        let suite = given_suite(&given(&commands)).unwrap();
        let names: Vec<_> = suite.contenders.iter().map(|c| c.name.as_str()).collect();
        assert_eq!(names, ["node", "node-2", "mine", "python3"]);
        assert_eq!(suite.name, "node vs node-2 vs mine vs python3");
    }

    #[test]
    fn only_a_plain_word_before_an_equals_sign_is_a_name() {
        let cases = [
            ("a=./b", (Some("a"), "./b")),
            ("./b --c=d", (None, "./b --c=d")),
            ("./b=c", (None, "./b=c")),
            ("=x", (None, "=x")),
        ];
        for (text, expected) in cases {
            assert_eq!(split_name(text), expected, "{text}");
        }
    }

    #[test]
    fn everything_wrong_is_said_at_once() {
        let mut given = given(&["", "x='", "a=b", "a=c"]);
        given.headers = vec!["no colon".to_owned()];
        let errors = given_suite(&given).unwrap_err();
        let expected = [
            GivenError::EmptyCommand,
            GivenError::Unbalanced("'".to_owned()),
            GivenError::SameName("a".to_owned()),
            GivenError::BadHeader("`no colon` has no colon".to_owned()),
        ];
        assert_eq!(errors, expected);
    }
}
