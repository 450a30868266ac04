//! What the kernel knows of a process: CPU time and resident memory.

use std::fs;

use rustix::param::clock_ticks_per_second;

/// CPU time of a process so far, user and system, all threads, in milliseconds.
pub fn cpu_ms(pid: u32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    // The name, in brackets, may hold blanks; what follows it does not. utime and stime are fields 14 and 15.
    let after_name = &stat[stat.rfind(')').unwrap() + 2..];
    let ticks: u64 = after_name
        .split(' ')
        .skip(11)
        .take(2)
        .map(|field| field.parse::<u64>().unwrap())
        .sum();
    ticks as f64 * 1000.0 / clock_ticks_per_second() as f64
}

/// CPU time of several processes together.
pub fn cpu_ms_of(pids: &[u32]) -> f64 {
    pids.iter().map(|pid| cpu_ms(*pid)).sum()
}

/// Resident memory (VmRSS) of a process in MB of 10^6 bytes.
pub fn resident_mb(pid: u32) -> f64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let kib: f64 = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))
        .and_then(|rest| rest.trim().strip_suffix(" kB"))
        .and_then(|number| number.trim().parse().ok())
        .unwrap();
    kib * 1024.0 / 1e6
}
