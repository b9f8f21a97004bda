//! Every variant composes, validates and becomes SPIR-V; layouts and bindings equal Rust's.

use std::mem::{offset_of, size_of};

use naga::front::wgsl;
use naga::{AddressSpace, ImageClass, Module, ScalarKind, StorageAccess, TypeInner};
use pick_core::layout::{CullParams, DrawRecord, PickUniforms, ReduceParams};
use pick_core::{
    Access, COMPUTE_BINDINGS, CustomShader, InstanceFormat, Kernel, StrategyShader, VertexFetch,
};
use pick_shaders::{
    BINDINGS, Threads, Variant, VertexAttributes, kernel, mask, stencil_bits, to_spirv, validate,
};

const FETCHES: [VertexFetch; 3] = [
    VertexFetch::Indexed,
    VertexFetch::Pulled,
    VertexFetch::Expanded,
];

/// The smallest custom strategy that uses what it may.
const CUSTOM: &str = "struct PickOutput {\n    @location(0) seen: vec2u,\n}\n
fn pick_output(in: PickFragment) -> PickOutput {\n    var out: PickOutput;\n
    out.seen = vec2u(in.id, in.primitive);\n    return out;\n}\n";

fn shaders() -> Vec<StrategyShader> {
    let custom = |needs_primitive| {
        StrategyShader::Custom(CustomShader {
            key: "seen".into(),
            wgsl: CUSTOM.into(),
            needs_primitive,
        })
    };
    vec![
        StrategyShader::ColorId,
        StrategyShader::IntegerId { faces: false },
        StrategyShader::IntegerId { faces: true },
        StrategyShader::StencilId,
        StrategyShader::Detailed { surface: false },
        StrategyShader::Detailed { surface: true },
        StrategyShader::ListFragments { primitive: false },
        StrategyShader::ListFragments { primitive: true },
        StrategyShader::TallyFragments,
        StrategyShader::TallyTriangles,
        custom(false),
        custom(true),
    ]
}

fn variants() -> Vec<Variant> {
    let mut all = Vec::new();
    for shader in shaders() {
        for fetch in FETCHES {
            // Of triangles that are tallied all vertices are pulled.
            if shader == StrategyShader::TallyTriangles && fetch != VertexFetch::Pulled {
                continue;
            }
            for bits in 0..16 {
                let on = |bit: u32| bits & bit != 0;
                all.push(Variant {
                    fetch,
                    shader: shader.clone(),
                    attributes: VertexAttributes {
                        normals: on(1),
                        uvs: on(2),
                    },
                    fragment_depth: on(4),
                    survivors: on(8),
                });
            }
        }
    }
    all
}

fn module(variant: &Variant) -> Module {
    let text = variant.wgsl();
    wgsl::parse_str(&text).unwrap_or_else(|e| panic!("{variant:?}\n{}", e.emit_to_string(&text)))
}

#[test]
fn every_variant_validates_and_becomes_spirv() {
    let variants = variants();
    assert_eq!(variants.len(), (11 * 3 + 1) * 16);
    for variant in &variants {
        let text = variant.wgsl();
        for entry_point in ["vs_main", "fs_main"] {
            let words = to_spirv(&text, entry_point);
            let words = words.unwrap_or_else(|e| panic!("{variant:?}: {e}"));
            assert_eq!(words[0], 0x0723_0203, "SPIR-V starts with its magic number");
        }
    }
}

#[test]
fn every_kernel_validates_and_becomes_spirv() {
    for each in Kernel::ALL {
        for threads in [Threads::GPU, Threads::CPU] {
            let words = to_spirv(&kernel(each, threads), "main");
            assert!(words.is_ok(), "{}: {words:?}", each.name());
        }
        let text = kernel(each, Threads::GPU);
        let module = wgsl::parse_str(&text).unwrap();
        let mut told = [Access::None; COMPUTE_BINDINGS];
        for (_, global) in module.global_variables.iter() {
            let Some(at) = global.binding.filter(|at| at.group == 1) else {
                continue;
            };
            told[at.binding as usize] = match (global.space, &module.types[global.ty].inner) {
                (AddressSpace::Storage { access }, _) => {
                    match access.contains(StorageAccess::STORE) {
                        true => Access::Write,
                        false => Access::Read,
                    }
                }
                (AddressSpace::Handle, TypeInner::Image { class, .. }) => match class {
                    ImageClass::Sampled { kind, multi: false } if *kind == ScalarKind::Uint => {
                        Access::Words
                    }
                    _ => Access::Bytes,
                },
                _ => panic!("{global:?}"),
            };
        }
        assert_eq!(told, each.access(), "{}", each.name());
    }
}

/// Targets of stride decorations, and what pointers to workgroup memory point to.
fn strides_and_workgroup(words: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let (mut strides, mut workgroup) = (Vec::new(), Vec::new());
    let mut at = 5;
    while at < words.len() {
        match (words[at] & 0xffff, words.get(at + 1..at + 4)) {
            (71, Some(&[target, 6, _])) => strides.push(target),
            (32, Some(&[_, 4, to])) => workgroup.push(to),
            _ => {}
        }
        at += (words[at] >> 16) as usize;
    }
    (strides, workgroup)
}

