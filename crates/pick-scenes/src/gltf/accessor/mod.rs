//! Accessors: where elements lie in the buffers, checked once, then read without a doubt.

mod range;

use std::cell::Cell;

use gltf_json::validation::Checked;

use super::buffers::Buffers;
use super::components::{Component, Shape, component_name, float, shape_name, size, whole, width};
use super::{Result, document::Document};
use crate::error::{SceneError, SceneErrorKind};
use range::{Sparse, span};

/// Memory that all decoding together may take: this much, and this many times what was read.
const BASE: u64 = 16 << 20;
const TIMES: u64 = 64;

/// Every accessor of a file.
pub(super) struct Accessors<'a> {
    document: &'a Document,
    buffers: &'a Buffers<'a>,
    limit: u64,
    left: Cell<u64>,
}

/// What the reader of an accessor can take.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'a> {
    /// The field that refers to the accessor, for errors.
    pub(super) used_by: &'a str,
    pub(super) shapes: &'a [Shape],
    /// Component types, and whether they are (or must not be) normalized; none if either will do.
    pub(super) components: &'a [(Component, Option<bool>)],
}

/// An accessor that has been checked.
pub(super) struct Elements<'a> {
    pub(super) count: usize,
    pub(super) component: Component,
    pub(super) normalized: bool,
    pub(super) width: usize,
    index: usize,
    /// Bytes from one element to the next, and the bytes from the first on; zeros if there are none.
    base: Option<(usize, &'a [u8])>,
    sparse: Option<Sparse<'a>>,
}

impl<'a> Accessors<'a> {
    pub(super) fn new(document: &'a Document, buffers: &'a Buffers<'a>, read: u64) -> Self {
        let limit = BASE.saturating_add(read.saturating_mul(TIMES));
        Self {
            document,
            buffers,
            limit,
            left: Cell::new(limit),
        }
    }

    /// Accounts for memory that is about to be taken.
    pub(super) fn charge(
        &self,
        count: usize,
        each: usize,
        field: impl Fn() -> String,
    ) -> Result<()> {
        let bytes = (count as u64).saturating_mul(each as u64);
        match self.left.get().checked_sub(bytes) {
            Some(left) => {
                self.left.set(left);
                Ok(())
            }
            None => Err(SceneError::new(
                SceneErrorKind::TooLarge,
                field(),
                format!(
                    "{bytes} bytes more than are accounted for: all that is decoded may take {}, \
                     by the size of the file",
                    self.limit
                ),
                "check the count, or split the file if many meshes share one large accessor",
            )),
        }
    }

