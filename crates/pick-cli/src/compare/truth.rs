//! What is right: 32 pixels, and what the CPU backend says of each and of what lies just beside it.

use std::collections::BTreeMap;

use pick_bench::session::Session;
use pick_core::{Hit, PickError, PickOptions, PixelRect, Request, View};
use pick_cpu::CpuBackend;
use pick_scenes::SceneData;

/// How many pixels are held against the CPU.
pub const PICKS: usize = 32;
/// Sub-pixels along a pixel's side. The eight around the middle one lie 1/15 of a pixel off the centre:
/// just more than the coarsest sub-pixel step of a rasteriser (SwiftShader's, 1/16). It is odd, so that
/// the middle sub-pixel's centre is the pixel's.
const STEPS: u32 = 15;
/// Rays times objects that looking for pixels on objects may take.
const SEARCH: u64 = 30_000_000;
/// The most rays of it.
const SEARCH_RAYS: u64 = 96 * 72;

/// Pixels by the object and copy that they lie on.
type Seen = BTreeMap<(u64, u32), Vec<[u32; 2]>>;

/// A pixel and its right answers.
#[derive(Clone, Debug)]
pub struct Truth {
    /// Which pixel.
    pub pixel: [u32; 2],
    /// At its centre.
    pub center: Option<Hit>,
    /// A sub-pixel step around it.
    pub ring: Vec<Option<Hit>>,
}

/// Chooses pixels, the same ones each time, and finds what is right there.
pub fn find(data: &SceneData, view: &View, options: &PickOptions) -> Result<Vec<Truth>, PickError> {
    let mut cpu = CpuBackend::new();
    let mut session = Session::new(&mut cpu, data)?;
    let pixels = choose(&mut session, data, view, options)?;
    let truths = pixels.into_iter().map(|pixel| {
        let image = fine(&mut session, view, pixel, options)?;
        Ok(Truth {
            pixel,
            center: image[4].clone(),
            ring: image,
        })
    });
    truths.collect()
}

/// What of a scene is met around a pixel's centre.
pub fn around(
    data: &SceneData,
    view: &View,
    pixel: [u32; 2],
    options: &PickOptions,
) -> Result<Vec<Option<Hit>>, PickError> {
    let mut cpu = CpuBackend::new();
    fine(&mut Session::new(&mut cpu, data)?, view, pixel, options)
}

/// The 3 x 3 sub-pixels around a pixel's centre, in one image of a finer view.
fn fine(
    session: &mut Session<'_, CpuBackend>,
    view: &View,
    [x, y]: [u32; 2],
    options: &PickOptions,
) -> Result<Vec<Option<Hit>>, PickError> {
    let coarse = view.viewport();
    let whole = PixelRect::new(0, 0, coarse.width * STEPS, coarse.height * STEPS);
    let view = view.with_viewport(whole)?;
    let first = STEPS / 2 - 1;
    let region = PixelRect::new(x * STEPS + first, y * STEPS + first, 3, 3);
    let request = Request::id_image(&view, region)?.with(options.clone());
    let image = session.image(request)?;
    (0..9).map(|k| image.hit(k % 3, k / 3)).collect()
}

/// Half of the pixels lie on objects, as many different ones as there are; half are spread over the
/// view.
fn choose(
    session: &mut Session<'_, CpuBackend>,
    data: &SceneData,
    view: &View,
    options: &PickOptions,
) -> Result<Vec<[u32; 2]>, PickError> {
    let on_objects = seen(session, data, view, options)?;
    let groups: Vec<_> = on_objects.values().collect();
    let half = PICKS / 2;
    let mut pixels: Vec<[u32; 2]> = (0..half)
        .filter_map(|k| {
            let group = match groups.len() {
                0 => return None,
                few if few < half => groups[k % few],
                many => groups[k * many / half],
            };
            let at = fraction(k, 0.618_033_988_749_895) * group.len() as f64;
            group.get(at as usize).copied()
        })
        .collect();
    // The R2 sequence: even over the view however many there are.
    let viewport = view.viewport();
    let spread = (0..PICKS).map(|k| {
        let x = fraction(k, 0.754_877_666_246_693) * f64::from(viewport.width);
        let y = fraction(k, 0.569_840_290_998_053) * f64::from(viewport.height);
        [x as u32, y as u32]
    });
    pixels.extend(spread.take(PICKS - pixels.len()));
    Ok(pixels)
}

fn fraction(k: usize, step: f64) -> f64 {
    (0.5 + k as f64 * step).fract()
}

/// Pixels on each object and copy that a coarse image of the view shows.
fn seen(
    session: &mut Session<'_, CpuBackend>,
    data: &SceneData,
    view: &View,
    options: &PickOptions,
) -> Result<Seen, PickError> {
    let full = view.viewport();
    let rays = (SEARCH / data.objects.len().max(1) as u64).clamp(64, SEARCH_RAYS);
    let shrink = (rays as f64 / full.pixel_count() as f64).sqrt().min(1.0);
    let side = |side: u32| ((f64::from(side) * shrink) as u32).max(1);
    let coarse = PixelRect::new(0, 0, side(full.width), side(full.height));
    let coarse_view = view.with_viewport(coarse)?;
    let request = Request::id_image(&coarse_view, coarse)?.with(options.clone());
    let image = session.image(request)?;
    let mut seen = Seen::new();
    for row in 0..coarse.height {
        for column in 0..coarse.width {
            if let Some(hit) = image.hit(column, row)? {
                let part = |at: u32, small: u32, large: u32| {
                    let at = (u64::from(at) * 2 + 1) * u64::from(large) / (u64::from(small) * 2);
                    (at as u32).min(large - 1)
                };
                let x = part(column, coarse.width, full.width);
                let y = part(row, coarse.height, full.height);
                let key = (hit.tag, hit.instance.unwrap_or(0));
                seen.entry(key).or_default().push([x, y]);
            }
        }
    }
    Ok(seen)
}
