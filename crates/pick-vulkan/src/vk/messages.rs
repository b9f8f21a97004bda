//! What the validation layer says, collected for tests and tools.

use std::ffi::{CStr, c_void};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ash::vk;

/// Messages of the validation layer that are no fault of this library's, and why.
pub const WAIVERS: [(&str, &str); 1] = [(
    "BestPractices-vkCreateInstance-specialuse-extension",
    "the debug messenger is a debugging extension, enabled to hear these very messages; newer layers \
     know that",
)];

/// What a validation layer has said. Clones share one list.
#[derive(Clone, Debug, Default)]
pub struct Messages {
    log: Arc<Mutex<Log>>,
}

#[derive(Debug, Default)]
struct Log {
    kept: Vec<String>,
    /// By waiver.
    waived: [u64; WAIVERS.len()],
}

impl Messages {
    /// All messages so far but those of [`WAIVERS`].
    pub fn all(&self) -> Vec<String> {
        self.lock().kept.clone()
    }

    /// How many messages each of [`WAIVERS`] has waived.
    pub fn waived(&self) -> [u64; WAIVERS.len()] {
        self.lock().waived
    }

    fn lock(&self) -> MutexGuard<'_, Log> {
        lock(&self.log)
    }

    /// How a messenger is made that tells this list. The list must outlive the messenger: a driver
    /// holds a plain pointer to it (invariant 9).
    pub(super) fn messenger(&self) -> vk::DebugUtilsMessengerCreateInfoEXT<'static> {
        use vk::DebugUtilsMessageSeverityFlagsEXT as Severity;
        use vk::DebugUtilsMessageTypeFlagsEXT as Kind;
        vk::DebugUtilsMessengerCreateInfoEXT::default()
            .message_severity(Severity::WARNING | Severity::ERROR)
            .message_type(Kind::VALIDATION | Kind::PERFORMANCE | Kind::GENERAL)
            .pfn_user_callback(Some(heard))
            .user_data(Arc::as_ptr(&self.log).cast_mut().cast())
    }
}

/// What the driver calls. It must not unwind, and does nothing that panics.
///
/// # Safety
/// As the specification says of the callback; `list` is the pointer that [`Messages::messenger`] gave.
unsafe extern "system" fn heard(
    _: vk::DebugUtilsMessageSeverityFlagsEXT,
    _: vk::DebugUtilsMessageTypeFlagsEXT,
    data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    list: *mut c_void,
) -> vk::Bool32 {
    if data.is_null() || list.is_null() {
        return vk::FALSE;
    }
    // SAFETY: the specification promises valid data during the call; strings in it are zero-ended or
    // null.
    let (id, text) = unsafe {
        let text = |at: *const std::ffi::c_char| match at.is_null() {
            true => String::new(),
            false => CStr::from_ptr(at).to_string_lossy().into_owned(),
        };
        (text((*data).p_message_id_name), text((*data).p_message))
    };
    // SAFETY: invariant 9: the list lives, and is shared behind its lock.
    let log = unsafe { &*list.cast_const().cast::<Mutex<Log>>() };
    hear(log, &id, &text);
    vk::FALSE
}

fn hear(log: &Mutex<Log>, id: &str, text: &str) {
    let waiver = WAIVERS.iter().position(|(part, _)| id.contains(part));
    let mut log = lock(log);
    match waiver.and_then(|at| log.waived.get_mut(at)) {
        Some(count) => *count += 1,
        None => log.kept.push(format!("{id}: {text}")),
    }
}

fn lock(log: &Mutex<Log>) -> MutexGuard<'_, Log> {
    // Every change is one assignment or one push.
    log.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_kept_but_waived_ones() {
        let messages = Messages::default();
        hear(&messages.log, "VUID-a", "b");
        hear(
            &messages.log,
            "UNASSIGNED-BestPractices-vkCreateInstance-specialuse-extension-debugging",
            "c",
        );
        assert_eq!(messages.all(), ["VUID-a: b"]);
        assert_eq!(messages.waived().iter().sum::<u64>(), 1);
    }
}
