//! Convex polyhedra: the hull of points, with the adjacency of corners, edges and faces.
//!
//! Corners, faces and tables are shared by all copies of a polyhedron and by all places that it is moved to; a copy has its own
//! place only. Corners are kept relative to a centre and scaled by a power of two into the ball of radius 1: rounded once, by
//! 2⁻⁵³ of their distance from the centre, which is the first of the roundings that [`Convex`] allows. (With u = 2⁻⁵³, of a reach: 5.2u for turning a
//! direction into the corners' coordinates, twice, since the highest corner and the one that looks so feel it; 7u for what
//! `extremes.rs` leaves open; 5.2u for turning the corner back: 22.6u.)

mod adjacency;
mod extremes;
mod hierarchy;
mod hull;
#[cfg(test)]
mod tests;

use super::convex::{Convex, Directions, MOST_DIRECTIONS};
use super::soup::check_points;
use super::{TriMesh, Triangle};
use crate::math::lanes::{Simd, with_baseline};
use crate::math::{DMat3, DVec3, Frame, Moments, UNIT_ROUNDOFF};
use crate::{Error, ErrorKind, Pose, Result};
pub(crate) use adjacency::polygon_normal;
use adjacency::{Adjacency, sides};
use extremes::{Extremes, climb};
use hierarchy::Hierarchy;
use hull::{convex_hull, out_of_range};
use std::sync::{Arc, OnceLock};

/// How far given faces may be from flat, and corners beyond them, as a part of the polyhedron's size: what is left of faces that
/// were computed and written with ten digits.
const FLATNESS: f64 = 1e-9;
/// Polyhedra with as many faces tell all of them to who looks for the shortest way out of an overlap: some 5 µs.
const MOST_FACES: usize = 64;
/// As many edges of the farthest corner are told to a search, which looks along the products of all with all of another shape.
const MOST_EDGES: usize = 4;
/// A box around a polyhedron is tried along this many of its faces.
const BOX_FACES: usize = 16;

/// A solid convex polyhedron: the hull of some points, which are not all in one plane.
///
/// Its faces are polygons: no two neighbours are in one plane, and no corner is inside of an edge or a face. All of this is decided
/// exactly. Copies share everything but their place.
///
/// ```
/// use clearance::{math::DVec3, shape::{Convex, ConvexPolyhedron}};
/// let corners = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::splat(0.1), DVec3::X * 0.5];
/// let tetrahedron = ConvexPolyhedron::hull_of(&corners)?;
/// // The last two points are inside, and inside of an edge.
/// assert_eq!((tetrahedron.vertex_count(), tetrahedron.edge_count(), tetrahedron.face_count()), (4, 6, 4));
/// let top = tetrahedron.center() + tetrahedron.farthest(DVec3::new(0.1, 0.2, 0.9));
/// assert!(top.distance(DVec3::Z) < 1e-15);
/// let flat = ConvexPolyhedron::hull_of(&corners[..3]).unwrap_err();
/// assert_eq!(flat.to_string(), "the hull has no volume: all points are in one plane");
/// # Ok::<(), clearance::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ConvexPolyhedron {
    body: Arc<Body>,
    center: DVec3,
    /// Columns of unit length, orthogonal, both up to rounding.
    axes: DMat3,
    /// A power of two, by which the body's lengths become true ones.
    scale: f64,
}

/// What does not change when a polyhedron moves.
#[derive(Debug, Clone, PartialEq)]
struct Body {
    /// Relative to the centre, within 1 of it.
    corners: Vec<DVec3>,
    adjacency: Adjacency,
    /// Of the faces, outward, of unit length.
    normals: Vec<DVec3>,
    /// The corner that is farthest along the normal of each face.
    tops: Vec<u32>,
    extremes: Extremes,
    /// At least the distance of any corner from the centre.
    reach: f64,
    /// The radius of a ball about the centre that is certainly inside; zero where faces are too thin to tell.
    inner: f64,
    around: AroundBox,
    /// Made when it is first asked for.
    hierarchy: OnceLock<Hierarchy>,
}

