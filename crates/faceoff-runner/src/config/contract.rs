//! From a workload as written to its contract: templates filled, ids drawn by the seed.

use faceoff_record::{Contract, Expectation, PlannedRequest, Probe, Request};
use rand::SeedableRng as _;
use rand_chacha::ChaCha8Rng;

use super::file::{RequestFile, WorkloadFile};
use super::template::{Drawn, Template};
use super::values::{KNOWN_WORKLOADS, KnownWorkload};

/// How many different requests a load repeats: enough that a contender cannot keep them all in a
/// small cache of its own, few enough that the generator's processor cache holds them.
const LOAD_REQUESTS: usize = 1_000;

/// How many requests are checked at every launch.
const LAUNCH_REQUESTS: usize = 20;

/// The contract of a workload. The ids of the load and those of the checks are drawn apart.
///
/// The errors say what is wrong, as the rest of a sentence about this workload.
pub(super) fn contract(workload: &WorkloadFile, seed: u64) -> Result<Contract, Vec<String>> {
    let known = known(&workload.name);
    let requests = match (&workload.requests, known) {
        (Some(own), _) => own.clone(),
        (None, Some(known)) => (known.requests)(),
        (None, None) => return Err(vec![unknown(&workload.name)]),
    };
    let mut probes = match (&workload.requests, known) {
        (None, Some(known)) => (known.probes)(),
        _ => Vec::new(),
    };
    probes.extend(workload.probes.iter().cloned());

    let mut errors = Vec::new();
    let kind = Kind::new(&requests).map_err(|error| errors.push(error));
    let probes: Vec<_> = probes
        .into_iter()
        .filter_map(|probe| match Kind::new(&probe.request) {
            Ok(kind) => Some((probe, kind)),
            Err(error) => {
                errors.push(format!("probe `{}`: {error}", probe.rule));
                None
            }
        })
        .collect();
    let (Ok(kind), true) = (kind, errors.is_empty()) else {
        return Err(errors);
    };

    // Streams of one seed: what is checked beforehand is not what is asked under load.
    let stream = |number| {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(number);
        rng
    };
    let (mut load, mut launch, mut probing) = (stream(1), stream(2), stream(3));
    let load_requests = if kind.is_fixed() { 1 } else { LOAD_REQUESTS };
    Ok(Contract {
        requests: (0..load_requests).map(|_| kind.draw(&mut load)).collect(),
        launch_requests: (0..LAUNCH_REQUESTS)
            .map(|_| kind.draw(&mut launch))
            .collect(),
        probes: probes
            .into_iter()
            .map(|(probe, kind)| {
                let planned = kind.draw(&mut probing);
                Probe {
                    rule: probe.rule,
                    reason: probe.reason,
                    request: planned.request,
                    expect: planned.expect,
                }
            })
            .collect(),
    })
}

fn known(name: &str) -> Option<&'static KnownWorkload> {
    KNOWN_WORKLOADS.iter().find(|known| known.name == name)
}

fn unknown(name: &str) -> String {
    let names: Vec<_> = KNOWN_WORKLOADS.iter().map(|known| known.name).collect();
    format!(
        "`{name}` is not a workload known by name (known: {}) and has no `path`",
        names.join(", ")
    )
}

/// A kind of request with its templates parsed.
struct Kind {
    method: String,
    headers: Vec<faceoff_record::Header>,
    path: Template,
    body: Option<Template>,
    expect: Expectation,
    expected_body: Option<Template>,
}

impl Kind {
    fn new(request: &RequestFile) -> Result<Self, String> {
        let optional = |text: &Option<String>| text.as_deref().map(Template::parse).transpose();
        Ok(Self {
            method: request.method.clone(),
            headers: request.headers.clone(),
            path: Template::parse(&request.path)?,
            body: optional(&request.body)?,
            expect: Expectation {
                status: request.expect.status.clone(),
                media_type: request.expect.media_type.clone(),
                body: None,
            },
            expected_body: optional(&request.expect.body)?,
        })
    }

    fn is_fixed(&self) -> bool {
        self.path.is_fixed() && self.body.as_ref().is_none_or(Template::is_fixed)
    }

    fn draw(&self, rng: &mut ChaCha8Rng) -> PlannedRequest {
        let mut drawn = Drawn::new();
        let request = Request {
            method: self.method.clone(),
            path: self.path.fill(&mut drawn, rng),
            headers: self.headers.clone(),
            body: self
                .body
                .as_ref()
                .map(|body| body.fill(&mut drawn, rng).as_str().into()),
        };
        let expected = self.expected_body.as_ref();
        PlannedRequest {
            request,
            expect: Expectation {
                body: expected.map(|body| body.fill(&mut drawn, rng).as_str().into()),
                ..self.expect.clone()
            },
        }
    }
}
