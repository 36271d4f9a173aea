//! Before the first load: builds, lines of code, services.

use faceoff_record::{
    BuildFacts, Conformance, ContenderFacts, ContenderName, Figure, Managed, Start,
};

use super::{Halt, Options, Run};
use crate::contender::{
    BuildError, Builder, Built, Contender, LaunchError, launch_service, lines_of_code,
};
use crate::events::Event;
use crate::host::{Host, pin_to};
use crate::keep::Keeper;

impl Run<'_, '_> {
    /// Builds what must be built, moves off the contenders' processors, and starts the services,
    /// which end when they are dropped.
    pub(super) fn prepare(
        &mut self,
        host: &Host,
        options: &Options,
    ) -> Result<(Vec<Contender<Built>>, Vec<Keeper>), Halt> {
        let builder = Builder {
            memory: options.memory.clone(),
            cores: host.all_cores(),
            rebuild: options.rebuild,
        };
        let contenders = self.build(&builder)?;
        self.build_services(&builder)?;
        pin_to(self.lab.cores.runner())
            .map_err(|error| Halt::Impossible(format!("cannot choose processors: {error}")))?;
        let services = self.start_services()?;
        Ok((contenders, services))
    }

    /// Builds all contenders on all processors; those whose build fails are out.
    fn build(&mut self, builder: &Builder) -> Result<Vec<Contender<Built>>, Halt> {
        let mut built = Vec::new();
        for contender in self.record.plan.contenders.clone() {
            let facts = match &contender.start {
                Start::Managed(managed) => {
                    match self.build_one(builder, &contender.name, managed) {
                        Ok(facts) => Figure::Known(facts),
                        Err(BuildError::Cancelled(cancelled)) => return Err(cancelled.into()),
                        Err(error) => Figure::absent(error.to_string()),
                    }
                }
                Start::Running { .. } => Figure::absent("it was running already"),
            };
            let failed = matches!(contender.start, Start::Managed(_)).then(|| facts.reason());
            let failed = failed.flatten().map(str::to_owned);
            self.record.contenders.push(ContenderFacts {
                contender: contender.name.clone(),
                build: facts,
                lines_of_code: lines_of_code(&contender),
                conformance: Vec::new(),
            });
            match failed {
                Some(reason) => self.out_of_all(&contender.name, &reason),
                None => built.push(Contender::built(contender)),
            }
        }
        Ok(built)
    }

    fn build_one(
        &mut self,
        builder: &Builder,
        name: &ContenderName,
        managed: &Managed,
    ) -> Result<BuildFacts, BuildError> {
        let listener = &mut *self.listener;
        let mut progress = |line: &str| {
            listener(Event::Building {
                contender: name.clone(),
                line: line.to_owned(),
            });
        };
        progress("");
        let facts = builder.build(name, managed, &self.lab, &mut progress)?;
        self.tell(Event::Built {
            contender: name.clone(),
            took: facts.took,
            unchanged: facts.unchanged,
        });
        Ok(facts)
    }

    /// Takes a contender out of every workload.
    fn out_of_all(&mut self, contender: &ContenderName, reason: &str) {
        let workloads: Vec<_> = self
            .record
            .plan
            .workloads
            .iter()
            .map(|w| w.name.clone())
            .collect();
        if let Some(facts) = self.facts(contender) {
            let refused = |workload| Conformance::Refused {
                workload,
                reason: reason.to_owned(),
                violation: None,
            };
            facts.conformance.extend(workloads.into_iter().map(refused));
        }
        self.tell(Event::Out {
            contender: contender.clone(),
            workload: None,
            reason: reason.to_owned(),
            violation: None,
        });
    }

    fn build_services(&mut self, builder: &Builder) -> Result<(), Halt> {
        for service in self.record.plan.services.clone() {
            let name = ContenderName::new(&service.name);
            match self.build_one(builder, &name, &service.managed) {
                Ok(_) => {}
                Err(BuildError::Cancelled(cancelled)) => return Err(cancelled.into()),
                Err(error) => return Err(no_service(&service.name, &error)),
            }
        }
        Ok(())
    }

    /// Starts the services and gives their addresses to the contenders.
    fn start_services(&mut self) -> Result<Vec<Keeper>, Halt> {
        let mut keepers = Vec::new();
        for service in self.record.plan.services.clone() {
            let (keeper, address) = match launch_service(&service, &mut self.lab) {
                Ok(launched) => launched,
                Err(LaunchError::Cancelled(cancelled)) => return Err(cancelled.into()),
                Err(error) => return Err(no_service(&service.name, &error)),
            };
            if let Some(variable) = &service.address_in {
                let url = format!("http://{address}");
                self.lab.addresses.insert(variable.clone(), url);
            }
            keepers.push(keeper);
        }
        Ok(keepers)
    }
}

fn no_service(name: &str, error: &dyn std::error::Error) -> Halt {
    Halt::Impossible(format!("the service `{name}` does not run: {error}"))
}
