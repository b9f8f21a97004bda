//! The surface of a detailed hit: from the known triangle on the CPU, or from the GPU's own texel.

use glam::DVec2;

use crate::frozen::FrozenMesh;
use crate::hit::{Given, Hit, Surface, Withheld};
use crate::layout::unpack_normal;
use crate::request::SurfaceSource;
use crate::samples::Sample;
use crate::triangle::PlacedTriangle;
use crate::view::View;

/// Completes a hit whose triangle is known.
pub(crate) fn fill(
    hit: &mut Hit,
    mesh: &FrozenMesh,
    sample: &Sample,
    view: &View,
    pixel_center: DVec2,
    source: SurfaceSource,
) {
    let triangle = hit
        .primitive
        .map(|primitive| mesh.whole_triangle(primitive));
    if let Ok(triangle) = triangle {
        let face = mesh.mesh.face_of_triangle(triangle);
        hit.face = face.ok_or(Withheld::NoFaces);
    }
    let place = mesh.world_from_local(hit.instance);
    let on_cpu = mesh.mesh.cpu().zip(place).zip(triangle.ok());
    let placed =
        on_cpu.and_then(|((data, place), number)| PlacedTriangle::new(data, number, &place));
    let placed = placed.filter(|_| source == SurfaceSource::Auto);
    let weights = placed.and_then(|placed| placed.weights_on_ray(&hit.ray));
    if weights.is_none() {
        point_at_distance(hit, sample, view, pixel_center);
    }
    match &placed {
        Some(placed) => from_triangle(hit, mesh, placed, weights),
        None => hit.surface = from_texel(mesh, sample),
    }
    hit.distance = hit.point.map(|point| (point - hit.ray.origin).length());
}

/// Completes a hit on what a foreign drawer drew: its view distance, where it wrote one above 0.
pub(crate) fn fill_foreign(hit: &mut Hit, sample: &Sample, view: &View, pixel_center: DVec2) {
    if sample.view_distance.is_some_and(|distance| distance > 0.0) {
        point_at_distance(hit, sample, view, pixel_center);
        hit.distance = hit.point.map(|point| (point - hit.ray.origin).length());
    }
}

/// The view distance is as exact as the fragment's position, under any depth convention.
fn point_at_distance(hit: &mut Hit, sample: &Sample, view: &View, pixel_center: DVec2) {
    let Some(distance) = sample.view_distance else {
        return;
    };
    let point = view.at_view_distance(pixel_center, f64::from(distance));
    if point.is_finite() {
        hit.point = Ok(point);
    }
}

/// From one exact test of the ray against the known triangle; where the plane is seen edge-on, from
/// the point of the triangle nearest to the fragment's.
fn from_triangle(
    hit: &mut Hit,
    mesh: &FrozenMesh,
    triangle: &PlacedTriangle<'_>,
    on_ray: Option<[f64; 3]>,
) {
    let weights = on_ray.or_else(|| hit.point.ok().and_then(|point| triangle.weights_at(point)));
    let mut surface = Surface::withheld(Withheld::Degenerate);
    surface.face_normal = triangle.face_normal().ok_or(Withheld::Degenerate);
    if let Some(weights) = weights {
        hit.point = Ok(triangle.point(weights));
        surface.barycentric = Ok(weights);
        surface.normal = match mesh.has_normals() {
            true => triangle.normal(weights).ok_or(Withheld::Degenerate),
            false => Err(Withheld::NoNormals),
        };
        surface.uv = match mesh.has_uvs() {
            true => triangle.uv(weights).map_or(Err(Withheld::NoUvs), numbers),
            false => Err(Withheld::NoUvs),
        };
    }
    hit.surface = surface;
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
        numbers([u_bits, v_bits].map(|bits| f64::from(f32::from_bits(bits))))
    } else {
        Err(Withheld::NoUvs)
    };
    surface
}

/// Texture coordinates that are no numbers, the caller's own or a device's, are not given.
fn numbers(uv: [f64; 2]) -> Given<[f64; 2]> {
    let finite = uv.iter().all(|value| value.is_finite());
    finite.then_some(uv).ok_or(Withheld::Degenerate)
}
