//! Information from Linux about a process and the machine.

use std::fs;
use std::time::Duration;

use anyhow::Context;

/// Clock ticks per second in `/proc/PID/stat`: 100 on all common Linux systems.
const TICKS_PER_SECOND: u64 = 100;

/// Returns the CPU time a process has used so far: all threads, user and system.
pub(crate) fn cpu_time(pid: u32) -> anyhow::Result<Duration> {
    match nanoseconds(pid) {
        Some(nanoseconds) => Ok(Duration::from_nanos(nanoseconds)),
        None => ticks(pid).map(|ticks| Duration::from_millis(ticks * 1_000 / TICKS_PER_SECOND)),
    }
}

/// Sums up the nanoseconds of all threads, if the kernel records them. `stat` counts in hundredths
/// of a second, which is too coarse for a short round.
fn nanoseconds(pid: u32) -> Option<u64> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).ok()?;
    threads
        .map(|thread| of_thread(&fs::read_to_string(thread.ok()?.path().join("schedstat")).ok()?))
        .sum()
}

fn of_thread(schedstat: &str) -> Option<u64> {
    schedstat.split_ascii_whitespace().next()?.parse().ok()
}

fn ticks(pid: u32) -> anyhow::Result<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    // The name may contain spaces; the fields after it do not.
    let (_, fields) = stat.rsplit_once(')').context("/proc/PID/stat has another form")?;
    let used: Vec<u64> =
        fields.split_ascii_whitespace().skip(11).take(2).filter_map(|n| n.parse().ok()).collect();
    Ok(used.iter().sum())
}

/// Returns the resident memory of a process in KiB.
pub(crate) fn resident_kib(pid: u32) -> anyhow::Result<u64> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let number = line.and_then(|line| line.split_ascii_whitespace().next());
    Ok(number.context("/proc/PID/status names no VmRSS")?.parse()?)
}

/// Describes cores, CPU, kernel and load in one line.
pub(crate) fn machine() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
    let model = model.map_or("unknown CPU", |(_, model)| model.trim());
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split_ascii_whitespace().next().unwrap_or("unknown");
    format!("{cores} cores of {model}, Linux {}, load {load} at the start", kernel.trim())
}
