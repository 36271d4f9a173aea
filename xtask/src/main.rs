//! The chores of this repository. `cargo xtask test` is what everyone runs, CI included.

mod schema;
mod test;

use std::process::ExitCode;

const HELP: &str = "\
Usage: cargo xtask test [STEP...]
       cargo xtask schema

test runs every check of this repository, or only the named steps, and lists at the
end what was left out and why. schema writes the JSON Schemas of the stored files,
docs/*.schema.json, from the types.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.split_first() {
        Some((command, steps)) if command == "test" => test::run(steps),
        Some((command, [])) if command == "schema" => schema::write(),
        _ => {
            say(&format!("{HELP}\n\nSteps: {}", test::names().join(", ")));
            ExitCode::from(2)
        }
    }
}

#[expect(
    clippy::print_stderr,
    reason = "this program talks to whoever runs the checks"
)]
fn say(text: &str) {
    eprintln!("{text}");
}
