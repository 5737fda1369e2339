//! Convex polygons in space, as lists of vertices: the faces of solids that planes cut.

use crate::math::DVec3;

/// Splits a convex polygon at zero height into the parts below and above; vertices at zero are on
/// both sides.
pub(crate) fn cut_polygon(polygon: &[DVec3], height: &impl Fn(DVec3) -> f64) -> [Vec<DVec3>; 2] {
    let mut parts = [Vec::new(), Vec::new()];
    for (i, &vertex) in polygon.iter().enumerate() {
        let next = polygon[(i + 1) % polygon.len()];
        let (here, there) = (height(vertex), height(next));
        if here <= 0.0 {
            parts[0].push(vertex);
        }
        if here >= 0.0 {
            parts[1].push(vertex);
        }
        if here * there < 0.0 {
            let crossing = crossing(vertex, here, next, there);
            parts.iter_mut().for_each(|part| part.push(crossing));
        }
    }
    parts
}

/// The point of an edge from `p` to `q` at zero height.
pub(crate) fn crossing(p: DVec3, at_p: f64, q: DVec3, at_q: f64) -> DVec3 {
    let crossing = p + (q - p) * (at_p / (at_p - at_q));
    // Rounding must not lead out of the segment's box.
    crossing.clamp(p.min(q), p.max(q))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_square_is_cut_into_two_rectangles_and_one_that_only_touches_stays_whole() {
        let square = [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::Y];
        let [below, above] = cut_polygon(&square, &|p: DVec3| p.x - 0.25);
        let widest =
            |part: &[DVec3]| part.iter().fold((1.0_f64, 0.0_f64), |(low, high), p| (low.min(p.x), high.max(p.x)));
        assert_eq!((below.len(), widest(&below), above.len(), widest(&above)), (4, (0.0, 0.25), 4, (0.25, 1.0)));
        let [below, above] = cut_polygon(&square, &|p: DVec3| p.x - 1.0);
        assert_eq!((below.len(), above.len()), (4, 2));
    }
}