/// Strict layers and drivers refuse kernels otherwise.
#[test]
fn workgroup_memory_has_no_explicit_layout() {
    for each in Kernel::ALL {
        let words = to_spirv(&kernel(each, Threads::GPU), "main").unwrap();
        let (strides, workgroup) = strides_and_workgroup(&words);
        assert!(!strides.is_empty(), "{each:?}");
        let shares = match each {
            Kernel::NearestInDisc(_) | Kernel::ListIds => true,
            Kernel::BoundBlocks(_) => false,
            _ => each.culls(),
        };
        assert_eq!(!workgroup.is_empty(), shares, "{each:?}");
        assert!(!workgroup.iter().any(|id| strides.contains(id)), "{each:?}");
    }
    // What storage has too keeps it.
    let shared = "
        var<workgroup> here: array<vec4f, 8>;
        @group(0) @binding(0) var<storage, read_write> there: array<vec4f, 8>;
        @compute @workgroup_size(8)
        fn main(@builtin(local_invocation_index) thread: u32) {
            here[thread] = there[thread];
            there[thread] = here[thread] + 1.0;
        }";
    let words = to_spirv(shared, "main").unwrap();
    assert_eq!(strides_and_workgroup(&words).0.len(), 1);
}

#[test]
fn the_stencil_reader_becomes_spirv() {
    for entry_point in ["vs_main", "fs_main"] {
        assert!(to_spirv(stencil_bits(), entry_point).is_ok());
        assert!(to_spirv(&mask(), entry_point).is_ok());
    }
}

/// Field case 45: the builtin is declared where it is used and nowhere else.
#[test]
fn only_indexed_detailed_variants_enable_the_builtin() {
    for variant in variants() {
        let expected = variant.fetch == VertexFetch::Indexed && variant.shader.needs_primitive();
        let enables = variant.wgsl().starts_with("enable primitive_index;");
        assert_eq!(enables, expected, "{variant:?}");
    }
}

/// Field case 44: integers cross to the fragment stage flat.
#[test]
fn integer_varyings_are_flat() {
    for variant in variants() {
        for line in variant
            .wgsl()
            .lines()
            .filter(|line| line.contains("@location"))
        {
            let integer = line.trim_end().ends_with(": u32,");
            let crosses = !line.contains("depth_bits");
            if integer && crosses {
                assert!(line.contains("@interpolate(flat)"), "{line}");
            }
        }
    }
}

#[test]
fn conditions_are_all_resolved_and_known() {
    for variant in variants() {
        assert!(!variant.wgsl().contains("//#"), "{variant:?}");
    }
}

#[test]
fn a_broken_strategy_is_refused_with_its_line() {
    let broken = CustomShader {
        key: "broken".into(),
        wgsl: CUSTOM.replace("in.id", "in.nothing").into(),
        needs_primitive: false,
    };
    let variant = Variant {
        fetch: VertexFetch::Indexed,
        shader: StrategyShader::Custom(broken),
        attributes: VertexAttributes::default(),
        fragment_depth: false,
        survivors: false,
    };
    let error = validate(&variant.wgsl()).expect_err("the field does not exist");
    assert!(error.to_string().contains("nothing"), "{error}");
}

#[test]
fn bindings_are_those_of_the_table() {
    for variant in variants() {
        let module = module(&variant);
        let mut declared: Vec<_> = module
            .global_variables
            .iter()
            .filter_map(|(_, global)| global.binding.map(|b| (b.group, b.binding)))
            .collect();
        declared.sort_unstable();
        let table: Vec<_> = BINDINGS
            .iter()
            .filter(|row| row.is_used(variant.fetch, &variant.shader, variant.survivors))
            .map(|row| (row.group, row.binding))
            .collect();
        assert_eq!(declared, table, "{variant:?}");
        let is_storage = |at: &&(u32, u32)| at.0 != 0 && **at != (1, 0);
        let storage = table.iter().filter(is_storage).count();
        assert!(storage <= 7, "one storage buffer is left to rules");
    }
}

/// Byte offsets of a WGSL struct's members, and its size.
fn layout_of(module: &Module, name: &str) -> (Vec<(String, u32)>, u32) {
    let named = |inner: &&naga::Type| inner.name.as_deref() == Some(name);
    let found = module.types.iter().map(|(_, ty)| ty).find(named);
    match found.map(|ty| &ty.inner) {
        Some(TypeInner::Struct { members, span }) => {
            let offset = |m: &naga::StructMember| (m.name.clone().unwrap_or_default(), m.offset);
            (members.iter().map(offset).collect(), *span)
        }
        _ => panic!("there is no struct {name}"),
    }
}

macro_rules! assert_layout {
    ($module:expr, $name:ident: $($field:ident),*) => {
        let (members, span) = layout_of($module, stringify!($name));
        let expected = vec![$((stringify!($field).to_owned(), offset_of!($name, $field) as u32)),*];
        assert_eq!(members, expected);
        assert_eq!(span as usize, size_of::<$name>());
    };
}

#[test]
fn structs_lie_as_in_rust() {
    let module = module(&variants()[0]);
    assert_layout!(&module, PickUniforms:
        origin_high, orthographic, origin_low, origin_distance, forward, frame, region, viewport);
    assert_layout!(&module, DrawRecord:
        clip_from_object, world_rows, anchor, id_base, flags, primitive_base, first_instance,
        first_element, positions, normals, uvs, indices, ids_per_instance, survivors, pairs);
    let text = kernel(Kernel::CullInstances(InstanceFormat::Rows3x4), Threads::GPU);
    let module = wgsl::parse_str(&text).unwrap();
    assert_layout!(&module, CullParams:
        planes, beam_low, beam_high, beam_first, beam_second, local_center, local_reach,
        local_half, instances, anchor, first_instance, pivot, chunks, capacity, counts,
        counts_before, found, survivors, elements, first_element, cluster_nodes, clusters,
        cluster_elements, pairs, pair_capacity);
    let module = wgsl::parse_str(&kernel(Kernel::ListIds, Threads::GPU)).unwrap();
    let (members, span) = layout_of(&module, "ReduceParams");
    let offsets = members.iter().map(|(_, offset)| *offset);
    assert!(offsets.eq((0..members.len() as u32).map(|at| 4 * at)));
    assert_eq!(span as usize, size_of::<ReduceParams>());
}
