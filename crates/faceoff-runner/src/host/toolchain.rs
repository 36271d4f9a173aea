//! Which toolchains are here, and their versions.

use std::process::{Command, Stdio};

/// The version of a toolchain by the name used in `needs`, if it is installed.
pub(super) fn version(name: &str) -> Option<String> {
    let (program, argument) = match name {
        "rust" => ("rustc", "--version"),
        "go" => ("go", "version"),
        "nginx" => ("nginx", "-v"),
        other => (other, "--version"),
    };
    let output = Command::new(program)
        .arg(argument)
        .stdin(Stdio::null())
        .output()
        .ok()
        .filter(|output| output.status.success())?;
    // nginx tells its version on the error stream.
    let text = [output.stdout, output.stderr].concat();
    first_version(&String::from_utf8_lossy(&text))
}

/// The first thing in a text that looks like a version.
fn first_version(text: &str) -> Option<String> {
    text.split(|c: char| !(c.is_ascii_digit() || c == '.'))
        .map(|word| word.trim_matches('.'))
        .find(|word| word.contains('.'))
        .map(str::to_owned)
}

/// Whether `version` is older than `least`, compared part by part; missing parts are zero.
pub(super) fn is_older(version: &str, least: &str) -> bool {
    let parts = |text: &str| -> Vec<u64> {
        text.split('.')
            .map(|part| part.parse().unwrap_or(0))
            .collect()
    };
    let (version, least) = (parts(version), parts(least));
    let length = version.len().max(least.len());
    let padded = |parts: &[u64]| -> Vec<u64> {
        (0..length)
            .map(|i| parts.get(i).copied().unwrap_or(0))
            .collect()
    };
    padded(&version) < padded(&least)
}

#[cfg(test)]
mod tests {
    use super::{first_version, is_older};

    #[test]
    fn versions_are_found_in_what_toolchains_print() {
        let cases = [
            ("rustc 1.95.0 (59807616e 2026-04-14)", "1.95.0"),
            ("go version go1.26.8 linux/amd64", "1.26.8"),
            ("v20.20.2\n", "20.20.2"),
            ("10.0.100", "10.0.100"),
            ("nginx version: nginx/1.22.1", "1.22.1"),
        ];
        for (text, version) in cases {
            assert_eq!(first_version(text).as_deref(), Some(version), "{text}");
        }
    }

    #[test]
    fn versions_are_compared_as_numbers() {
        let cases = [
            ("1.9", "1.10", true),
            ("1.26.8", "1.22", false),
            ("20.20.2", "20", false),
            ("18.0", "20", true),
            ("1.85", "1.85.0", false),
        ];
        for (version, least, older) in cases {
            assert_eq!(is_older(version, least), older, "{version} against {least}");
        }
    }
}
