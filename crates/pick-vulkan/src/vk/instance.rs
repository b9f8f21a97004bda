//! The loader and the instance: ours, or a host's.

use std::ffi::CStr;

use ash::vk;
use pick_core::{Capability, PickError};

use super::error::refused;
use super::messages::Messages;

/// An instance. One of ours is destroyed with this value, and its library is unloaded after that.
pub(crate) struct Instance {
    pub(super) raw: ash::Instance,
    own: Option<Own>,
}

struct Own {
    messenger: Option<Messenger>,
    /// Dropped last: the library's functions end with it.
    _entry: ash::Entry,
}

struct Messenger {
    functions: ash::ext::debug_utils::Instance,
    raw: vk::DebugUtilsMessengerEXT,
    messages: Messages,
}

const VALIDATION_LAYER: &CStr = c"VK_LAYER_KHRONOS_validation";

impl Instance {
    /// A host's.
    pub(super) fn borrowed(raw: ash::Instance) -> Self {
        Self { raw, own: None }
    }

    /// One of our own, with the validation layer on demand.
    ///
    /// # Errors
    /// `Unsupported` (device) without a loader, a driver, Vulkan 1.3, or the layer that is asked for.
    pub(crate) fn create(validation: bool) -> Result<Self, PickError> {
        // SAFETY: the platform's Vulkan loader runs no code of its own at loading that could break
        // ours; the library stays loaded as long as the entry, which `Own` drops last.
        let loaded = unsafe { ash::Entry::load() };
        let entry = loaded.map_err(no_loader)?;
        Self::on(entry, validation)
    }

    fn on(entry: ash::Entry, validation: bool) -> Result<Self, PickError> {
        // SAFETY: the entry is loaded.
        let version = unsafe { entry.try_enumerate_instance_version() };
        let version = version.ok().flatten().unwrap_or(vk::API_VERSION_1_0);
        if version < vk::API_VERSION_1_3 {
            return Err(PickError::unsupported(
                Capability::Device,
                format!("the Vulkan loader is of {}, 1.3 is needed", dotted(version)),
            ));
        }
        if validation && !has_layer(&entry) {
            return Err(PickError::unsupported(
                Capability::Device,
                "the Khronos validation layer is asked for and not installed",
            ));
        }
        let messages = validation.then(Messages::default);
        let raw = create(&entry, messages.as_ref())?;
        let mut instance = Self {
            raw,
            own: Some(Own {
                messenger: None,
                _entry: entry,
            }),
        };
        if let (Some(messages), Some(own)) = (messages, &mut instance.own) {
            let functions = ash::ext::debug_utils::Instance::new(&own._entry, &instance.raw);
            // SAFETY: the extension is enabled; the list lives in `Messenger` until the messenger is
            // destroyed (invariant 9).
            let made =
                unsafe { functions.create_debug_utils_messenger(&messages.messenger(), None) };
            own.messenger = Some(Messenger {
                raw: made.map_err(|result| refused("a debug messenger", result))?,
                functions,
                messages,
            });
        }
        Ok(instance)
    }

    /// What the validation layer has said, where it is on.
    pub(crate) fn messages(&self) -> Option<&Messages> {
        let messenger = self.own.as_ref()?.messenger.as_ref()?;
        Some(&messenger.messages)
    }

    /// The physical devices, in the loader's order.
    ///
    /// # Errors
    /// `Unsupported` (device) when there are none, or their drivers do not start.
    pub(crate) fn physical_devices(&self) -> Result<Vec<vk::PhysicalDevice>, PickError> {
        // SAFETY: the instance lives.
        let found = unsafe { self.raw.enumerate_physical_devices() };
        match found {
            Ok(found) if !found.is_empty() => Ok(found),
            Ok(_) => Err(no_driver("no Vulkan driver offers a device")),
            Err(result) => Err(no_driver(&format!("no Vulkan driver starts: {result:?}"))),
        }
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        let Some(own) = &mut self.own else {
            return;
        };
        // SAFETY: invariant 2: whatever was made of the instance is gone, since devices hold it; both
        // are destroyed once.
        unsafe {
            if let Some(messenger) = &own.messenger {
                messenger
                    .functions
                    .destroy_debug_utils_messenger(messenger.raw, None);
            }
            self.raw.destroy_instance(None);
        }
    }
}

fn create(entry: &ash::Entry, messages: Option<&Messages>) -> Result<ash::Instance, PickError> {
    let application = vk::ApplicationInfo::default()
        .application_name(c"pick")
        .engine_name(c"pick")
        .api_version(vk::API_VERSION_1_3);
    let mut info = vk::InstanceCreateInfo::default().application_info(&application);
    let layers = [VALIDATION_LAYER.as_ptr()];
    let extensions = [
        ash::ext::debug_utils::NAME.as_ptr(),
        ash::ext::validation_features::NAME.as_ptr(),
    ];
    let checks = [
        vk::ValidationFeatureEnableEXT::SYNCHRONIZATION_VALIDATION,
        vk::ValidationFeatureEnableEXT::BEST_PRACTICES,
    ];
    let mut features = vk::ValidationFeaturesEXT::default().enabled_validation_features(&checks);
    let mut messenger = messages.map(Messages::messenger);
    if let Some(messenger) = &mut messenger {
        info = info
            .enabled_layer_names(&layers)
            .enabled_extension_names(&extensions)
            .push_next(&mut features)
            .push_next(messenger);
    }
    // SAFETY: everything that `info` points to lives until the call returns; the list of messages does
    // also afterwards (invariant 9).
    let created = unsafe { entry.create_instance(&info, None) };
    created.map_err(|result| match result {
        vk::Result::ERROR_INCOMPATIBLE_DRIVER => no_driver("no Vulkan driver is here"),
        vk::Result::ERROR_LAYER_NOT_PRESENT | vk::Result::ERROR_EXTENSION_NOT_PRESENT => {
            no_driver("the validation layer lacks what is asked of it")
        }
        other => refused("a Vulkan instance", other),
    })
}

fn has_layer(entry: &ash::Entry) -> bool {
    // SAFETY: the entry is loaded.
    let layers = unsafe { entry.enumerate_instance_layer_properties() };
    let named = |layer: &vk::LayerProperties| layer.layer_name_as_c_str() == Ok(VALIDATION_LAYER);
    layers.is_ok_and(|layers| layers.iter().any(named))
}

fn no_loader(error: ash::LoadingError) -> PickError {
    no_driver(&format!("there is no Vulkan loader: {error}"))
}

fn no_driver(why: &str) -> PickError {
    PickError::unsupported(Capability::Device, why.to_owned())
}

/// A version as people write it.
pub(crate) fn dotted(version: u32) -> String {
    format!(
        "{}.{}.{}",
        vk::api_version_major(version),
        vk::api_version_minor(version),
        vk::api_version_patch(version)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_without_a_loader_is_told_by_type() {
        // SAFETY: no such library is here, so nothing is run.
        let loaded = unsafe { ash::Entry::load_from("no-such-vulkan-loader.so.1") };
        let error = loaded.map(drop).map_err(no_loader).unwrap_err();
        assert!(error.is_unsupported(), "{error}");
        assert!(error.to_string().contains("no Vulkan loader"), "{error}");
    }
}
