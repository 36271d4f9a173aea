//! The machine, as it is written into the record.

use std::fs;

use faceoff_record::{Environment, Severity, Toolchain, Warning, WarningCode};
use nix::sys::utsname::uname;
use procfs::{CpuInfo, Current as _, FromRead as _, Meminfo};

use super::{Host, ports};

/// What must be known to repeat a run here, or to distrust it.
pub(crate) fn environment(host: &Host) -> Environment {
    Environment {
        kernel: uname()
            .map(|names| names.release().to_string_lossy().into_owned())
            .unwrap_or_default(),
        system: system_name(),
        processor: processor_name(),
        cores: host.all_cores(),
        memory_bytes: Meminfo::current().map_or(0, |memory| memory.mem_total),
        governor: first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
        clock_source: first_line(
            "/sys/devices/system/clocksource/clocksource0/current_clocksource",
        ),
        open_files: host.open_files,
        ephemeral_ports: ports::ephemeral_range(),
        toolchains: host
            .toolchains()
            .map(|(name, version)| Toolchain {
                name: name.to_owned(),
                version: version.to_owned(),
            })
            .collect(),
    }
}

/// What about the machine can spoil a measurement.
pub(super) fn doubts(cores: &[Vec<u32>]) -> Vec<Warning> {
    let mut texts = Vec::new();
    if cores.len() == 1 && cores.iter().flatten().count() > 1 {
        texts.push(
            "Contender and generator share one physical core: they take speed from each other."
                .to_owned(),
        );
    }
    if let Some(governor) = first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
        && governor == "powersave"
    {
        texts.push(
            "The frequency governor is `powersave`: speed follows load and temperature.".to_owned(),
        );
    }
    if let Some(quota) = cpu_quota()
        && let count = cores.iter().flatten().count()
        && quota < f64::from(u32::try_from(count).unwrap_or(u32::MAX))
    {
        texts.push(format!(
            "A control group allows only {quota:.1} processors of {count}: \
             whoever uses more is stopped for a while."
        ));
    }
    texts
        .into_iter()
        .map(|text| Warning {
            code: WarningCode::Machine,
            severity: Severity::Warning,
            workload: None,
            contender: None,
            text,
        })
        .collect()
}

/// The processors that this process's control group allows, if it limits them.
fn cpu_quota() -> Option<f64> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let path = groups.lines().find_map(|line| line.strip_prefix("0::"))?;
    let limit = fs::read_to_string(format!("/sys/fs/cgroup{path}/cpu.max")).ok()?;
    let (quota, period) = limit.trim().split_once(' ')?;
    Some(quota.parse::<f64>().ok()? / period.parse::<f64>().ok()?)
}

fn system_name() -> String {
    fs::read_to_string("/etc/os-release")
        .ok()
        .and_then(|text| {
            let line = text
                .lines()
                .find_map(|line| line.strip_prefix("PRETTY_NAME="))?;
            Some(line.trim_matches('"').to_owned())
        })
        .unwrap_or_else(|| "Linux".to_owned())
}

fn processor_name() -> String {
    CpuInfo::from_file("/proc/cpuinfo")
        .ok()
        .and_then(|info| Some(info.model_name(0)?.to_owned()))
        .unwrap_or_else(|| std::env::consts::ARCH.to_owned())
}

fn first_line(path: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    text.lines().next().map(str::to_owned)
}
