//! The life of a contender, as types: [`Built`], then [`Ready`], then [`Verified`].
//!
//! Only a verified contender can be loaded, stopping consumes it, and dropping it in any state
//! kills its processes.

mod build;
mod launch;
mod lines;
mod log;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use faceoff_record::{
    Contract, Figure, Nanos, Scheme, Start, Target, Transport, TreeUsage, Violation,
};

pub(crate) use build::{BuildError, Builder, hexadecimal, sources_of};
pub(crate) use launch::{LaunchError, Launched, launch_service};
pub(crate) use lines::lines_of_code;
use log::LogMark;

use crate::cancel::{Cancel, Cancelled};
use crate::keep::{Keeper, KeeperError, TreeMemory};
use crate::lab::Lab;
use crate::verify::{self, Checked, Client, RuleFilter};

/// How long one answer may take while a contract is checked.
const PATIENCE: Duration = Duration::from_secs(10);

/// A contender in one state of its life.
pub(crate) struct Contender<S> {
    plan: Arc<faceoff_record::Contender>,
    state: S,
}

/// It can be started, as often as wanted.
#[derive(Clone)]
pub(crate) struct Built;

/// It gave a first right answer.
pub(crate) struct Ready {
    life: Life,
}

/// It keeps its contract. Only this state can be loaded.
pub(crate) struct Verified {
    life: Life,
    checked: Checked,
}

/// Why a contender was not verified.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unverified {
    /// The user asked to end.
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
    /// It breaks its contract.
    #[error("breaks the rule `{}`: {}", .0.rule, .0.problem)]
    Broken(Box<Violation>),
}

impl From<Box<Violation>> for Unverified {
    fn from(violation: Box<Violation>) -> Self {
        Self::Broken(violation)
    }
}

/// A contender's processes and address.
struct Life {
    /// Nothing for one that was running already.
    keeper: Option<Keeper>,
    address: SocketAddr,
    start_up: Figure<Nanos>,
    /// Its log of this launch; nothing for one that was running already.
    log: Option<LogMark>,
}

impl Contender<Built> {
    /// A contender whose build is done.
    pub(crate) fn built(plan: faceoff_record::Contender) -> Self {
        Self {
            plan: Arc::new(plan),
            state: Built,
        }
    }

    /// Its part of the plan.
    pub(crate) fn plan(&self) -> &faceoff_record::Contender {
        &self.plan
    }

    /// Starts it and waits for the first right answer to a request of this contract.
    pub(crate) fn launch(
        &self,
        lab: &mut Lab,
        contract: &Contract,
    ) -> Result<Contender<Ready>, LaunchError> {
        let transport = transport(&self.plan);
        let launched = match &self.plan.start {
            Start::Managed(managed) => {
                launch::start(&self.plan.name, managed, &transport, lab, contract)?
            }
            Start::Running { url } => launch::find(url, &transport, lab, contract)?,
        };
        let Launched {
            keeper,
            address,
            start_up,
            log,
        } = launched;
        let life = Life {
            keeper,
            address,
            start_up,
            log,
        };
        Ok(Contender {
            plan: Arc::clone(&self.plan),
            state: Ready { life },
        })
    }
}

impl Contender<Ready> {
    /// Checks the full contract.
    pub(crate) fn verify_fully(
        self,
        contract: &Contract,
        filter: &RuleFilter,
        cancel: &Cancel,
    ) -> Result<Contender<Verified>, Unverified> {
        self.verify(cancel, |client| verify::full(client, contract, filter))
    }

    /// Checks the requests of a launch.
    pub(crate) fn verify_launch(
        self,
        contract: &Contract,
        cancel: &Cancel,
    ) -> Result<Contender<Verified>, Unverified> {
        self.verify(cancel, |client| verify::launch(client, contract))
    }

    fn verify(
        self,
        cancel: &Cancel,
        check: impl FnOnce(&mut Client) -> Result<Checked, Box<Violation>> + Send,
    ) -> Result<Contender<Verified>, Unverified> {
        let mut life = self.state.life;
        let mut client = Client::new(life.address, &transport(&self.plan), PATIENCE);
        // Whoever waits for an answer that does not come is woken by the contender's end.
        let checked = cancel.during(move || check(&mut client), || life.keeper = None)??;
        Ok(Contender {
            plan: self.plan,
            state: Verified { life, checked },
        })
    }
}

impl Contender<Verified> {
    /// Its part of the plan.
    pub(crate) fn plan(&self) -> &faceoff_record::Contender {
        &self.plan
    }

    /// What the check found.
    pub(crate) const fn checked(&self) -> &Checked {
        &self.state.checked
    }

    /// From its start to its first right answer.
    pub(crate) const fn start_up(&self) -> &Figure<Nanos> {
        &self.state.life.start_up
    }

    /// Where a load goes.
    pub(crate) fn target(&self) -> Target {
        Target::new(self.state.life.address, transport(&self.plan))
    }

    /// What its processes have consumed; nothing for one that was running already.
    pub(crate) fn usage(&mut self) -> Result<Option<TreeUsage>, KeeperError> {
        self.keeper().map(Keeper::usage).transpose()
    }

    /// Its memory; nothing for one that was running already.
    pub(crate) fn memory(&mut self) -> Result<Option<TreeMemory>, KeeperError> {
        self.keeper().map(Keeper::memory).transpose()
    }

    /// The end of its log, for an error.
    pub(crate) fn log_tail(&self) -> String {
        let log = self.state.life.log.as_ref();
        log.map_or_else(|| "its log is not ours".to_owned(), LogMark::tail)
    }

    /// How its first process ended, if it has.
    pub(crate) fn exit(&mut self) -> Result<Option<crate::keep::Exit>, KeeperError> {
        Ok(self.keeper().map(Keeper::exit).transpose()?.flatten())
    }

    /// Ends it; tells whether it had to be killed. One that was running already goes on.
    pub(crate) fn stop(self) -> Result<bool, KeeperError> {
        match self.state.life.keeper {
            Some(keeper) => Ok(keeper.stop()?.forced),
            None => Ok(false),
        }
    }

    fn keeper(&mut self) -> Option<&mut Keeper> {
        self.state.life.keeper.as_mut()
    }
}

/// What carries requests to a contender. All run on this machine, so `localhost` is the name that
/// their certificates have, if any.
fn transport(plan: &faceoff_record::Contender) -> Transport {
    match plan.scheme {
        Scheme::Http => Transport::Tcp,
        Scheme::Https => Transport::Tls {
            server_name: "localhost".to_owned(),
        },
    }
}
