use std::cell::RefCell;
use std::sync::{Arc, Mutex, OnceLock};

use pick_vulkan::{Messages, Selector, VulkanBackend, adapters};

use super::host::{Host, HostOptions};

/// A software driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    Lavapipe,
    SwiftShader,
}

/// What one layer has said.
#[derive(Clone)]
pub enum Heard {
    Library(Messages),
    Host(Arc<Mutex<Vec<String>>>),
}

impl Heard {
    pub fn all(&self) -> Vec<String> {
        match self {
            Self::Library(messages) => messages.all(),
            Self::Host(list) => list.lock().unwrap().clone(),
        }
    }
}

thread_local! {
    /// Of the trial that this thread runs.
    static HEARD: RefCell<Vec<Heard>> = const { RefCell::new(Vec::new()) };
}

/// What a layer says from now on fails the trial.
pub fn listen(heard: Heard) {
    HEARD.with_borrow_mut(|all| all.push(heard));
}

fn demanded(name: &str) -> bool {
    let demanded = std::env::var("PICK_REQUIRE_DRIVERS").unwrap_or_default();
    demanded.split(',').any(|found| found.trim() == name)
}

/// True where the validation layer is installed; all trials run under it then.
pub fn has_layer() -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    *HAS.get_or_init(|| {
        let has = VulkanBackend::headless(&Selector::any().validated()).is_ok();
        assert!(has || !demanded("validation"), "the layer is demanded");
        has
    })
}

impl Driver {
    pub fn name(self) -> &'static str {
        match self {
            Self::Lavapipe => "lavapipe",
            Self::SwiftShader => "swiftshader",
        }
    }

    pub fn adapter_name(self) -> &'static str {
        match self {
            Self::Lavapipe => "llvmpipe",
            Self::SwiftShader => "swiftshader",
        }
    }

    fn is_here(self) -> bool {
        let all = adapters().unwrap_or_default();
        let named = |name: &str| name.to_lowercase().contains(self.adapter_name());
        all.iter().any(|adapter| named(&adapter.name))
    }

    /// Runs a trial where the driver is here. The validation layer must stay silent over it, also while
    /// everything is destroyed.
    pub fn run(self, trial: impl FnOnce(Self)) {
        if !self.is_here() {
            assert!(!demanded(self.name()), "{} is demanded", self.name());
            return eprintln!("skipped: {} is not here", self.name());
        }
        HEARD.with_borrow_mut(Vec::clear);
        trial(self);
        let heard = HEARD.take();
        let messages: Vec<String> = heard.iter().flat_map(Heard::all).collect();
        assert!(messages.is_empty(), "{}", messages.join("\n"));
    }

    /// Runs something where the driver is here; what the layer says of it does not count.
    pub fn run_quietly(self, work: impl FnOnce(Self)) {
        if self.is_here() {
            let outer = HEARD.take();
            work(self);
            HEARD.set(outer);
        }
    }

    pub fn selector(self) -> Selector {
        let selector = Selector::any().named(self.adapter_name());
        match has_layer() {
            true => selector.validated(),
            false => selector,
        }
    }

    /// A device of the library's own.
    pub fn backend(self) -> VulkanBackend {
        let backend = VulkanBackend::headless(&self.selector()).expect("the driver opens");
        if let Some(messages) = backend.messages() {
            listen(Heard::Library(messages.clone()));
        }
        backend
    }

    /// A device of a host's, made as a host makes it.
    pub fn host(self) -> Host {
        self.host_with(HostOptions::default())
    }

    /// A device of a host's, with something else about it.
    pub fn host_with(self, options: HostOptions) -> Host {
        let host = Host::new(self, options);
        listen(Heard::Host(host.heard.clone()));
        host
    }

    /// True where the triangle's number is a builtin.
    pub fn has_builtin(self) -> bool {
        self != Self::SwiftShader
    }

    /// How far a depth may be off, relative to it.
    pub fn depth_tolerance(self) -> f64 {
        match self {
            // Measured: 4.5e-4.
            Self::SwiftShader => 1e-3,
            Self::Lavapipe => 1e-5,
        }
    }
}
