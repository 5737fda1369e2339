//! Convex polyhedra: the convex hull of points, with the adjacency of vertices, edges and faces.
//!
//! All copies of a polyhedron share its vertices, faces and tables; a copy has its own pose only.
//! [`ConvexPolyhedron::vertices`] returns the vertices as the caller gave them. Queries see them
//! relative to a centre and scaled by a power of two into the sphere of radius 1: that rounds
//! vertices with few digits (integers, `f32`) not at all, and others once, by 2⁻⁵³ of their
//! distance from the centre, which is the first of the roundings that [`Convex`] allows. (With u =
//! 2⁻⁵³, of a bounding radius: 5.2u for turning a direction into the vertices' coordinates, twice,
//! since the highest vertex and the one that looks so feel it; 7u for what `extremes.rs` leaves
//! open; 5.2u for turning the vertex back: 22.6u.)

mod adjacency;
mod body;
mod extremes;
#[cfg(any(test, feature = "lab"))]
mod hierarchy;
mod hull;
mod slopes;
#[cfg(test)]
mod tests;

use super::TriMesh;
use super::convex::{Convex, Directions, MAX_DIRECTIONS};
use super::tri_mesh::check_points;
use crate::math::lanes::Simd;
use crate::math::{DMat3, DVec3, Frame, newton_step};
use crate::{Error, ErrorKind, Pose, Result};
pub(crate) use adjacency::polygon_normal;
use adjacency::{Adjacency, normal_error};
pub(crate) use body::hull_volume;
use body::{AroundBox, Body};
use std::sync::{Arc, Weak};

/// How far given faces may be from flat, and vertices beyond them, as a part of the polyhedron's
/// size: the error of faces that were computed and written with ten digits.
const FLATNESS: f64 = 1e-9;
/// Polyhedra with this many faces or fewer list all face normals to a search for the penetration
/// depth: some 5 µs.
const MAX_FACES: usize = 64;
/// The maximum number of edges of the support vertex that a search gets. It tries the cross
/// products of all with all of another shape.
const MAX_EDGES: usize = 4;

/// A solid convex polyhedron: the convex hull of points that are not all in one plane.
///
/// Its faces are polygons: no two neighbours are in one plane, and no vertex is inside of an edge
/// or a face. Exact predicates decide all of this. Copies share everything but their pose.
///
/// ```
/// use clearance_engine::{math::DVec3, shape::{Convex, ConvexPolyhedron}};
/// let vertices = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::splat(0.1), DVec3::X * 0.5];
/// let tetrahedron = ConvexPolyhedron::hull_of(&vertices)?;
/// // The last two points are inside, and inside of an edge.
/// assert_eq!((tetrahedron.vertex_count(), tetrahedron.edge_count(), tetrahedron.face_count()), (4, 6, 4));
/// let top = tetrahedron.center() + tetrahedron.support(DVec3::new(0.1, 0.2, 0.9));
/// assert!(top.distance(DVec3::Z) < 1e-15);
/// let flat = ConvexPolyhedron::hull_of(&vertices[..3]).unwrap_err();
/// assert_eq!(flat.to_string(), "the hull has no volume: all points are in one plane");
/// # Ok::<(), clearance_engine::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ConvexPolyhedron {
    body: Arc<Body>,
    center: DVec3,
    /// Columns of unit length, orthogonal, both up to rounding.
    axes: DMat3,
    /// Whether the axes differ from those of the body; saves hot paths a comparison of nine
    /// numbers.
    turned: bool,
    /// The power of two that turns the body's lengths into true ones.
    scale: f64,
}

/// The identity of a polyhedron, for warm starts: all copies at any pose share it. By default it is
/// of no polyhedron.
#[derive(Debug, Clone, Default)]
pub(crate) struct BodyKey(Weak<Body>);

impl BodyKey {
    pub(crate) fn of(polyhedron: &Local<'_>) -> Self {
        Self(Arc::downgrade(polyhedron.body))
    }

    /// Whether the key belongs to this polyhedron or a copy. No other one can get its address as
    /// long as there is a key.
    #[inline]
    pub(crate) fn is_of(&self, polyhedron: &Local<'_>) -> bool {
        std::ptr::eq(self.0.as_ptr(), Arc::as_ptr(polyhedron.body))
    }
}