/// A polyhedron in its own coordinates, for who walks over its surface: nothing is turned or moved for a look at a corner.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Local<'p> {
    /// Relative to the centre, within 1 of it.
    pub corners: &'p [DVec3],
    /// Of the faces, outward, of unit length.
    pub normals: &'p [DVec3],
    /// By which own coordinates, times `scale`, are turned into those of the world.
    pub axes: DMat3,
    /// A power of two.
    pub scale: f64,
    body: &'p Body,
}

impl Local<'_> {
    /// The corner that is farthest along a direction of any length in own coordinates, up to 7 roundings.
    #[inline(always)]
    pub fn farthest<S: Simd>(&self, simd: S, direction: DVec3) -> u32 {
        self.body.farthest_with(simd, direction)
    }

    /// At least the distance of any corner from the centre, in own units.
    #[inline]
    pub fn reach(&self) -> f64 {
        self.body.reach
    }

    /// The radius of a ball about the centre that is certainly inside, in own units.
    #[inline]
    pub fn inner(&self) -> f64 {
        self.body.inner
    }
}

/// A box around a polyhedron, in the coordinates of its corners.
#[derive(Debug, Clone, Copy, PartialEq)]
struct AroundBox {
    center: DVec3,
    axes: DMat3,
    half: DVec3,
}

impl ConvexPolyhedron {
    /// The convex hull of points, of which any may be equal, on one line or in one plane, as long as not all of them are: then the error
    /// says which. Points that are not finite, or beyond 1e100, are refused by their number.
    pub fn hull_of(points: &[DVec3]) -> Result<Self> {
        check_points("point", points)?;
        let (body, center, scale) = Body::hull_of(points)?;
        Ok(Self { body: Arc::new(body), center, axes: DMat3::IDENTITY, scale })
    }

    /// The convex hull of a mesh; vertices that no triangle uses do not count.
    pub fn hull_of_mesh(mesh: &TriMesh) -> Result<Self> {
        let mut used = vec![false; mesh.vertices().len()];
        mesh.triangles().iter().flatten().for_each(|&vertex| used[vertex as usize] = true);
        let points: Vec<DVec3> = mesh.vertices().iter().zip(used).filter(|(_, used)| *used).map(|(v, _)| *v).collect();
        Self::hull_of(&points)
    }

    /// A polyhedron from its faces: loops of vertices that turn left, seen from outside.
    ///
    /// The polyhedron is the hull of the vertices; the faces are a claim about it that is checked. An error names the face that is
    /// not flat or not on the hull, to 1e-9 of the polyhedron's size, or the edge that has not one face on either side.
    ///
    /// ```
    /// use clearance::{math::DVec3, shape::ConvexPolyhedron};
    /// let vertices = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// let mut faces = vec![vec![0, 2, 1], vec![0, 1, 3], vec![1, 2, 3], vec![2, 0, 3]];
    /// assert_eq!(ConvexPolyhedron::from_faces(&vertices, &faces)?.face_count(), 4);
    /// faces.pop();
    /// let open = ConvexPolyhedron::from_faces(&vertices, &faces).unwrap_err();
    /// assert_eq!(open.to_string(), "the edge of face 0 from vertex 0 to 2 has no face beyond it");
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn from_faces(vertices: &[DVec3], faces: &[Vec<u32>]) -> Result<Self> {
        for (i, face) in faces.iter().enumerate() {
            if let Some(index) = face.iter().find(|&&index| index as usize >= vertices.len()) {
                let message = format!("face {i} refers to vertex {index}, but there are {} vertices", vertices.len());
                return Err(Error::new(ErrorKind::OutOfRange, message));
            }
            if face.len() < 3 {
                return Err(Error::new(ErrorKind::Empty, format!("face {i} has {} vertices", face.len())));
            }
        }
        Adjacency::new(vertices.len(), faces)?;
        let polyhedron = Self::hull_of(vertices)?;
        for (i, face) in faces.iter().enumerate() {
            polyhedron.check_face(i, face.iter().map(|&vertex| vertices[vertex as usize]))?;
        }
        Ok(polyhedron)
    }

