// Where a triangle's corners are on the screen, also off the target: each triangle is drawn as one pixel, which
// tells where it is. All three of its vertices find out the same.
struct Seen {
    // The ends of an edge in pixels of the region.
    ends: vec4f,
    // The nearer of them, and its depth.
    nearest: vec3f,
    any: bool,
}

fn clip_of(element: u32, instance: u32) -> vec4f {
    let local = pulled_position(pulled_vertex(element));
    return draw.clip_from_object * vec4f(pick_project(local, instance).anchored, 1.0);
}

fn pixel_of(clip: vec4f) -> vec2f {
    let margin = f32(pick.frame & FRAME_MARGIN);
    let shown = vec2f(clip.x, -clip.y) / clip.w * 0.5 + 0.5;
    return shown * (pick.region.zw + 2.0 * margin) - margin;
}

// What of an edge is between the planes z = 0 and z = w.
fn edge(a: vec4f, b: vec4f) -> Seen {
    let before = vec2f(a.z, a.w - a.z);
    let behind = vec2f(b.z, b.w - b.z);
    var start = 0.0;
    var end = 1.0;
    for (var plane = 0u; plane < 2u; plane += 1u) {
        if before[plane] < 0.0 {
            start = max(start, select(2.0, before[plane] / (before[plane] - behind[plane]), behind[plane] >= 0.0));
        } else if behind[plane] < 0.0 {
            end = min(end, before[plane] / (before[plane] - behind[plane]));
        }
    }
    // Also where something is no number.
    if !(start <= end) || !(abs(before.x + before.y + behind.x + behind.y) < 3.4e38) {
        return Seen(vec4f(0.0), vec3f(0.0), false);
    }
    let ends = array(mix(a, b, start), mix(a, b, end));
    let pixels = vec4f(pixel_of(ends[0]), pixel_of(ends[1]));
    let depths = clamp(vec2f(ends[0].z / ends[0].w, ends[1].z / ends[1].w), vec2f(0.0), vec2f(1.0));
    let reversed = (pick.frame & FRAME_REVERSED) != 0u;
    let second = select((depths.y < depths.x), (depths.y > depths.x), reversed);
    let nearest = select(vec3f(pixels.xy, depths.x), vec3f(pixels.zw, depths.y), second);
    return Seen(pixels, nearest, true);
}

fn nearer(a: Seen, b: Seen) -> Seen {
    if !b.any { return a; }
    if !a.any { return b; }
    let reversed = (pick.frame & FRAME_REVERSED) != 0u;
    let other = select((b.nearest.z < a.nearest.z), (b.nearest.z > a.nearest.z), reversed);
    if other { return b; }
    return a;
}

@vertex
fn vs_main(in: VertexIn) -> Varyings {
//#if survivors
    let instance = draw.first_instance + original(in.instance);
//#else
    let instance = draw.first_instance + in.instance;
//#endif
    let element = in.vertex - in.vertex % 3u;
    let a = clip_of(element, instance);
    let b = clip_of(element + 1u, instance);
    let c = clip_of(element + 2u, instance);
    let edges = array(edge(a, b), edge(b, c), edge(c, a));
    let found = nearer(nearer(edges[0], edges[1]), edges[2]);
    var out: Varyings;
    out.id = draw.id_base + instance * draw.ids_per_instance;
    out.first = select(found.ends, edges[0].ends, edges[0].any);
    out.second = select(found.ends, edges[1].ends, edges[1].any);
    out.third = select(found.ends, edges[2].ends, edges[2].any);
    out.nearest = found.nearest;
    // The region's first pixel, or nothing.
    let corner = in.vertex % 3u;
    let at = vec2f(f32(corner) * 0.4 - 0.4, select(-0.3, 0.4, corner == 1u)) + 0.5;
    let margin = f32(pick.frame & FRAME_MARGIN);
    let shown = (at + margin) / (pick.region.zw + 2.0 * margin) * 2.0 - 1.0;
    out.position = select(vec4f(0.0, 0.0, 0.5, 1.0), vec4f(shown.x, -shown.y, 0.5, 1.0), found.any);
    return out;
}
