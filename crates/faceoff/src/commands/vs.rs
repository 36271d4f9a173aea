//! `faceoff vs`: compare servers given by their start commands, in any folder.

use std::path::PathBuf;

use anyhow::{Result, bail};
use faceoff_runner::Cancel;
use faceoff_runner::config::{Given, LoadFile, given_suite};

use super::run::{choices, how, measure};
use crate::cli::VsArguments;
use crate::exit::Exit;
use crate::faults::Usage;

/// Compares the servers.
pub(crate) fn vs(arguments: &VsArguments) -> Result<Exit> {
    let given = Given {
        commands: arguments.commands.clone(),
        folder: PathBuf::from("."),
        method: arguments.method.clone(),
        path: arguments.path.clone(),
        headers: arguments.header.clone(),
        body: arguments.body.clone(),
        expect_status: arguments.expect_status.clone(),
        expect_body: arguments.expect.clone(),
        same_body: arguments.same_body,
        port: arguments.port,
        https: arguments.https,
        ready_within: arguments.ready_within,
        load: LoadFile {
            connections: Some(arguments.connections),
            server_cores: arguments.server_cores,
            ..LoadFile::default()
        },
    };
    let suite = given_suite(&given).map_err(|errors| {
        let texts: Vec<_> = errors.iter().map(ToString::to_string).collect();
        Usage(texts.join("\nerror: "))
    })?;
    if arguments.commands.len() == 1 {
        bail!(Usage(
            "a comparison needs two servers; give two commands, each in quotes".to_owned()
        ));
    }
    // Nothing is built, so nothing is remembered; the folder is left as it was but for the result.
    let options = how(&arguments.measuring, PathBuf::from(".faceoff"))?;
    let cancel = Cancel::on_signals()?;
    measure(
        &suite,
        &choices(&arguments.measuring),
        &options,
        arguments.measuring.json,
        &cancel,
    )
}