    fn check_face(&self, number: usize, corners: impl Iterator<Item = DVec3> + Clone) -> Result<()> {
        let wrong = |what: String| Err(Error::new(ErrorKind::NotConvex, format!("face {number} {what}")));
        // In units of the body, so that nothing overflows.
        let local = corners.map(|corner| (corner - self.center) / self.scale);
        let Some(normal) = polygon_normal(local.clone()).try_normalize() else { return Ok(()) };
        let heights = local.map(|corner| normal.dot(corner));
        let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), h| (low.min(h), high.max(h)));
        let allowed = FLATNESS * self.body.reach;
        if high - low > allowed {
            return wrong(format!("is not flat: its vertices are {:e} off its plane", (high - low) * self.scale));
        }
        let beyond = normal.dot(self.body.corners[self.body.farthest(normal) as usize]) - low;
        if beyond > allowed {
            return wrong(format!("is not on the hull: a vertex is {:e} beyond it", beyond * self.scale));
        }
        Ok(())
    }

    /// How many corners it has; at least 4.
    pub fn vertex_count(&self) -> usize {
        self.body.corners.len()
    }

    /// How many edges it has.
    pub fn edge_count(&self) -> usize {
        self.body.adjacency.edge_count()
    }

    /// How many faces it has; at least 4.
    pub fn face_count(&self) -> usize {
        self.body.adjacency.face_count()
    }

    /// Corner `i`, rounded. Panics if there are no more than `i`, as the following do.
    pub fn vertex(&self, i: u32) -> DVec3 {
        self.center + self.turned_back(self.body.corners[i as usize])
    }

    /// All corners, rounded, in the order of the points that the hull was made of.
    pub fn vertices(&self) -> impl ExactSizeIterator<Item = DVec3> + '_ {
        self.body.corners.iter().map(|&corner| self.center + self.turned_back(corner))
    }

    /// The corners at the other ends of corner `i`'s edges, in no particular order.
    pub fn neighbors(&self, i: u32) -> &[u32] {
        self.body.adjacency.neighbors(i)
    }

    /// The faces that meet in corner `i`: those on the left of the edges to its [`neighbors`](Self::neighbors), in their order.
    pub fn faces_around(&self, i: u32) -> &[u32] {
        self.body.adjacency.faces_around(i)
    }

    /// The corners of face `f`, left turns seen from outside.
    pub fn face(&self, f: u32) -> &[u32] {
        self.body.adjacency.face(f)
    }

    /// The faces across the edges of face `f`, each from one of its [corners](Self::face) to the next.
    pub fn faces_across(&self, f: u32) -> &[u32] {
        self.body.adjacency.across(f)
    }

    /// The face on the left of the edge from corner `from` to corner `to`, seen from outside; `None` if there is no such edge.
    ///
    /// ```
    /// use clearance::{math::DVec3, shape::ConvexPolyhedron};
    /// let tetrahedron = ConvexPolyhedron::hull_of(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
    /// let face = tetrahedron.face_beside(2, 1).unwrap();
    /// assert!(tetrahedron.face_normal(face).distance(DVec3::NEG_Z) < 1e-15);
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn face_beside(&self, from: u32, to: u32) -> Option<u32> {
        let ends = (from as usize) < self.vertex_count();
        ends.then(|| self.body.adjacency.left_of(from, to)).flatten()
    }

    /// The corner that is farthest along `direction`, which may have any length, up to rounding.
    pub fn farthest_vertex(&self, direction: DVec3) -> u32 {
        self.body.farthest(self.axes.transpose() * direction)
    }

    /// The outward normal of face `f`, of unit length, rounded.
    pub fn face_normal(&self, f: u32) -> DVec3 {
        self.axes * self.body.normals[f as usize]
    }

    /// Its surface, closed and outward: each face as a fan of triangles about its first corner.
    ///
    /// ```
    /// use clearance::{math::DVec3, shape::{ConvexPolyhedron, check_closed}};
    /// let corner = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2));
    /// let cube = ConvexPolyhedron::hull_of(&(0..8).map(corner).collect::<Vec<_>>())?.surface()?;
    /// assert_eq!(cube.len(), 12);
    /// check_closed(&cube)?;
    /// # Ok::<(), clearance::Error>(())
    /// ```
    pub fn surface(&self) -> Result<TriMesh> {
        let fan = |face: u32| {
            let corners = self.face(face);
            corners[1..].windows(2).map(move |edge| [corners[0], edge[0], edge[1]])
        };
        TriMesh::new(self.vertices().collect(), (0..self.face_count() as u32).flat_map(fan).collect())
    }

    /// The polyhedron after a rigid motion, rounded.
    #[must_use]
    pub fn transformed(&self, pose: &Pose) -> Self {
        let (center, axes) = (pose.transform_point(self.center), *pose.rotation() * self.axes);
        Self { body: self.body.clone(), center, axes, scale: self.scale }
    }

    /// As [`farthest_vertex`](Self::farthest_vertex), found along edges from a corner that is near it.
    #[inline]
    pub(crate) fn farthest_vertex_from(&self, direction: DVec3, start: u32) -> u32 {
        climb(&self.body.corners, &self.body.adjacency, self.axes.transpose() * direction, start)
    }

    /// The corner that is farthest along the normal of face `f`: one of the face's, up to rounding.
    #[inline]
    pub(crate) fn top_of_face(&self, f: u32) -> u32 {
        self.body.tops[f as usize]
    }

    /// Corner `i` relative to the centre.
    #[inline]
    pub(crate) fn vertex_offset(&self, i: u32) -> DVec3 {
        self.turned_back(self.body.corners[i as usize])
    }

    #[inline]
    pub(crate) fn local(&self) -> Local<'_> {
        Local {
            corners: &self.body.corners,
            normals: &self.body.normals,
            axes: self.axes,
            scale: self.scale,
            body: &self.body,
        }
    }

    /// How many polyhedra its hierarchy has: itself, number 0, and inner ones of ever fewer of its corners.
    pub(crate) fn level_count(&self) -> usize {
        1 + self.body.hierarchy().levels.len()
    }

    /// The corner of one level's polyhedron that is farthest along a direction, found along its edges; corners have other numbers there.
    pub(crate) fn farthest_in_level(&self, level: usize, direction: DVec3, start: u32) -> u32 {
        let local = self.axes.transpose() * direction;
        match level.checked_sub(1).map(|level| &self.body.hierarchy().levels[level]) {
            Some(level) => climb(&level.corners, &level.adjacency, local, start),
            None => climb(&self.body.corners, &self.body.adjacency, local, start),
        }
    }

    /// The number that a corner of one level has in the next finer one; level 0 has none.
    pub(crate) fn in_finer_level(&self, level: usize, corner: u32) -> u32 {
        self.body.hierarchy().levels[level - 1].finer[corner as usize]
    }

    /// A corner of one level relative to the centre.
    pub(crate) fn level_offset(&self, level: usize, corner: u32) -> DVec3 {
        match level.checked_sub(1) {
            Some(level) => self.turned_back(self.body.hierarchy().levels[level].corners[corner as usize]),
            None => self.vertex_offset(corner),
        }
    }

    pub(crate) fn stored(&self, frame: &Frame) -> Self {
        let (center, scale) = (frame.store(self.center), self.scale * frame.scale);
        Self { body: self.body.clone(), center, axes: self.axes, scale }
    }

    /// The centre, axes and half extents of a box around it: a small one, or, where that keeps it farther away from `viewpoint`, one with
    /// a face towards there.
    #[inline(never)]
    pub(crate) fn box_seen_from(&self, viewpoint: DVec3) -> (DVec3, DMat3, DVec3) {
        let local = self.axes.transpose() * (viewpoint - self.center) / self.scale;
        let AroundBox { center, axes, half } = self.body.box_seen_from(local);
        (self.center + self.turned_back(center), self.axes * axes, half * self.scale)
    }

    #[inline]
    fn turned_back(&self, corner: DVec3) -> DVec3 {
        self.axes * (corner * self.scale)
    }
}

