//! Do contenders give the same answer to the same request? Where a contract leaves the body open,
//! that is worth knowing; where the suite asks for it, it is a rule.

use faceoff_record::{
    Conformance, ContenderName, FirstAnswer, Severity, Violation, Warning, WarningCode, Workload,
};

use super::Run;
use super::setback::{Refusal, Setback};
use crate::contender::{Built, Contender};

/// The rule that a suite may ask for.
const SAME_BODY_RULE: &str = "same-body";
const SAME_BODY_REASON: &str = "The suite asks that all contenders give the same body.";

impl Run<'_, '_> {
    /// Compares the first answers of all that were verified on a workload. Those that break the
    /// rule of the same body are refused.
    pub(super) fn compare_answers(
        &mut self,
        workload: &Workload,
        contenders: &[&Contender<Built>],
    ) {
        let names = contenders.iter().map(|contender| &contender.plan().name);
        let firsts: Vec<_> = names
            .filter_map(|name| Some((name.clone(), self.first_answer(name, workload)?.clone())))
            .collect();
        let Some(((reference, expected), others)) = firsts.split_first() else {
            return;
        };
        let differing = others.iter().filter(|(_, first)| {
            (first.status, &first.body_sha256) != (expected.status, &expected.body_sha256)
        });
        let differing: Vec<_> = differing.collect();
        if workload.contract.same_body {
            for (name, first) in differing {
                let problem = format!(
                    "{}, but {reference} gives {}",
                    described(first),
                    described(expected)
                );
                self.refuse_body(workload, contenders, name, problem);
            }
        } else if !differing.is_empty() {
            let text = format!(
                "The contenders answer the same request differently: {}. They do different work, \
                 and the ratio is one of that work too.",
                list(&firsts, described)
            );
            self.doubt_all(WarningCode::BodiesDiffer, workload, text);
        }
        let manner = |first: &FirstAnswer| (first.protocol.clone(), first.keeps_connection);
        if others
            .iter()
            .any(|(_, first)| manner(first) != manner(expected))
        {
            let text = format!(
                "The contenders treat connections differently: {}. Whoever closes them pays for a \
                 new one with each request.",
                list(&firsts, treatment)
            );
            self.doubt_all(WarningCode::ConnectionsDiffer, workload, text);
        }
    }

    fn first_answer(&self, name: &ContenderName, workload: &Workload) -> Option<&FirstAnswer> {
        let facts = self
            .record
            .contenders
            .iter()
            .find(|facts| facts.contender == *name)?;
        facts
            .conformance
            .iter()
            .find_map(|conformance| match conformance {
                Conformance::Verified {
                    workload: verified,
                    first,
                    ..
                } if *verified == workload.name => first.as_ref(),
                _ => None,
            })
    }

    fn refuse_body(
        &mut self,
        workload: &Workload,
        contenders: &[&Contender<Built>],
        name: &ContenderName,
        problem: String,
    ) {
        let asked = workload.contract.launch_requests.first();
        let contender = contenders
            .iter()
            .find(|contender| contender.plan().name == *name);
        let (Some(asked), Some(contender)) = (asked, contender) else {
            return;
        };
        let setback = Setback::from(Box::new(Violation {
            rule: SAME_BODY_RULE.to_owned(),
            reason: SAME_BODY_REASON.to_owned(),
            request: asked.request.clone(),
            answer: "see the problem".to_owned(),
            problem,
        }));
        if let Setback::Refused(refusal @ Refusal { .. }) = setback {
            self.refuse(workload, contender, refusal);
        }
    }

    fn doubt_all(&mut self, code: WarningCode, workload: &Workload, text: String) {
        self.record.warnings.push(Warning {
            code,
            severity: Severity::Warning,
            workload: Some(workload.name.clone()),
            contender: None,
            text,
        });
    }
}

fn list(
    firsts: &[(ContenderName, FirstAnswer)],
    describe: impl Fn(&FirstAnswer) -> String,
) -> String {
    let texts: Vec<_> = firsts
        .iter()
        .map(|(name, first)| format!("{name} {}", describe(first)))
        .collect();
    texts.join("; ")
}

fn described(first: &FirstAnswer) -> String {
    let bytes = match first.body_bytes {
        1 => "1 byte".to_owned(),
        bytes => format!("{bytes} bytes"),
    };
    let of_type = first.media_type.as_deref().unwrap_or("no media type");
    let hash = first.body_sha256.get(..8).unwrap_or_default();
    format!(
        "status {}, {bytes} of {of_type} (SHA-256 {hash}...)",
        first.status
    )
}

fn treatment(first: &FirstAnswer) -> String {
    let keeps = if first.keeps_connection {
        "keeps"
    } else {
        "closes"
    };
    format!("speaks {} and {keeps} them", first.protocol)
}
