//! Numbers out of bytes: component types, and how normalized integers become floats.

pub(super) use gltf_json::accessor::{ComponentType as Component, Type as Shape};

/// Bytes of one component.
pub(super) fn size(component: Component) -> usize {
    match component {
        Component::I8 | Component::U8 => 1,
        Component::I16 | Component::U16 => 2,
        Component::U32 | Component::F32 => 4,
    }
}

/// Components of one element.
pub(super) fn width(shape: Shape) -> usize {
    match shape {
        Shape::Scalar => 1,
        Shape::Vec2 => 2,
        Shape::Vec3 => 3,
        Shape::Vec4 | Shape::Mat2 => 4,
        Shape::Mat3 => 9,
        Shape::Mat4 => 16,
    }
}

/// What glTF calls a component type.
pub(super) fn component_name(component: Component) -> &'static str {
    match component {
        Component::I8 => "5120 (byte)",
        Component::U8 => "5121 (unsigned byte)",
        Component::I16 => "5122 (short)",
        Component::U16 => "5123 (unsigned short)",
        Component::U32 => "5125 (unsigned int)",
        Component::F32 => "5126 (float)",
    }
}

/// What glTF calls a shape.
pub(super) fn shape_name(shape: Shape) -> &'static str {
    match shape {
        Shape::Scalar => "SCALAR",
        Shape::Vec2 => "VEC2",
        Shape::Vec3 => "VEC3",
        Shape::Vec4 => "VEC4",
        Shape::Mat2 => "MAT2",
        Shape::Mat3 => "MAT3",
        Shape::Mat4 => "MAT4",
    }
}

/// Component `k` of an element as a float; 0 where the bytes end, which callers have ruled out.
pub(super) fn float(bytes: &[u8], k: usize, component: Component, normalized: bool) -> f32 {
    let signed = |value: f32, most: f32| {
        if normalized {
            (value / most).max(-1.0)
        } else {
            value
        }
    };
    let unsigned = |value: f32, most: f32| if normalized { value / most } else { value };
    match component {
        Component::F32 => f32::from_le_bytes(take(bytes, k)),
        Component::I8 => signed(f32::from(i8::from_le_bytes(take(bytes, k))), 127.0),
        Component::U8 => unsigned(f32::from(u8::from_le_bytes(take(bytes, k))), 255.0),
        Component::I16 => signed(f32::from(i16::from_le_bytes(take(bytes, k))), 32767.0),
        Component::U16 => unsigned(f32::from(u16::from_le_bytes(take(bytes, k))), 65535.0),
        Component::U32 => {
            let value = f64::from(u32::from_le_bytes(take(bytes, k)));
            (if normalized {
                value / f64::from(u32::MAX)
            } else {
                value
            }) as f32
        }
    }
}

/// Component `k` of an element as a whole number; only for unsigned types.
pub(super) fn whole(bytes: &[u8], k: usize, component: Component) -> u32 {
    match component {
        Component::U8 => u32::from(u8::from_le_bytes(take(bytes, k))),
        Component::U16 => u32::from(u16::from_le_bytes(take(bytes, k))),
        _ => u32::from_le_bytes(take(bytes, k)),
    }
}

fn take<const N: usize>(bytes: &[u8], k: usize) -> [u8; N] {
    bytes
        .get(k * N..(k + 1) * N)
        .and_then(|b| b.try_into().ok())
        .unwrap_or([0; N])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn normalized_integers_follow_the_formulas() {
        assert_eq!(float(&[0x80], 0, Component::I8, true), -1.0);
        assert_eq!(float(&[0x81], 0, Component::I8, true), -1.0);
        assert_eq!(float(&[0x7f], 0, Component::I8, true), 1.0);
        assert_eq!(float(&[0x80], 0, Component::I8, false), -128.0);
        assert_eq!(float(&[51], 0, Component::U8, true), 0.2);
        assert_eq!(float(&[0, 0, 0x00, 0x80], 1, Component::I16, true), -1.0);
        assert_eq!(
            float(&0x4000_i16.to_le_bytes(), 0, Component::I16, true),
            16384.0 / 32767.0
        );
        assert_eq!(
            float(&0xffff_u16.to_le_bytes(), 0, Component::U16, true),
            1.0
        );
        assert_eq!(float(&1.5_f32.to_le_bytes(), 0, Component::F32, false), 1.5);
    }

    #[test]
    fn whole_numbers_are_little_endian() {
        assert_eq!(whole(&[1, 2, 3, 4], 2, Component::U8), 3);
        assert_eq!(whole(&[1, 2, 3, 4], 1, Component::U16), 0x0403);
        assert_eq!(whole(&[1, 2, 3, 4], 0, Component::U32), 0x0403_0201);
    }
}