impl Body {
    /// The hull of finite points about its centre, the centre, and the power of two by which it is to be scaled.
    fn hull_of(points: &[DVec3]) -> Result<(Self, DVec3, f64)> {
        let (scaled, unit) = scaled_down(points);
        let hull = convex_hull(&scaled)?;
        let corners: Vec<DVec3> = hull.corners.iter().map(|&corner| scaled[corner as usize]).collect();
        let adjacency = Adjacency::new(corners.len(), &hull.faces)?;
        if corners.len() + adjacency.face_count() != adjacency.edge_count() + 2 {
            return Err(out_of_range());
        }
        let first = corners[0];
        let mean = corners.iter().map(|&corner| corner - first).sum::<DVec3>() / corners.len() as f64;
        let center = first + mean;
        let reach = corners.iter().fold(0.0_f64, |reach, corner| reach.max(corner.distance(center)));
        let factor = Frame::around(DVec3::splat(-reach), DVec3::splat(reach)).scale;
        let corners: Vec<DVec3> = corners.iter().map(|&corner| (corner - center) * factor).collect();
        let normal_of = |face: u32| {
            let normal = polygon_normal(adjacency.face(face).iter().map(|&corner| corners[corner as usize]));
            normal.try_normalize().unwrap_or(DVec3::X)
        };
        let normals: Vec<DVec3> = (0..adjacency.face_count() as u32).map(normal_of).collect();
        let top_of = |(face, normal): (u32, &DVec3)| climb(&corners, &adjacency, *normal, adjacency.face(face)[0]);
        let tops = (0..).zip(&normals).map(top_of).collect();
        let extremes = Extremes::new(&corners, &adjacency);
        let inner = inner_radius(&corners, &adjacency);
        let around = AroundBox { center: DVec3::ZERO, axes: DMat3::IDENTITY, half: DVec3::ZERO };
        let mut body = Self {
            corners,
            adjacency,
            normals,
            tops,
            extremes,
            reach: reach * factor,
            inner,
            around,
            hierarchy: OnceLock::new(),
        };
        body.around = body.small_box();
        Ok((body, center / unit, 1.0 / (unit * factor)))
    }

