//! The contracts that Faceoff knows by name.

use super::file::{ExpectFile, ProbeFile, RequestFile};

/// A workload that a suite may ask for by its name alone.
#[derive(Clone, Copy, Debug)]
pub struct KnownWorkload {
    /// Its name.
    pub name: &'static str,
    /// What it asks for, in one line.
    pub description: &'static str,
    pub(super) requests: fn() -> RequestFile,
    pub(super) probes: fn() -> Vec<ProbeFile>,
}

/// All of them.
pub const KNOWN_WORKLOADS: &[KnownWorkload] = &[KnownWorkload {
    name: "values",
    description: "GET /api/values/{id} answers the text `value`, through the framework's router",
    requests: values,
    probes: values_probes,
}];

fn values() -> RequestFile {
    request(
        "GET",
        "/api/values/{id}",
        ExpectFile {
            status: vec![200],
            media_type: Some("text/plain".to_owned()),
            body: Some("value".to_owned()),
        },
    )
}

fn values_probes() -> Vec<ProbeFile> {
    let empty = || ExpectFile {
        status: vec![200, 204],
        media_type: None,
        body: Some(String::new()),
    };
    let status = |codes: &[u16]| ExpectFile {
        status: codes.to_vec(),
        ..ExpectFile::default()
    };
    let value = values().expect;
    let near = "A router matches whole paths; a server that compares prefixes saves that work.";
    let rules = [
        (
            "put",
            "PUT",
            "/api/values/{id}",
            empty(),
            "Other methods on the same path do other things.",
        ),
        (
            "delete",
            "DELETE",
            "/api/values/{id}",
            empty(),
            "Other methods on the same path do other things.",
        ),
        (
            "first-id",
            "GET",
            "/api/values/1",
            value.clone(),
            "The ids run from 1.",
        ),
        (
            "last-id",
            "GET",
            "/api/values/1000000",
            value.clone(),
            "The ids run to 1,000,000.",
        ),
        (
            "extra-query",
            "GET",
            "/api/values/{id}?extra=1",
            value,
            "A query does not change the route.",
        ),
        ("near-miss", "GET", "/api/value/5", status(&[404]), near),
        ("near-miss", "GET", "/api/values/5/x", status(&[404]), near),
        ("near-miss", "GET", "/api/values", status(&[404]), near),
        ("unknown-path", "GET", "/unknown/{id}", status(&[404]), near),
        (
            "id-is-a-number",
            "GET",
            "/api/values/abc",
            status(&[400, 404]),
            "The id is an integer; a server that never looks at it saves that work.",
        ),
        (
            "wrong-method",
            "POST",
            "/api/values/{id}",
            status(&[404, 405]),
            "A server that ignores the method saves that work.",
        ),
    ];
    rules
        .into_iter()
        .map(|(rule, method, path, expect, reason)| ProbeFile {
            rule: rule.to_owned(),
            reason: reason.to_owned(),
            request: request(method, path, expect),
        })
        .collect()
}

fn request(method: &str, path: &str, expect: ExpectFile) -> RequestFile {
    RequestFile {
        method: method.to_owned(),
        path: path.to_owned(),
        headers: Vec::new(),
        body: None,
        expect,
    }
}
