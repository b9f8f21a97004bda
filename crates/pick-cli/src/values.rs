//! Values that options take. What is wrong with one is said by its parser; clap names the option.

use glam::DVec3;

/// `WxH`: whole numbers above 0.
pub fn size(text: &str) -> Result<[u32; 2], String> {
    let fix = "write width x height in pixels, such as 640x480";
    let (width, height) = text.split_once(['x', 'X']).ok_or(fix)?;
    let side = |text: &str| text.trim().parse().ok().filter(|side| *side > 0);
    match (side(width), side(height)) {
        (Some(width), Some(height)) => Ok([width, height]),
        _ => Err(fix.to_owned()),
    }
}

/// `x,y,z`: finite numbers.
pub fn vector(text: &str) -> Result<DVec3, String> {
    let parts: Vec<&str> = text.split(',').collect();
    let [x, y, z] = parts[..] else {
        return Err(format!(
            "{} numbers, not 3: write x,y,z, such as 0,1.5,-4",
            parts.len()
        ));
    };
    Ok(DVec3::new(finite(x)?, finite(y)?, finite(z)?))
}

fn finite(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        Ok(number) => Err(format!("{number} is not finite: write a finite number")),
        Err(_) => Err(format!("{text:?} is not a number: write x,y,z")),
    }
}

/// `x,y,w,h`: any four numbers; whether they enclose anything is the view's to say.
pub fn rect(text: &str) -> Result<[f64; 4], String> {
    let parts: Vec<&str> = text.split(',').collect();
    let [x, y, width, height] = parts[..] else {
        return Err(format!(
            "{} numbers, not 4: write x,y,w,h, such as 10,20,100,50",
            parts.len()
        ));
    };
    let number = |text: &str| {
        let number = text.trim().parse::<f64>();
        number.map_err(|_| format!("{:?} is not a number: write x,y,w,h", text.trim()))
    };
    Ok([number(x)?, number(y)?, number(width)?, number(height)?])
}

/// `x,y`: any two numbers; whether they are inside is the view's to say.
pub fn pixel(text: &str) -> Result<[f64; 2], String> {
    let number = |text: &str| {
        let number = text.trim().parse::<f64>();
        number.map_err(|_| format!("{:?} is not a number; write x,y", text.trim()))
    };
    match text.split_once(',') {
        Some((x, y)) => Ok([number(x)?, number(y)?]),
        None => Err("it has no comma; write x,y".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_whole_and_above_zero() {
        assert_eq!(size("640x480"), Ok([640, 480]));
        assert_eq!(size("1X2"), Ok([1, 2]));
        for bad in ["", "640", "0x4", "4x0", "-1x4", "1.5x2", "1x2x3", "x"] {
            assert!(size(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn vectors_are_three_finite_numbers() {
        assert_eq!(vector("1,-2.5, 3e2"), Ok(DVec3::new(1.0, -2.5, 300.0)));
        for bad in ["1,2", "1,2,3,4", "a,2,3", "nan,0,0", "0,inf,0", ",,"] {
            assert!(vector(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn rectangles_are_four_numbers() {
        assert_eq!(rect("1,-2.5, 3e2,4"), Ok([1.0, -2.5, 300.0, 4.0]));
        for bad in ["1,2,3", "1,2,3,4,5", "a,2,3,4", ""] {
            assert!(rect(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn pixels_may_be_anything_numeric() {
        assert_eq!(pixel("-3,10.5"), Ok([-3.0, 10.5]));
        assert!(pixel("nan,0").is_ok_and(|p| p[0].is_nan()));
        for bad in ["3", "a,1", "1,2,3", ""] {
            assert!(pixel(bad).is_err(), "{bad}");
        }
    }
}
