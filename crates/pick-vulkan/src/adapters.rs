//! Which devices are here, and opening one where there is no host.

use ash::vk;
use pick_core::{Capability, PickError};

use crate::VulkanBackend;
use crate::conv;
use crate::vk::{Device, Instance, Physical, dotted};

/// A device that the Vulkan loader reaches.
#[derive(Clone, Debug)]
pub struct AdapterDescription {
    /// Its place in the loader's order, for [`Selector::at_index`].
    pub index: usize,
    /// What the driver calls the device.
    pub name: String,
    /// The driver's name and version.
    pub driver: String,
    /// Its Vulkan version.
    pub api: String,
    /// Hardware or software.
    pub kind: vk::PhysicalDeviceType,
    /// It has the fragment stage's primitive-index builtin (`geometryShader`).
    pub primitive_index: bool,
    /// What it lacks, where it cannot be used.
    pub lacking: Option<String>,
}

/// Which device to open.
#[derive(Clone, Debug, Default)]
pub struct Selector {
    name_part: Option<String>,
    index: Option<usize>,
    validation: bool,
}

impl Selector {
    /// Any device: hardware first, software last.
    pub fn any() -> Self {
        Self::default()
    }

    /// Only devices with these words in their name or their driver's; case does not matter.
    pub fn named(mut self, part: impl Into<String>) -> Self {
        self.name_part = Some(part.into().to_lowercase());
        self
    }

    /// Only the device at this place in the loader's order.
    pub fn at_index(mut self, index: usize) -> Self {
        self.index = Some(index);
        self
    }

    /// With the Khronos validation layer, its synchronization and its best-practices checks. What it says
    /// is in [`VulkanBackend::messages`]. For tests: a pick takes several times as long.
    pub fn validated(mut self) -> Self {
        self.validation = true;
        self
    }

    fn takes(&self, index: usize, physical: &Physical) -> bool {
        let named = self.name_part.as_deref().is_none_or(|part| {
            let contains = |text: &str| text.to_lowercase().contains(part);
            contains(&physical.name) || contains(&physical.driver)
        });
        named && self.index.is_none_or(|wanted| wanted == index)
    }

    fn describe(&self) -> String {
        let name = self.name_part.as_deref().unwrap_or("any name");
        match self.index {
            Some(index) => format!("{name}, index {index}"),
            None => name.to_owned(),
        }
    }
}

/// All devices that the Vulkan loader finds here, in its order.
///
/// # Errors
/// `Unsupported` (device) without a loader or a driver.
pub fn adapters() -> Result<Vec<AdapterDescription>, PickError> {
    let instance = Instance::create(false)?;
    let found = instance.physical_devices()?;
    let described = found.into_iter().enumerate().map(|(index, raw)| {
        let physical = Physical::read(&instance, raw);
        let features = physical.features(&instance);
        let checked = features.check(&physical.name, physical.api_version);
        let checked = checked.and_then(|()| physical.graphics_family(&instance));
        AdapterDescription {
            index,
            driver: physical.driver.clone(),
            api: dotted(physical.api_version),
            kind: physical.kind,
            primitive_index: features.geometry_shader,
            lacking: checked.err().map(|error| error.to_string()),
            name: physical.name,
        }
    });
    Ok(described.collect())
}

impl VulkanBackend {
    /// Opens a device of our own, with what of our wishes it offers. Of several that fit, hardware comes
    /// first and software last; one that does not open is passed over.
    ///
    /// # Errors
    /// `Unsupported` (device) when nothing that fits opens, with the reason of the last.
    pub fn headless(selector: &Selector) -> Result<Self, PickError> {
        let instance = Instance::create(selector.validation)?;
        let all = instance.physical_devices()?.into_iter().enumerate();
        let all = all.map(|(index, raw)| (index, Physical::read(&instance, raw)));
        let mut fitting: Vec<_> = all
            .filter(|(index, physical)| selector.takes(*index, physical))
            .collect();
        fitting.sort_by_key(|(_, physical)| conv::preference(physical.kind));
        let mut why = PickError::unsupported(
            Capability::Device,
            format!("no device fits ({})", selector.describe()),
        );
        let mut instance = Some(instance);
        for (_, physical) in fitting {
            let features = match &instance {
                Some(instance) => physical.features(instance),
                None => continue,
            };
            if let Err(lacking) = features.check(&physical.name, physical.api_version) {
                why = lacking;
                continue;
            }
            // A device keeps its instance; the next one gets an instance of its own.
            let own = match instance.take() {
                Some(instance) => instance,
                None => Instance::create(selector.validation)?,
            };
            match Device::open(own, physical).and_then(Self::on) {
                Ok(backend) => return Ok(backend),
                Err(refused) => why = refused,
            }
        }
        Err(why)
    }
}