    #[inline]
    fn farthest(&self, direction: DVec3) -> u32 {
        // What every processor has: asking which one this is takes as long as a few corners.
        with_baseline!(simd => self.farthest_with(simd, direction))
    }

    /// The same for callers that run in [`vectorized`](crate::math::lanes::vectorized).
    #[inline(always)]
    fn farthest_with<S: Simd>(&self, simd: S, direction: DVec3) -> u32 {
        self.extremes.farthest(simd, &self.corners, &self.adjacency, direction)
    }

    fn hierarchy(&self) -> &Hierarchy {
        self.hierarchy.get_or_init(|| Hierarchy::new(&self.corners, &self.adjacency))
    }

    /// The box with the least surface among some: along the coordinate axes, the principal axes, and the largest faces.
    fn small_box(&self) -> AroundBox {
        let mut moments = Moments::default();
        self.corners.iter().for_each(|&corner| moments += &Moments::of_point(corner));
        let mut candidates = vec![DMat3::IDENTITY, moments.principal_axes()];
        let area = |&face: &u32| {
            let corners = self.adjacency.face(face).iter().map(|&corner| self.corners[corner as usize]);
            polygon_normal(corners).length_squared()
        };
        let mut faces: Vec<u32> = (0..self.adjacency.face_count() as u32).collect();
        faces.sort_by_cached_key(|face| std::cmp::Reverse(area(face).to_bits()));
        for &face in faces.iter().take(BOX_FACES) {
            let edges = sides(self.adjacency.face(face)).map(|(from, to)| self.edge(from, to));
            let longest = edges.max_by(|e, f| e.length_squared().total_cmp(&f.length_squared()));
            let normal = self.normals[face as usize];
            let along = longest.map(|edge| edge - normal * normal.dot(edge)).and_then(DVec3::try_normalize);
            candidates.extend(along.map(|along| DMat3::from_cols(normal, along, normal.cross(along))));
        }
        let boxes = candidates.iter().map(|axes| self.box_along(axes));
        let surface = |half: DVec3| half.x * half.y + half.y * half.z + half.z * half.x;
        let smallest = boxes.min_by(|a, b| surface(a.half).total_cmp(&surface(b.half)));
        smallest.unwrap_or_else(|| self.box_along(&DMat3::IDENTITY))
    }

    fn box_along(&self, axes: &DMat3) -> AroundBox {
        let height = |direction: DVec3| direction.dot(self.corners[self.farthest(direction) as usize]);
        let [high, low] = [1.0, -1.0].map(|sign| {
            DVec3::from_array([axes.x_axis, axes.y_axis, axes.z_axis].map(|axis| sign * height(axis * sign)))
        });
        // Some 20 roundings of the size, 1.
        let half = (high - low) * 0.5 + 1e-14;
        AroundBox { center: *axes * ((high + low) * 0.5), axes: *axes, half }
    }

