//! An independent description of solids and triangles: points are brought into a set by closed
//! formulas, and flat pieces are measured by the exact routines of triangles. Shares no code with
//! the search over convex shapes that it judges.

use super::Random;
use clearance_engine::math::{DMat3, DVec3};
use clearance_engine::pair::shape::triangle_distance;
use clearance_engine::shape::{Capsule, Cone, ConvexPolyhedron, Cuboid, Cylinder, Ellipsoid, Primitive, Sphere};
use clearance_engine::{Pose, Triangle};

/// What a body is, in its own coordinates.
#[derive(Debug, Clone, Copy)]
pub enum BvhKind {
    Sphere(f64),
    /// Radius and half length, along z.
    Capsule(f64, f64),
    Cuboid(DVec3),
    /// Radius and half length, along z.
    Cylinder(f64, f64),
    /// Radius and half length, the apex along z.
    Cone(f64, f64),
    /// Half axes.
    Ellipsoid(DVec3),
    Hull(&'static Hull),
    Triangle([DVec3; 3]),
}

/// How many kinds of solids there are; the number after them is the triangle's.
pub const SOLIDS: usize = 7;

impl BvhKind {
    /// The hull of a few points. Never freed: tests make a few thousand, and bodies stay plain
    /// values.
    pub fn hull_of(points: Vec<DVec3>) -> Self {
        Self::Hull(Box::leak(Box::new(Hull::new(points))))
    }

    /// The same at another size.
    pub fn scaled(self, scale: f64) -> Self {
        match self {
            Self::Sphere(r) => Self::Sphere(r * scale),
            Self::Capsule(r, h) => Self::Capsule(r * scale, h * scale),
            Self::Cuboid(half) => Self::Cuboid(half * scale),
            Self::Cylinder(r, h) => Self::Cylinder(r * scale, h * scale),
            Self::Cone(r, h) => Self::Cone(r * scale, h * scale),
            Self::Ellipsoid(half) => Self::Ellipsoid(half * scale),
            Self::Hull(hull) => Self::hull_of(hull.points.iter().map(|&point| point * scale).collect()),
            Self::Triangle(vertices) => Self::Triangle(vertices.map(|vertex| vertex * scale)),
        }
    }

    /// Whether its surface is curved in a way that a radius around flat pieces does not describe.
    pub fn is_curved(&self) -> bool {
        matches!(self, Self::Cylinder(..) | Self::Cone(..) | Self::Ellipsoid(_))
    }
}

/// The hull of a few points: all their triangles that have no point beyond.
#[derive(Debug)]
pub struct Hull {
    pub points: Vec<DVec3>,
    size: f64,
    /// With outward normals.
    faces: Vec<(Triangle, DVec3)>,
}

impl Hull {
    fn new(mut points: Vec<DVec3>) -> Self {
        points.sort_by(|p, q| p.to_array().map(|x| x + 0.0).partial_cmp(&q.to_array().map(|x| x + 0.0)).unwrap());
        points.dedup();
        let size = points.iter().fold(0.0, |far: f64, point| far.max(point.length()));
        let mut faces = Vec::new();
        for i in 0..points.len() {
            for j in 0..i {
                for k in 0..j {
                    let triangle = Triangle([points[i], points[j], points[k]]);
                    let Some(normal) = (triangle.scaled_normal() / (size * size)).try_normalize() else { continue };
                    for normal in [normal, -normal] {
                        let beyond = points.iter().map(|point| normal.dot(*point - points[i])).fold(0.0, f64::max);
                        if beyond <= 1e-14 * size {
                            faces.push((triangle, normal));
                        }
                    }
                }
            }
        }
        Self { points, size, faces }
    }

