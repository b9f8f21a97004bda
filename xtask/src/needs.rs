//! What the tests need beyond cargo, as a table: how to tell that it is there, where it comes from, and what cannot be
//! shown without it.

/// One thing the tests need.
#[derive(Debug)]
pub struct Need {
    /// The name that steps, reports and `PICK_REQUIRE_DRIVERS` use.
    pub name: &'static str,
    /// What cannot be shown without it.
    pub without: &'static str,
    /// How to tell that it is there.
    pub probe: Probe,
    /// Where it comes from.
    pub source: Source,
}

/// How to tell that something is there.
#[derive(Debug)]
pub enum Probe {
    /// The first file one of these patterns names; `{arch}` stands for the processor's name.
    File(&'static [&'static str]),
    /// A program on the search path.
    Program(&'static str),
    /// A compilation target's standard library.
    Target(&'static str),
}

/// Where something comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// Debian packages.
    Apt(&'static [&'static str]),
    /// A compilation target of rustup.
    Target(&'static str),
    /// A component of rustup.
    Component(&'static str),
}

/// The target of the web.
pub const WEB: &str = "wasm32-unknown-unknown";

/// Everything the tests need. The driver files are looked for instead of the packages, so that a driver that came some
/// other way counts too.
pub const NEEDS: &[Need] = &[
    Need {
        name: "linker",
        without: "nothing can be built",
        probe: Probe::Program("cc"),
        source: Source::Apt(&["gcc", "libc6-dev"]),
    },
    Need {
        name: "rustfmt",
        without: "the formatting is not checked",
        probe: Probe::Program("rustfmt"),
        source: Source::Component("rustfmt"),
    },
    Need {
        name: "clippy",
        without: "the lints are not checked",
        probe: Probe::Program("cargo-clippy"),
        source: Source::Component("clippy"),
    },
    Need {
        name: "web-target",
        without: "it is not checked that the crates meant for the web compile for it",
        probe: Probe::Target(WEB),
        source: Source::Target(WEB),
    },
    Need {
        name: "vulkan-loader",
        without: "no Vulkan driver can be tested",
        probe: Probe::File(&[
            "/usr/lib/{arch}-linux-gnu*/libvulkan.so.1",
            "/usr/lib64/libvulkan.so.1",
            "/usr/lib/libvulkan.so.1",
        ]),
        source: Source::Apt(&["libvulkan1"]),
    },
    Need {
        name: "lavapipe",
        without: "the Vulkan driver with a primitive index is not tested",
        probe: Probe::File(&[
            "/usr/share/vulkan/icd.d/lvp_icd.{arch}.json",
            "/usr/share/vulkan/icd.d/lvp_icd*.json",
            "/etc/vulkan/icd.d/lvp_icd*.json",
        ]),
        source: Source::Apt(&["mesa-vulkan-drivers"]),
    },
    Need {
        name: "swiftshader",
        without: "the Vulkan driver without a primitive index is not tested",
        probe: Probe::File(&[
            "/usr/lib/chromium/vk_swiftshader_icd.json",
            "/usr/lib64/chromium-browser/vk_swiftshader_icd.json",
            "/usr/lib/chromium-browser/vk_swiftshader_icd.json",
            "/opt/google/chrome/vk_swiftshader_icd.json",
        ]),
        source: Source::Apt(&["chromium-common"]),
    },
    Need {
        name: "validation-layer",
        without: "the validation layer does not watch the Vulkan calls",
        probe: Probe::File(&[
            "/usr/share/vulkan/explicit_layer.d/VkLayer_khronos_validation.json",
            "/etc/vulkan/explicit_layer.d/VkLayer_khronos_validation.json",
        ]),
        source: Source::Apt(&["vulkan-validationlayers"]),
    },
    Need {
        name: "egl",
        without: "no GL driver can be tested",
        probe: Probe::File(&[
            "/usr/lib/{arch}-linux-gnu*/libEGL.so.1",
            "/usr/lib64/libEGL.so.1",
            "/usr/lib/libEGL.so.1",
        ]),
        source: Source::Apt(&["libegl1"]),
    },
    Need {
        name: "gl",
        without: "the GL software driver is not tested",
        probe: Probe::File(&[
            "/usr/lib/{arch}-linux-gnu*/dri/swrast_dri.so",
            "/usr/lib/{arch}-linux-gnu*/libgallium-*.so",
            "/usr/lib64/dri/swrast_dri.so",
            "/usr/lib64/libgallium-*.so",
            "/usr/lib/dri/swrast_dri.so",
        ]),
        source: Source::Apt(&["libgl1-mesa-dri", "libegl-mesa0"]),
    },
];

/// How this machine may install Debian packages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Apt {
    /// We are root.
    Root,
    /// Through sudo, which asks for no password.
    Sudo,
    /// There is apt-get, but we may not.
    NotAllowed,
    /// There is no apt-get.
    Absent,
}

