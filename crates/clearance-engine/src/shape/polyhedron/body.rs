//! The data that all copies of a polyhedron share: vertices about the centre, adjacency, and tables
//! for queries.

use super::adjacency::{Adjacency, polygon_normal, sides};
use super::extremes::Extremes;
#[cfg(any(test, feature = "lab"))]
use super::extremes::climb;
#[cfg(any(test, feature = "lab"))]
use super::hierarchy::Hierarchy;
use super::hull::{convex_hull, out_of_range};
use super::slopes::{Slopes, inner_radius};
use crate::Result;
use crate::math::lanes::{Simd, with_baseline};
use crate::math::{DMat3, DVec3, Frame, Moments, UNIT_ROUNDOFF};
use crate::shape::{Convex, Triangle};
#[cfg(any(test, feature = "lab"))]
use std::sync::OnceLock;

/// The number of faces along which [`Body::small_box`] tries a box.
const BOX_FACES: usize = 16;

/// The part of a polyhedron that does not change when it moves.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Body {
    /// The vertices as the caller gave them.
    pub(super) given: Vec<DVec3>,
    /// The vertices relative to the centre, within 1 of it.
    pub(super) vertices: Vec<DVec3>,
    /// The frame in which the polyhedron was made: the centre, and the power of two that turns
    /// `vertices` into lengths.
    pub(super) center: DVec3,
    pub(super) scale: f64,
    pub(super) adjacency: Adjacency,
    /// The face normals, outward, of unit length.
    pub(super) normals: Vec<DVec3>,
    /// The support vertex along the normal of each face.
    #[cfg(any(test, feature = "lab"))]
    pub(super) tops: Vec<u32>,
    pub(super) extremes: Extremes,
    /// The radius of a bounding sphere about the centre.
    pub(super) bounding_radius: f64,
    /// The radius of a certified inscribed sphere about the centre; zero where faces are too thin
    /// to tell.
    pub(super) inner: f64,
    /// The slopes of the faces, for rays from the centre.
    pub(super) slopes: Slopes,
    pub(super) around: AroundBox,
    /// The inner polyhedra, built on first use.
    #[cfg(any(test, feature = "lab"))]
    pub(super) hierarchy: OnceLock<Hierarchy>,
}

/// A bounding box (OBB) of a polyhedron, in the coordinates of its vertices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct AroundBox {
    pub(super) center: DVec3,
    pub(super) axes: DMat3,
    pub(super) half: DVec3,
}

impl Body {
    /// Computes the convex hull of finite points.
    pub(super) fn hull_of(points: &[DVec3]) -> Result<Self> {
        let (scaled, unit) = scaled_down(points);
        let hull = convex_hull(&scaled)?;
        let vertices: Vec<DVec3> = hull.vertices.iter().map(|&vertex| scaled[vertex as usize]).collect();
        let adjacency = Adjacency::new(vertices.len(), &hull.faces)?;
        if vertices.len() + adjacency.face_count() != adjacency.edge_count() + 2 {
            return Err(out_of_range());
        }
        let first = vertices[0];
        let mean = vertices.iter().map(|&vertex| vertex - first).sum::<DVec3>() / vertices.len() as f64;
        let center = first + mean;
        let radius_about = |center: DVec3| {
            vertices.iter().fold(0.0_f64, |bounding_radius, vertex| bounding_radius.max(vertex.distance(center)))
        };
        // With room for the few roundings by which the centre moves below.
        let bounding_radius = radius_about(center) * (1.0 + 8.0 * UNIT_ROUNDOFF);
        let factor = Frame::around(DVec3::splat(-bounding_radius), DVec3::splat(bounding_radius)).scale;
        // Multiples of this, less than 2⁵³ of them apart, have differences that are not rounded: so
        // have vertices with few digits, integers and `f32` among them, and the centre, once it is
        // a multiple too. That moves it by less than a rounding, but for bodies so small that
        // frames do not follow: their centre stays.
        let grain = UNIT_ROUNDOFF / factor;
        let center =
            if grain <= 4.0 * UNIT_ROUNDOFF * bounding_radius { (center / grain).round() * grain } else { center };
        let bounding_radius = radius_about(center);
        let vertices: Vec<DVec3> = vertices.iter().map(|&vertex| (vertex - center) * factor).collect();
        let normal_of = |face: u32| {
            let normal = polygon_normal(adjacency.face(face).iter().map(|&vertex| vertices[vertex as usize]));
            normal.try_normalize().unwrap_or(DVec3::X)
        };
        let normals: Vec<DVec3> = (0..adjacency.face_count() as u32).map(normal_of).collect();
        #[cfg(any(test, feature = "lab"))]
        let top_of = |(face, normal): (u32, &DVec3)| climb(&vertices, &adjacency, *normal, adjacency.face(face)[0]);
        #[cfg(any(test, feature = "lab"))]
        let tops = (0..).zip(&normals).map(top_of).collect();
        let extremes = Extremes::new(&vertices, &adjacency);
        let (inner, slopes) = (inner_radius(&vertices, &adjacency), Slopes::new(&vertices, &adjacency));
        let around = AroundBox { center: DVec3::ZERO, axes: DMat3::IDENTITY, half: DVec3::ZERO };
        let mut body = Self {
            given: hull.vertices.iter().map(|&vertex| points[vertex as usize]).collect(),
            vertices,
            center: center / unit,
            scale: 1.0 / (unit * factor),
            adjacency,
            normals,
            #[cfg(any(test, feature = "lab"))]
            tops,
            extremes,
            bounding_radius: bounding_radius * factor,
            inner,
            slopes,
            around,
            #[cfg(any(test, feature = "lab"))]
            hierarchy: OnceLock::new(),
        };
        body.around = body.small_box();
        Ok(body)
    }