/// A polyhedron in its own coordinates, for searches over its surface: they read vertices without a
/// transform.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Local<'p> {
    /// The vertices relative to the centre, within 1 of it.
    pub vertices: &'p [DVec3],
    /// The world position of their origin.
    pub center: DVec3,
    /// The rotation from own coordinates, times `scale`, to those of the world.
    pub axes: &'p DMat3,
    /// Whether the axes differ from the world's.
    turned: bool,
    /// The scale, a power of two.
    pub scale: f64,
    body: &'p Arc<Body>,
}

impl<'p> Local<'p> {
    /// Outward normals of the faces, of unit length.
    #[cfg(any(test, feature = "lab"))]
    #[inline]
    pub fn normals(&self) -> &'p [DVec3] {
        &self.body.normals
    }

    /// Rotates a vector from own coordinates to the world's, without the scale.
    #[inline(always)]
    pub fn turned_out(self, vector: DVec3) -> DVec3 {
        if self.turned { *self.axes * vector } else { vector }
    }

    /// Rotates a vector from the world's coordinates to own ones, without the scale.
    #[inline(always)]
    pub fn turned_in(self, vector: DVec3) -> DVec3 {
        if self.turned { self.axes.transpose() * vector } else { vector }
    }

    /// The axes of another polyhedron in own coordinates.
    #[inline(always)]
    pub fn axes_of(self, other: &Local<'_>) -> DMat3 {
        if self.turned { self.axes.transpose() * *other.axes } else { *other.axes }
    }

    /// The support vertex along a direction of any length in own coordinates, up to 7 roundings.
    #[inline(always)]
    pub fn support<S: Simd>(&self, simd: S, direction: DVec3) -> u32 {
        self.body.support_by(simd, direction)
    }

    /// The radius of a bounding sphere about the centre, in own units.
    #[inline]
    pub fn bounding_radius(&self) -> f64 {
        self.body.bounding_radius
    }

    /// Whether the polyhedron has slopes for rays from the centre.
    #[inline]
    pub fn has_slopes(&self) -> bool {
        self.body.slopes.is_some()
    }

    /// The largest slope m along a direction, in own units: a ray along it leaves after 1/m of it.
    #[inline(always)]
    pub fn slope_along<S: Simd>(&self, simd: S, direction: DVec3) -> f64 {
        self.body.slopes.along(simd, direction)
    }

    /// An upper bound of the length of any slope.
    #[inline(always)]
    pub fn steepest(&self) -> f64 {
        self.body.slopes.steepest
    }

    /// The radius of a certified inscribed sphere about the centre, in own units.
    #[inline]
    pub fn inner(&self) -> f64 {
        self.body.inner
    }
}

impl ConvexPolyhedron {
    /// Computes the convex hull of points.
    ///
    /// Some points may be equal, on one line or in one plane. If all of them are, the error says
    /// which. It names a point that is not finite or beyond 1e100. A hull smaller than 1e-120
    /// counts as flat.
    pub fn hull_of(points: &[DVec3]) -> Result<Self> {
        check_points("point", points)?;
        let body = Body::hull_of(points)?;
        let (center, scale) = (body.center, body.scale);
        Ok(Self { body: Arc::new(body), center, axes: DMat3::IDENTITY, turned: false, scale })
    }

    /// Computes the convex hull of a mesh; vertices that no triangle uses do not count.
    ///
    /// ```
    /// use clearance_engine::{TriMesh, math::DVec3, shape::ConvexPolyhedron};
    /// // Two triangles that share a vertex, and a vertex of none.
    /// let vertices = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::NEG_X, DVec3::splat(9.0)];
    /// let mesh = TriMesh::new(vertices, vec![[0, 1, 2], [0, 3, 4]])?;
    /// let hull = ConvexPolyhedron::hull_of_mesh(&mesh)?;
    /// // The shared vertex is inside of an edge.
    /// assert_eq!((hull.vertex_count(), hull.face_count()), (4, 4));
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn hull_of_mesh(mesh: &TriMesh) -> Result<Self> {
        let mut used = vec![false; mesh.vertices().len()];
        mesh.triangles().iter().flatten().for_each(|&vertex| used[vertex as usize] = true);
        let points: Vec<DVec3> = mesh.vertices().iter().zip(used).filter(|(_, used)| *used).map(|(v, _)| *v).collect();
        Self::hull_of(&points)
    }