    fn project(&self, p: DVec3) -> DVec3 {
        let height = |(triangle, normal): &(Triangle, DVec3)| normal.dot(p - triangle.0[0]);
        if self.faces.iter().all(|face| height(face) <= 0.0) {
            return p;
        }
        // Of triangles in one plane, rounding may hide some.
        let visible = self.faces.iter().filter(|face| height(face) > -1e-9 * self.size);
        let nearest = visible.map(|(triangle, _)| triangle_distance(&Triangle([p; 3]), triangle).point_b);
        nearest.min_by(|a, b| a.distance_squared(p).total_cmp(&b.distance_squared(p))).unwrap_or(p)
    }
}

/// The point of a cone nearest to `p`: the best of its base, its slant and, if it is inside,
/// itself.
fn nearest_of_cone(p: DVec3, r: f64, h: f64) -> DVec3 {
    let across = p.x.hypot(p.y);
    let out = if across > 0.0 { DVec3::new(p.x / across, p.y / across, 0.0) } else { DVec3::X };
    if p.z >= -h && p.z <= h && across <= r * (h - p.z) / (2.0 * h) {
        return p;
    }
    let on_base = out * across.min(r) - DVec3::Z * h;
    let (rim, apex) = (out * r - DVec3::Z * h, DVec3::Z * h);
    let slant = apex - rim;
    let on_slant = rim + slant * ((p - rim).dot(slant) / slant.length_squared()).clamp(0.0, 1.0);
    if on_base.distance(p) < on_slant.distance(p) { on_base } else { on_slant }
}

/// The point of an ellipsoid nearest to `p`, by halving the interval in which the multiplier lies.
fn nearest_of_ellipsoid(p: DVec3, half: DVec3) -> DVec3 {
    if (p / half).length() <= 1.0 {
        return p;
    }
    let at = |t: f64| p / (half + t / half);
    let (mut low, mut high) = (0.0, (half * p).length());
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if at(middle).length() > 1.0 { low = middle } else { high = middle }
    }
    half * at(high)
}

/// A body at a place.
#[derive(Debug, Clone, Copy)]
pub struct Body {
    pub kind: BvhKind,
    pub rotation: DMat3,
    pub place: DVec3,
}

impl Body {
    pub fn pose(&self) -> Pose {
        Pose::from_matrix(self.rotation, self.place).unwrap()
    }

    /// The engine's solid in its own coordinates, if it is one.
    pub fn unmoved(&self) -> Option<Primitive> {
        Some(match self.kind {
            BvhKind::Sphere(r) => Sphere::new(r).unwrap().into(),
            BvhKind::Capsule(r, h) => Capsule::from_half_length(r, h).unwrap().into(),
            BvhKind::Cuboid(half) => Cuboid::from_half_extents(half).unwrap().into(),
            BvhKind::Cylinder(r, h) => Cylinder::from_half_length(r, h).unwrap().into(),
            BvhKind::Cone(r, h) => Cone::from_half_length(r, h).unwrap().into(),
            BvhKind::Ellipsoid(half) => Ellipsoid::new(half).unwrap().into(),
            BvhKind::Hull(hull) => ConvexPolyhedron::hull_of(&hull.points).unwrap().into(),
            BvhKind::Triangle(_) => return None,
        })
    }

    /// The engine's solid where this one is.
    pub fn primitive(&self) -> Option<Primitive> {
        self.unmoved().map(|solid| solid.transformed(&self.pose()))
    }

    pub fn triangle(&self) -> Option<Triangle> {
        match self.kind {
            BvhKind::Triangle(vertices) => Some(Triangle(vertices.map(|vertex| self.rotation * vertex + self.place))),
            _ => None,
        }
    }

    /// At least the distance of any point from the place.
    pub fn bounding_radius(&self) -> f64 {
        match self.kind {
            BvhKind::Sphere(r) => r,
            BvhKind::Capsule(r, h) => r + h,
            BvhKind::Cuboid(half) => half.length(),
            BvhKind::Cylinder(r, h) | BvhKind::Cone(r, h) => r.hypot(h),
            BvhKind::Ellipsoid(half) => half.max_element(),
            BvhKind::Hull(hull) => hull.points.iter().fold(0.0, |far: f64, point| far.max(point.length())),
            BvhKind::Triangle(vertices) => vertices.iter().fold(0.0, |far: f64, vertex| far.max(vertex.length())),
        }
    }

