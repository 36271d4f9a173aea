//! Does a contender keep the contract of a workload? Noted in the record either way.

use faceoff_record::{Conformance, ContenderName, Severity, WarningCode, Workload};

use super::Run;
use super::setback::{Refusal, Setback};
use crate::contender::{Built, Contender, Verified};
use crate::events::Event;
use crate::verify::RuleFilter;

impl Run<'_, '_> {
    /// Starts a contender and checks the full contract; the verified contender goes on living.
    pub(super) fn conformance(
        &mut self,
        workload: &Workload,
        contender: &Contender<Built>,
        rules: &RuleFilter,
    ) -> Result<Contender<Verified>, Setback> {
        self.tell(Event::Verifying {
            contender: contender.plan().name.clone(),
            workload: workload.name.clone(),
        });
        let ready = contender.launch(&mut self.lab, &workload.contract)?;
        let verified = ready.verify_fully(&workload.contract, rules, &self.lab.cancel)?;
        self.note_verified(workload, &verified);
        Ok(verified)
    }

    fn note_verified(&mut self, workload: &Workload, verified: &Contender<Verified>) {
        let name = verified.plan().name.clone();
        let checked = verified.checked();
        for flag in &checked.flags {
            let (code, severity) = (WarningCode::HeaderMissing, Severity::Note);
            self.doubt(
                code,
                severity,
                &name,
                Some(&workload.name),
                format!("{name} {flag}."),
            );
        }
        self.conclude(
            &name,
            Conformance::Verified {
                workload: workload.name.clone(),
                checked: checked.answers,
                flags: checked.flags.clone(),
                first: checked.first.clone(),
            },
        );
        self.tell(Event::Verified {
            contender: name,
            workload: workload.name.clone(),
            answers: checked.answers,
        });
    }

    /// Notes that a contender is out of a workload.
    pub(super) fn refuse(
        &mut self,
        workload: &Workload,
        contender: &Contender<Built>,
        refusal: Refusal,
    ) {
        let name = contender.plan().name.clone();
        let Refusal { reason, violation } = refusal;
        self.conclude(
            &name,
            Conformance::Refused {
                workload: workload.name.clone(),
                reason: reason.clone(),
                violation: violation.as_deref().cloned(),
            },
        );
        self.tell(Event::Out {
            contender: name,
            workload: Some(workload.name.clone()),
            reason,
            violation,
        });
    }

    /// Whether a contender was verified on a workload and not refused since.
    pub(super) fn takes_part(&self, contender: &ContenderName, workload: &Workload) -> bool {
        let facts = self
            .record
            .contenders
            .iter()
            .filter(|facts| facts.contender == *contender);
        facts.flat_map(|facts| &facts.conformance).any(|conformance| {
            matches!(conformance, Conformance::Verified { workload: verified, .. } if *verified == workload.name)
        })
    }

    /// The last conclusion about a workload counts: a contender that kept the contract in peace
    /// and broke it under load does not keep it.
    fn conclude(&mut self, contender: &ContenderName, conclusion: Conformance) {
        if let Some(facts) = self.facts(contender) {
            facts
                .conformance
                .retain(|other| other.workload() != conclusion.workload());
            facts.conformance.push(conclusion);
        }
    }
}
