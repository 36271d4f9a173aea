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
        same_body: workload.same_body,
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

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use faceoff_record::{Body, Contract, PlannedRequest};

    use super::{LAUNCH_REQUESTS, LOAD_REQUESTS, contract};
    use crate::config::file::{ExpectFile, ProbeFile, RequestFile, WorkloadFile};

    fn known() -> WorkloadFile {
        WorkloadFile {
            name: "values".to_owned(),
            requests: None,
            probes: Vec::new(),
            same_body: false,
        }
    }

    fn request(path: &str, body: Option<&str>, expected: Option<&str>) -> RequestFile {
        RequestFile {
            method: "POST".to_owned(),
            path: path.to_owned(),
            headers: Vec::new(),
            body: body.map(str::to_owned),
            expect: ExpectFile {
                body: expected.map(str::to_owned),
                ..ExpectFile::default()
            },
        }
    }

    fn own(request: RequestFile) -> WorkloadFile {
        WorkloadFile {
            name: "own".to_owned(),
            requests: Some(request),
            probes: Vec::new(),
            same_body: false,
        }
    }

    fn ids(requests: &[PlannedRequest]) -> Vec<u64> {
        let id = |planned: &PlannedRequest| {
            let id = planned.request.path.strip_prefix("/api/values/").unwrap();
            id.parse().unwrap()
        };
        requests.iter().map(id).collect()
    }

    #[test]
    fn ids_are_in_their_range_and_those_of_the_checks_are_not_those_of_the_load() {
        for seed in 0..20 {
            let contract = contract(&known(), seed).unwrap();
            let (load, launch) = (ids(&contract.requests), ids(&contract.launch_requests));
            assert_eq!((load.len(), launch.len()), (LOAD_REQUESTS, LAUNCH_REQUESTS));
            assert!(
                load.iter()
                    .chain(&launch)
                    .all(|id| (1..=1_000_000).contains(id))
            );
            // Of a million ids a thousand are nearly all different.
            let distinct: HashSet<_> = load.iter().collect();
            assert!(distinct.len() > LOAD_REQUESTS - 20, "{}", distinct.len());
            let shared = launch.iter().filter(|id| distinct.contains(id)).count();
            assert!(
                shared <= 1,
                "seed {seed}: {shared} of the checked ids come under load"
            );
        }
    }

    #[test]
    fn the_ids_spread_over_their_whole_range() {
        let load = ids(&contract(&known(), 1).unwrap().requests);
        let mean = load.iter().sum::<u64>() / load.len() as u64;
        // Five standard errors of the mean of a thousand uniform numbers.
        assert!(mean.abs_diff(500_000) < 46_000, "{mean}");
        assert!(load.iter().any(|id| *id < 10_000) && load.iter().any(|id| *id > 990_000));
    }

    #[test]
    fn one_seed_gives_one_contract_and_another_seed_another() {
        assert_eq!(contract(&known(), 5), contract(&known(), 5));
        assert_ne!(contract(&known(), 5), contract(&known(), 6));
    }

    #[test]
    fn the_rules_of_values_are_those_of_its_description() {
        let contract = contract(&known(), 1).unwrap();
        let rules: Vec<_> = contract
            .probes
            .iter()
            .map(|probe| {
                let path = &probe.request.path;
                // By this seed all drawn ids have four to six digits; no fixed one has.
                let mut numbers = path.split(|c: char| !c.is_ascii_digit());
                let drawn = numbers.find(|number| (4..7).contains(&number.len()));
                let shown = drawn.map_or(path.clone(), |drawn| path.replace(drawn, "N"));
                let status = &probe.expect.status;
                format!("{} {} {shown} {status:?}", probe.rule, probe.request.method)
            })
            .collect();
        let expected = [
            "put PUT /api/values/N [200, 204]",
            "delete DELETE /api/values/N [200, 204]",
            "first-id GET /api/values/1 [200]",
            "last-id GET /api/values/1000000 [200]",
            "extra-query GET /api/values/N?extra=1 [200]",
            "near-miss GET /api/value/5 [404]",
            "near-miss GET /api/values/5/x [404]",
            "near-miss GET /api/values [404]",
            "unknown-path GET /unknown/N [404]",
            "id-is-a-number GET /api/values/abc [400, 404]",
            "wrong-method POST /api/values/N [404, 405]",
        ];
        assert_eq!(rules, expected);
        assert!(contract.probes.iter().all(|probe| !probe.reason.is_empty()));
        let put = &contract.probes[0].expect.body;
        assert_eq!(*put, Some(Body::default()), "an answer without a body");
    }

    #[test]
    fn a_workload_that_is_the_same_each_time_is_asked_for_in_one_way() {
        let contract = contract(&own(request("/all", Some("{{}}"), Some("{{}}"))), 1).unwrap();
        assert_eq!(contract.requests.len(), 1);
        assert_eq!(contract.requests[0].request.body, Some("{}".into()));
        assert_eq!(contract.launch_requests.len(), LAUNCH_REQUESTS);
        assert!(
            contract
                .launch_requests
                .iter()
                .all(|other| *other == contract.requests[0])
        );
    }

    #[test]
    fn the_expected_body_follows_the_numbers_of_its_request() {
        let path = "/users/{id:1..500}?page={page}";
        let body = Some("{id}+{page}");
        let Contract { requests, .. } =
            contract(&own(request(path, body, Some("user {id} page {page}"))), 3).unwrap();
        assert_eq!(requests.len(), LOAD_REQUESTS);
        let text = |body: &Option<Body>| body.as_ref().unwrap().to_string();
        for planned in &requests {
            let sent = text(&planned.request.body);
            let (id, page) = sent.split_once('+').unwrap();
            assert!((1..=500).contains(&id.parse::<u64>().unwrap()));
            assert_eq!(planned.request.path, format!("/users/{id}?page={page}"));
            assert_eq!(text(&planned.expect.body), format!("user {id} page {page}"));
        }
        let paths: HashSet<_> = requests
            .iter()
            .map(|planned| &planned.request.path)
            .collect();
        assert!(paths.len() > LOAD_REQUESTS / 2);
    }

    #[test]
    fn own_requests_and_probes_replace_or_extend_those_known_by_name() {
        let probe = ProbeFile {
            rule: "mine".to_owned(),
            reason: "why".to_owned(),
            request: request("/mine/{id}", None, None),
        };
        let rules = |workload: &WorkloadFile| -> Vec<String> {
            let contract = contract(workload, 1).unwrap();
            contract
                .probes
                .into_iter()
                .map(|probe| probe.rule)
                .collect()
        };
        let mut extended = known();
        let count = rules(&extended).len();
        extended.probes.push(probe);
        assert_eq!(rules(&extended).len(), count + 1);
        assert_eq!(rules(&extended).last().unwrap(), "mine");
        // Another request under the same name is another contract.
        extended.requests = Some(request("/", None, None));
        assert_eq!(rules(&extended), ["mine"]);
    }

    #[test]
    fn every_template_that_is_wrong_is_told() {
        let mut workload = own(request("/{id", None, None));
        for rule in ["a", "b"] {
            workload.probes.push(ProbeFile {
                rule: rule.to_owned(),
                reason: String::new(),
                request: request("/", Some("}"), None),
            });
        }
        let errors = contract(&workload, 1).unwrap_err();
        let starts = [
            "a `{` without",
            "probe `a`: a `}` without",
            "probe `b`: a `}` without",
        ];
        assert_eq!(errors.len(), starts.len(), "{errors:?}");
        for (error, start) in errors.iter().zip(starts) {
            assert!(error.starts_with(start), "{error}");
        }
        let mut unknown = known();
        unknown.name = "vlaues".to_owned();
        let errors = contract(&unknown, 1).unwrap_err();
        let expected = "`vlaues` is not a workload known by name (known: values) and has no `path`";
        assert_eq!(errors, [expected]);
    }
}