    /// The largest `direction·p` over the points of the body.
    pub fn support(&self, direction: DVec3) -> f64 {
        let n = self.rotation.transpose() * direction;
        let across = n.x.hypot(n.y);
        let local = match self.kind {
            BvhKind::Sphere(r) => r * n.length(),
            BvhKind::Capsule(r, h) => r * n.length() + h * n.z.abs(),
            BvhKind::Cuboid(half) => half.dot(n.abs()),
            BvhKind::Cylinder(r, h) => r * across + h * n.z.abs(),
            BvhKind::Cone(r, h) => (h * n.z).max(r * across - h * n.z),
            BvhKind::Ellipsoid(half) => (half * n).length(),
            BvhKind::Hull(hull) => hull.points.iter().fold(f64::NEG_INFINITY, |most, vertex| most.max(n.dot(*vertex))),
            BvhKind::Triangle(vertices) => {
                vertices.iter().fold(f64::NEG_INFINITY, |most, vertex| most.max(n.dot(*vertex)))
            }
        };
        local + direction.dot(self.place)
    }

    /// The point of the body nearest to `p`.
    pub fn project(&self, p: DVec3) -> DVec3 {
        let local = self.rotation.transpose() * (p - self.place);
        let around = |core: DVec3, r: f64| {
            let off = local - core;
            if off.length() <= r { local } else { core + off * (r / off.length()) }
        };
        let nearest = match self.kind {
            BvhKind::Sphere(r) => around(DVec3::ZERO, r),
            BvhKind::Capsule(r, h) => around(DVec3::Z * local.z.clamp(-h, h), r),
            BvhKind::Cuboid(half) => local.clamp(-half, half),
            BvhKind::Cylinder(r, h) => {
                let across = local.x.hypot(local.y);
                let factor = if across > r { r / across } else { 1.0 };
                DVec3::new(local.x * factor, local.y * factor, local.z.clamp(-h, h))
            }
            BvhKind::Cone(r, h) => nearest_of_cone(local, r, h),
            BvhKind::Ellipsoid(half) => nearest_of_ellipsoid(local, half),
            BvhKind::Hull(hull) => hull.project(local),
            BvhKind::Triangle(vertices) => triangle_distance(&Triangle([local; 3]), &Triangle(vertices)).point_b,
        };
        self.rotation * nearest + self.place
    }

    /// How far `p` is outside.
    pub fn outside(&self, p: DVec3) -> f64 {
        self.project(p).distance(p)
    }

    /// The flat pieces whose union, widened by the radius, has the body's surface; none for curved
    /// ones.
    fn pieces(&self) -> Option<(Vec<Triangle>, f64)> {
        let place = |p: DVec3| self.rotation * p + self.place;
        Some(match self.kind {
            BvhKind::Sphere(r) => (vec![Triangle([self.place; 3])], r),
            BvhKind::Capsule(r, h) => {
                let [start, end] = [place(DVec3::Z * -h), place(DVec3::Z * h)];
                (vec![Triangle([start, end, end])], r)
            }
            BvhKind::Cuboid(half) => {
                let vertex = |i: usize| {
                    let sign = |bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
                    place(half * DVec3::new(sign(0), sign(1), sign(2)))
                };
                let quads = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
                let halves = quads.iter().flat_map(|q| [[q[0], q[1], q[2]], [q[0], q[2], q[3]]]);
                (halves.map(|ids| Triangle(ids.map(vertex))).collect(), 0.0)
            }
            BvhKind::Cylinder(..) | BvhKind::Cone(..) | BvhKind::Ellipsoid(_) => return None,
            BvhKind::Hull(hull) => (hull.faces.iter().map(|(triangle, _)| triangle.map(place)).collect(), 0.0),
            BvhKind::Triangle(_) => (vec![self.triangle()?], 0.0),
        })
    }

    fn some_point(&self) -> DVec3 {
        match self.kind {
            BvhKind::Hull(hull) => self.rotation * hull.points[0] + self.place,
            _ => self.triangle().map_or(self.place, |triangle| triangle.0[0]),
        }
    }
}

