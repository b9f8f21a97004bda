//! Finding what the tests need, and installing what is missing where that is allowed.

use crate::needs::{Apt, Means, NEEDS, Need, Probe, advice, plan};
use crate::shell;
use std::path::PathBuf;
use std::process::Command;

/// What was found, by the needs' names.
#[derive(Debug, Default)]
pub struct Ready {
    /// What is there, and where.
    pub found: Vec<(&'static str, PathBuf)>,
    /// What is not.
    pub missing: Vec<&'static str>,
}

impl Ready {
    /// Where a need was found.
    pub fn path(&self, name: &str) -> Option<&PathBuf> {
        self.found
            .iter()
            .find(|(found, _)| *found == name)
            .map(|(_, path)| path)
    }
}

/// Finds everything in the table, installs what may be installed, and reports. What is still missing then is an error if
/// `required`, and a named skip otherwise.
pub fn set_up(required: bool) -> Result<Ready, String> {
    println!("== set-up");
    let before: Vec<&Need> = NEEDS.iter().filter(|need| probe(need).is_none()).collect();
    let means = if before.is_empty() {
        Means {
            apt: Apt::Absent,
            rustup: false,
        }
    } else {
        means()
    };
    if !before.is_empty() {
        let names: Vec<&str> = before.iter().map(|need| need.name).collect();
        println!("missing: {}", names.join(", "));
        install(&before, means);
    }
    let mut ready = Ready::default();
    let mut left = Vec::new();
    for need in NEEDS {
        match probe(need) {
            Some(path) => {
                println!("  {:17} {}", need.name, path.display());
                ready.found.push((need.name, path));
            }
            None => {
                println!("  {:17} MISSING", need.name);
                ready.missing.push(need.name);
                left.push(advice(need, means));
            }
        }
    }
    for line in &left {
        println!("{line}");
    }
    match left.len() {
        0 => Ok(ready),
        _ if required => Err(format!(
            "the tests need what is missing here (how to get it is said above): {}",
            ready.missing.join(", ")
        )),
        _ => {
            println!("going on without; --require-drivers makes this an error");
            Ok(ready)
        }
    }
}

/// Where a need is, if it is there.
fn probe(need: &Need) -> Option<PathBuf> {
    match need.probe {
        Probe::File(patterns) => patterns.iter().find_map(|pattern| {
            shell::first_match(&pattern.replace("{arch}", std::env::consts::ARCH))
        }),
        // A rustup proxy is on the path even when the component behind it is not installed: only running it tells.
        Probe::Program("cc") => shell::program("cc"),
        Probe::Program(name) => {
            let path = shell::program(name)?;
            shell::output(Command::new(&path).arg("--version")).map(|_| path)
        }
        Probe::Target(name) => {
            let folder = shell::output(Command::new("rustc").args([
                "--print",
                "target-libdir",
                "--target",
                name,
            ]))?;
            Some(PathBuf::from(folder)).filter(|folder| folder.is_dir())
        }
    }
}

/// How this machine may install things.
fn means() -> Means {
    let root = || shell::output(Command::new("id").arg("-u")).as_deref() == Some("0");
    let sudo = || shell::output(Command::new("sudo").args(["-n", "true"])).is_some();
    let apt = match shell::program("apt-get") {
        None => Apt::Absent,
        Some(_) if root() => Apt::Root,
        Some(_) if sudo() => Apt::Sudo,
        Some(_) => Apt::NotAllowed,
    };
    Means {
        apt,
        rustup: shell::program("rustup").is_some(),
    }
}

fn install(missing: &[&Need], means: Means) {
    let plan = plan(missing, means);
    if !plan.packages.is_empty() {
        // A list that cannot be refreshed (a third repository that is down) often still names what we need.
        if !shell::succeeds(apt_get(means.apt).arg("update")) {
            println!("apt-get update failed; trying with the package lists there are");
        }
        let install = |names: &[&str]| {
            println!("installing {}", names.join(" "));
            shell::succeeds(
                apt_get(means.apt)
                    .args(["install", "-y", "--no-install-recommends"])
                    .args(names),
            )
        };
        if !install(&plan.packages) {
            println!("trying the packages one by one");
            for name in &plan.packages {
                install(&[name]);
            }
        }
    }
    for call in &plan.rustup {
        println!("rustup {}", call.join(" "));
        shell::succeeds(Command::new("rustup").args(call));
    }
}

fn apt_get(apt: Apt) -> Command {
    let mut command = if apt == Apt::Sudo {
        let mut command = Command::new("sudo");
        // sudo drops the environment, so the setting is part of its command line.
        command.args(["-n", "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]);
        command
    } else {
        let mut command = Command::new("apt-get");
        command.env("DEBIAN_FRONTEND", "noninteractive");
        command
    };
    // Fresh machines often run their own update at boot: wait for its lock; quiet, because progress bars fill logs.
    command.args([
        "-q",
        "-o",
        "DPkg::Lock::Timeout=300",
        "-o",
        "Dpkg::Use-Pty=0",
    ]);
    command
}
