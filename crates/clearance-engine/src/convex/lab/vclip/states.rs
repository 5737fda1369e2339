//! One step of the walk: whether two features are closest, and if not, which neighbour takes the
//! place of one of them.

use super::regions::{Clipped, Feature, Segment, Side};

/// What to do with two features.
pub(super) enum Step {
    /// Feature number 0 or 1 becomes another one.
    To(usize, Feature),
    /// They are closest.
    Closest,
    /// The edge of polyhedron `edge_of` passes through the other's face, at this part of its
    /// length.
    Pierces { edge_of: usize, face: u32, at: f64 },
    /// A vertex is below or on a face, and nothing leads it up.
    Below,
}

/// Looks at two features, the first of polyhedron 0.
pub(super) fn step(sides: &[Side<'_>; 2], features: [Feature; 2]) -> Step {
    use Feature::{Edge, Face, Vertex};
    match features {
        [Vertex(v), Vertex(w)] => vertices(sides, v, w),
        [Vertex(v), Edge(from, to)] => vertex_and_edge(sides, 0, v, (from, to)),
        [Edge(from, to), Vertex(w)] => vertex_and_edge(sides, 1, w, (from, to)),
        [Vertex(v), Face(f)] => vertex_and_face(sides, 0, v, f),
        [Face(f), Vertex(w)] => vertex_and_face(sides, 1, w, f),
        [Edge(p, q), Edge(r, s)] => edges(sides, [(p, q), (r, s)]),
        [Edge(from, to), Face(f)] => edge_and_face(sides, 0, (from, to), f),
        [Face(f), Edge(from, to)] => edge_and_face(sides, 1, (from, to), f),
        // No start and no step leads here; a vertex of one will do.
        [Face(f), Face(_)] => Step::To(0, Vertex(sides[0].polyhedron.face(f)[0])),
    }
}

fn vertices(sides: &[Side<'_>; 2], v: u32, w: u32) -> Step {
    let towards_w = || sides[0].edge_towards(v, sides[0].theirs(&sides[1], w)).map(|edge| Step::To(0, edge));
    let towards_v = || sides[1].edge_towards(w, sides[1].theirs(&sides[0], v)).map(|edge| Step::To(1, edge));
    towards_w().or_else(towards_v).unwrap_or(Step::Closest)
}

/// `i` is the vertex's polyhedron.
fn vertex_and_edge(sides: &[Side<'_>; 2], i: usize, v: u32, (from, to): (u32, u32)) -> Step {
    let (own, other) = (&sides[i], &sides[1 - i]);
    // The vertex in the edge's region?
    let point = other.theirs(own, v);
    let edge = other.edge(from, to);
    if edge.along().dot(point - edge.tail) < 0.0 {
        return Step::To(1 - i, Feature::Vertex(from));
    }
    if edge.along().dot(point - edge.head) > 0.0 {
        return Step::To(1 - i, Feature::Vertex(to));
    }
    let (mut best, mut found) = (0.0, None);
    for (face, inward) in other.faces_at(from, to) {
        let beyond = inward.dot(point - edge.tail);
        if beyond > best {
            (best, found) = (beyond, face);
        }
    }
    if let Some(face) = found {
        return Step::To(1 - i, Feature::Face(face));
    }
    // The nearest point of the edge in the vertex's region?
    let edge = own.their_edge(other, from, to);
    let clipped = own.clip_to_vertex(v, &edge);
    let vertex = own.vertex(v);
    let slope = |place: f64, _: Feature| edge.along().dot(edge.at(place) - vertex);
    moved_to(&clipped, slope).map_or(Step::Closest, |feature| Step::To(i, feature))
}

fn vertex_and_face(sides: &[Side<'_>; 2], i: usize, v: u32, f: u32) -> Step {
    let (own, other) = (&sides[i], &sides[1 - i]);
    let point = other.theirs(own, v);
    // Beyond which side of the face the vertex is, as far as possible.
    let (mut worst, mut found) = (0.0, None);
    for (from, to, inward) in other.sides_of(f) {
        let inside = inward.dot(point - other.vertex(from));
        let beyond = if inside < 0.0 { inside * inside / inward.length_squared() } else { 0.0 };
        if beyond > worst {
            (worst, found) = (beyond, Some((from, to)));
        }
    }
    if let Some((from, to)) = found {
        return Step::To(1 - i, Feature::Edge(from, to));
    }
    let height = other.height(f, point);
    // Does an edge lead from the vertex towards the face's plane?
    let upward = other.to_other(other.normal(f)) * if height < 0.0 { -1.0 } else { 1.0 };
    let vertex = own.vertex(v);
    let (mut lowest, mut down) = (0.0, None);
    for &to in own.polyhedron.neighbors(v) {
        let slope = upward.dot(own.vertex(to) - vertex);
        if slope < lowest {
            (lowest, down) = (slope, Some(to));
        }
    }
    if let Some(to) = down {
        return Step::To(i, Feature::Edge(v, to));
    }
    if height > 0.0 {
        return Step::Closest;
    }
    Step::Below
}

fn edges(sides: &[Side<'_>; 2], edges: [(u32, u32); 2]) -> Step {
    for i in [0, 1] {
        let (own, other) = (&sides[i], &sides[1 - i]);
        let theirs = own.their_edge(other, edges[1 - i].0, edges[1 - i].1);
        let ends = own.clip_to_ends(edges[i], &theirs);
        let slope = |place: f64, beyond: Feature| slope_at(own, &theirs, place, beyond);
        if let Some(vertex) = moved_to(&ends, slope) {
            return Step::To(i, vertex);
        }
        let faces = own.clip_to_faces(edges[i], &theirs);
        if let Some(face) = moved_to(&faces, slope) {
            return Step::To(i, face);
        }
    }
    Step::Closest
}

/// The sign of how fast the distance from a vertex or face grows along an edge.
fn slope_at(side: &Side<'_>, edge: &Segment, place: f64, from: Feature) -> f64 {
    let point = edge.at(place);
    match from {
        Feature::Vertex(v) => edge.along().dot(point - side.vertex(v)),
        Feature::Face(f) => {
            let slope = edge.along().dot(side.normal(f));
            if side.height(f, point) < 0.0 { -slope } else { slope }
        }
        Feature::Edge(..) => 0.0,
    }
}

/// The neighbour in whose region the nearest point of a clipped edge is; `None` if it is in
/// between.
fn moved_to(clipped: &Clipped, slope: impl Fn(f64, Feature) -> f64) -> Option<Feature> {
    if let Some(beyond) = clipped.beyond() {
        return Some(beyond);
    }
    clipped
        .below
        .filter(|&below| slope(clipped.low, below) > 0.0)
        .or_else(|| clipped.above.filter(|&above| slope(clipped.high, above) < 0.0))
}

fn edge_and_face(sides: &[Side<'_>; 2], i: usize, (from, to): (u32, u32), f: u32) -> Step {
    let (own, other) = (&sides[i], &sides[1 - i]);
    let edge = other.their_edge(own, from, to);
    let clipped = other.clip_to_face(f, &edge);
    if clipped.is_empty() {
        return Step::To(1 - i, nearest_side(other, f, &edge));
    }
    let [low, high] = [clipped.low, clipped.high].map(|place| other.height(f, edge.at(place)));
    if low * high <= 0.0 {
        let share = if low == high { 0.0 } else { low / (low - high) };
        let at = clipped.low + (clipped.high - clipped.low) * share;
        return Step::Pierces { edge_of: i, face: f, at };
    }
    // The nearer end of what is above or below the face: of the whole edge its end, else the face's
    // side there.
    let (beyond, end) = if high.abs() >= low.abs() { (clipped.below, from) } else { (clipped.above, to) };
    match beyond {
        Some(side) => Step::To(1 - i, side),
        None => Step::To(i, Feature::Vertex(end)),
    }
}

/// The side of a face that is nearest to an edge.
fn nearest_side(side: &Side<'_>, face: u32, edge: &Segment) -> Feature {
    let (mut least, mut best) = (f64::INFINITY, (0, 0));
    for (from, to, _) in side.sides_of(face) {
        let own = side.edge(from, to);
        let found = super::nearest_of_edges([own.tail, own.head], [edge.tail, edge.head]);
        let squared = found.point_a.distance_squared(found.point_b);
        if squared < least {
            (least, best) = (squared, (from, to));
        }
    }
    Feature::Edge(best.0, best.1)
}
