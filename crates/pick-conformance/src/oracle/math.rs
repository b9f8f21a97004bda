//! The oracle's own vectors and matrices: plain f64 arrays, nothing shared with what it judges.

/// A point or direction.
pub type V3 = [f64; 3];
/// A plane or a homogeneous point.
pub type V4 = [f64; 4];
/// A matrix, column by column, for column vectors.
pub type M4 = [[f64; 4]; 4];

/// The matrix that changes nothing.
pub const IDENTITY: M4 = [
    [1.0, 0.0, 0.0, 0.0],
    [0.0, 1.0, 0.0, 0.0],
    [0.0, 0.0, 1.0, 0.0],
    [0.0, 0.0, 0.0, 1.0],
];

/// `a + b`.
pub fn add(a: V3, b: V3) -> V3 {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// `a - b`.
pub fn sub(a: V3, b: V3) -> V3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// `a` times a number.
pub fn scale(a: V3, by: f64) -> V3 {
    a.map(|c| c * by)
}

/// The inner product.
pub fn dot(a: V3, b: V3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The outer product.
pub fn cross(a: V3, b: V3) -> V3 {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

/// Euclidean length.
pub fn length(a: V3) -> f64 {
    dot(a, a).sqrt()
}

/// Unit length; a zero vector stays zero.
pub fn unit(a: V3) -> V3 {
    let length = length(a);
    if length > 0.0 {
        scale(a, 1.0 / length)
    } else {
        a
    }
}

/// `weights[0] * values[0] + ...`.
pub fn blend(values: [V3; 3], weights: [f64; 3]) -> V3 {
    let term = |k: usize| scale(values[k], weights[k]);
    add(add(term(0), term(1)), term(2))
}

/// One row of a matrix.
pub fn row(m: &M4, index: usize) -> V4 {
    [m[0][index], m[1][index], m[2][index], m[3][index]]
}

/// `a * b`.
pub fn product(a: &M4, b: &M4) -> M4 {
    let entry = |c: usize, r: usize| (0..4).map(|k| a[k][r] * b[c][k]).sum();
    std::array::from_fn(|c| std::array::from_fn(|r| entry(c, r)))
}

/// A matrix times a point (w = 1).
pub fn at_point(m: &M4, p: V3) -> V4 {
    std::array::from_fn(|r| m[0][r] * p[0] + m[1][r] * p[1] + m[2][r] * p[2] + m[3][r])
}

/// An affine matrix times a point.
pub fn move_point(m: &M4, p: V3) -> V3 {
    let [x, y, z, _] = at_point(m, p);
    [x, y, z]
}

/// The value of a plane (or of any linear form) at a point.
pub fn form(plane: V4, p: V3) -> f64 {
    plane[0] * p[0] + plane[1] * p[1] + plane[2] * p[2] + plane[3]
}

/// The three columns of the linear part.
pub fn linear(m: &M4) -> [V3; 3] {
    [0, 1, 2].map(|c| [m[c][0], m[c][1], m[c][2]])
}

/// The determinant of three columns.
pub fn determinant(columns: [V3; 3]) -> f64 {
    dot(columns[0], cross(columns[1], columns[2]))
}

/// The inverse transpose of the linear part times a direction, up to a positive factor.
pub fn move_normal(m: &M4, normal: V3) -> V3 {
    let [x, y, z] = linear(m);
    let side = if determinant([x, y, z]) < 0.0 {
        -1.0
    } else {
        1.0
    };
    let columns = [cross(y, z), cross(z, x), cross(x, y)];
    scale(blend(columns, normal), side)
}

/// A row-major 3x4 f32 matrix, exactly.
pub fn from_rows(rows: &[[f32; 4]; 3]) -> M4 {
    let at = |r: usize, c: usize| f64::from(rows[r][c]);
    std::array::from_fn(|c| {
        let w = if c == 3 { 1.0 } else { 0.0 };
        [at(0, c), at(1, c), at(2, c), w]
    })
}

/// The point where three planes meet; `None` when two of them run alike.
pub fn meet(planes: [V4; 3]) -> Option<V3> {
    let normal = |k: usize| [planes[k][0], planes[k][1], planes[k][2]];
    let (a, b, c) = (normal(0), normal(1), normal(2));
    let volume = dot(a, cross(b, c));
    let sum = add(
        add(
            scale(cross(b, c), -planes[0][3]),
            scale(cross(c, a), -planes[1][3]),
        ),
        scale(cross(a, b), -planes[2][3]),
    );
    let point = scale(sum, 1.0 / volume);
    point.iter().all(|c| c.is_finite()).then_some(point)
}

/// The homogeneous point on which three linear forms vanish.
pub fn common_zero(a: V4, b: V4, c: V4) -> V4 {
    let minor = |skip: usize| {
        let pick = |v: V4| {
            let mut kept = (0..4).filter(|&k| k != skip).map(|k| v[k]);
            std::array::from_fn(|_| kept.next().unwrap_or(0.0))
        };
        determinant([pick(a), pick(b), pick(c)])
    };
    [minor(0), -minor(1), minor(2), -minor(3)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_planes_meet_where_all_vanish() {
        let planes = [
            [1.0, 0.0, 0.0, -2.0],
            [0.0, 2.0, 0.0, -6.0],
            [1.0, 1.0, 1.0, 0.0],
        ];
        assert_eq!(meet(planes), Some([2.0, 3.0, -5.0]));
        assert_eq!(meet([planes[0], planes[0], planes[1]]), None);
    }

    #[test]
    fn a_common_zero_is_the_eye() {
        // x = 3w, y = -w, z = 2w.
        let [x, y, z, w] = common_zero(
            [1.0, 0.0, 0.0, -3.0],
            [0.0, 1.0, 0.0, 1.0],
            [0.0, 0.0, 1.0, -2.0],
        );
        assert_eq!([x / w, y / w, z / w], [3.0, -1.0, 2.0]);
    }

    #[test]
    fn normals_stay_upright_under_uneven_scale_and_mirrors() {
        let mut m = IDENTITY;
        m[0][0] = -2.0;
        let normal = unit(move_normal(&m, [1.0, 1.0, 0.0]));
        let upright = unit([-0.5, 1.0, 0.0]);
        assert!(length(sub(normal, upright)) < 1e-15);
    }
}
