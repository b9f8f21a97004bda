//! Ranges of bytes: buffer views, elements in them, and the elements that a sparse accessor replaces.

use gltf_json::validation::Checked;

use super::super::Result;
use super::super::components::{size, whole};
use super::{Accessors, bad};
use crate::error::{SceneError, SceneErrorKind};

/// The elements that a sparse accessor replaces.
pub(super) struct Sparse<'a> {
    pub(super) indices: Vec<u32>,
    pub(super) values: &'a [u8],
}

impl<'a> Accessors<'a> {
    /// The bytes of a buffer view, and its stride if it has one.
    pub(super) fn view(&self, index: usize, used_by: &str) -> Result<(&'a [u8], Option<usize>)> {
        let view = self.document.view(index, || used_by.to_owned())?;
        let at = |field: &str| format!("bufferViews[{index}].{field}");
        let buffers = &self.buffers.list;
        let buffer = buffers.get(view.buffer.value()).ok_or_else(|| {
            super::super::out_of_range(at("buffer"), view.buffer.value(), "buffers", buffers.len())
        })?;
        let bytes = buffer.get();
        let offset = view.byte_offset.map_or(0, |o| o.0);
        let end = offset.checked_add(view.byte_length.0);
        let slice = end
            .filter(|&end| end <= bytes.len() as u64)
            .and_then(|end| bytes.get(usize::try_from(offset).ok()?..usize::try_from(end).ok()?));
        let Some(slice) = slice else {
            return Err(SceneError::new(
                SceneErrorKind::ByteRange,
                at("byteLength"),
                format!(
                    "{} bytes from byte {offset} on leave buffer {}, which has {}",
                    view.byte_length.0,
                    view.buffer.value(),
                    bytes.len()
                ),
                "write a range inside the buffer",
            ));
        };
        match view.byte_stride {
            Some(stride) if !(4..=252).contains(&stride.0) => Err(bad(
                at("byteStride"),
                &format!("{} is not from 4 to 252", stride.0),
                "write the distance from one element to the next, or leave it out",
            )),
            stride => Ok((slice, stride.map(|s| s.0))),
        }
    }

    pub(super) fn sparse(
        &self,
        index: usize,
        sparse: &gltf_json::accessor::sparse::Sparse,
        count: usize,
        each: usize,
    ) -> Result<Sparse<'a>> {
        let at = |field: &str| format!("accessors[{index}].sparse.{field}");
        let replaced = usize::try_from(sparse.count.0).ok().filter(|&n| n <= count);
        let Some(replaced) = replaced else {
            let problem = format!(
                "{} are more than the accessor's {count} elements",
                sparse.count.0
            );
            return Err(bad(
                at("count"),
                &problem,
                "write how many elements are replaced",
            ));
        };
        let Checked::Valid(component) = sparse.indices.component_type else {
            let problem = "it is no type of an index";
            return Err(bad(
                at("indices.componentType"),
                problem,
                "write 5121, 5123 or 5125",
            ));
        };
        let component = component.0;
        let (bytes, _) = self.view(
            sparse.indices.buffer_view.value(),
            &at("indices.bufferView"),
        )?;
        let offset = sparse.indices.byte_offset.0;
        let step = size(component);
        let bytes = span(bytes, offset, replaced, step, step, || {
            at("indices.byteOffset")
        })?;
        self.charge(replaced, 4, || at("count"))?;
        let indices: Vec<u32> = bytes
            .chunks_exact(step)
            .take(replaced)
            .map(|b| whole(b, 0, component))
            .collect();
        let rising = indices.windows(2).all(|w| w[0] < w[1]);
        if !rising || indices.last().is_some_and(|&last| last as usize >= count) {
            return Err(SceneError::new(
                SceneErrorKind::IndexOutOfRange,
                at("indices"),
                format!("they do not rise from one to the next below {count}"),
                "list each replaced element once, in order",
            ));
        }
        let (bytes, _) = self.view(sparse.values.buffer_view.value(), &at("values.bufferView"))?;
        let offset = sparse.values.byte_offset.0;
        let values = span(bytes, offset, replaced, each, each, || {
            at("values.byteOffset")
        })?;
        Ok(Sparse { indices, values })
    }
}

/// The bytes of `count` elements from an offset on.
pub(super) fn span(
    bytes: &[u8],
    offset: u64,
    count: usize,
    stride: usize,
    each: usize,
    field: impl Fn() -> String,
) -> Result<&[u8]> {
    let reach = match count.checked_sub(1) {
        None => Some(0),
        Some(gaps) => (gaps as u64)
            .checked_mul(stride as u64)
            .and_then(|g| g.checked_add(each as u64)),
    };
    let end = reach
        .and_then(|r| r.checked_add(offset))
        .filter(|&e| e <= bytes.len() as u64);
    let slice =
        end.and_then(|end| bytes.get(usize::try_from(offset).ok()?..usize::try_from(end).ok()?));
    slice.ok_or_else(|| {
        SceneError::new(
            SceneErrorKind::ByteRange,
            field(),
            format!(
                "{count} elements from byte {offset} on, {stride} bytes apart, leave the buffer \
                 view, which has {} bytes",
                bytes.len()
            ),
            "write a range inside the buffer view",
        )
    })
}
