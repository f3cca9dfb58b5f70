//! The CPU time and the memory of a party.

use std::fs;
use std::time::Duration;

use cpu_time::ThreadTime;

/// The CPU time that the threads of this party have used: those of its pool, and the current one. The
/// threads of a link that is shaped or simulated are not part of a party.
pub(super) fn cpu_time() -> Duration {
    let of_thread = || ThreadTime::now().as_duration();
    let in_pool: Duration = rayon::broadcast(|_| of_thread()).into_iter().sum();
    match rayon::current_thread_index() {
        Some(_) => in_pool,
        None => in_pool + of_thread(),
    }
}

/// The largest memory that this process has used, in bytes, since [`forget_peak`]; 0 if it is unknown.
pub(super) fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
    kilobytes
        .and_then(|number| number.parse::<u64>().ok())
        .unwrap_or(0)
        * 1024
}

/// Resets the peak. If the system cannot reset it, the peak covers the whole process.
pub(super) fn forget_peak() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_of_all_threads_of_a_pool_is_counted() {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(3)
            .build()
            .unwrap();
        pool.install(|| {
            let before = cpu_time();
            let work = |_: rayon::BroadcastContext<'_>| {
                let begun = ThreadTime::now();
                while begun.elapsed() < Duration::from_millis(20) {}
            };
            rayon::broadcast(work);
            assert!(cpu_time() - before >= Duration::from_millis(60));
        });
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn peak_covers_memory_that_was_freed() {
        let large = vec![1u8; 64 << 20];
        assert!(large.iter().map(|&byte| u64::from(byte)).sum::<u64>() == 64 << 20);
        drop(large);
        let before = peak_memory();
        assert!(before >= 64 << 20);
        forget_peak();
        // Some systems do not allow it.
        let can_reset = fs::metadata("/proc/self/clear_refs").is_ok();
        assert!(!can_reset || peak_memory() < before, "{before}");
    }
}