    /// Finds an accessor and checks that every element of it is there.
    pub(super) fn find(&self, index: usize, wanted: Wanted<'_>) -> Result<Elements<'a>> {
        let accessor = self
            .document
            .accessor(index, || wanted.used_by.to_owned())?;
        let at = |field: &str| format!("accessors[{index}].{field}");
        let Checked::Valid(shape) = accessor.type_ else {
            return Err(bad(
                at("type"),
                "it is none of glTF's types",
                "write VEC3 or the like",
            ));
        };
        let Checked::Valid(component) = accessor.component_type else {
            let fix = "write 5120, 5121, 5122, 5123, 5125 or 5126";
            return Err(bad(
                at("componentType"),
                "it is none of glTF's component types",
                fix,
            ));
        };
        let component = component.0;
        if !wanted.shapes.contains(&shape) {
            let names: Vec<_> = wanted.shapes.iter().map(|&s| shape_name(s)).collect();
            let problem = format!("{} is not what {} takes", shape_name(shape), wanted.used_by);
            return Err(bad(
                at("type"),
                &problem,
                &format!("use {}", names.join(" or ")),
            ));
        }
        let fits = |&(c, n): &(Component, Option<bool>)| {
            c == component && (c == Component::F32 || n.is_none_or(|n| n == accessor.normalized))
        };
        if !wanted.components.iter().any(fits) {
            return Err(wrong_component(
                index,
                component,
                accessor.normalized,
                &wanted,
            ));
        }
        let count = usize::try_from(accessor.count.0)
            .ok()
            .filter(|&c| c <= u32::MAX as usize)
            .ok_or_else(|| {
                let problem = format!("{} elements are more than 32 bits count", accessor.count.0);
                SceneError::new(
                    SceneErrorKind::TooLarge,
                    at("count"),
                    problem,
                    "split the mesh",
                )
            })?;
        let each = size(component) * width(shape);
        let base = match accessor.buffer_view {
            None => None,
            Some(view) => {
                let field = at("bufferView");
                let (bytes, stride) = self.view(view.value(), &field)?;
                let stride = stride.unwrap_or(each);
                if stride < each {
                    return Err(bad(
                        format!("bufferViews[{}].byteStride", view.value()),
                        &format!("{stride} is less than the {each} bytes of an element of {field}"),
                        "write the distance from one element to the next",
                    ));
                }
                let offset = accessor.byte_offset.map_or(0, |o| o.0);
                let bytes = span(bytes, offset, count, stride, each, || at("byteOffset"))?;
                Some((stride, bytes))
            }
        };
        let sparse = match &accessor.sparse {
            None => None,
            Some(sparse) => Some(self.sparse(index, sparse, count, each)?),
        };
        let width = width(shape);
        let normalized = accessor.normalized && component != Component::F32;
        Ok(Elements {
            count,
            component,
            normalized,
            width,
            index,
            base,
            sparse,
        })
    }

    /// Every element as floats, finite ones: others are an error, or become 0 where `mend` counts them.
    pub(super) fn floats<const N: usize>(
        &self,
        elements: &Elements<'_>,
        mend: Option<&mut usize>,
    ) -> Result<Vec<[f32; N]>> {
        let index = elements.index;
        self.charge(elements.count, 4 * N, || {
            format!("accessors[{index}].count")
        })?;
        let width = elements.width.min(N);
        let mut list = elements.decode([0.0; N], |bytes| {
            let mut element = [0.0; N];
            for (k, number) in element.iter_mut().enumerate().take(width) {
                *number = float(bytes, k, elements.component, elements.normalized);
            }
            element
        });
        if elements.component != Component::F32 {
            return Ok(list);
        }
        let broken = |e: &[f32; N]| !e.iter().all(|x| x.is_finite());
        if let Some(first) = list.iter().position(broken) {
            let Some(mended) = mend else {
                return Err(bad(
                    format!("accessors[{index}]"),
                    &format!("element {first} is not finite"),
                    "write finite numbers",
                ));
            };
            for element in list.iter_mut().skip(first).filter(|e| broken(e)) {
                *element = [0.0; N];
                *mended += 1;
            }
        }
        Ok(list)
    }

    /// Every element as whole numbers.
    pub(super) fn wholes<const N: usize>(&self, elements: &Elements<'_>) -> Result<Vec<[u32; N]>> {
        let index = elements.index;
        self.charge(elements.count, 4 * N, || {
            format!("accessors[{index}].count")
        })?;
        let width = elements.width.min(N);
        Ok(elements.decode([0; N], |bytes| {
            let mut element = [0; N];
            for (k, number) in element.iter_mut().enumerate().take(width) {
                *number = whole(bytes, k, elements.component);
            }
            element
        }))
    }
}

impl Elements<'_> {
    fn decode<T: Copy>(&self, zero: T, read: impl Fn(&[u8]) -> T) -> Vec<T> {
        let each = self.width * size(self.component);
        let mut list = match self.base {
            None => vec![zero; self.count],
            Some((stride, bytes)) => bytes.chunks(stride).take(self.count).map(&read).collect(),
        };
        if let Some(sparse) = &self.sparse {
            for (&at, value) in sparse.indices.iter().zip(sparse.values.chunks_exact(each)) {
                if let Some(element) = list.get_mut(at as usize) {
                    *element = read(value);
                }
            }
        }
        list
    }
}

fn wrong_component(
    index: usize,
    component: Component,
    normalized: bool,
    wanted: &Wanted<'_>,
) -> SceneError {
    let name = |c: Component, n: Option<bool>| match n {
        Some(true) if c != Component::F32 => format!("{} normalized", component_name(c)),
        _ => component_name(c).to_owned(),
    };
    let names: Vec<_> = wanted.components.iter().map(|&(c, n)| name(c, n)).collect();
    let mut fix = format!("use {}", names.join(", "));
    if wanted.used_by.contains(".attributes.") {
        fix.push_str("; KHR_mesh_quantization, once the file says that it uses it, allows more");
    }
    bad(
        format!("accessors[{index}].componentType"),
        &format!(
            "{} is not what {} takes",
            name(component, Some(normalized)),
            wanted.used_by
        ),
        &fix,
    )
}

fn bad(field: String, problem: &str, fix: &str) -> SceneError {
    SceneError::new(SceneErrorKind::BadValue, field, problem, fix)
}