    /// Creates a polyhedron from its faces: loops of vertices that turn left, seen from outside.
    ///
    /// The polyhedron is the hull of the vertices, and the constructor checks the faces against it.
    /// An error names the face that has a vertex twice or no area, or that is not flat or not on
    /// the hull, to 1e-9 of the polyhedron's size. Another names the edge without one face on
    /// either side. Several faces may be in one plane, as triangles of a quadrilateral are: they
    /// become one. Vertices that no face uses may lie on the hull or inside of it; the polyhedron
    /// drops them.
    ///
    /// ```
    /// use clearance_engine::{math::DVec3, shape::ConvexPolyhedron};
    /// let vertices = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    /// let mut faces = vec![vec![0, 2, 1], vec![0, 1, 3], vec![1, 2, 3], vec![2, 0, 3]];
    /// assert_eq!(ConvexPolyhedron::from_faces(&vertices, &faces)?.face_count(), 4);
    /// faces.pop();
    /// let open = ConvexPolyhedron::from_faces(&vertices, &faces).unwrap_err();
    /// assert_eq!(open.to_string(), "the edge of face 0 from vertex 0 to 2 has no face beyond it");
    /// let twice = ConvexPolyhedron::from_faces(&vertices, &[vec![0, 1, 0]]).unwrap_err();
    /// assert_eq!(twice.to_string(), "face 0 has vertex 0 twice");
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn from_faces(vertices: &[DVec3], faces: &[Vec<u32>]) -> Result<Self> {
        if faces.is_empty() {
            return Err(Error::new(ErrorKind::Empty, "the polyhedron has no faces"));
        }
        for (i, face) in faces.iter().enumerate() {
            if let Some(index) = face.iter().find(|&&index| index as usize >= vertices.len()) {
                let message = format!("face {i} refers to vertex {index}, but there are {} vertices", vertices.len());
                return Err(Error::new(ErrorKind::OutOfRange, message));
            }
            if face.len() < 3 {
                return Err(Error::new(ErrorKind::Empty, format!("face {i} has {} vertices", face.len())));
            }
            // There and back again is a closed surface too.
            let mut sorted = face.clone();
            sorted.sort_unstable();
            if let Some(twice) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
                return Err(Error::new(ErrorKind::NotConvex, format!("face {i} has vertex {} twice", twice[0])));
            }
        }
        Adjacency::new(vertices.len(), faces)?;
        let polyhedron = Self::hull_of(vertices)?;
        for (i, face) in faces.iter().enumerate() {
            polyhedron.check_face(i, face.iter().map(|&vertex| vertices[vertex as usize]))?;
        }
        Ok(polyhedron)
    }

    fn check_face(&self, number: usize, vertices: impl Iterator<Item = DVec3> + Clone) -> Result<()> {
        let wrong = |what: String| Err(Error::new(ErrorKind::NotConvex, format!("face {number} {what}")));
        // In units of the body, so that nothing overflows.
        let local = vertices.map(|vertex| (vertex - self.center) / self.scale);
        let normal = polygon_normal(local.clone());
        if normal.length() <= normal_error(local.clone()) {
            return Err(Error::new(
                ErrorKind::Degenerate,
                format!("face {number} has no area: its vertices are on one line"),
            ));
        }
        let normal = normal.normalize();
        let heights = local.map(|vertex| normal.dot(vertex));
        let (low, high) = heights.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), h| (low.min(h), high.max(h)));
        let allowed = FLATNESS * self.body.bounding_radius;
        if high - low > allowed {
            return wrong(format!("is not flat: its vertices are {:e} off its plane", (high - low) * self.scale));
        }
        let beyond = normal.dot(self.body.vertices[self.body.support(normal) as usize]) - low;
        if beyond > allowed {
            return wrong(format!("is not on the hull: a vertex is {:e} beyond it", beyond * self.scale));
        }
        Ok(())
    }

    /// The number of vertices; at least 4.
    pub fn vertex_count(&self) -> usize {
        self.body.vertices.len()
    }

    /// The number of edges.
    pub fn edge_count(&self) -> usize {
        self.body.adjacency.edge_count()
    }

    /// The number of faces; at least 4.
    pub fn face_count(&self) -> usize {
        self.body.adjacency.face_count()
    }

    /// Vertex `i`. Panics if there are no more than `i`, as the following methods do.
    ///
    /// An unmoved polyhedron returns the point that the caller gave, to the last bit. After a
    /// motion the vertex is rounded.
    pub fn vertex(&self, i: u32) -> DVec3 {
        self.vertices_by()(i as usize)
    }

    /// All vertices, each as [`vertex`](Self::vertex) returns it, in the order of the points of the
    /// hull.
    ///
    /// ```
    /// use clearance_engine::{math::DVec3, shape::ConvexPolyhedron};
    /// let points = [DVec3::splat(0.1), DVec3::X, DVec3::Y * 0.3, DVec3::new(-0.7, 0.2, 1.0 / 3.0)];
    /// let tetrahedron = ConvexPolyhedron::hull_of(&points)?;
    /// assert!(tetrahedron.vertices().eq(points));
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn vertices(&self) -> impl ExactSizeIterator<Item = DVec3> + '_ {
        (0..self.vertex_count()).map(self.vertices_by())
    }

    /// A function from vertex numbers to vertices.
    fn vertices_by(&self) -> impl Fn(usize) -> DVec3 + '_ {
        let still = !self.turned && (self.center, self.scale) == (self.body.center, self.body.scale);
        move |i| if still { self.body.given[i] } else { self.center + self.turned_back(self.body.vertices[i]) }
    }

    /// The neighbours of vertex `i` along its edges, in no particular order.
    pub fn neighbors(&self, i: u32) -> &[u32] {
        self.body.adjacency.neighbors(i)
    }

    /// The faces that meet in vertex `i`: those on the left of the edges to its
    /// [`neighbors`](Self::neighbors), in their order.
    pub fn faces_around(&self, i: u32) -> &[u32] {
        self.body.adjacency.faces_around(i)
    }

    /// The vertices of face `f`, turning left seen from outside.
    pub fn face(&self, f: u32) -> &[u32] {
        self.body.adjacency.face(f)
    }

    /// The faces across the edges of face `f`, each from one of its [vertices](Self::face) to the
    /// next.
    pub fn faces_across(&self, f: u32) -> &[u32] {
        self.body.adjacency.across(f)
    }

    /// The face on the left of the edge from vertex `from` to vertex `to`, seen from outside;
    /// `None` if there is no such edge.
    ///
    /// ```
    /// use clearance_engine::{math::DVec3, shape::ConvexPolyhedron};
    /// let tetrahedron = ConvexPolyhedron::hull_of(&[DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z])?;
    /// let face = tetrahedron.face_beside(2, 1).unwrap();
    /// assert!(tetrahedron.face_normal(face).distance(DVec3::NEG_Z) < 1e-15);
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn face_beside(&self, from: u32, to: u32) -> Option<u32> {
        let ends = (from as usize) < self.vertex_count();
        ends.then(|| self.body.adjacency.left_of(from, to)).flatten()
    }

    /// The support vertex: the vertex farthest along `direction`, up to rounding. The direction may
    /// have any finite length.
    pub fn support_vertex(&self, direction: DVec3) -> u32 {
        self.body.support(self.axes.transpose() * direction)
    }

    /// The outward normal of face `f`, of unit length, rounded.
    pub fn face_normal(&self, f: u32) -> DVec3 {
        self.axes * self.body.normals[f as usize]
    }

    /// The surface as a closed, outward triangle mesh: each face is a fan of triangles about its
    /// first vertex.
    ///
    /// ```
    /// use clearance_engine::{math::DVec3, shape::{ConvexPolyhedron, check_closed}};
    /// let vertex = |i: u32| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2));
    /// let cube = ConvexPolyhedron::hull_of(&(0..8).map(vertex).collect::<Vec<_>>())?.surface()?;
    /// assert_eq!(cube.len(), 12);
    /// check_closed(&cube)?;
    /// # Ok::<(), clearance_engine::Error>(())
    /// ```
    pub fn surface(&self) -> Result<TriMesh> {
        let fan = |face: u32| {
            let points = self.face(face);
            points[1..].windows(2).map(move |edge| [points[0], edge[0], edge[1]])
        };
        TriMesh::new(self.vertices().collect(), (0..self.face_count() as u32).flat_map(fan).collect())
    }

    /// The polyhedron after a rigid motion, rounded.
    #[must_use]
    pub fn transformed(&self, pose: &Pose) -> Self {
        // Back to orthonormal, from which each product of rotations strays by a rounding or two.
        // Methods that measure in the vertices' coordinates rely on it.
        let axes = if self.turned { newton_step(*pose.rotation() * self.axes) } else { *pose.rotation() };
        let (center, turned) = (pose.transform_point(self.center), axes != DMat3::IDENTITY);
        Self { body: self.body.clone(), center, axes, turned, scale: self.scale }
    }

    /// The support vertex along the normal of face `f`: one of the face's, up to rounding.
    #[cfg(any(test, feature = "lab"))]
    #[inline]
    pub(crate) fn top_of_face(&self, f: u32) -> u32 {
        self.body.tops[f as usize]
    }

    /// Vertex `i` relative to the centre.
    #[inline]
    pub(crate) fn vertex_offset(&self, i: u32) -> DVec3 {
        self.turned_back(self.body.vertices[i as usize])
    }

    #[inline]
    pub(crate) fn local(&self) -> Local<'_> {
        Local {
            vertices: &self.body.vertices,
            center: self.center,
            axes: &self.axes,
            turned: self.turned,
            scale: self.scale,
            body: &self.body,
        }
    }

    /// [`local`](Self::local) after a rigid motion, without making the moved polyhedron; `None` if
    /// this one was rotated before.
    #[inline]
    pub(crate) fn local_after<'p>(&'p self, pose: &'p Pose) -> Option<Local<'p>> {
        let center = pose.transform_point(self.center);
        (!self.turned).then(|| Local { center, axes: pose.rotation(), turned: true, ..self.local() })
    }

    /// The polyhedron in the stored coordinates of a hierarchy. The scale is a power of two, which
    /// rounds nothing.
    pub(crate) fn stored(&self, frame: &Frame) -> Self {
        let (center, scale) = (frame.store(self.center), self.scale * frame.scale);
        Self { body: self.body.clone(), center, axes: self.axes, turned: self.turned, scale }
    }

    /// The centre, axes and half-extents of a bounding box: a small one, or one with a face towards
    /// `viewpoint` where that is farther away from there.
    #[inline(never)]
    pub(crate) fn box_seen_from(&self, viewpoint: DVec3) -> (DVec3, DMat3, DVec3) {
        let local = self.axes.transpose() * (viewpoint - self.center) / self.scale;
        let AroundBox { center, axes, half } = self.body.box_seen_from(local);
        (self.center + self.turned_back(center), self.axes * axes, half * self.scale)
    }

    #[inline]
    fn turned_back(&self, vertex: DVec3) -> DVec3 {
        self.axes * (vertex * self.scale)
    }
}