    /// The small box, or one that is farther from `viewpoint`. Directions are looked along from its nearest point and from the centre:
    /// the polyhedron ends where its farthest corner is, and across the direction not beyond the small box.
    fn box_seen_from(&self, viewpoint: DVec3) -> AroundBox {
        let around = &self.around;
        let offset = around.axes.transpose() * (viewpoint - around.center);
        let outside = around.axes * (offset - offset.clamp(-around.half, around.half));
        let mut best = (outside.length(), None);
        for direction in [outside, viewpoint].into_iter().filter_map(DVec3::try_normalize) {
            let height = direction.dot(self.corners[self.farthest(direction) as usize]);
            let gap = direction.dot(viewpoint) - height;
            if gap > best.0 {
                best = (gap, Some((direction, height)));
            }
        }
        let Some((direction, height)) = best.1 else { return *around };
        let (u, v) = direction.any_orthonormal_pair();
        let axes = DMat3::from_cols(direction, u, v);
        let turned = axes.transpose() * around.axes;
        let size = |row: DVec3| row.abs().dot(around.half) + 1e-14;
        let half = DVec3::new(size(turned.row(0)), size(turned.row(1)), size(turned.row(2)));
        let mut center = axes.transpose() * around.center;
        // Cut off what the small box has beyond the farthest corner.
        let (low, high) = (center.x - half.x, (center.x + half.x).min(height + 1e-14));
        center.x = 0.5 * (low + high);
        let half = DVec3 { x: 0.5 * (high - low), ..half };
        AroundBox { center: axes * center, axes, half }
    }

    /// How far a point is beyond the plane of a face.
    fn height(&self, face: u32, point: DVec3) -> f64 {
        let corner = self.corners[self.adjacency.face(face)[0] as usize];
        self.normals[face as usize].dot(point - corner)
    }

    /// The point of some faces that is nearest to one.
    fn nearest_on(&self, faces: impl Iterator<Item = u32>, point: DVec3) -> Option<DVec3> {
        let (mut best, mut least) = (None, f64::INFINITY);
        for face in faces {
            let corners = self.adjacency.face(face);
            let tip = self.corners[corners[0] as usize];
            for edge in corners[1..].windows(2) {
                let triangle = Triangle([tip, self.corners[edge[0] as usize], self.corners[edge[1] as usize]]);
                let nearest = tip + triangle.nearest(point - tip);
                let squared = nearest.distance_squared(point);
                if squared < least {
                    (best, least) = (Some(nearest), squared);
                }
            }
        }
        best
    }

    fn edge(&self, from: u32, to: u32) -> DVec3 {
        self.corners[to as usize] - self.corners[from as usize]
    }
}

/// Points times a power of two, so that products of three coordinates, as determinants have, are well within range; and that power.
fn scaled_down(points: &[DVec3]) -> (Vec<DVec3>, f64) {
    let largest = points.iter().fold(0.0_f64, |largest, point| largest.max(point.abs().max_element()));
    let unit = Frame::around(DVec3::splat(-largest), DVec3::splat(largest)).scale;
    (points.iter().map(|&point| point * unit).collect(), unit)
}

/// The volume of the hull of finite points, rounded, without the tables that a polyhedron has: a third of the time.
pub(crate) fn hull_volume(points: &[DVec3]) -> Result<f64> {
    let (scaled, unit) = scaled_down(points);
    let hull = convex_hull(&scaled)?;
    let corner = |place: u32| scaled[hull.corners[place as usize] as usize];
    let about = corner(0);
    let face_volume = |face: &Vec<u32>| {
        let tip = corner(face[0]) - about;
        face[1..].windows(2).map(|edge| tip.dot((corner(edge[0]) - about).cross(corner(edge[1]) - about))).sum::<f64>()
    };
    Ok(hull.faces.iter().map(face_volume).sum::<f64>() / (6.0 * unit * unit * unit))
}