/// The certified distance of two bodies from their flat pieces; none where one is curved.
pub fn half_space_distance(a: &Body, b: &Body) -> Option<(f64, f64)> {
    let ((pieces_a, r_a), (pieces_b, r_b)) = (a.pieces()?, b.pieces()?);
    // Rounding may carry a point of both out of one.
    let hair = 1e-13 * (a.bounding_radius() + b.bounding_radius()) + 1e-15 * (a.place.length() + b.place.length());
    if a.outside(b.some_point()) <= hair || b.outside(a.some_point()) <= hair {
        return Some((0.0, 0.0));
    }
    let mut interval = (f64::INFINITY, f64::INFINITY);
    for piece_a in &pieces_a {
        for piece_b in &pieces_b {
            let closest = triangle_distance(piece_a, piece_b);
            interval = (interval.0.min(closest.lower), interval.1.min(closest.upper));
        }
    }
    Some(((interval.0 - r_a - r_b).max(0.0), (interval.1 - r_a - r_b).max(0.0)))
}

/// The distance of two points of the bodies after alternating projections from a start: never below
/// the true distance.
pub fn traversed(a: &Body, b: &Body, start: DVec3, steps: usize) -> f64 {
    let mut point_b = b.project(start);
    let mut least = f64::INFINITY;
    for _ in 0..steps {
        let point_a = a.project(point_b);
        point_b = b.project(point_a);
        least = least.min(point_a.distance(point_b));
    }
    least
}

impl Random {
    /// A size that is often ordinary, sometimes tiny against the others, sometimes zero.
    fn extent(&mut self) -> f64 {
        match self.below(10) {
            0 => 0.0,
            1 => 10.0_f64.powf(self.between(-9.0, -1.0)),
            _ => self.between(0.1, 1.0),
        }
    }

    pub fn kind(&mut self, which: usize) -> BvhKind {
        match which {
            0 => BvhKind::Sphere(self.extent()),
            1 => BvhKind::Capsule(self.extent(), self.extent()),
            2 => BvhKind::Cuboid(DVec3::new(self.extent(), self.extent(), self.extent())),
            3 => BvhKind::Cylinder(self.extent(), self.extent()),
            4 => BvhKind::Cone(self.extent().max(1e-9), self.extent().max(1e-9)),
            5 => BvhKind::Ellipsoid(DVec3::new(self.extent(), self.extent(), self.extent()).max(DVec3::splat(1e-9))),
            6 => self.hull(),
            _ => {
                let thin = self.extent();
                BvhKind::Triangle([self.vector(), self.vector(), self.vector() * thin])
            }
        }
    }

    /// The hull of a few points: any, or vertices of a box among others, which makes edges and
    /// faces of many.
    fn hull(&mut self) -> BvhKind {
        let count = 4 + self.below(9);
        let stretch = DVec3::new(1.0, 1.0, self.extent().max(1e-6));
        let coarse = self.below(2) == 0;
        loop {
            let point = |random: &mut Self| {
                let v = random.vector();
                stretch * if coarse { (v * 1.5).round() } else { v }
            };
            let points: Vec<DVec3> = (0..count).map(|_| point(self)).collect();
            // Few coarse points may all be in one plane.
            if ConvexPolyhedron::hull_of(&points).is_ok() {
                return BvhKind::hull_of(points);
            }
        }
    }

    /// Often any rotation, sometimes a quarter turn, sometimes nearly one.
    pub fn turn(&mut self) -> DMat3 {
        let quarter = |random: &mut Random| {
            let axis = DVec3::AXES[random.below(3)];
            let turns = DMat3::from_axis_angle(axis, std::f64::consts::FRAC_PI_2 * random.below(4) as f64);
            DMat3::from_cols(turns.x_axis.round(), turns.y_axis.round(), turns.z_axis.round())
        };
        match self.below(4) {
            0 => quarter(self),
            1 => quarter(self) * DMat3::from_axis_angle(self.vector().normalize(), 1e-7 * self.signed()),
            _ => DMat3::from_quat(self.rotation()),
        }
    }
}
