//! One order for another process: read as a line of JSON, answered with lines of JSON.

use std::error::Error;
use std::io::{self, BufRead, Write};

use faceoff_record::{GeneratorNotice, LoadOrder};

use crate::run::{EngineError, run};

/// Why an order was not served. Wherever somebody could still be told, the last notice said it too.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// No order could be read.
    #[error("cannot read a load order from standard input")]
    Read(#[source] io::Error),
    /// What was read is no order.
    #[error("what came over standard input is not a load order")]
    Order(#[source] serde_json::Error),
    /// The order could not be carried out.
    #[error("cannot carry out the load order")]
    Load(#[source] EngineError),
    /// Nobody listens.
    #[error("cannot write to standard output")]
    Write(#[source] io::Error),
}

/// Reads one order from `stdin`, carries it out, and writes what is to be said of it to `stdout`,
/// one notice a line, each at once. The last one is `Done` or `Failed`.
///
/// # Errors
///
/// If there was no order, it could not be carried out, or nobody listened.
pub fn serve_order(mut stdin: impl BufRead, mut stdout: impl Write) -> Result<(), ServeError> {
    let mut told = Ok(());
    let outcome = read_order(&mut stdin).and_then(|order| {
        run(&order, &mut |notice| told = write(&mut stdout, &notice)).map_err(ServeError::Load)
    });
    told.map_err(ServeError::Write)?;
    match outcome {
        Ok(outcome) => {
            write(&mut stdout, &GeneratorNotice::Done(outcome)).map_err(ServeError::Write)
        }
        Err(error) => {
            let reason = with_causes(&error);
            write(&mut stdout, &GeneratorNotice::Failed { reason }).map_err(ServeError::Write)?;
            Err(error)
        }
    }
}

fn read_order(stdin: &mut impl BufRead) -> Result<LoadOrder, ServeError> {
    let mut line = String::new();
    stdin.read_line(&mut line).map_err(ServeError::Read)?;
    serde_json::from_str(&line).map_err(ServeError::Order)
}

fn write(stdout: &mut impl Write, notice: &GeneratorNotice) -> io::Result<()> {
    let mut line = serde_json::to_vec(notice)?;
    line.push(b'\n');
    stdout.write_all(&line)?;
    stdout.flush()
}

/// An error and its causes in one line.
fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}
