//! Opening the pixels of a batch in a depth target, so that nothing else is shaded.

use ash::vk;
use pick_core::PickError;
use pick_core::kit::ScratchKey;
use pick_shaders::mask;

use crate::bind::Binds;
use crate::device::Gpu;
use crate::pipelines::{PassFormats, compile};
use crate::vk::{
    Buffer, Layout, Pass, Pipeline, PipelineCache, PipelineLayout, PipelineParts, Set, Shader,
    Stencil,
};

/// What passes that draw only some pixels begin with.
#[derive(Default)]
pub(crate) struct Masks {
    made: Option<Made>,
    pipelines: Vec<(PassFormats, Pipeline)>,
    /// The last buffer of places that was bound.
    group: Option<(ScratchKey, Set)>,
}

struct Made {
    group: Layout,
    layout: PipelineLayout,
    shader: Shader,
}

impl Masks {
    /// Makes what a pass needs.
    ///
    /// # Errors
    /// `Broken` with the driver's words; `DeviceLost`.
    pub(crate) fn prepare(
        &mut self,
        gpu: &Gpu,
        binds: &mut Binds,
        cache: &PipelineCache,
        formats: PassFormats,
        (key, places): (ScratchKey, &Buffer),
    ) -> Result<(), PickError> {
        let made = match self.made.take() {
            Some(made) => made,
            None => make(gpu)?,
        };
        let made = self.made.insert(made);
        if self.group.as_ref().is_none_or(|(known, _)| *known != key) {
            self.group = Some((key, binds.places(gpu, &made.group, places)?));
        }
        if !self.pipelines.iter().any(|(of, _)| *of == formats) {
            let physical = &gpu.device.physical;
            let colors = formats.colors;
            let colors = colors.map(|f| f.map_or(vk::Format::UNDEFINED, |f| physical.format(f)));
            let parts = PipelineParts {
                shader: &made.shader,
                layout: &made.layout,
                strides: [None; 3],
                colors: &colors[..formats.color_count()],
                depth: physical.format(formats.depth),
                has_stencil: formats.depth.has_stencil(),
                compare: vk::CompareOp::ALWAYS,
                stencil: Stencil::Off,
                opens: true,
            };
            let pipeline = Pipeline::new(&gpu.device, cache, &parts)?;
            self.pipelines.push((formats, pipeline));
        }
        Ok(())
    }

    /// Draws it; what is bound changes.
    ///
    /// # Errors
    /// `Broken` when it was not prepared.
    pub(crate) fn draw(
        &self,
        pass: &mut Pass<'_>,
        formats: PassFormats,
        count: u32,
    ) -> Result<(), PickError> {
        let gone = || PickError::broken("a mask went away"); // cannot happen: it was prepared
        let pipeline = self.pipelines.iter().find(|(of, _)| *of == formats);
        let (_, pipeline) = pipeline.ok_or_else(gone)?;
        let (_, places) = self.group.as_ref().ok_or_else(gone)?;
        pass.pipeline(pipeline);
        pass.set(pipeline, 0, places, &[]);
        pass.begin_vertices();
        pass.draw(0..3 * count, 1)
    }

    /// Lets go of the buffer.
    pub(crate) fn trim(&mut self) {
        self.group = None;
    }
}

fn make(gpu: &Gpu) -> Result<Made, PickError> {
    let places = vk::DescriptorSetLayoutBinding::default()
        .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
        .descriptor_count(1)
        .stage_flags(vk::ShaderStageFlags::VERTEX);
    let group = Layout::new(&gpu.device, &[places])?;
    Ok(Made {
        layout: PipelineLayout::new(&gpu.device, &[&group])?,
        shader: compile(gpu, &mask())?,
        group,
    })
}