/// The faces and edges at the support vertex stand for all: next to another shape these are the
/// ones that matter.
impl Convex for ConvexPolyhedron {
    #[inline]
    fn center(&self) -> DVec3 {
        self.center
    }

    #[inline]
    fn bounding_radius(&self) -> f64 {
        self.body.bounding_radius * self.scale
    }

    fn inner(&self) -> f64 {
        self.body.inner * self.scale
    }

    #[inline]
    fn support(&self, direction: DVec3) -> DVec3 {
        let vertex = self.body.support(self.axes.transpose() * direction);
        self.turned_back(self.body.vertices[vertex as usize])
    }

    /// Searches the faces at the support vertex along `offset`.
    #[inline(never)]
    fn nearest(&self, offset: DVec3) -> DVec3 {
        let local = self.axes.transpose() * offset / self.scale;
        let faces = self.body.adjacency.faces_around(self.body.support(local)).iter().copied();
        self.turned_back(self.body.nearest_on(faces, local).unwrap_or(local))
    }

    fn knows_nearest(&self) -> bool {
        false
    }

    /// Searches all faces that do not face away.
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
        let faces = self.body.adjacency.faces_around(self.body.support(local)).iter();
        let normals = faces.map(|&face| self.body.normals[face as usize]);
        self.foremost(MAX_DIRECTIONS, normals.map(|normal| (normal.dot(local), normal)))
    }

    fn each_face_normal(&self, visit: &mut dyn FnMut(DVec3)) {
        if self.face_count() <= MAX_FACES {
            self.body.normals.iter().for_each(|&normal| visit(self.axes * normal));
        }
    }

    fn edge_directions(&self, towards: DVec3) -> Directions {
        let local = self.axes.transpose() * towards;
        let vertex = self.body.support(local);
        let neighbors = self.body.adjacency.neighbors(vertex).iter();
        let edges = neighbors.filter_map(|&other| self.body.edge(vertex, other).try_normalize());
        self.foremost(MAX_EDGES, edges.map(|edge| (-edge.dot(local).abs(), edge)))
    }
}

impl ConvexPolyhedron {
    /// The directions with the highest scores, rotated to the world: at most `count`, which must
    /// not be more than fit without allocation.
    fn foremost(&self, count: usize, scored: impl Iterator<Item = (f64, DVec3)>) -> Directions {
        let mut best = smallvec::SmallVec::<[(f64, DVec3); MAX_DIRECTIONS]>::new();
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
