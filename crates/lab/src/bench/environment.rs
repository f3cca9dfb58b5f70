//! The environment of a measurement: the program, the machine and its load.

use std::env::consts::{ARCH, OS};
use std::fs;
use std::thread::available_parallelism;

use serde::Serialize;

/// The properties of the program and the machine on which the measured figures depend. In JSON, an
/// unknown property is `null`.
#[derive(Serialize)]
pub(super) struct Environment {
    /// The version of the program.
    pub(super) version: &'static str,
    /// The commit of the source: the value of `DEALERLESS_COMMIT` when the program was built.
    pub(super) commit: Option<&'static str>,
    /// The name and version of the compiler, as printed by `rustc --version`.
    compiler: &'static str,
    /// `release` or `debug`; figures of a debug build are meaningless.
    profile: &'static str,
    /// The model name of the processor.
    pub(super) processor: Option<String>,
    /// The instruction sets that the processor has and the engine can use.
    instructions: Vec<&'static str>,
    /// The number of cores that this process may use.
    pub(super) cores: Option<usize>,
    /// The load average of the minute before the measurement.
    pub(super) load: Option<f64>,
    /// The operating system and the architecture; on Linux also the version of the kernel.
    system: String,
    /// `Some(true)` if both parties ran in this process and shared its cores; otherwise `None`.
    shared_cores: Option<bool>,
}

impl Environment {
    /// Detects the environment. `both_here` tells whether both parties run in this process. Must be
    /// called before the measurement, because the measurement raises the load.
    pub(super) fn detect(both_here: bool) -> Self {
        let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        Environment {
            version: env!("CARGO_PKG_VERSION"),
            commit: option_env!("DEALERLESS_COMMIT"),
            compiler: env!("DEALERLESS_COMPILER"),
            profile: env!("DEALERLESS_PROFILE"),
            processor: fs::read_to_string("/proc/cpuinfo")
                .ok()
                .and_then(|text| processor(&text)),
            instructions: instructions(),
            cores: available_parallelism().ok().map(usize::from),
            load: fs::read_to_string("/proc/loadavg")
                .ok()
                .and_then(|text| text.split_whitespace().next()?.parse().ok()),
            system: format!("{OS} {ARCH} {kernel}").trim_end().to_owned(),
            shared_cores: both_here.then_some(true),
        }
    }

    /// Describes the environment in four lines of text.
    pub(super) fn describe(&self) -> String {
        let commit = self.commit.map(|commit| format!(" ({commit})"));
        let cores = match self.cores {
            Some(cores) => format!("{cores} cores"),
            None => "unknown cores".into(),
        };
        let load = match self.load {
            Some(load) => format!(", load {load:.2} before the measurement"),
            None => String::new(),
        };
        let parties = match self.shared_cores {
            Some(_) => "shared by both parties",
            None => "used by one party",
        };
        format!(
            "dealerless {}{}, {} build, {}\n{}\n{cores}, {parties}{load}\n{}; {}",
            self.version,
            commit.unwrap_or_default(),
            self.profile,
            self.compiler,
            self.processor.as_deref().unwrap_or("unknown processor"),
            self.system,
            match &self.instructions[..] {
                [] => "no instruction sets for the engine".into(),
                some => some.join(" "),
            }
        )
    }
}

/// The model name of the first processor in `cpuinfo`, the content of `/proc/cpuinfo` on Linux.
fn processor(cpuinfo: &str) -> Option<String> {
    cpuinfo.lines().find_map(|line| {
        Some(
            line.strip_prefix("model name")?
                .split_once(':')?
                .1
                .trim()
                .into(),
        )
    })
}

#[cfg(target_arch = "x86_64")]
fn instructions() -> Vec<&'static str> {
    use std::arch::is_x86_feature_detected as detected;
    let known = [
        ("aes", detected!("aes")),
        ("vaes", detected!("vaes")),
        ("avx2", detected!("avx2")),
        ("avx512f", detected!("avx512f")),
        ("pclmulqdq", detected!("pclmulqdq")),
    ];
    detected_of(&known)
}

#[cfg(target_arch = "aarch64")]
fn instructions() -> Vec<&'static str> {
    use std::arch::is_aarch64_feature_detected as detected;
    let known = [
        ("neon", detected!("neon")),
        ("aes", detected!("aes")),
        ("pmull", detected!("pmull")),
    ];
    detected_of(&known)
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn detected_of(known: &[(&'static str, bool)]) -> Vec<&'static str> {
    let detected = known.iter().filter(|(_, detected)| *detected);
    detected.map(|(name, _)| *name).collect()
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn instructions() -> Vec<&'static str> {
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_name_is_read_from_cpuinfo() {
        let list = "processor\t: 0\nmodel name\t: A Chip @ 2 GHz\nmodel name\t: Another\n";
        assert_eq!(processor(list).as_deref(), Some("A Chip @ 2 GHz"));
        assert_eq!(processor("Hardware : board"), None);
    }

    #[test]
    fn compiler_and_profile_are_known() {
        let environment = Environment::detect(true);
        assert!(environment.compiler.starts_with("rustc "));
        assert!(["debug", "release"].contains(&environment.profile));
        assert_eq!(environment.describe().lines().count(), 4);
    }
}
