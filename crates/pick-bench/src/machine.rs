//! Where a measurement ran.

use crate::results::Machine;

/// Variables that change what drivers do.
const VARIABLES: [&str; 5] = [
    "LP_NUM_THREADS",
    "LIBGL_ALWAYS_SOFTWARE",
    "WGPU_DEBUG",
    "WGPU_VALIDATION",
    "__GL_THREADED_OPTIMIZATIONS",
];

/// This machine.
pub fn describe() -> Machine {
    let set = |name: &str| Some((name.to_owned(), std::env::var(name).ok()?));
    Machine {
        cpu: processor(&std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default()),
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        variables: VARIABLES.into_iter().filter_map(set).collect(),
    }
}

/// What Linux calls the processor.
fn processor(info: &str) -> String {
    let named = info.lines().find(|line| line.starts_with("model name"));
    let name = named.and_then(|line| line.split_once(':'));
    name.map_or("unknown", |(_, name)| name.trim()).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_is_named() {
        let info = "processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\nflags\t: a\n";
        assert_eq!(processor(info), "Some CPU @ 2 GHz");
        assert_eq!(processor(""), "unknown");
    }
}
