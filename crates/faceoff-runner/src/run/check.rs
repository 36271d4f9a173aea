//! Build, start and verify, without load.

use faceoff_record::{Plan, Record, Workload};

use super::setback::Setback;
use super::{Halt, Options, Run, lab, record};
use crate::cancel::Cancel;
use crate::contender::{Built, Contender};
use crate::events::Listener;
use crate::host::Host;
use crate::store::{Store, StoreError};
use crate::verify::RuleFilter;

/// Checks every contender of a plan against the contract of each workload it offers. The result
/// is a record without samples; nothing is kept on disk but what builds leave.
///
/// # Errors
///
/// There is no room for the contenders' logs.
pub fn check(
    plan: Plan,
    host: &Host,
    options: &Options,
    rules: &RuleFilter,
    cancel: &Cancel,
    listener: &mut Listener<'_>,
) -> Result<Record, StoreError> {
    let folder = tempfile::tempdir().map_err(|source| StoreError::CannotWrite {
        path: std::env::temp_dir(),
        source,
    })?;
    let store = Store::create(Some(&folder.path().join("check")), &plan.suite, "")?;
    let mut run = Run {
        lab: lab(&plan, options, store.logs(), cancel),
        record: record(plan, host, options, String::new()),
        store,
        listener,
    };
    let ended = run.check_all(host, options, rules);
    run.end(ended, host);
    Ok(run.record)
}

impl Run<'_, '_> {
    fn check_all(
        &mut self,
        host: &Host,
        options: &Options,
        rules: &RuleFilter,
    ) -> Result<(), Halt> {
        let (contenders, _services) = self.prepare(host, options)?;
        for workload in self.record.plan.workloads.clone() {
            for contender in &contenders {
                if self.offers(contender, &workload) {
                    self.check_one(contender, &workload, rules)?;
                }
            }
            self.compare_answers(&workload, &contenders.iter().collect::<Vec<_>>());
        }
        Ok(())
    }

    fn check_one(
        &mut self,
        contender: &Contender<Built>,
        workload: &Workload,
        rules: &RuleFilter,
    ) -> Result<(), Halt> {
        match self.conformance(workload, contender, rules) {
            Ok(verified) => self.stop(verified),
            Err(Setback::Halt(halt)) => Err(halt),
            Err(Setback::Refused(refusal)) => {
                self.refuse(workload, contender, refusal);
                Ok(())
            }
        }
    }
}
