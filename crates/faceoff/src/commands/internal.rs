//! The hidden commands by which Faceoff starts its own processes.

use anyhow::{Context as _, Result};

use crate::exit::Exit;

/// Holds a contender's processes for the runner on the other end of the pipes.
pub(crate) fn keep() -> Result<Exit> {
    faceoff_runner::keep(std::io::stdin().lock(), std::io::stdout().lock())
        .context("the keeper lost its runner")?;
    Ok(Exit::Good)
}

/// Generates the load that the runner on the other end of the pipes orders.
pub(crate) fn generate() -> Result<Exit> {
    faceoff_runner::end_with_parent().context("the generator lost its runner")?;
    faceoff_engine::serve_order(std::io::stdin().lock(), std::io::stdout().lock())
        .context("the generator lost its runner")?;
    Ok(Exit::Good)
}
