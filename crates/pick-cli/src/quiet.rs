//! Keeping drivers from talking over the answers.

/// Mesa's device-select layer looks for a Wayland session whenever a Vulkan instance is made, and prints
/// an error where there is none, as on any server. It only sorts devices, which is done here anyway, so it
/// is switched off; that takes a variable in the environment that the driver sees, and so a new start.
/// Where that fails, the answers are the same and the chatter stays.
#[cfg(unix)]
pub fn restart_without_chatter() {
    use std::os::unix::process::CommandExt as _;

    const SWITCH: &str = "NODEVICE_SELECT";
    if std::env::var_os("XDG_RUNTIME_DIR").is_some() || std::env::var_os(SWITCH).is_some() {
        return;
    }
    if let Ok(program) = std::env::current_exe() {
        let words = std::env::args_os().skip(1);
        // Returns only when it failed.
        let _ = std::process::Command::new(program)
            .args(words)
            .env(SWITCH, "1")
            .exec();
    }
}

/// Drivers elsewhere are silent.
#[cfg(not(unix))]
pub fn restart_without_chatter() {}
