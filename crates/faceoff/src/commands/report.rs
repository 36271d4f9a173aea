//! `faceoff report`: a stored run again, finished or not, in any format.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use super::{show, width, write_new};
use crate::cli::ReportArguments;
use crate::exit::Exit;

/// Where runs are kept.
const RUNS: &str = "runs";

/// Shows a run.
pub(crate) fn report(arguments: &ReportArguments) -> Result<Exit> {
    let folder = match &arguments.run {
        Some(folder) => folder.clone(),
        None => newest(Path::new(RUNS))?,
    };
    let record = faceoff_runner::read(&folder)?;
    let analysis = faceoff_stats::analyse(&record);
    let view = faceoff_report::view(&record, &analysis);
    let text = if arguments.html {
        faceoff_report::html(&view)
    } else if arguments.markdown {
        faceoff_report::markdown(&view)
    } else if arguments.csv {
        faceoff_report::csv(&view)
    } else if arguments.csv_slices {
        faceoff_report::csv_slices(&view)
    } else if arguments.json {
        faceoff_report::json(&view)
    } else {
        let colour = arguments.out.is_none() && console::colors_enabled();
        faceoff_report::terminal(&view, width(), colour)
    };
    match &arguments.out {
        Some(path) => write_new(path, &text)?,
        None => show(text.trim_end())?,
    }
    Ok(Exit::Good)
}

/// The newest run: folders are named by their time.
fn newest(runs: &Path) -> Result<PathBuf> {
    let entries = std::fs::read_dir(runs).context(
        "there is no folder runs/ here; name the folder of a run: faceoff report FOLDER",
    )?;
    let folders = entries.filter_map(|entry| Some(entry.ok()?.path()));
    match folders
        .filter(|folder| folder.join("record.json").is_file())
        .max()
    {
        Some(folder) => Ok(folder),
        None => bail!("there is no run under runs/; name the folder of one: faceoff report FOLDER"),
    }
}
