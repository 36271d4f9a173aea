//! Does a contender answer as its workload's contract says?
//!
//! Verification and load look alike: the same kind of request with nothing but a `Host` header
//! added, other ids of the same range. What is compared is plain data, so the same rules judge
//! the answers that the generator kept from the load.

mod client;
mod rules;

use std::net::SocketAddr;
use std::time::Duration;

use faceoff_record::{
    Contract, Exchange, Expectation, FirstAnswer, Probe, Request, Transport, Violation,
};

pub(crate) use client::{Client, ClientError, Received};

/// What a check found.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    /// How many answers were right.
    pub(crate) answers: u32,
    /// What is unusual without being wrong.
    pub(crate) flags: Vec<String>,
    /// What the first answer was like.
    pub(crate) first: Option<FirstAnswer>,
}

/// Only these rules are tried; all where nothing is named.
#[derive(Clone, Debug, Default)]
pub struct RuleFilter(pub Vec<String>);

impl RuleFilter {
    fn allows(&self, rule: &str) -> bool {
        self.0.is_empty() || self.0.iter().any(|name| name == rule)
    }
}

/// The rule that every answer of the load must keep.
const ANSWER_RULE: &str = "answer";
const ANSWER_REASON: &str = "Only right answers count, so each request must get its own.";
/// The rule for answers that were kept from under load.
const LOAD_RULE: &str = "answer-under-load";
const LOAD_REASON: &str = "A right answer in peace may be a wrong one under load.";

/// Tries the full contract: every probe, and the requests of a launch.
pub(crate) fn full(
    client: &mut Client,
    contract: &Contract,
    filter: &RuleFilter,
) -> Result<Checked, Box<Violation>> {
    let mut checked = Checked::default();
    if filter.allows(ANSWER_RULE) {
        launch_requests(client, contract, &mut checked)?;
    }
    for probe in &contract.probes {
        if filter.allows(&probe.rule) {
            try_probe(client, probe, &mut checked)?;
        }
    }
    Ok(checked)
}

/// Tries the requests of a launch only.
pub(crate) fn launch(client: &mut Client, contract: &Contract) -> Result<Checked, Box<Violation>> {
    let mut checked = Checked::default();
    launch_requests(client, contract, &mut checked)?;
    Ok(checked)
}

/// The rules that a contract has, each name once, in its order.
#[must_use]
pub fn rule_names(contract: &Contract) -> Vec<String> {
    let mut names = vec![ANSWER_RULE.to_owned()];
    for probe in &contract.probes {
        if !names.contains(&probe.rule) {
            names.push(probe.rule.clone());
        }
    }
    names
}

/// Judges the exchanges that the generator kept from a load; gives how many of them the contract
/// speaks of.
pub(crate) fn kept(exchanges: &[Exchange], contract: &Contract) -> Result<u32, Box<Violation>> {
    let mut checked = 0;
    for exchange in exchanges {
        let planned = contract
            .requests
            .iter()
            .find(|planned| planned.request == exchange.request);
        let Some(planned) = planned else { continue };
        if let Err(problem) = rules::judge(&exchange.answer, &planned.expect) {
            return Err(Box::new(Violation {
                rule: LOAD_RULE.to_owned(),
                reason: LOAD_REASON.to_owned(),
                request: exchange.request.clone(),
                answer: rules::show(&exchange.answer),
                problem,
            }));
        }
        checked += 1;
    }
    Ok(checked)
}

fn launch_requests(
    client: &mut Client,
    contract: &Contract,
    checked: &mut Checked,
) -> Result<(), Box<Violation>> {
    for planned in &contract.launch_requests {
        let probe = Probe {
            rule: ANSWER_RULE.to_owned(),
            reason: ANSWER_REASON.to_owned(),
            request: planned.request.clone(),
            expect: planned.expect.clone(),
        };
        try_probe(client, &probe, checked)?;
    }
    Ok(())
}

fn try_probe(
    client: &mut Client,
    probe: &Probe,
    checked: &mut Checked,
) -> Result<(), Box<Violation>> {
    let received = client
        .send(&probe.request)
        .map_err(|error| violation(probe, "no complete answer".to_owned(), error.to_string()))?;
    let answer = &received.answer;
    rules::judge(answer, &probe.expect)
        .map_err(|problem| violation(probe, rules::show(answer), problem))?;
    checked.answers += 1;
    checked.first.get_or_insert_with(|| received.facts());
    for flag in rules::flags(answer) {
        if !checked.flags.contains(&flag) {
            checked.flags.push(flag);
        }
    }
    Ok(())
}

fn violation(probe: &Probe, answer: String, problem: String) -> Box<Violation> {
    Box::new(Violation {
        rule: probe.rule.clone(),
        reason: probe.reason.clone(),
        request: probe.request.clone(),
        answer,
        problem,
    })
}

/// Whether the first request of a contract is answered right by whoever listens on `address`.
///
/// On a fresh connection each time: the figure is the time to the first answer of a stranger.
pub(crate) fn answers(
    address: SocketAddr,
    transport: &Transport,
    contract: &Contract,
    patience: Duration,
) -> Result<(), NotYet> {
    let Some(planned) = contract.launch_requests.first() else {
        return Ok(());
    };
    let probe = Probe {
        rule: ANSWER_RULE.to_owned(),
        reason: ANSWER_REASON.to_owned(),
        request: planned.request.clone(),
        expect: planned.expect.clone(),
    };
    attempt(address, transport, &probe, patience)
}

/// Whether `path` is answered with success on `address`, by plain HTTP and whatever the body.
pub(crate) fn succeeds(address: SocketAddr, path: &str, patience: Duration) -> Result<(), NotYet> {
    let probe = Probe {
        rule: "ready".to_owned(),
        reason: "A service is ready when it answers with success.".to_owned(),
        request: Request::new("GET", path),
        expect: Expectation::default(),
    };
    attempt(address, &Transport::Tcp, &probe, patience)
}

fn attempt(
    address: SocketAddr,
    transport: &Transport,
    probe: &Probe,
    patience: Duration,
) -> Result<(), NotYet> {
    let mut client = Client::new(address, transport, patience);
    match client.send(&probe.request) {
        Ok(Received { answer, .. }) => rules::judge(&answer, &probe.expect)
            .map_err(|problem| NotYet::Wrong(violation(probe, rules::show(&answer), problem))),
        Err(ClientError::Refused) => Err(NotYet::NobodyListens),
        Err(error) => Err(NotYet::NoAnswer(error.to_string())),
    }
}

/// Why a contender is not ready.
#[derive(Clone, Debug)]
pub(crate) enum NotYet {
    /// Nobody accepts connections there.
    NobodyListens,
    /// Somebody does, but gives no complete answer.
    NoAnswer(String),
    /// The answer is complete and wrong.
    Wrong(Box<Violation>),
}

#[cfg(test)]
mod tests;
