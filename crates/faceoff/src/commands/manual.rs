//! `faceoff completions` and `faceoff man`: made from the command line's own definition, so that
//! they cannot fall behind it.

use std::path::Path;

use anyhow::{Context as _, Result};
use clap::CommandFactory as _;
use clap_complete::Shell;

use super::show;
use crate::cli::Cli;
use crate::exit::Exit;

/// Prints a completion script.
pub(crate) fn completions(shell: Shell) -> Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "faceoff", &mut script);
    show(String::from_utf8_lossy(&script).trim_end())?;
    Ok(Exit::Good)
}

/// Writes the man pages.
pub(crate) fn man(folder: &Path) -> Result<Exit> {
    let context = || format!("cannot write man pages to {}", folder.display());
    std::fs::create_dir_all(folder).with_context(context)?;
    clap_mangen::generate_to(Cli::command(), folder).with_context(context)?;
    Ok(Exit::Good)
}
