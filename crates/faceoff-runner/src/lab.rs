//! What every step of a run on this machine shares: programs, processors, ports, logs, and the
//! user's wish to end.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;

use faceoff_record::CorePlan;

use crate::cancel::Cancel;
use crate::host::PortPool;
use crate::keep::LaunchOrder;

/// The commands of our own processes, program first. The program that uses this crate knows them.
#[derive(Clone, Debug)]
pub struct Programs {
    /// Serves [`crate::keep`] on its standard input and output.
    pub keep: Vec<OsString>,
    /// Takes a load order on its standard input and gives the outcome on its standard output.
    pub generate: Vec<OsString>,
}

/// The shared part of a run.
pub(crate) struct Lab {
    pub(crate) programs: Programs,
    pub(crate) cores: CorePlan,
    /// The folder of the contenders' output.
    pub(crate) logs: PathBuf,
    pub(crate) ports: PortPool,
    pub(crate) cancel: Cancel,
    /// The addresses of services, as environment variables for contenders.
    pub(crate) addresses: BTreeMap<String, String>,
}

impl Lab {
    pub(crate) fn log_of(&self, name: &str) -> PathBuf {
        self.logs.join(format!("{name}.log"))
    }

    /// An order to start `command` on the contenders' processors.
    pub(crate) fn order(
        &self,
        managed: &faceoff_record::Managed,
        command: Vec<String>,
        env: BTreeMap<String, String>,
        log: PathBuf,
    ) -> LaunchOrder {
        LaunchOrder {
            command,
            folder: managed.folder.clone(),
            env,
            log,
            cores: self.cores.contender.clone(),
            keeper_cores: self.cores.runner().to_vec(),
        }
    }
}
