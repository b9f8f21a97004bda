//! What a scene string may say after the question mark.

use std::fmt;

use crate::error::{SceneError, SceneErrorKind};

/// A key of a built-in scene.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// What stands before the equals sign.
    pub name: &'static str,
    /// What it does.
    pub about: &'static str,
    /// Its value where the scene string does not give one.
    pub default: u64,
    /// Which values it takes.
    pub range: KeyRange,
}

/// The values that a [`Key`] takes; `Display` says them to a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyRange {
    /// Any whole number from `min` to `max`, both included.
    Whole {
        /// The least.
        min: u64,
        /// The greatest.
        max: u64,
    },
    /// Any even number from `min` to `max`, both included.
    Even {
        /// The least.
        min: u64,
        /// The greatest.
        max: u64,
    },
    /// `true` (or 1) and `false` (or 0).
    Switch,
}

impl fmt::Display for KeyRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Whole {
                min: 0,
                max: u64::MAX,
            } => write!(f, "a whole number of 64 bits"),
            Self::Whole { min, max } => write!(f, "a whole number from {min} to {max}"),
            Self::Even { min, max } => write!(f, "an even number from {min} to {max}"),
            Self::Switch => write!(f, "true or false"),
        }
    }
}

impl Key {
    /// The key that every scene with randomness in it has.
    pub(super) const SEED: Self = Self {
        name: "seed",
        about: "what the random numbers start from",
        default: 1,
        range: KeyRange::Whole {
            min: 0,
            max: u64::MAX,
        },
    };

    /// The default as a scene string would spell it.
    pub fn default_text(&self) -> String {
        self.spell(self.default)
    }

    fn spell(&self, value: u64) -> String {
        match self.range {
            KeyRange::Switch => (value != 0).to_string(),
            _ => value.to_string(),
        }
    }

    fn parse(&self, text: &str) -> Result<u64, SceneError> {
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let value = match (self.range, text) {
            (KeyRange::Switch, "true" | "1") => Some(1),
            (KeyRange::Switch, "false" | "0") => Some(0),
            (KeyRange::Switch, _) => None,
            (KeyRange::Whole { min, max }, _) if digits => {
                text.parse().ok().filter(|v| (min..=max).contains(v))
            }
            (KeyRange::Even { min, max }, _) if digits => text
                .parse()
                .ok()
                .filter(|v| (min..=max).contains(v) && v % 2 == 0),
            _ => None,
        };
        value.ok_or_else(|| {
            SceneError::new(
                SceneErrorKind::BadValue,
                self.name,
                format!("{text:?} is not a value of this key"),
                format!("use {}", self.range),
            )
        })
    }
}

/// The keys of one scene with their values, defaults filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Values(Vec<(&'static str, u64)>);

impl Values {
    /// Reads `key=value&key=value`.
    pub(crate) fn parse(scene: &super::Builtin, text: &str) -> Result<Self, SceneError> {
        let mut given: Vec<Option<u64>> = vec![None; scene.keys.len()];
        for pair in text.split('&').filter(|p| !p.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let known = scene.keys.iter().position(|k| k.name == name);
            let Some(at) = known else {
                let names: Vec<_> = scene.keys.iter().map(|k| k.name).collect();
                return Err(SceneError::new(
                    SceneErrorKind::UnknownKey,
                    name,
                    format!("the scene {} has no such key", scene.name),
                    format!("use {}", names.join(", ")),
                ));
            };
            let value = scene.keys[at].parse(value)?;
            if given[at].replace(value).is_some() {
                return Err(SceneError::new(
                    SceneErrorKind::BadValue,
                    name,
                    "the key is given twice",
                    "give it once",
                ));
            }
        }
        let keys = scene.keys.iter().zip(given);
        Ok(Self(
            keys.map(|(k, v)| (k.name, v.unwrap_or(k.default)))
                .collect(),
        ))
    }

    /// The value of a key that the scene's own table has.
    pub(super) fn get(&self, name: &str) -> u64 {
        self.0
            .iter()
            .find(|(k, _)| *k == name)
            .map_or(0, |&(_, v)| v)
    }

    /// As a scene string would spell them, every key said.
    pub(crate) fn spell(&self, scene: &super::Builtin) -> String {
        let pairs = scene
            .keys
            .iter()
            .map(|k| format!("{}={}", k.name, k.spell(self.get(k.name))));
        pairs.collect::<Vec<_>>().join("&")
    }
}
