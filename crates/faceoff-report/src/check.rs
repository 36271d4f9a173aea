//! What `faceoff check` shows: who gives the right answers, and what exactly was wrong with the
//! others.

use faceoff_record::{
    Class, Conformance, Contender, ContenderName, Ending, Record, Violation, WorkloadName,
};
use serde::Serialize;

use crate::present::{NOT_OFFERED, find_conformance, not_checked, offers};

/// The version of the JSON of a check.
pub const CHECK_FORMAT: u32 = 1;

/// The result of a check, ready to be shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckView {
    /// See [`CHECK_FORMAT`].
    pub format: u32,
    /// The suite's name.
    pub suite: String,
    /// How the check ended.
    pub ending: Ending,
    /// Whether everyone that takes part was asked, and none was refused.
    pub all_conform: bool,
    /// One for each workload, in the order of the plan.
    pub workloads: Vec<CheckedWorkload>,
}

/// One workload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckedWorkload {
    /// Its name.
    pub name: WorkloadName,
    /// All contenders of the plan and those that were left out of it.
    pub contenders: Vec<CheckedContender>,
}

/// Whether a contender gives the right answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckResult {
    /// It does.
    Verified,
    /// It broke a rule.
    Deviates,
    /// It could not be asked, for example because it was not built or did not start.
    Refused,
    /// It does not offer the workload.
    NotOffered,
    /// The check ended before it was asked.
    NotChecked,
    /// It does not take part, for example because its toolchain is missing.
    LeftOut,
}

/// One contender on one workload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckedContender {
    /// Its name.
    pub name: ContenderName,
    /// The language it is written in.
    pub language: String,
    /// Its class; null for one that was left out.
    pub class: Option<Class>,
    /// Whether it gives the right answers.
    pub result: CheckResult,
    /// The same as yes or no.
    pub verified: bool,
    /// Why it is not verified.
    pub reason: Option<String>,
    /// How many answers were checked; null where none was.
    pub answers_checked: Option<u32>,
    /// What was seen that is no failure, for example a missing `Date`.
    pub flags: Vec<String>,
    /// The broken rule.
    pub violation: Option<ViolationView>,
}

/// A broken rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ViolationView {
    /// The rule's name.
    pub rule: String,
    /// Why the rule is there.
    pub reason: String,
    /// What was wrong with the answer.
    pub problem: String,
    /// The request as text: method and path, headers, an empty line, and the body.
    pub request: String,
    /// The answer as text: status line, headers, and the beginning of the body.
    pub answer: String,
}

/// The presentable form of a check.
#[must_use]
pub fn check_view(record: &Record) -> CheckView {
    let plan = &record.plan;
    let contenders = |workload: &WorkloadName| {
        let planned = plan.contenders.iter();
        let planned = planned.map(|contender| checked(record, workload, contender));
        let left_out = plan.left_out.iter().map(|left_out| CheckedContender {
            name: left_out.contender.clone(),
            language: left_out.language.clone(),
            class: None,
            result: CheckResult::LeftOut,
            verified: false,
            reason: Some(left_out.reason.clone()),
            answers_checked: None,
            flags: Vec::new(),
            violation: None,
        });
        planned.chain(left_out).collect()
    };
    let workloads = plan.workloads.iter().map(|workload| CheckedWorkload {
        name: workload.name.clone(),
        contenders: contenders(&workload.name),
    });
    let workloads: Vec<CheckedWorkload> = workloads.collect();
    CheckView {
        format: CHECK_FORMAT,
        suite: plan.suite.clone(),
        ending: record.ending.clone(),
        all_conform: workloads
            .iter()
            .flat_map(|workload| &workload.contenders)
            .all(|contender| match contender.result {
                CheckResult::Verified | CheckResult::NotOffered | CheckResult::LeftOut => true,
                CheckResult::Deviates | CheckResult::Refused | CheckResult::NotChecked => false,
            }),
        workloads,
    }
}

fn checked(record: &Record, workload: &WorkloadName, contender: &Contender) -> CheckedContender {
    let mut view = CheckedContender {
        name: contender.name.clone(),
        language: contender.language.clone(),
        class: Some(contender.class),
        result: CheckResult::NotChecked,
        verified: false,
        reason: None,
        answers_checked: None,
        flags: Vec::new(),
        violation: None,
    };
    match find_conformance(record, workload, &contender.name) {
        Some(Conformance::Verified { checked, flags, .. }) => {
            view.result = CheckResult::Verified;
            view.verified = true;
            view.answers_checked = Some(*checked);
            view.flags.clone_from(flags);
        }
        Some(Conformance::Refused {
            reason, violation, ..
        }) => {
            view.result = match violation {
                Some(_) => CheckResult::Deviates,
                None => CheckResult::Refused,
            };
            view.reason = Some(reason.clone());
            view.violation = violation.as_ref().map(shown);
        }
        None if offers(contender, workload) => {
            view.reason = Some(not_checked(&record.ending).into());
        }
        Some(Conformance::NotOffered { .. }) | None => {
            view.result = CheckResult::NotOffered;
            view.reason = Some(NOT_OFFERED.into());
        }
    }
    view
}

fn shown(violation: &Violation) -> ViolationView {
    let request = &violation.request;
    let mut text = request.to_string();
    for header in &request.headers {
        text.push_str(&format!("\n{}: {}", header.name, header.value));
    }
    if let Some(body) = &request.body {
        text.push_str(&format!("\n\n{body}"));
    }
    ViolationView {
        rule: violation.rule.clone(),
        reason: violation.reason.clone(),
        problem: violation.problem.clone(),
        request: text,
        answer: violation.answer.clone(),
    }
}

/// The public JSON of a check.
#[must_use]
pub fn check_json(view: &CheckView) -> String {
    crate::pretty(view)
}
