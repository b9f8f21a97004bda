use pick_wgpu::{Selector, WgpuBackend};

/// A software driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    Lavapipe,
    SwiftShader,
    Gl,
}

impl Driver {
    fn name(self) -> &'static str {
        match self {
            Self::Lavapipe => "lavapipe",
            Self::SwiftShader => "swiftshader",
            Self::Gl => "gl",
        }
    }

    fn api(self) -> wgpu::Backend {
        match self {
            Self::Lavapipe | Self::SwiftShader => wgpu::Backend::Vulkan,
            Self::Gl => wgpu::Backend::Gl,
        }
    }

    fn adapter_name(self) -> &'static str {
        match self {
            Self::Lavapipe | Self::Gl => "llvmpipe",
            Self::SwiftShader => "swiftshader",
        }
    }

    /// Runs a trial where the driver is here.
    pub fn run(self, trial: impl FnOnce(Self)) {
        if self.adapter().is_some() {
            return trial(self);
        }
        let demanded = std::env::var("PICK_REQUIRE_DRIVERS").unwrap_or_default();
        let needed = demanded.split(',').any(|name| name.trim() == self.name());
        assert!(!needed, "{} is demanded, but not here", self.name());
        eprintln!("skipped: {} is not here", self.name());
    }

    /// A device of the library's own.
    pub fn backend(self) -> WgpuBackend {
        let selector = Selector::any()
            .named(self.adapter_name())
            .backend(self.api());
        WgpuBackend::headless_blocking(&selector).expect("the driver opens")
    }

    /// The adapter as a host sees it.
    pub fn adapter(self) -> Option<wgpu::Adapter> {
        let mut descriptor = wgpu::InstanceDescriptor::new_without_display_handle();
        descriptor.backends = self.api().into();
        descriptor.flags = wgpu::InstanceFlags::empty();
        let instance = wgpu::Instance::new(descriptor);
        let found = pollster::block_on(instance.enumerate_adapters(self.api().into()));
        found.into_iter().find(|adapter| {
            let name = adapter.get_info().name.to_lowercase();
            name.contains(self.adapter_name())
        })
    }

    /// A device of a host's, made as a host makes it.
    pub fn host(self) -> Host {
        self.host_with(|_| {})
    }

    /// A device of a host's with a change to what is asked for.
    pub fn host_with(self, change: impl FnOnce(&mut wgpu::DeviceDescriptor<'_>)) -> Host {
        let adapter = self.adapter().expect("the driver is here");
        let mut descriptor = wgpu::DeviceDescriptor {
            required_features: WgpuBackend::wanted_features(&adapter),
            required_limits: wgpu::Limits::defaults().or_worse_values_from(&adapter.limits()),
            ..Default::default()
        };
        change(&mut descriptor);
        let (device, queue) =
            pollster::block_on(adapter.request_device(&descriptor)).expect("a device");
        Host {
            adapter,
            device,
            queue,
        }
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
            Self::Lavapipe | Self::Gl => 1e-5,
        }
    }
}

/// A host's device.
pub struct Host {
    pub adapter: wgpu::Adapter,
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
}

impl Host {
    pub fn backend(&self) -> WgpuBackend {
        WgpuBackend::new(&self.adapter, self.device.clone(), self.queue.clone())
            .expect("the backend takes the device")
    }

    /// Another device of the same adapter.
    pub fn another(&self) -> Self {
        let opened = self
            .adapter
            .request_device(&wgpu::DeviceDescriptor::default());
        let (device, queue) = pollster::block_on(opened).expect("a second device");
        Self {
            adapter: self.adapter.clone(),
            device,
            queue,
        }
    }

    /// A buffer with contents.
    pub fn buffer(&self, contents: &[u8], usage: wgpu::BufferUsages) -> wgpu::Buffer {
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: (contents.len() as u64).next_multiple_of(4),
            usage: usage | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let mut padded = contents.to_vec();
        padded.resize(buffer.size() as usize, 0);
        self.queue.write_buffer(&buffer, 0, &padded);
        buffer
    }
}
