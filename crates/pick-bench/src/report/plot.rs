//! Figures as SVG. The palette is for light backgrounds; a style sheet beside it turns it for dark ones.

use plotters::prelude::*;
use plotters::style::RGBColor;

use crate::report::curve::{Curve, Figure};
use crate::report::text::{escaped, short};

const SIZE: (u32, u32) = (720, 440);
const FONT: (&str, i32) = ("sans-serif", 16);
const POINT: u32 = 3;

/// A colour on a light background, and what it is on a dark one.
struct Ink {
    light: RGBColor,
    dark: &'static str,
}

const fn ink(light: (u8, u8, u8), dark: &'static str) -> Ink {
    Ink {
        light: RGBColor(light.0, light.1, light.2),
        dark,
    }
}

const TEXT: Ink = ink((0x24, 0x29, 0x2f), "#e6edf3");
const GRID: Ink = ink((0xd8, 0xde, 0xe4), "#30363d");
/// Told apart also by who sees red and green alike.
const SERIES: [Ink; 6] = [
    ink((0x00, 0x5f, 0xa8), "#5cb3ff"),
    ink((0xc4, 0x4e, 0x00), "#ff9c57"),
    ink((0x00, 0x7a, 0x5a), "#3fd0a0"),
    ink((0x8e, 0x3a, 0x80), "#e79bd8"),
    ink((0x7a, 0x62, 0x00), "#e0c23c"),
    ink((0x55, 0x55, 0x55), "#b0b0b0"),
];

/// What turns the palette where darkness is preferred; of inline plots once a page.
pub fn dark_style() -> String {
    let turned = |ink: &Ink| {
        let RGBColor(r, g, b) = ink.light;
        let (light, dark) = (format!("#{r:02X}{g:02X}{b:02X}"), ink.dark);
        format!("svg [stroke=\"{light}\"]{{stroke:{dark}}}svg [fill=\"{light}\"]{{fill:{dark}}}")
    };
    let rules: String = [&TEXT, &GRID]
        .into_iter()
        .chain(&SERIES)
        .map(turned)
        .collect();
    format!("@media (prefers-color-scheme: dark){{{rules}}}")
}

/// To be put into a page that has [`dark_style`].
///
/// # Errors
/// What the plotting library meets.
pub fn inline(figure: &Figure) -> Result<String, String> {
    let svg = drawn(figure)?;
    let body = svg.split_once('>').map_or("", |(_, body)| body);
    let (width, height) = SIZE;
    Ok(format!(
        "<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}\">{body}",
        escaped(&figure.title)
    ))
}

/// A file of its own.
///
/// # Errors
/// What the plotting library meets.
pub fn file(figure: &Figure) -> Result<String, String> {
    let svg = drawn(figure)?;
    let (head, body) = svg.split_once('>').unwrap_or_default();
    Ok(format!(
        "{head}>\n<title>{}</title>\n<style>{}</style>{body}",
        escaped(&figure.title),
        dark_style()
    ))
}

fn drawn(figure: &Figure) -> Result<String, String> {
    let mut svg = String::new();
    draw(figure, SVGBackend::with_string(&mut svg, SIZE)).map_err(|error| error.to_string())?;
    Ok(svg)
}

type Drawn<'s> = DrawingAreaErrorKind<<SVGBackend<'s> as DrawingBackend>::ErrorType>;

fn draw<'s>(figure: &Figure, backend: SVGBackend<'s>) -> Result<(), Drawn<'s>> {
    let root = backend.into_drawing_area();
    let points = || figure.curves.iter().flat_map(|curve| &curve.points);
    let [x0, x1] = around(points().map(|point| point.0));
    let [y0, y1] = around(points().map(|point| point.1).chain([1.0]));
    let mut chart = ChartBuilder::on(&root)
        .margin(12)
        .margin_right(24)
        .x_label_area_size(44)
        .y_label_area_size(64)
        .build_cartesian_2d((x0..x1).log_scale(), (y0..y1).log_scale())?;
    let (family, size) = FONT;
    chart
        .configure_mesh()
        .label_style((family, size, &TEXT.light))
        .axis_desc_style((family, size, &TEXT.light))
        .axis_style(TEXT.light)
        .bold_line_style(GRID.light)
        .light_line_style(TRANSPARENT)
        .x_labels(6)
        .y_labels(10)
        .x_label_formatter(&|size| short(*size))
        .y_label_formatter(&|multiple| short(*multiple))
        .x_desc(figure.unit)
        .y_desc("times the empty pass")
        .draw()?;
    for curve in &figure.curves {
        let style = line(curve);
        let line = LineSeries::new(curve.points.iter().copied(), style);
        chart
            .draw_series(line)?
            .label(&curve.label)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], style));
        let marks = curve
            .points
            .iter()
            .map(|point| Circle::new(*point, POINT, mark(curve)));
        chart.draw_series(marks)?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .label_font((family, size, &TEXT.light))
        .draw()?;
    root.present()
}

fn colour(curve: &Curve) -> RGBColor {
    SERIES[curve.colour % SERIES.len()].light
}

fn line(curve: &Curve) -> ShapeStyle {
    colour(curve).stroke_width(if curve.is_thin { 1 } else { 3 })
}

fn mark(curve: &Curve) -> ShapeStyle {
    match curve.is_thin {
        true => colour(curve).stroke_width(1),
        false => colour(curve).filled(),
    }
}

/// The powers of ten around values that are above 0.
fn around(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
    for value in values {
        (low, high) = (low.min(value), high.max(value));
    }
    let low = low.log10().floor();
    // A power of ten itself needs no room above it, but an axis some length.
    let high = high.log10().ceil().max(low + 1.0);
    [10_f64.powf(low), 10_f64.powf(high)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_at_powers_of_ten() {
        assert_eq!(around([20.0, 1000.0].into_iter()), [10.0, 1000.0]);
        assert_eq!(around([1.0].into_iter()), [1.0, 10.0]);
        assert_eq!(around([0.5, 1.2].into_iter()), [0.1, 10.0]);
    }
}
