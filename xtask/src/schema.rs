//! The JSON Schemas of the stored files, made from the types that write them.

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use faceoff_record::{Record, SliceLine};
use schemars::{Schema, schema_for};

use crate::say;
use crate::test::root;

/// Each published schema: its file under docs/, and what it describes.
fn schemas() -> [(&'static str, Schema); 2] {
    [
        ("record.schema.json", schema_for!(Record)),
        ("samples.schema.json", schema_for!(SliceLine)),
    ]
}

/// Writes the schemas.
pub(crate) fn write() -> ExitCode {
    let docs = root().join("docs");
    for (file, schema) in schemas() {
        let written = text(&schema).and_then(|text| Ok(std::fs::write(docs.join(file), text)?));
        if let Err(error) = written {
            say(&format!("cannot write docs/{file}: {error:#}"));
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}

/// The published schemas are those of the types.
pub(crate) fn check(root: &Path) -> Result<()> {
    for (file, schema) in schemas() {
        let path = root.join("docs").join(file);
        let published = std::fs::read_to_string(&path)
            .with_context(|| format!("cannot read {}", path.display()))?;
        if published != text(&schema)? {
            bail!("docs/{file} does not describe the types; run `cargo xtask schema`");
        }
    }
    Ok(())
}

fn text(schema: &Schema) -> Result<String> {
    Ok(serde_json::to_string_pretty(schema)? + "\n")
}
