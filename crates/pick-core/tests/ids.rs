//! Ids and strategies: the limits of an encoding, and that what goes in comes out.

use pick_core::layout::{NO_NORMAL, pack_normal, unpack_normal};
use pick_core::{
    AnyStrategy, Aspect, BuiltinStrategy, Channel, ErrorKind, IdAllocator, InputError, Readback,
    ReadbackSize, Samples, StencilId, Strategy, Texels,
};

/// Field cases 20, 22 and 28: ranges follow each other up to the last id, 0 is never handed out, and
/// running past the end is an error that hands out nothing.
#[test]
fn ranges_are_contiguous_to_the_last_id() {
    let mut ids = IdAllocator::new(0, u32::MAX);
    assert_eq!(ids.allocate(1).unwrap().first, 1);
    let mut ids = IdAllocator::new(u32::MAX - 2, u32::MAX);
    let range = ids.allocate(2).unwrap();
    assert_eq!((range.first, range.count), (u32::MAX - 2, 2));
    assert_eq!(range.index_of(u32::MAX - 1), Some(1));
    assert_eq!(range.index_of(u32::MAX), None);
    let refused = ids.allocate(2).unwrap_err();
    let expected = InputError::IdsExhausted { asked: 2, left: 1 };
    assert_eq!(refused.kind(), &ErrorKind::Input(expected));
    assert_eq!(ids.allocate(1).unwrap().first, u32::MAX);
    assert!(ids.allocate(1).is_err());
    assert!(ids.allocate(0).is_err());
    assert!(IdAllocator::new(1, 5).allocate(u64::MAX).is_err());
}

fn readback(channel: Channel, aspect: Aspect, bytes_per_pixel: u32) -> Readback {
    Readback {
        channel,
        aspect,
        size: ReadbackSize::PerPixel(bytes_per_pixel),
    }
}

fn decode(strategy: &dyn Strategy, readbacks: &[Readback], bytes: &[u8]) -> Samples {
    let pixel: u64 = readbacks.iter().map(|r| r.bytes(1)).sum();
    let texels = Texels::new(bytes, readbacks, bytes.len() / pixel as usize).unwrap();
    let mut samples = Samples::default();
    strategy.decode(&texels, &mut samples);
    samples
}

/// Field case 22, as bytes: no width of an id loses a bit.
#[test]
fn color_id_decodes_all_four_bytes() {
    let layout = [
        readback(Channel::IdBytes, Aspect::Color, 4),
        readback(Channel::DepthBits, Aspect::Color, 4),
    ];
    for id in [
        1,
        127,
        128,
        255,
        256,
        257,
        65_535,
        65_536,
        16_777_215,
        16_777_217,
        u32::MAX,
    ] {
        let bytes = [id.to_le_bytes(), 0.25f32.to_le_bytes()].concat();
        let samples = decode(&BuiltinStrategy::ALL[0], &layout, &bytes);
        assert_eq!((samples.ids, samples.depths), (vec![id], vec![0.25]));
    }
}

/// Field case 21: as many planes as the number of draws has bytes.
#[test]
fn stencil_planes_follow_the_number_of_draws() {
    let expected = [
        (0, 1),
        (1, 1),
        (255, 1),
        (256, 2),
        (65_535, 2),
        (65_536, 3),
        (1 << 24, 4),
    ];
    for (draws, planes) in expected {
        assert_eq!(StencilId::planes(draws), planes, "{draws} draws");
    }
}

#[test]
fn stencil_planes_join_into_one_number() {
    for read in [
        |plane| readback(Channel::StencilByte { plane }, Aspect::Stencil, 1),
        |plane| readback(Channel::StencilBits { plane }, Aspect::Color, 1),
    ] {
        let layout = [read(0), read(1), read(2)];
        let samples = decode(&StencilId, &layout, &[0x21, 0x43, 0x05]);
        assert_eq!(samples.ids, [0x0005_4321]);
        assert!(samples.depths.is_empty());
    }
}

#[test]
fn blocks_shorter_than_their_layout_are_refused() {
    let layout = [readback(Channel::IdDepth, Aspect::Color, 8)];
    assert!(Texels::new(&[0; 7], &layout, 1).is_none());
    assert!(Texels::new(&[0; 8], &layout, 2).is_none());
    assert!(Texels::new(&[0; 8], &layout, 1).is_some());
}

#[test]
fn strategies_are_found_by_stem_and_by_flag() {
    for strategy in BuiltinStrategy::ALL {
        let stem = strategy.name();
        assert_eq!(BuiltinStrategy::from_name(stem), Some(strategy));
        assert_eq!(
            BuiltinStrategy::from_name(&stem.replace('_', "-")),
            Some(strategy)
        );
        assert_eq!(format!("{:?}", AnyStrategy::from(strategy)), stem);
    }
    assert_eq!(BuiltinStrategy::from_name("colour"), None);
}

#[test]
fn packed_normals_keep_four_digits() {
    let mut worst: f64 = 0.0;
    for i in 0..20_000 {
        // A spiral over the sphere, with the axes among its points.
        let z = 1.0 - f64::from(i) / 9_999.5;
        let turn = f64::from(i) * 2.399_963;
        let radius = (1.0 - z * z).max(0.0).sqrt();
        let normal = glam::DVec3::new(radius * turn.cos(), radius * turn.sin(), z).normalize();
        let packed = pack_normal(normal);
        assert_ne!(packed, NO_NORMAL);
        worst = worst.max((unpack_normal(packed).unwrap() - normal).length());
    }
    assert!(worst < 7e-5, "{worst}");
    assert_eq!(unpack_normal(NO_NORMAL), None);
    for axis in [glam::DVec3::X, glam::DVec3::NEG_Y, glam::DVec3::NEG_Z] {
        assert_eq!(unpack_normal(pack_normal(axis)), Some(axis));
    }
}