/// How this machine may install things.
#[derive(Clone, Copy, Debug)]
pub struct Means {
    /// Debian packages.
    pub apt: Apt,
    /// Whether there is a rustup.
    pub rustup: bool,
}

/// What to run to get what is missing. Installations are tried together first, and one by one if that fails: one package
/// that cannot be had must not take the others along.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The packages that may be installed.
    pub packages: Vec<&'static str>,
    /// The rustup calls that may be made.
    pub rustup: Vec<Vec<&'static str>>,
}

/// Decides what may be installed here of what is missing.
pub fn plan(missing: &[&Need], means: Means) -> Plan {
    let mut plan = Plan::default();
    for need in missing {
        match need.source {
            Source::Apt(names) if matches!(means.apt, Apt::Root | Apt::Sudo) => {
                for name in names {
                    if !plan.packages.contains(name) {
                        plan.packages.push(name);
                    }
                }
            }
            Source::Target(name) if means.rustup => plan.rustup.push(vec!["target", "add", name]),
            Source::Component(name) if means.rustup => {
                plan.rustup.push(vec!["component", "add", name])
            }
            _ => {}
        }
    }
    plan
}

/// How a person gets what is missing: one line each, a reason first where it could not be installed from here.
pub fn advice(need: &Need, means: Means) -> String {
    let how = match (need.source, means.apt) {
        (Source::Apt(names), Apt::Absent) => {
            format!(
                "there is no apt-get here; Debian has it in: {}",
                names.join(" ")
            )
        }
        (Source::Apt(names), Apt::NotAllowed) => {
            format!(
                "this needs root: sudo apt-get install --no-install-recommends {}",
                names.join(" ")
            )
        }
        (Source::Apt(names), _) => format!(
            "apt-get install --no-install-recommends {}",
            names.join(" ")
        ),
        (Source::Target(name), _) if means.rustup => format!("rustup target add {name}"),
        (Source::Component(name), _) if means.rustup => format!("rustup component add {name}"),
        (Source::Target(name) | Source::Component(name), _) => {
            format!("there is no rustup here; the Rust toolchain needs: {name}")
        }
    };
    format!("{} is missing ({}): {how}", need.name, need.without)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn needs(names: &[&str]) -> Vec<&'static Need> {
        NEEDS
            .iter()
            .filter(|need| names.contains(&need.name))
            .collect()
    }

    #[test]
    fn nothing_missing_needs_nothing() {
        assert_eq!(
            plan(
                &[],
                Means {
                    apt: Apt::Root,
                    rustup: true
                }
            ),
            Plan::default()
        );
    }

    #[test]
    fn root_and_passwordless_sudo_install_packages() {
        let missing = needs(&["lavapipe", "gl", "web-target", "clippy"]);
        for apt in [Apt::Root, Apt::Sudo] {
            let plan = plan(&missing, Means { apt, rustup: true });
            assert_eq!(
                plan.packages,
                ["mesa-vulkan-drivers", "libgl1-mesa-dri", "libegl-mesa0"]
            );
            assert_eq!(
                plan.rustup,
                [["component", "add", "clippy"], ["target", "add", WEB]]
            );
        }
    }

    #[test]
    fn where_it_may_not_it_installs_nothing_and_says_how() {
        let missing = needs(&["swiftshader", "web-target"]);
        let means = Means {
            apt: Apt::NotAllowed,
            rustup: false,
        };
        assert_eq!(plan(&missing, means), Plan::default());
        let lines: Vec<String> = missing.iter().map(|need| advice(need, means)).collect();
        let swiftshader = lines
            .iter()
            .find(|line| line.starts_with("swiftshader"))
            .unwrap();
        assert!(
            swiftshader.contains("sudo apt-get install --no-install-recommends chromium-common")
        );
        let web = lines
            .iter()
            .find(|line| line.starts_with("web-target"))
            .unwrap();
        assert!(web.contains("no rustup") && web.contains(WEB));
    }

    #[test]
    fn without_apt_the_packages_are_still_named() {
        let means = Means {
            apt: Apt::Absent,
            rustup: true,
        };
        let lavapipe = needs(&["lavapipe"]);
        assert_eq!(plan(&lavapipe, means), Plan::default());
        assert!(advice(lavapipe[0], means).contains("mesa-vulkan-drivers"));
    }

    #[test]
    fn names_are_unique() {
        for (index, need) in NEEDS.iter().enumerate() {
            assert!(
                NEEDS[..index].iter().all(|other| other.name != need.name),
                "{} is named twice",
                need.name
            );
        }
    }
}
