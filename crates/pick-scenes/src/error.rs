//! The one error of this crate: what was wrong, where, and what would mend it.

use std::fmt;

/// What sort of thing went wrong; match on it to tell a typing mistake from a broken file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SceneErrorKind {
    /// The scene string is neither `builtin:NAME?key=value&…` nor a path to a .glb or .gltf file.
    BadSpec,
    /// There is no built-in scene of that name.
    UnknownScene,
    /// The built-in scene has no such key.
    UnknownKey,
    /// A value is not what its field allows.
    BadValue,
    /// A file could not be read.
    Read,
    /// A file is not what its name or header says it is.
    Format,
    /// A file, chunk or buffer ends before its data does.
    Truncated,
    /// The JSON text does not parse, or lacks what glTF asks of it.
    Json,
    /// An index names something that is not there.
    IndexOutOfRange,
    /// A range of bytes leaves what it lies in.
    ByteRange,
    /// Nodes do not form a tree.
    Hierarchy,
    /// A URI cannot be followed or decoded.
    Uri,
    /// The file needs something that this loader does not know.
    Unsupported,
    /// Reading it would take more memory than its size can account for.
    TooLarge,
}

/// Why a scene could not be had. `Display` names the file, the field and the fix.
#[derive(Debug)]
pub struct SceneError(Box<Inner>);

#[derive(Debug)]
struct Inner {
    kind: SceneErrorKind,
    file: Option<String>,
    field: String,
    problem: String,
    fix: String,
    source: Option<std::io::Error>,
}

impl SceneError {
    pub(crate) fn new(
        kind: SceneErrorKind,
        field: impl Into<String>,
        problem: impl Into<String>,
        fix: impl Into<String>,
    ) -> Self {
        Self(Box::new(Inner {
            kind,
            file: None,
            field: field.into(),
            problem: problem.into(),
            fix: fix.into(),
            source: None,
        }))
    }

    pub(crate) fn caused_by(mut self, source: std::io::Error) -> Self {
        self.0.source = Some(source);
        self
    }

    /// Names the file, unless an inner call (of a buffer beside it, say) has named one already.
    pub(crate) fn in_file(mut self, file: &str) -> Self {
        if self.0.file.is_none() {
            self.0.file = Some(file.to_owned());
        }
        self
    }

    /// What sort of thing went wrong.
    pub fn kind(&self) -> SceneErrorKind {
        self.0.kind
    }

    /// The file it was found in; none for a scene string.
    pub fn file(&self) -> Option<&str> {
        self.0.file.as_deref()
    }

    /// The field at fault: `accessors[3].byteOffset` of a glTF file, `count` of a scene string.
    pub fn field(&self) -> &str {
        &self.0.field
    }

    /// What is wrong with it.
    pub fn problem(&self) -> &str {
        &self.0.problem
    }

    /// What would mend it.
    pub fn fix(&self) -> &str {
        &self.0.fix
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.0.file {
            write!(f, "{file}: ")?;
        }
        write!(f, "{}: {}; {}", self.0.field, self.0.problem, self.0.fix)
    }
}

impl std::error::Error for SceneError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source.as_ref().map(|e| e as _)
    }
}
