//! The surface of a detailed hit: from the known triangle on the CPU, or from the GPU's own texel.

use glam::{DMat3, DMat4, DVec2, DVec3};

use crate::frozen::FrozenMesh;
use crate::hit::{Given, Hit, Surface, Withheld};
use crate::layout::unpack_normal;
use crate::mesh::MeshData;
use crate::request::SurfaceSource;
use crate::samples::Sample;
use crate::view::{PickRay, View};

/// Completes a hit whose triangle is known.
pub(crate) fn fill(
    hit: &mut Hit,
    mesh: &FrozenMesh,
    sample: &Sample,
    view: &View,
    pixel_center: DVec2,
    source: SurfaceSource,
) {
    if let Some(distance) = sample.view_distance {
        let point = view.at_view_distance(pixel_center, f64::from(distance));
        if point.is_finite() {
            hit.point = Ok(point);
        }
    }
    let triangle = hit
        .primitive
        .map(|primitive| mesh.whole_triangle(primitive));
    if let Ok(triangle) = triangle {
        let face = mesh.mesh.face_of_triangle(triangle);
        hit.face = face.ok_or(Withheld::NoFaces);
    }
    let local = mesh.world_from_local(hit.instance);
    let on_cpu = mesh.mesh.cpu().zip(local).zip(triangle.ok());
    match on_cpu {
        Some(((data, world_from_local), triangle)) if source == SurfaceSource::Auto => {
            from_cpu(hit, mesh, data, &world_from_local, triangle);
        }
        _ => hit.surface = from_texel(mesh, sample),
    }
    hit.distance = hit.point.map(|point| (point - hit.ray.origin).length());
}

/// One exact test of the ray against the known triangle.
fn from_cpu(
    hit: &mut Hit,
    mesh: &FrozenMesh,
    data: &MeshData,
    world_from_local: &DMat4,
    triangle: u32,
) {
    let Some(vertices) = data.triangle(triangle) else {
        return;
    };
    let local = vertices.map(|v| DVec3::from(data.positions()[v as usize].map(f64::from)));
    let corners = local.map(|p| world_from_local.transform_point3(p));
    let weights = weights_on_ray(&corners, &hit.ray)
        .or_else(|| hit.point.ok().and_then(|p| weights_at(&corners, p)));
    let linear = DMat3::from_mat4(*world_from_local);
    // Mirroring swaps the winding in world space; the face normal stays on the local side.
    let side = if linear.determinant() < 0.0 {
        -1.0
    } else {
        1.0
    };
    let winding = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
    let mut surface = Surface::withheld(Withheld::Degenerate);
    surface.face_normal = (winding * side).try_normalize().ok_or(Withheld::Degenerate);
    if let Some(weights) = weights {
        let blend = |values: [DVec3; 3]| {
            values[0] * weights[0] + values[1] * weights[1] + values[2] * weights[2]
        };
        surface.barycentric = Ok(weights);
        hit.point = Ok(blend(corners));
        surface.normal = vertex_normal(mesh, data, vertices, &linear, blend);
        surface.uv = texture_coordinates(mesh, data, vertices, blend);
    }
    hit.surface = surface;
}

fn vertex_normal(
    mesh: &FrozenMesh,
    data: &MeshData,
    vertices: [u32; 3],
    linear: &DMat3,
    blend: impl Fn([DVec3; 3]) -> DVec3,
) -> Given<DVec3> {
    let normals = data.normals().filter(|_| mesh.has_normals());
    let normals = normals.ok_or(Withheld::NoNormals)?;
    let local = blend(vertices.map(|v| DVec3::from(normals[v as usize].map(f64::from))));
    // The inverse transpose up to a positive factor: the cofactors, with the determinant's sign.
    let cofactors = DMat3::from_cols(
        linear.y_axis.cross(linear.z_axis),
        linear.z_axis.cross(linear.x_axis),
        linear.x_axis.cross(linear.y_axis),
    );
    let side = if linear.determinant() < 0.0 {
        -1.0
    } else {
        1.0
    };
    (cofactors * local * side)
        .try_normalize()
        .ok_or(Withheld::Degenerate)
}

fn texture_coordinates(
    mesh: &FrozenMesh,
    data: &MeshData,
    vertices: [u32; 3],
    blend: impl Fn([DVec3; 3]) -> DVec3,
) -> Given<[f64; 2]> {
    let uvs = data.uvs().filter(|_| mesh.has_uvs());
    let uvs = uvs.ok_or(Withheld::NoUvs)?;
    let uv = blend(vertices.map(|v| {
        let [u, v] = uvs[v as usize].map(f64::from);
        DVec3::new(u, v, 0.0)
    }));
    Ok([uv.x, uv.y])
}

/// Weights where the ray meets the triangle's plane, clamped onto the triangle: a rasteriser's sample
/// can lie within its sub-pixel step outside the exact edge. `None` for a plane seen edge-on.
fn weights_on_ray(corners: &[DVec3; 3], ray: &PickRay) -> Option<[f64; 3]> {
    let from_ray = corners.map(|corner| corner - ray.origin);
    // Signed volumes of the ray's direction with each edge (Moeller and Trumbore 1997, rearranged).
    let volume = |a: DVec3, b: DVec3| ray.direction.dot(a.cross(b));
    let volumes = [
        volume(from_ray[1], from_ray[2]),
        volume(from_ray[2], from_ray[0]),
        volume(from_ray[0], from_ray[1]),
    ];
    let total: f64 = volumes.iter().sum();
    let winding = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
    if total.abs() <= winding.length() * 1e-9 {
        return None;
    }
    on_triangle(volumes.map(|volume| volume / total))
}

/// Weights of the point of the triangle's plane nearest to `point`, clamped onto the triangle.
fn weights_at(corners: &[DVec3; 3], point: DVec3) -> Option<[f64; 3]> {
    let winding = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
    let area = |a: DVec3, b: DVec3| (a - point).cross(b - point).dot(winding);
    let areas = [
        area(corners[1], corners[2]),
        area(corners[2], corners[0]),
        area(corners[0], corners[1]),
    ];
    let total: f64 = areas.iter().sum();
    on_triangle(areas.map(|area| area / total))
}

fn on_triangle(weights: [f64; 3]) -> Option<[f64; 3]> {
    let clamped = weights.map(|w| w.clamp(0.0, 1.0));
    let sum: f64 = clamped.iter().sum();
    (sum.is_finite() && sum > 0.0).then(|| clamped.map(|w| w / sum))
}

/// What the fragment itself wrote.
fn from_texel(mesh: &FrozenMesh, sample: &Sample) -> Surface {
    let mut surface = Surface::withheld(Withheld::NoCpuGeometry);
    let Some([face_normal, normal, u_bits, v_bits]) = sample.surface else {
        return surface;
    };
    surface.face_normal = unpack_normal(face_normal).ok_or(Withheld::Degenerate);
    surface.normal = if mesh.has_normals() {
        unpack_normal(normal).ok_or(Withheld::Degenerate)
    } else {
        Err(Withheld::NoNormals)
    };
    surface.uv = if mesh.has_uvs() {
        Ok([u_bits, v_bits].map(|bits| f64::from(f32::from_bits(bits))))
    } else {
        Err(Withheld::NoUvs)
    };
    surface
}