/// The radius of a ball about the centre that is certainly inside.
///
/// With u = 2⁻⁵³, k corners of a face and l the length around it, its normal is a sum of k products of two edges, off by (k + k²/4)u·l², and so is,
/// with 5 roundings more, the height of a corner times the normal's length: less than 8k²u·l², which includes that corners are rounded.
fn inner_radius(corners: &[DVec3], adjacency: &Adjacency) -> f64 {
    let height = |face: u32| {
        let numbers = adjacency.face(face);
        let around = || numbers.iter().map(|&corner| corners[corner as usize]);
        let lengths = sides(numbers).map(|(from, to)| corners[from as usize].distance(corners[to as usize]));
        let (normal, length) = (polygon_normal(around()), numbers.len() as f64 * lengths.sum::<f64>());
        let lowest = around().fold(f64::INFINITY, |lowest, corner| lowest.min(normal.dot(corner)));
        (lowest - 8.0 * UNIT_ROUNDOFF * length * length) / normal.length()
    };
    // What is not a number counts as nothing.
    (0..adjacency.face_count() as u32).fold(1.0, |least: f64, face| least.min(height(face).max(0.0)))
}

/// The faces and edges that meet at the farthest corner stand for all: next to another shape these are the ones that matter.
impl Convex for ConvexPolyhedron {
    #[inline]
    fn center(&self) -> DVec3 {
        self.center
    }

    #[inline]
    fn reach(&self) -> f64 {
        self.body.reach * self.scale
    }

    #[inline]
    fn farthest(&self, direction: DVec3) -> DVec3 {
        let corner = self.body.farthest(self.axes.transpose() * direction);
        self.turned_back(self.body.corners[corner as usize])
    }

    /// On the faces that meet in the corner farthest along `offset`.
    #[inline(never)]
    fn nearest(&self, offset: DVec3) -> DVec3 {
        let local = self.axes.transpose() * offset / self.scale;
        let faces = self.body.adjacency.faces_around(self.body.farthest(local)).iter().copied();
        self.turned_back(self.body.nearest_on(faces, local).unwrap_or(local))
    }

    fn knows_nearest(&self) -> bool {
        false
    }

    /// On all faces that are not turned away.
    fn surely_nearest(&self, offset: DVec3) -> DVec3 {
        // Normals of thin faces are off by this much.
        const UNSURE: f64 = 1e-9;
        let local = self.axes.transpose() * offset / self.scale;
        let faces = || (0..self.body.adjacency.face_count() as u32).map(|face| (face, self.body.height(face, local)));
        if faces().all(|(_, height)| height <= 0.0) {
            return offset;
        }
        let visible = faces().filter(|(_, height)| *height > -UNSURE).map(|(face, _)| face);
        self.turned_back(self.body.nearest_on(visible, local).unwrap_or(local))
    }

    fn face_normals(&self, towards: DVec3) -> Directions {
        let local = self.axes.transpose() * towards;
        let faces = self.body.adjacency.faces_around(self.body.farthest(local)).iter();
        let normals = faces.map(|&face| self.body.normals[face as usize]);
        self.foremost(MOST_DIRECTIONS, normals.map(|normal| (normal.dot(local), normal)))
    }

    fn each_face_normal(&self, visit: &mut dyn FnMut(DVec3)) {
        if self.face_count() <= MOST_FACES {
            self.body.normals.iter().for_each(|&normal| visit(self.axes * normal));
        }
    }

    fn edge_directions(&self, towards: DVec3) -> Directions {
        let local = self.axes.transpose() * towards;
        let corner = self.body.farthest(local);
        let neighbors = self.body.adjacency.neighbors(corner).iter();
        let edges = neighbors.filter_map(|&other| self.body.edge(corner, other).try_normalize());
        self.foremost(MOST_EDGES, edges.map(|edge| (-edge.dot(local).abs(), edge)))
    }
}

impl ConvexPolyhedron {
    /// The directions with the highest scores, turned back: at most `count`, which must not be more than fit without allocation.
    fn foremost(&self, count: usize, scored: impl Iterator<Item = (f64, DVec3)>) -> Directions {
        let mut best = smallvec::SmallVec::<[(f64, DVec3); MOST_DIRECTIONS]>::new();
        for (score, direction) in scored {
            let place = best.iter().position(|other| score > other.0).unwrap_or(best.len());
            if place < count {
                best.truncate(count - 1);
                best.insert(place, (score, direction));
            }
        }
        best.into_iter().map(|(_, direction)| self.axes * direction).collect()
    }
}