    #[inline]
    pub(super) fn support(&self, direction: DVec3) -> u32 {
        // The baseline level: calling a function for a higher one takes 4 ns longer, which is as
        // long as a few vertices take.
        with_baseline!(simd => self.support_by(simd, direction))
    }

    /// The support vertex, for callers that run in [`vectorized`](crate::math::lanes::vectorized).
    #[inline(always)]
    pub(super) fn support_by<S: Simd>(&self, simd: S, direction: DVec3) -> u32 {
        self.extremes.support(simd, &self.vertices, &self.adjacency, direction)
    }

    #[cfg(any(test, feature = "lab"))]
    pub(super) fn hierarchy(&self) -> &Hierarchy {
        self.hierarchy.get_or_init(|| Hierarchy::new(&self.vertices, &self.adjacency))
    }

    /// The bounding box with the least surface among some: along the coordinate axes, the principal
    /// axes, and the largest faces.
    pub(super) fn small_box(&self) -> AroundBox {
        let mut moments = Moments::default();
        self.vertices.iter().for_each(|&vertex| moments += &Moments::of_point(vertex));
        let mut candidates = vec![DMat3::IDENTITY, moments.principal_axes()];
        let area = |&face: &u32| {
            let vertices = self.adjacency.face(face).iter().map(|&vertex| self.vertices[vertex as usize]);
            polygon_normal(vertices).length_squared()
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

    pub(super) fn box_along(&self, axes: &DMat3) -> AroundBox {
        let height = |direction: DVec3| direction.dot(self.vertices[self.support(direction) as usize]);
        let [high, low] = [1.0, -1.0].map(|sign| {
            DVec3::from_array([axes.x_axis, axes.y_axis, axes.z_axis].map(|axis| sign * height(axis * sign)))
        });
        // Some 20 roundings of the size, 1.
        let half = (high - low) * 0.5 + 1e-14;
        AroundBox { center: *axes * ((high + low) * 0.5), axes: *axes, half }
    }

    /// The small box, or one that is farther from `viewpoint`. The tried directions lead from the
    /// box's nearest point and from the centre to the viewpoint. Along such a direction the
    /// polyhedron ends at its support vertex, and across it not beyond the small box.
    pub(super) fn box_seen_from(&self, viewpoint: DVec3) -> AroundBox {
        let around = &self.around;
        let offset = around.axes.transpose() * (viewpoint - around.center);
        let outside = around.axes * (offset - offset.clamp(-around.half, around.half));
        let mut best = (outside.length(), None);
        for direction in [outside, viewpoint].into_iter().filter_map(DVec3::try_normalize) {
            let height = direction.dot(self.vertices[self.support(direction) as usize]);
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
        // Cut off the part of the small box beyond the support vertex.
        let (low, high) = (center.x - half.x, (center.x + half.x).min(height + 1e-14));
        center.x = 0.5 * (low + high);
        let half = DVec3 { x: 0.5 * (high - low), ..half };
        AroundBox { center: axes * center, axes, half }
    }

    /// The height of a point above the plane of a face.
    pub(super) fn height(&self, face: u32, point: DVec3) -> f64 {
        let vertex = self.vertices[self.adjacency.face(face)[0] as usize];
        self.normals[face as usize].dot(point - vertex)
    }

    /// The point of some faces nearest to `point`.
    pub(super) fn nearest_on(&self, faces: impl Iterator<Item = u32>, point: DVec3) -> Option<DVec3> {
        let (mut best, mut least) = (None, f64::INFINITY);
        for face in faces {
            let vertices = self.adjacency.face(face);
            let tip = self.vertices[vertices[0] as usize];
            for edge in vertices[1..].windows(2) {
                let triangle = Triangle([tip, self.vertices[edge[0] as usize], self.vertices[edge[1] as usize]]);
                let nearest = tip + triangle.nearest(point - tip);
                let squared = nearest.distance_squared(point);
                if squared < least {
                    (best, least) = (Some(nearest), squared);
                }
            }
        }
        best
    }

    pub(super) fn edge(&self, from: u32, to: u32) -> DVec3 {
        self.vertices[to as usize] - self.vertices[from as usize]
    }
}

/// Scales points by a power of two, so that products of three coordinates, as in determinants, are
/// well within range. Returns that power too.
fn scaled_down(points: &[DVec3]) -> (Vec<DVec3>, f64) {
    let largest = points.iter().fold(0.0_f64, |largest, point| largest.max(point.abs().max_element()));
    let unit = Frame::around(DVec3::splat(-largest), DVec3::splat(largest)).scale;
    (points.iter().map(|&point| point * unit).collect(), unit)
}

/// Computes the volume of the convex hull of finite points, rounded. It skips the tables of a
/// polyhedron, which saves two thirds of the time.
pub(crate) fn hull_volume(points: &[DVec3]) -> Result<f64> {
    let (scaled, unit) = scaled_down(points);
    let hull = convex_hull(&scaled)?;
    let vertex = |place: u32| scaled[hull.vertices[place as usize] as usize];
    let about = vertex(0);
    let face_volume = |face: &Vec<u32>| {
        let tip = vertex(face[0]) - about;
        face[1..].windows(2).map(|edge| tip.dot((vertex(edge[0]) - about).cross(vertex(edge[1]) - about))).sum::<f64>()
    };
    Ok(hull.faces.iter().map(face_volume).sum::<f64>() / (6.0 * unit * unit * unit))
}
