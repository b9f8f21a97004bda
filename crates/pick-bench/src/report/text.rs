//! Text that is safe where it goes, and numbers as a person reads them.

use crate::results::Ratio;

/// Stands where there is no number.
pub const NOTHING: &str = "–";

/// What may stand between tags and within quotes of HTML and SVG.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            c => out.push(c),
        }
    }
    out
}

/// A measured number: three digits or more, thousands apart.
pub fn number(value: f64) -> String {
    let size = value.abs();
    match size {
        _ if !size.is_finite() => NOTHING.to_owned(),
        _ if size == 0.0 => "0".to_owned(),
        _ if size < 0.095 => format!("{value:.3}"),
        _ if size < 9.95 => format!("{value:.2}"),
        _ if size < 99.5 => format!("{value:.1}"),
        _ => count(value),
    }
}

/// How many, thousands apart.
pub fn count(value: f64) -> String {
    if !value.is_finite() {
        return NOTHING.to_owned();
    }
    let digits = format!("{:.0}", value.abs());
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    match value < 0.0 {
        true => format!("-{out}"),
        false => out,
    }
}

/// The middle half of a ratio's rounds.
pub fn quartiles(ratio: Ratio) -> String {
    format!("{}–{}", number(ratio.low), number(ratio.high))
}

/// A size, as axes have it.
pub fn short(value: f64) -> String {
    let scaled = |by: f64, unit: &str| format!("{} {unit}", (value / by * 10.0).round() / 10.0);
    match value {
        _ if value >= 1e6 => scaled(1e6, "M"),
        _ if value >= 1e3 => scaled(1e3, "k"),
        _ => format!("{}", (value * 10.0).round() / 10.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_escapes() {
        assert_eq!(escaped("a<&\">'b"), "a&lt;&amp;&quot;&gt;&#39;b");
    }

    #[test]
    fn numbers_have_as_many_digits_as_they_deserve() {
        let told = [0.0, 0.0123, 0.5, 9.96, 45.23, 353.4, 999.6, 42_820.2, 1e7].map(number);
        let read = [
            "0",
            "0.012",
            "0.50",
            "10.0",
            "45.2",
            "353",
            "1,000",
            "42,820",
            "10,000,000",
        ];
        assert_eq!(told, read);
        assert_eq!(number(-1234.0), "-1,234");
        assert_eq!([0.0, 7.0, 1e6].map(count), ["0", "7", "1,000,000"]);
        assert_eq!(count(f64::INFINITY), NOTHING);
        assert_eq!(number(f64::NAN), NOTHING);
        assert_eq!(number(f64::INFINITY), NOTHING);
    }

    #[test]
    fn axes_are_short() {
        assert_eq!(
            [0.5, 10.0, 1500.0, 2e6].map(short),
            ["0.5", "10", "1.5 k", "2 M"]
        );
    }
}
